//! `farkas machine`.

use crate::Status;
use crate::args::MachineArgs;
use crate::convert::misuse_or_refusal;
use crate::messages::{Messages, output};
use farkas::{describe_machine, machine_named};
use farkas_config::print_machine;

/// Prints a machine, for people or as a file.
pub(crate) fn run(args: &MachineArgs, messages: &Messages) -> Status {
    let detected = match machine_named(&args.machine) {
        Ok(detected) => detected,
        Err(diagnostics) => return messages.stop(misuse_or_refusal(diagnostics)),
    };
    let text =
        if args.json { print_machine(&detected.machine) } else { describe_machine(&detected) };
    messages.written(output(&text), None)
}
