//! `farkas explain`.

use crate::Status;
use crate::args::ExplainArgs;
use crate::messages::Messages;

/// Runs the command.
pub(crate) fn run(args: &ExplainArgs, messages: &Messages) -> Status {
    let _ = (args, messages);
    Status::Misuse
}
