//! Any scop as a scop of a document.

use super::Origin;
use super::schedule::exact_relation;
use crate::document::{Body, Coordinates, Extension, OpenScop, OpenStatement, RelationKind};
use crate::poly::{relation_of_params, relation_of_set};
use crate::{Error, Result};
use farkas_base::Id;
use farkas_poly::{DimType, Map, MultiUnionPwAff, UnionPwAff};
use farkas_scop::{Access, AccessKind, Array, ArrayScope, Scop, Statement, body_text};

/// `scop` in its own order as a scop of a document, which was found at `coordinates`, and how their instances
/// correspond: those of the document are the values of the user's iterators.
///
/// # Errors
/// [`Error::NotExact`] when iterators do not tell instances apart.
pub fn document_scop(scop: &Scop, coordinates: Option<Coordinates>) -> Result<(OpenScop, Origin)> {
    let params: Vec<String> = scop.params().iter().map(|p| p.name.clone()).collect();
    let mut origin = Origin::default();
    let mut statements = Vec::new();
    for statement in scop.stmts() {
        let values = values(statement)?;
        if !values.is_injective()? {
            return Err(Error::NotExact(statement.name.clone()));
        }
        statements.push(open_statement(scop, statement, &values, &params)?);
        origin.instances.push(values.reverse()?);
    }
    let name = |(at, array): (usize, &Array)| (number(at), source_name(array).to_owned());
    let arrays = scop.arrays().iter().enumerate().map(name).collect();
    let extensions = [Extension::Arrays(arrays)].into_iter();
    let open = OpenScop {
        language: "C".into(),
        context: relation_of_params(RelationKind::Context, scop.context(), &params)?,
        parameters: (!params.is_empty()).then_some(Extension::Strings(params)),
        statements,
        extensions: extensions.chain(coordinates.map(Extension::Coordinates)).collect(),
    };
    Ok((open, origin))
}

/// The name that code uses for an array.
fn source_name(array: &Array) -> &str {
    if array.scope == ArrayScope::Region { &array.name } else { &array.source_name }
}

/// The number of the array at a position.
fn number(position: usize) -> i64 {
    i64::try_from(position).map_or(i64::MAX, |at| at.saturating_add(1))
}

/// From instances to the values of the user's iterators, in a space of the same name.
fn values(statement: &Statement) -> farkas_poly::Result<Map> {
    let space = statement.domain.space()?;
    if statement.iterators.is_empty() || statement.domain.is_empty()? {
        return Map::identity(&space.map_from_set()?);
    }
    let values = statement.iterators.iter().map(|i| UnionPwAff::union_all([i.value.clone()]));
    let values = MultiUnionPwAff::from_members(&values.collect::<farkas_poly::Result<Vec<_>>>()?)?;
    let values = values.intersect_domain(&statement.domain.to_union_set()?)?.to_union_map()?;
    let to = space.params()?.set_space("", space.dim(DimType::SET)?)?;
    let values = values.extract_map(&space.map_from_domain_and_range(&to)?)?;
    values.with_tuple_name(DimType::Out, &statement.name)
}

/// A statement whose instances become `values` of its iterators.
fn open_statement(
    scop: &Scop,
    statement: &Statement,
    values: &Map,
    params: &[String],
) -> Result<OpenStatement> {
    let not_exact = || Error::NotExact(statement.name.clone());
    let domain = statement.domain.apply(values)?.coalesce()?;
    let under_context = domain.intersect_params(scop.context())?;
    let relation = |kind, map: &Map| exact_relation(kind, map, &under_context, params);
    let date = statement.date.apply_domain(values)?;
    let mut open = OpenStatement {
        domain: Some(relation_of_set(RelationKind::Domain, &domain, params)?),
        scattering: Some(relation(RelationKind::Scattering, &date)?.ok_or_else(not_exact)?),
        accesses: Vec::new(),
        extensions: vec![Extension::Body(body(scop, statement))],
    };
    for access in &statement.accesses {
        let Some(kind) = access_kind(access) else { continue };
        let touched = numbered(access, values)?;
        open.accesses.push(relation(kind, &touched)?.ok_or_else(not_exact)?);
    }
    Ok(open)
}

/// From values of iterators to the number of the array and the subscripts.
fn numbered(access: &Access, values: &Map) -> farkas_poly::Result<Map> {
    let at = i32::try_from(access.array.index()).unwrap_or(i32::MAX - 1);
    let touched = access.relation.apply_domain(values)?.reset_tuple_id(DimType::Out)?;
    touched.insert_dims(DimType::Out, 0, 1)?.fix_si(DimType::Out, 0, at + 1)
}

/// The kind of an access in a document; the end of a life has none.
fn access_kind(access: &Access) -> Option<RelationKind> {
    match access.kind {
        AccessKind::Read => Some(RelationKind::Read),
        AccessKind::MustWrite => Some(RelationKind::Write),
        AccessKind::MayWrite => Some(RelationKind::MayWrite),
        AccessKind::Kill => None,
    }
}

/// The body as text. `#` opens a comment in a document, and in an expression of C it stands in literals alone.
fn body(scop: &Scop, statement: &Statement) -> Body {
    let iterators = statement.iterators.iter().map(|i| i.name.clone()).collect();
    Body { iterators, text: body_text(scop, statement).replace('#', "\\043") }
}
