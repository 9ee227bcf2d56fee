//! Entries of a database under the keys that their programs have now: `cargo run -p farkas --example rekey -- recipes/seed.jsonl`.
//!
//! Where the normal form has another version, hashes do, while recipes and times hold. Lines are read as `farkas db export` writes them, and printed
//! with new hashes and embeddings; `farkas db import` and `export` sort them.
#![allow(clippy::print_stdout, reason = "lines for `farkas db import`")]

use farkas::database::{Keyed, key_of};
use farkas::{Options, machine_named, parse};
use farkas_base::SourceFile;
use farkas_db::{Entry, line_of, read_line};
use farkas_machine::Machine;
use std::error::Error;
use std::sync::Arc;

/// How many figures of the machine an embedding ends with.
const N_FIGURES: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    for path in std::env::args().skip(1) {
        for line in std::fs::read_to_string(&path)?.lines() {
            println!("{}", line_of(&rekeyed(read_line(line).map_err(|e| format!("{e:?}"))?)?)?);
        }
    }
    Ok(())
}

/// An entry under its new key.
fn rekeyed(entry: Entry) -> Result<Entry, Box<dyn Error>> {
    let name = format!("program of {}", entry.key.short_nest());
    let text = format!("# 1 \"{name}\"\n{}", entry.program);
    let source = Arc::new(SourceFile::new(name, entry.program.clone()));
    let input = parse(source, &text, &farkas_front_c::Options::default());
    let [region] = input.regions.as_slice() else { return Err("one region is wanted".into()) };
    let machine = machine_named(&entry.key.machine);
    let machine = machine.map_or_else(|_| Machine::generic(), |detected| detected.machine);
    let options = Options { machine, ..Options::default() };
    let Keyed { key, mut embedding } = key_of(region, &options, &entry.key.compiler)?;
    // A machine that measured has its own figures, whatever the file of its kind says.
    if let Some(own) = entry.embedding.iter().find(|own| own.version == embedding.version) {
        let figures = embedding.values.iter_mut().rev().zip(own.values.iter().rev());
        figures.take(N_FIGURES).for_each(|(new, own)| *new = *own);
    }
    let mut new = Entry { embedding: Some(embedding), ..entry };
    (new.key.nest, new.key.normal_form) = (key.nest, key.normal_form);
    Ok(new)
}
