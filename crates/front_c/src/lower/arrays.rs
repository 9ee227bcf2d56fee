//! The arrays of a scop: names, extents, liveness.

use super::affine::Frame;
use super::assume::Taken;
use super::build::Builder;
use super::hir::{Expr, VarId};
use super::linear::TakenProduct;
use super::parse::Parser;
use super::vars::{Var, Vars};
use crate::source::ScopeKind;
use farkas_base::{DiagnosticId, IdVec, NameGenerator};
use farkas_poly::{PwAff, Set, Val};
use farkas_scop::{AccessKind, Array, ArrayId, ArrayScope, AssumptionKind, Claim};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The isl names of arrays, given out when an array first occurs.
#[derive(Default)]
pub(super) struct ArrayNames {
    outer: BTreeMap<VarId, String>,
    /// Those of the region, and whether they were made.
    inner: BTreeMap<VarId, (String, bool)>,
    used: BTreeSet<String>,
    fresh: NameGenerator,
}

impl ArrayNames {
    /// Names for `vars`: those from outside the region keep theirs; none of `reserved` is made anew.
    pub(super) fn new(vars: &Vars<'_>, reserved: &BTreeSet<String>) -> Self {
        let fresh = NameGenerator::new(reserved.iter().cloned());
        let mut names = Self { fresh, ..Self::default() };
        let outer = vars.iter_enumerated().filter(|(_, v)| v.scope != ArrayScope::Region);
        for (id, var) in outer {
            let plain = var.name.replace("[]", "").replace('.', "_");
            let free = (plain == var.name || !reserved.contains(&plain))
                && names.used.insert(plain.clone());
            let name = if free { plain } else { names.fresh.fresh(&plain) };
            names.outer.insert(id, name);
        }
        names
    }

    /// The name of `var`.
    pub(super) fn of(&mut self, id: VarId, var: &Var<'_>) -> String {
        let inner = || self.inner.get(&id).map(|(name, _)| name);
        if let Some(known) = self.outer.get(&id).or_else(inner) {
            return known.clone();
        }
        let free = self.used.insert(var.name.clone());
        let name = if free { var.name.clone() } else { self.fresh.fresh(&var.name) };
        self.inner.insert(id, (name.clone(), !free));
        name
    }

    /// Takes back the names of variables of the region.
    pub(super) fn restart(&mut self) {
        for (name, is_made) in std::mem::take(&mut self.inner).into_values() {
            match is_made {
                true => self.fresh.release(&name),
                false => drop(self.used.remove(&name)),
            }
        }
    }
}

/// The arrays of the scop, in the order of their ids.
///
/// # Errors
/// When isl refuses.
pub(super) fn arrays(
    builder: &mut Builder<'_>,
    parser: &Parser<'_, '_>,
) -> Result<IdVec<ArrayId, Array>, farkas_poly::Error> {
    let mut arrays = IdVec::new();
    for id in &builder.arrays {
        let var = &builder.vars[*id];
        let name = builder.array_names.of(*id, var);
        let local = builder.is_region_local(*id);
        let extents = match builder.linear.extents(*id) {
            Some(mut extents) => {
                let first = var
                    .extents
                    .first()
                    .and_then(|e| builder.linear.first_extent(builder, *id, e.as_ref()?));
                extents[0] = first;
                extents.iter().map(|e| parameter_value(builder, e.as_ref()?)).collect()
            }
            None => var.extents.iter().map(|e| parameter_value(builder, e.as_ref()?)).collect(),
        };
        let whole = var.whole();
        let is_own = whole == var.name && parser.table.is_own_memory(whole);
        arrays.push(Array {
            source_name: var.name.clone(),
            element: var.element.clone(),
            extents,
            scope: var.scope,
            is_live_in: !local && !is_own && is_live_in(var, parser),
            is_live_out: !local
                && !is_own
                && (parser.table.is_live_after(whole) || is_read_again(builder, *id, parser)),
            declaration: local.then(|| declaration(var, &name)),
            reduction: None,
            name,
            span: Some(var.span),
        });
    }
    Ok(arrays)
}

