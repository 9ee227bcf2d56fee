//! What a database has for a nest: recipes for the same one, else those for the nests nearest to it.

use super::list::is_better;
use super::{damage, open, told};
use farkas_base::Diagnostic;
use farkas_db::{Access, Database, Entry, Found, Nest, Standing};
use farkas_normalize::{EMBEDDING_VERSION, VERSION, distance};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// What strategy `auto` tries.
const FOR_AUTO: Most = Most { exact: 4, near: 3, near_beside_exact: 0 };

/// Nests that are farther have nothing in common.
const FAR: f64 = 12.0;

/// A database that is read while regions are worked on, on any number of threads.
#[derive(Debug)]
pub struct Recipes {
    database: Mutex<Database>,
    /// All its keys, as they were when it was opened.
    nests: Vec<Nest>,
    /// The warnings on keys that are damaged and left out.
    warnings: Vec<Diagnostic>,
}

/// How many recipes are looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    /// For the same nest.
    pub(crate) exact: usize,
    /// The best of each of so many nests that are near, where there are none for the same one.
    pub(crate) near: usize,
    /// The same where there are.
    pub(crate) near_beside_exact: usize,
}

/// A region that is looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// The hash of its normal form.
    pub(crate) nest: &'a str,
    /// Where it lies among others.
    pub(crate) place: &'a [f32],
    /// Entries of this machine come first among equals.
    pub(crate) machine: &'a str,
}

/// A recipe of a database for a nest.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Hit {
    /// The entry.
    pub(crate) entry: Entry,
    /// How far its nest is; none where it is the same one.
    pub(crate) distance: Option<f64>,
    /// Of how many nests it was the nearest, or one of them.
    pub(crate) n_nests: usize,
}

impl Recipes {
    /// Opens the database at `path`.
    ///
    /// # Errors
    /// The message on one that cannot be read.
    pub fn open(path: &Path) -> Result<Self, Box<Diagnostic>> {
        let database = open(Some(path), Access::Read)?;
        let Found { items, damaged } = database.nests(None).map_err(|error| told(&error))?;
        let warnings = damage(path, &damaged);
        Ok(Self { database: Mutex::new(database), nests: items, warnings })
    }

    /// The warnings on keys that are damaged and left out.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// What `auto` tries for a region, as [`Lookup::hits`] says.
    ///
    /// # Errors
    /// The message on a database that cannot be read.
    pub(crate) fn hits(
        &self,
        asked: Asked<'_>,
    ) -> Result<(Vec<Hit>, Vec<Diagnostic>), Box<Diagnostic>> {
        let database = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        Lookup { database: &database, nests: &self.nests }.hits(asked, FOR_AUTO)
    }
}

/// A database with its keys.
pub(crate) struct Lookup<'a> {
    /// The database.
    pub(crate) database: &'a Database,
    /// All its keys.
    pub(crate) nests: &'a [Nest],
}

impl Lookup<'_> {
    /// The best recipes for a nest, then the best one of each of the nests that are nearest, as many as `most` says.
    /// Those of the machine come first among equals. Recipes that failed are none, nor are damaged ones, on which there
    /// are warnings.
    ///
    /// # Errors
    /// The message on a database that cannot be read.
    pub(crate) fn hits(
        &self,
        asked: Asked<'_>,
        most: Most,
    ) -> Result<(Vec<Hit>, Vec<Diagnostic>), Box<Diagnostic>> {
        let mut warnings = Vec::new();
        let mut hits = Vec::new();
        let (mut exact, others): (Vec<&Nest>, Vec<&Nest>) =
            self.nests.iter().partition(|nest| is_of(nest, asked.nest));
        exact.sort_by_key(|nest| nest.key.machine != asked.machine);
        for nest in exact {
            let entries = self.entries(nest, &mut warnings)?;
            hits.extend(entries.into_iter().map(|entry| self.hit(entry, None)));
        }
        hits.truncate(most.exact);
        let n_exact = hits.len();
        let n_near = if n_exact == 0 { most.near } else { most.near_beside_exact };
        for (distance, nest) in near(&others, asked) {
            if hits.len() == n_exact + n_near {
                break;
            }
            let best = self.entries(nest, &mut warnings)?.into_iter().next();
            hits.extend(best.map(|entry| self.hit(entry, Some(distance))));
        }
        Ok((hits, warnings))
    }

    /// An entry with how near it is.
    fn hit(&self, entry: Entry, distance: Option<f64>) -> Hit {
        Hit { entry, distance, n_nests: self.nests.len() }
    }

    /// The entries of a key that did not fail, the best first.
    fn entries(
        &self,
        nest: &Nest,
        warnings: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Entry>, Box<Diagnostic>> {
        let found = self.database.exact(&nest.key).map_err(|error| told(&error))?;
        warnings.extend(damage(self.database.path(), &found.damaged));
        let mut entries = found.items;
        entries.retain(|entry| entry.standing() != Standing::Failed);
        entries.sort_by(|a, b| is_better(b, a).cmp(&is_better(a, b)));
        Ok(entries)
    }
}

/// Those of some nests that are not far, the nearest first.
fn near<'n>(nests: &[&'n Nest], asked: Asked<'_>) -> Vec<(f64, &'n Nest)> {
    let distance_of = |nest: &Nest| {
        let embedding = nest.embedding.as_ref().filter(|e| e.version == EMBEDDING_VERSION);
        embedding.map_or(f64::INFINITY, |embedding| distance(&embedding.values, asked.place))
    };
    let measured = nests.iter().map(|nest| (distance_of(nest), *nest));
    let mut near: Vec<_> = measured.filter(|(distance, _)| *distance <= FAR).collect();
    near.sort_by(|(a, first), (b, second)| {
        let is_other = |nest: &Nest| nest.key.machine != asked.machine;
        a.total_cmp(b).then_with(|| is_other(first).cmp(&is_other(second)))
    });
    near
}

/// Whether a nest is the one of a hash.
fn is_of(nest: &Nest, hash: &str) -> bool {
    nest.key.nest == hash && nest.key.normal_form == VERSION
}
