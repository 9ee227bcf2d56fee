//! Calls of BLAS routines in the place of statements (`--blas`).

use crate::analyze::analyze;
use crate::basis::Basis;
use crate::normal::in_normal_form;
use crate::prove::verify;
use crate::storage::expanded;
use crate::{Error, Optimized, Options, Session};
use farkas_base::{SourceFile, Span};
use farkas_deps::Dependences;
use farkas_poly::{DimType, Set, Val, with_budget};
use farkas_scop::{
    ArrayId, ArrayScope, Assumption, AssumptionKind, Claim, ElementKind, Outcome, Region, Scop,
};
use farkas_transform::{Called, Remark, find_call, in_order_of, sizes_that_fit};
use farkas_tree::{Program, original_tree};

/// isl operations that looking for calls in a region may take.
const MAX_OPERATIONS: u64 = 40_000_000;

/// The header that declares the routines.
const HEADER: &str = "cblas.h";

/// What became of the search for calls in a region.
#[derive(Default)]
pub(crate) struct Calls {
    /// The region with calls in the place of some of its statements, proved, in the order of its normal form; none where there are none.
    pub(crate) region: Option<Region>,
    /// What was done and why, and what was not.
    remarks: Vec<Remark>,
    /// What the calls take for granted beside the region.
    assumptions: Vec<Assumption>,
}

impl Calls {
    /// What became of the region that was looked at, by what became of the one with calls.
    pub(crate) fn around(self, found: Optimized) -> Optimized {
        let remarks = [self.remarks, found.remarks].concat();
        let Some(region) = self.region else { return Optimized { remarks, ..found } };
        let storage = found.storage.or(Some(region.scop));
        let assumptions = [self.assumptions, found.assumptions].concat();
        // Its own order is not that of the file any more.
        Optimized { storage, remarks, assumptions, stays: None, ..found }
    }
}

/// A region with calls in the place of statements that compute the same.
///
/// # Errors
/// When isl refuses.
pub(crate) fn calls(
    region: &Region,
    options: &Options,
    session: &mut Session,
) -> Result<Calls, Error> {
    match within_budget(region, options, session) {
        Err(error) if error.has_simpler_form() => {
            session.warn(format!("no calls are looked for any further: {error}"));
            Ok(Calls::default())
        }
        found => found,
    }
}

/// The same, or an error where it takes too much work. Where values of scalars end up in an array's elements, they may be added up there.
fn within_budget(
    region: &Region,
    options: &Options,
    session: &mut Session,
) -> Result<Calls, Error> {
    let deps = analyze(&region.scop, options, session)?;
    let plain = Basis::of(&region.scop, deps);
    let in_elements = expanded(&plain, options, session)?;
    let mut found = searched(region, plain, options, session)?;
    if let Some(basis) = in_elements {
        let other = searched(region, basis, options, session)?;
        if other.calls.len() > found.calls.len() && !has_own_arrays(&other.scop) {
            found = other;
        }
    }
    let Found { scop, calls, assumptions, missed, before } = found;
    if calls.is_empty() {
        return Ok(Calls { remarks: missed, ..Calls::default() });
    }
    let mut parts = scop.to_builder();
    parts.assumptions.extend(assumptions.iter().cloned());
    let scop = parts.build().map_err(farkas_transform::Error::Scop)?;
    let stmts = calls.iter().flat_map(|remark| remark.stmts.clone()).collect();
    let text = "calls add in an order of their own and read nothing that they multiply by zero, \
                as --blas permits: results may be rounded otherwise";
    let granted = Remark { pass: "blas", stmts, text: text.to_owned() };
    let remarks = [before, calls, vec![granted], missed].concat();
    let mut host = region.host.clone();
    host.dropped.extend(unused(&region.scop, &scop));
    let region = Region { scop, host, ..region.clone() };
    Ok(Calls { region: Some(region), remarks, assumptions })
}

/// What was found in one form of a region.
struct Found {
    /// The scop with calls.
    scop: Scop,
    /// The calls, as remarks.
    calls: Vec<Remark>,
    /// What they take for granted.
    assumptions: Vec<Assumption>,
    /// What is nearly one.
    missed: Vec<Remark>,
    /// What was done to the region before.
    before: Vec<Remark>,
}

/// The calls in a region's scop, or in one that computes the same with other storage.
fn searched(
    region: &Region,
    basis: Basis,
    options: &Options,
    session: &mut Session,
) -> Result<Found, Error> {
    let Basis { scop, deps, remarks: before, .. } = basis;
    let (calls, missed, assumptions) = (Vec::new(), Vec::new(), Vec::new());
    let mut found = Found { scop, calls, assumptions, missed, before };
    let Some(scop) = in_order(&found.scop, &deps, options, session)? else { return Ok(found) };
    found.scop = scop;
    loop {
        let find = || with_budget(MAX_OPERATIONS, || find_call(&found.scop, &mut found.missed));
        let Some(called) = session.run("blas", find)? else { return Ok(found) };
        found.calls.push(called.remark());
        found.assumptions.extend(fits(region, &found.scop, &called)?);
        found.scop = called.scop;
    }
}

