//! The refinement rule: for each clause a program that breaks it and nothing before it, and programs that break none.

mod common;

use farkas_base::Id;
use farkas_deps::legality::{Clause, Fault, Verdict, check_program, check_storage};
use farkas_poly::{Set, UnionPwAff, UnionSet};
use farkas_scop::{
    AccessId, AccessKind, ArrayScope, AssignOp, BinaryOp, BodyStmt, ElementKind, Expr,
    Reassociation, Scop, ScopBuilder, UnaryOp,
};
use farkas_tree::{Band, Mark, Member, Program, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};

/// Rows that are summed up.
const SUMS: &str = "
    params n : n >= 1
    local none, C[9], D[9]
    S[i, j] : 0 <= i < n and 0 <= j < 8 @ i, j : w A[i], r A[i], r B[j]";

/// The same with copies: a sum in one cell, and what is added in eight.
const COPIED_SUMS: &str = "
    params n : n >= 1
    local none, C[9], D[9]
    buffer a[1], b[8]
    F[i, j] : 0 <= i < n and 0 <= j < 8 @ 0, 0 : w b[j], r B[j]
    L[i] : 0 <= i < n @ 0, 0 : w a[0], r A[i]
    S[i, j] : 0 <= i < n and 0 <= j < 8 @ i, j : w a[0], r a[0], r b[j]
    E[i] : 0 <= i < n @ 0, 0 : w A[i], r a[0]";

/// The order of [`COPIED_SUMS`] in each iteration of `i`.
const COPIED_ORDER: &str = "F L S E";

/// Rows that are summed up, in tiles of four with buffers of their own.
const ROWS: &str = "
    params n : n >= 1
    S[i, k] : 0 <= i < n and 0 <= k < 8 @ i, k : w A[i], r A[i], r B[k]";

/// The same with buffers; the number of a tile is in front.
const TILED_ROWS: &str = "
    params n : n >= 1
    buffer a[4], b[8]
    S[t, i, k] : 0 <= i < n and 4t <= i < 4t + 4 and 0 <= k < 8 @ i, k : w a[i - 4t], r a[i - 4t], r b[k]
    F[t, k] : 0 <= 4t < n and 0 <= k < 8 @ 0, 0 : w b[k], r B[k]
    L[t, i] : 0 <= i < n and 4t <= i < 4t + 4 @ 0, 0 : w a[i - 4t], r A[i]
    E[t, i] : 0 <= i < n and 4t <= i < 4t + 4 @ 0, 0 : w A[i], r a[i - 4t]";

/// A value that goes through a temporary.
const TEMPORARY: &str = "
    params n : n >= 1
    local t
    T[i] : 0 <= i < n @ i, 0 : w t[], r B[i], r D[i]
    U[i] : 0 <= i < n @ i, 1 : w C[i], r t[]";

/// The same with a place for each value.
const PLACES: &str = "
    params n : n >= 1
    local t
    buffer x[1]
    T[i] : 0 <= i < n @ i, 0 : w x[0], r B[i], r D[i]
    U[i] : 0 <= i < n @ i, 1 : w C[i], r x[0]";

/// A copy of an element.
const COPY: &str = "
    params n : n >= 1
    local t
    T[i] : 0 <= i < n @ i, 0 : w t[], r B[i]
    U[i] : 0 <= i < n @ i, 2 : w C[i], r t[], r D[i]";

/// The same without it.
const NO_COPY: &str = "
    params n : n >= 1
    local t
    U[i] : 0 <= i < n @ i, 2 : w C[i], r B[i], r D[i]";

/// A temporary made of another.
const TEMPORARIES: &str = "
    params n : n >= 1
    local s, t
    R[i] : 0 <= i < n @ i, 0 : w s[], r B[i]
    T[i] : 0 <= i < n @ i, 1 : w t[], r s[], r D[i]
    U[i] : 0 <= i < n @ i, 2 : w C[i], r t[]";

/// The same with one place for both.
const SHARED_PLACES: &str = "
    params n : n >= 1
    local s, t
    buffer x[1]
    R[i] : 0 <= i < n @ i, 0 : w x[0], r B[i]
    T[i] : 0 <= i < n @ i, 1 : w x[0], r x[0], r D[i]
    U[i] : 0 <= i < n @ i, 2 : w C[i], r x[0]";

/// Two temporaries that one statement sets.
const TWO_TEMPORARIES: &str = "
    params n : n >= 1
    local t, u
    T[i] : 0 <= i < n @ i, 0 : w t[], r B[i], w u[], r D[i]
    U[i] : 0 <= i < n @ i, 1 : w C[i], r t[]";

/// The same with a place for each.
const TWO_PLACES: &str = "
    params n : n >= 1
    local t, u
    buffer x[1], y[1]
    T[i] : 0 <= i < n @ i, 0 : w x[0], r B[i], w y[0], r D[i]
    U[i] : 0 <= i < n @ i, 1 : w C[i], r x[0]";

/// A copy of a temporary.
const COPY_OF_TEMPORARY: &str = "
    params n : 1 <= n <= 9
    local s, t
    R[i] : 0 <= i < n @ i, 0 : w s[], r B[i], r D[i]
    T[i] : 0 <= i < n @ i, 1 : w t[], r s[]
    U[i] : 0 <= i < n @ i, 2 : w C[i], r t[]";

/// The same with the temporary's place alone.
const ONE_PLACE: &str = "
    params n : 1 <= n <= 9
    local s, t
    expanded x[9]
    R[i] : 0 <= i < n @ i, 0 : w x[i], r B[i], r D[i]
    U[i] : 0 <= i < n @ i, 2 : w C[i], r x[i]";

/// Sums in partial results: a cell for each `j`.
const PARTIALS: &str = "
    params n : n >= 1
    local none, C[9], D[9]
    buffer p[8]
    Z[i, j] : 0 <= i < n and 0 <= j < 8 @ 0, 0 : w p[j]
    S[i, j] : 0 <= i < n and 0 <= j < 8 @ i, j : w p[j], r p[j], r B[j]
    E[i, j] : 0 <= i < n and 0 <= j < 8 @ 0, 0 : w A[i], r A[i], r p[j]";

/// The order of [`PARTIALS`] in each iteration of `i`.
const PARTIAL_ORDER: &str = "Z S E";

/// Sums of which data chooses the element, as [`scattered`] says.
const SCATTERED: &str = "
    params n : n >= 1
    S[i, j] : 0 <= i < n and 0 <= j < 8 @ i, j : w A[j], r A[j], r B[j], r X[j]";

