//! Small files: what becomes of those in `accept/`, and what is said of those in `reject/`.

use crate::common::{cases, constraints, scop, shown};
use farkas_base::render;
use farkas_front_isl::{print_constraints, print_scop, read_constraints, read_scop};

/// Snapshots lie beside the cases and have their names.
fn settings(folder: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("../{folder}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings
}

#[test]
fn accepted_constraints_are_lowered_and_printed() {
    let _guard = settings("accept").bind_to_scope();
    for (name, source) in cases("accept", "sc") {
        let lowered =
            read_constraints(&source, "test").unwrap_or_else(|e| panic!("{}", render(&e, false)));
        let printed = print_constraints(&lowered.scop, &lowered.constraints).expect("a text");
        insta::assert_snapshot!(name.clone(), format!("{}\n{printed}", shown(&lowered)));
        let again = constraints(&printed);
        assert_eq!(
            print_constraints(&again.scop, &again.constraints).as_ref(),
            Ok(&printed),
            "{name}"
        );
        assert_eq!(again.constraints.len(), lowered.constraints.len(), "{name}");
        for (a, b) in again.constraints.iter().zip(&lowered.constraints) {
            assert_eq!((a.kind, a.source, a.sink), (b.kind, b.source, b.sink), "{name}");
            assert_eq!(a.pairs.is_equal(&b.pairs), Ok(true), "{name}: {} and {}", a.pairs, b.pairs);
        }
    }
}

#[test]
fn accepted_scops_are_read_and_printed() {
    let _guard = settings("accept").bind_to_scope();
    for (name, source) in cases("accept", "isl") {
        let read = read_scop(&source, "test").unwrap_or_else(|e| panic!("{}", render(&e, false)));
        let printed = print_scop(&read.scop).expect("a text");
        let warnings: String = read.warnings.iter().map(|w| render(w, false)).collect();
        insta::assert_snapshot!(name.clone(), format!("{}\n{warnings}\n{printed}", read.scop));
        let again = scop(&printed).scop;
        assert_eq!(print_scop(&again).as_ref(), Ok(&printed), "{name} changes when printed");
        assert_eq!(
            again.to_string().lines().count(),
            read.scop.to_string().lines().count(),
            "{name}"
        );
    }
}

#[test]
fn every_refusal_has_its_message() {
    let _guard = settings("reject").bind_to_scope();
    for (name, source) in cases("reject", "sc") {
        let Err(diagnostic) = read_constraints(&source, "test") else {
            panic!("{name} is accepted")
        };
        insta::assert_snapshot!(name, render(&diagnostic, false));
    }
    for (name, source) in cases("reject", "isl") {
        let Err(diagnostic) = read_scop(&source, "test") else { panic!("{name} is accepted") };
        insta::assert_snapshot!(name, render(&diagnostic, false));
    }
}
