//! The original order of a scop: a union map or a schedule tree to dates.

use crate::refuse::{Read, Text};
use crate::schedule::read_schedule;
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_poly::{DimType, Map, Result, Set, Space, UnionMap};
use farkas_scop::Scop;
use std::sync::Arc;

/// `scop`, whose dates are those of the text, with the dates that the key `schedule` says.
pub(super) fn dated(text: &Text<'_>, scop: Scop, warnings: &mut Vec<Diagnostic>) -> Read<Scop> {
    let Some(entry) = text.entry("schedule") else {
        let Some(domain) = text.entry("domain") else { return Ok(scop) };
        if scop.stmts().iter().any(|stmt| stmt.depth() > 0) || scop.stmts().len() > 1 {
            let message = "the scop says nothing of its order: statements run one after another as the domain names them";
            let warning = Diagnostic::new(DiagnosticId::AssumedOrder, message);
            let warning = warning.at(text.source, domain.key, "in this order");
            warnings.push(warning.help("write the order: `schedule: { S[i] -> [i] }`"));
        }
        return Ok(scop);
    };
    // The order is read by itself, at its place: all else is blank.
    let value = entry.value.range();
    let blank = |c: char| if c == '\n' { "\n".to_owned() } else { " ".repeat(c.len_utf8()) };
    let before: String = text.clean.get(..value.start).unwrap_or("").chars().map(blank).collect();
    let alone = before + text.value(entry);
    let file = Arc::new(SourceFile::new(text.source.name(), alone));
    let schedule = read_schedule(&scop, text.source, &file).map_err(|diagnostic| {
        if diagnostic.primary.is_none() {
            return Box::new(diagnostic.at(text.source, entry.key, "this order"));
        }
        Box::new(Diagnostic { source: Some(Arc::clone(text.source)), ..*diagnostic })
    })?;
    let failed = |error| text.failed(entry.key, &error);
    let map = if schedule.is_map {
        text.read::<UnionMap>(entry)?
    } else {
        let tree = schedule.tree.to_isl().map_err(|error| match error {
            farkas_tree::Error::Poly(error) => failed(error),
            other => text.unsupported(other.to_string(), entry.key, "this order"),
        })?;
        tree.map().map_err(failed)?
    };
    let mut dates = Vec::new();
    for (id, stmt) in scop.stmts().iter_enumerated() {
        let domain = scop.domain_of(id).map_err(failed)?;
        let own = map.maps().map_err(failed)?.into_iter();
        let own = own.filter(|map| map.tuple_name(DimType::In).as_deref() == Some(&stmt.name));
        match date(own.collect(), &domain).map_err(failed)? {
            Some(date) => dates.push(date),
            None => {
                let message = format!("some instances of `{}` have no date, or several", stmt.name);
                return Err(text.unsupported(message, entry.key, "this order"));
            }
        }
    }
    let dates = filled_up(dates).map_err(failed)?;
    let is_total = is_total(&scop, &dates).map_err(failed)?;
    if !is_total {
        let message = "the order gives several instances the same date: these run as the domain names their statements";
        let warning = Diagnostic::new(DiagnosticId::AssumedOrder, message);
        warnings.push(warning.at(text.source, entry.key, "not a total order"));
    }
    let mut builder = scop.to_builder();
    for (stmt, date) in builder.stmts.iter_mut().zip(dates) {
        let textual = stmt.date.clone();
        let date = if is_total { Ok(date) } else { date.flat_range_product(&textual) };
        stmt.date = date.map_err(failed)?;
    }
    builder.build().map_err(|v| text.unsupported(v.to_string(), entry.key, "this order"))
}

/// The date of each instance of `domain`: as it is written where that is a function, else simplified there; none where it
/// is no function on all of it.
fn date(maps: Vec<Map>, domain: &Set) -> Result<Option<Map>> {
    if domain.is_empty()? {
        let everywhere = Set::universe(&domain.space()?)?;
        return Ok(Some(Map::from_domain_and_range(&everywhere, &Set::unnamed_universe(0)?)?));
    }
    let mut all: Option<Map> = None;
    for map in maps {
        let map = map.align_params(&domain.space()?)?;
        all = Some(match all {
            Some(all) => all.union(&map)?,
            None => map,
        });
    }
    let Some(date) = all else { return Ok(None) };
    if date.is_single_valued()? && domain.is_subset(&date.domain()?)? && date.n_basic_map()? == 1 {
        return Ok(Some(date));
    }
    let date = date.intersect_domain(domain)?;
    if !date.is_single_valued()? || !domain.is_subset(&date.domain()?)? {
        return Ok(None);
    }
    Ok(Some(date.to_pw_multi_aff()?.gist(domain)?.to_map()?))
}

/// The dates with zeros at their ends, so that all have the same number of dimensions.
fn filled_up(dates: Vec<Map>) -> Result<Vec<Map>> {
    let dims: Vec<u32> = dates.iter().map(|date| date.dim(DimType::Out)).collect::<Result<_>>()?;
    let most = dims.iter().copied().max().unwrap_or(0);
    let fill = |(date, own): (Map, u32)| {
        let mut date = date.flatten_range()?.reset_tuple_id(DimType::Out)?;
        date = date.add_dims(DimType::Out, most - own)?;
        for at in own..most {
            date = date.fix_si(DimType::Out, at, 0)?;
        }
        Ok(date)
    };
    dates.into_iter().zip(dims).map(fill).collect()
}

/// Whether no two instances have the same date.
fn is_total(scop: &Scop, dates: &[Map]) -> Result<bool> {
    let names: Vec<&str> = scop.params().iter().map(|param| param.name.as_str()).collect();
    let model = Space::params_named(&names)?;
    let mut used: Option<Set> = None;
    for (stmt, date) in scop.stmts().ids().zip(dates) {
        let date = date.intersect_domain(&scop.domain_of(stmt)?)?.align_params(&model)?;
        if !date.is_injective()? {
            return Ok(false);
        }
        let range = date.range()?;
        used = Some(match used {
            Some(used) if !used.is_disjoint(&range)? => return Ok(false),
            Some(used) => used.union(&range)?,
            None => range,
        });
    }
    Ok(true)
}