/// The same with partial results.
const SCATTERED_PARTIALS: &str = "
    params n : n >= 1
    buffer p[8]
    Z[i, c] : 0 <= i < n and 0 <= c < 8 @ 0, 0 : w p[c]
    S[i, j] : 0 <= i < n and 0 <= j < 8 @ i, j : w p[j], r p[j], r B[j], r X[j]
    E[i, c] : 0 <= i < n and 0 <= c < 8 @ 0, 0 : w A[c], r A[c], r p[c]";

/// The first of the greatest values of rows, and where it is, as [`selecting`] says.
const SELECTION: &str = "
    params n : n >= 1
    S[i, j] : 0 <= i < n and 0 <= j < 8 @ i, j : m A[i], r A[i], r B[j], m D[i]";

/// The same in two parts, as [`selecting_in_parts`] says.
const SELECTION_IN_PARTS: &str = "
    params n : n >= 1
    buffer p[2], q[2]
    Z[i, c] : 0 <= i < n and 0 <= c < 2 @ 0, 0 : w p[c], w q[c]
    S[i, j] : 0 <= i < n and 0 <= j < 8 @ i, j : m p[floor(j / 4)], r p[floor(j / 4)], r B[j], m q[floor(j / 4)]
    E[i, c] : 0 <= i < n and 0 <= c < 2 @ 0, 0 : m A[i], r A[i], r p[c], m D[i], r q[c]";

/// An original and a program, and what they break.
struct Case {
    breaks: Option<Clause>,
    original: String,
    program: String,
    /// The statements in each iteration of the first loop; inner loops stand around each by itself.
    order: String,
    /// Whether the program is in the original's order, without a tree.
    is_storage: bool,
    origins: BTreeMap<String, String>,
    /// What the text does not say, of the original and of the program.
    change: [fn(&mut ScopBuilder); 2],
}

impl Case {
    /// A pair of texts.
    fn of(original: &str, program: &str, order: &str, breaks: Option<Clause>) -> Self {
        Self {
            breaks,
            original: original.to_owned(),
            program: program.to_owned(),
            order: order.to_owned(),
            is_storage: false,
            origins: BTreeMap::new(),
            change: [|_| {}, |_| {}],
        }
    }

    /// Sums with copies that break a clause.
    fn sums(breaks: Clause) -> Self {
        Self::of(SUMS, COPIED_SUMS, COPIED_ORDER, Some(breaks))
    }

    /// Tiles of rows, some of whose statements are padded, that break a clause.
    fn tiles(padded: &str, breaks: Option<Clause>) -> Self {
        Self::of(ROWS, TILED_ROWS, &format!("tiles of 4 padded {padded}"), breaks)
    }

    /// Partial results that break a clause, where the order of sums is free.
    fn partials(breaks: Option<Clause>) -> Self {
        Self::of(SUMS, PARTIALS, PARTIAL_ORDER, breaks).changed(free, free)
    }

    /// Partial results of sums of which data chooses the element, which are combined where something was added.
    fn scattered(breaks: Option<Clause>) -> Self {
        let case = Self::of(SCATTERED, SCATTERED_PARTIALS, PARTIAL_ORDER, breaks);
        case.changed(scattered, |builder| {
            scattered(builder);
            combined_where_updated(builder);
        })
    }

    /// Selections in parts that break a clause.
    fn selection(breaks: Option<Clause>) -> Self {
        let case = Self::of(SELECTION, SELECTION_IN_PARTS, PARTIAL_ORDER, breaks);
        case.changed(selecting, selecting_in_parts)
    }

    /// Places for values that break a clause.
    fn places(breaks: Clause) -> Self {
        Self::of(TEMPORARY, PLACES, "T U", Some(breaks))
    }

    /// The same with another text in the program.
    fn with(mut self, from: &str, to: &str) -> Self {
        assert!(self.program.contains(from), "{from}");
        self.program = self.program.replace(from, to);
        self
    }

    /// The same with one more line in both.
    fn and_both(mut self, line: &str) -> Self {
        self.original = format!("{}\n{line}", self.original);
        self.and(line)
    }

    /// The same with one more line in the program.
    fn and(mut self, line: &str) -> Self {
        self.program = format!("{}\n{line}", self.program);
        self
    }

    /// The same in another order.
    fn in_order(mut self, order: &str) -> Self {
        self.order = order.to_owned();
        self
    }

    /// The same with what the text does not say.
    fn changed(mut self, original: fn(&mut ScopBuilder), program: fn(&mut ScopBuilder)) -> Self {
        self.change = [original, program];
        self
    }

    /// The same in the original's order.
    fn in_its_order(mut self) -> Self {
        self.is_storage = true;
        self
    }

    /// What the check says: the clause, or another fault in words.
    fn verdict(&self) -> Result<(), Result<Clause, String>> {
        let scop = |text: &str, change: fn(&mut ScopBuilder)| {
            let mut builder = common::scop(text).to_builder();
            change(&mut builder);
            builder.build().unwrap()
        };
        let original = scop(&self.original, self.change[0]);
        let program = scop(&self.program, self.change[1]);
        let verdict = if self.is_storage {
            check_storage(&original, &program).unwrap()
        } else {
            let origins = self.origins.clone();
            let tree = tree(&program, &self.order);
            check_program(&original, &Program { origins, ..Program::new(&program, tree) }).unwrap()
        };
        match verdict {
            Verdict::Legal => Ok(()),
            Verdict::Illegal(found) => Err(match found.fault {
                Fault::Program { clause, .. } => Ok(clause),
                _ => Err(found.to_string()),
            }),
        }
    }
}

/// The order of [`TILED_ROWS`] in tiles of some size, of which the order says what is padded.
fn tiles(scop: &Scop, size: &str, mark: &str) -> ScheduleTree {
    let domain = scop.domain().unwrap();
    let text = format!(
        "domain: \"{domain}\"
child:
  mark: \"separate-full-tiles\"
  child:
    mark: \"tile {size}\"
    child:
      mark: \"{mark}\"
      child:
        schedule: \"[{{ S[t, i, k] -> [(4t)]; F[t, k] -> [(4t)]; L[t, i] -> [(4t)]; E[t, i] -> [(4t)] }}]\"
        child:
          mark: \"point\"
          child:
            sequence:
            - filter: \"{{ F[t, k] }}\"
              child:
                schedule: \"[{{ F[t, k] -> [(k)] }}]\"
            - filter: \"{{ L[t, i] }}\"
              child:
                schedule: \"[{{ L[t, i] -> [(i)] }}]\"
            - filter: \"{{ S[t, i, k] }}\"
              child:
                schedule: \"[{{ S[t, i, k] -> [(i)] }}, {{ S[t, i, k] -> [(k)] }}]\"
            - filter: \"{{ E[t, i] }}\"
              child:
                schedule: \"[{{ E[t, i] -> [(i)] }}]\""
    );
    text.parse().unwrap()
}

