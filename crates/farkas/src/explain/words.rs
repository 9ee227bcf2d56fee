//! Statements and dependences in the user's terms.

use farkas_base::{SourceFile, Span};
use farkas_deps::{DepId, Dependence, DependenceKind, Dependences};
use farkas_poly::{DimType, PwAff, Set};
use farkas_scop::{AccessId, Scop, StmtId};

/// How many distances of like dependences are written out.
const MAX_DISTANCES: usize = 4;

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

    /// `line 12`, or the statement's name where no place is known.
    fn at(self, stmt: StmtId, access: AccessId) -> String {
        let stmt = &self.scop.stmts()[stmt];
        let span: Option<Span> = stmt.accesses[access].span.or(stmt.span);
        span.map_or_else(|| stmt.name.clone(), |span| format!("line {}", self.source.line(span)))
    }

    /// `flow of C: line 12 writes, line 14 reads`.
    fn dependence(self, dep: &Dependence) -> String {
        let (first, second) = match dep.kind {
            DependenceKind::Flow => ("writes", "reads"),
            DependenceKind::Anti => ("reads", "writes"),
            DependenceKind::Output => ("writes", "writes"),
            DependenceKind::Input => ("reads", "reads"),
        };
        let array = self.scop.stmts()[dep.source].accesses[dep.source_access].array;
        format!(
            "{} of {}: {} {first}, {} {second}",
            dep.kind.name(),
            self.scop.arrays()[array].source_name,
            self.at(dep.source, dep.source_access),
            self.at(dep.sink, dep.sink_access),
        )
    }
}

/// `S0, S2`.
pub(crate) fn stmt_list(scop: &Scop, stmts: &[StmtId]) -> String {
    stmts.iter().map(|&s| scop.stmts()[s].name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The dependences `ids`, one line for all that differ in nothing but their distance.
pub(crate) fn carried_lines(names: Names<'_>, deps: &Dependences, ids: &[DepId]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for &id in ids {
        let dep = &deps[id];
        let head = names.dependence(dep);
        let distance = match &dep.distance {
            Some(distance) => distance.iter().map(i64::to_string).collect(),
            None => directions(names.scop, dep).unwrap_or_else(|_| vec!["*".to_owned()]),
        };
        let distance = format!("({})", distance.join(","));
        match groups.iter_mut().find(|(other, _)| *other == head) {
            Some((_, distances)) if distances.contains(&distance) => {}
            Some((_, distances)) => distances.push(distance),
            None => groups.push((head, vec![distance])),
        }
    }
    groups.into_iter().map(|(head, distances)| format!("{head}, {}", listed(&distances))).collect()
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
