//! Statements that get loops, and instances, of their own.

use farkas_base::SourceFile;
use farkas_deps::legality::{Verdict, check_program};
use farkas_deps::{DependenceOptions, Dependences, carried, dependences};
use farkas_steps::{
    Cut, Dates, Distribute, Lifted, NotApplicable, SplitSums, Step, Subject, SumCut, Tile,
    all_lifted, moved,
};
use farkas_tree::{Cursor, Node, Program, ScheduleTree};
use std::sync::Arc;

/// The program of some loops, with its dependences.
fn program(loops: &str) -> (Program, Dependences) {
    let text = format!(
        "void f(int n, double A[n][n], double x[n], double y[n], double t[n])
{{
#pragma scop
{loops}
#pragma endscop
}}
"
    );
    let source = Arc::new(SourceFile::new("f.c", text.clone()));
    let preprocessed = format!("# 1 \"f.c\"\n{text}");
    let options = farkas_front_c::Options::default();
    let (regions, found) = farkas_front_c::parse(source, &preprocessed, &options);
    let scop = regions.into_iter().next().unwrap_or_else(|| panic!("{found:?}")).scop;
    let deps = dependences(&scop, DependenceOptions::default()).expect("dependences");
    (Program::original(&scop).expect("a program"), deps)
}

/// A loop around a loop with two statements, beside another one.
fn nested() -> (Program, Dependences) {
    program(
        "for (int i = 0; i < n; i++) {
    t[i] = 0.0;
    for (int j = 0; j < n; j++) {
      t[i] += A[i][j] * x[j];
      y[j] += A[i][j];
    }
  }",
    )
}

/// What the bodies of the outermost sequence run, with how many loops each has.
fn bodies(tree: &ScheduleTree) -> Vec<(String, usize)> {
    if let Node::Sequence(children) = tree.node() {
        let of = |child: &ScheduleTree| match child.node() {
            Node::Filter { filter, child } => {
                let names = farkas_analysis::stmt_names(filter).expect("names");
                (names.join(" "), n_loops(child))
            }
            _ => (String::new(), 0),
        };
        return children.iter().map(of).collect();
    }
    tree.children().iter().flat_map(bodies).collect()
}

/// How many loops a tree has.
fn n_loops(tree: &ScheduleTree) -> usize {
    let own = match tree.node() {
        Node::Band { band, .. } => band.members.len(),
        _ => 0,
    };
    own + tree.children().iter().map(n_loops).sum::<usize>()
}

/// The program after its outermost loop was distributed among groups of statements.
fn distributed(groups: &[&[&str]]) -> Result<Program, farkas_steps::Error> {
    let (program, deps) = nested();
    let names = |group: &&[&str]| group.iter().map(|name| (*name).to_owned()).collect();
    let groups = groups.iter().map(names).collect();
    let step = Step::Distribute(Distribute { at: "S0.1".parse().expect("an address"), groups });
    step.apply(&Subject { program: &program, deps: Some(&deps) })
}

#[test]
fn bodies_with_statements_of_several_groups_are_divided() {
    let all = distributed(&[&["S0"], &["S1"], &["S2"]]).expect("a program");
    let of = |name: &str, n| (name.to_owned(), n);
    assert_eq!(bodies(&all.tree), [of("S0", 1), of("S1", 2), of("S2", 2)]);
    let two = distributed(&[&["S0", "S1"], &["S2"]]).expect("a program");
    assert_eq!(bodies(&two.tree)[1], of("S2", 2), "{}", two.tree);
    let left = distributed(&[&["S0"], &["S1"]]);
    assert_eq!(left.err(), Some(NotApplicable::NoGroup(Vec::new()).into()));
}

#[test]
fn dependences_follow_instances_to_parts() {
    let (program, deps) = nested();
    assert_eq!(moved(&deps, &program.scop, &program), Ok(None));
    // The second statement with the number of a strip in front of its iterators.
    let strips = "[n] -> { S1[s, i, j] : 0 <= i, j < n and 8s <= i < 8s + 8 }";
    let lifted = Lifted::named("S1", "S1", &strips.parse().expect("a set"), 1).expect("a part");
    let id = program.scop.stmt_by_name("S1").expect("a statement");
    let mut builder = program.scop.to_builder();
    builder.stmts[id] = lifted.statement(&program.scop.stmts()[id], Some(0), 8).expect("one");
    let scop = builder.build().expect("a scop");
    let tree = all_lifted(&program.tree, std::slice::from_ref(&lifted)).expect("a tree");
    let new = Program { scop, tree, ..program.clone() };
    let found = moved(&deps, &program.scop, &new).expect("an answer").expect("dependences");
    assert_eq!(found.deps.len(), deps.deps.len());
    let outermost = |program: &Program, deps: &Dependences| {
        let reports = carried::coincidence(deps, &program.tree).expect("reports");
        reports.iter().map(|report| report.is_coincident()).collect::<Vec<_>>()
    };
    assert_eq!(outermost(&new, &found), outermost(&program, &deps));
    assert_ne!(outermost(&new, &deps), outermost(&new, &found), "without them sums are not seen");
}

#[test]
fn strips_of_a_loop_are_distributed() {
    let (program, deps) = nested();
    let subject = |program| Subject { program, deps: Some(&deps) };
    let first = "S0.1".parse().expect("an address");
    let strips = Step::Tile(Tile { first, sizes: vec![8] }).apply(&subject(&program));
    let strips = strips.expect("strips");
    let groups = ["S0", "S1", "S2"].map(|name| vec![name.to_owned()]).to_vec();
    let at = "S0.2".parse().expect("an address");
    let apart = Step::Distribute(Distribute { at, groups }).apply(&subject(&strips));
    let apart = apart.expect("a program");
    assert!(apart.tree.at(&Cursor::root()).is_ok());
    assert_eq!(bodies(&apart.tree).len(), 3, "{}", apart.tree);
}

