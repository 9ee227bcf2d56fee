//! The arrays of a scop: names, extents, liveness, and whether they may overlap.

use super::affine::Frame;
use super::build::Builder;
use super::hir::{Expr, VarId};
use super::parse::Parser;
use super::vars::{Var, Vars};
use crate::source::{self, ScopeKind};
use farkas_base::{Diagnostic, DiagnosticId, IdVec, NameGenerator};
use farkas_poly::{PwAff, Set};
use farkas_scop::{AccessKind, Array, ArrayId, ArrayScope};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The isl names of arrays, given out when an array first occurs.
#[derive(Default)]
pub(super) struct ArrayNames {
    outer: BTreeMap<VarId, String>,
    inner: BTreeMap<VarId, String>,
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
            let plain = var.name.replace('.', "_");
            let free = (plain == var.name || !reserved.contains(&plain))
                && names.used.insert(plain.clone());
            let name = if free { plain } else { names.fresh.fresh(&plain) };
            names.outer.insert(id, name);
        }
        names
    }

    /// The name of `var`.
    pub(super) fn of(&mut self, id: VarId, var: &Var<'_>) -> String {
        if let Some(known) = self.outer.get(&id).or_else(|| self.inner.get(&id)) {
            return known.clone();
        }
        let free = self.used.insert(var.name.clone());
        let name = if free { var.name.clone() } else { self.fresh.fresh(&var.name) };
        self.inner.insert(id, name.clone());
        name
    }

    /// Takes back the names of variables of the region.
    pub(super) fn restart(&mut self) {
        for name in std::mem::take(&mut self.inner).into_values() {
            self.used.remove(&name);
            self.fresh.release(&name);
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
                extents[0] = first.as_ref();
                extents.into_iter().map(|e| parameter_value(builder, e?)).collect()
            }
            None => var.extents.iter().map(|e| parameter_value(builder, e.as_ref()?)).collect(),
        };
        let whole = var.name.split('.').next().unwrap_or_default();
        arrays.push(Array {
            source_name: var.name.clone(),
            element: var.element.clone(),
            extents,
            scope: var.scope,
            is_live_in: !local && is_live_in(var, parser),
            is_live_out: !local
                && (parser.table.is_live_after(whole) || is_read_again(builder, *id, parser)),
            declaration: local.then(|| declaration(var, &name)),
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
        let mut positive = Vec::new();
        for var in self.vars.iter().filter(|v| v.has_evaluated_extents()) {
            let sizes = var.extents.iter().flatten().filter(|e| e.constant().is_none());
            positive.extend(sizes.filter_map(|e| frame.value(e).ok()));
        }
        let (Ok(zero), Ok(one)) = (frame.constant(0), frame.constant(1)) else { return Ok(()) };
        for size in positive {
            self.context = self.context.intersect(&size.ge_set(&one)?)?;
        }
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
        self.declared = self.context.coalesce()?;
        if let Some(user) = user {
            self.context = self.context.intersect(user)?;
        }
        self.context = self.context.coalesce()?;
        Ok(())
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

    /// Takes for granted that the arrays declared inside the region have elements: the region's declarations become its first
    /// statements, whether or not the loops around them ran.
    fn positive_sizes(&mut self) {
        for var in self.arrays.clone().into_iter().map(|v| &self.vars[v]) {
            for extent in var.extents.iter().flatten().filter(|_| var.scope == ArrayScope::Region) {
                let Some(value) = parameter_value(self, extent) else { continue };
                let positive = PwAff::constant_on(&self.context, 0)
                    .and_then(|zero| value.gt_set(&zero))
                    .and_then(|s| self.context.intersect(&s));
                let Ok(positive) = positive else { continue };
                if !self.context.is_subset(&positive).unwrap_or(true) {
                    self.assume(format!("the size of `{}` is positive", var.name), Some(var.span));
                    self.context = positive;
                }
            }
        }
    }

    /// Refuses arrays that visibly overlap, and records what is assumed of the others.
    pub(super) fn overlaps(&mut self, parser: &Parser<'_, '_>) {
        let bases: BTreeMap<VarId, BTreeSet<String>> =
            self.arrays.iter().map(|v| (*v, bases(parser, &self.vars[*v]))).collect();
        let mut suspects: Vec<VarId> = Vec::new();
        let arrays = self.arrays.clone();
        let exposed: Vec<bool> =
            arrays.iter().map(|v| is_exposed(&self.vars[*v], parser)).collect();
        for (i, &a) in arrays.iter().enumerate() {
            for (j, &b) in arrays[..i].iter().enumerate() {
                let (x, y) = (&self.vars[a], &self.vars[b]);
                let read_only = x.writes.is_empty() && y.writes.is_empty();
                if read_only || !(x.is_pointer || y.is_pointer) {
                    continue;
                }
                if !bases[&a].is_disjoint(&bases[&b]) {
                    let error = self.overlap(parser, a, b);
                    self.report(error);
                } else if exposed[i] && exposed[j] && may_overlap(x, y) {
                    suspects.extend(
                        [b, a].into_iter().filter(|v| !suspects.contains(v)).collect::<Vec<_>>(),
                    );
                }
            }
        }
        suspects.sort_unstable();
        let names: Vec<String> =
            suspects.iter().map(|v| format!("`{}`", self.vars[*v].name)).collect();
        if let Some((last, first)) = names.split_last().filter(|(_, first)| !first.is_empty()) {
            self.assume(format!("{} and {last} do not overlap", first.join(", ")), None);
        }
        for var in arrays
            .into_iter()
            .map(|v| &self.vars[v])
            .filter(|v| v.holds_pointers && !v.writes.is_empty())
        {
            self.assume(format!("the rows of `{}` do not overlap", var.name), Some(var.span));
        }
        self.parameters_behind_pointers(parser, &bases);
    }

    /// Two arrays of which one visibly points into the other, or both into a third.
    fn overlap(&self, parser: &Parser<'_, '_>, a: VarId, b: VarId) -> Diagnostic {
        let (pointer, other) = if self.vars[a].is_pointer { (a, b) } else { (b, a) };
        let (p, o) = (&self.vars[pointer], &self.vars[other]);
        let place = pointer_values(parser, &p.name)
            .into_iter()
            .next()
            .map_or(p.span, |v| parser.unit.span(v));
        self.at(
            DiagnosticId::OverlappingArrays,
            format!("`{}` and `{}` visibly share memory", p.name, o.name),
            place,
            "",
        )
        .also(o.span, format!("`{}` is declared here", o.name))
        .note("a write to one may change the other, which the dependences would not show")
        .help("use one name for the memory throughout the region")
    }

    /// Parameters at file scope that a write through a pointer might change.
    fn parameters_behind_pointers(
        &mut self,
        parser: &Parser<'_, '_>,
        bases: &BTreeMap<VarId, BTreeSet<String>>,
    ) {
        let exposed = |p: &VarId| {
            let v = &self.vars[*p];
            v.scope == ArrayScope::Global || parser.table.is_address_taken(&v.name)
        };
        let exposed: Vec<VarId> = self.params.iter().copied().filter(exposed).collect();
        for param in exposed {
            let (name, kind) = (self.vars[param].name.clone(), self.vars[param].element.kind);
            let written =
                |v: &&VarId| self.vars[**v].is_pointer && !self.vars[**v].writes.is_empty();
            let visibly =
                self.arrays.iter().filter(written).find(|v| bases[*v].contains(&name)).copied();
            if let Some(array) = visibly {
                let error = self.overlap(parser, array, param);
                self.report(error);
                continue;
            }
            let written = self.arrays.iter().filter(written).map(|v| &self.vars[*v]);
            let written = written.into_iter().find(|v| !v.is_restrict && v.element.kind == kind);
            if let Some(array) = written {
                let text =
                    format!("writing `{}` does not change `{}`", array.name, self.vars[param].name);
                let span = Some(array.span);
                self.assume(text, span);
            }
        }
    }
}

/// Whether a pointer to the variable may exist that the function does not show.
fn is_exposed(var: &Var<'_>, parser: &Parser<'_, '_>) -> bool {
    match var.scope {
        _ if var.is_pointer => !var.is_restrict,
        ArrayScope::Global => true,
        ArrayScope::Region | ArrayScope::Buffer | ArrayScope::Expanded => false,
        ArrayScope::Parameter | ArrayScope::Local => {
            var.rank() > 0 || parser.table.is_address_taken(&var.name)
        }
    }
}

/// Whether nothing but the user's word keeps two exposed variables apart.
fn may_overlap(a: &Var<'_>, b: &Var<'_>) -> bool {
    let own_array = |v: &Var<'_>| v.scope == ArrayScope::Local && !v.is_pointer;
    let from_caller = |v: &Var<'_>| v.scope == ArrayScope::Parameter;
    a.element.kind == b.element.kind
        && !(own_array(a) && from_caller(b) || own_array(b) && from_caller(a))
}

/// The names of the variables that the variable visibly is or points into.
fn bases(parser: &Parser<'_, '_>, var: &Var<'_>) -> BTreeSet<String> {
    let whole = var.name.split('.').next().unwrap_or_default().to_owned();
    let mut found = BTreeSet::new();
    let mut queue = vec![whole];
    while let Some(name) = queue.pop() {
        if found.insert(name.clone()) {
            for value in pointer_values(parser, &name) {
                pointed_to(parser, value, &mut queue);
            }
        }
    }
    found
}

/// What a pointer is set to in the function.
fn pointer_values<'u>(parser: &Parser<'u, '_>, name: &str) -> Vec<source::Node<'u>> {
    parser.table.get(name).map_or_else(Vec::new, |s| values_of(parser, s))
}

/// What the variable `symbol`, if a pointer, is set to in the function. A parameter of array type is a pointer; one without
/// any layer is a number, whatever array element it is set to.
fn values_of<'u>(parser: &Parser<'u, '_>, symbol: &source::Symbol<'u>) -> Vec<source::Node<'u>> {
    let is_pointer = match symbol.ctype.layers.first() {
        Some(source::Layer::Pointer(_)) => true,
        Some(_) => symbol.scope == ScopeKind::Parameter,
        None => false,
    };
    if !is_pointer {
        return Vec::new();
    }
    let assigned = parser
        .table
        .assignments(&symbol.name)
        .into_iter()
        .filter_map(|a| a.child_by_field_name("right"));
    symbol.initializer.into_iter().chain(assigned).collect()
}

