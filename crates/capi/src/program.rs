//! The scop as a library sees it.

use crate::abi;
use crate::arena::Arena;
use farkas_base::{Id, SourceFile, Span};
use farkas_scop::{Access, AccessKind, Scop, Statement, linear_subscripts};

/// A scop in the library's form.
pub(crate) struct Program {
    raw: *const abi::Scop,
    _arena: Arena,
}

impl Program {
    /// The form of `scop`; lines are those of `source`, where it is given.
    ///
    /// # Errors
    /// When isl refuses to tell of an access.
    pub(crate) fn new(scop: &Scop, source: Option<&SourceFile>) -> farkas_poly::Result<Self> {
        let mut arena = Arena::default();
        let arrays: Vec<abi::Array> = scop
            .arrays()
            .iter()
            .map(|array| abi::Array {
                name: arena.text(&array.name),
                rank: array.rank(),
                element_bytes: array.element.kind.size_bytes().unwrap_or(0),
            })
            .collect();
        let statements: Vec<abi::Statement> = scop
            .stmts()
            .iter()
            .map(|stmt| statement(&mut arena, stmt, source))
            .collect::<farkas_poly::Result<_>>()?;
        let form = abi::Scop {
            size: abi::size_of::<abi::Scop>(),
            abi_version: abi::VERSION,
            name: arena.text(scop.name()),
            n_params: scop.params().len(),
            params: arena.texts(scop.params().iter().map(|p| p.name.as_str())),
            n_arrays: arrays.len(),
            arrays: arena.list(arrays),
            n_statements: statements.len(),
            statements: arena.list(statements),
        };
        Ok(Self { raw: arena.item(form), _arena: arena })
    }

    /// Valid as long as the program lives.
    pub(crate) fn as_ptr(&self) -> *const abi::Scop {
        self.raw
    }
}

/// A statement in the library's form.
fn statement(
    arena: &mut Arena,
    stmt: &Statement,
    source: Option<&SourceFile>,
) -> farkas_poly::Result<abi::Statement> {
    let accesses: Vec<abi::Access> = stmt
        .accesses
        .iter()
        .map(|of| access(arena, of, source))
        .collect::<farkas_poly::Result<_>>()?;
    Ok(abi::Statement {
        name: arena.text(&stmt.name),
        label: stmt.label.as_ref().map_or(std::ptr::null(), |label| arena.text(label)),
        line: line(source, stmt.span),
        depth: stmt.depth(),
        iterators: arena.texts(stmt.iterators.iter().map(|i| i.name.as_str())),
        n_accesses: accesses.len(),
        accesses: arena.list(accesses),
    })
}

/// An access in the library's form.
fn access(
    arena: &mut Arena,
    access: &Access,
    source: Option<&SourceFile>,
) -> farkas_poly::Result<abi::Access> {
    let subscripts = linear_subscripts(&access.relation)?;
    let rows = subscripts.as_deref().unwrap_or_default();
    Ok(abi::Access {
        array: id(access.array),
        kind: match access.kind {
            AccessKind::Read => 0,
            AccessKind::MustWrite => 1,
            AccessKind::MayWrite => 2,
            AccessKind::Kill => 3,
        },
        line: line(source, access.span),
        is_affine: i32::from(subscripts.is_some()),
        rank: rows.len(),
        subscripts: arena.list(rows.concat()),
    })
}

/// The line of a span, where both are known; else 0.
fn line(source: Option<&SourceFile>, span: Option<Span>) -> u32 {
    source.zip(span).map_or(0, |(source, span)| source.line(span))
}

/// An id as a number of the library's.
pub(crate) fn id(id: impl Id) -> u32 {
    number(id.index())
}

/// A position as a number of the library's.
pub(crate) fn number(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
