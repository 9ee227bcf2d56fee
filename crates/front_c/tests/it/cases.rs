//! The front end on files of a few lines: what it makes of those in `accept/`, and what it says of those in `reject/`.

use crate::common::{cases, describe, front_end, messages};
use farkas_front_c::Options;

/// Snapshots lie beside the cases and have their names.
fn settings(folder: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("../{folder}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

#[test]
fn every_refusal_has_its_message() {
    let _guard = settings("reject").bind_to_scope();
    for (name, text) in cases("reject") {
        let (scops, diagnostics) = front_end(&format!("{name}.c"), &text, &Options::default());
        let names: Vec<&str> = scops.iter().map(|s| s.scop.name()).collect();
        assert!(!names.contains(&"f"), "{name} is accepted");
        insta::assert_snapshot!(format!("{name}.diag"), messages(&diagnostics));
    }
}

#[test]
fn scops_of_accepted_files() {
    let _guard = settings("accept").bind_to_scope();
    for (name, text) in cases("accept") {
        let (scops, diagnostics) = front_end(&format!("{name}.c"), &text, &Options::default());
        assert!(!diagnostics.iter().any(|d| d.is_error()), "{name}: {}", messages(&diagnostics));
        let scops: Vec<String> = scops.iter().map(describe).collect();
        insta::assert_snapshot!(
            format!("{name}.scop"),
            scops.join("\n\n") + &messages(&diagnostics)
        );
    }
}
