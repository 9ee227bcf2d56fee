//! The original order: from scatterings to dates.

use super::Part;
use super::refuse::{Lower, Place};
use crate::poly::map_of;
use crate::raise::Origin;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_poly::{DimType, Map, Result, Set, UnionMap};

/// The dates of all statements.
pub(super) struct Dates {
    /// From instances of the scop to dates, all of one length.
    pub(super) dates: Vec<Map>,
    /// From instances of the document to those of the scop.
    pub(super) origin: Origin,
}

/// The dates, shorter ones filled up with zeros; instances that no scattering orders are ordered as
/// [`DiagnosticId::AssumedOrder`] says.
pub(super) fn dates(
    parts: &[Part<'_>],
    params: &[String],
    context: &Set,
    place: Place<'_>,
    warnings: &mut Vec<Diagnostic>,
) -> Lower<Dates> {
    let mut given = Vec::new();
    for part in parts {
        given.push(scattering(part, params, context)?);
    }
    let (given, is_assumed) = place.poly(complete(parts, given, context))?;
    if is_assumed {
        let message = "the scatterings do not order all instances";
        warnings.push(place.diagnostic(DiagnosticId::AssumedOrder, message, "in this scop").help(
            "they are taken to run statement after statement, each in the order of its iterators",
        ));
    }
    place.poly(upward(given))
}

/// The function from instances to dates that a scattering is; no dimensions where there is none.
fn scattering(part: &Part<'_>, params: &[String], context: &Set) -> Lower<Map> {
    let Part { place, name, .. } = part;
    let Some(relation) = &part.open.scattering else {
        let zero = part.domain.identity().and_then(|same| {
            same.project_out(DimType::Out, 0, same.dim(DimType::Out)?)?.reset_tuple_id(DimType::Out)
        });
        return place.poly(zero);
    };
    let named = map_of(relation, params).and_then(|map| map.with_tuple_name(DimType::In, name));
    let map = place.poly(named)?;
    let instances = place.poly(part.domain.intersect_params(context))?;
    let on_instances = place.poly(map.intersect_domain(&instances))?;
    if !place.poly(on_instances.is_single_valued())? {
        let message = format!("the scattering of {name} gives an instance several dates");
        return Err(place.refuse(message, "in this statement"));
    }
    if !place.poly(on_instances.domain().and_then(|dated| instances.is_subset(&dated)))? {
        let message = format!("the scattering of {name} gives some instances no date");
        return Err(place.refuse(message, "in this statement"));
    }
    // Later stages ask for the function itself, so it must be one outside of the domain, too.
    let is_function = place.poly(map.is_single_valued())?;
    Ok(if is_function { map } else { on_instances })
}

/// Dates of one length that order all instances, and whether something had to be added for that.
fn complete(parts: &[Part<'_>], dates: Vec<Map>, context: &Set) -> Result<(Vec<Map>, bool)> {
    let mut length = 0;
    for date in &dates {
        length = length.max(date.dim(DimType::Out)?);
    }
    let padded = dates.iter().map(|date| padded(date, length)).collect::<Result<Vec<Map>>>()?;
    if orders_all(parts, &padded, context)? {
        return Ok((padded, false));
    }
    let numbered = (0..)
        .zip(&padded)
        .map(|(number, date)| date.add_dims(DimType::Out, 1)?.fix_si(DimType::Out, length, number));
    let numbered = numbered.collect::<Result<Vec<Map>>>()?;
    if orders_all(parts, &numbered, context)? {
        return Ok((numbered, true));
    }
    let mut depth = 0;
    for part in parts {
        depth = depth.max(part.domain.dim(DimType::SET)?);
    }
    let iterated = numbered.iter().map(|date| iterated(date, length + 1, depth));
    Ok((iterated.collect::<Result<_>>()?, true))
}

/// A date with zeros up to `length` dimensions.
fn padded(date: &Map, length: u32) -> Result<Map> {
    let n = date.dim(DimType::Out)?;
    let longer = date.add_dims(DimType::Out, length - n)?;
    (n..length).try_fold(longer, |map, at| map.fix_si(DimType::Out, at, 0))
}

/// A date of `length` dimensions with the iterators behind it, filled up to `depth` more.
fn iterated(date: &Map, length: u32, depth: u32) -> Result<Map> {
    let n = date.dim(DimType::In)?;
    let longer = date.add_dims(DimType::Out, n)?;
    let at = |position: u32| i32::try_from(position).unwrap_or(i32::MAX);
    let same = |map: Map, i: u32| map.equate(DimType::In, at(i), DimType::Out, at(length + i));
    padded(&(0..n).try_fold(longer, same)?, length + depth)
}

/// Whether no two instances share a date.
fn orders_all(parts: &[Part<'_>], dates: &[Map], context: &Set) -> Result<bool> {
    let dated = parts
        .iter()
        .zip(dates)
        .map(|(part, date)| date.intersect_domain(&part.domain.intersect_params(context)?));
    UnionMap::union_all(dated.collect::<Result<Vec<Map>>>()?)?.is_injective()
}

/// The dates of instances whose iterators run upward, and how they come from the instances of the document: an iterator
/// with a negative coefficient in the first dimension of the dates that it stands in is negated.
fn upward(dates: Vec<Map>) -> Result<Dates> {
    let mut result = Dates { dates: Vec::new(), origin: Origin::default() };
    for date in dates {
        let n = date.dim(DimType::In)?;
        let down = (0..n).map(|at| runs_down(&date, at)).collect::<Result<Vec<bool>>>()?;
        let name = date.tuple_name(DimType::In).unwrap_or_default();
        let from: Vec<String> = (0..n).map(|at| format!("i{at}")).collect();
        let to: Vec<String> = from
            .iter()
            .zip(down)
            .map(|(iterator, down)| if down { format!("-{iterator}") } else { iterator.clone() })
            .collect();
        let instances: Map =
            format!("{{ {name}[{}] -> {name}[{}] }}", from.join(", "), to.join(", ")).parse()?;
        result.dates.push(date.apply_domain(&instances)?);
        result.origin.instances.push(instances);
    }
    Ok(result)
}

/// Whether a loop runs downward.
fn runs_down(date: &Map, iterator: u32) -> Result<bool> {
    let position = i32::try_from(iterator).unwrap_or(i32::MAX);
    let function = date.to_pw_multi_aff()?;
    let length = i32::try_from(date.dim(DimType::Out)?).unwrap_or(i32::MAX);
    for at in 0..length {
        for (_, aff) in function.at(at)?.pieces()? {
            let coefficient = aff.coefficient_val(DimType::In, position)?;
            if !coefficient.is_zero()? {
                return coefficient.is_neg();
            }
        }
    }
    Ok(false)
}
