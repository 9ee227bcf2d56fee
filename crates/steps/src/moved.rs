//! Dependences of programs whose statements are parts of those of another one.

use crate::{Lifted, Result};
use farkas_base::IdVec;
use farkas_deps::{Dependence, Dependences};
use farkas_poly::{DimType, Map};
use farkas_scop::{Scop, StmtId};
use farkas_tree::Program;

/// The dependences of the scop that a program was made from as those of the program's statements; `None` where these have the instances of the
/// scop's own.
///
/// Statements have the dimensions of those that they stand for behind others, as the refinement rule of `farkas-deps` asks for. What copies
/// read and write is not said: in the order of what they are for.
///
/// # Errors
/// When isl refuses.
pub fn moved(deps: &Dependences, scop: &Scop, program: &Program) -> Result<Option<Dependences>> {
    let mut parts: IdVec<StmtId, Vec<Part>> = scop.stmts().iter().map(|_| Vec::new()).collect();
    let mut is_changed = false;
    for (id, stmt) in program.scop.stmts().iter_enumerated() {
        let of = program.origins.get(&stmt.name).unwrap_or(&stmt.name);
        let Some(original) = scop.stmt_by_name(of) else { continue };
        let known = scop.domain_of(original)?;
        let domain = program.scop.domain_of(id)?;
        let n_new = domain.dim(DimType::SET)?.saturating_sub(known.dim(DimType::SET)?);
        let is_same = n_new == 0 && of == &stmt.name;
        is_changed |= !is_same;
        let from = match is_same {
            true => None,
            false => Some(Lifted::named(of, &stmt.name, &domain, n_new)?.to_new(&domain)?),
        };
        parts[original].push(Part { id, from });
    }
    if !is_changed {
        return Ok(None);
    }
    let mut found: Vec<Dependence> = Vec::new();
    for dep in &deps.deps {
        for source in &parts[dep.source] {
            let from_source = source.domain_of(&dep.relation)?;
            for sink in &parts[dep.sink] {
                // Where integers alone show that there are no pairs, it stays: to search for one takes isl long.
                let relation = sink.range_of(&from_source)?.remove_redundancies()?;
                if !relation.plain_is_empty()? {
                    let (source, sink) = (source.id, sink.id);
                    found.push(Dependence { source, sink, relation, ..dep.clone() });
                }
            }
        }
    }
    found.sort_by_key(|dep| (dep.source, dep.sink, dep.source_access, dep.sink_access));
    Ok(Some(found.into_iter().collect::<IdVec<_, _>>().into()))
}

/// A statement that stands for some instances of another one.
struct Part {
    id: StmtId,
    /// From those to its own; none where they are the same.
    from: Option<Map>,
}

impl Part {
    /// Pairs with its instances as the first ones.
    fn domain_of(&self, pairs: &Map) -> farkas_poly::Result<Map> {
        match &self.from {
            Some(from) => pairs.apply_domain(from),
            None => Ok(pairs.clone()),
        }
    }

    /// Pairs with its instances as the second ones.
    fn range_of(&self, pairs: &Map) -> farkas_poly::Result<Map> {
        match &self.from {
            Some(from) => pairs.apply_range(from),
            None => Ok(pairs.clone()),
        }
    }
}
