//! What is tested in front of a region, and what runs where it does not hold.

use crate::{Error, Options};
use farkas_astgen::{Ast, Guard, LoopKind, Span};
use farkas_base::IdVec;
use farkas_codegen::is_limit_known;
use farkas_deps::legality;
use farkas_poly::DimType;
use farkas_scop::{
    ArrayId, Assumption, AssumptionKind, Claim, MemoryLimit, Outcome, Region, Scop, Statement,
};
use farkas_tree::ScheduleTree;
use std::collections::BTreeSet;

/// isl operations that finding out which arrays may be the same may take for each pair.
const MAX_OPERATIONS: u64 = 200_000;

/// The conditions under which `ast`, the loops of `tree`, the order of the statements of `scop`, compute what the region computes.
///
/// # Errors
/// When isl refuses.
pub(crate) fn guards(
    region: &Region,
    scop: &Scop,
    (tree, ast): (&ScheduleTree, &Ast),
    options: &Options,
) -> Result<Vec<Guard>, Error> {
    let needed = needed(region, options);
    let is_plain = *scop == region.scop && !keeps_elements(ast) && !has_calls(scop);
    let same = if is_plain { same(scop, tree, &needed)? } else { Vec::new() };
    let mut guards = farkas_astgen::guards(&region.scop, needed, &same)?;
    guards.iter_mut().for_each(|guard| at_home(region, guard));
    Ok(guards)
}

/// The test of an object of one place, at the place that the region takes its value from.
fn at_home(region: &Region, guard: &mut Guard) {
    let Guard::Apart { touched, .. } = guard else { return };
    for touched in touched.iter_mut().filter(|touched| touched.first.is_empty()) {
        if let Some(taken) = region.host.taken.iter().find(|taken| taken.name == touched.name) {
            touched.name.clone_from(&taken.home);
        }
    }
}

/// Whether statements call routines in the place of others.
pub(crate) fn has_calls(scop: &Scop) -> bool {
    scop.stmts().iter().any(Statement::is_call)
}

/// Whether the text may keep elements in variables while a loop runs, which the order of accesses does not show: in rows that are
/// written out, and in sums.
fn keeps_elements(ast: &Ast) -> bool {
    let mut found = false;
    for node in &ast.body {
        node.for_each_loop(&mut |inner| {
            found |= inner.info.kind == LoopKind::Unrolled || !inner.info.reduced.is_empty()
        });
    }
    found
}

/// The assumptions that the order needs: none on the memory of arrays where it is the original's.
pub(crate) fn needed<'a>(region: &'a Region, options: &Options) -> Vec<&'a Assumption> {
    let is_about_order = |a: &Assumption| {
        matches!(a.claim, Claim::Apart(..) | Claim::RowsApart(..) | Claim::RowsAscend(_))
    };
    // Calls read and write all of their operands in an order of their own.
    let is_original = options.keeps_order() && !has_calls(&region.scop);
    region.scop.assumptions().iter().filter(|a| !(is_original && is_about_order(a))).collect()
}

/// What is taken for granted of the memory of arrays for the values of temporaries; nothing where loops have none.
pub(crate) fn memory(
    region: &Region,
    (scop, ast): (&Scop, &Ast),
    own: &[Span],
    limit: MemoryLimit,
) -> Option<Assumption> {
    if ast.expanded.is_empty() {
        return None;
    }
    let arrays: BTreeSet<&str> =
        ast.expanded.iter().map(|(array, _)| scop.arrays()[*array].source_name.as_str()).collect();
    let names: Vec<String> = arrays.iter().map(|name| (*name).to_owned()).collect();
    let most = match limit {
        MemoryLimit::Bytes(bytes) => format!("{bytes} bytes"),
        MemoryLimit::Times(times) => format!("{times} times what is touched of the other arrays"),
    };
    let verb = if names.len() == 1 { "takes" } else { "take" };
    let text = format!("{} {verb} at most {most}", listed(&arrays));
    let kind = AssumptionKind::Memory;
    let outcome = if is_limit_known(&ast.expanded, limit, own) {
        Outcome::Proved("their sizes are numbers".to_owned())
    } else if region.host.grants.iter().any(|grant| grant.covers(kind, &names)) {
        Outcome::Granted
    } else {
        Outcome::Tested
    };
    let (claim, needed_by) = (Claim::Memory(limit), "expansion");
    Some(Assumption { kind, claim, text, needed_by, names, span: None, outcome })
}

