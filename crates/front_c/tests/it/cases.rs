//! The front end on files of a few lines: what it makes of those in `accept/`, and what it says of those in `reject/`.

use crate::common::{cases, describe, front_end, messages, options};

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
    let mut accepted = Vec::new();
    for (name, text) in cases("reject") {
        let (scops, diagnostics) = front_end(&format!("{name}.c"), &text, &options(&text));
        if scops.iter().any(|s| s.scop.name() == "f") {
            accepted.push(name);
            continue;
        }
        insta::assert_snapshot!(format!("{name}.diag"), messages(&diagnostics));
    }
    assert_eq!(accepted, Vec::<String>::new(), "these are accepted");
}

#[test]
fn scops_of_accepted_files() {
    let _guard = settings("accept").bind_to_scope();
    for (name, text) in cases("accept") {
        let (scops, diagnostics) = front_end(&format!("{name}.c"), &text, &options(&text));
        assert!(!diagnostics.iter().any(|d| d.is_error()), "{name}: {}", messages(&diagnostics));
        let scops: Vec<String> = scops.iter().map(describe).collect();
        insta::assert_snapshot!(
            format!("{name}.scop"),
            scops.join("\n\n") + &messages(&diagnostics)
        );
    }
}

#[test]
fn macros_of_a_region_are_told() {
    let text = "#define N 100\n#define M (N + 1)\n#define REAL double\nREAL A[N];\nvoid f(void)\n{\n#pragma scop\n\
                for (int i = 0; i < M - 1; i++)\nA[i] = (REAL)i;\n#pragma endscop\n}\n";
    let (defines, rest) = text.split_at(text.find("REAL A").expect("the declaration"));
    let expanded =
        rest.replace("M - 1", "(100 + 1) - 1").replace("REAL", "double").replace("[N]", "[100]");
    let source = std::sync::Arc::new(farkas_base::SourceFile::new("m.c", text));
    let preprocessed = format!("# 1 \"m.c\"\n{defines}{expanded}");
    let (scops, diagnostics) =
        farkas_front_c::parse(source, &preprocessed, &farkas_front_c::Options::default());
    assert!(diagnostics.is_empty(), "{}", messages(&diagnostics));
    let guards: Vec<String> = scops[0]
        .host
        .macro_guards
        .iter()
        .map(|g| format!("{} {} {:?}", g.name, g.value, g.testable))
        .collect();
    assert_eq!(guards, ["M ( 100 + 1 ) Some(101)", "N 100 Some(100)", "REAL double None"]);
    assert_eq!(scops[0].scop.stmts().len(), 1);
}