/// The value of an expression of parameters and constants.
pub(super) fn parameter_value(builder: &Builder<'_>, expr: &Expr) -> Option<PwAff> {
    let frame =
        Frame::new(builder.param_space.clone(), builder.vars, builder.params, &[], Rc::default());
    frame.ok()?.value(expr).ok()
}

/// The declaration of a variable of the region under another name, without its initial value.
fn declaration(var: &Var<'_>, name: &str) -> String {
    let extents: String = var.extent_texts.iter().map(|e| format!("[{e}]")).collect();
    format!("{} {name}{extents};", var.element.text)
}

/// Whether code before the region may have set the variable.
fn is_live_in(var: &Var<'_>, parser: &Parser<'_, '_>) -> bool {
    let Some(symbol) = var.symbol.as_ref().filter(|s| s.scope == ScopeKind::Local) else {
        return true;
    };
    let (start, end) = parser.region_range();
    let name = symbol.name.as_str();
    symbol.outlives_function()
        || symbol.initializer.is_some()
        || var.is_pointer
        || parser.runs_again_within(symbol)
        || parser.table.is_address_taken(name)
        || parser.table.uses(name).into_iter().any(|u| {
            u != symbol.identifier
                && (u.end_byte() <= start || u.start_byte() >= end && parser.has_goto)
        })
}

/// Whether the region may run again and read what it leaves in the variable.
fn is_read_again(builder: &Builder<'_>, id: VarId, parser: &Parser<'_, '_>) -> bool {
    let var = &builder.vars[id];
    let again = var.symbol.as_ref().is_some_and(|s| parser.runs_again_within(s));
    let array = builder.arrays.iter().position(|v| *v == id);
    let reads = |a: &farkas_scop::Access| {
        a.kind == AccessKind::Read && Some(farkas_base::Id::index(a.array)) == array
    };
    again && !var.writes.is_empty() && builder.stmts.iter().any(|s| s.accesses.iter().any(reads))
}

