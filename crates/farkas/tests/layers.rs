//! Rules on the repository itself: which crate may use which, the map names every crate, messages are documented, and
//! no file knows the machine it was written on.

mod common;

use common::repository;
use farkas_base::DiagnosticId;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Pairs that the order of the map would allow, but that something rests on: the second must not be reached by the
/// first, however indirectly.
const INDEPENDENT: &[(&str, &str, &str)] = &[
    ("deps", "solve", "the legality check shares nothing with the scheduler"),
    ("deps", "schedule", "the legality check shares nothing with the scheduler"),
    ("interp", "deps", "the interpreter is a second opinion on legality"),
    ("interp", "schedule", "the interpreter is a second opinion on legality"),
    ("front_c", "tree", "a scop holds its order as dates"),
    ("front_openscop", "schedule", "a document takes any order, whoever made it"),
    ("analysis", "deps", "what loops do to memory is a matter of their accesses alone"),
    ("cost", "transform", "what loops cost is a matter of the loops, whoever shaped them"),
    ("transform", "schedule", "a transform works on any tree, whoever made it"),
    ("astgen", "schedule", "loops come from the tree alone"),
    ("cost", "schedule", "a form is judged by its loops, whoever made them"),
    ("tune", "astgen", "a search sees points and times, not loops"),
    ("run", "scop", "running programs needs no polyhedra"),
    ("db", "scop", "a database holds texts, whatever they say"),
];

#[test]
fn crates_use_only_crates_above_them_in_the_map() {
    let order = mapped_crates();
    let place = |name: &str| order.iter().position(|n| n == name);
    for (name, uses) in dependencies() {
        for used in uses {
            assert!(
                place(&used) < place(&name),
                "{name} uses {used}, which is below it in ARCHITECTURE.md"
            );
        }
    }
}

#[test]
fn the_map_names_every_crate_once() {
    let mut mapped = mapped_crates();
    mapped.sort();
    assert_eq!(mapped, dependencies().into_keys().collect::<Vec<_>>());
}

#[test]
fn what_must_be_independent_is() {
    let dependencies = dependencies();
    for (name, other, reason) in INDEPENDENT {
        assert!(
            !reachable(&dependencies, name).contains(*other),
            "{name} uses {other}, but {reason}"
        );
    }
}

#[test]
fn every_diagnostic_is_named_and_documented() {
    let mut names = BTreeSet::new();
    for id in DiagnosticId::ALL {
        let (name, text) = (id.name(), id.documentation().trim());
        assert!(names.insert(name), "{name} is there twice");
        let is_kebab = name.split('-').all(|word| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        });
        assert!(is_kebab, "{name} is not kebab-case");
        assert!(text.ends_with('.') && text.contains(' '), "{name} has no sentence: {text}");
        assert_eq!(DiagnosticId::from_name(name), Some(*id));
    }
}

#[test]
fn no_file_knows_a_machine() {
    // Written in two parts, so that this file does not contain them.
    let paths = [["/wo", "rk/"], ["/ro", "ot/"], ["/ho", "me/"], ["/Us", "ers/"]]
        .map(|parts| parts.concat());
    for (path, text) in files() {
        for needle in &paths {
            assert!(!text.contains(needle.as_str()), "{} contains {needle}", path.display());
        }
    }
}

#[test]
fn packages_come_from_the_public_registry() {
    let lock = std::fs::read_to_string(repository().join("Cargo.lock")).expect("a lock file");
    let public = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
    for line in lock.lines().filter(|line| line.starts_with("source = ")) {
        assert_eq!(line, public);
    }
    let replaced = files().into_iter().filter(|(path, text)| {
        let is_cargo = path.extension().is_some_and(|e| e == "toml");
        is_cargo && (text.contains("[source.") || text.contains("[registries"))
    });
    assert_eq!(replaced.map(|(path, _)| path).collect::<Vec<_>>(), Vec::<PathBuf>::new());
}

/// The folders of the table in ARCHITECTURE.md, from top to bottom.
fn mapped_crates() -> Vec<String> {
    let map = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("the map");
    let rows = map.lines().filter_map(|line| line.strip_prefix("| `crates/"));
    rows.map(|row| row.split('`').next().unwrap_or_default().to_owned()).collect()
}

/// The crates of the workspace by folder, each with the folders of those that its library uses.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let mut manifests = BTreeMap::new();
    for entry in std::fs::read_dir(repository().join("crates")).expect("the folder of crates") {
        let path = entry.expect("an entry").path();
        let Ok(manifest) = std::fs::read_to_string(path.join("Cargo.toml")) else { continue };
        let folder = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        manifests.insert(folder, manifest);
    }
    let folder_of = |package: &str| {
        let line = format!("name = \"{package}\"");
        let is_it = |manifest: &String| section(manifest, "[package]").any(|l| l == line);
        let found = manifests.iter().find(|(_, manifest)| is_it(manifest));
        found.unwrap_or_else(|| panic!("no crate is called {package}")).0.clone()
    };
    let uses = |manifest: &String| {
        section(manifest, "[dependencies]")
            .chain(section(manifest, "[build-dependencies]"))
            .filter_map(|line| line.split(['.', ' ', '=']).next())
            .filter(|package| *package == "farkas" || package.starts_with("farkas-"))
            .map(folder_of)
            .collect()
    };
    manifests.iter().map(|(folder, manifest)| (folder.clone(), uses(manifest))).collect()
}

/// The lines of a section of a manifest.
fn section<'a>(manifest: &'a str, header: &'a str) -> impl Iterator<Item = &'a str> {
    let after = manifest.lines().skip_while(move |line| *line != header).skip(1);
    after.take_while(|line| !line.starts_with('['))
}

/// What `name` uses, directly or not.
fn reachable(dependencies: &BTreeMap<String, BTreeSet<String>>, name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        for used in dependencies.get(&name).into_iter().flatten() {
            if found.insert(used.clone()) {
                open.push(used.clone());
            }
        }
    }
    found
}

/// The text files of the repository. What is built and what is hidden is left out, except for the gate.
fn files() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![repository()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            if is_left_out(&path) {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                found.push((path, text));
            }
        }
    }
    assert!(found.len() > 100, "the repository has more files than {}", found.len());
    found
}

/// Whether a path holds nothing that is committed.
fn is_left_out(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_hidden = name.starts_with('.') && !matches!(&*name, ".ci" | ".cargo" | ".gitignore");
    is_hidden || name == "target" || path.join("CACHEDIR.TAG").exists()
}