/// A loop over the first iterator of all statements, and in it the statements one after another, each in loops over its others; the first of
/// these runs on threads where the name has a bar in front, and in lanes, which update copies of a buffer, where `+` and its name are behind.
/// So does the first loop where they stand before all.
fn tree(scop: &Scop, order: &str) -> ScheduleTree {
    if let Some((size, mark)) = order.strip_prefix("tiles of ").and_then(|o| o.split_once(' ')) {
        return tiles(scop, size, mark);
    }
    let dates = |stmts: &[&str], at: usize| {
        let of = |name: &&str| {
            let stmt = &scop.stmts()[scop.stmt_by_name(name).unwrap()];
            stmt.iterators[at].value.clone()
        };
        UnionPwAff::union_all(stmts.iter().map(of)).unwrap()
    };
    let band = |schedule, child| {
        let band = Band { members: vec![Member::new(schedule, false)], permutable: false };
        ScheduleTree::band(band, child)
    };
    let in_lanes = |copied: &str, child| {
        let copies = ScheduleTree::mark(Mark::Reduce(vec![copied.to_owned()]), child);
        ScheduleTree::mark(Mark::Vector, copies)
    };
    let (all_copied, order) = match order.strip_prefix('+').and_then(|o| o.split_once(' ')) {
        Some((copied, order)) => (Some(copied), order),
        None => (None, order),
    };
    let on_threads: Vec<bool> = order.split_whitespace().map(|n| n.starts_with('|')).collect();
    let stmts = order.split_whitespace().map(|n| n.trim_start_matches('|'));
    let stmts: Vec<(&str, Option<&str>)> = stmts
        .map(|n| n.split_once('+').map_or((n, None), |(name, copied)| (name, Some(copied))))
        .collect();
    let names: Vec<&str> = stmts.iter().map(|(name, _)| *name).collect();
    let children = stmts.iter().zip(&on_threads).map(|((name, copied), on_threads)| {
        let stmt = &scop.stmts()[scop.stmt_by_name(name).unwrap()];
        let inner = (1..stmt.depth())
            .rev()
            .fold(ScheduleTree::leaf(), |child, at| band(dates(&[name], at), child));
        let inner = match on_threads {
            true => ScheduleTree::mark(Mark::Parallel, inner),
            false => copied.map_or(inner.clone(), |copied| in_lanes(copied, inner)),
        };
        let all = Set::universe(&stmt.domain.space().unwrap()).unwrap();
        (UnionSet::union_all([all]).unwrap(), inner)
    });
    let sequence = ScheduleTree::sequence(children.collect());
    let all = band(dates(&names, 0), sequence);
    let all = all_copied.map_or(all.clone(), |copied| in_lanes(copied, all));
    ScheduleTree::domain(scop.domain().unwrap(), all)
}

/// Lets sums be in any order.
fn free(builder: &mut ScopBuilder) {
    builder.reassociation = Reassociation::Rounded;
}

/// Lets what is combined depend on a condition.
fn combined_under_condition(builder: &mut ScopBuilder) {
    free(builder);
    let stmt = builder.stmts.iter_mut().find(|s| s.name == "E").unwrap();
    let (condition, then) = (Expr::int(1), stmt.body.clone());
    stmt.body = vec![BodyStmt::If { condition, then, otherwise: Vec::new() }];
}

/// `if (B[j] > A[i]) { A[i] = B[j]; D[i] = j; }`, or the same with cells. The order is the program's but for parts.
fn selecting(builder: &mut ScopBuilder) {
    builder.reassociation = Reassociation::Exact;
    select(builder, "S", BinaryOp::Gt, [read(2), Expr::Iterator(1)]);
}

/// Cells begin with what is below all values, and are taken where theirs is greater.
fn selecting_in_parts(builder: &mut ScopBuilder) {
    selecting(builder);
    let least = Expr::Unary(UnaryOp::Minus, Box::new(Expr::Call("__builtin_inf".into(), vec![])));
    begin_with(builder, [least, Expr::int(0)]);
    select(builder, "E", BinaryOp::Gt, [2, 4].map(read));
}

/// What an access reads, by its position.
fn read(at: usize) -> Expr {
    Expr::Access(AccessId::from_index(at))
}

/// Lets a statement take values, the first of which is read by access 2, where that compares so with what access 1 reads.
fn select(builder: &mut ScopBuilder, stmt: &str, op: BinaryOp, values: [Expr; 2]) {
    let stmt = builder.stmts.iter_mut().find(|s| s.name == stmt).unwrap();
    let [new, old] = [2, 1].map(|at| Box::new(read(at)));
    let then =
        [0, 3].map(AccessId::from_index).into_iter().zip(values).map(|(target, value)| {
            BodyStmt::Assign { target, op: AssignOp::Set, read: None, value }
        });
    let (condition, then) = (Expr::Binary(op, new, old), then.collect());
    stmt.body = vec![BodyStmt::If { condition, then, otherwise: Vec::new() }];
}

/// Begins cells with these values.
fn begin_with(builder: &mut ScopBuilder, values: [Expr; 2]) {
    let stmt = builder.stmts.iter_mut().find(|s| s.name == "Z").unwrap();
    let begun =
        [0, 1].map(AccessId::from_index).into_iter().zip(values).map(|(target, value)| {
            BodyStmt::Assign { target, op: AssignOp::Set, read: None, value }
        });
    stmt.body = begun.collect();
}

/// Lets data choose the elements that `S` updates: `A[X[j]]`, or `p[X[j]]`. Sums may be in any order.
fn scattered(builder: &mut ScopBuilder) {
    free(builder);
    chosen_by(builder, "X");
}

/// The same with `A[X[j]] = B[j] && A[X[j]]`, of integers.
fn of_truth(builder: &mut ScopBuilder) {
    scattered(builder);
    of_integers(builder);
    builder.stmts.iter_mut().find(|s| s.name == "S").unwrap().body = vec![both(2)];
}

/// `access 0 = access N && access 1`.
fn both(value: usize) -> BodyStmt {
    let value = Expr::Binary(BinaryOp::And, Box::new(read(value)), Box::new(read(1)));
    let target = AccessId::from_index(0);
    BodyStmt::Assign { target, op: AssignOp::Set, read: None, value }
}

