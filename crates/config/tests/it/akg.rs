//! AKG's flat form: what its rows become.

use crate::common::{Program, messages};
use crate::influence::describe;

/// A file with these rows of statements.
fn file(rows: &[(&str, [usize; 2], &[&str])]) -> String {
    let entry = |(statement, meta, rows): &(&str, [usize; 2], &[&str])| {
        format!(
            "{{ \"statement\": {statement:?}, \"meta\": {meta:?}, \"coefficients\": {rows:?} }}"
        )
    };
    let entries: Vec<String> = rows.iter().map(entry).collect();
    format!("{{ \"soft constraints\": [{}] }}", entries.join(", "))
}

/// The tree of rows for the statements of the test program.
fn tree(rows: &[(&str, [usize; 2], &[&str])]) -> String {
    let text = file(rows);
    let influence = Program::new().influence(&text);
    describe(&influence.unwrap_or_else(|errors| panic!("{}\n{text}", messages(&errors))))
}

#[test]
fn quotient_and_remainder_become_a_tile() {
    let rows: &[&str] = &["[1, 0, 0, 0, ?]", "[0, 1, 0, 0, ?12] (/4)", "[0, 1, 0, 0, ?12] (%4)"];
    insta::assert_snapshot!(tree(&[("S_1", [2, 2], rows)]));
}

#[test]
fn named_unknowns_are_equal_wherever_they_appear() {
    let a: &[&str] = &["[?1, ?x, ?x, ?]", "[?1, -3, 0, ?2]"];
    let b: &[&str] = &["[?1, ?, 0, 0, ?2]", "[?, 1, 0, 0, ?2]", "[0, 0, 0, 0, 0]"];
    insta::assert_snapshot!(tree(&[("S_0", [1, 2], a), ("S1", [2, 2], b)]));
}

#[test]
fn composed_suffixes_become_levels_of_tiles() {
    let rows: &[&str] =
        &["[1, 0, 0, ?21] (/1024)", "[1, 0, 0, ?21] (%1024, /4)", "[1, 0, 0, ?21] (%4)"];
    insta::assert_snapshot!(tree(&[("init", [1, 2], rows)]));
    // The same the other way round.
    let rows: &[&str] =
        &["[1, 0, 0, ?] (/4) (/256)", "[1, 0, 0, ?] (/4, %256)", "[1, 0, 0, ?] (%4)"];
    insta::assert_snapshot!(tree(&[("init", [1, 2], rows)]));
}

#[test]
fn rows_between_the_parts_of_a_loop_keep_their_order() {
    let rows: &[&str] = &[
        "[1, 0, 0, 0, ?] (/8)",
        "[0, 1, 0, 0, ?] (/16)",
        "[1, 0, 0, 0, ?] (%8)",
        "[0, 1, 0, 0, ?] (%16)",
    ];
    insta::assert_snapshot!(tree(&[("line:9", [2, 2], rows)]));
}

#[test]
fn a_row_of_zeros_fits_the_parts_of_a_loop_of_others() {
    let a: &[&str] = &["[0, 0, 0, 0]", "[0, 0, 0, 0]", "[1, 0, 0, ?]"];
    let b: &[&str] = &["[0, 1, 0, 0, ?] (/8)", "[0, 1, 0, 0, ?] (%8)", "[1, 0, 0, 0, ?]"];
    insta::assert_snapshot!(tree(&[("S_0", [1, 2], a), ("S_1", [2, 2], b)]));
}

#[test]
fn a_schedule_has_a_limited_number_of_rows() {
    let program = Program::new();
    let rows = vec!["[?, ?, ?, ?]"; 257];
    assert!(program.influence(&file(&[("S_0", [1, 2], &rows[..256])])).is_ok());
    let errors = program.influence(&file(&[("S_0", [1, 2], &rows)])).expect_err("too many rows");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "a statement has more than 256 rows");
}
