//! What a database has for a nest: recipes for the same one, else those for the nests nearest to it.

use super::list::is_better;
use super::{damage, open, told};
use farkas_base::Diagnostic;
use farkas_db::{Access, Database, Entry, Found, Nest, PlaceRow, Places, Standing};
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
    shelf: Mutex<(Database, Shelf)>,
}

/// What was read of a database and may be asked for again.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    /// Where nests lie, once that was asked for.
    places: Option<Places>,
}

/// What of a database is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// Recipes for the same nest.
    Same,
    /// Those for the nests that are nearest.
    Near,
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
    /// How near its nest is; none where it is the same one.
    pub(crate) nearness: Option<Nearness>,
}

/// How near a nest is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Nearness {
    /// How far it is.
    pub(crate) distance: f64,
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
        Ok(Self { shelf: Mutex::new((database, Shelf::default())) })
    }

    /// What `auto` tries for a region, as [`Lookup::hits`] says.
    ///
    /// # Errors
    /// The message on a database that cannot be read.
    pub(crate) fn hits(
        &self,
        asked: Asked<'_>,
        wanted: Wanted,
    ) -> Result<(Vec<Hit>, Vec<Diagnostic>), Box<Diagnostic>> {
        let most = match wanted {
            Wanted::Same => Most { near: 0, near_beside_exact: 0, ..FOR_AUTO },
            Wanted::Near => Most { exact: 0, ..FOR_AUTO },
        };
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        let (database, shelf) = &mut *shelf;
        Lookup { database, shelf, warnings: Vec::new() }.hits(asked, most)
    }
}

/// How far a nest is.
type Distance = (f64, PlaceRow);

/// A question to a database.
pub(crate) struct Lookup<'a> {
    /// The database.
    database: &'a Database,
    /// What is known of it.
    shelf: &'a mut Shelf,
    /// On what is damaged and left out.
    warnings: Vec<Diagnostic>,
}

/// The best recipes that a database has for a nest, as [`Lookup::hits`] says.
///
/// # Errors
/// The message on a database that cannot be read.
pub(crate) fn hits(
    database: &Database,
    asked: Asked<'_>,
    most: Most,
) -> Result<(Vec<Hit>, Vec<Diagnostic>), Box<Diagnostic>> {
    Lookup { database, shelf: &mut Shelf::default(), warnings: Vec::new() }.hits(asked, most)
}

impl Lookup<'_> {
    /// The best recipes for a nest, then the best one of each of the nests that are nearest, as many as `most` says.
    /// Those of the machine come first among equals. Recipes that failed are none, nor are damaged ones, on which there
    /// are warnings. Where nests lie is asked only where near ones are wanted, and then once for all regions.
    fn hits(
        mut self,
        asked: Asked<'_>,
        most: Most,
    ) -> Result<(Vec<Hit>, Vec<Diagnostic>), Box<Diagnostic>> {
        let mut hits = Vec::new();
        let found = self.database.of_hash(asked.nest, VERSION).map_err(|error| told(&error))?;
        let mut exact = self.whole(found);
        exact.sort_by_key(|nest| nest.key.machine != asked.machine);
        for nest in exact {
            let entries = self.entries(&nest)?;
            hits.extend(entries.into_iter().map(|entry| Hit { entry, nearness: None }));
        }
        hits.truncate(most.exact);
        let n_near = if hits.is_empty() { most.near } else { most.near_beside_exact };
        if n_near > 0 {
            hits.extend(self.near(asked, n_near)?);
        }
        Ok((hits, self.warnings))
    }

    /// The best recipe of each of the nests that are nearest, of so many.
    fn near(&mut self, asked: Asked<'_>, n_near: usize) -> Result<Vec<Hit>, Box<Diagnostic>> {
        let (n_nests, rows) = self.distances(asked.place)?;
        let mut hits = Vec::new();
        let mut rows = rows.as_slice();
        // Those that are equally near come together: of the machine first, then in the order of keys.
        while let (Some(&(distance, _)), true) = (rows.first(), hits.len() < n_near) {
            let n_equal = rows.iter().take_while(|(other, _)| *other == distance).count();
            let (equal, others) = rows.split_at(n_equal);
            rows = others;
            let mut nests = Vec::new();
            for (_, row) in equal {
                let found = self.database.nest_at(*row).map_err(|error| told(&error))?;
                nests.extend(self.whole(found));
            }
            nests.retain(|nest| !is_of(nest, asked.nest));
            nests.sort_by(|a, b| {
                let is_other = |nest: &Nest| nest.key.machine != asked.machine;
                is_other(a).cmp(&is_other(b)).then_with(|| a.key.cmp(&b.key))
            });
            for nest in nests {
                if hits.len() == n_near {
                    break;
                }
                let nearness = Some(Nearness { distance, n_nests });
                let best = self.entries(&nest)?.into_iter().next();
                hits.extend(best.map(|entry| Hit { entry, nearness }));
            }
        }
        Ok(hits)
    }

    /// How many nests have a place, and the distances to those that are not far, the nearest first.
    fn distances(&mut self, place: &[f32]) -> Result<(usize, Vec<Distance>), Box<Diagnostic>> {
        if self.shelf.places.is_none() {
            let found = self.database.places(EMBEDDING_VERSION).map_err(|error| told(&error))?;
            let (places, damaged) = found;
            self.warnings.extend(damage(self.database.path(), &damaged));
            self.shelf.places = Some(places);
        }
        let places = self.shelf.places.iter().flat_map(Places::iter);
        let measured = places.map(|(row, values)| (distance(values, place), row));
        let mut near: Vec<_> = measured.filter(|(distance, _)| *distance <= FAR).collect();
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Ok((self.shelf.places.as_ref().map_or(0, Places::len), near))
    }

    /// What of something is whole; there are warnings on the rest.
    fn whole<T>(&mut self, found: Found<T>) -> Vec<T> {
        self.warnings.extend(damage(self.database.path(), &found.damaged));
        found.items
    }

    /// The entries of a key that did not fail, the best first.
    fn entries(&mut self, nest: &Nest) -> Result<Vec<Entry>, Box<Diagnostic>> {
        let found = self.database.exact(&nest.key).map_err(|error| told(&error))?;
        let mut entries = self.whole(found);
        entries.retain(|entry| entry.standing() != Standing::Failed);
        entries.sort_by(|a, b| is_better(b, a).cmp(&is_better(a, b)));
        Ok(entries)
    }
}

