//! Faults in kernels of GPUs, injected one at a time: a barrier is removed, an extent of what threads share or keep is cut by one, a guard
//! lets one iteration more through, or all of a tile, as if it were not there. The legality check refuses every fault that the interpreter can show wrong.

mod common;

use common::{kernels_agree, repository};
use farkas::{Options, ReadOptions, Strategy, optimize, read};
use farkas_base::SourceFile;
use farkas_codegen::Language;
use farkas_config::RecipeFile;
use farkas_deps::{Verdict, legality};
use farkas_interp::Params;
use farkas_poly::{DimType, Map, PwAff, Set, UnionSet};
use farkas_scop::{ArrayScope, Region, Scop, StmtId};
use farkas_tree::{Cursor, Mark, Node, Program, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// What is wrong with a program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Barrier,
    Extent,
    Guard,
    NoGuard,
}

/// A fault in words, and the program that has it.
struct Faulty {
    kind: Kind,
    what: String,
    program: Program,
}

/// How many faults there were, were refused, and were shown by the interpreter.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Count {
    injected: usize,
    refused: usize,
    shown: usize,
}

impl fmt::Debug for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} refused, {} shown", self.refused, self.injected, self.shown)
    }
}

/// All faults of a program.
fn faults(program: &Program) -> Vec<Faulty> {
    let mut all = Vec::new();
    let mut add = |kind, what: String, program| all.push(Faulty { kind, what, program });
    for (at, tree) in without_barriers(&program.tree) {
        add(Kind::Barrier, format!("no barrier at {at}"), Program { tree, ..program.clone() });
    }
    for (what, scop) in with_smaller_buffers(&program.scop) {
        add(Kind::Extent, what, Program { scop, ..program.clone() });
    }
    for (what, program) in with_wider_guards(program) {
        add(Kind::Guard, what, program);
    }
    for (what, program) in without_guards(program) {
        add(Kind::NoGuard, what, program);
    }
    all
}

/// The tree without one of its barriers, in turn.
fn without_barriers(tree: &ScheduleTree) -> Vec<(Cursor, ScheduleTree)> {
    let mut all = Vec::new();
    for at in tree.cursors() {
        if let Node::Mark { mark: Mark::Barrier, child } = tree.at(&at).expect("a node").node() {
            let without = tree.replace(&at, child.clone()).expect("a tree");
            all.push((at, without));
        }
    }
    all
}

/// The scop in which one extent of a buffer is less by one, in turn.
fn with_smaller_buffers(scop: &Scop) -> Vec<(String, Scop)> {
    let mut all = Vec::new();
    for (id, array) in scop.arrays().iter_enumerated() {
        let extents = array.constant_extents().unwrap_or_default();
        for (dim, extent) in extents.iter().enumerate() {
            if array.scope != ArrayScope::Buffer || *extent < 2 {
                continue;
            }
            let mut builder = scop.to_builder();
            let less = builder.arrays[id].extents[dim].as_ref().map(less_by_one);
            builder.arrays[id].extents[dim] = less;
            let what = format!("{} has {} in dimension {dim}", array.name, extent - 1);
            all.push((what, builder.build().expect("a scop")));
        }
    }
    all
}

/// A number less by one.
fn less_by_one(extent: &PwAff) -> PwAff {
    let domain = extent.domain().expect("a domain");
    extent.sub(&PwAff::constant_on(&domain, 1).expect("one")).expect("a difference")
}

/// The program in which a guard lets through one iteration more of one dimension, in turn.
fn with_wider_guards(program: &Program) -> Vec<(String, Program)> {
    let mut all = Vec::new();
    for_each_dimension(program, &mut |id, own, dim| {
        for by in [-1, 1] {
            let name = &program.scop.stmts()[id].name;
            let what = format!("{name} runs {by} further along dimension {dim}");
            let more = shifted(own, dim, &format!("i{dim} + {by}"), "");
            all.extend(widened(program, id, own, &more).map(|program| (what, program)));
        }
    });
    all
}

