//! `farkas show`.

use crate::Status;
use crate::args::ShowArgs;
use crate::messages::Messages;

/// Runs the command.
pub(crate) fn run(args: &ShowArgs, messages: &Messages) -> Status {
    let _ = (args, messages);
    Status::Misuse
}
