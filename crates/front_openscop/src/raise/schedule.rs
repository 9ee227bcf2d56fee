//! A new order into a document.

use super::Origin;
use super::flatten::{Flat, flatten};
use super::loops::extensions;
use crate::document::{OpenScop, OpenStatement, Relation, RelationKind};
use crate::poly::{map_of, relation_of_map};
use crate::{Error, Result};
use farkas_poly::{DimType, Map, MultiAff, Set};
use farkas_scop::{Scop, Statement};
use farkas_tree::ScheduleTree;

/// `open` in the order of `tree`: with new scatterings, names of their dimensions, and notes on the loops that the tree
/// marks as parallel or vector. Everything else stays, except for extensions that speak of the old scatterings
/// (`scatinfos`, `pluto_unroll`).
///
/// `scop` is what `open` became, `origin` how their instances correspond. A scattering has one output dimension a band
/// member and one a sequence; it is a union where the tree treats instances of a statement differently, and has local
/// dimensions for divisions. Each is read back and compared before it is returned.
///
/// # Errors
/// [`Error::NoMeansFor`] on nodes that add or group instances; [`Error::NoStatement`] when `scop` is not of `open`.
pub fn reschedule(
    open: &OpenScop,
    scop: &Scop,
    origin: &Origin,
    tree: &ScheduleTree,
) -> Result<OpenScop> {
    let flat = flatten(tree)?;
    let params: Vec<String> = scop.params().iter().map(|p| p.name.clone()).collect();
    let mut new = open.clone();
    if scop.stmts().len() > open.statements.len() {
        return Err(Error::NoStatement(format!("S{}", open.statements.len() + 1)));
    }
    for ((statement, target), instances) in
        scop.stmts().iter().zip(&mut new.statements).zip(&origin.instances)
    {
        let date = date_of(statement, &flat, instances)?;
        let domain =
            statement.domain.intersect_params(scop.context())?.apply(&instances.reverse()?)?;
        let scattering = exact_relation(RelationKind::Scattering, &date, &domain, &params)?
            .ok_or_else(|| Error::NotExact(statement.name.clone()))?;
        *target = OpenStatement { scattering: Some(scattering), ..target.clone() };
    }
    new.extensions = extensions(open, scop, &flat)?;
    Ok(new)
}

/// The new dates of a statement's instances in the document.
fn date_of(statement: &Statement, flat: &Flat, instances: &Map) -> farkas_poly::Result<Map> {
    let length = u32::try_from(flat.length).unwrap_or(u32::MAX);
    let from = statement.domain.space()?;
    let to = from.params()?.set_space("", length)?;
    let space = from.map_from_domain_and_range(&to)?;
    let date = flat.dates.extract_map(&space)?;
    if date.is_empty()? {
        // A statement that never runs keeps a date of the same form as the others.
        return instances.apply_range(&Map::from_multi_aff(&MultiAff::zero(&space)?)?);
    }
    instances.apply_range(&date)
}

/// A map as a relation that holds the same pairs on `domain`, if possible without constraints that `domain` implies;
/// nothing when it cannot be written exactly.
pub(super) fn exact_relation(
    kind: RelationKind,
    map: &Map,
    domain: &Set,
    params: &[String],
) -> farkas_poly::Result<Option<Relation>> {
    let on_domain = map.intersect_domain(domain)?;
    // isl may leave out what defines a division once it has simplified: then a longer form is taken.
    for form in [map.coalesce()?.gist_domain(domain)?, map.compute_divs()?, on_domain.clone()] {
        let relation = relation_of_map(kind, &form, params)?;
        if says_the_same(&map_of(&relation, params)?, &on_domain, domain)? {
            return Ok(Some(relation));
        }
    }
    Ok(None)
}

/// Whether `read` is `expected` on `domain`, tuple names apart, and a function where that is one.
fn says_the_same(read: &Map, expected: &Map, domain: &Set) -> farkas_poly::Result<bool> {
    let expected = expected.reset_tuple_id(DimType::In)?.reset_tuple_id(DimType::Out)?;
    let read_on_domain = read.intersect_domain(&domain.reset_tuple_id()?)?;
    Ok(read_on_domain.is_equal(&expected)?
        && (read.is_single_valued()? || !expected.is_single_valued()?))
}
