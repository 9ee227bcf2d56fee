//! Elements in variables while rows are written out: which ones, in which statements, and that it is legal.

use farkas_base::SourceFile;
use farkas_deps::legality::check_program;
use farkas_deps::{DependenceOptions, dependences};
use farkas_machine::{Gpu, Machine};
use farkas_scop::Scop;
use farkas_steps::Step;
use farkas_transform::{Keep, Setting, Shaping};
use farkas_tree::ScheduleTree;
use std::sync::Arc;

/// What runs in eight rows `i` of columns `j`, for each `k`.
fn scop(body: &str) -> Scop {
    let text = format!(
        "void f(int n, double A[8][n], double B[n], double R[n + 9][n])
{{
#pragma scop
  for (int k = 0; k < n; k++)
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < n; j++) {{
        {body}
      }}
#pragma endscop
}}
"
    );
    let source = Arc::new(SourceFile::new("f.c", text.clone()));
    let preprocessed = format!("# 1 \"f.c\"\n{text}");
    let options = farkas_front_c::Options::default();
    let (regions, found) = farkas_front_c::parse(source, &preprocessed, &options);
    regions.into_iter().next().unwrap_or_else(|| panic!("{found:?}")).scop
}

/// The rows in vector lanes over columns; the first statement's first step in `k` stands by itself where `is_apart`.
fn rows(scop: &Scop, is_apart: bool) -> ScheduleTree {
    let names: Vec<String> = scop.stmts().iter().map(|stmt| stmt.name.clone()).collect();
    let band = |dim: &str| {
        let dates = names.iter().map(|name| format!("{name}[k, i, j] -> [({dim})]"));
        format!("schedule: \"[{{ {} }}]\"", dates.collect::<Vec<_>>().join("; "))
    };
    let filters = names.iter().map(|name| format!("{{ filter: \"{{ {name}[k, i, j] }}\" }}"));
    let body = match names.len() {
        1 => String::new(),
        _ => format!(", child: {{ sequence: [ {} ] }}", filters.collect::<Vec<_>>().join(", ")),
    };
    let [k, i, j] = ["k", "i", "j"].map(band);
    let nest = format!(
        "{{ {k}, child: {{ mark: \"vector\", child: {{ {j}, child: {{ mark: \"unroll\", child: {{ {i} {body} }} }} }} }} }}"
    );
    let all = |condition: &str| {
        let sets = names.iter().map(|name| format!("{name}[k, i, j] : {condition}"));
        format!("{{ {} }}", sets.collect::<Vec<_>>().join("; "))
    };
    let domain = scop.domain().expect("a domain");
    let child = match is_apart {
        false => nest,
        true => {
            let alone = format!("{{ {k}, child: {{ {i}, child: {{ {j} {body} }} }} }}");
            let [first, rest] = [all("k = 0"), all("k > 0")];
            format!(
                "{{ sequence: [ {{ filter: \"{first}\", child: {alone} }}, {{ filter: \"{rest}\", child: {nest} }} ] }}"
            )
        }
    };
    format!("{{ domain: \"{domain}\", child: {child} }}").parse().expect("a tree")
}

/// The steps that keep elements, as words with the statements that they are for.
fn kept(body: &str, is_apart: bool) -> Vec<String> {
    let scop = scop(body);
    let deps = dependences(&scop, DependenceOptions::default()).expect("dependences");
    let setting = Setting {
        scop: &scop,
        deps: &deps,
        keeps_all: true,
        machine: &Machine::generic(),
        gpu: &Gpu::generic(),
        has_threads: true,
        has_lanes: true,
        has_tensor_cores: false,
    };
    let mut shaping = Shaping::new(&scop, &rows(&scop, is_apart)).recorded();
    shaping.follow(&Keep {}.into(), setting).expect("a program");
    let (program, remarks, steps) = shaping.done();
    assert!(check_program(&scop, &program).expect("a verdict").is_legal(), "{}", program.tree);
    assert_eq!(remarks.is_empty(), steps.is_empty());
    let word = |step: &Step| match step {
        Step::Stage(stage) => {
            let stmts: Vec<&str> =
                std::iter::once(&stage.stmt).chain(&stage.others).map(String::as_str).collect();
            let back = if stage.store.is_some() { ", back" } else { "" };
            format!("{} of {}{back}", stage.array, stmts.join(" and "))
        }
        Step::Detach(detach) => format!("{} is {}", detach.stmt, detach.name),
        other => other.word().to_owned(),
    };
    steps.iter().map(word).collect()
}

const UPDATE: &str = "A[i][j] -= R[k][j];";

#[test]
fn rows_of_different_numbers_are_kept() {
    let found = kept(&format!("{UPDATE} R[k + 1][j] += A[i][j];"), false);
    assert_eq!(found, ["S1.written of S0", "S1.written of S1, back"]);
}

/// The same row twice is one variable.
#[test]
fn what_several_statements_share_is_one_variable() {
    let found = kept(&format!("{UPDATE} R[k][j] += A[i][j] * B[j]; B[j] = R[k][j];"), false);
    assert_eq!(found, ["S1.written of S0 and S1 and S2, back", "S2.written of S1 and S2, back"]);
}

/// What runs elsewhere, too, is a statement of its own.
#[test]
fn parts_of_statements_are_detached() {
    let found = kept(&format!("{UPDATE} R[k + 1][j] += A[i][j];"), true);
    let detached = ["S0 is S0_rows", "S1 is S1_rows"];
    assert_eq!(found[0], detached[0]);
    assert!(found.contains(&detached[1].to_owned()), "{found:?}");
    assert_eq!(found.len(), 4, "{found:?}");
}

/// Row 3 may be row `k`: what is stored in one has to be seen in the other.
#[test]
fn rows_that_may_be_the_same_stay_in_memory() {
    assert_eq!(kept(&format!("{UPDATE} R[3][j] += A[i][j];"), false), Vec::<String>::new());
    // Where both are only read, it does not matter.
    assert_eq!(kept(&format!("{UPDATE} A[i][j] *= R[3][j];"), false).len(), 2);
}

/// What moves from row to row stays in memory.
#[test]
fn rows_that_move_stay_in_memory() {
    assert_eq!(kept(&format!("{UPDATE} R[i][j] += A[i][j];"), false), Vec::<String>::new());
}

/// Compilers see the sum themselves where nothing else is stored.
#[test]
fn sums_alone_need_no_variable() {
    assert_eq!(kept("R[k][j] += A[i][j];", false), Vec::<String>::new());
}