#[test]
fn sums_are_split_where_that_fits_alone() {
    let (program, deps) = program(
        "for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++)
      y[i] -= A[i][j] * y[j];
    y[i] = y[i] / A[i][i];
  }",
    );
    let known = Subject { program: &program, deps: Some(&deps) };
    let step = |nest: &str, size| {
        let [nest, at] = [nest, "S0.1"].map(|text| text.parse().expect("an address"));
        let [sums, parts] = ["S0", "S0_later"].map(|name| vec![name.to_owned()]);
        Step::SplitSums(SplitSums { cuts: vec![SumCut { nest, at, size, sums, parts }] })
    };
    assert_eq!(step("S0.1", 8).new_stmts(), ["S0_later"]);
    let refused = |step: &Step, subject: &Subject<'_>| match step.apply(subject) {
        Err(farkas_steps::Error::NotApplicable(reason)) => *reason,
        other => panic!("{other:?}"),
    };
    assert!(matches!(refused(&step("S0.2", 8), &known), NotApplicable::NoNest(Some(_))));
    assert!(matches!(refused(&step("S0.1", 0), &known), NotApplicable::BadNumber(_)));
    let unknown = Subject { program: &program, deps: None };
    assert!(matches!(refused(&step("S0.1", 8), &unknown), NotApplicable::NoSum(_)));
}

#[test]
fn sums_whose_operands_are_there_have_a_nest_of_their_own() {
    let (program, deps) = program(
        "for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++)
        A[i][j] -= A[i][k] * A[k][j];",
    );
    let [nest, at] = ["S0.1"; 2].map(|text| text.parse().expect("an address"));
    let [sums, parts] = ["S0", "S0_far"].map(|name| vec![name.to_owned()]);
    let step = SplitSums { cuts: vec![SumCut { nest, at, size: 8, sums, parts }] };
    let split = Step::SplitSums(step).apply(&Subject { program: &program, deps: Some(&deps) });
    let split = split.expect("a program");
    assert_eq!(split.origins.get("S0_far").map(String::as_str), Some("S0"));
    assert_eq!(check_program(&program.scop, &split), Ok(Verdict::Legal));
    // In it, rows and columns beyond those of a strip of k.
    let far = split.scop.stmt_by_name("S0_far").expect("a statement");
    let beyond = "[n] -> { S0_far[s, k, i, j] : 8s <= k < 8s + 8 and i >= 8s + 8 and j >= 8s + 8 }";
    let far = split.scop.domain_of(far).expect("a set");
    assert_eq!(far.is_subset(&beyond.parse().expect("a set")), Ok(true), "{far}");
    assert!(!far.is_empty().expect("an answer"));
}

/// In a strip within a strip, far sums lie in the rows of the outer one and beyond them, where the columns of the outer one are left alone: two nests
/// with simple bounds, and not one whose columns depend on the row.
#[test]
fn far_sums_in_two_pieces_have_two_nests() {
    let (program, deps) = program(
        "for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++)
        A[i][j] -= A[i][k] * A[k][j];",
    );
    let cut = |at: &str, size| {
        let [nest, at] = [at; 2].map(|text| text.parse().expect("an address"));
        SumCut { nest, at, size, sums: vec!["S0".into()], parts: Vec::new() }
    };
    let step = SplitSums { cuts: vec![cut("S0.1", 64), cut("S0.2", 8)] };
    let split = Step::SplitSums(step).apply(&Subject { program: &program, deps: Some(&deps) });
    let split = split.expect("a program");
    assert_eq!(check_program(&program.scop, &split), Ok(Verdict::Legal));
    let mut n_far = 0;
    for (id, stmt) in split.scop.stmts().iter_enumerated() {
        if stmt.name.starts_with("S0_far") {
            let domain = split.scop.domain_of(id).and_then(|domain| domain.coalesce());
            assert_eq!(domain.expect("a set").basic_sets().expect("pieces").len(), 1);
            n_far += 1;
        }
    }
    assert_eq!(n_far, 3);
}

/// Work that a budget leaves undone is neither a step that does not apply nor an illegal program.
#[test]
fn a_budget_that_is_used_up_says_nothing_else() {
    let (program, deps) = nested();
    let cut = Cut { place: "S0.1".parse().expect("an address"), at: Dates(vec!["1".into()]) };
    let cut_and_checked = || -> Result<Verdict, farkas_steps::Error> {
        let subject = Subject { program: &program, deps: Some(&deps) };
        let new = Step::Cut(cut.clone()).apply(&subject)?;
        Ok(check_program(&program.scop, &new)?)
    };
    let (mut n_undecided, mut budget) = (0, 10);
    loop {
        match farkas_poly::with_budget(budget, cut_and_checked) {
            Err(
                farkas_steps::Error::Poly(farkas_poly::Error::OutOfBudget)
                | farkas_steps::Error::Deps(farkas_deps::Error::OutOfBudget),
            ) => n_undecided += 1,
            verdict => break assert_eq!(verdict, Ok(Verdict::Legal), "with {budget} operations"),
        }
        budget += 1 + budget / 20;
    }
    assert!(n_undecided > 10);
}
