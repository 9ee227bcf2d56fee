//! Document to text, as osl prints it: each relation with a head of column names and each row with its constraint.

use super::print_extension::write_extension;
use super::{
    BasicRelation, Document, OpenScop, OpenStatement, Relation, RelationKind, Row, RowKind,
};
use std::fmt::{self, Display, Formatter};

impl Display for Document {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.scops.iter().try_for_each(|scop| scop.fmt(f))
    }
}

impl Display for OpenScop {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "<OpenScop>\n\n{}\n# Language\n{}\n", heading("Global"), self.language)?;
        let names = Names { scop: self, statement: None };
        writeln!(f, "# Context")?;
        write_relation(&self.context, &names, f)?;
        match &self.parameters {
            Some(parameters) => {
                writeln!(f, "\n# Parameters are provided\n1")?;
                write_extension(parameters, f)?;
            }
            None => writeln!(f, "\n# Parameters are not provided\n0")?,
        }
        writeln!(f, "\n# Number of statements\n{}\n", self.statements.len())?;
        for (at, statement) in self.statements.iter().enumerate() {
            write_statement(statement, at + 1, self, f)?;
        }
        if !self.extensions.is_empty() {
            writeln!(f, "{}", heading("Extensions"))?;
        }
        for extension in &self.extensions {
            write_extension(extension, f)?;
            writeln!(f)?;
        }
        writeln!(f, "</OpenScop>\n")
    }
}

/// A line that separates the parts of a file.
fn heading(title: &str) -> String {
    format!("# =============================================== {title}")
}

/// A statement, counted from 1.
fn write_statement(
    statement: &OpenStatement,
    number: usize,
    scop: &OpenScop,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    let names = Names { scop, statement: Some(statement) };
    let parts =
        [("Domain", statement.domain.as_slice()), ("Scattering", statement.scattering.as_slice())];
    let n_described: usize = parts.iter().map(|(_, part)| part.len()).sum();
    writeln!(f, "{}", heading(&format!("Statement {number}")))?;
    writeln!(f, "# Number of relations describing the statement:")?;
    writeln!(f, "{}\n", n_described + statement.accesses.len())?;
    let parts = parts.into_iter().chain([("Access", statement.accesses.as_slice())]);
    for (at, (title, relations)) in parts.enumerate() {
        writeln!(
            f,
            "# ---------------------------------------------- {number:2}.{} {title}",
            at + 1
        )?;
        for relation in relations {
            write_relation(relation, &names, f)?;
            writeln!(f)?;
        }
    }
    writeln!(
        f,
        "# ---------------------------------------------- {number:2}.4 Statement Extensions"
    )?;
    writeln!(f, "# Number of Statement Extensions\n{}", statement.extensions.len())?;
    for extension in &statement.extensions {
        write_extension(extension, f)?;
        writeln!(f)?;
    }
    Ok(())
}

/// A relation.
fn write_relation(relation: &Relation, names: &Names<'_>, f: &mut Formatter<'_>) -> fmt::Result {
    writeln!(f, "{}", relation.kind.name())?;
    let n = relation.parts.len();
    if n > 1 {
        writeln!(f, "# Union with {n} parts\n{n}")?;
    }
    for (at, part) in relation.parts.iter().enumerate() {
        if n > 1 {
            writeln!(f, "# Union part No.{}", at + 1)?;
        }
        write_part(part, &names.columns(relation.kind, part), f)?;
    }
    Ok(())
}

/// A basic relation whose columns are called `columns`.
fn write_part(part: &BasicRelation, columns: &[String], f: &mut Formatter<'_>) -> fmt::Result {
    let BasicRelation { n_output, n_input, n_local, n_params, rows } = part;
    let n_columns = part.n_coefficients() + 1;
    writeln!(f, "{} {n_columns} {n_output} {n_input} {n_local} {n_params}", rows.len())?;
    if !rows.is_empty() {
        write!(f, "# e/i")?;
        columns.iter().try_for_each(|name| write!(f, " {name:>4}"))?;
        writeln!(f, "    1")?;
    }
    for row in rows {
        let kind = i32::from(row.kind == RowKind::Inequality);
        write!(f, "{kind:>5}")?;
        for (at, coefficient) in row.coefficients.iter().enumerate() {
            let width = columns.get(at).map_or(4, |name| name.chars().count().max(4));
            write!(f, " {coefficient:>width$}")?;
        }
        writeln!(f, "    ## {}", constraint(row, columns))?;
    }
    Ok(())
}

/// A row as a formula: `-i+N-1 >= 0`. Very long ones are cut, since osl reads no line above 2048 bytes.
fn constraint(row: &Row, columns: &[String]) -> String {
    const MAX_BYTES: usize = 400;
    let mut text = String::new();
    for (at, &coefficient) in row.coefficients.iter().enumerate() {
        if coefficient == 0 {
            continue;
        }
        if text.len() > MAX_BYTES {
            return text + "+...";
        }
        let sign = if coefficient > 0 && !text.is_empty() { "+" } else { "" };
        text += &match (columns.get(at), coefficient) {
            (Some(name), 1) => format!("{sign}{name}"),
            (Some(name), -1) => format!("-{name}"),
            (Some(name), _) => format!("{sign}{coefficient}*{name}"),
            (None, _) => format!("{sign}{coefficient}"),
        };
    }
    let relation = if row.kind == RowKind::Equality { "==" } else { ">=" };
    format!("{} {relation} 0", if text.is_empty() { "0" } else { &text })
}

/// Where the names of columns come from.
struct Names<'a> {
    scop: &'a OpenScop,
    statement: Option<&'a OpenStatement>,
}

impl Names<'_> {
    /// The names of all columns but the constant.
    fn columns(&self, kind: RelationKind, part: &BasicRelation) -> Vec<String> {
        let iterators =
            self.statement.and_then(OpenStatement::body).map(|b| b.iterators.as_slice());
        let iterator = |at: usize| named(iterators.unwrap_or_default(), at, "i");
        let output = |at: usize| match (kind, at) {
            (RelationKind::Domain, _) => iterator(at),
            (kind, 0) if kind.is_access() => "Arr".to_owned(),
            (kind, _) if kind.is_access() => format!("[{at}]"),
            _ => format!("c{}", at + 1),
        };
        let local = |at: usize| format!("l{}", at + 1);
        let parameter = |at: usize| named(self.scop.parameter_names(), at, "P");
        let outputs = (0..part.n_output).map(output);
        let rest = (0..part.n_input).map(iterator).chain((0..part.n_local).map(local));
        outputs.chain(rest).chain((0..part.n_params).map(parameter)).collect()
    }
}

/// The name at a position, else the prefix with its number from 1.
fn named(names: &[String], at: usize, prefix: &str) -> String {
    names.get(at).cloned().unwrap_or_else(|| format!("{prefix}{}", at + 1))
}
