//! Prints the scops of a C file: `cargo run -p farkas-front-c --example scop -- FILE.c [cc options]`.

#![expect(clippy::print_stdout, reason = "a program whose purpose is to print")]

use farkas_base::{SourceFile, render};
use farkas_front_c::{Options, parse};
use std::process::{Command, ExitCode};
use std::sync::Arc;

fn main() -> ExitCode {
    let mut options = Options::default();
    let (mut flags, mut files, mut repeat, mut quiet) = (Vec::new(), Vec::new(), 1, false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--auto" => options.auto = true,
            "--quiet" => quiet = true,
            "--time" => repeat = 20,
            a if a.starts_with("--pure=") => options.pure_functions.push(a[7..].to_owned()),
            a if a.starts_with("--context=") => options.context = Some(a[10..].to_owned()),
            a if a.starts_with('-') => flags.push(argument),
            _ => files.push(argument),
        }
    }
    let mut failed = false;
    for file in files {
        let output = Command::new("cc").args(["-E", "-dD"]).args(&flags).arg(&file).output();
        let (Ok(output), Ok(text)) = (output, std::fs::read_to_string(&file)) else {
            println!("{file}: cannot be read");
            failed = true;
            continue;
        };
        let source = Arc::new(SourceFile::new(file.as_str(), text));
        let preprocessed = String::from_utf8_lossy(&output.stdout).into_owned();
        let start = std::time::Instant::now();
        let mut result = parse(Arc::clone(&source), &preprocessed, &options);
        for _ in 1..repeat {
            result = parse(Arc::clone(&source), &preprocessed, &options);
        }
        let elapsed = start.elapsed() / repeat;
        println!("== {file}: {} regions, {elapsed:?}", result.0.len());
        for diagnostic in &result.1 {
            failed |= diagnostic.is_error();
            print!("{}", render(diagnostic, false));
        }
        if !quiet {
            for region in &result.0 {
                print_scop(&region.scop);
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn print_scop(scop: &farkas_scop::Scop) {
    println!("scop {}  context {}", scop.name(), scop.context());
    for assumption in scop.assumptions() {
        println!("  assuming {assumption}");
    }
    for array in scop.arrays() {
        let extents: Vec<String> = array
            .extents
            .iter()
            .map(|e| e.as_ref().map_or("?".to_owned(), ToString::to_string))
            .collect();
        println!(
            "  {:?} {} {}{extents:?} in {} out {} {}",
            array.scope,
            array.element.text,
            array.name,
            array.is_live_in,
            array.is_live_out,
            array.declaration.as_deref().unwrap_or("")
        );
    }
    for stmt in scop.stmts() {
        println!("  {}: {}", stmt.name, stmt.domain);
        for iterator in &stmt.iterators {
            println!("     {} {} = {}", iterator.ty, iterator.name, iterator.value);
        }
        println!("     date {}", stmt.date);
        for access in &stmt.accesses {
            println!("     {} {}", access.kind.name(), access.relation);
        }
        println!("     {:?}", stmt.body);
    }
}
