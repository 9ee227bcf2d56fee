//! What a region is looked up by: its key, and where it lies among others.

use crate::analyze::analyze;
use crate::basis::Basis;
use crate::normal::{expanding, in_normal_form, in_whole};
use crate::storage::asked_for;
use crate::{Error, Options, Session};
use farkas_astgen::spans;
use farkas_cost::{assumed_values, touched_bytes};
use farkas_db::{Compiler, Embedding, Key};
use farkas_deps::Dependences;
use farkas_interp::Params;
use farkas_machine::Machine;
use farkas_normalize::{EMBEDDING_VERSION, Embedded, NormalForm, VERSION, embed, normal_form};
use farkas_poly::with_budget;
use farkas_scop::{Region, Scop};
use std::borrow::Cow;
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
    let deps = analyze(&region.scop, options, &mut session)?;
    let Described { form, embedded, params } = described(region, deps, options, &mut session)?;
    let key = Key {
        nest: form.whole.hash,
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
    pub(crate) form: NormalForm,
    /// Where it and its statements lie.
    pub(crate) embedded: Embedded,
    /// The sizes that were assumed.
    params: Params,
}

/// A region's normal form and where it lies, by its dependences. Statements that are pieces of one are one in the form and for the place of the
/// region; each has its own place.
pub(crate) fn described(
    region: &Region,
    deps: Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Described, Error> {
    let own = described_as_it_is(region, deps, options, session)?;
    let Cow::Owned(whole) = in_whole(region, session)? else { return Ok(own) };
    let deps = analyze(&whole.scop, options, session)?;
    let Described { form, embedded, .. } = described_as_it_is(&whole, deps, options, session)?;
    let embedded = Embedded { whole: embedded.whole, ..own.embedded };
    Ok(Described { form, embedded, ..own })
}

/// The same of the statements that there are.
fn described_as_it_is(
    region: &Region,
    deps: Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Described, Error> {
    let options = Options { recipe: None, ..expanding(options.clone()) };
    let params = assumed_values(&region.scop, &region.host.sizes)?;
    let sizes: BTreeMap<String, i64> =
        params.iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let Basis { scop, deps, .. } = asked_for(Basis::of(&region.scop, deps), &options, session)?;
    let program = in_normal_form(&scop, &deps, &options, session)?;
    let find = || -> farkas_normalize::Result<(NormalForm, Embedded)> {
        let form = normal_form(&program, &deps)?;
        Ok((form, embed(&program, &deps, &sizes, &options.machine)?))
    };
    let find = || with_budget(MAX_OPERATIONS, find);
    let (form, embedded) = session.run("normal form", find)?;
    Ok(Described { form, embedded, params })
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