/// Lets the values of an array choose the elements that `S` updates.
fn chosen_by(builder: &mut ScopBuilder, by: &str) {
    let index = |name: &str| builder.arrays.iter_enumerated().find(|(_, a)| a.name == name);
    let of = |name: &str| index(name).map(|(id, _)| id);
    let (chosen, by) = ([of("A"), of("p")], of(by));
    let names = builder.arrays.clone();
    let stmt = builder.stmts.iter_mut().find(|s| s.name == "S").unwrap();
    let (by, _) = stmt.accesses.iter_enumerated().find(|(_, a)| Some(a.array) == by).unwrap();
    for access in stmt.accesses.iter_mut().filter(|a| chosen.contains(&Some(a.array))) {
        let array = &names[access.array].name;
        let relation = format!("[n] -> {{ S[i, j] -> {array}[o] : 0 <= o < 8 }}");
        access.relation = relation.parse().unwrap();
        access.subscripts = vec![Expr::Access(by)];
        if access.kind.is_write() {
            access.kind = AccessKind::MayWrite;
        }
    }
}

/// Combines partial results that are not zero.
fn combined_where_updated(builder: &mut ScopBuilder) {
    let p = builder.arrays.iter_enumerated().find(|(_, a)| a.name == "p").unwrap().0;
    let stmt = builder.stmts.iter_mut().find(|s| s.name == "E").unwrap();
    let cell = stmt.accesses.iter_enumerated().find(|(_, a)| a.array == p).unwrap().0;
    let [cell, zero] = [Expr::Access(cell), Expr::Float("0.0".to_owned())].map(Box::new);
    let (condition, then) = (Expr::Binary(BinaryOp::Ne, cell, zero), stmt.body.clone());
    stmt.body = vec![BodyStmt::If { condition, then, otherwise: Vec::new() }];
}

/// Partial results that break a clause.
fn broken_partials() -> Vec<Case> {
    let partials = |clause| Case::partials(Some(clause));
    vec![
        partials(Clause::Neutral).with("w p[j]\n", "w p[j], r D[j]\n"),
        partials(Clause::Neutral).changed(free, |builder| {
            free(builder);
            let stmt = builder.stmts.iter_mut().find(|s| s.name == "Z").unwrap();
            let [BodyStmt::Assign { value, .. }] = stmt.body.as_mut_slice() else { panic!() };
            *value = Expr::int(1);
        }),
        partials(Clause::Gathers).changed(|_| {}, |_| {}),
        partials(Clause::Combines).changed(free, combined_under_condition),
        partials(Clause::BegunTwice)
            .with("Z[i, j] : 0 <= i < n", "Z[i, j, k] : 0 <= k < 2 and 0 <= i < n"),
        partials(Clause::CombinedTwice)
            .with("E[i, j] : 0 <= i < n", "E[i, j, k] : 0 <= k < 2 and 0 <= i < n"),
        partials(Clause::CombinedByTwo)
            .with("E[i, j] : 0 <= i < n and 0 <= j < 8", "E[i, j] : 0 <= i < n and 0 <= j < 4")
            .and("G[i, j] : 0 <= i < n and 4 <= j < 8 @ 0, 0 : w A[i], r A[i], r p[j]")
            .in_order("Z S E G"),
        partials(Clause::Begun)
            .with("Z[i, j] : 0 <= i < n and 0 <= j < 8", "Z[i, j] : 0 <= i < n and 0 <= j < 7"),
        // A contribution is lost.
        partials(Clause::Combined)
            .with("E[i, j] : 0 <= i < n and 0 <= j < 8", "E[i, j] : 0 <= i < n and 0 <= j < 7"),
        // What nothing contributed to is combined.
        partials(Clause::Combined)
            .with("Z[i, j] : 0 <= i < n and 0 <= j < 8", "Z[i, j] : 0 <= i < n and 0 <= j < 9")
            .with("E[i, j] : 0 <= i < n and 0 <= j < 8", "E[i, j] : 0 <= i < n and 0 <= j < 9")
            .with("p[8]", "p[9]"),
        partials(Clause::BegunFirst).in_order("S Z E"),
        partials(Clause::CombinedLast).in_order("Z E S"),
        partials(Clause::Extents).with("p[8]", "p[7]"),
        partials(Clause::CombinedInTime)
            .and_both("W[i] : 0 <= i < n @ i, 9 : w C[i], r A[i]")
            .in_order("Z S W E"),
        // A buffer holds the element from before it is combined, in the next iteration.
        partials(Clause::CombinedInTime)
            .and_both("W[i] : 1 <= i < n @ i, 9 : w C[i], r A[i - 1]")
            .with("n : n >= 1", "n : 1 <= n <= 9")
            .with("buffer p[8]", "buffer q[1]\nexpanded p[9][8]")
            .with("w p[j]\n", "w p[i, j]\n")
            .with("w p[j], r p[j], r B[j]", "w p[i, j], r p[i, j], r B[j]")
            .with("E[i, j] : 0 <= i < n", "E[i, j] : 1 <= i <= n")
            .with("w A[i], r A[i], r p[j]", "w A[i - 1], r A[i - 1], r p[i - 1, j]")
            .with("w C[i], r A[i - 1]", "w C[i], r q[0]")
            .and("L[i] : 1 <= i < n @ 0, 0 : w q[0], r A[i - 1]")
            .in_order("Z S L E W"),
        partials(Clause::GatheredAtOnce)
            .with("p[8]", "p[1]")
            .with(
                "Z[i, j] : 0 <= i < n and 0 <= j < 8 @ 0, 0 : w p[j]",
                "Z[i] : 0 <= i < n @ 0, 0 : w p[0]",
            )
            .with("w p[j], r p[j], r B[j]", "w p[0], r p[0], r B[j]")
            .with("E[i, j] : 0 <= i < n and 0 <= j < 8", "E[i] : 0 <= i < n")
            .with("r A[i], r p[j]", "r A[i], r p[0]")
            .in_order("Z |S E"),
        partials(Clause::CombinedAtOnce).in_order("Z |S |E"),
        Case::scattered(Some(Clause::CombinedWhereUpdated)).changed(scattered, scattered),
        // A condition that says nothing of the cell.
        Case::scattered(Some(Clause::Combines)).changed(scattered, |builder| {
            scattered(builder);
            combined_under_condition(builder);
        }),
        Case::scattered(Some(Clause::Chosen)).with("w A[c], r A[c]", "w A[7 - c], r A[7 - c]"),
        // Truth values: an element becomes one or zero though what it is combined with is neutral.
        Case::scattered(Some(Clause::Combines)).changed(of_truth, |builder| {
            of_truth(builder);
            let one = Box::new(Expr::int(1));
            let condition = Expr::Binary(BinaryOp::Ne, Box::new(read(2)), one);
            let then = vec![both(2)];
            let body = vec![BodyStmt::If { condition, then, otherwise: Vec::new() }];
            builder.stmts.iter_mut().find(|s| s.name == "E").unwrap().body = body;
            let stmt = builder.stmts.iter_mut().find(|s| s.name == "Z").unwrap();
            let [BodyStmt::Assign { value, .. }] = stmt.body.as_mut_slice() else { panic!() };
            *value = Expr::int(1);
        }),
        // Other data chooses.
        Case::scattered(Some(Clause::Body)).changed(scattered, |builder| {
            free(builder);
            chosen_by(builder, "B");
            combined_where_updated(builder);
        }),
        Case::of(SCATTERED, SCATTERED, "S", Some(Clause::Body)).changed(scattered, |builder| {
            free(builder);
            chosen_by(builder, "B");
        }),
        // A contribution to another element.
        partials(Clause::Values).with("w A[i], r A[i], r p[j]", "w A[0], r A[0], r p[j]"),
    ]
}

