//! What a region is looked up by: its key, and where it lies among others.

use crate::analyze::analyze;
use crate::basis::Basis;
use crate::normal::{expanding, in_normal_form, in_whole};
use crate::prove::verify;
use crate::storage::asked_for;
use crate::{Error, Options, Session};
use farkas_astgen::spans;
use farkas_cost::{assumed_values, touched_bytes};
use farkas_db::{Compiler, Embedding, Key};
use farkas_interp::Params;
use farkas_machine::Machine;
use farkas_normalize::{
    EMBEDDING_VERSION, Embedded, EmbeddedStmt, Nest, VERSION, embed, whole_form,
};
use farkas_poly::with_budget;
use farkas_scop::{Region, Scop};
use farkas_tree::Program;
use std::collections::{BTreeMap, BTreeSet};

/// The class of sizes of regions whose sizes nobody says.
const ANY: &str = "any";

/// isl operations that the place of a region among others may take.
const MAX_OPERATIONS: u64 = 10_000_000;

/// What a region is looked up by.
#[derive(Clone, PartialEq, Debug)]
pub struct Keyed {
    /// Its key.
    pub key: Key,
    /// Where it lies among others.
    pub embedding: Embedding,
}

/// The key of a region for a compiler, and where the region lies: the one definition of what databases are written and asked by.
///
/// - The nest is the region as a whole in its normal form, with places of their own for temporaries.
/// - The types of elements are those of its arrays, each once, in the order of the alphabet: `double, int32`.
/// - The class of sizes is `any` where a parameter has no size that is told; else the innermost cache of the machine that holds
///   all that is touched of arrays, as `L2`, or `memory`.
/// - The machine is that of the options, by its name.
///
/// # Errors
/// When isl refuses or a budget is used up.
pub fn key_of(region: &Region, options: &Options, compiler: &Compiler) -> Result<Keyed, Error> {
    let options = &options.for_region(region);
    let mut session = Session::default();
    let Described { form, embedded, params } =
        described(region, KnownForm::default(), options, &mut session)?;
    let key = Key {
        nest: form.hash,
        normal_form: VERSION,
        elements: elements(&region.scop),
        size_class: size_class(region, &params, &options.machine)?,
        machine: options.machine.name.clone(),
        compiler: compiler.clone(),
    };
    let embedding = Embedding { version: EMBEDDING_VERSION, values: embedded.whole };
    Ok(Keyed { key, embedding })
}

/// The compiler that a text names, as `gcc 14.2.0`, or as compilers call themselves: `gcc (Debian 14.2.0-19) 14.2.0`, `Debian clang version
/// 19.1.7 (3)`. None where there is no version in it.
pub fn compiler_of(text: &str) -> Option<Compiler> {
    let words = || text.split_whitespace();
    let is_version = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let version = words().find(is_version)?;
    let known = words().find(|word| ["gcc", "clang", "icx"].contains(word));
    let name = known.or_else(|| words().next().filter(|word| !is_version(word)))?;
    Some(Compiler { name: name.to_owned(), version: version.to_owned() })
}

/// A region in its normal form.
pub(crate) struct Described {
    /// Its text.
    pub(crate) form: Nest,
    /// Where it and its statements lie.
    pub(crate) embedded: Embedded,
    /// The sizes that were assumed.
    params: Params,
}

/// What is known of a region before its normal form is asked for; nothing need be.
#[derive(Clone, Copy, Default)]
pub(crate) struct KnownForm<'a> {
    /// The region as it is.
    pub(crate) own: Option<&'a Basis>,
    /// The region with places of their own for temporaries, as the options ask for them.
    pub(crate) expanded: Option<&'a Basis>,
    /// The normal form of that, which nobody proved.
    pub(crate) normal: Option<&'a Program>,
}

