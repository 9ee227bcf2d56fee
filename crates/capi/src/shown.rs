//! The state of the driver as a library sees it.

use crate::abi;
use crate::arena::Arena;
use crate::kinds::bits;
use crate::program::{Program, id, number};
use farkas_deps::Dependence;
use farkas_schedule::{ActiveDep, Fallback, RowReport, State, StmtRow};
use std::ptr::null;

/// A state in the library's form.
pub(crate) struct Shown {
    raw: *const abi::State,
    _arena: Arena,
}

impl Shown {
    /// The form of `state`, whose scop is `program`.
    pub(crate) fn new(state: &State<'_>, program: &Program) -> Self {
        let mut arena = Arena::default();
        let dependences: Vec<abi::Dependence> =
            state.deps.deps.iter().map(|dep| dependence(&mut arena, dep)).collect();
        let group: Vec<abi::Member> =
            (0..state.group.stmts.len()).map(|at| member(&mut arena, state, at)).collect();
        let active = state.group.deps.iter().zip(state.carried);
        let remaining: Vec<abi::Remaining> =
            active.map(|(dep, &is_carried)| remaining(&mut arena, dep, is_carried)).collect();
        let last = state.last.map(|row| last_row(&mut arena, row));
        let form = abi::State {
            size: abi::size_of::<abi::State>(),
            abi_version: abi::VERSION,
            scop: program.as_ptr(),
            n_dependences: dependences.len(),
            dependences: arena.list(dependences),
            dimension: state.dimension,
            n_members: state.n_members,
            attempt: state.attempt,
            was_recomputed: i32::from(state.was_recomputed),
            n_group: group.len(),
            group: arena.list(group),
            n_remaining: remaining.len(),
            remaining: arena.list(remaining),
            last: last.map_or(null(), |last| arena.item(last)),
        };
        Self { raw: arena.item(form), _arena: arena }
    }

    /// Valid as long as this and the program live.
    pub(crate) fn as_ptr(&self) -> *const abi::State {
        self.raw
    }
}

/// A dependence in the library's form.
fn dependence(arena: &mut Arena, dep: &Dependence) -> abi::Dependence {
    let distance = dep.distance.clone().unwrap_or_default();
    abi::Dependence {
        kind: i32::try_from(bits(&[dep.kind])).unwrap_or(0),
        source: id(dep.source),
        sink: id(dep.sink),
        source_access: id(dep.source_access),
        sink_access: id(dep.sink_access),
        is_loop_independent: i32::from(dep.is_loop_independent),
        n_loops: dep.carried.len(),
        loops: arena.list(dep.carried.clone()),
        n_distance: distance.len(),
        distance: arena.list(distance),
    }
}

/// The statement at a position of the group.
fn member(arena: &mut Arena, state: &State<'_>, at: usize) -> abi::Member {
    let rows = state.rows.get(at).map(Vec::as_slice).unwrap_or_default();
    let rows: Vec<abi::Row> = rows.iter().map(|of| row(arena, of)).collect();
    let n_missing = state.spans.get(at).map_or(0, |span| span.n_dims() - span.rank());
    abi::Member {
        statement: state.group.stmts.get(at).map_or(u32::MAX, |&stmt| id(stmt)),
        n_missing: number(n_missing),
        n_rows: rows.len(),
        rows: arena.list(rows),
    }
}

/// A row in the library's form.
fn row(arena: &mut Arena, row: &StmtRow) -> abi::Row {
    abi::Row {
        iterators: arena.list(row.iterators.clone()),
        params: arena.list(row.params.clone()),
        constant: row.constant,
    }
}

/// What is left of dependences in the library's form.
fn remaining(arena: &mut Arena, dep: &ActiveDep, is_carried: bool) -> abi::Remaining {
    abi::Remaining {
        source: id(dep.source),
        sink: id(dep.sink),
        kinds: bits(&dep.kinds),
        is_validity: i32::from(dep.is_validity()),
        is_coincidence: i32::from(dep.is_coincidence()),
        is_carried: i32::from(is_carried),
        n_dependences: dep.ids.len(),
        dependences: arena.list(dep.ids.iter().map(|&dep| id(dep)).collect()),
    }
}

/// The last row in the library's form.
fn last_row(arena: &mut Arena, last: &RowReport) -> abi::LastRow {
    let statements: Vec<abi::StatementRow> = last
        .stmts
        .iter()
        .zip(&last.rows)
        .map(|(&stmt, of)| abi::StatementRow { statement: id(stmt), row: row(arena, of) })
        .collect();
    let costs: Vec<abi::Cost> = last
        .cost
        .iter()
        .map(|(name, value)| abi::Cost { name: arena.text(name), value: *value })
        .collect();
    abi::LastRow {
        dimension: last.dimension,
        member: last.member,
        is_parallel: i32::from(last.coincident),
        carrier: last.carrier.map_or(-1, |dep| i64::from(id(dep))),
        fallback: last.fallback.map(Fallback::name).map_or(null(), |name| arena.text(name)),
        n_statements: statements.len(),
        statements: arena.list(statements),
        n_costs: costs.len(),
        costs: arena.list(costs),
        n_carried: last.carried.len(),
        carried: arena.list(last.carried.iter().map(|&dep| id(dep)).collect()),
    }
}
