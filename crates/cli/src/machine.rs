//! `farkas machine`.

use crate::Status;
use crate::args::MachineArgs;
use crate::convert::misuse_or_refusal;
use crate::messages::{Messages, output};
use farkas::{AnyMachine, any_machine, describe_gpu, describe_machine};
use farkas_config::{print_gpu, print_machine};

/// Prints a machine, for people or as a file.
pub(crate) fn run(args: &MachineArgs, messages: &Messages) -> Status {
    let found = match any_machine(&args.machine) {
        Ok(found) => found,
        Err(diagnostics) => return messages.stop(misuse_or_refusal(diagnostics)),
    };
    let text = match (&found, args.json) {
        (AnyMachine::Processor(detected), true) => print_machine(&detected.machine),
        (AnyMachine::Processor(detected), false) => describe_machine(detected),
        (AnyMachine::Gpu(gpu), true) => print_gpu(gpu),
        (AnyMachine::Gpu(gpu), false) => describe_gpu(gpu),
    };
    messages.written(output(&text), None)
}
