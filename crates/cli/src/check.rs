//! `farkas check`.

use crate::Status;
use crate::args::CheckArgs;
use crate::messages::Messages;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs, messages: &Messages) -> Status {
    let _ = (args, messages);
    Status::Misuse
}