/// A region's normal form and where it lies. Statements that are pieces of one are one in all of this; each has the place of the whole, and one
/// number more that says so.
pub(crate) fn described(
    region: &Region,
    known: KnownForm<'_>,
    options: &Options,
    session: &mut Session,
) -> Result<Described, Error> {
    let options = Options { recipe: None, ..expanding(options.clone()) };
    let whole = in_whole(region, session)?;
    let known = if whole.is_none() { known } else { KnownForm::default() };
    let scop = whole.as_ref().map_or(&region.scop, |whole| &whole.scop);
    let basis = match (known.expanded, known.own) {
        (Some(expanded), _) => expanded.clone(),
        (None, Some(own)) => asked_for(own.clone(), &options, session)?,
        (None, None) => {
            let deps = analyze(scop, &options, session)?;
            asked_for(Basis::of(scop, deps), &options, session)?
        }
    };
    let Basis { scop, deps, .. } = basis;
    let program = match known.normal {
        Some(program) => {
            verify(&scop, program, session)?;
            program.clone()
        }
        None => in_normal_form(&scop, &deps, &options, session)?,
    };
    let params = assumed_values(&region.scop, &region.host.sizes)?;
    let sizes: BTreeMap<String, i64> =
        params.iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let find = || -> farkas_normalize::Result<(Nest, Embedded)> {
        let form = whole_form(&program, &deps)?;
        Ok((form, embed(&program, &deps, &sizes, &options.machine)?))
    };
    let find = || with_budget(MAX_OPERATIONS, find);
    let (form, mut embedded) = session.run("normal form", find)?;
    with_pieces(&mut embedded.stmts, whole.iter().flat_map(|whole| &whole.pieces));
    Ok(Described { form, embedded, params })
}

/// Adds pieces to the statements that they are pieces of, and to each the number that says whether it is one.
fn with_pieces<'p>(
    stmts: &mut Vec<EmbeddedStmt>,
    pieces: impl Iterator<Item = (&'p String, &'p String)>,
) {
    let mut found = Vec::new();
    for (piece, whole) in pieces {
        let whole = stmts.iter().find(|stmt| stmt.name == *whole);
        found.extend(whole.map(|whole| EmbeddedStmt { name: piece.clone(), ..whole.clone() }));
    }
    stmts.iter_mut().for_each(|stmt| stmt.values.push(0.0));
    found.iter_mut().for_each(|stmt| stmt.values.push(1.0));
    stmts.extend(found);
}

/// The types of the elements of a scop's arrays.
fn elements(scop: &Scop) -> String {
    let types: BTreeSet<String> = scop.arrays().iter().map(farkas_normalize::element).collect();
    let text = types.into_iter().collect::<Vec<_>>().join(", ");
    if text.is_empty() { "none".to_owned() } else { text }
}

/// The class of a region's sizes on a machine.
fn size_class(region: &Region, params: &Params, machine: &Machine) -> Result<String, Error> {
    let Region { scop, host, .. } = region;
    if !scop.params().iter().all(|param| host.sizes.contains_key(&param.name)) {
        return Ok(ANY.to_owned());
    }
    let touched = touched_bytes(&spans(scop)?, params);
    let holds_all = machine.caches.iter().find(|cache| touched <= cache.size_bytes as f64);
    Ok(holds_all.map_or_else(|| "memory".to_owned(), |cache| format!("L{}", cache.level)))
}

#[cfg(test)]
mod tests {
    use super::compiler_of;

    #[test]
    fn compilers_are_known_by_what_they_call_themselves() {
        for (text, expected) in [
            ("gcc 14.2.0", Some("gcc 14.2.0")),
            ("gcc (Debian 14.2.0-19) 14.2.0", Some("gcc 14.2.0")),
            ("Debian clang version 19.1.7 (3)", Some("clang 19.1.7")),
            ("mycc v2 2.1", Some("mycc 2.1")),
            ("gcc", None),
            ("14.2.0", None),
            ("", None),
        ] {
            let found = compiler_of(text).map(|compiler| compiler.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
