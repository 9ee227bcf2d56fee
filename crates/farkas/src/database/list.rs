//! What a database has, a line a key.

use super::told;
use farkas_base::Diagnostic;
use farkas_db::{Damage, Database, Entry, Key, Origin};
use farkas_run::{Align, Table};
use serde_json::json;

/// Which entries are meant.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// What the hash of the nest begins with.
    pub nest: Option<String>,
    /// The machine.
    pub machine: Option<String>,
    /// The compiler: its name, or name and version.
    pub compiler: Option<String>,
    /// The class of sizes.
    pub size_class: Option<String>,
    /// Who found the recipe.
    pub origin: Option<Origin>,
}

impl Filter {
    /// Whether entries of a key are meant.
    pub fn has(&self, key: &Key) -> bool {
        let is = |asked: &Option<String>, found: &str| asked.as_ref().is_none_or(|a| a == found);
        let is_compiler =
            |asked: &String| *asked == key.compiler.name || *asked == key.compiler.to_string();
        self.nest.as_ref().is_none_or(|prefix| key.nest.starts_with(prefix))
            && is(&self.machine, &key.machine)
            && is(&self.size_class, &key.size_class)
            && self.compiler.as_ref().is_none_or(is_compiler)
    }

    /// Whether an entry of such a key is meant.
    pub fn is_of(&self, entry: &Entry) -> bool {
        self.origin.is_none_or(|origin| entry.origins.contains(&origin))
    }
}

/// A key with the best of its entries.
struct Row {
    n_recipes: usize,
    best: Entry,
}

/// The keys that a filter lets through, each with its best recipe, as a table or as JSON; and what is damaged.
///
/// # Errors
/// The message on a database that cannot be read.
pub fn list(
    database: &Database,
    filter: &Filter,
    as_json: bool,
) -> Result<(String, Vec<Damage>), Box<Diagnostic>> {
    let mut rows = Vec::new();
    let damaged = database.each(filter.machine.as_deref(), |nest, mut entries| {
        entries.retain(|entry| filter.has(&nest.key) && filter.is_of(entry));
        let n_recipes = entries.len();
        let best = entries.into_iter().reduce(|a, b| if is_better(&b, &a) { b } else { a });
        rows.extend(best.map(|best| Row { n_recipes, best }));
        Ok(())
    });
    let damaged = damaged.map_err(|error: farkas_db::Error| told(&error))?;
    let text = if as_json { to_json(&rows) } else { to_table(&rows) };
    Ok((text, damaged))
}

/// Whether an entry is worth more than another: a measured one more than a predicted one, and that more than one that failed.
pub(super) fn is_better(entry: &Entry, other: &Entry) -> bool {
    let ratio = |entry: &Entry| entry.best_speedup().map_or(0.0, |best| best.ratio);
    match entry.standing().cmp(&other.standing()) {
        std::cmp::Ordering::Equal => ratio(entry) > ratio(other),
        order => order.is_lt(),
    }
}

/// The origins of an entry.
pub(crate) fn origins(entry: &Entry) -> String {
    entry.origins.iter().map(|origin| origin.word()).collect::<Vec<_>>().join(", ")
}

/// How much faster an entry is, and on how many threads; else how much is known of it.
fn worth(entry: &Entry) -> [String; 2] {
    match entry.best_speedup() {
        Some(best) => [format!("{:.2}x", best.ratio), best.recipe_threads.to_string()],
        None => [entry.standing().to_string(), String::new()],
    }
}

/// The rows for people.
fn to_table(rows: &[Row]) -> String {
    let mut table = Table::new(&[
        ("nest", Align::Left),
        ("machine", Align::Left),
        ("compiler", Align::Left),
        ("sizes", Align::Left),
        ("elements", Align::Left),
        ("recipes", Align::Right),
        ("speed-up", Align::Right),
        ("threads", Align::Right),
        ("samples", Align::Right),
        ("origin", Align::Left),
    ]);
    for Row { n_recipes, best } in rows {
        let key = &best.key;
        let [speedup, threads] = worth(best);
        table.row(vec![
            key.short_nest().to_owned(),
            key.machine.clone(),
            key.compiler.to_string(),
            key.size_class.clone(),
            key.elements.clone(),
            n_recipes.to_string(),
            speedup,
            threads,
            best.n_samples().to_string(),
            origins(best),
        ]);
    }
    table.to_string()
}

/// The rows for programs.
fn to_json(rows: &[Row]) -> String {
    let row = |Row { n_recipes, best }: &Row| {
        let key = &best.key;
        let speedup = best.best_speedup();
        json!({
            "nest": key.nest,
            "normal_form": key.normal_form,
            "elements": key.elements,
            "size_class": key.size_class,
            "machine": key.machine,
            "compiler": { "name": key.compiler.name, "version": key.compiler.version },
            "recipes": n_recipes,
            "best": {
                "id": best.id().to_string(),
                "standing": best.standing().word(),
                "speedup": speedup.map(|best| best.ratio),
                "threads": speedup.map(|best| best.recipe_threads),
                "samples": best.n_samples(),
                "origins": best.origins.iter().map(|origin| origin.word()).collect::<Vec<_>>(),
            },
        })
    };
    let rows: Vec<serde_json::Value> = rows.iter().map(row).collect();
    format!("{:#}\n", serde_json::Value::from(rows))
}