/// Selections in parts that break a clause.
fn broken_selections() -> Vec<Case> {
    let selection = |clause| Case::selection(Some(clause));
    let cells = "[floor(j / 4)]";
    vec![
        // What is below all values is not zero.
        selection(Clause::Neutral).changed(selecting, |builder| {
            selecting_in_parts(builder);
            begin_with(builder, [Expr::int(0), Expr::int(0)]);
        }),
        // The place is kept in another cell than the value.
        selection(Clause::SelectsAsOne).with(&format!("m q{cells}"), "m q[1 - floor(j / 4)]"),
        // Parts are asked for the least value.
        selection(Clause::SelectsAsOne).changed(selecting, |builder| {
            selecting_in_parts(builder);
            begin_with(builder, [Expr::Call("__builtin_inf".into(), vec![]), Expr::int(0)]);
            select(builder, "E", BinaryOp::Lt, [2, 4].map(read));
        }),
        // The value is taken, its place not.
        selection(Clause::Neutral).changed(selecting, |builder| {
            selecting_in_parts(builder);
            select(builder, "E", BinaryOp::Gt, [read(2), Expr::int(7)]);
        }),
        // The last of the greatest values in a part is kept.
        selection(Clause::CombinedInTime).with_original("@ i, j", "@ i, -j"),
        // The second part is asked first.
        selection(Clause::CombinedInTime)
            .with("r p[c], m D[i], r q[c]", "r p[1 - c], m D[i], r q[1 - c]"),
        // What comes with a value is read where the original does not take it.
        selection(Clause::Gathers).changed(reading, |builder| {
            selecting_in_parts(builder);
            reading(builder);
        }),
        selection(Clause::Gathers).changed(
            |builder| {
                selecting(builder);
                builder.reassociation = Reassociation::Kept;
            },
            |builder| {
                selecting_in_parts(builder);
                builder.reassociation = Reassociation::Kept;
            },
        ),
    ]
}

/// Takes a value that is read with another one.
fn reading(builder: &mut ScopBuilder) {
    builder.reassociation = Reassociation::Exact;
    select(builder, "S", BinaryOp::Gt, [2, 2].map(read));
}

