//! Extensions to text.

use super::{Body, Coordinates, Directive, ExtBody, Extension, LoopNote};
use std::fmt::{self, Formatter};

/// An extension, tags included.
pub(super) fn write_extension(extension: &Extension, f: &mut Formatter<'_>) -> fmt::Result {
    let name = extension.name();
    if let Extension::Other { text, .. } = extension {
        return writeln!(f, "<{name}>{text}</{name}>");
    }
    writeln!(f, "<{name}>")?;
    match extension {
        Extension::Strings(words) | Extension::ScatNames(words) => {
            writeln!(f, "{}", words.join(" "))?;
        }
        Extension::Body(body) => write_body(body, f)?,
        Extension::ExtBody(extended) => write_ext_body(extended, f)?,
        Extension::Arrays(named) => {
            writeln!(f, "# Number of arrays\n{}", named.len())?;
            writeln!(f, "# Mapping array-identifiers/array-names")?;
            named.iter().try_for_each(|(id, name)| writeln!(f, "{id} {name}"))?;
        }
        Extension::Coordinates(coordinates) => write_coordinates(coordinates, f)?,
        Extension::Loops(notes) => {
            writeln!(f, "# Number of loops\n{}", notes.len())?;
            for (at, note) in notes.iter().enumerate() {
                write_loop(note, at + 1, f)?;
            }
        }
        Extension::Other { .. } => {}
    }
    writeln!(f, "</{name}>")
}

/// A body.
fn write_body(body: &Body, f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "# Number of original iterators\n{}", body.iterators.len())?;
    if !body.iterators.is_empty() {
        writeln!(f, "# List of original iterators\n{}", body.iterators.join(" "))?;
    }
    writeln!(f, "# Statement body expression\n{}", body.text)
}

/// A body with the places of its accesses.
fn write_ext_body(extended: &ExtBody, f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "# Number of accesses\n{}", extended.places.len())?;
    if !extended.places.is_empty() {
        writeln!(f, "# Access coordinates (start/length)")?;
    }
    extended.places.iter().try_for_each(|(start, length)| writeln!(f, "{start} {length}"))?;
    write_body(&extended.body, f)
}

/// Where the scop was found.
fn write_coordinates(coordinates: &Coordinates, f: &mut Formatter<'_>) -> fmt::Result {
    let Coordinates { file, start, end, indent } = coordinates;
    writeln!(f, "# File name\n{file}")?;
    writeln!(f, "# Starting line and column\n{} {}", start.0, start.1)?;
    writeln!(f, "# Ending line and column\n{} {}", end.0, end.1)?;
    writeln!(f, "# Indentation\n{indent}")
}

/// A note on a loop, counted from 1.
fn write_loop(note: &LoopNote, number: usize, f: &mut Formatter<'_>) -> fmt::Result {
    let LoopNote { iterator, statements, private, directive: Directive { bits, user } } = note;
    writeln!(f, "# ===========================================\n# Loop number {number}")?;
    writeln!(f, "# Iterator name\n{iterator}")?;
    writeln!(f, "# Number of stmts\n{}", statements.len())?;
    if !statements.is_empty() {
        writeln!(f, "# Statement identifiers")?;
    }
    statements.iter().try_for_each(|number| writeln!(f, "{number}"))?;
    writeln!(f, "# Private variables\n{}", private.as_deref().unwrap_or("(null)"))?;
    write!(f, "# Directive\n{bits}")?;
    if bits & Directive::USER != 0 {
        write!(f, " {}", user.as_deref().unwrap_or("(null)"))?;
    }
    writeln!(f)
}
