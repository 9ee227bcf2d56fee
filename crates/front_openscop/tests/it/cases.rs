//! Small files: what becomes of those in `accept/`, and what is said of those in `reject/`.

use crate::common::{cases, lowered, parsed};
use farkas_base::render;
use farkas_front_openscop::parse;

/// Snapshots lie beside the cases and have their names.
fn settings(folder: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("../{folder}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

#[test]
fn accepted_files_are_printed_and_become_scops() {
    let _guard = settings("accept").bind_to_scope();
    for (name, source) in cases("accept") {
        let document = parse(&source).unwrap_or_else(|e| panic!("{}", render(&e, false)));
        let printed = document.document.to_string();
        insta::assert_snapshot!(format!("{name}.printed"), printed);
        assert_eq!(parsed(printed).1.document, document.document, "{name} changes when printed");
        let scops = lowered(&source, &document).unwrap_or_else(|e| panic!("{}", render(&e, false)));
        let shown: Vec<String> = scops
            .iter()
            .map(|lowered| {
                let warnings: String = lowered.warnings.iter().map(|w| render(w, false)).collect();
                let origin: Vec<String> =
                    lowered.origin.instances.iter().map(|map| format!("origin {map}\n")).collect();
                format!("{}\n{}\n{warnings}", lowered.scop, origin.concat())
            })
            .collect();
        insta::assert_snapshot!(format!("{name}.scop"), shown.join("\n"));
    }
}

#[test]
fn every_refusal_has_its_message() {
    let _guard = settings("reject").bind_to_scope();
    for (name, source) in cases("reject") {
        let result = parse(&source).and_then(|document| lowered(&source, &document));
        let Err(diagnostic) = result else { panic!("{name} is accepted") };
        insta::assert_snapshot!(format!("{name}.diag"), render(&diagnostic, false));
    }
}
