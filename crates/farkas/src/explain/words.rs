//! Statements and dependences in the user's terms.

use farkas_base::{SourceFile, Span};
use farkas_deps::{DepId, Dependence, DependenceKind, Dependences};
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
            Some(distance) => {
                let distance: Vec<String> = distance.iter().map(i64::to_string).collect();
                format!("({})", distance.join(","))
            }
            None => "varying".to_owned(),
        };
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
