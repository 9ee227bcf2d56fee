//! Constraints on the statements of a scop.

use super::form::add_product;
use super::{Atom, Coefficients, Constraint, Index, Part, StmtRef};
use crate::names::{Name, Names};
use crate::report::Report;
use farkas_base::{DiagnosticId, Id, Span};
use farkas_schedule::Coefficient;
use farkas_scop::{ParamId, StmtId};
use farkas_solve::RowKind;
use std::collections::BTreeMap;

/// An unknown of a scop's rows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ResolvedTerm {
    /// A coefficient in the row of the constraint, or in the one that is named.
    Coefficient(StmtId, Coefficient, Option<usize>),
    /// A variable of the user's, by its position.
    Variable(usize),
}

/// `sum of factor * term + constant`, zero or not negative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Resolved {
    /// Zero, or not negative.
    pub(crate) kind: RowKind,
    /// The terms in order, each once, without zeros.
    pub(crate) terms: Vec<(ResolvedTerm, i64)>,
    /// The constant.
    pub(crate) constant: i64,
}

impl Resolved {
    /// Whether it holds whatever the rows are (`true`), never (`false`), or depends on them.
    fn fixed(&self) -> Option<bool> {
        let holds = match self.kind {
            RowKind::Equality => self.constant == 0,
            RowKind::Inequality => self.constant >= 0,
        };
        self.terms.is_empty().then_some(holds)
    }
}

/// The constraints that one of the user's stands for: one, or with `S*` one a statement. What always holds is left out;
/// what never does, because all of its unknowns are missing, is an error.
pub(crate) fn resolve(
    constraint: &Constraint,
    names: &Names<'_>,
    report: &mut Report,
) -> Vec<Resolved> {
    let coefficients = constraint.terms.iter().filter_map(|term| match &term.atom {
        Atom::Coefficient(coefficients) => Some((coefficients, term.span)),
        Atom::Variable(_) => None,
    });
    let places: Vec<(&Coefficients, Span)> = coefficients.collect();
    let mut targets = Vec::new();
    for (coefficients, span) in &places {
        targets.push(Target::new(coefficients, *span, names, report));
    }
    let Some(targets) = targets.into_iter().collect::<Option<Vec<Target>>>() else {
        return Vec::new();
    };
    let is_each = places.iter().any(|(c, _)| c.stmt == StmtRef::Each);
    let stmts: Vec<Option<StmtId>> =
        if is_each { names.scop.stmts().ids().map(Some).collect() } else { vec![None] };
    let (mut rows, mut without) = (Vec::new(), Vec::new());
    for stmt in stmts {
        let Some(row) = row(constraint, &targets, stmt, names) else {
            let message = "the constraint has a number that is too large";
            report.error(DiagnosticId::ValueOutOfRange, constraint.span, message, "");
            return Vec::new();
        };
        match row.fixed() {
            Some(true) => {}
            Some(false) => without.push(stmt),
            None => rows.push(row),
        }
    }
    if !without.is_empty() {
        never_holds(constraint, &without, names, report);
    }
    rows
}

/// The message on a constraint none of whose unknowns is there, for some statements or as a whole.
fn never_holds(
    constraint: &Constraint,
    stmts: &[Option<StmtId>],
    names: &Names<'_>,
    report: &mut Report,
) {
    let stmts = stmts.iter().flatten().filter_map(|stmt| names.scop.stmts().get(*stmt));
    let stmts: Vec<&str> = stmts.map(|s| s.name.as_str()).collect();
    let message = match stmts.is_empty() {
        true => "the constraint never holds".to_owned(),
        false => format!("the constraint never holds for {}", stmts.join(", ")),
    };
    let label = "no unknown is left there; what a statement lacks counts as zero";
    report.error(DiagnosticId::UnknownIterator, constraint.span, message, label);
}

