//! Statements and dependences in the user's terms.

use farkas_base::{SourceFile, Span};
use farkas_deps::{DepId, Dependence, DependenceKind, Dependences};
use farkas_poly::{DimType, PwAff, Set};
use farkas_scop::{Access, AccessId, Freedom, Scop, StmtId};

/// How many distances of like dependences are written out.
const MAX_DISTANCES: usize = 4;

/// How many lines the dependences of a loop may take before lines of one kind and array are put together.
const MAX_LINES: usize = 8;

/// What names are looked up in.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    /// The file.
    pub(crate) source: &'a SourceFile,
    /// The scop.
    pub(crate) scop: &'a Scop,
}

impl<'a> Names<'a> {
    /// Names of `scop`, which comes from `source`.
    pub(crate) fn new(source: &'a SourceFile, scop: &'a Scop) -> Self {
        Self { source, scop }
    }

    /// The lines of an access and of those in the same statement that do the same to the same element, of which a dependence
    /// names one; the statement's name where no place is known.
    fn at(self, stmt: StmtId, access: AccessId) -> Vec<String> {
        let stmt = &self.scop.stmts()[stmt];
        let named = &stmt.accesses[access];
        let is_like = |other: &&Access| {
            other.array == named.array
                && other.kind.is_write() == named.kind.is_write()
                && other.relation == named.relation
        };
        let mut lines = Vec::new();
        for access in stmt.accesses.iter().filter(is_like) {
            let span: Option<Span> = access.span.or(stmt.span);
            let line =
                span.map_or_else(|| stmt.name.clone(), |span| self.source.line(span).to_string());
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }

    /// The name of the array of a dependence.
    fn array(self, dep: &Dependence) -> &'a str {
        let array = self.scop.stmts()[dep.source].accesses[dep.source_access].array;
        &self.scop.arrays()[array].source_name
    }
}

/// What to say of dependences of which [`is_rounded`] holds.
pub(crate) const ROUNDED: &str =
    "only the order of floating-point updates is in the way; --reassociate permits others";

/// Whether a dependence is one between updates of an element by one operator, whose order nothing but rounding asks for and nobody permits.
pub(crate) fn is_rounded(scop: &Scop, dep: &Dependence) -> bool {
    let update_of = |stmt, access| {
        let update = scop.stmts()[stmt].update(scop.arrays())?;
        let counts = update.has(access) && update.freedom == Freedom::Rounded;
        counts.then_some(update.operator)
    };
    let (source, sink) =
        (update_of(dep.source, dep.source_access), update_of(dep.sink, dep.sink_access));
    source.is_some() && source == sink && !scop.reassociation().permits(Freedom::Rounded)
}

/// `S0, S2`.
pub(crate) fn stmt_list(scop: &Scop, stmts: &[StmtId]) -> String {
    stmts.iter().map(|&s| scop.stmts()[s].name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Dependences of one kind through one array, told in one line.
struct Group<'a> {
    kind: DependenceKind,
    array: &'a str,
    /// Lines of the accesses that come first.
    sources: Vec<String>,
    /// Lines of the accesses that come second.
    sinks: Vec<String>,
    distances: Vec<String>,
}

/// The dependences `ids`, one line for all that differ in nothing but their distance, as in `flow of C: line 12 writes,
/// line 14 reads, distance (0,1)`; where that makes too many lines, one for each kind and array.
pub(crate) fn carried_lines(names: Names<'_>, deps: &Dependences, ids: &[DepId]) -> Vec<String> {
    let mut groups = grouped(names, deps, ids, |group, one| {
        group.sources == one.sources && group.sinks == one.sinks
    });
    if groups.len() > MAX_LINES {
        groups = grouped(names, deps, ids, |_, _| true);
    }
    groups.iter().map(Group::line).collect()
}

/// The dependences `ids` put together where kind and array are the same and `like` holds.
fn grouped<'a>(
    names: Names<'a>,
    deps: &Dependences,
    ids: &[DepId],
    like: impl Fn(&Group<'_>, &Group<'_>) -> bool,
) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for &id in ids {
        let dep = &deps[id];
        let distance = match &dep.distance {
            Some(distance) => distance.iter().map(i64::to_string).collect(),
            None => directions(names.scop, dep).unwrap_or_else(|_| vec!["*".to_owned()]),
        };
        let one = Group {
            kind: dep.kind,
            array: names.array(dep),
            sources: names.at(dep.source, dep.source_access),
            sinks: names.at(dep.sink, dep.sink_access),
            distances: match distance.is_empty() {
                // Nothing to count in: they share no loop of the source.
                true => Vec::new(),
                false => vec![format!("({})", distance.join(","))],
            },
        };
        let is_like =
            |g: &&mut Group<'_>| g.kind == one.kind && g.array == one.array && like(g, &one);
        match groups.iter_mut().find(is_like) {
            Some(group) => group.add(one),
            None => groups.push(one),
        }
    }
    groups
}

