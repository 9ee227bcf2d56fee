//! `farkas schema`.

use crate::Status;
use crate::args::{SchemaArgs, SchemaKind};
use crate::messages::{Messages, output};
use farkas_config::{influence_schema, machine_schema, strategy_schema};

/// Prints the schema of one kind of file.
pub(crate) fn run(args: &SchemaArgs, messages: &Messages) -> Status {
    let schema = match args.kind {
        SchemaKind::Strategy => strategy_schema(),
        SchemaKind::Influence => influence_schema(),
        SchemaKind::Machine => machine_schema(),
    };
    messages.written(output(schema), None)
}