/// Whether statements use arrays that the generated code would have to allocate.
fn has_own_arrays(scop: &Scop) -> bool {
    let is_own = |array: ArrayId| scop.arrays()[array].scope == ArrayScope::Expanded;
    scop.stmts().iter().any(|stmt| stmt.accesses.iter().any(|access| is_own(access.array)))
}

/// The local variables that statements use in one scop and in the other no more.
fn unused(before: &Scop, now: &Scop) -> Vec<String> {
    let uses = |scop: &Scop, array: ArrayId| {
        scop.stmts().iter().any(|stmt| stmt.accesses.iter().any(|access| access.array == array))
    };
    let local = before.arrays().iter_enumerated().filter(|(id, array)| {
        array.scope == ArrayScope::Local
            && !array.source_name.contains(['.', '['])
            && uses(before, *id)
            && !uses(now, *id)
    });
    local.map(|(_, array)| array.source_name.clone()).collect()
}

/// The scop in the order of its normal form, in which statements have loops of their own; proved.
fn in_order(
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Option<Scop>, Error> {
    let program = in_normal_form(scop, deps, options, session)?;
    let Some(dated) = in_order_of(&program.scop, &program.tree)? else { return Ok(None) };
    let tree = original_tree(&dated)?;
    verify(scop, &Program::new(scop, tree), session)?;
    Ok(Some(dated))
}

/// The assumption that the sizes of a call fit its arguments; none where they always do.
fn fits(region: &Region, scop: &Scop, called: &Called) -> Result<Option<Assumption>, Error> {
    let fitting = sizes_that_fit(scop, &called.call)?;
    if with_types(scop)?.is_subset(&fitting)? {
        return Ok(None);
    }
    let names: Vec<String> = fitting.space()?.param_names()?;
    let kind = AssumptionKind::IndexFits;
    let is_granted = region.host.grants.iter().any(|grant| grant.covers(kind, &names));
    Ok(Some(Assumption {
        kind,
        claim: Claim::Parameters(fitting.gist_params(scop.context())?),
        text: format!("the sizes of a call of {} fit `int`", called.call.form.routine),
        needed_by: "calls",
        names,
        span: None,
        outcome: if is_granted { Outcome::Granted } else { Outcome::Tested },
    }))
}

/// What is known of the parameters, what their types say counted in.
fn with_types(scop: &Scop) -> Result<Set, Error> {
    let mut known = scop.context().clone();
    for param in scop.params() {
        let kind = ElementKind::of_integer_type(&param.ty);
        let Some(at) = known.find_param(&param.name) else { continue };
        if let Some(ElementKind::Signed(..=32) | ElementKind::Unsigned(..=16)) = kind {
            known = known.upper_bound_val(DimType::Param, at, &Val::int(i32::MAX.into())?)?;
        }
    }
    Ok(known)
}

/// What is put into a file so that the calls in its regions are declared: a directive behind its own, in front of the first region; none
/// where nothing is called, or it is there.
pub fn header(source: &SourceFile, replacements: &[(Span, String)]) -> Option<(Span, String)> {
    let calls = |(_, text): &&(Span, String)| text.contains("cblas_");
    let first = replacements.iter().filter(calls).map(|(span, _)| span.range().start).min()?;
    let before = source.text().get(..first).unwrap_or("");
    // Behind includes, in front of macros of the file's own, which names in the header may be.
    let (mut at, mut depth, mut offset, mut is_open) = (0, 0_usize, 0, true);
    for line in before.split_inclusive('\n') {
        let directive = line.trim_start().strip_prefix('#').map_or("", str::trim_start);
        let is = |word: &str| directive.starts_with(word);
        if is("include") && directive.contains(HEADER) {
            return None;
        }
        offset += line.len();
        if is("if") {
            depth += 1;
        } else if is("endif") {
            depth = depth.saturating_sub(1);
        } else if is("define") && !directive["define".len()..].trim_start().starts_with('_') {
            is_open = false;
        }
        if (is("include") || is("endif") || is("define")) && depth == 0 && is_open {
            at = offset;
        }
    }
    Some((Span::new(at..at), format!("#include <{HEADER}>\n")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splice;

    #[test]
    fn the_header_is_included_once_behind_others() {
        let with = |text: &str| {
            let source = SourceFile::new("a.c", text);
            let at = text.find("loop").expect("a loop");
            let mut replaced = vec![(Span::new(at..at + 4), "cblas_dgemm();\n".to_owned())];
            replaced.extend(header(&source, &replaced));
            splice(&source, &replaced)
        };
        let plain =
            "#include \"a.h\"\n#ifdef X\n#include \"b.h\"\n#endif\nvoid f(void) {\nloop\n}\n";
        assert_eq!(
            with(plain),
            "#include \"a.h\"\n#ifdef X\n#include \"b.h\"\n#endif\n#include <cblas.h>\nvoid f(void) {\ncblas_dgemm();\n}\n"
        );
        let macros = "#define _GNU_SOURCE\n#include \"a.h\"\n#ifndef N\n#define N 3\n#endif\nvoid f(void) {\nloop\n}\n";
        assert!(
            with(macros).starts_with(
                "#define _GNU_SOURCE\n#include \"a.h\"\n#include <cblas.h>\n#ifndef N"
            )
        );
        let known = "#include <cblas.h>\nvoid f(void) {\nloop\n}\n";
        assert_eq!(with(known).matches("cblas.h").count(), 1);
    }
}