/// The program without the guards that keep one dimension in its range, for the sizes of tiles in turn: where a tile has an iteration of the
/// statement, it has all of them.
fn without_guards(program: &Program) -> Vec<(String, Program)> {
    let mut sizes: BTreeSet<i64> = BTreeSet::new();
    for at in program.tree.cursors() {
        if let Node::Mark { mark: Mark::Tile(own), .. } =
            program.tree.at(&at).expect("a node").node()
        {
            sizes.extend(own.iter().filter(|size| **size > 1));
        }
    }
    let mut all = Vec::new();
    for_each_dimension(program, &mut |id, own, dim| {
        for size in &sizes {
            let name = &program.scop.stmts()[id].name;
            let what = format!("{name} fills tiles of {size} along dimension {dim}");
            let in_tile = format!("floor(m/{size}) = floor(i{dim}/{size})");
            let more = shifted(own, dim, "m", &in_tile);
            all.extend(widened(program, id, own, &more).map(|program| (what, program)));
        }
    });
    all
}

/// Calls `look` for each dimension of each statement's domain.
fn for_each_dimension(program: &Program, look: &mut impl FnMut(StmtId, &Set, usize)) {
    for (id, stmt) in program.scop.stmts().iter_enumerated() {
        let own = program.scop.domain_of(id).expect("a domain");
        (0..stmt.depth()).for_each(|dim| look(id, &own, dim));
    }
}

/// The program in which a statement with a domain also runs where `more` leads from it; `None` where that is no program, or no other one.
fn widened(program: &Program, id: StmtId, own: &Set, more: &Map) -> Option<Program> {
    let wide = own.apply(more).and_then(|wide| own.union(&wide)).expect("a set");
    let wide = wide.coalesce().expect("a set");
    if wide.is_subset(own).expect("a comparison") {
        return None;
    }
    let mut builder = program.scop.to_builder();
    builder.stmts[id].domain = wide.clone();
    let scop = builder.build().ok()?;
    let Node::Domain { domain, child } = program.tree.node() else { return None };
    let wide = UnionSet::union_all([wide]).and_then(|wide| domain.union(&wide));
    let tree = ScheduleTree::domain(wide.expect("a set"), child.clone());
    Some(Program { scop, tree, ..program.clone() })
}

/// From instances to those with something else in the place of dimension `dim`, under a condition on that.
fn shifted(of: &Set, dim: usize, to: &str, condition: &str) -> Map {
    let name = of.tuple_name().unwrap_or_default();
    let n = of.dim(DimType::SET).expect("a number") as usize;
    let mut names: Vec<String> = (0..n).map(|at| format!("i{at}")).collect();
    let from = names.join(", ");
    to.clone_into(&mut names[dim]);
    let condition = if condition.is_empty() { "" } else { &format!(": {condition}") };
    let text = format!("{{ {name}[{from}] -> {name}[{}] {condition} }}", names.join(", "));
    text.parse().expect("a map")
}

/// Injects all faults into the kernels of a region, and says how many were refused and shown; what is shown is refused.
fn inject(
    region: &Region,
    options: &Options,
    params: &Params,
    counts: &mut BTreeMap<Kind, Count>,
) -> Result<(), String> {
    let optimized = optimize(region, options).map_err(|error| error.to_string())?;
    let right = optimized.program();
    let is_shown = |program: &Program| {
        let choice = farkas_astgen::Options::default();
        let ast = farkas_astgen::generate(&program.scop, &program.tree, &choice);
        // What cannot be printed runs nowhere.
        let ast = ast.ok()?;
        kernels_agree(&region.scop, (&program.scop, &ast), params, 0..2).err()
    };
    if let Some(message) = is_shown(&right) {
        return Err(format!("without a fault: {message}"));
    }
    for Faulty { kind, what, program } in faults(&right) {
        let verdict = legality::check_program(&region.scop, &program);
        let is_refused = !matches!(verdict, Ok(Verdict::Legal));
        let shown = is_shown(&program);
        if let (Some(message), false) = (&shown, is_refused) {
            return Err(format!("{what}: {message}, and the check does not refuse it"));
        }
        let count = counts.entry(kind).or_default();
        count.injected += 1;
        count.refused += usize::from(is_refused);
        count.shown += usize::from(shown.is_some());
    }
    Ok(())
}

/// The regions of a kernel of the folder.
fn regions(name: &str) -> Vec<Region> {
    let path = repository().join("kernels").join(format!("{name}.c"));
    read(&path, &ReadOptions::default()).expect("a readable file").regions
}

/// Options for kernels.
fn on_device() -> Options {
    let strategy = Strategy::from_name("locality-gpu").expect("a strategy");
    Options { strategy, ..Options::default() }
        .on_device(Language::OpenCl, farkas::usual_gpu(Language::OpenCl))
}

