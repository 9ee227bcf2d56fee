//! What is said of the files in `reject/`: those called `influence-…` are influence files, the others strategies.

use crate::common::{Program, influence_file, json_files, messages};

#[test]
fn every_error_has_its_message() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../reject");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let _guard = settings.bind_to_scope();
    let program = Program::new();
    for (name, text) in json_files("tests/reject") {
        let errors = match name.starts_with("influence-") {
            true => program.influence(&text).err(),
            false => program.strategy(&text).err(),
        };
        let errors = errors.unwrap_or_else(|| panic!("{name} is accepted"));
        for error in &errors {
            assert!(error.source.is_some() && error.primary.is_some(), "{name}: {error:?}");
        }
        insta::assert_snapshot!(format!("{name}.diag"), messages(&errors));
    }
}

#[test]
fn keys_of_akg_that_are_ignored_are_told() {
    let text = r#"{ "name": "t", "gpu": { "blocks": [0] }, "soft constraints": [] }"#;
    let file = influence_file(text).expect("a file that is accepted");
    insta::assert_snapshot!(messages(file.warnings()), @r#"
    warning[ignored-key]: the key `gpu` has no meaning here and is ignored
     --> influence.json:1:16
      |
    1 | { "name": "t", "gpu": { "blocks": [0] }, "soft constraints": [] }
      |                ^^^^^ for AKG alone
    "#);
}