/// What was not proved, in lines of a comment: what is tested, and what the user grants.
pub(crate) fn told(needed: &[&Assumption]) -> Vec<String> {
    let of = |outcome: Outcome, word: &str| {
        let of_outcome = needed.iter().filter(|assumption| assumption.outcome == outcome);
        let (pairs, others): (Vec<&Assumption>, Vec<&Assumption>) =
            of_outcome.partition(|a| matches!(a.claim, Claim::Apart(..) | Claim::RowsApart(..)));
        let mut told: Vec<String> = others.iter().map(|a| a.text.replace('`', "")).collect();
        told.dedup();
        if !pairs.is_empty() {
            let names: BTreeSet<&str> =
                pairs.iter().flat_map(|a| a.names.iter().map(String::as_str)).collect();
            told.push(format!("no overlap of {}", listed(&names)));
        }
        (!told.is_empty()).then(|| format!("{word}: {}.", told.join("; ")))
    };
    [of(Outcome::Tested, "tested"), of(Outcome::Granted, "granted")].into_iter().flatten().collect()
}

/// Names in a sentence: `a, b and c`.
fn listed(names: &BTreeSet<&str>) -> String {
    let names: Vec<&str> = names.iter().copied().collect();
    match names.split_last() {
        Some((last, first)) if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// What runs where a condition does not hold: the region as the user wrote it.
pub(crate) fn otherwise(region: &Region) -> String {
    region.host.original.clone()
}

/// The pairs of arrays that may begin at the same address, all at once: the order keeps all accesses to the one that they
/// are then in their order. An in-place softmax is such a program.
fn same(
    scop: &Scop,
    tree: &ScheduleTree,
    needed: &[&Assumption],
) -> Result<Vec<(ArrayId, ArrayId)>, Error> {
    let mut merged = scop.clone();
    let mut same = Vec::new();
    // The array that stands for each, once they are one.
    let mut stands_for: IdVec<ArrayId, ArrayId> = scop.arrays().ids().collect();
    for assumption in needed.iter().filter(|a| a.outcome == Outcome::Tested) {
        let Claim::Apart(a, b) = assumption.claim else { continue };
        if !have_one_shape(scop, a, b) {
            continue;
        }
        let (one, other) = (stands_for[a], stands_for[b]);
        let Some(candidate) = with_one(&merged, one, other)? else { continue };
        match legality::keeps_order(&candidate, tree, &[one], MAX_OPERATIONS) {
            Ok(true) => {
                merged = candidate;
                stands_for
                    .iter_mut()
                    .filter(|array| **array == other)
                    .for_each(|array| *array = one);
                same.push((a, b));
            }
            Ok(false) => {}
            Err(error) if Error::from(error.clone()).has_simpler_form() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(same)
}

/// Whether equal subscripts of both arrays mean equal places where they begin at the same address.
fn have_one_shape(scop: &Scop, a: ArrayId, b: ArrayId) -> bool {
    let (x, y) = (&scop.arrays()[a], &scop.arrays()[b]);
    let inner = |extents: &[Option<farkas_poly::PwAff>]| extents.get(1..).map(<[_]>::to_vec);
    // Members of structs lie as far apart as the structs are large.
    let are_plain = !x.is_member_of_elements() && !y.is_member_of_elements();
    are_plain
        && x.element == y.element
        && x.element.kind.size_bytes().is_some()
        && x.rank() == y.rank()
        && x.extents.iter().skip(1).all(Option::is_some)
        && inner(&x.extents) == inner(&y.extents)
}

/// The scop with the accesses to both arrays made accesses to the first; nothing where that is no scop.
fn with_one(scop: &Scop, a: ArrayId, b: ArrayId) -> Result<Option<Scop>, Error> {
    let mut parts = scop.to_builder();
    let name = scop.arrays()[a].name.clone();
    for stmt in parts.stmts.iter_mut() {
        for access in stmt.accesses.iter_mut().filter(|access| access.array == b) {
            access.relation = access.relation.with_tuple_name(DimType::Out, &name)?;
            access.array = a;
        }
    }
    Ok(parts.build().ok())
}

/// The condition, in C, that a parameter is above its size.
pub(crate) fn is_large(sizes: &[(String, i64)]) -> String {
    let tests: Vec<String> = sizes.iter().map(|(name, most)| format!("{name} > {most}")).collect();
    if let [one] = tests.as_slice() { one.clone() } else { format!("({})", tests.join(" || ")) }
}
