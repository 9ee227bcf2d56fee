//! Kernels have one normal form whatever the order of their loops: each chain of loops is brought into all its legal orders, as it stands and where
//! each statement has loops of its own; and with other names, declared in another order.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod common;

use common::normal::{kernel, kernels_but_exceptions, region_of, reread, texts};
use common::orders::{distributed, each_order};
use common::{side_by_side, tries};
use farkas::{Input, Session, generate, splice};
use farkas_codegen::Target;
use farkas_deps::legality;
use farkas_tree::{Program, ScheduleTree, original_tree};

/// The file with a region in another order.
fn rewritten(input: &Input, at: usize, tree: &ScheduleTree) -> String {
    let region = &input.regions[at];
    let program = Program::new(&region.scop, tree.clone());
    let ast = generate(region, &program, &mut Session::default()).expect("loops");
    let options = farkas_codegen::Options { target: Target::C, ..Default::default() };
    let code = farkas_codegen::print_region(&region.scop, &ast, &options);
    splice(&input.source, &[(region.span, code)])
}

/// The legal orders among the first of a kernel's loops, those whose normal form is another one in a text.
fn check(name: &str, max_orders: usize) -> (usize, Vec<String>) {
    let input = kernel(name);
    let at = region_of(&input, name);
    let scop = &input.regions[at].scop;
    let base = texts(&input, at).0;
    let tree = original_tree(scop).expect("the original order");
    let apart = distributed(scop, &tree);
    let bases = if apart == tree { vec![tree] } else { vec![tree, apart] };
    let orders = bases.iter().flat_map(|base| [vec![base.clone()], each_order(base)].concat());
    let (mut n_legal, mut others) = (0, Vec::new());
    for order in orders.take(max_orders) {
        if !legality::check(scop, &order).expect("a verdict").is_legal() {
            continue;
        }
        n_legal += 1;
        let text = rewritten(&input, at, &order);
        let again = reread(&text);
        if texts(&again, region_of(&again, name)).0 != base {
            others.push(text);
        }
    }
    (n_legal, others)
}

/// How many legal orders some kernels have, and what is wrong.
fn check_all(names: &[String], max_orders: usize) -> (usize, Vec<String>) {
    let all = side_by_side(names, |_, name| check(name, max_orders));
    let n_all = all.iter().map(|(n_legal, _)| n_legal).sum();
    let mut told = Vec::new();
    for (name, (n_legal, others)) in names.iter().zip(all) {
        if let Some(other) = others.first() {
            told.push(format!("{name}: {} of {n_legal}\n{other}", others.len()));
        }
    }
    (n_all, told)
}

#[test]
fn loops_in_any_order_have_one_normal_form() {
    let names = ["gemm", "mvt", "jacobi-2d", "trmm", "gemver"].map(str::to_owned);
    let (n_legal, told) = check_all(&names, 130);
    assert_eq!(told, Vec::<String>::new());
    assert!(n_legal >= 30, "{n_legal} orders");
}

#[test]
#[ignore = "long"]
fn loops_of_all_kernels_in_any_order_have_one_normal_form() {
    let (n_legal, told) = check_all(&kernels_but_exceptions(), tries(10, 130));
    assert_eq!(told, Vec::<String>::new());
    assert!(n_legal > tries(200, 500), "{n_legal} orders");
}
