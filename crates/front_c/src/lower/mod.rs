//! Lowering: from the statements of a region to a scop.
//!
//! [`parse`] and [`expr`] read syntax into a typed tree ([`hir`]); [`build`] walks the tree with [`affine`] at hand and
//! makes domains, dates, accesses and bodies. Errors do not stop the walk: all that is wrong with a region is reported.

mod affine;
mod build;
mod errors;
mod expr;
mod hir;
mod params;
mod parse;
mod pure;
mod vars;

use crate::source::{Region, TranslationUnit};
use crate::{Options, ScopRegion};
use build::Builder;
use farkas_base::{Diagnostic, DiagnosticId, IdVec, NameGenerator};
use farkas_scop::{Array, ArrayScope, Scop, Violation};
use hir::VarId;
use std::collections::{BTreeMap, BTreeSet};
use vars::Vars;

/// Lowers one region.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn lower(
    unit: &TranslationUnit,
    region: &Region<'_>,
    options: &Options,
) -> Result<(ScopRegion, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut parser = parse::Parser::new(unit, region, options);
    let nodes = parser.statements(&region.statements);
    if parser.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(parser.diagnostics);
    }
    let names = unit.names();
    let vars = &parser.vars;
    let params = params::parameters(vars, &nodes);
    let array_names = array_names(vars, &names);
    let mut builder = match Builder::new(unit.source(), vars, &params, array_names) {
        Ok(builder) => builder,
        Err(error) => return Err(vec![internal(&error)]),
    };
    let built = builder.region(&nodes);
    if built.is_err() || builder.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(builder.diagnostics);
    }
    let scop = finish(builder, &parser, region.name()).map_err(|e| vec![internal(&e)])?;
    let region = ScopRegion {
        scop,
        span: region.span,
        function: region.function_name.clone(),
        indent: region.indentation.clone(),
        reserved_names: names,
        macro_guards: Vec::new(),
        outer_iterators: Vec::new(),
    };
    Ok((region, parser.diagnostics))
}

/// Puts the parts together and verifies them.
fn finish(
    mut builder: Builder<'_>,
    parser: &parse::Parser<'_, '_>,
    name: String,
) -> Result<Scop, Violation> {
    builder.dates()?;
    let arrays = arrays(&builder, parser)?;
    builder.finish(name, arrays).build()
}

/// Our own bug.
fn internal(error: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::new(DiagnosticId::InternalError, format!("lowering failed: {error}"))
}

/// A unique name for each variable: its own where that is possible.
fn array_names(vars: &Vars<'_>, reserved: &BTreeSet<String>) -> BTreeMap<VarId, String> {
    let mut taken = NameGenerator::new(reserved.iter().cloned());
    let mut used = BTreeSet::new();
    let mut names = BTreeMap::new();
    let outer_first = |inside: bool| {
        vars.iter_enumerated().filter(move |(_, v)| (v.scope == ArrayScope::Region) == inside)
    };
    for (id, var) in outer_first(false).chain(outer_first(true)) {
        let name = var.name.replace('.', "_");
        let free = used.insert(name.clone());
        names.insert(id, if free { name } else { taken.fresh(&var.name) });
    }
    names
}

/// The arrays of the scop.
fn arrays(
    builder: &Builder<'_>,
    parser: &parse::Parser<'_, '_>,
) -> Result<IdVec<farkas_scop::ArrayId, Array>, farkas_poly::Error> {
    let mut arrays = IdVec::new();
    for id in &builder.arrays {
        let var = &builder.vars[*id];
        let name = builder.array_names.get(id).cloned().unwrap_or_default();
        let local = builder.is_region_local(*id);
        let extents = var.extents.iter().map(|e| {
            let frame =
                affine::Frame::new(builder.param_space.clone(), builder.vars, builder.params, &[])
                    .ok()?;
            frame.value(e.as_ref()?).ok()
        });
        arrays.push(Array {
            source_name: var.name.clone(),
            element: var.element.clone(),
            extents: extents.collect(),
            scope: var.scope,
            is_live_in: !local,
            is_live_out: !local && parser.table.is_live_after(&var.name),
            declaration: local.then(|| format!("{} {name};", var.element.text)),
            name,
            span: Some(var.span),
        });
    }
    Ok(arrays)
}
