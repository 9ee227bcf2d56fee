//! Text to document.

use super::parse_extension::{extension, extensions};
use super::words::{Read, Word, Words};
use super::{
    BasicRelation, Document, OpenScop, OpenStatement, Relation, RelationKind, Row, RowKind,
};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use std::sync::Arc;

/// The tags of a scop.
const OPEN: &str = "<OpenScop>";
const CLOSE: &str = "</OpenScop>";

/// More columns than any tool makes. Without rows, a few bytes could ask for any number of dimensions.
const MAX_COLUMNS: usize = 1000;

/// A document and where its scops stand.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parsed {
    /// The document.
    pub document: Document,
    /// For each scop, its bytes in the file, tags included.
    pub spans: Vec<Span>,
    /// For each scop, the place of each of its statements: that of its body where it has one.
    pub statement_spans: Vec<Vec<Span>>,
}

/// Reads a whole file.
///
/// What stands before, between and behind scops is skipped, as osl does.
///
/// # Errors
/// The diagnostic of the first thing that is wrong; of a file without a scop, too.
pub fn parse(source: &Arc<SourceFile>) -> Result<Parsed, Box<Diagnostic>> {
    let mut parsed =
        Parsed { document: Document::default(), spans: Vec::new(), statement_spans: Vec::new() };
    let mut at = 0;
    while let Some(open) = find(source, OPEN, at) {
        let start = open + OPEN.len();
        let mut words = Words::new(source, start..source.text().len());
        let end = find(source, CLOSE, start).ok_or_else(|| {
            let message = format!("`{OPEN}` is not closed");
            words.wrong(
                message,
                Span::new(open..start),
                "opened here",
                "add `</OpenScop>` at the end of the scop",
            )
        })?;
        words = Words::new(source, start..end);
        let (scop, statements) = scop(&mut words)?;
        at = end + CLOSE.len();
        parsed.document.scops.push(scop);
        parsed.spans.push(Span::new(open..at));
        parsed.statement_spans.push(statements);
    }
    if parsed.spans.is_empty() {
        let message = format!("`{}` holds no `{OPEN}`", source.name());
        return Err(Box::new(Diagnostic::new(DiagnosticId::BadOpenscop, message).help(
            "clan writes such files: `clan kernel.c`; so does `farkas opt kernel.c --to openscop`",
        )));
    }
    Ok(parsed)
}

/// Where `tag` stands from `at` on, comments apart.
fn find(source: &SourceFile, tag: &str, at: usize) -> Option<usize> {
    let text = source.text();
    text.get(at..)?.match_indices(tag).map(|(found, _)| at + found).find(|&found| {
        let line = text.get(..found).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1);
        !text.get(line..found).is_some_and(|before| before.contains('#'))
    })
}

/// One scop, from behind its tag on.
fn scop(words: &mut Words<'_>) -> Read<(OpenScop, Vec<Span>)> {
    let language = words.word("the language")?.text.to_owned();
    words.end_of_line("the language")?;
    let context = relation(words)?;
    let has_parameters = words.count("the number of parameter lists")? > 0;
    words.end_of_line("the number of parameter lists")?;
    let parameters = if has_parameters { Some(extension(words)?) } else { None };
    let n_statements = words.count("the number of statements")?;
    words.end_of_line("the number of statements")?;
    let (mut statements, mut spans) = (Vec::new(), Vec::new());
    for _ in 0..n_statements {
        words.skip();
        let start = words.position();
        statements.push(statement(words)?);
        let span = Span::new(start..words.position());
        spans.push(statements.last().map_or(span, |last| body_place(words, last, span)));
    }
    let extensions = extensions(words)?;
    Ok((OpenScop { language, context, parameters, statements, extensions }, spans))
}

/// Where the body of a statement stands; the place of the whole statement when it has none.
fn body_place(words: &Words<'_>, statement: &OpenStatement, whole: Span) -> Span {
    let text = statement.body().map(|body| body.text.as_str()).unwrap_or_default();
    let place = words.slice(whole).rfind(text).filter(|_| !text.is_empty());
    let start = whole.range().start;
    place.map_or(whole, |at| Span::new(start + at..start + at + text.len()))
}

/// One statement.
fn statement(words: &mut Words<'_>) -> Read<OpenStatement> {
    let mut statement = OpenStatement::default();
    let n_relations = words.count("the number of relations")?;
    words.end_of_line("the number of relations")?;
    for _ in 0..n_relations {
        words.skip();
        let start = words.position();
        let relation = relation(words)?;
        let place = Span::new(start..start + relation.kind.name().len());
        match relation.kind {
            RelationKind::Domain if statement.domain.is_none() => statement.domain = Some(relation),
            RelationKind::Scattering if statement.scattering.is_none() => {
                statement.scattering = Some(relation);
            }
            kind if kind.is_access() => statement.accesses.push(relation),
            kind => {
                let message = format!("a statement has no {} relation here", kind.name());
                let label = "one DOMAIN, one SCATTERING and accesses describe a statement";
                return words.error(message, place, label.to_owned());
            }
        }
    }
    let n_extensions = words.count("the number of statement extensions")?;
    words.end_of_line("the number of statement extensions")?;
    for _ in 0..n_extensions {
        statement.extensions.push(extension(words)?);
    }
    Ok(statement)
}

