//! How much work parallel loops have by their conditions, and how much they have.

use farkas_astgen::{Ast, For, Node, Options, generate};
use farkas_base::SourceFile;
use farkas_cost::{assumed_values, with_threads, worth_of_form};
use farkas_machine::Machine;
use farkas_scop::Scop;
use farkas_transform::{TileBy, plan_parallel, plan_tiles};
use farkas_tree::{Band, Node as Tree, Program, ScheduleTree, original_tree};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The one region of a function with these parameters and loops.
fn scop(head: &str, body: &str) -> Scop {
    let text = format!("void f({head})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n");
    let source = Arc::new(SourceFile::new("f.c", text.clone()));
    let preprocessed = format!("# 1 \"f.c\"\n{text}");
    let (mut regions, diagnostics) =
        farkas_front_c::parse(source, &preprocessed, &farkas_front_c::Options::default());
    assert!(regions.len() == 1, "{diagnostics:?}");
    regions.remove(0).scop
}

/// The original order of a scop, in which the loops from `first` on, counted from outside, are called independent of each other and
/// permutable.
fn order(scop: &Scop, first: usize) -> ScheduleTree {
    let mut depth = 0;
    let tree = original_tree(scop).expect("isl answers");
    called(&tree, first, &mut depth)
}

/// [`order`] of a tree at a depth.
fn called(tree: &ScheduleTree, first: usize, depth: &mut usize) -> ScheduleTree {
    let here = *depth;
    let mut tree = tree.clone();
    if let Tree::Band { band, child } = tree.node() {
        let mut band: Band = band.clone();
        for (at, member) in band.members.iter_mut().enumerate() {
            member.coincident = here + at >= first;
        }
        band.permutable = here >= first;
        *depth += band.members.len();
        tree = ScheduleTree::band(band, child.clone());
    }
    let inner = *depth;
    let children = tree.children().iter().map(|child| {
        *depth = inner;
        called(child, first, depth)
    });
    let children = children.collect();
    tree.with_children(children)
}

/// The loops of a tree with threads where planners want them and sizes say so.
fn loops(scop: &Scop, tree: &ScheduleTree) -> Ast {
    let plan = plan_parallel(tree, &mut Vec::new()).expect("isl answers");
    let tree = plan.done(&Program::new(scop, tree.clone())).expect("marks apply").tree;
    let ast = generate(scop, &tree, &Options::default()).expect("it has loops");
    let params = assumed_values(scop, &BTreeMap::new()).expect("isl answers");
    with_threads(scop, &ast, &Machine::generic(), &params).expect("isl answers")
}

/// The same with the loops in tiles.
fn tiled(scop: &Scop, tree: &ScheduleTree, sizes: &[i64]) -> ScheduleTree {
    let plan = plan_tiles(tree, TileBy::Sizes(sizes), None, &mut Vec::new());
    plan.expect("it has a band").done(&Program::new(scop, tree.clone())).expect("tiles").tree
}

/// The values of names.
type Values = Vec<(String, i64)>;

/// The value of a name; inner ones come last.
fn value_of<'a>(values: &'a Values) -> impl Fn(&str) -> Option<i64> + 'a {
    |name| values.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
}

/// Runs through loops: the number of instances. Of each start of a loop that asks for threads, the sum that it asks for and the number of its
/// instances are noted.
fn run(nodes: &[Node], values: &mut Values, starts: &mut Vec<(f64, f64)>) -> u64 {
    let mut n = 0;
    for node in nodes {
        match node {
            Node::For(node) => {
                let ends = (node.first.eval(&value_of(values)), node.end.eval(&value_of(values)));
                let (Some(first), Some(end)) = ends else { panic!("a bound without a value") };
                let sum = node.info.threads.as_ref().and_then(|w| w.sum(&value_of(values)));
                let before = n;
                let mut at = first;
                while if node.step > 0 { at < end } else { at > end } {
                    values.push((node.iterator.clone(), at));
                    n += run(&node.body, values, starts);
                    values.pop();
                    at += node.step;
                }
                starts.extend(sum.map(|sum| (sum, (n - before) as f64)));
            }
            Node::If(node) => {
                let arm = match node.condition.eval(&value_of(values)) {
                    Some(true) => &node.then,
                    _ => &node.otherwise,
                };
                n += run(arm, values, starts);
            }
            Node::Block(node) => n += run(&node.body, values, starts),
            Node::User(_) => n += 1,
        }
    }
    n
}

