//! The arrays that accesses touch.

use super::Values;
use crate::entries::entries_within;
use crate::refuse::{Read, Text};
use farkas_base::Span;
use farkas_poly::{DimType, PwAff, Result, Set, Space, UnionSet};
use farkas_scop::{Array, ArrayScope, ElementKind, ElementType, ScopBuilder};

/// Gives `scop` the arrays that its accesses touch, in the order of the text.
pub(super) fn add_arrays(
    text: &Text<'_>,
    values: &Values,
    params: &[String],
    scop: &mut ScopBuilder,
) -> Read<()> {
    for (_, parts) in &values.accesses {
        for (span, map) in parts {
            let failed = |error| text.failed(*span, &error);
            let space = map.space().and_then(|space| space.range()).map_err(failed)?;
            let rank = space.dim(DimType::SET).map_err(failed)? as usize;
            let is_nested = space.is_wrapping().map_err(failed)?;
            let Some(name) = space.tuple_name(DimType::SET).filter(|_| !is_nested) else {
                let message = "an access leads to a tuple without the name of an array";
                let error = text.unsupported(message, *span, "no array");
                return Err(Box::new(
                    error.help("write it in front, as in `A[i]`, or `x[]` for a scalar"),
                ));
            };
            match scop.arrays.iter().find(|array| array.name == name) {
                Some(known) if known.rank() == rank => {}
                Some(known) => {
                    let message =
                        format!("`{name}` has {} dimensions and here {rank}", known.rank());
                    let error = text.unsupported(message, *span, "another number of dimensions");
                    let first = known.span.unwrap_or(*span);
                    return Err(Box::new(error.also(first, "first")));
                }
                None => drop(scop.arrays.push(array(name, rank, *span))),
            }
        }
    }
    let model = Space::params_named(params).map_err(|e| text.failed(Span::new(0..0), &e))?;
    for key in ["extents", "live_in", "live_out"] {
        let (Some(entry), Some(set)) = (text.entry(key), values.set(key)) else { continue };
        describe(key, set, &model, scop).map_err(|error| text.failed(entry.key, &error))?;
    }
    add_elements(text, scop)
}

/// An array of which nothing is known but its name.
fn array(name: String, rank: usize, span: Span) -> Array {
    Array {
        source_name: name.clone(),
        name,
        element: ElementType { text: "unknown".into(), kind: ElementKind::Other },
        extents: vec![None; rank],
        scope: ArrayScope::Global,
        is_live_in: true,
        is_live_out: true,
        declaration: None,
        reduction: None,
        span: Some(span),
    }
}

/// Tells the arrays what the set with the key `key` says of them.
fn describe(key: &str, set: &UnionSet, model: &Space, scop: &mut ScopBuilder) -> Result<()> {
    let sets = set.sets()?;
    for array in scop.arrays.iter_mut() {
        let own = |set: &&Set| set.tuple_name().as_deref() == Some(array.name.as_str());
        let own = sets.iter().find(own);
        match (key, own) {
            ("live_in", own) => array.is_live_in = own.is_some(),
            ("live_out", own) => array.is_live_out = own.is_some(),
            (_, Some(elements)) => {
                array.extents = extents(&elements.align_params(model)?, array.rank())?
            }
            (_, None) => {}
        }
    }
    Ok(())
}

/// The number of elements in each dimension: one more than the greatest subscript, where there is one for all parameters
/// for which there are elements.
fn extents(elements: &Set, rank: usize) -> Result<Vec<Option<PwAff>>> {
    if elements.dim(DimType::SET)? as usize != rank {
        return Ok(vec![None; rank]);
    }
    let extent = |at: u32| {
        if !elements.dim_has_upper_bound(DimType::SET, at)? {
            return Ok(None);
        }
        let greatest = elements.dim_max(i32::try_from(at).unwrap_or(i32::MAX))?;
        // The greatest subscript is one function wherever there are elements; so it is everywhere.
        let greatest = match greatest.pieces()?.as_slice() {
            [(_, everywhere)] => everywhere.to_pw_aff()?,
            _ => greatest,
        };
        let one = PwAff::constant_on(&greatest.domain()?, 1)?;
        Ok(Some(greatest.add(&one)?))
    };
    (0..u32::try_from(rank).unwrap_or(u32::MAX)).map(extent).collect()
}

/// Tells the arrays their types of elements, and orders them as the types are.
fn add_elements(text: &Text<'_>, scop: &mut ScopBuilder) -> Read<()> {
    let Some(entry) = text.entry("elements") else { return Ok(()) };
    let types = entries_within(&text.clean, entry.value.range());
    if types.is_empty() {
        let error =
            text.wrong("the elements are no mapping from arrays to types", entry.key, "no mapping");
        return Err(Box::new(error.help("write one array a line, indented: `  A: double`")));
    }
    for of_array in &types {
        let name = text.value(of_array);
        if name.is_empty() {
            return Err(text.wrong("a type is missing", of_array.key, "no type behind it"));
        }
        if let Some(array) = scop.arrays.iter_mut().find(|array| array.name == of_array.name) {
            array.element = ElementType { text: name.to_owned(), kind: kind(name) };
        }
    }
    // Those with a type come first, in the order of their types.
    let place =
        |array: &Array| types.iter().position(|t| t.name == array.name).unwrap_or(types.len());
    let mut arrays: Vec<Array> = scop.arrays.iter().cloned().collect();
    arrays.sort_by_key(place);
    scop.arrays = arrays.into_iter().collect();
    Ok(())
}

/// What a C type is, on a machine with `long` of 64 bits.
fn kind(name: &str) -> ElementKind {
    let words: Vec<&str> = name.split_whitespace().collect();
    match words.as_slice() {
        ["_Float16"] => ElementKind::Half,
        ["__bf16"] => ElementKind::Bf16,
        ["float"] => ElementKind::Float,
        ["double"] => ElementKind::Double,
        ["long", "double"] => ElementKind::LongDouble,
        ["unsigned"] => ElementKind::Unsigned(32),
        ["unsigned", rest @ ..] => bits(rest).map_or(ElementKind::Other, ElementKind::Unsigned),
        ["signed", rest @ ..] => bits(rest).map_or(ElementKind::Other, ElementKind::Signed),
        [fixed] if fixed.starts_with("uint") && fixed.ends_with("_t") => {
            bits(&[&fixed[1..]]).map_or(ElementKind::Other, ElementKind::Unsigned)
        }
        rest => bits(rest).map_or(ElementKind::Other, ElementKind::Signed),
    }
}

/// The width of a C integer type without its sign.
fn bits(words: &[&str]) -> Option<u8> {
    Some(match words {
        ["char"] | ["int8_t"] => 8,
        ["short"] | ["short", "int"] | ["int16_t"] => 16,
        ["int"] | ["int32_t"] => 32,
        ["long"] | ["long", "int"] | ["long", "long"] | ["long", "long", "int"] | ["int64_t"] => 64,
        _ => return None,
    })
}