/// Whether a nest is the one of a hash.
fn is_of(nest: &Nest, hash: &str) -> bool {
    nest.key.nest == hash && nest.key.normal_form == VERSION
}

#[cfg(test)]
#[allow(clippy::print_stdout, reason = "times for people")]
mod tests {
    use super::{Asked, FOR_AUTO, Lookup, Shelf};
    use farkas_damage::Random;
    use farkas_db::{Access, Compiler, Database, Embedding, Entry, Key};
    use farkas_normalize::{EMBEDDING_VERSION, VERSION};
    use std::time::Instant;

    /// How many numbers embeddings have.
    const N_NUMBERS: usize = 161;

    /// An entry of a nest that lies anywhere.
    fn entry(number: usize, random: &mut Random) -> Entry {
        let key = Key {
            nest: format!("{number:032x}"),
            normal_form: VERSION,
            elements: "double".into(),
            size_class: "any".into(),
            machine: ["amd-zen4", "apple-m1", "mine"][number % 3].into(),
            compiler: Compiler { name: "gcc".into(), version: "14.2.0".into() },
        };
        let recipe =
            r#"{ "recipe": { "steps": [ { "step": "schedule", "strategy": "pluto" } ] } }"#;
        let mut entry = Entry::new(key, format!("void f{number}(void) {{}}"), recipe);
        let values = (0..N_NUMBERS).map(|_| random.below(400) as f32 / 100.0).collect();
        entry.embedding = Some(Embedding { version: EMBEDDING_VERSION, values });
        entry
    }

    /// A database of so many entries is asked for a nest that it has, and for the nearest of one that it does not have; prints how long that
    /// takes.
    fn look_up(n_entries: usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("many.db");
        let mut random = Random::new(1);
        let entries: Vec<Entry> = (0..n_entries).map(|at| entry(at, &mut random)).collect();
        let mut database = Database::open(&path, Access::Write).expect("a database");
        database.insert(&entries).expect("inserted");
        drop(database);

        let begun = Instant::now();
        let database = Database::open(&path, Access::Read).expect("a database");
        println!("{n_entries} entries: opened in {:?}", begun.elapsed());
        let mut shelf = Shelf::default();
        let middle = &entries[n_entries / 2];
        let place = middle.embedding.as_ref().expect("a place").values.clone();
        let beside: Vec<f32> = place.iter().map(|value| value + 0.01).collect();
        for (what, nest, place) in [
            ("the same nest", &*middle.key.nest, &place),
            ("the nearest, first", "ab", &beside),
            ("the nearest, again", "ab", &beside),
        ] {
            let begun = Instant::now();
            let lookup = Lookup { database: &database, shelf: &mut shelf, warnings: Vec::new() };
            let asked = Asked { nest, place, machine: "mine" };
            let (hits, warnings) = lookup.hits(asked, FOR_AUTO).expect("hits");
            println!("{n_entries} entries: {what} in {:?}", begun.elapsed());
            assert_eq!(hits.first().map(|hit| &hit.entry.program), Some(&middle.program));
            assert!(warnings.is_empty());
        }
    }

    #[test]
    fn the_nearest_is_found() {
        look_up(100);
    }

    /// With `--release` and `--nocapture` this is the measurement of docs/database.md.
    #[test]
    #[ignore = "long"]
    fn the_nearest_is_found_among_a_hundred_thousand() {
        look_up(100_000);
    }
}
