//! What the tests of the front end share: a preprocessor for files without macros, and a text form of scops.

use farkas_base::{Diagnostic, SourceFile, render};
use farkas_front_c::{Options, parse};
use farkas_scop::{AccessKind, BodyStmt, Expr, Scop, Statement};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Parses `text` as if a preprocessor had found nothing to do.
pub(crate) fn front_end(
    name: &str,
    text: &str,
    options: &Options,
) -> (Vec<farkas_scop::Region>, Vec<Diagnostic>) {
    let source = Arc::new(SourceFile::new(name, text));
    let preprocessed = format!("# 1 \"{name}\"\n{}", without_comments(text));
    parse(source, &preprocessed, options)
}

/// The text with blanks in the place of `/* … */`, its lines kept.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        let (inside, after) = comment.split_once("*/").unwrap_or((comment, ""));
        out.push_str(before);
        out.extend(inside.chars().filter(|c| *c == '\n'));
        rest = after;
    }
    out + rest
}

/// The files of a folder of cases, by name.
pub(crate) fn cases(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder of cases");
    let mut paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "c"));
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("a readable case"))
    };
    paths.iter().map(read).collect()
}

/// What the header of a case asks for: lines `context: TEXT`, `pure: NAME`, `auto: yes` and `no-strict-aliasing: yes` of its comment.
pub(crate) fn options(text: &str) -> Options {
    let mut options = Options::default();
    let header = text.split("*/").next().unwrap_or("");
    for line in header.lines().map(|l| l.trim().trim_start_matches("/*").trim()) {
        match line.split_once(": ") {
            Some(("context", text)) => options.context = Some(text.trim().to_owned()),
            Some(("pure", name)) => options.pure_functions.push(name.trim().to_owned()),
            Some(("auto", _)) => options.auto = true,
            Some(("no-strict-aliasing", _)) => options.no_strict_aliasing = true,
            _ => {}
        }
    }
    options
}

/// All diagnostics as a terminal shows them.
pub(crate) fn messages(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|d| render(d, false)).collect::<Vec<_>>().join("\n")
}

/// A scop in lines that a person can read.
pub(crate) fn describe(region: &farkas_scop::Region) -> String {
    let scop = &region.scop;
    let mut text = String::new();
    let _ = writeln!(text, "{}: context {}", scop.name(), scop.context());
    for assumption in scop.assumptions() {
        let _ = writeln!(text, "assuming {assumption}");
    }
    for array in scop.arrays() {
        let extents = array
            .extents
            .iter()
            .map(|e| e.as_ref().map_or("[?]".to_owned(), |e| format!("[{}]", plain(e))));
        let live = match (array.is_live_in, array.is_live_out) {
            (true, true) => "live in and out",
            (true, false) => "live in",
            (false, true) => "live out",
            (false, false) => "private",
        };
        let extents: String = extents.collect();
        let _ = write!(
            text,
            "{:?} {} {}{extents}, {live}",
            array.scope, array.element.text, array.name
        );
        let _ = match &array.declaration {
            Some(declaration) => writeln!(text, ", declared as {declaration}"),
            None => writeln!(text),
        };
    }
    for iterator in &region.host.outer_iterators {
        let value = iterator.final_value.as_ref().map(|v| {
            let names: Vec<String> = scop.params().iter().map(|p| p.name.clone()).collect();
            expression(scop, None, &names, v)
        });
        let _ = writeln!(
            text,
            "iterator {} {}, elsewhere {}, final value {}",
            iterator.ty,
            iterator.name,
            iterator.is_used_elsewhere,
            value.as_deref().unwrap_or("not needed")
        );
    }
    for guard in &region.host.macro_guards {
        let tested = guard.testable.map_or("not testable".to_owned(), |v| v.to_string());
        let _ = writeln!(text, "macro {} stands for {}, {tested}", guard.name, guard.value);
    }
    for stmt in scop.stmts() {
        statement(scop, stmt, &mut text);
    }
    text
}

/// A function of the parameters without its braces.
fn plain(function: &impl ToString) -> String {
    let text = function.to_string();
    let inner = text.split_once("{ [").and_then(|(_, t)| t.rsplit_once("] }")).map(|(t, _)| t);
    let inner = inner.unwrap_or(&text);
    inner.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(inner).to_owned()
}

fn statement(scop: &Scop, stmt: &Statement, text: &mut String) {
    let _ = writeln!(text, "\n{}", strip(&stmt.domain));
    let _ = writeln!(text, "  at {}", strip(&stmt.date));
    for iterator in &stmt.iterators {
        let _ = writeln!(text, "  {} {} is {}", iterator.ty, iterator.name, strip(&iterator.value));
    }
    for access in &stmt.accesses {
        let word = match access.kind {
            AccessKind::Read => "reads",
            AccessKind::MustWrite => "writes",
            AccessKind::MayWrite => "may write",
            AccessKind::Kill => "kills",
        };
        let _ = writeln!(text, "  {word} {}", strip(&access.relation));
    }
    if let Some(label) = &stmt.label {
        let _ = writeln!(text, "  {label}:");
    }
    body(scop, stmt, &stmt.body, 1, text);
}