impl Builder<'_> {
    /// Puts into the context what C and the user say of the parameters.
    ///
    /// # Errors
    /// When isl refuses.
    pub(super) fn declare_context(&mut self, user: Option<&Set>) -> Result<(), farkas_poly::Error> {
        let frame =
            Frame::new(self.param_space.clone(), self.vars, self.params, &[], Rc::default());
        let Ok(frame) = frame else { return Ok(()) };
        let Ok(zero) = frame.constant(0) else { return Ok(()) };
        for param in self.params {
            if let farkas_scop::ElementKind::Unsigned(_) = self.vars[*param].element.kind {
                let expr = Expr {
                    kind: super::hir::ExprKind::Scalar(*param),
                    ty: self.vars[*param].element.kind,
                    span: self.vars[*param].span,
                };
                if let Ok(value) = frame.value(&expr) {
                    self.context = self.context.intersect(&value.ge_set(&zero)?)?;
                }
            }
        }
        self.context = self.context.intersect(&self.flags_are_exclusive()?)?;
        self.declared = self.context.coalesce()?;
        if let Some(user) = user {
            self.context = self.context.intersect(user)?;
        }
        self.context = self.context.coalesce()?;
        self.ranges = self.type_ranges()?.intersect(&self.context)?;
        Ok(())
    }

    /// What is known of parameters that say whether a variable has a value: they are 0 or 1, and of those of one variable one is 1 at most.
    fn flags_are_exclusive(&self) -> Result<Set, farkas_poly::Error> {
        let mut of: BTreeMap<VarId, Vec<&str>> = BTreeMap::new();
        for param in self.params {
            let var = &self.vars[*param];
            if let Some(flag_of) = var.flag_of {
                of.entry(flag_of).or_default().push(&var.name);
            }
        }
        let least = of.values().flatten().map(|flag| format!("{flag} >= 0"));
        let most = of.values().map(|flags| format!("{} <= 1", flags.join(" + ")));
        let known: Vec<String> = least.chain(most).collect();
        if known.is_empty() {
            return Set::universe(&self.param_space);
        }
        let names: Vec<&str> = self.params.iter().map(|p| self.vars[*p].name.as_str()).collect();
        format!("[{}] -> {{ : {} }}", names.join(", "), known.join(" and ")).parse()
    }

    /// Refuses arrays declared inside the region whose sizes are not known at its start.
    pub(super) fn sizes_of_declared_arrays(&mut self) {
        let local =
            self.arrays.iter().map(|v| &self.vars[*v]).filter(|v| v.scope == ArrayScope::Region);
        let unknown = local.filter(|v| {
            v.extents.iter().any(|e| e.as_ref().is_none_or(|e| parameter_value(self, e).is_none()))
        });
        let unknown: Vec<_> = unknown.collect();
        self.positive_sizes();
        for var in unknown {
            let message =
                format!("the size of `{}` is not known at the start of the region", var.name);
            let error = self
                .at(DiagnosticId::UnsupportedDeclaration, message, var.span, "")
                .note("the array is declared once for the whole region, so its size may depend on parameters only")
                .help("declare it before the region, as large as it is at most");
            self.report(error);
        }
    }

    /// Takes for granted that sizes are the products by which linearised subscripts have dimensions.
    pub(super) fn sizes_are_products(&mut self) {
        for product in self.linear.products() {
            let span = product.whole.span;
            let done = self.size_is_product(&product);
            let _ = self.check(done, Some(span));
        }
    }

    /// Takes for granted that one size is a product.
    fn size_is_product(&mut self, product: &TakenProduct) -> Result<(), farkas_poly::Error> {
        let TakenProduct { whole, times, parts } = product;
        let name = |expr: &Expr| match expr.scalar() {
            Some(var) => self.vars[var].name.clone(),
            None => self.source_text(expr.span),
        };
        let number = (*times != 1).then(|| times.to_string());
        let names: Vec<String> = number.into_iter().chain(parts.iter().map(name)).collect();
        let text = format!("`{}` is `{}`", name(whole), names.join(" * "));
        let (kind, span) = (AssumptionKind::InRow, whole.span);
        let value = |expr| parameter_value(self, expr)?.project_domain_on_params().ok();
        let factors: Option<Vec<PwAff>> = parts.iter().map(value).collect();
        let claim = match (value(whole), factors) {
            (Some(whole), Some(factors)) => match factors.as_slice() {
                [part] => {
                    let part = part.scale_val(&Val::int(*times)?)?;
                    return self.take_parameters(kind, &whole.ne_set(&part)?, text, span);
                }
                _ => Claim::Product(whole, *times, factors),
            },
            _ => Claim::Untestable,
        };
        let (needed_by, names, span) = ("subscripts", Vec::new(), Some(span));
        self.take(Taken { kind, claim, text, needed_by, names, span }, None);
        Ok(())
    }

    /// Takes for granted that the arrays declared inside the region have elements: the region's declarations become its first
    /// statements, whether or not the loops around them ran.
    fn positive_sizes(&mut self) {
        for var in self.arrays.clone().into_iter().map(|v| &self.vars[v]) {
            for extent in var.extents.iter().flatten().filter(|_| var.scope == ArrayScope::Region) {
                let Some(value) = parameter_value(self, extent) else { continue };
                let bad = PwAff::constant_on(&self.context, 0)
                    .and_then(|zero| value.le_set(&zero))
                    .and_then(|s| s.params());
                let text = format!("the size of `{}` is positive", var.name);
                let kind = AssumptionKind::PositiveExtents;
                let done = bad.and_then(|bad| self.take_parameters(kind, &bad, text, var.span));
                let _ = self.check(done, Some(var.span));
            }
        }
    }
}
