//! Affine functions of the parameters that users write.

use crate::{NotApplicable, Result};
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

/// The numbers that are less than `text`, and the others.
pub(crate) fn halves(scop: &Scop, text: &str) -> Result<(Set, Set)> {
    let (params, value) = (params(scop), plain(text)?);
    let parse = |relation: &str| -> Result<Set> {
        let set = format!("[{params}] -> {{ [farkas_x] : farkas_x {relation} ({value}) }}").parse();
        Ok(set.map_err(|_| NotApplicable::NotAffine(text.to_owned()))?)
    };
    Ok((parse("<")?, parse(">=")?))
}

/// `text` as a function of the instances of a statement.
pub(crate) fn constant(scop: &Scop, stmt: &str, text: &str) -> Result<UnionPwAff> {
    let (params, value) = (params(scop), plain(text)?);
    let not_affine = || NotApplicable::NotAffine(text.to_owned());
    let id = scop.stmt_by_name(stmt).ok_or_else(|| NotApplicable::NoStatement(stmt.to_owned()))?;
    let depth = scop.stmts().get(id).map_or(0, |stmt| stmt.depth());
    let dims: Vec<String> = (0..depth).map(|i| format!("farkas_{i}")).collect();
    let text = format!("[{params}] -> {{ {stmt}[{}] -> [({value})] }}", dims.join(", "));
    Ok(text.parse().map_err(|_| not_affine())?)
}
