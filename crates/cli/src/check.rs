//! `farkas check`.

use crate::Status;
use crate::args::CheckArgs;
use crate::messages::{Messages, output};
use crate::regions::{read_regions, select_one};
use farkas::check;

/// Judges the schedule; success only when it is legal.
pub(crate) fn run(args: &CheckArgs, messages: &Messages) -> Status {
    let Some(input) = read_regions(&args.input, &args.read, &[], messages) else {
        return Status::Refused;
    };
    let region = match select_one(&input, args.region.as_deref()) {
        Ok(region) => region,
        Err(diagnostic) => return messages.misuse(&diagnostic),
    };
    let judged = farkas_run::read_source(&args.schedule)
        .and_then(|file| check::read_schedule(&region.scop, &input.source, &file))
        .and_then(|schedule| check::check(&input, region, &schedule));
    match judged {
        Ok(text) => messages.written(output(&text), None),
        Err(diagnostic) => messages.refuse(&diagnostic),
    }
}
