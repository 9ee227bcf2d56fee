//! Prints the document of an OpenSCoP file anew: `cargo run -p farkas-front-openscop --example print FILE`.

use farkas_base::{SourceFile, render};
use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: print FILE");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("cannot read `{path}`: {error}");
            return ExitCode::FAILURE;
        }
    };
    match farkas_front_openscop::parse(&Arc::new(SourceFile::new(path, text))) {
        Ok(parsed) => {
            // A reader that has gone away is no failure.
            let _ = write!(std::io::stdout(), "{}", parsed.document);
            ExitCode::SUCCESS
        }
        Err(diagnostic) => {
            eprint!("{}", render(&diagnostic, false));
            ExitCode::FAILURE
        }
    }
}