/// The constraint with `S*` standing for `each`; none where a number gets too large.
fn row(
    constraint: &Constraint,
    targets: &[Target],
    each: Option<StmtId>,
    names: &Names<'_>,
) -> Option<Resolved> {
    let mut terms: BTreeMap<ResolvedTerm, i64> = BTreeMap::new();
    let mut targets = targets.iter();
    for term in &constraint.terms {
        let atoms = match &term.atom {
            Atom::Variable(position) => vec![ResolvedTerm::Variable(*position)],
            Atom::Coefficient(_) => targets.next()?.terms(each, names),
        };
        for atom in atoms {
            let sum = terms.entry(atom).or_insert(0);
            *sum = add_product(*sum, 1, term.factor)?;
        }
    }
    let terms = terms.into_iter().filter(|(_, factor)| *factor != 0).collect();
    Some(Resolved { kind: constraint.kind, terms, constant: constraint.constant })
}

/// What coefficients mean in a scop.
struct Target {
    /// Of which statement; of all or of each.
    stmts: Stmts,
    which: Which,
    depth: Option<usize>,
}

/// Which statements.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stmts {
    All,
    Each,
    One(StmtId),
}

/// Which coefficients of a statement.
enum Which {
    AllIterators,
    /// By name or number.
    Iterator(String),
    AllParams,
    Param(ParamId),
    Constant,
}

impl Target {
    /// Finds what is named, with a message where it is not there.
    fn new(
        coefficients: &Coefficients,
        span: Span,
        names: &Names<'_>,
        report: &mut Report,
    ) -> Option<Self> {
        let name = |text: &String| Name { text: text.clone(), span };
        let stmts = match &coefficients.stmt {
            StmtRef::Sum => Stmts::All,
            StmtRef::Each => Stmts::Each,
            StmtRef::One(text) => Stmts::One(names.stmt(report, &name(text))?),
        };
        let which = match (coefficients.part, &coefficients.index) {
            (Part::Iterator, Index::Sum) => Which::AllIterators,
            (Part::Iterator, Index::One(text)) => {
                check_iterator(stmts, &name(text), names, report)?;
                Which::Iterator(text.clone())
            }
            (Part::Param, Index::Sum) => Which::AllParams,
            (Part::Param, Index::One(text)) => Which::Param(names.param(report, &name(text))?),
            (Part::Constant, _) => Which::Constant,
        };
        Some(Self { stmts, which, depth: coefficients.depth })
    }

    /// The single coefficients.
    fn terms(&self, each: Option<StmtId>, names: &Names<'_>) -> Vec<ResolvedTerm> {
        let stmts: Vec<StmtId> = match self.stmts {
            Stmts::All => names.scop.stmts().ids().collect(),
            Stmts::Each => each.into_iter().collect(),
            Stmts::One(stmt) => vec![stmt],
        };
        let of = |stmt| self.of(stmt, names).into_iter().map(move |which| (stmt, which));
        let terms = stmts.into_iter().flat_map(of);
        terms.map(|(stmt, which)| ResolvedTerm::Coefficient(stmt, which, self.depth)).collect()
    }

    /// The coefficients of one statement; none where it does not have them.
    fn of(&self, stmt: StmtId, names: &Names<'_>) -> Vec<Coefficient> {
        let depth = names.scop.stmts().get(stmt).map_or(0, farkas_scop::Statement::depth);
        match &self.which {
            Which::AllIterators => (0..depth).map(Coefficient::Iterator).collect(),
            Which::Iterator(name) => {
                names.iterator(stmt, name).map(Coefficient::Iterator).into_iter().collect()
            }
            Which::AllParams => (0..names.scop.params().len())
                .map(|p| Coefficient::Param(ParamId::from_index(p)))
                .collect(),
            Which::Param(param) => vec![Coefficient::Param(*param)],
            Which::Constant => vec![Coefficient::Constant],
        }
    }
}

/// The statement that is named must have the iterator; of several, one must.
fn check_iterator(stmts: Stmts, name: &Name, names: &Names<'_>, report: &mut Report) -> Option<()> {
    if let Stmts::One(stmt) = stmts {
        if names.iterator(stmt, &name.text).is_none() {
            names.unknown_iterator(report, stmt, name);
            return None;
        }
        return Some(());
    }
    let has_it = names.scop.stmts().ids().any(|stmt| names.iterator(stmt, &name.text).is_some());
    if !has_it {
        let message = format!("no statement has an iterator `{}`", name.text);
        report.error(DiagnosticId::UnknownIterator, name.span, message, "");
        return None;
    }
    Some(())
}
