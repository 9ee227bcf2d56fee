//! Statements that are divided by where they run, and elements in variables.

use farkas_base::SourceFile;
use farkas_deps::legality::check_program;
use farkas_steps::{
    ArrayAddress, Cut, Dates, Detach, Error, LoopAddress, NotApplicable, Stage, Step, Subject,
};
use farkas_tree::Program;
use std::sync::Arc;

/// Sums along rows, with what they are multiplied with in the end.
fn program() -> Program {
    let text = "void f(int n, double a[n][n], double s[n], double c[n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      s[i] += a[i][j] * c[i];
      c[i] = 0.5 * s[i] + a[j][i];
    }
#pragma endscop
}
";
    let source = Arc::new(SourceFile::new("f.c", text.to_owned()));
    let preprocessed = format!("# 1 \"f.c\"\n{text}");
    let options = farkas_front_c::Options::default();
    let (regions, found) = farkas_front_c::parse(source, &preprocessed, &options);
    let scop = regions.into_iter().next().unwrap_or_else(|| panic!("{found:?}")).scop;
    Program::original(&scop).expect("a program")
}

fn at(text: &str) -> LoopAddress {
    text.parse().expect("an address")
}

/// The program after a step.
fn done(program: &Program, step: &Step) -> Program {
    step.apply(&Subject { program, deps: None }).expect("a program")
}

/// Why a step does not apply.
fn refusal(program: &Program, step: &Step) -> NotApplicable {
    match step.apply(&Subject { program, deps: None }) {
        Err(Error::NotApplicable(reason)) => *reason,
        other => panic!("{other:?}"),
    }
}

/// The program with its outer loop in two parts.
fn cut() -> Program {
    let step = Step::Cut(Cut { place: at("S0.1"), at: Dates(vec!["2".to_owned()]) });
    done(&program(), &step)
}

fn detach(place: &str, stmt: &str, name: &str) -> Step {
    Step::Detach(Detach { at: at(place), stmt: stmt.to_owned(), name: name.to_owned() })
}

/// An element of what the statement called `array` writes, in a variable.
fn kept(place: &str, stmt: &str, array: &str, others: &[&str]) -> Step {
    Step::Stage(Stage {
        at: at(place),
        stmt: stmt.to_owned(),
        array: ArrayAddress::WrittenBy(array.to_owned()),
        layout: Vec::new(),
        pad: Vec::new(),
        buffers: 1,
        others: others.iter().map(|other| (*other).to_owned()).collect(),
        load: None,
        store: None,
    })
}

#[test]
fn what_runs_in_one_of_two_places_is_a_statement_of_its_own() {
    let original = program();
    let parts = done(&cut(), &detach("S0#2.1", "S0", "later"));
    assert!(check_program(&original.scop, &parts).expect("a verdict").is_legal());
    assert_eq!(parts.origins.get("later").map(String::as_str), Some("S0"));
    let [early, later] = ["S0", "later"].map(|name| parts.scop.stmt_by_name(name).expect("it"));
    let rows = |stmt| parts.scop.domain_of(stmt).expect("a domain").dim_min_val(0);
    assert!(rows(early).expect("a number").is_zero().expect("a number"));
    assert_eq!(rows(later).expect("a number").to_i64(), Ok(2));
    // Its parts have origins, too.
    let step = Step::Cut(Cut { place: at("later.2"), at: Dates(vec!["3".to_owned()]) });
    let again = done(&parts, &step);
    let again = done(&again, &detach("later#2.2", "later", "last"));
    assert_eq!(again.origins.get("last").map(String::as_str), Some("S0"));
    assert!(check_program(&original.scop, &again).expect("a verdict").is_legal());
}

#[test]
fn statements_in_one_place_stay_one() {
    let stays = |why| NotApplicable::NotDetachable { stmt: "S0".to_owned(), why };
    let whole = refusal(&program(), &detach("S0.1", "S0", "other"));
    assert_eq!(whole, stays("all of its instances run in the loop"));
    let taken = refusal(&cut(), &detach("S0#2.1", "S0", "S1"));
    assert_eq!(taken, NotApplicable::NameTaken("S1".to_owned()));
    let parts = done(&cut(), &detach("S0#2.1", "S0", "later"));
    let none = refusal(&parts, &detach("later.1", "S0", "more"));
    assert_eq!(none, stays("none of its instances runs in the loop"));
}

#[test]
fn statements_share_a_variable() {
    let original = program();
    let sums = done(&original, &kept("S0.1", "S0", "S0", &["S1"]));
    let both = done(&sums, &kept("S1.1", "S1", "S1", &["S0"]));
    for program in [&sums, &both] {
        assert!(check_program(&original.scop, program).expect("a verdict").is_legal());
    }
    // What the other one writes is in no variable then.
    let alone = done(&original, &kept("S0.1", "S0", "S1", &[]));
    assert!(!check_program(&original.scop, &alone).expect("a verdict").is_legal());
}

#[test]
fn variables_are_for_what_stays() {
    let stays = |array: &str, why| {
        let array = ArrayAddress::WrittenBy(array.to_owned());
        NotApplicable::NotStageable { array, why }
    };
    let alone = program();
    let moving = "the statement uses nothing of it along these loops alone";
    // Of the matrix, each iteration reads another element.
    let mut matrix = kept("S0.1", "S0", "S0", &[]);
    if let Step::Stage(stage) = &mut matrix {
        stage.array = ArrayAddress::Name("a".to_owned());
    }
    let array = ArrayAddress::Name("a".to_owned());
    let refused = NotApplicable::NotStageable { array, why: moving };
    assert_eq!(refusal(&alone, &matrix), refused);
    let parts = done(&cut(), &detach("S0#2.1", "S0", "later"));
    // The other one runs in two places.
    let elsewhere = stays("later", "another statement runs elsewhere, too");
    assert_eq!(refusal(&parts, &kept("later.1", "later", "later", &["S1"])), elsewhere);
    let unused = stays("S0", "another statement does not use it");
    let inner = done(&alone, &kept("S0.1", "S0", "S0", &[]));
    assert_eq!(refusal(&inner, &kept("S0.1", "S0", "S0", &["S1"])), unused);
    let missing = NotApplicable::NoStatement("S9".to_owned());
    assert_eq!(refusal(&alone, &kept("S0.1", "S0", "S0", &["S9"])), missing);
    let mut tile = kept("S0.1", "S0", "S0", &["S1"]);
    if let Step::Stage(stage) = &mut tile {
        stage.array = ArrayAddress::Name("a".to_owned());
        stage.layout = vec![at("S0.2")];
    }
    assert!(matches!(refusal(&alone, &tile), NotApplicable::NotStageable { .. }));
}