/// The variables whose memory the pointer expression `node` leads to.
fn pointed_to(parser: &Parser<'_, '_>, node: source::Node<'_>, names: &mut Vec<String>) {
    let mut queue = vec![(node, false)];
    while let Some((node, addressed)) = queue.pop() {
        let is_address = node.kind() == "pointer_expression"
            && node.child_by_field_name("operator").is_some_and(|o| parser.unit.text(o) == "&");
        let fields: &[&str] = match node.kind() {
            "identifier" => {
                // A number that is added to a pointer leads nowhere.
                let name = parser.unit.text(node);
                let leads = parser.table.get(name).is_none_or(|s| !s.ctype.layers.is_empty());
                names.extend((addressed || leads).then(|| name.to_owned()));
                &[]
            }
            "cast_expression" => &["value"],
            "pointer_expression" | "subscript_expression" | "field_expression" => &["argument"],
            "binary_expression" => &["left", "right"],
            "conditional_expression" => &["consequence", "alternative"],
            "assignment_expression" => &["right"],
            "parenthesized_expression" => {
                queue.extend(node.named_child(0).map(|n| (n, addressed)));
                &[]
            }
            _ => &[],
        };
        let addressed = is_address || addressed && node.kind() == "field_expression";
        queue.extend(
            fields.iter().filter_map(|f| node.child_by_field_name(f)).map(|n| (n, addressed)),
        );
    }
}