/// The programs that break a clause.
fn broken() -> Vec<Case> {
    let nothing: fn(&mut ScopBuilder) = |_| {};
    vec![
        Case::sums(Clause::Parameters).with("n : n >= 1", "n : n >= 0"),
        Case::sums(Clause::Arrays).with("local none", "local B[8]"),
        Case::sums(Clause::Own).with("local none", "local mine"),
        Case::sums(Clause::Statements)
            .and("X[i] : 0 <= i < n @ 0, 0 : w C[i], r A[i], r B[0]")
            .in_order("F L S E X"),
        Case::sums(Clause::Dimensions).with(
            "S[i, j] : 0 <= i < n and 0 <= j < 8 @ i, j : w a[0], r a[0], r b[j]",
            "S[i] : 0 <= i < n @ i, 0 : w a[0], r a[0], r b[0]",
        ),
        Case::sums(Clause::EachOnce).with("0 <= j < 8 @ i, j", "0 <= j < 7 @ i, j"),
        Case::sums(Clause::EachOnce).with("0 <= j < 8 @ i, j", "0 <= j < 9 @ i, j"),
        Case::sums(Clause::EachOnce)
            .with("S[i, j] : 0 <= i < n", "S[k, i, j] : 0 <= k < 2 and 0 <= i < n"),
        Case::sums(Clause::Iterators).changed(nothing, |program| {
            let stmt = program.stmts.iter_mut().find(|s| s.name == "S").unwrap();
            stmt.iterators[1].value = "[n] -> { S[i, j] -> [(j + 1)] }".parse().unwrap();
        }),
        Case::sums(Clause::Body).changed(nothing, |program| {
            let stmt = program.stmts.iter_mut().find(|s| s.name == "S").unwrap();
            let [BodyStmt::Assign { value, .. }] = stmt.body.as_mut_slice() else { panic!() };
            let Expr::Binary(op, ..) = value else { panic!() };
            *op = BinaryOp::Mul;
        }),
        Case::sums(Clause::Extents).with("b[8]", "b[7]"),
        Case::sums(Clause::Copy).with("w a[0], r A[i]", "w a[0], r A[i], r a[0]"),
        Case::sums(Clause::FilledTwice)
            .with("F[i, j] : 0 <= i < n", "F[i, j, k] : 0 <= k < 2 and 0 <= i < n"),
        Case::sums(Clause::FilledByTwo)
            .and("G[i, j] : 0 <= i < n and 0 <= j < 8 @ 0, 0 : w b[j], r B[j]")
            .in_order("F G L S E"),
        Case::sums(Clause::Filled).with("0 <= j < 8 @ 0, 0", "0 <= j < 7 @ 0, 0"),
        Case::sums(Clause::Used)
            .with("0 <= j < 8 @ 0, 0", "0 <= j < 9 @ 0, 0")
            .with("b[8]", "b[9]"),
        Case::sums(Clause::FilledFirst).in_order("L S F E"),
        Case::sums(Clause::NotWritten)
            .and("Z[i] : 0 <= i < n @ 0, 0 : w D[i], r b[0]")
            .in_order("F L S E Z"),
        Case::sums(Clause::Unchanged)
            .and_both("V[i] : 0 <= i < n @ i, 9 : w B[0], r C[i]")
            .in_order("F L S E V"),
        Case::sums(Clause::BackFilled)
            .with("w A[i], r a[0]", "w A[i], r a[1]")
            .with("a[1], b", "a[2], b"),
        Case::sums(Clause::Back)
            .with("E[i] : 0 <= i < n @ 0, 0 : w A[i], r a[0]", "")
            .in_order("F L S"),
        Case::sums(Clause::BackLast).in_order("F L E S"),
        Case::sums(Clause::Holds).with("w a[0], r A[i]", "w a[0], r A[i], r D[i]"),
        Case::sums(Clause::OneElement)
            .with("a[1], b", "a[2], b")
            .with(
                "L[i] : 0 <= i < n @ 0, 0 : w a[0]",
                "L[i, k] : 0 <= k < 2 and 0 <= i < n @ 0, 0 : w a[k]",
            )
            .with("w a[0], r a[0], r b[j]", "w a[j mod 2], r a[j mod 2], r b[j]")
            .with(
                "E[i] : 0 <= i < n @ 0, 0 : w A[i], r a[0]",
                "E[i, k] : 0 <= k < 2 and 0 <= i < n @ 0, 0 : w A[i], r a[k]",
            ),
        Case::sums(Clause::Beside)
            .and_both("W[i] : 0 <= i < n @ i, 9 : w C[i], r A[i]")
            .in_order("F L S W E"),
        Case::sums(Clause::BackHome).with("w A[i], r a[0]", "w A[0], r a[0]"),
        Case::of(
            &format!("{SUMS}\nW[i] : 0 <= i < n @ i, 9 : w C[i], r C[i], r D[i]"),
            &format!(
                "{COPIED_SUMS}
                M[i] : 0 <= i < n @ 0, 0 : w a[1], r C[i]
                W[i] : 0 <= i < n @ i, 9 : w a[1], r a[1], r D[i]
                N[i] : 0 <= i < n @ 0, 0 : w C[i], r a[1]"
            ),
            "F L S E M W N",
            Some(Clause::OneFill),
        )
        .with("a[1], b", "a[2], b"),
        Case::sums(Clause::AroundCopies).in_order("+a F L S E").changed(free, free),
        Case::tiles("E", Some(Clause::GhostBuffers)),
        Case::tiles("L,S", Some(Clause::GhostTraps)).changed(calling, calling),
        Case::tiles("L,S", Some(Clause::GhostTraps)).changed(of_integers, of_integers),
        Case::tiles("L,S", Some(Clause::GhostTraps)).changed(dividing, dividing),
        Case::tiles("L,S", Some(Clause::GhostCells)).in_order("tiles of 5 padded L,S"),
        // Rows of one tile have terms of their own, where another row has none.
        Case::tiles("L,S", Some(Clause::Ghosts))
            .with("0 <= k < 8 @ i, k", "0 <= k < 8 and k <= i @ i, k")
            .with_original("0 <= k < 8 @ i, k", "0 <= k < 8 and k <= i @ i, k")
            .with("0 <= k < 8 @ 0, 0", "0 <= k < 8 and k < n and k < 4t + 4 @ 0, 0"),
        Case::places(Clause::Extents).with("x[0]", "x[1]"),
        Case::places(Clause::Body).changed(nothing, |program| {
            // The value has a place in one iteration alone.
            let stmt = program.stmts.iter_mut().find(|s| s.name == "U").unwrap();
            let read = stmt.accesses.iter_mut().find(|a| !a.kind.is_write()).unwrap();
            read.relation = "[n] -> { U[0] -> x[0] }".parse().unwrap();
        }),
        Case::places(Clause::Missing)
            .with("T[i] : 0 <= i < n @ i, 0 : w x[0], r B[i], r D[i]", "")
            .in_order("U"),
        Case {
            origins: BTreeMap::from([("T".to_owned(), "U".to_owned())]),
            ..Case::places(Clause::Consistent)
                .with("T[i] : 0 <= i < n @ i, 0 : w x[0], r B[i], r D[i]", "")
                .with("U[i]", "T[i]")
                .in_order("T")
        },
        Case::places(Clause::Elements).changed(nothing, |program| {
            let own = program.arrays.iter_mut().find(|a| a.scope == ArrayScope::Buffer).unwrap();
            own.element.kind = ElementKind::Float;
        }),
        // What the parts of a statement do to one another is not looked at where two arrays get one place.
        Case::of(TEMPORARIES, SHARED_PLACES, "R T U", Some(Clause::Assignment))
            .changed(conditional, conditional),
        Case::places(Clause::Known)
            .changed(nothing, nothing)
            .with("w x[0], r B[i]", "m x[0], r B[i]")
            .with_original("w t[], r B[i]", "m t[], r B[i]"),
        Case::places(Clause::Values)
            .with("w C[i], r x[0]", "w C[i], r x[1]")
            .with("x[1]\n", "x[2]\n"),
        Case::places(Clause::Dates)
            .with("buffer x[1]", "expanded x[1]")
            .with("@ i, 0 : w x", "@ i, 2 : w x")
            .in_its_order(),
        Case::places(Clause::Declared).in_its_order(),
    ]
}

impl Case {
    /// The same with another text in the original.
    fn with_original(mut self, from: &str, to: &str) -> Self {
        assert!(self.original.contains(from), "{from}");
        self.original = self.original.replace(from, to);
        self
    }
}

/// Calls something with what is added up.
fn calling(builder: &mut ScopBuilder) {
    let stmt = builder.stmts.iter_mut().find(|s| s.name == "S").unwrap();
    let [BodyStmt::Assign { value, .. }] = stmt.body.as_mut_slice() else { panic!() };
    *value = Expr::Call("f".to_owned(), vec![value.clone()]);
}

/// Makes all elements integers, of which sums may overflow.
fn of_integers(builder: &mut ScopBuilder) {
    for array in builder.arrays.iter_mut() {
        array.element.text = "long".to_owned();
        array.element.kind = ElementKind::Signed(64);
    }
}

/// Makes all elements integers, those of `t` small ones.
fn narrowing(builder: &mut ScopBuilder) {
    for array in builder.arrays.iter_mut() {
        let (text, bits) = if array.name == "t" { ("signed char", 8) } else { ("int", 32) };
        array.element.text = text.to_owned();
        array.element.kind = ElementKind::Signed(bits);
    }
}

/// Divides by an iterator, which is no zero in the instances alone.
fn dividing(builder: &mut ScopBuilder) {
    let stmt = builder.stmts.iter_mut().find(|s| s.name == "S").unwrap();
    let [BodyStmt::Assign { value, .. }] = stmt.body.as_mut_slice() else { panic!() };
    let by = Box::new(Expr::Iterator(0));
    *value = Expr::Binary(BinaryOp::Div, Box::new(value.clone()), by);
}

