//! Affine functions of the parameters, and of dates, that users write.

use crate::{Error, NotApplicable, Result};
use farkas_poly::{Set, UnionPwAff};
use farkas_scop::Scop;

/// The names of a scop's parameters, between commas.
fn params(scop: &Scop) -> String {
    let names: Vec<&str> = scop.params().iter().map(|param| param.name.as_str()).collect();
    names.join(", ")
}

/// Refuses text that could be more than one expression.
fn plain(text: &str) -> Result<&str> {
    let is_plain = |c: char| c.is_alphanumeric() || "_ +-*/()".contains(c);
    match text.chars().all(is_plain) && text.chars().any(char::is_alphanumeric) {
        true => Ok(text),
        false => Err(NotApplicable::NotAffine(text.to_owned()).into()),
    }
}

/// The dates of a loop, each with those of the `n_around` loops around it, that are less than `text`, and the others. In `text`, `$1`
/// is the date of the outermost loop around.
pub(crate) fn halves(scop: &Scop, text: &str, n_around: usize) -> Result<(Set, Set)> {
    let params = params(scop);
    let not_affine = || NotApplicable::NotAffine(text.to_owned());
    let value = with_dates(text, n_around).ok_or_else(not_affine)?;
    let value = plain(&value).map_err(|_| not_affine())?;
    let around: String = (1..=n_around).map(|at| format!(", {AROUND}{at}")).collect();
    let parse = |relation: &str| -> Result<Set> {
        let condition = format!("farkas_x {relation} ({value})");
        let set = format!("[{params}] -> {{ [farkas_x{around}] : {condition} }}").parse();
        set.map_err(|error| unread(error, text))
    };
    Ok((parse("<")?, parse(">=")?))
}

/// What the date of a loop around another one is called, before its number.
const AROUND: &str = "farkas_";

/// A text with names for the dates that it has as `$1`; `None` where there are fewer of them.
fn with_dates(text: &str, n_around: usize) -> Option<String> {
    let mut parts = text.split('$');
    let mut value = parts.next()?.to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let at: usize = part[..end].parse().ok()?;
        if at == 0 || at > n_around {
            return None;
        }
        value.push_str(&format!("{AROUND}{part}"));
    }
    Some(value)
}

/// `text` as a function of the instances of a statement.
pub(crate) fn constant(scop: &Scop, stmt: &str, text: &str) -> Result<UnionPwAff> {
    let (params, value) = (params(scop), plain(text)?);
    let id = scop.stmt_by_name(stmt).ok_or_else(|| NotApplicable::NoStatement(stmt.to_owned()))?;
    let depth = scop.stmts().get(id).map_or(0, |stmt| stmt.depth());
    let dims: Vec<String> = (0..depth).map(|i| format!("farkas_{i}")).collect();
    let function = format!("[{params}] -> {{ {stmt}[{}] -> [({value})] }}", dims.join(", "));
    function.parse().map_err(|error| unread(error, text))
}

/// Why isl could not read what was made of a text: it is no affine function, unless there was no work left to read it.
fn unread(error: farkas_poly::Error, text: &str) -> Error {
    match error {
        farkas_poly::Error::OutOfBudget => error.into(),
        _ => NotApplicable::NotAffine(text.to_owned()).into(),
    }
}