/// A product in small tiles, both operands of which are in shared memory.
const STAGED: &str = r#"{ "recipe": { "name": "staged", "steps": [
{ "step": "schedule", "strategy": "locality-gpu" },
{ "step": "distribute", "loop": "S0.1" },
{ "step": "tile", "loop": "S1.1", "sizes": [3, 3, 2] },
{ "step": "stage", "loop": "S1.3", "stmt": "S1", "array": "A", "layout": ["S1.6", "S1.5"], "load": "first" },
{ "step": "stage", "loop": "S1.3", "stmt": "S1", "array": "B", "layout": ["S1.6", "S1.4"], "load": "second" },
{ "step": "map", "loop": "first.5", "to": "threads", "axes": ["y"] },
{ "step": "map", "loop": "second.5", "to": "threads", "axes": ["x"] },
{ "step": "map", "loop": "S1.4", "to": "threads", "axes": ["x", "y"] },
{ "step": "map", "loop": "S1.1", "to": "blocks", "axes": ["x", "y"] },
{ "step": "kernel", "loop": "S1.1", "threads": [3, 3, 1] },
{ "plan": "kernels", "threads": [2, 2, 1] },
{ "plan": "barriers" }
] } }"#;

/// The options for a recipe.
fn by_recipe(text: &str) -> Options {
    let file = RecipeFile::parse(Arc::new(SourceFile::new("staged.json", text)));
    on_device().with_recipe(Arc::new(file.expect("a recipe"))).expect("a strategy")
}

/// All faults of a product by a recipe, of which some are shown of each kind.
fn faults_by_recipe(text: &str) -> BTreeMap<Kind, Count> {
    let options = by_recipe(text);
    let mut counts = BTreeMap::new();
    let region = &regions("gemm")[0];
    // Whole tiles along each loop, and partial ones.
    let params = Params::all(&region.scop, 5);
    inject(region, &options, &params, &mut counts).unwrap_or_else(|message| panic!("{message}"));
    for (kind, count) in &counts {
        assert!(count.shown > 0, "{kind:?}: {count:?}");
    }
    counts
}

#[test]
fn faults_in_a_staged_product_are_refused() {
    insta::assert_debug_snapshot!(faults_by_recipe(STAGED));
}

/// The same with two buffers for each operand, which are filled one tile ahead.
fn doubled() -> String {
    let two = STAGED.replace("\"load\"", "\"buffers\": 2, \"load\"");
    let ahead =
        "{ \"step\": \"ahead\", \"loop\": \"S1.3\", \"stmts\": [\"first\", \"second\"] },\n";
    two.replace("{ \"plan\": \"kernels\"", &format!("{ahead}{{ \"plan\": \"kernels\""))
}

#[test]
fn faults_in_a_product_with_two_buffers_are_refused() {
    insta::assert_debug_snapshot!(faults_by_recipe(&doubled()));
}

/// One barrier for each tile is enough for two buffers, where one needs two; and where there is one buffer, nothing may fill it ahead.
#[test]
fn two_buffers_take_one_barrier() {
    let region = &regions("gemm")[0];
    let in_loop = |text: &str| {
        let program = optimize(region, &by_recipe(text)).expect("a program").program();
        // What stands in front of the loop over tiles is not in it.
        let loops = program.tree.cursors().into_iter().filter(|at| {
            let node = program.tree.at(at).expect("a node").node();
            matches!(node, Node::Mark { mark: Mark::Tile(sizes), .. } if *sizes == [2])
        });
        loops.map(|at| without_barriers(program.tree.at(&at).expect("a node")).len()).max()
    };
    assert_eq!((in_loop(STAGED), in_loop(&doubled())), (Some(2), Some(1)));
    let one = doubled().replace("\"buffers\": 2", "\"buffers\": 1");
    let refused = optimize(region, &by_recipe(&one)).expect_err("no program").to_string();
    assert!(refused.contains("changes what"), "{refused}");
}

/// Kernels with products, whose operands are shared, and with what threads of a block wait for: each takes minutes.
const KERNELS: [&str; 2] = ["gemm", "syrk"];

#[test]
#[ignore = "long"]
fn faults_in_kernels_are_refused() {
    let (mut counts, mut failures) = (BTreeMap::new(), String::new());
    for name in KERNELS {
        for region in regions(name) {
            let params = Params::all(&region.scop, 5);
            if let Err(message) = inject(&region, &on_device(), &params, &mut counts) {
                failures.push_str(&format!("{name}: {message}\n"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(counts[&Kind::Barrier].shown > 0 && counts[&Kind::Guard].shown > 0, "{counts:?}");
}