/// Puts what the first statement does under a condition.
fn conditional(builder: &mut ScopBuilder) {
    let stmt = builder.stmts.iter_mut().find(|s| s.name == "T").unwrap();
    let (then, otherwise) = (stmt.body.clone(), Vec::new());
    stmt.body = vec![BodyStmt::If { condition: Expr::int(1), then, otherwise }];
}

#[test]
fn partial_results_are_legal() {
    assert_eq!(Case::partials(None).verdict(), Ok(()));
    assert_eq!(Case::partials(None).in_order("Z |S E").verdict(), Ok(()));
    let before = Case::partials(None)
        .and_both("W[i] : 0 <= i < n @ i, 9 : w C[i], r A[i]")
        .in_order("Z S E W");
    assert_eq!(before.verdict(), Ok(()));
    assert_eq!(Case::scattered(None).verdict(), Ok(()));
    assert_eq!(Case::selection(None).verdict(), Ok(()));
}

#[test]
fn each_clause_is_broken_by_a_program_that_breaks_nothing_before_it() {
    let mut seen = BTreeSet::new();
    for case in broken().into_iter().chain(broken_partials()).chain(broken_selections()) {
        let clause = case.breaks.unwrap();
        assert_eq!(case.verdict(), Err(Ok(clause)), "{clause:?}\n{}", case.program);
        seen.insert(clause);
    }
    seen.extend(Clause::OF_CALLS);
    let all: BTreeSet<Clause> = Clause::ALL.iter().copied().collect();
    assert_eq!(seen, all);
}

#[test]
fn copies_of_sums_are_legal() {
    let case = || Case::of(SUMS, COPIED_SUMS, COPIED_ORDER, None);
    assert_eq!(case().verdict(), Ok(()));
    // Elements are used after they are back, and before they are in the buffer.
    let after = case().and_both("W[i] : 0 <= i < n @ i, 9 : w C[i], r A[i]");
    assert_eq!(after.in_order("F L S E W").verdict(), Ok(()));
    let before = case().and_both("W[i] : 0 <= i < n @ i, -1 : w A[i], r D[i]");
    assert_eq!(before.in_order("W F L S E").verdict(), Ok(()));
}

#[test]
fn copies_of_a_buffer_may_be_updated_where_the_order_is_free() {
    let case = || Case::of(SUMS, COPIED_SUMS, "F L S+a E", None);
    assert_eq!(case().changed(free, free).verdict(), Ok(()));
    // Sums of numbers are rounded in another order.
    assert!(case().verdict().is_err_and(|why| why.is_err()));
    // What is read of the sum meanwhile is of one copy.
    let read = case().changed(free, free).with("w a[0], r a[0], r b[j]", "w a[0], r a[0], r a[0]");
    let read = read.with_original("w A[i], r A[i], r B[j]", "w A[i], r A[i], r A[i]");
    assert!(
        read.with("F[i, j] : 0 <= i < n and 0 <= j < 8 @ 0, 0 : w b[j], r B[j]", "")
            .in_order("L S+a E")
            .verdict()
            .is_err()
    );
    // A buffer that nothing updates.
    let other = Case::of(SUMS, COPIED_SUMS, "F L S+b E", None).changed(free, free);
    assert!(other.verdict().is_err());
}

#[test]
fn tiles_of_buffers_may_be_padded() {
    for padded in ["L,S", "L", "S"] {
        assert_eq!(Case::tiles(padded, None).verdict(), Ok(()), "{padded}");
    }
    // Nothing is beyond its instances.
    assert_eq!(Case::tiles("F", None).verdict(), Ok(()));
    assert_eq!(Case::tiles("X", None).verdict(), Err(Ok(Clause::Statements)));
}

#[test]
fn values_may_have_places_of_their_own() {
    assert_eq!(Case::of(TEMPORARY, PLACES, "T U", None).verdict(), Ok(()));
    assert_eq!(Case::of(TEMPORARIES, SHARED_PLACES, "R T U", None).verdict(), Ok(()));
    // A place takes that of one element, also in a statement of several parts.
    let renamed = Case::of(TEMPORARY, PLACES, "T U", None).changed(conditional, conditional);
    assert_eq!(renamed.verdict(), Ok(()));
    let case = Case::of(TEMPORARY, PLACES, "T U", None).with("buffer x[1]", "expanded x[1]");
    assert_eq!(case.with("x[0]", "x[0]").in_its_order().verdict(), Ok(()));
}

/// Has the first statement set two elements, each to what is read behind it.
fn two_assignments(builder: &mut ScopBuilder) {
    let stmt = builder.stmts.iter_mut().find(|s| s.name == "T").unwrap();
    let assigned = |target: usize| BodyStmt::Assign {
        target: AccessId::from_index(target),
        op: AssignOp::Set,
        read: None,
        value: Expr::Access(AccessId::from_index(target + 1)),
    };
    stmt.body = vec![assigned(0), assigned(2)];
}

/// A statement has written what is read, but not this of its values.
#[test]
fn values_of_one_statement_have_places_of_their_own() {
    let case = || Case::of(TWO_TEMPORARIES, TWO_PLACES, "T U", None);
    let case = || case().changed(two_assignments, two_assignments);
    assert_eq!(case().verdict(), Ok(()));
    let other = case().with("w C[i], r x[0]", "w C[i], r y[0]");
    assert_eq!(other.verdict(), Err(Ok(Clause::Values)));
}

/// A copy of a temporary goes where the temporary has a place for each of its values.
#[test]
fn copies_of_temporaries_may_be_read_where_these_have_their_places() {
    let case = || Case::of(COPY_OF_TEMPORARY, ONE_PLACE, "R U", None);
    assert_eq!(case().verdict(), Ok(()));
    let other = case().with("r x[i]", "r x[0]");
    assert_eq!(other.verdict(), Err(Ok(Clause::Values)));
    let narrow = case().changed(narrowing, narrowing);
    assert_eq!(narrow.verdict(), Err(Ok(Clause::Missing)));
}