impl Group<'_> {
    /// Takes in another one.
    fn add(&mut self, other: Self) {
        let add = |all: &mut Vec<String>, more: Vec<String>| {
            more.into_iter().for_each(|one| {
                if !all.contains(&one) {
                    all.push(one);
                }
            });
        };
        add(&mut self.sources, other.sources);
        add(&mut self.sinks, other.sinks);
        add(&mut self.distances, other.distances);
    }

    /// `flow of C: line 12 writes, lines 14, 15 read, distance (0,1)`.
    fn line(&self) -> String {
        let (first, second) = match self.kind {
            DependenceKind::Flow => ("write", "read"),
            DependenceKind::Anti => ("read", "write"),
            DependenceKind::Output => ("write", "write"),
            DependenceKind::Input => ("read", "read"),
        };
        let distances = match self.distances.is_empty() {
            true => String::new(),
            false => format!(", {}", listed(&self.distances)),
        };
        format!(
            "{} of {}: {}, {}{distances}",
            self.kind.name(),
            self.array,
            does(&self.sources, first),
            does(&self.sinks, second),
        )
    }
}

/// `line 12 writes`, `lines 12, 14 write`, or names of statements instead of lines.
fn does(places: &[String], verb: &str) -> String {
    let (plural, third) = if places.len() == 1 { ("", "s") } else { ("s", "") };
    let is_line = places.iter().all(|p| p.starts_with(|c: char| c.is_ascii_digit()));
    let word = if is_line { format!("line{plural} ") } else { String::new() };
    format!("{word}{} {verb}{third}", places.join(", "))
}

/// Opens the list of the dependences `ids`, which are not empty: `not parallel, it carries`. Where no value flows, the
/// loop is sequential only because its iterations use the same memory, and that is said.
pub(crate) fn not_parallel(names: Names<'_>, deps: &Dependences, ids: &[DepId]) -> String {
    if ids.iter().any(|&id| deps[id].kind == DependenceKind::Flow) {
        return "not parallel, it carries".to_owned();
    }
    let mut arrays: Vec<String> = Vec::new();
    for &id in ids {
        let array = format!("`{}`", names.array(&deps[id]));
        if !arrays.contains(&array) {
            arrays.push(array);
        }
    }
    format!(
        "not parallel, though no value flows between its iterations: all use the same {}; it carries",
        arrays.join(", ")
    )
}

/// `distance (1,0)`, `distances (1,0) (0,1) and 3 more`.
fn listed(distances: &[String]) -> String {
    let (shown, rest) = distances.split_at(distances.len().min(MAX_DISTANCES));
    let plural = if distances.len() == 1 { "" } else { "s" };
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    format!("distance{plural} {}{more}", shown.join(" "))
}

/// In each common loop, the sign of the distance: `+` where it is always positive, `0+` where never negative, `*` where
/// it may be anything, a number where it is always the same.
fn directions(scop: &Scop, dep: &Dependence) -> farkas_poly::Result<Vec<String>> {
    let n = common_loops(scop, dep.source, dep.sink)?;
    let mut pairs = dep.relation.clone();
    for kind in [DimType::In, DimType::Out] {
        let dims = pairs.dim(kind)?;
        pairs = pairs.project_out(kind, n, dims.saturating_sub(n))?.reset_tuple_id(kind)?;
    }
    let differences = pairs.deltas()?;
    (0..n).map(|at| direction(&differences, at)).collect()
}

/// The sign of one dimension.
fn direction(differences: &Set, at: u32) -> farkas_poly::Result<String> {
    let has = |part: Set| part.is_empty().map(|empty| !empty);
    let (set, dim) = (DimType::SET, at);
    let positive = has(differences.lower_bound_si(set, dim, 1)?)?;
    let negative = has(differences.upper_bound_si(set, dim, -1)?)?;
    let zero = has(differences.lower_bound_si(set, dim, 0)?.upper_bound_si(set, dim, 0)?)?;
    let position = i32::try_from(at).unwrap_or(i32::MAX);
    let bounds = (differences.dim_min_val(position), differences.dim_max_val(position));
    if let (Ok(least), Ok(greatest)) = bounds
        && let (Ok(least), Ok(greatest)) = (least.to_i64(), greatest.to_i64())
        && least == greatest
    {
        return Ok(least.to_string());
    }
    let sign = match (positive, negative, zero) {
        (true, false, false) => "+",
        (true, false, true) => "0+",
        (false, true, false) => "-",
        (false, true, true) => "0-",
        _ => "*",
    };
    Ok(sign.to_owned())
}

/// How many loops two statements share in the source: dates that are no constants, as long as those before are equal.
fn common_loops(scop: &Scop, a: StmtId, b: StmtId) -> farkas_poly::Result<u32> {
    let [a, b] = [a, b].map(|stmt| scop.stmts()[stmt].date.to_pw_multi_aff());
    let (a, b) = (a?, b?);
    let mut n = 0;
    for at in 0..i32::try_from(a.dim(DimType::Out)?).unwrap_or(0) {
        match (constant(&a.at(at)?)?, constant(&b.at(at)?)?) {
            (Some(x), Some(y)) if x == y => {}
            (None, None) => n += 1,
            _ => break,
        }
    }
    Ok(n)
}

/// The value of a function that is the same constant everywhere.
fn constant(function: &PwAff) -> farkas_poly::Result<Option<i64>> {
    match function.pieces()?.as_slice() {
        [(_, aff)] if aff.is_cst()? => aff.constant_val()?.to_i64().map(Some),
        _ => Ok(None),
    }
}
