//! Recipes of databases: whatever is damaged in an entry, nothing comes of it that was not proved.

mod common;

use common::regions_agree;
use farkas::database::{Replayed, replay};
use farkas_damage::{Random, damage_string, damage_text};
use farkas_db::{Compiler, Entry, Key};
use farkas_interp::Params;

/// A sweep, a sum and a scaling.
const PROGRAM: &str = "\
void f(int n, double A[n][n], double B[n][n], double s[n])
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 1; j < n; j++)
            A[i][j] = A[i][j - 1] + B[j][i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s[i] += 2.0 * A[i][j];
#pragma endscop
}
";

/// Steps of several kinds that do for the program.
const RECIPE: &str = r#"{ "recipe": { "name": "mine", "steps": [
  { "step": "interchange", "loops": ["S0.1", "S0.2"] },
  { "step": "tile", "loop": "S1.1", "sizes": [2, 3] },
  { "step": "shift", "loop": "S0.2", "by": "1" },
  { "step": "mark", "loop": "S1.1", "as": "parallel" } ] } }"#;

/// An entry of a program and a recipe.
fn entry(program: &str, recipe: &str) -> Entry {
    let key = Key {
        nest: "aa".into(),
        normal_form: 1,
        elements: "double".into(),
        size_class: "small".into(),
        machine: "amd-zen4".into(),
        compiler: Compiler { name: "gcc".into(), version: "14.2.0".into() },
    };
    Entry::new(key, program, recipe)
}

/// The interpreter leaves the same memory after the program and after what was made of it.
fn check(replayed: &Replayed) -> Result<(), String> {
    let region = &replayed.input.regions[0];
    regions_agree(region, &replayed.optimized, &Params::all(&region.scop, 5))
}

/// Replays entries with one byte of the recipe or of the program changed, and with more damage to a string of the recipe; how many were
/// refused, and how many did something.
fn damage(n_entries: u64) -> (usize, usize) {
    let (mut n_refused, mut n_done) = (0, 0);
    for seed in 0..n_entries {
        let mut random = Random::new(seed);
        let byte = |text: &str, random: &mut Random| {
            let mut bytes = text.as_bytes().to_vec();
            let at = random.below(bytes.len());
            bytes[at] ^= u8::try_from(1 + random.below(255)).unwrap_or(1);
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let damaged = match random.below(5) {
            0 => entry(&byte(PROGRAM, &mut random), RECIPE),
            1 => entry(&damage_text(PROGRAM, 2, &mut random), RECIPE),
            2 => entry(PROGRAM, &damage_string(RECIPE, 2, &mut random)),
            _ => entry(PROGRAM, &byte(RECIPE, &mut random)),
        };
        match replay(&damaged) {
            Ok(replayed) if damaged.program == PROGRAM => {
                n_done += 1;
                let same = check(&replayed);
                assert!(same.is_ok(), "{same:?}: {}", damaged.recipe);
            }
            // Another program: what was made of it is proved, but there is nothing to compare it with that is known to run.
            Ok(_) => n_done += 1,
            Err(diagnostics) => {
                n_refused += 1;
                assert!(diagnostics.iter().any(farkas_base::Diagnostic::is_error));
            }
        }
    }
    (n_refused, n_done)
}

#[test]
fn an_entry_is_replayed() {
    let replayed = replay(&entry(PROGRAM, RECIPE)).expect("the recipe does for the program");
    check(&replayed).expect("the same memory");
    assert!(replayed.optimized.code.contains("#pragma omp parallel for"));
}

#[test]
fn damaged_entries_are_refused_or_right() {
    let (n_refused, n_done) = damage(150);
    assert!(n_refused > 50 && n_done > 5, "{n_refused} refused, {n_done} done");
}

#[test]
#[ignore = "long"]
fn ten_thousand_damaged_entries_are_refused_or_right() {
    let (n_refused, n_done) = damage(10_000);
    assert!(n_refused > 4000 && n_done > 400, "{n_refused} refused, {n_done} done");
}

/// A recipe of somebody's must not make the tool load a library, or read a file.
#[test]
fn strategies_of_the_users_are_refused() {
    for strategy in ["auto", "./mine.so", "mine.json", "plut"] {
        let steps = format!(r#"{{ "step": "schedule", "strategy": "{strategy}" }}"#);
        let recipe = format!(r#"{{ "recipe": {{ "steps": [{steps}] }} }}"#);
        let refused = replay(&entry(PROGRAM, &recipe)).expect_err("refused");
        let expected = format!("recipes of databases begin with no strategy `{strategy}`");
        assert_eq!(refused[0].message, expected);
    }
}
