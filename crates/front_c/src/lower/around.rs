//! What generated code must know of the file around a region.

use super::assume::Taken;
use super::build::Builder;
use super::hir::{Expr, ExprKind, Node, VarId};
use super::parse::Parser;
use super::vars::Var;
use crate::source::{MacroOrigin, Region, TranslationUnit};
use farkas_base::{Diagnostic, DiagnosticId, Id};
use farkas_scop::{
    ArrayScope, AssumptionKind, Claim, Expr as Out, MacroGuard, OuterIterator, ParamId, Scop,
};
use std::collections::BTreeSet;

/// The macros whose values went into the region; those that the compiler itself defines apart.
pub(super) fn macro_guards(unit: &TranslationUnit, region: &Region<'_>) -> Vec<MacroGuard> {
    let folded =
        unit.macros_in(region.inside).into_iter().filter(|m| m.origin != MacroOrigin::Compiler);
    folded.map(|m| MacroGuard { name: m.name, value: m.expansion, testable: m.value }).collect()
}

/// Refuses to drop a pragma under which a variable has, after the region, the value from before it, where that is read.
pub(super) fn private_values(
    unit: &TranslationUnit,
    region: &Region<'_>,
    scop: &Scop,
    iterators: &[OuterIterator],
) -> Result<(), Box<Diagnostic>> {
    let is_written = |array| {
        let mut accesses = scop.stmts().iter().flat_map(|stmt| stmt.accesses.iter());
        accesses.any(|access| access.array == array && access.kind.is_write())
    };
    for (name, pragma) in region.private_variables(unit) {
        let mut arrays = scop.arrays().iter_enumerated();
        let changes = arrays
            .any(|(id, a)| a.source_name == name && a.is_live_out && is_written(id))
            || iterators.iter().any(|i| i.name == name && i.final_value.is_some());
        if changes {
            let message = format!(
                "`{name}` may be read after the region, and `#pragma {}` keeps its value",
                pragma.words
            );
            let diagnostic = Diagnostic::new(DiagnosticId::PragmaInTheWay, message);
            return Err(Box::new(diagnostic.at(unit.source(), pragma.span, "")));
        }
    }
    Ok(())
}

/// Whether the function mentions a variable outside the region, its declaration apart.
fn is_used_elsewhere(parser: &Parser<'_, '_>, var: &Var<'_>) -> bool {
    let (start, end) = parser.region_range();
    let declared = var.symbol.as_ref().map(|s| s.identifier);
    let elsewhere = |n: &crate::source::Node<'_>| {
        (n.end_byte() <= start || n.start_byte() >= end) && Some(*n) != declared
    };
    var.scope == ArrayScope::Global || parser.table.uses(&var.name).iter().any(elsewhere)
}

impl Builder<'_> {
    /// The iterators that are declared outside the region. Where one is read after the region, its value must be known.
    pub(super) fn outer_iterators(
        &mut self,
        parser: &Parser<'_, '_>,
        nodes: &[Node],
    ) -> Vec<OuterIterator> {
        let mut seen = BTreeSet::new();
        let mut order = Vec::new();
        for node in nodes {
            node.walk(&mut |n| {
                if let Node::Loop(l) = n
                    && seen.insert(l.var)
                {
                    order.push(l.var);
                }
            });
        }
        order.retain(|v| self.vars[*v].scope != ArrayScope::Region);
        order.into_iter().map(|var| self.outer_iterator(parser, var)).collect()
    }

    fn outer_iterator(&mut self, parser: &Parser<'_, '_>, var: VarId) -> OuterIterator {
        let v = &self.vars[var];
        let is_used_elsewhere = is_used_elsewhere(parser, v);
        let final_value = if parser.table.is_live_after(&v.name) {
            let known = self.known.get(&var).and_then(|e| self.closed(e));
            let known = known.or_else(|| self.value_if_set(var));
            if known.is_none() {
                self.unknown_final_value(parser, var);
            }
            known
        } else {
            None
        };
        OuterIterator {
            name: v.name.clone(),
            ty: v.element.text.clone(),
            is_used_elsewhere,
            final_value,
        }
    }

    /// The local variables of the function that only the text of the region uses, and no statement of its does: values stand in
    /// their places, or variables of the statements' own.
    pub(super) fn dropped(&self, parser: &Parser<'_, '_>) -> Vec<String> {
        let is_dropped = |(id, v): &(VarId, &Var<'_>)| {
            v.scope == ArrayScope::Local
                && v.symbol.as_ref().is_some_and(|symbol| symbol.name == v.name)
                && !(v.is_iterator || self.params.contains(id) || self.arrays.contains(id))
                && !is_used_elsewhere(parser, v)
        };
        self.vars.iter_enumerated().filter(is_dropped).map(|(_, v)| v.name.clone()).collect()
    }

    /// The value of the iterator of a loop inside of others, which keeps what it was where they have no iterations.
    fn value_if_set(&self, var: VarId) -> Option<Out> {
        let (set, value) = self.finals.get(&var)?;
        let [set, value] = [set, value].map(|e| self.closed(e).map(Box::new));
        let before = Out::Local(self.vars[var].name.clone());
        Some(Out::Ternary(set?, value?, Box::new(before)))
    }

    /// An iterator is read after the region, but its value there is not simple.
    fn unknown_final_value(&mut self, parser: &Parser<'_, '_>, var: VarId) {
        let v = &self.vars[var];
        let later = parser.table.uses_after(&v.name);
        let Some(place) = later.first().map(|n| parser.unit.span(*n)) else {
            let text = format!("no code outside the function reads the iterator `{}`", v.name);
            let (names, span) = (vec![v.name.clone()], Some(v.span));
            let (kind, claim) = (AssumptionKind::UnreadIterators, Claim::Untestable);
            let needed_by = "generated code";
            return self.take(Taken { kind, claim, text, needed_by, names, span }, None);
        };
        let error = self
            .at(DiagnosticId::IteratorValue, format!("the iterator `{}` is read after the region", v.name), place, "")
            .note("the value that the region leaves in it is known only where the bounds of its loop are parameters")
            .help("use another variable there, or declare the iterator inside the loop");
        self.report(error);
    }

    /// An expression of parameters and numbers alone.
    fn closed(&self, expr: &Expr) -> Option<Out> {
        let one = |e: &Expr| self.closed(e).map(Box::new);
        Some(match &expr.kind {
            ExprKind::Int { value, text } => Out::Int { value: *value, text: text.clone() },
            ExprKind::Scalar(var) => {
                Out::Param(ParamId::from_index(self.params.iter().position(|p| p == var)?))
            }
            ExprKind::Unary(op, a) => Out::Unary(*op, one(a)?),
            ExprKind::Cast(ty, a) => Out::Cast(ty.clone(), one(a)?),
            ExprKind::Binary(op, a, b) => Out::Binary(*op, one(a)?, one(b)?),
            ExprKind::Ternary(a, b, c) => Out::Ternary(one(a)?, one(b)?, one(c)?),
            ExprKind::Float(_)
            | ExprKind::Verbatim(_)
            | ExprKind::Element(..)
            | ExprKind::Call { .. } => return None,
        })
    }
}