/// For each start of a loop that asks for threads where parameters have these values: the sum that it asks for, for each of its instances.
fn parts(ast: &Ast, values: &[(&str, i64)]) -> Vec<f64> {
    let mut values = values.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let mut starts = Vec::new();
    run(&ast.body, &mut values, &mut starts);
    starts.retain(|(_, n)| *n > 0.0);
    assert!(!starts.is_empty(), "no loop asks for threads:\n{ast}");
    starts.into_iter().map(|(sum, n)| sum / n).collect()
}

/// The conditions of loops, without what the sums are compared with.
fn sums(ast: &Ast) -> Vec<String> {
    let mut found = Vec::new();
    for node in &ast.body {
        node.for_each_loop(&mut |node| {
            let sum = node.info.threads.as_ref().map(ToString::to_string);
            found.extend(sum.and_then(|sum| Some(sum.split(" > ").next()?.to_owned())));
        });
    }
    found
}

const MATRIX: &str = "int n, int m, double A[n][m]";

#[test]
fn a_rectangle_has_as_many_instances_as_its_sizes_say() {
    let scop = scop(MATRIX, "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[i][j] = 1;");
    let tree = order(&scop, 0);
    let plain = loops(&scop, &tree);
    assert_eq!(sums(&plain), ["m * n"]);
    assert_eq!(parts(&plain, &[("n", 7), ("m", 12)]), [1.0]);
    let tiled = loops(&scop, &tiled(&scop, &tree, &[4, 3]));
    assert_eq!(sums(&tiled), ["m * n"], "{tiled}");
    assert_eq!(parts(&tiled, &[("n", 7), ("m", 12)]), [1.0]);
}

#[test]
fn a_triangle_is_half_of_a_square() {
    let scop =
        scop(MATRIX, "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) A[i][j] = 1;");
    let tree = order(&scop, 0);
    for tree in [tree.clone(), tiled(&scop, &tree, &[8, 8])] {
        let ast = loops(&scop, &tree);
        assert_eq!(sums(&ast), ["n * n"], "{ast}");
        let [part] = parts(&ast, &[("n", 100), ("m", 100)])[..] else { panic!("one start") };
        assert!((1.9..=2.0).contains(&part), "{part}");
    }
}

/// The turns of loops on threads.
fn turns(scop: &Scop, tree: &ScheduleTree) -> Vec<Option<u64>> {
    let mut found = Vec::new();
    let ast = loops(scop, tree);
    let mut look = |node: &For| {
        if node.info.kind.is_parallel() {
            found.push(node.info.turns);
        }
    };
    ast.body.iter().for_each(|node| node.for_each_loop(&mut look));
    found
}

/// Rows of a triangle differ in length, tiles of it in number; those of a rectangle are equal.
#[test]
fn threads_take_turns_where_iterations_differ() {
    let rows = |bound: &str| {
        let body =
            format!("for (int i = 0; i < n; i++) for (int j = 0; j < {bound}; j++) A[i][j] = 1;");
        scop(MATRIX, &body)
    };
    let (triangle, rectangle) = (rows("i"), rows("m"));
    for sizes in [None, Some([8, 8])] {
        let tree = |scop: &Scop| {
            let tree = order(scop, 0);
            sizes.map_or(tree.clone(), |sizes| tiled(scop, &tree, &sizes))
        };
        assert_eq!(turns(&triangle, &tree(&triangle)), [Some(1)]);
        assert_eq!(turns(&rectangle, &tree(&rectangle)), [None]);
    }
}

/// What the loop in the middle does is uneven, whatever the outer loop does.
#[test]
fn turns_are_those_of_the_loop_on_threads() {
    let body = "for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < k; j++) A[i][j] += 1;";
    let scop = scop(MATRIX, body);
    assert_eq!(turns(&scop, &order(&scop, 1)), [None]);
}

