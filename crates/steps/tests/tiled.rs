//! Steps for loops that have marks already: over tiles, and in vector lanes around loops that are written out.

use farkas_base::SourceFile;
use farkas_deps::{DependenceOptions, dependences};
use farkas_steps::{
    Ahead, ArrayAddress, Cut, Dates, Distribute, JoinKernels, Kernel, LoopKind, Mark,
    NotApplicable, Pad, Stage, Step, Subject, Tile,
};
use farkas_tree::{Mark as TreeMark, Node, Program, ScheduleTree};
use std::sync::Arc;

/// Two statements in a square, the second only where `j` is at least `i`.
fn program() -> Program {
    let text = "void f(int n, double a[n][n], double b[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i][j] = 1.0;
      if (j >= i) b[i][j] = 2.0;
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

/// The program after a step.
fn done(program: &Program, step: &Step) -> Result<Program, farkas_steps::Error> {
    let deps = dependences(&program.scop, DependenceOptions::default()).expect("dependences");
    step.apply(&Subject { program, deps: Some(&deps) })
}

/// The program after several steps.
fn after(steps: &[Step]) -> Program {
    steps.iter().fold(program(), |program, step| done(&program, step).expect("a program"))
}

/// A loop of the first statement.
fn at(text: &str) -> farkas_steps::LoopAddress {
    text.parse().expect("an address")
}

fn tile(place: &str, sizes: &[i64]) -> Step {
    Step::Tile(Tile { first: at(place), sizes: sizes.to_vec() })
}

fn cut(place: &str, dates: &[&str]) -> Step {
    let dates = dates.iter().map(|date| (*date).to_owned()).collect();
    Step::Cut(Cut { place: at(place), at: Dates(dates) })
}

fn mark(place: &str, kind: LoopKind) -> Step {
    Step::Mark(Mark::new(at(place), kind))
}

/// The marks of a tree from the root on, in their order.
fn marks(tree: &ScheduleTree) -> Vec<String> {
    let own = match tree.node() {
        Node::Mark { mark, .. } => vec![mark.to_string()],
        _ => Vec::new(),
    };
    let below = tree.children().iter().flat_map(marks);
    own.into_iter().chain(below).collect()
}

/// How many leaves a tree has.
fn n_leaves(tree: &ScheduleTree) -> usize {
    match tree.children() {
        [] => 1,
        children => children.iter().map(n_leaves).sum(),
    }
}

#[test]
fn parts_of_a_loop_over_tiles_run_over_tiles() {
    let steps = [tile("S0.1", &[4, 8]), cut("S0.2", &["$1", "$1 + 16"])];
    let program = after(&steps);
    assert_eq!(
        marks(&program.tree),
        ["tile 4", "tile 8", "point", "tile 8", "point", "tile 8", "point"]
    );
    let outermost = after(&[tile("S0.1", &[4, 8]), cut("S0.1", &["16"])]);
    assert_eq!(marks(&outermost.tree), ["tile 4,8", "point", "tile 4,8", "point"]);
}

#[test]
fn parts_have_what_runs_in_them() {
    // Nothing runs before zero, and the second statement not before the diagonal.
    let program = after(&[cut("S0.2", &["0", "$1"])]);
    assert_eq!(n_leaves(&program.tree), 3, "{}", program.tree);
    let whole = after(&[cut("S0.2", &["n"])]);
    assert_eq!(n_leaves(&whole.tree), 2, "{}", whole.tree);
}

#[test]
fn lanes_may_have_loops_that_are_written_out() {
    let refused = done(&program(), &mark("S0.1", LoopKind::Vector));
    assert_eq!(refused.err(), Some(NotApplicable::NotWrittenOut.into()));
    let steps = [mark("S0.2", LoopKind::Unroll), mark("S0.1", LoopKind::Vector)];
    assert_eq!(marks(&after(&steps).tree), ["vector", "unroll"]);
}

#[test]
fn full_tiles_come_apart_and_together() {
    let tiles = [tile("S0.1", &[4, 8]), mark("S0.tile.2", LoopKind::FullTilesApart)];
    let apart = after(&tiles);
    assert_eq!(marks(&apart.tree), ["tile 4", "separate-full-tiles", "tile 8", "point"]);
    let together = done(&apart, &mark("S0.tile.2", LoopKind::FullTilesTogether)).expect("a tree");
    assert_eq!(marks(&together.tree), ["tile 4", "tile 8", "point"]);
    let refused = done(&program(), &mark("S0.1", LoopKind::FullTilesApart));
    assert_eq!(refused.err(), Some(NotApplicable::NoTiles.into()));
    let twice = done(&apart, &mark("S0.tile.2", LoopKind::FullTilesApart));
    assert_eq!(twice.err(), Some(NotApplicable::Marked(TreeMark::SeparateFullTiles).into()));
}

/// What the first statement writes in a tile goes through a buffer.
fn staged() -> Step {
    Step::Stage(Stage {
        at: at("S0.tile.2"),
        stmt: "S0".to_owned(),
        array: ArrayAddress::WrittenBy("S0".to_owned()),
        layout: vec![at("S0.point.1"), at("S0.point.2")],
        pad: Vec::new(),
        buffers: 1,
        others: Vec::new(),
        load: None,
        store: None,
    })
}

fn pad(stmts: &[&str]) -> Step {
    let stmts = stmts.iter().map(|stmt| (*stmt).to_owned()).collect();
    Step::Pad(Pad { at: at("S0.tile.1"), stmts })
}

#[test]
fn what_fills_a_buffer_runs_through_whole_tiles() {
    let staged = after(&[tile("S0.1", &[4, 8]), staged()]);
    let refused = done(&staged, &pad(&["S0_load"]));
    assert_eq!(refused.err(), Some(NotApplicable::NotFullTilesApart.into()));
    let apart = done(&staged, &mark("S0.tile.1", LoopKind::FullTilesApart)).expect("a program");
    let padded = done(&apart, &pad(&["S0_load"])).expect("a program");
    let expected = ["separate-full-tiles", "tile 4,8", "padded S0_load", "point"];
    assert_eq!(marks(&padded.tree), expected);
    let together = done(&padded, &mark("S0.tile.1", LoopKind::FullTilesTogether));
    assert_eq!(marks(&together.expect("a program").tree), ["tile 4,8", "point"]);
    let refused = done(&apart, &pad(&["S0"]));
    let why = "others share its loops within the tiles";
    let expected = NotApplicable::NotPadded { stmt: "S0".to_owned(), why };
    assert_eq!(refused.err(), Some(expected.into()));
    // The array itself has no cells beyond.
    let refused = done(&apart, &pad(&["S0_store"]));
    let why = "it does not only assign from elsewhere, or from buffers, to a buffer";
    let expected = NotApplicable::NotPadded { stmt: "S0_store".to_owned(), why };
    assert_eq!(refused.err(), Some(expected.into()));
}

/// Statements of the program ahead in a loop.
fn ahead(place: &str, stmts: &[&str], by: u16) -> Step {
    let stmts = stmts.iter().map(|stmt| (*stmt).to_owned()).collect();
    Step::Ahead(Ahead { at: at(place), stmts, by, last: Vec::new() })
}

#[test]
fn what_comes_before_the_first_iteration_stands_in_front() {
    let program = after(&[ahead("S1.1", &["S0"], 1)]);
    let text = program.tree.to_string();
    assert_eq!(n_leaves(&program.tree), 3, "{text}");
    assert!(
        text.contains("S0[i, j] -> [(-1 + i)]") && text.contains("S1[i, j] -> [(i)]"),
        "{text}"
    );
    // The first iteration alone is in front.
    let Node::Domain { child, .. } = program.tree.node() else { panic!("{text}") };
    let Node::Sequence(parts) = child.node() else { panic!("{text}") };
    let Node::Filter { filter, .. } = parts[0].node() else { panic!("{text}") };
    let first = "[n] -> { S0[i = 0, j] : 0 <= j < n }".parse().expect("a set");
    let ran = filter.intersect(&program.scop.domain().expect("a domain")).expect("a set");
    assert!(ran.is_equal(&first).expect("a comparison"), "{ran}");
    // Where tiles are inside of others, each of these begins anew.
    let tiles = after(&[tile("S1.1", &[4, 8]), ahead("S1.tile.2", &["S0"], 2)]);
    let text = tiles.tree.to_string();
    assert!(text.contains("S0[i, j] -> [(-16 + j - (j) mod 8)]"), "{text}");
    assert_eq!(marks(&tiles.tree), ["tile 4", "tile 8", "point", "tile 8", "point"], "{text}");
}

#[test]
fn what_is_last_comes_behind_the_others() {
    let Step::Ahead(step) = ahead("S1.1", &["S0"], 1) else { panic!() };
    let order = |last: &[&str]| {
        let last = last.iter().map(|stmt| (*stmt).to_owned()).collect();
        let apart = after(&[distribute("S1.2"), Step::Ahead(Ahead { last, ..step.clone() })]);
        let text = apart.tree.to_string();
        let inside = text.rfind("sequence").expect("a sequence");
        text[inside..].find("{ S0[").expect("S0") < text[inside..].find("{ S1[").expect("S1")
    };
    assert!(order(&[]) && !order(&["S0"]));
}

/// A loop around several bodies once for each.
fn distribute(place: &str) -> Step {
    Step::Distribute(Distribute { at: at(place), groups: Vec::new() })
}

/// Kernels of both statements in the iterations of one loop.
fn kernels(threads: [[i64; 3]; 2]) -> Vec<Step> {
    let kernel = |stmt: &str, threads| {
        let at = Some(at(&format!("{stmt}.2")));
        Step::Kernel(Kernel { at, stmts: Vec::new(), threads })
    };
    vec![distribute("S1.2"), kernel("S0", threads[0]), kernel("S1", threads[1])]
}

#[test]
fn kernels_that_follow_one_another_become_one() {
    let join = |stmts: &[&str]| {
        let stmts = stmts.iter().map(|stmt| (*stmt).to_owned()).collect();
        Step::JoinKernels(JoinKernels { stmts })
    };
    let two = after(&kernels([[4, 1, 1]; 2]));
    assert_eq!(marks(&two.tree), ["kernel 4,1,1", "kernel 4,1,1"]);
    let one = done(&two, &join(&["S1", "S0"])).expect("a program");
    assert_eq!((marks(&one.tree), n_leaves(&one.tree)), (vec!["kernel 4,1,1".to_owned()], 2));
    let refused = |program: &Program, stmts: &[&str]| match done(program, &join(stmts)) {
        Err(farkas_steps::Error::NotApplicable(why)) => why.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(refused(&two, &["S0"]).contains("fewer than two"));
    assert!(refused(&one, &["S0", "S1"]).contains("fewer than two"));
    assert!(refused(&two, &["S0", "S7"]).contains("no statement `S7`"));
    let other = after(&kernels([[4, 1, 1], [2, 2, 1]]));
    assert!(refused(&other, &["S0", "S1"]).contains("different threads"));
    // Each in a loop of its own.
    let apart = [vec![distribute("S1.1")], kernels([[4, 1, 1]; 2])[1..].to_vec()].concat();
    assert!(refused(&after(&apart), &["S0", "S1"]).contains("do not follow one another"));
}

#[test]
fn something_stays_behind() {
    let refused = |step: &Step| match done(&program(), step) {
        Err(farkas_steps::Error::NotApplicable(why)) => *why,
        other => panic!("{other:?}"),
    };
    let both = refused(&ahead("S1.1", &["S0", "S1"], 1));
    assert_eq!(both, NotApplicable::NoneBehind(at("S1.1")));
    let unknown = refused(&ahead("S1.1", &["S7"], 1));
    assert_eq!(unknown, NotApplicable::NoStatement("S7".to_owned()));
    assert_eq!(refused(&ahead("S1.1", &[], 1)), NotApplicable::NoPlace);
    assert!(matches!(refused(&ahead("S1.1", &["S0"], 0)), NotApplicable::BadNumber(_)));
    let apart =
        after(&[Step::Distribute(farkas_steps::Distribute { at: at("S1.1"), groups: Vec::new() })]);
    let elsewhere = done(&apart, &ahead("S1.1", &["S0"], 1));
    let expected = NotApplicable::NotInside("S0".to_owned());
    assert!(matches!(elsewhere, Err(farkas_steps::Error::NotApplicable(why)) if *why == expected));
}
