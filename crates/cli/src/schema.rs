//! `farkas schema`.

use crate::Status;
use crate::args::{SchemaArgs, SchemaKind};
use crate::messages::{Messages, output};
use farkas_config::{
    gpu_schema, influence_schema, machine_schema, project_schema, recipe_schema, strategy_schema,
};
use std::borrow::Cow;

/// Prints the schema of one kind of file.
pub(crate) fn run(args: &SchemaArgs, messages: &Messages) -> Status {
    let schema: Cow<'static, str> = match args.kind {
        SchemaKind::Strategy => strategy_schema().into(),
        SchemaKind::Influence => influence_schema().into(),
        SchemaKind::Recipe => recipe_schema().into(),
        SchemaKind::Gpu => gpu_schema().into(),
        SchemaKind::Machine => machine_schema().into(),
        SchemaKind::Project => project_schema().into(),
    };
    messages.written(output(&schema), None)
}
