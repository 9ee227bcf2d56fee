//! `farkas bench`.

use crate::Status;
use crate::args::BenchArgs;
use crate::messages::Messages;

/// Runs the command.
pub(crate) fn run(args: &BenchArgs, messages: &Messages) -> Status {
    let _ = (args, messages);
    Status::Misuse
}
