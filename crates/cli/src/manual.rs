//! `farkas completions` and `farkas man`: what package makers install beside the program.

use crate::Status;
use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::messages::Messages;
use clap::CommandFactory;
use farkas_base::{Diagnostic, DiagnosticId};

/// The program's name.
const NAME: &str = "farkas";

/// Prints the completions of a shell.
pub(crate) fn completions(args: &CompletionsArgs, messages: &Messages) -> Status {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), NAME, &mut script);
    messages.write(&String::from_utf8_lossy(&script), None)
}

/// Writes a page of the manual for the program and one for each command.
pub(crate) fn man(args: &ManArgs, messages: &Messages) -> Status {
    let written = std::fs::create_dir_all(&args.folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), &args.folder));
    match written {
        Ok(()) => Status::Success,
        Err(error) => {
            let message =
                format!("cannot write to the folder `{}`: {error}", args.folder.display());
            messages.refuse(&Diagnostic::new(DiagnosticId::UnwritableOutput, message))
        }
    }
}