/// What a copy is of is read in its place, unless it changes meanwhile, or something else is read.
#[test]
fn copies_may_be_read_where_they_come_from() {
    let case = || Case::of(COPY, NO_COPY, "U", None);
    assert_eq!(case().verdict(), Ok(()));
    let other = case().with("r B[i], r D[i]", "r B[0], r D[i]");
    assert_eq!(other.verdict(), Err(Ok(Clause::Values)));
    let later = "V[i] : 0 <= i < n @ i, 3 : w B[i], r D[i]";
    assert_eq!(case().and_both(later).in_order("U V").verdict(), Ok(()));
    let too_early = case().and_both(later).in_order("V U").verdict();
    assert!(matches!(too_early, Err(Err(_) | Ok(Clause::Values))), "{too_early:?}");
    let between = "V[i] : 0 <= i < n @ i, 1 : w B[i], r D[i]";
    assert_eq!(case().and_both(between).in_order("V U").verdict(), Err(Ok(Clause::Values)));
    let before = "V[i] : 0 <= i < n @ i, -1 : w B[i], r D[i]";
    assert_eq!(case().and_both(before).in_order("V U").verdict(), Ok(()));
    // Another iteration writes what this one reads.
    let ahead = "V[i] : 0 <= i < n @ i, 1 : w B[i + 1], r D[i]";
    assert_eq!(case().and_both(ahead).in_order("V U").verdict(), Ok(()));
    // The copy cuts values off.
    let narrow = case().changed(narrowing, narrowing);
    assert_eq!(narrow.verdict(), Err(Ok(Clause::Missing)));
    // Something that is not there any more is read, too.
    let left = case().and_both("W[i] : 0 <= i < n @ i, 4 : w A[i], r t[]");
    assert_eq!(left.in_order("U W").verdict(), Err(Ok(Clause::Values)));
}

/// What is added comes from a copy of a copy.
#[test]
fn copies_of_copies_are_looked_through() {
    let case = Case::of(SUMS, COPIED_SUMS, "F G L S E", None);
    let case = case
        .with("b[8]", "b[8], c[8]")
        .with("r a[0], r b[j]", "r a[0], r c[j]")
        .and("G[i, j] : 0 <= i < n and 0 <= j < 8 @ 0, 0 : w c[j], r b[j]");
    assert_eq!(case.verdict(), Ok(()));
    // The second copy is of other elements.
    let case = Case::of(SUMS, COPIED_SUMS, "F G L S E", None)
        .with("b[8]", "b[8], c[8]")
        .with("r a[0], r b[j]", "r a[0], r c[j]")
        .and("G[i, j] : 0 <= i < n and 0 <= j < 8 @ 0, 0 : w c[j], r b[7 - j]");
    assert_eq!(case.verdict(), Err(Ok(Clause::Values)));
    // What the first one is of is written between both.
    let case = Case::of(SUMS, COPIED_SUMS, "F V G L S E", None)
        .with("b[8]", "b[8], c[8]")
        .with("r a[0], r b[j]", "r a[0], r c[j]")
        .and("G[i, j] : 0 <= i < n and 0 <= j < 8 @ 0, 0 : w c[j], r b[j]")
        .and_both("V[i] : 0 <= i < n @ i, 9 : w B[0], r C[i]");
    assert_eq!(case.verdict(), Err(Ok(Clause::Unchanged)));
}

/// Rows of which each is multiplied by another one.
const PRODUCTS: &str = "
    params n : n >= 1
    S[i, j] : 0 <= i < n and 0 <= j < 4 @ i, j : w A[i], r A[i], r B[i, j]";

/// The same with two buffers for these, which iterations have in turn.
const IN_TURN: &str = "
    params n : n >= 1
    buffer b[8]
    S[i, j] : 0 <= i < n and 0 <= j < 4 @ i, j : w A[i], r A[i], r b[4 * (i mod 2) + j]
    F[i, j] : 0 <= i < n and 0 <= j < 4 @ 0, 0 : w b[4 * (i mod 2) + j], r B[i, j]";

/// What is wrong with a program in which `F` runs at `date` in the loop of `S`, under a mark, and before the loop where that is below zero.
fn ahead(program: &str, date: &str, mark: &str) -> String {
    let program = common::scop(program);
    let band = |stmt: &str| format!("{{ schedule: '[{{ {stmt}[i, j] -> [(j)] }}]' }}");
    let text = format!(
        "{{ domain: \"{}\", child: {{ sequence: [
          {{ filter: '{{ F[i, j] : {date} < 0 }}', child: {{ schedule: '[{{ F[i, j] -> [({date})] }}]', child: {} }} }},
          {{ filter: '[n] -> {{ F[i, j] : {date} >= 0; S[i, j] }}', child: {mark}
            {{ schedule: '[{{ F[i, j] -> [({date})]; S[i, j] -> [(i)] }}]', child: {{ sequence: [
              {{ filter: '{{ F[i, j] }}', child: {} }},
              {{ filter: '{{ S[i, j] }}', child: {} }} ] }} }} {} }} ] }} }}",
        program.domain().unwrap(),
        band("F"),
        band("F"),
        band("S"),
        if mark.is_empty() { "" } else { "}" },
    );
    let tree: ScheduleTree = text.replace('\'', "\"").parse().unwrap();
    let original = common::scop(PRODUCTS);
    match check_program(&original, &Program::new(&program, tree)).unwrap() {
        Verdict::Legal => "legal".to_owned(),
        Verdict::Illegal(found) => match found.fault {
            Fault::Program { clause, .. } => clause.to_string(),
            _ => found.to_string(),
        },
    }
}

#[test]
fn cells_may_be_filled_again_where_each_use_finds_its_own() {
    let text = |clause: Clause| clause.text();
    assert_eq!(ahead(IN_TURN, "i - 1", ""), "legal");
    let three = IN_TURN.replace("b[8]", "b[12]").replace("i mod 2", "i mod 3");
    assert_eq!(ahead(&three, "i - 2", ""), "legal");
    // Two iterations ahead with two buffers, or one with one: what was there before its use is gone.
    assert_eq!(ahead(IN_TURN, "i - 2", ""), text(Clause::FilledTwice));
    let one = IN_TURN.replace("b[8]", "b[4]").replace("4 * (i mod 2) + j", "j");
    assert_eq!(ahead(&one, "i - 1", ""), text(Clause::FilledTwice));
    // The wrong one of two.
    let wrong = IN_TURN.replace("r b[4 * (i mod 2) + j]", "r b[4 * ((i + 1) mod 2) + j]");
    assert_eq!(ahead(&wrong, "i - 1", ""), text(Clause::Filled));
    // One too many, one too few.
    let more = IN_TURN.replace("F[i, j] : 0 <= i < n", "F[i, j] : 0 <= i <= n");
    assert_eq!(ahead(&more, "i - 1", ""), text(Clause::Used));
    let fewer = IN_TURN.replace("F[i, j] : 0 <= i < n", "F[i, j] : 0 <= i < n - 1");
    assert_eq!(ahead(&fewer, "i - 1", ""), text(Clause::Filled));
    let narrow = IN_TURN.replace("b[8]", "b[7]");
    assert_eq!(ahead(&narrow, "i - 1", ""), text(Clause::Extents));
    // Nobody knows which one is last.
    let parallel = "{ mark: 'parallel', child:";
    assert_eq!(ahead(IN_TURN, "i - 1", parallel), text(Clause::FilledTwice));
}