/// Neighbours in a line of memory run in one turn: the line has eight results.
#[test]
fn a_turn_fills_a_line() {
    let head = "int n, double A[n][n], double x[n], double y[n]";
    let body = "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) y[i] += A[i][j] * x[j];";
    let scop = scop(head, body);
    assert_eq!(turns(&scop, &order(&scop, 0)), [Some(8)]);
}

#[test]
fn each_start_has_the_work_that_is_left() {
    let body = "for (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++) for (int j = k + 1; j < n; j++) A[i][j] -= A[i][k] * A[k][j];";
    let scop = scop(MATRIX, body);
    let ast = loops(&scop, &order(&scop, 1));
    assert_eq!(sums(&ast), ["(n - k) * (n - k)"], "{ast}");
    let parts = parts(&ast, &[("n", 40), ("m", 40)]);
    assert_eq!(parts.len(), 39);
    assert!((1.0..1.06).contains(&parts[0]), "{parts:?}");
    let widest = ast.threads();
    let [Some(widest)] = widest.as_slice() else { panic!("{widest:?}") };
    assert!(widest.to_string().starts_with("n * n > "), "{widest}");
}

#[test]
fn a_number_of_iterations_at_most_is_a_factor() {
    let body = "for (int k = n - 100; k < n; k++) for (int i = k; i < n; i++) for (int j = 0; j < m; j++) A[i][j] += k;";
    let ast = loops(&scop(MATRIX, body), &order(&scop(MATRIX, body), 1));
    assert_eq!(sums(&ast), ["m * (n - k)"], "{ast}");
    let widest = ast.threads();
    let [Some(widest)] = widest.as_slice() else { panic!("{widest:?}") };
    assert!(widest.to_string().starts_with("m > "), "{widest}");
    let own = ast.condition(1).expect("sizes decide");
    assert_eq!(widest.above, own.above / 100);
}

/// Where the greatest iteration of the loop around is a part of a size, so much of the size there must be.
#[test]
fn the_widest_iteration_is_a_part_of_a_size() {
    let body = "for (int k = 0; k < n / 8; k++) for (int i = 0; i < 3 * k; i++) for (int j = 0; j < m; j++) A[i][j] += k;";
    let scop = scop(MATRIX, body);
    let ast = loops(&scop, &order(&scop, 1));
    assert_eq!(sums(&ast), ["m * k"], "{ast}");
    let own = ast.condition(1).expect("sizes decide");
    let [(1, Some(widest))] = &ast.widest()[..] else { panic!("{ast}") };
    assert_eq!(widest.to_string(), format!("m * n > {}", 8 * own.above));
}

#[test]
fn loops_beside_each_other_add_up_and_small_ones_are_left_out() {
    let head = "int n, int m, int k, double A[n][m], double B[n][k], double c[n]";
    let loops_of = |body: &str| {
        let scop = scop(head, body);
        loops(&scop, &order(&scop, 0))
    };
    let both = "for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) A[i][j] = 1; for (int j = 0; j < k; j++) B[i][j] = 1; }";
    assert_eq!(sums(&loops_of(both)), ["k * n + m * n"]);
    let one = "for (int i = 0; i < n; i++) { c[i] = 0; for (int j = 2; j < m - 1; j += 2) A[i][j] = c[i]; }";
    assert_eq!(sums(&loops_of(one)), ["m * n"]);
}

#[test]
fn the_least_of_several_ends_counts() {
    let body = "for (int i = 0; i < (n < 2 * m ? n : 2 * m); i++) for (int j = 0; j < n; j++) A[i][j] = 1;";
    let scop = scop("int n, int m, double A[n][n]", body);
    let ast = loops(&scop, &order(&scop, 0));
    assert_eq!(sums(&ast), ["n * min(2 * m, n)"], "{ast}");
    for m in [3, 20] {
        assert_eq!(parts(&ast, &[("n", 12), ("m", m)]), [1.0]);
    }
}