/// The printed form without the parameters and the outer braces.
fn strip(object: &impl ToString) -> String {
    let text = object.to_string();
    let text = text
        .split_once("-> {")
        .filter(|(head, _)| head.starts_with('['))
        .map_or(text.as_str(), |(_, t)| t);
    text.trim_start_matches('{').trim_end_matches('}').trim().to_owned()
}

fn body(scop: &Scop, stmt: &Statement, stmts: &[BodyStmt], depth: usize, text: &mut String) {
    let params: Vec<String> = scop.params().iter().map(|p| p.name.clone()).collect();
    let show = |e: &Expr| expression(scop, Some(stmt), &params, e);
    let indent = "  ".repeat(depth);
    for s in stmts {
        let _ = match s {
            BodyStmt::Assign { target, op, value, .. } => {
                writeln!(
                    text,
                    "{indent}{} {} {};",
                    show(&Expr::Access(*target)),
                    op.symbol(),
                    show(value)
                )
            }
            BodyStmt::Local { name, ty, value } => match value {
                Some(value) => writeln!(text, "{indent}{} {name} = {};", ty.text, show(value)),
                None => writeln!(text, "{indent}{} {name};", ty.text),
            },
            BodyStmt::AssignLocal { name, op, value } => {
                writeln!(text, "{indent}{name} {} {};", op.symbol(), show(value))
            }
            BodyStmt::If { condition, then, otherwise } => {
                let _ = writeln!(text, "{indent}if ({}) {{", show(condition));
                body(scop, stmt, then, depth + 1, text);
                if !otherwise.is_empty() {
                    let _ = writeln!(text, "{indent}}} else {{");
                    body(scop, stmt, otherwise, depth + 1, text);
                }
                writeln!(text, "{indent}}}")
            }
            BodyStmt::Block(inner) => {
                let _ = writeln!(text, "{indent}{{");
                body(scop, stmt, inner, depth + 1, text);
                writeln!(text, "{indent}}}")
            }
            BodyStmt::Loop(inner) => {
                let condition = inner.condition.as_ref().map(show).unwrap_or_default();
                let _ = writeln!(text, "{indent}loop {{");
                body(scop, stmt, &inner.first, depth + 1, text);
                let asked = if inner.asks_last { "do, then while" } else { "while" };
                let _ = writeln!(text, "{indent}}} {asked} ({condition}) {{");
                body(scop, stmt, &inner.body, depth + 1, text);
                let _ = writeln!(text, "{indent}}} step {{");
                body(scop, stmt, &inner.step, depth + 1, text);
                writeln!(text, "{indent}}}")
            }
            BodyStmt::Break => writeln!(text, "{indent}break;"),
            BodyStmt::Continue => writeln!(text, "{indent}continue;"),
            BodyStmt::Text(_) => writeln!(text, "{indent}text"),
        };
    }
}

/// C text, with more parentheses than needed.
fn expression(scop: &Scop, stmt: Option<&Statement>, params: &[String], expr: &Expr) -> String {
    let show = |e: &Expr| expression(scop, stmt, params, e);
    match expr {
        Expr::Int { text, .. } | Expr::Float(text) | Expr::Local(text) | Expr::Verbatim(text) => {
            text.clone()
        }
        Expr::Iterator(i) => stmt.map_or("?".to_owned(), |s| s.iterators[*i as usize].name.clone()),
        Expr::Param(p) => params[farkas_base::Id::index(*p)].clone(),
        Expr::Access(a) => {
            let Some(access) = stmt.map(|s| &s.accesses[*a]) else { return "?".to_owned() };
            let subscripts: String =
                access.subscripts.iter().map(|s| format!("[{}]", show(s))).collect();
            format!("{}{subscripts}", scop.arrays()[access.array].source_name)
        }
        Expr::Unary(op, a) => format!("{}({})", op.symbol(), show(a)),
        Expr::Binary(op, a, b) => format!("({} {} {})", show(a), op.symbol(), show(b)),
        Expr::Ternary(a, b, c) => format!("({} ? {} : {})", show(a), show(b), show(c)),
        Expr::Cast(ty, a) => format!("({})({})", ty.text, show(a)),
        Expr::Call(name, arguments) => {
            format!("{name}({})", arguments.iter().map(show).collect::<Vec<_>>().join(", "))
        }
    }
}
