//! Does a schedule keep what its strategy's file asks for?

use farkas::{Options, Strategy};
use farkas_schedule::{
    Coefficient, ConfigConstraint, ConfigTerm, Dimension, ScheduleReport, Scheduled, Warning,
};
use farkas_scop::{Scop, Statement, StmtId, linear_part};
use farkas_solve::RowKind;
use farkas_tree::{Node, ScheduleTree};
use std::collections::BTreeSet;

/// Whether a statement has no instances: it stands nowhere in a tree.
fn never_runs(scop: &Scop, stmt: StmtId) -> bool {
    scop.domain_of(stmt).is_ok_and(|domain| domain.is_empty().is_ok_and(|is_empty| is_empty))
}

/// A constraint that the rows of the schedule break and no warning names, or a row that the tree does not have. Constraints
/// on variables are left out: their values are not known.
pub(super) fn broken_promise(
    scop: &Scop,
    options: &Options,
    scheduled: &Scheduled,
) -> Option<String> {
    let Strategy::File(file) = &options.strategy else { return None };
    let lines = |stmt: &Statement| Some(options.source.as_ref()?.line(stmt.span?));
    let config = file.resolve(scop, lines).ok()?;
    let report = &scheduled.report;
    let is_missing =
        |stmt: &StmtId| !never_runs(scop, *stmt) && !is_in_tree(scop, *stmt, scheduled);
    if let Some(stmt) = scop.stmts().ids().find(is_missing) {
        return Some(format!("the tree does not have the rows of {stmt} in the report"));
    }
    let broken = config.constraints.iter().find(|constraint| is_broken(constraint, report));
    broken.map(|constraint| format!("a constraint is broken in silence: {constraint:?}"))
}

/// Whether a constraint does not hold, and nothing says so.
fn is_broken(constraint: &ConfigConstraint, report: &ScheduleReport) -> bool {
    let Some(stmts) = stmts_of(constraint) else { return false };
    let dimensions: BTreeSet<usize> = match constraint.dimension {
        Dimension::At(at) => [at].into(),
        Dimension::Default => {
            let rows = report.rows.iter();
            let here = rows.filter(|row| row.stmts.iter().any(|stmt| stmts.contains(stmt)));
            here.map(|row| row.dimension).collect()
        }
        Dimension::Last => return false,
    };
    let told = |at: Option<usize>| {
        report.warnings.iter().any(|warning| {
            matches!(warning, Warning::ConstraintsDropped { dimension, origins, .. }
                if origins.contains(&constraint.origin) && at.is_none_or(|at| at == *dimension))
        })
    };
    let is_unknown = report.warnings.iter().any(|warning| match warning {
        Warning::OriginalOrder { stmts: of } | Warning::TooLarge { stmts: of, .. } => {
            of.iter().any(|stmt| stmts.contains(stmt))
        }
        _ => false,
    });
    let breaks = |at: &usize| !holds(constraint, report, *at) && !told(Some(*at));
    dimensions.iter().any(breaks) || is_unknown && dimensions.is_empty() && !told(None)
}

/// The statements that a constraint names; none where it has variables.
fn stmts_of(constraint: &ConfigConstraint) -> Option<BTreeSet<StmtId>> {
    let stmt = |(term, _): &(ConfigTerm, i64)| match term {
        ConfigTerm::Coefficient(stmt, _) => Some(*stmt),
        ConfigTerm::Variable(_) => None,
    };
    constraint.terms.iter().map(stmt).collect()
}

/// Whether a constraint holds of the rows of a dimension.
fn holds(constraint: &ConfigConstraint, report: &ScheduleReport, dimension: usize) -> bool {
    let value = |&(term, factor): &(ConfigTerm, i64)| match term {
        ConfigTerm::Coefficient(stmt, which) => {
            i128::from(factor) * i128::from(coefficient(report, stmt, dimension, which))
        }
        ConfigTerm::Variable(_) => 0,
    };
    let sum = i128::from(constraint.constant) + constraint.terms.iter().map(value).sum::<i128>();
    match constraint.kind {
        RowKind::Equality => sum == 0,
        RowKind::Inequality => sum >= 0,
    }
}

/// A coefficient in the schedule: of a band's row; of a sequence's, where the constant is the position; of none, zero.
fn coefficient(report: &ScheduleReport, stmt: StmtId, dimension: usize, which: Coefficient) -> i64 {
    let mut rows = report.rows.iter().filter(|row| row.dimension == dimension);
    let row = rows.find_map(|row| row.of(&[stmt]).map(|(_, row)| row.clone()).next());
    if let Some(row) = row {
        return row.coefficient(which);
    }
    let mut sequences = report.sequences.iter().filter(|s| s.dimension == dimension);
    let positions = sequences.find_map(|s| s.positions().find(|(of, _)| *of == stmt));
    match which {
        Coefficient::Constant => positions.map_or(0, |(_, at)| at),
        Coefficient::Iterator(_) | Coefficient::Param(_) => 0,
    }
}

/// Whether the members of bands around a statement are its rows in the report, but for those without iterators.
fn is_in_tree(scop: &Scop, stmt: StmtId, scheduled: &Scheduled) -> bool {
    let is_original = |warning: &Warning| match warning {
        Warning::OriginalOrder { stmts } | Warning::TooLarge { stmts, .. } => stmts.contains(&stmt),
        _ => false,
    };
    if scheduled.report.warnings.iter().any(is_original) {
        return true;
    }
    let reported = scheduled.report.rows.iter().filter_map(|row| {
        let (_, of) = row.of(&[stmt]).next()?;
        Some(of.iterators.clone())
    });
    let mut members = Vec::new();
    let name = scop.stmts()[stmt].name.clone();
    collect(&scheduled.tree, scop, stmt, &name, &mut members);
    let has_loops = |row: &Vec<i64>| row.iter().any(|&c| c != 0);
    members.retain(has_loops);
    members == reported.filter(has_loops).collect::<Vec<_>>()
}

/// The linear parts of the members of all bands around a statement, the outermost first.
fn collect(tree: &ScheduleTree, scop: &Scop, stmt: StmtId, name: &str, found: &mut Vec<Vec<i64>>) {
    if let Node::Filter { filter, .. } = tree.node() {
        let sets = filter.sets().unwrap_or_default();
        if !sets.iter().any(|set| set.tuple_name().as_deref() == Some(name)) {
            return;
        }
    }
    if let Node::Band { band, .. } = tree.node() {
        let space = scop.stmts()[stmt].domain.space();
        for member in &band.members {
            let part =
                space.as_ref().ok().and_then(|space| member.schedule.extract_pw_aff(space).ok());
            found.extend(part.and_then(|part| linear_part(&part).ok().flatten()));
        }
    }
    tree.children().iter().for_each(|child| collect(child, scop, stmt, name, found));
}
