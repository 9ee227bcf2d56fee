//! Normal forms in words and in JSON, as `farkas show` prints them.

use farkas_normalize::{Nest, NormalForm};
use serde::Serialize;
use std::fmt::Write;

/// A loop nest in its normal form.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NestDoc {
    /// The hash of the text.
    pub hash: String,
    /// The text.
    pub text: String,
    /// The statements in it.
    pub statements: Vec<String>,
}

/// The normal form of a region.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NormalFormDoc {
    /// The hash of all of it.
    pub hash: String,
    /// Its nests, in the order in which they run.
    pub nests: Vec<NestDoc>,
}

/// For programs.
pub(super) fn doc(form: &NormalForm) -> NormalFormDoc {
    let nest = |nest: &Nest| NestDoc {
        hash: nest.hash.clone(),
        text: nest.text.clone(),
        statements: nest.stmts.clone(),
    };
    NormalFormDoc { hash: form.whole.hash.clone(), nests: form.nests.iter().map(nest).collect() }
}

/// For people: each nest under its hash, and that of all of them.
pub(super) fn text(form: &NormalForm) -> String {
    let mut text = String::new();
    for nest in &form.nests {
        let _ = writeln!(text, "nest {} of {}", nest.hash, nest.stmts.join(", "));
        for line in nest.text.lines() {
            let _ = writeln!(text, "  {line}");
        }
    }
    let _ = writeln!(text, "all {}", form.whole.hash);
    text
}