#[test]
fn what_is_known_is_not_asked() {
    let fixed = scop(
        "double A[2000][2000]",
        "for (int i = 0; i < 2000; i++) for (int j = 0; j < 2000; j++) A[i][j] = 1;",
    );
    let ast = loops(&fixed, &order(&fixed, 0));
    assert!(sums(&ast).is_empty() && ast.to_string().contains("[parallel]"), "{ast}");
    let body = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) A[i][j] = 1;";
    for (least, is_asked) in [(1000, false), (10, true), (-1000, true)] {
        let mut parts = scop(MATRIX, body).to_builder();
        let context = format!("[n, m] -> {{ : n >= {least} and m >= {least} }}");
        parts.context = context.parse().expect("isl notation");
        let scop = parts.build().expect("a scop");
        let ast = loops(&scop, &order(&scop, 0));
        assert_eq!(sums(&ast).len(), usize::from(is_asked), "at least {least}: {ast}");
    }
}

#[test]
fn the_numbers_are_those_of_data_in_caches() {
    let scop =
        scop("int n, double x[n], double y[n]", "for (int i = 0; i < n; i++) y[i] += 3 * x[i];");
    let ast = loops(&scop, &order(&scop, 0));
    let asked = ast.threads();
    let [Some(work)] = asked.as_slice() else { panic!("{ast}") };
    // A core runs through some elements a cycle, and threads start in some microseconds.
    assert!((20_000..200_000).contains(&work.above), "{work}");
}

#[test]
fn a_form_that_is_no_faster_waits_for_its_threads() {
    let scop =
        scop("int n, double x[n], double y[n]", "for (int i = 0; i < n; i++) y[i] += 3 * x[i];");
    let tree = order(&scop, 0);
    let original = generate(&scop, &tree, &Options::default()).expect("it has loops");
    let params = assumed_values(&scop, &BTreeMap::new()).expect("isl answers");
    let ast = loops(&scop, &tree);
    let worth = |original: &Ast, ast: &Ast| {
        worth_of_form((&scop, original), (&scop, ast), &Machine::generic(), &params)
            .expect("isl answers")
    };
    let wanted: Option<Vec<_>> = ast.threads().into_iter().collect();
    assert_eq!(worth(&original, &ast), wanted);
    assert_eq!(worth(&original, &original), None, "no loop starts threads");
}

/// A tree in which the loops of a statement alone run on one thread.
fn with_one_thread(tree: &ScheduleTree, stmt: &str) -> ScheduleTree {
    let mut tree = tree.clone();
    if let Tree::Band { band, child } = tree.node() {
        let mut band: Band = band.clone();
        for member in &mut band.members {
            let domain = member.schedule.domain().expect("isl answers");
            let names = farkas_analysis::stmt_names(&domain).expect("isl answers");
            member.coincident &= names.iter().any(|name| name != stmt);
        }
        tree = ScheduleTree::band(band, child.clone());
    }
    let children = tree.children().iter().map(|child| with_one_thread(child, stmt)).collect();
    tree.with_children(children)
}

/// What threads write and one core reads in turns has to come from their caches to its own, and back.
#[test]
fn turns_of_threads_and_one_core_take_time() {
    let threads = |read: &str| {
        let head = "int n, double a[2000][2000], double b[2000][2000], double s[1000]";
        let body = format!(
            "for (int k = 0; k < 1000; k++) {{
              for (int i = 0; i < 2000; i++) for (int j = 0; j < 2000; j++) a[i][j] = 0.5 * a[i][j] + 1.0;
              for (int i = 0; i < 2000; i++) for (int j = 0; j < 2000; j++) s[k] += {read}[i][j];
            }}"
        );
        let scop = scop(head, &body);
        let ast = loops(&scop, &with_one_thread(&order(&scop, 1), "S1"));
        let params = assumed_values(&scop, &BTreeMap::new()).expect("isl answers");
        let found = farkas_cost::estimate(&scop, &ast, &Machine::generic(), &params);
        found.expect("it has a cost").threads
    };
    assert!(threads("b") > 0.0);
    assert!(threads("a") > 2.0 * threads("b"));
}
