//! No snapshot is left behind by a test that is gone. Those of `tests/cases/` are held against their list in `golden.rs`.

mod common;

use common::repository;
use std::path::{Path, PathBuf};

/// The snapshots in folders called `snapshots` below a folder.
fn snapshots(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            snapshots(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "snap")
            && folder.ends_with("snapshots")
        {
            found.push(path);
        }
    }
}

/// Whether a source may write a snapshot of this name: it has the name, or a pattern such as `explain_{kernel}` for it.
fn writes(source: &str, name: &str) -> bool {
    let unnumbered = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    let mut patterns = name.match_indices('_').map(|(at, _)| format!("{}_{{", &name[..at]));
    source.contains(name)
        || source.contains(unnumbered)
        || patterns.any(|pattern| source.contains(&pattern))
}

#[test]
fn every_snapshot_has_its_test() {
    let mut found = Vec::new();
    snapshots(&repository().join("crates"), &mut found);
    assert!(found.len() > 90, "{}", found.len());
    let mut left = Vec::new();
    for path in found {
        let text = std::fs::read_to_string(&path).expect("a snapshot");
        let source = text.lines().find_map(|line| line.strip_prefix("source: "));
        let source = repository().join(source.expect("a source"));
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let name = name.rsplit("__").next().unwrap_or_default().to_owned();
        if !std::fs::read_to_string(source).is_ok_and(|source| writes(&source, &name)) {
            left.push(path);
        }
    }
    assert!(left.is_empty(), "{left:?}");
}
