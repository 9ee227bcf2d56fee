//! Accesses of statements.

use super::Values;
use crate::constraints::untagged;
use crate::entries::Entry;
use crate::refuse::{Read, Text};
use farkas_base::{Diagnostic, DiagnosticId, Span};
use farkas_poly::{DimType, Map, Space};
use farkas_scop::{Access, ScopBuilder};

/// The relations of a union map, one for each part between semicolons, with their places.
pub(super) type Parts = Vec<(Span, Map)>;

/// The parts of the union map that a value is.
pub(super) fn read_parts(text: &Text<'_>, entry: &Entry) -> Read<Parts> {
    // The whole first: a text that is no union map has its message there.
    text.read::<farkas_poly::UnionMap>(entry)?;
    let plain = |(span, map): (Span, Map)| match untagged(&map) {
        Ok(map) => Ok((span, map)),
        Err(error) => Err(text.failed(span, &error)),
    };
    text.parts::<Map>(entry)?.into_iter().map(plain).collect()
}

/// Gives the statements of `scop`, which has its arrays, their accesses. Accesses of statements that are not in the domain
/// are left out, with a warning.
pub(super) fn add_accesses(
    text: &Text<'_>,
    values: &Values,
    params: &[String],
    scop: &mut ScopBuilder,
    warnings: &mut Vec<Diagnostic>,
) -> Read<()> {
    for (kind, parts) in &values.accesses {
        for (span, map) in parts {
            let failed = |error| text.failed(*span, &error);
            let name = map.tuple_name(DimType::In).unwrap_or_default();
            let depth = map.dim(DimType::In).map_err(failed)? as usize;
            let Some(stmt) = scop.stmts.iter_mut().find(|s| s.name == name && s.depth() == depth)
            else {
                let message = format!(
                    "`{name}` with {depth} dimensions has accesses but is not in the domain"
                );
                let warning = Diagnostic::new(DiagnosticId::OutsideDomain, message);
                warnings.push(warning.at(text.source, *span, "this access is left out"));
                continue;
            };
            let touched = map.tuple_name(DimType::Out).unwrap_or_default();
            let array = scop.arrays.iter_enumerated().find(|(_, array)| array.name == touched);
            let Some((array, _)) = array else { continue };
            let model = Space::params_named(params).map_err(failed)?;
            let relation = map.align_params(&model).map_err(failed)?;
            let access =
                Access { array, kind: *kind, relation, subscripts: Vec::new(), span: Some(*span) };
            stmt.accesses.push(access);
        }
    }
    Ok(())
}