/// A relation with its kind.
fn relation(words: &mut Words<'_>) -> Read<Relation> {
    let word = words.word("a relation")?;
    let Some(kind) = RelationKind::from_name(word.text) else {
        let names: Vec<&str> = RelationKind::ALL.iter().map(|k| k.name()).collect();
        let label = format!("one of {} is expected here", names.join(", "));
        return words.error(format!("`{}` is no kind of relation", word.text), word.span, label);
    };
    words.end_of_line("the kind of the relation")?;
    let mut header = words.words();
    let mut n_parts = 1;
    if let [count] = header.as_slice() {
        n_parts = words.as_count(*count, "the number of parts of the union")?;
        if n_parts == 0 {
            let label = "at least 1 is expected here";
            return words.error("a union has no parts".into(), count.span, label.to_owned());
        }
        header = words.words();
    }
    let mut parts: Vec<BasicRelation> = Vec::new();
    for index in 0..n_parts {
        if index > 0 {
            header = words.words();
        }
        let part = basic_relation(words, &header, word)?;
        if let Some(first) = parts.first()
            && first.shape() != part.shape()
            && let (Some(from), Some(to)) = (header.first(), header.last())
        {
            let message = "the parts of a union have different dimensions".to_owned();
            let label = "the first part has others".to_owned();
            return words.error(message, from.span.cover(to.span), label);
        }
        parts.push(part);
    }
    Ok(Relation { kind, parts })
}

/// A basic relation: its six numbers, which are read already, then its rows.
fn basic_relation(
    words: &mut Words<'_>,
    header: &[Word<'_>],
    relation: Word<'_>,
) -> Read<BasicRelation> {
    let place = match (header.first(), header.last()) {
        (Some(first), Some(last)) => first.span.cover(last.span),
        _ => relation.span,
    };
    let &[rows, columns, output, input, local, params] = header else {
        let message = format!("{} numbers describe the {} relation", header.len(), relation.text);
        let label = "rows, columns, output, input and local dimensions, parameters: 6 are expected";
        return words.error(message, place, label.to_owned());
    };
    let n_rows = words.as_count(rows, "the number of rows")?;
    let n_columns = words.as_count(columns, "the number of columns")?;
    let mut part = BasicRelation {
        n_output: words.as_count(output, "the number of output dimensions")?,
        n_input: words.as_count(input, "the number of input dimensions")?,
        n_local: words.as_count(local, "the number of local dimensions")?,
        n_params: words.as_count(params, "the number of parameters")?,
        rows: Vec::new(),
    };
    let dims = [part.n_output, part.n_input, part.n_local, part.n_params];
    let sum = dims.iter().try_fold(2_usize, |sum, n| sum.checked_add(*n));
    if sum != Some(n_columns) {
        let message = format!("{n_columns} columns do not fit the dimensions");
        let label = "a column for =/>=, one a dimension and parameter, one for the constant";
        return words.error(message, place, label.to_owned());
    }
    if n_columns > MAX_COLUMNS {
        let message = format!("a relation has {n_columns} columns");
        return words.error(message, place, format!("at most {MAX_COLUMNS} are read"));
    }
    for _ in 0..n_rows {
        part.rows.push(row(words, n_columns)?);
    }
    Ok(part)
}

/// One row of a relation.
fn row(words: &mut Words<'_>, n_columns: usize) -> Read<Row> {
    let numbers = words.words();
    let (Some((first, rest)), Some(last)) = (numbers.split_first(), numbers.last()) else {
        return Err(words.ends("a row of the relation"));
    };
    if numbers.len() != n_columns {
        let message = format!("a row has {} numbers instead of {n_columns}", numbers.len());
        return words.error(message, first.span.cover(last.span), "this row".to_owned());
    }
    let kind = match words.as_number(*first, "0 or 1")? {
        0 => RowKind::Equality,
        1 => RowKind::Inequality,
        _ => {
            let message = format!("a row begins with {}", first.text);
            let label = "0 for an equality or 1 for an inequality is expected here";
            return words.error(message, first.span, label.to_owned());
        }
    };
    let coefficients =
        rest.iter().map(|w| words.as_number(*w, "a coefficient")).collect::<Read<Vec<i64>>>()?;
    Ok(Row { kind, coefficients })
}
