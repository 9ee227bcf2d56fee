//! Elements that stay in variables while the rows of a strip run.
//!
//! A compiler loads an element again after each store to another array, unless it can tell that they do not overlap. Where rows
//! are written out in a vector lane, what does not move with the rows is loaded once before them and stored once after them.

use crate::body::{BodyPrinter, bare};
use farkas_astgen::{Expr as Affine, For};
use farkas_scop::{AccessKind, ArrayId, ArrayScope, BodyStmt, Expr};
use std::collections::BTreeMap;

/// An element with the variable that it is kept in.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// The element as it is printed.
    pub(crate) element: String,
    pub(crate) variable: String,
    /// The type of both.
    pub(crate) ty: String,
    pub(crate) is_read: bool,
    pub(crate) is_written: bool,
}

/// An element that the rows use.
struct Element {
    subscripts: Vec<Affine>,
    kept: Kept,
}

/// The elements of arrays; `None` for arrays with elements that move from row to row, or of which that is not known.
type Elements = BTreeMap<ArrayId, Option<Vec<Element>>>;

/// The elements to keep while a loop over rows runs, whose statements are printed by `printers`. There are none where all that is
/// stored could be kept: nothing else can hide it from compilers.
pub(crate) fn kept(rows: &For, printers: &[BodyPrinter<'_>]) -> Vec<Kept> {
    let Some((elements, moves)) = elements(rows, printers) else { return Vec::new() };
    let arrays = elements.into_values().flatten().filter(|all| are_distinct(all));
    let mut kept: Vec<Kept> = arrays.flatten().map(|element| element.kept).collect();
    if !moves {
        kept.clear();
    }
    for (at, element) in kept.iter_mut().enumerate() {
        element.variable = format!("{}_{at}", element.variable);
    }
    kept
}

/// The elements that the rows use, and whether some that move with the rows are written; `None` where statements do more than
/// compute and assign.
fn elements(rows: &For, printers: &[BodyPrinter<'_>]) -> Option<(Elements, bool)> {
    let (mut elements, mut moves) = (Elements::new(), false);
    for printer in printers {
        let [BodyStmt::Assign { value, .. }] = printer.stmt.body.as_slice() else { return None };
        let mut computes = true;
        value.walk(&mut |e| computes &= !matches!(e, Expr::Call(..) | Expr::Verbatim(_)));
        for (id, access) in printer.stmt.accesses.iter_enumerated() {
            let array = &printer.scop.arrays()[access.array];
            let is_known = matches!(access.kind, AccessKind::Read | AccessKind::MustWrite);
            if !computes || !is_known || array.scope == ArrayScope::Buffer {
                return None;
            }
            if access.subscripts.is_empty() {
                continue;
            }
            let is_written = access.kind.is_write();
            let all = elements.entry(access.array).or_insert_with(|| Some(Vec::new()));
            let subscripts = printer.subscripts(id);
            let stays = |e: &Affine| !e.mentions(&rows.iterator);
            let Some(subscripts) = subscripts.filter(|s| s.iter().all(stays)) else {
                moves |= is_written;
                *all = None;
                continue;
            };
            let Some(all) = all else { continue };
            let text = printer.element(id);
            let at = all.iter().position(|e| e.kept.element == text).unwrap_or_else(|| {
                let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
                let name: String = array.printed_name().chars().map(letter).collect();
                let kept = Kept {
                    element: text,
                    variable: printer.c.name(&format!("farkas_{name}")),
                    ty: bare(&array.element.text),
                    is_read: false,
                    is_written: false,
                };
                all.push(Element { subscripts, kept });
                all.len() - 1
            });
            all[at].kept.is_read |= !is_written;
            all[at].kept.is_written |= is_written;
        }
    }
    Some((elements, moves))
}

/// Whether elements of one array are plainly different ones, as far as it matters.
fn are_distinct(all: &[Element]) -> bool {
    let differ = |a: &Affine, b: &Affine| a.minus(b).as_int().is_some_and(|n| n != 0);
    let pair = |a: &Element, b: &Element| {
        a.subscripts.iter().zip(&b.subscripts).any(|(a, b)| differ(a, b))
    };
    let mut pairs =
        all.iter().enumerate().flat_map(|(at, a)| all[..at].iter().map(move |b| (a, b)));
    all.iter().all(|e| !e.kept.is_written) || pairs.all(|(a, b)| pair(a, b))
}
