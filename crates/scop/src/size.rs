//! What the user says of the sizes that a program runs with.

use farkas_base::{Diagnostic, DiagnosticId, nearest};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// A value of a parameter for which choices are made. Whatever value it has when the program runs, results are right.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Size {
    /// The parameter.
    pub name: String,
    /// Its value.
    pub value: i64,
}

/// The largest value that is read, beside its negation: costs are computed with products of sizes.
const MOST: i64 = 1_000_000_000;

impl FromStr for Size {
    type Err = String;

    /// Reads `NAME=VALUE`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no size: expected a parameter and a number, as n=2000");
        let (name, value) = text.split_once('=').ok_or_else(wrong)?;
        let name = name.trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(wrong());
        }
        let value = value.trim().parse().map_err(|_| wrong())?;
        if !(-MOST..=MOST).contains(&value) {
            return Err(format!("`{text}` is too large a size: at most {MOST} is understood"));
        }
        Ok(Self { name: name.to_owned(), value })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

/// The warnings on sizes of what is none of the parameters.
pub fn unknown_sizes(sizes: &[Size], params: &BTreeSet<String>) -> Vec<Diagnostic> {
    let known: Vec<&str> = params.iter().map(String::as_str).collect();
    let unknown = sizes.iter().filter(|size| !params.contains(&size.name));
    let warn = |size: &Size| {
        let message = format!("`{}` is no parameter of any region", size.name);
        let warning = Diagnostic::new(DiagnosticId::UnusedSize, message);
        match (nearest(&size.name, &known), known.as_slice()) {
            (Some(near), _) => warning.help(format!("did you mean `{near}`?")),
            (None, []) => warning.note("all sizes are numbers"),
            (None, known) => warning.note(format!("the parameters are {}", known.join(", "))),
        }
    };
    unknown.map(warn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_printed() {
        let size: Size = " n = 2000 ".parse().expect("a size");
        assert_eq!(size.to_string(), "n=2000");
        for wrong in ["", "n", "n=", "=3", "n=x", "n=2.5", "n m=2", "n=1000000001", "n=-1e9"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_that_nothing_has_are_told_of() {
        let sizes: Vec<Size> =
            ["rows=3", "row=3", "z=1"].map(|s| s.parse().expect("a size")).into();
        let params = BTreeSet::from(["rows".to_owned(), "cols".to_owned()]);
        let [near, far] = &unknown_sizes(&sizes, &params)[..] else { panic!("two names") };
        assert_eq!(near.help.as_deref(), Some("did you mean `rows`?"));
        assert_eq!(far.notes, ["the parameters are cols, rows"]);
    }
}
