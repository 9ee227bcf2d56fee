//! A scop as sets and maps.

use super::ACCESSES;
use crate::print::{params, write_domain, write_union};
use farkas_poly::{DimType, Map, PwAff, Result, Set, Space};
use farkas_scop::{Array, Scop};
use std::fmt::Write;

/// `scop` as sets and maps, which [`read_scop`](super::read_scop) reads again: the same parameters, domains, order,
/// accesses and arrays. Bodies, places, assumptions and the user's names and types of iterators are not in it, nor arrays
/// that nothing accesses and which ones the scop declares itself; an access of several pieces becomes several.
///
/// # Errors
/// When isl refuses.
pub fn print_scop(scop: &Scop) -> Result<String> {
    let model = params(scop)?;
    let mut text = String::new();
    write_domain(&mut text, scop)?;
    let aligned = |maps: Vec<&Map>| -> Result<Vec<Map>> {
        maps.into_iter().map(|map| map.align_params(&model)).collect()
    };
    let dates = aligned(scop.stmts().iter().map(|stmt| &stmt.date).collect())?;
    write_union(&mut text, "schedule", &dates);
    for (key, kind) in ACCESSES {
        let of_kind =
            scop.stmts().iter().flat_map(|stmt| &stmt.accesses).filter(|a| a.kind == kind);
        write_union(&mut text, key, &aligned(of_kind.map(|access| &access.relation).collect())?);
    }
    write_arrays(&mut text, scop, &model)?;
    Ok(text)
}

/// The keys of arrays.
fn write_arrays(text: &mut String, scop: &Scop, model: &Space) -> Result<()> {
    let arrays = scop.arrays();
    let known = arrays.iter().filter(|array| array.extents.iter().any(Option::is_some));
    let extents: Vec<Set> =
        known.map(|array| elements(array, model, true)).collect::<Result<_>>()?;
    write_union(text, "extents", &extents);
    for (key, is_live) in [
        ("live_in", (|array| array.is_live_in) as fn(&Array) -> bool),
        ("live_out", |array| array.is_live_out),
    ] {
        if arrays.iter().all(is_live) {
            continue;
        }
        let live = arrays.iter().filter(|array| is_live(array));
        let live: Vec<Set> =
            live.map(|array| elements(array, model, false)).collect::<Result<_>>()?;
        if live.is_empty() {
            let _ = writeln!(text, "{key}: \"{{ }}\"");
        }
        write_union(text, key, &live);
    }
    if !arrays.is_empty() {
        text.push_str("elements:\n");
    }
    for array in arrays {
        let _ = writeln!(text, "  {}: {}", array.name, array.element.text);
    }
    Ok(())
}

/// The elements of an array: all, or those within its extents.
fn elements(array: &Array, model: &Space, is_bounded: bool) -> Result<Set> {
    let rank = u32::try_from(array.rank()).unwrap_or(u32::MAX);
    let space = model.set_space(&array.name, rank)?;
    let mut set = Set::universe(&space)?;
    for (at, extent) in (0..).zip(&array.extents).filter(|_| is_bounded) {
        if let Some(extent) = extent {
            set =
                set.lower_bound_si(DimType::SET, at, 0)?.intersect(&below(&space, at, extent)?)?;
        }
    }
    Ok(set)
}

/// The points whose dimension `at` is less than `bound`, a function of the parameters.
fn below(space: &Space, at: u32, bound: &PwAff) -> Result<Set> {
    let value = bound.from_range()?.to_map()?.range()?;
    let pairs = Map::from_domain_and_range(&Set::universe(space)?, &value)?;
    let at = i32::try_from(at).unwrap_or(i32::MAX);
    pairs.order_lt(DimType::In, at, DimType::Out, 0)?.domain()
}
