//! The model knows which of two forms of a program is faster where nobody doubts it.

use farkas_astgen::{Options, generate};
use farkas_base::SourceFile;
use farkas_cost::{Estimate, assumed_values, code_bytes, estimate};
use farkas_machine::Machine;
use farkas_poly::UnionSet;
use farkas_scop::Scop;
use farkas_transform::{TileBy, plan_parallel, plan_tiles, plan_vectors};
use farkas_tree::{Band, Member, Program, ScheduleTree, original_tree};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The one region of a function.
fn scop(head: &str, body: &str) -> Scop {
    scop_behind(head, "", body)
}

/// The same behind declarations.
fn scop_behind(head: &str, declarations: &str, body: &str) -> Scop {
    let text = format!("{head}\n{{\n{declarations}\n#pragma scop\n{body}\n#pragma endscop\n}}\n");
    let source = Arc::new(SourceFile::new("f.c", text.clone()));
    let preprocessed = format!("# 1 \"f.c\"\n{text}");
    let (mut regions, diagnostics) =
        farkas_front_c::parse(source, &preprocessed, &farkas_front_c::Options::default());
    assert!(regions.len() == 1, "{diagnostics:?}");
    regions.remove(0).scop
}

/// A permutable band of these members, all coincident where the bool says so, over the instances of a scop.
fn band(scop: &Scop, members: &[(&str, bool)]) -> ScheduleTree {
    let member = |(text, coincident): &(&str, bool)| {
        Member::new(text.parse().expect("isl notation"), *coincident)
    };
    let band = Band { members: members.iter().map(member).collect(), permutable: true };
    let domain: UnionSet = scop.domain().expect("isl answers");
    ScheduleTree::domain(domain, ScheduleTree::band(band, ScheduleTree::leaf()))
}

/// What a tree costs on the generic machine.
fn cost(scop: &Scop, tree: &ScheduleTree) -> Estimate {
    let ast = generate(scop, tree, &Options::default()).expect("it has loops");
    let params = assumed_values(scop, &BTreeMap::new()).expect("isl answers");
    let found = estimate(scop, &ast, &Machine::generic(), &params).expect("it has a cost");
    assert_eq!(found, estimate(scop, &ast, &Machine::generic(), &params).expect("the same again"));
    found
}

/// A loop in vector lanes is as much code whether its constant end is large or no constant, and less where it is short.
#[test]
fn long_loops_in_lanes_are_not_written_out() {
    let bytes = |end: &str| {
        let body = format!("for (int i = 0; i < {end}; i++) a[i] = b[i] + 1.0;");
        let scop = scop("void f(int n, double a[100000], double b[100000])", &body);
        let tree = band(&scop, &[("{ S0[i] -> [(i)] }", true)]);
        let program = Program::new(&scop, tree);
        let strides = farkas_analysis::StrideModel::new(&scop).expect("isl answers");
        let plan = plan_vectors(&program.tree, &strides).expect("isl answers");
        let marked = plan.done(&program).expect("a loop in lanes");
        let ast = generate(&scop, &marked.tree, &Options::default()).expect("it has loops");
        code_bytes(&scop, &ast, &Machine::generic())
    };
    assert_eq!(bytes("100000"), bytes("n"));
    assert!(bytes("16") < bytes("n"));
}

const PRODUCT: &str = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j];";

fn product() -> Scop {
    scop("void f(int n, double A[1000][1000], double B[1000][1000], double C[1000][1000])", PRODUCT)
}

const I: (&str, bool) = ("[n] -> { S0[i, j, k] -> [(i)] }", true);
const J: (&str, bool) = ("[n] -> { S0[i, j, k] -> [(j)] }", true);
const K: (&str, bool) = ("[n] -> { S0[i, j, k] -> [(k)] }", false);

#[test]
fn rows_cost_less_than_columns() {
    let scop = product();
    let rows = cost(&scop, &band(&scop, &[I, K, J])).cycles();
    let sums = cost(&scop, &band(&scop, &[I, J, K])).cycles();
    let columns = cost(&scop, &band(&scop, &[J, K, I])).cycles();
    assert!(rows < sums && sums < columns, "{rows} {sums} {columns}");
}

#[test]
fn tiles_cost_less_where_arrays_exceed_the_caches() {
    let scop = product();
    let plain = band(&scop, &[I, K, J]);
    let plan = plan_tiles(&plain, TileBy::Sizes(&[32, 32, 256]), None, &mut Vec::new());
    let tiled =
        plan.expect("it has a band").done(&Program::new(&scop, plain.clone())).expect("tiles").tree;
    let (plain, tiled) = (cost(&scop, &plain), cost(&scop, &tiled));
    assert!(tiled.cycles() < plain.cycles(), "{tiled:?} {plain:?}");
    assert!(tiled.caches[1] < 0.5 * plain.caches[1], "{tiled:?} {plain:?}");
}

#[test]
fn threads_share_the_work_and_cost_something() {
    let scop = product();
    let serial = band(&scop, &[I, K, J]);
    let plan = plan_parallel(&serial, &mut Vec::new()).expect("isl answers");
    let parallel = plan.done(&Program::new(&scop, serial.clone())).expect("a parallel loop").tree;
    let (serial, parallel) = (cost(&scop, &serial), cost(&scop, &parallel));
    assert!(parallel.threads > 0.0 && serial.threads == 0.0);
    let ratio = serial.core / parallel.core;
    assert!((3.9..=4.0).contains(&ratio), "four cores: {ratio}");
}

#[test]
fn the_part_of_the_arithmetic_in_use_is_that_of_all_lanes_and_cores() {
    let scop = scop("void f(double A[4096])", "for (int i = 0; i < 4096; i++) A[i] = A[i] + 1.0;");
    let tree = band(&scop, &[("{ S0[i] -> [(i)] }", true)]);
    let (row, machine) = (cost(&scop, &tree), Machine::generic());
    let at_once = machine.lanes(8) * machine.vector.fma_per_cycle * machine.cores;
    assert!((row.peak - 4096.0 / f64::from(at_once)).abs() < 1.0, "{}", row.peak);
    assert!(row.part_of_peak() > 0.0 && row.part_of_peak() < 0.5, "{row:?}");
}

#[test]
fn a_chain_of_sums_costs_its_latency() {
    let dot = scop(
        "double s; double x[10000], y[10000]; void f(void)",
        "for (int i = 0; i < 10000; i++) s += x[i] * y[i];",
    );
    let found = cost(&dot, &band(&dot, &[("{ S0[i] -> [(i)] }", false)]));
    let latency = f64::from(Machine::generic().vector.fma_latency_cycles);
    assert!(found.core >= 10000.0 * latency && found.core < 10500.0 * latency, "{found:?}");
}

/// Of what a flag chooses between, the model knows both: neither is taken to run always.
#[test]
fn cases_count_alike() {
    let head = "void f(char trans, double A[2000][2000], double x[2000], double y[2000])";
    let nest = |cell: &str| {
        format!(
            "for (int i = 0; i < 2000; i++) for (int j = 0; j < 2000; j++) y[i] += {cell} * x[j];"
        )
    };
    let cycles = |body: &str| {
        let scop = scop(head, body);
        cost(&scop, &original_tree(&scop).expect("isl answers")).cycles()
    };
    let (rows, columns) = (nest("A[i][j]"), nest("A[j][i]"));
    let either = cycles(&format!("if (trans == 'N') {{ {rows} }} else {{ {columns} }}"));
    let mean = f64::midpoint(cycles(&rows), cycles(&columns));
    assert!((either / mean - 1.0).abs() < 0.1, "{either} {mean}");
}

/// Cases are twice as many with each flag: of twenty flags there would be a million.
#[test]
fn many_flags_are_one_case() {
    let flags: Vec<String> = (0..20).map(|at| format!("int f{at}")).collect();
    let head = format!("void f({}, double x[2000])", flags.join(", "));
    let nest = |at| format!("if (f{at} == 2) for (int i = 0; i < 2000; i++) x[i] += {at}.0;");
    let scop = scop(&head, &(0..20).map(nest).collect::<String>());
    assert!(cost(&scop, &original_tree(&scop).expect("isl answers")).cycles() > 0.0);
}

/// What runs on threads is no part of the loops; their order and their tiles are.
#[test]
fn loops_are_those_of_the_source_where_marks_alone_are_new() {
    let scop = product();
    let keeps = |tree: ScheduleTree| {
        let program = Program::new(&scop, tree);
        let plan = plan_parallel(&program.tree, &mut Vec::new()).expect("isl answers");
        let marked = plan.done(&program).expect("a parallel loop");
        let keeps = marked.keeps_loops_of(&scop).expect("isl answers");
        assert_eq!(keeps, program.keeps_loops_of(&scop).expect("isl answers"));
        keeps
    };
    assert!(keeps(band(&scop, &[I, J, K])));
    assert!(!keeps(band(&scop, &[I, K, J])));
    let loops = band(&scop, &[I, J, K]);
    let plan = plan_tiles(&loops, TileBy::Sizes(&[32, 32, 256]), None, &mut Vec::new());
    let plan = plan.expect("it has a band");
    assert!(!keeps(plan.done(&Program::new(&scop, loops.clone())).expect("tiles").tree));
}

/// Compilers may make vectors with masks of the source's own loop: what a form must be faster than has them, and no form counts on them.
#[test]
fn stores_on_conditions_may_have_masks_in_the_source_alone() {
    let core = |target: &str, is_original: bool, machine: &Machine| {
        let head = "void f(double x[10000], double y[10000], int at[10000])";
        let body =
            format!("for (int i = 0; i < 10000; i++) if (x[i] > 0.0) {target} = x[i] * x[i];");
        let scop = scop(head, &body);
        let mut ast =
            generate(&scop, &band(&scop, &[("{ S0[i] -> [(i)] }", true)]), &Options::default())
                .expect("it has loops");
        ast.is_original = is_original;
        let params = assumed_values(&scop, &BTreeMap::new()).expect("isl answers");
        estimate(&scop, &ast, machine, &params).expect("it has a cost").core
    };
    let wide = Machine::generic();
    let (original, form) = (core("y[i]", true, &wide), core("y[i]", false, &wide));
    assert!(2.0 * original < form, "{original} {form}");
    let mut narrow = wide.clone();
    narrow.vector.width_bytes = 16;
    assert_eq!(core("y[i]", true, &narrow), core("y[i]", false, &narrow), "there are no masks");
    let scattered = core("y[at[i]]", true, &wide);
    assert_eq!(scattered, core("y[at[i]]", false, &wide), "elements lie far apart");
}

/// Rows that one loop goes through in even iterations and another in odd ones come from memory all the same.
#[test]
fn arms_of_a_condition_touch_other_rows() {
    let head = "void f(int n, double A[n][n])";
    let row = "for (int j = 0; j < n; j++) A[i][j] += 1.0;";
    let traffic = |rows: &str| {
        let scop = scop(head, &format!("for (int i = 0; i < n; i++) {rows}"));
        cost(&scop, &original_tree(&scop).expect("isl answers")).caches.pop().unwrap_or_default()
    };
    let (all, in_turn) = (traffic(row), traffic(&format!("if (i % 2 == 0) {row} else {row}")));
    assert!((in_turn / all - 1.0).abs() < 0.05, "{in_turn} {all}");
}

/// A temporary that each iteration sets before it reads it hands nothing on to the next.
#[test]
fn temporaries_make_no_chain() {
    let of = |set: &str, value: &str| {
        let sum = format!("{set} s += sqrt(1.0 / {value});");
        let body = format!("for (int i = 0; i < 10000; i++) {{ {sum} }}");
        let head = "double sqrt(double); double s, t; double x[10000]; void f(void)";
        let scop = scop(head, &body);
        cost(&scop, &original_tree(&scop).expect("isl answers")).core
    };
    let (temporary, direct) = (of("t = x[i];", "t"), of("", "x[i]"));
    assert!(temporary < 1.3 * direct, "{temporary} {direct}");
    let carried = of("t = sqrt(t);", "t");
    assert!(carried > 1.3 * direct, "{carried} {direct}");
}

/// A sum in an element stays in a register, unless the loop stores to other elements of the array.
#[test]
fn what_other_stores_may_change_comes_from_memory() {
    let of = |other: &str| {
        let sum = format!(
            "for (int j = 0; j < n; j++) {{ y[i] += A[i][j]; {other}[j + n] += A[i][j]; }}"
        );
        let body = format!("for (int i = 0; i < n; i++) {sum}");
        let scop = scop_behind("void f(int n, double A[n][n])", "double y[4000], z[4000];", &body);
        cost(&scop, &original_tree(&scop).expect("isl answers")).core
    };
    let (apart, same) = (of("z"), of("y"));
    assert!(same > 1.5 * apart, "{same} {apart}");
}

/// Two loops over a row that a cache holds bring it in once, two over a matrix that none holds twice.
#[test]
fn what_a_cache_keeps_is_there_for_the_next_loop() {
    let traffic = |n: u32, loops: &[&str]| {
        let head = format!("void f(double A[{n}][{n}])");
        let nest = |body: &&str| {
            format!("for (int i = 0; i < {n}; i++) for (int j = 0; j < {n}; j++) {body}\n")
        };
        let scop = scop(&head, &loops.iter().map(nest).collect::<String>());
        cost(&scop, &original_tree(&scop).expect("isl answers")).caches.pop().unwrap_or_default()
    };
    let (first, second) = ("A[i][j] += 1.0;", "A[i][j] *= 2.0;");
    let ratio = |n| traffic(n, &[first, second]) / traffic(n, &[first]);
    assert!(ratio(32) < 1.05, "{}", ratio(32));
    assert!(ratio(8000) > 1.95, "{}", ratio(8000));
}

#[test]
fn triangles_have_half_the_iterations() {
    let body = "for (int i = 0; i < n; i++) for (int j = 0; j < LIMIT; j++) A[i][j] *= 2.0;";
    let head = "void f(int n, double A[1000][1000])";
    let of = |limit| {
        let scop = scop(head, &body.replace("LIMIT", limit));
        let loops =
            [("[n] -> { S0[i, j] -> [(i)] }", true), ("[n] -> { S0[i, j] -> [(j)] }", true)];
        cost(&scop, &band(&scop, &loops)).core
    };
    let ratio = of("i + 1") / of("n");
    assert!((0.45..0.55).contains(&ratio), "{ratio}");
}

#[test]
fn vector_lanes_pay_where_elements_are_neighbours() {
    let head = "void f(int n, double A[1000][1000])";
    let of = |body| {
        let scop = scop(head, body);
        let loops =
            [("[n] -> { S0[i, j] -> [(i)] }", true), ("[n] -> { S0[i, j] -> [(j)] }", true)];
        let strides = farkas_analysis::StrideModel::new(&scop).expect("isl answers");
        let band = band(&scop, &loops);
        let plan = plan_vectors(&band, &strides).expect("isl answers");
        let marked = plan.done(&Program::new(&scop, band)).expect("isl answers").tree;
        cost(&scop, &marked).core
    };
    let row = of("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] *= 2.0;");
    let column = of("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[j][i] *= 2.0;");
    assert!(2.0 * row < column, "{row} {column}");
}

/// The assumed values of a scop's parameters.
fn values(head: &str, body: &str) -> Vec<(String, i64)> {
    values_behind(head, "", body)
}

/// The same with declarations in front of the region.
fn values_behind(head: &str, declarations: &str, body: &str) -> Vec<(String, i64)> {
    let scop = scop_behind(head, declarations, body);
    let found = assumed_values(&scop, &BTreeMap::new()).expect("isl answers");
    found.iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[test]
fn arrays_of_known_extents_say_how_large_parameters_are() {
    let found = values(
        "double A[300][400]; void f(int n, int m)",
        "for (int i = 1; i < n; i++) for (int j = 0; j < m - 1; j++) A[i][j] = A[i - 1][j + 1];",
    );
    assert_eq!(found, [("m".to_owned(), 400), ("n".to_owned(), 300)]);
}

#[test]
fn arrays_of_unknown_extents_exceed_the_caches() {
    let found = values(
        "void f(int n, int t, double A[n][n])",
        "for (int s = 0; s < t; s++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] += 1.0;",
    );
    assert_eq!(found, [("n".to_owned(), 2000), ("t".to_owned(), 500)]);
}

/// Where a loop says how many elements there are, it says how often it runs.
#[test]
fn data_chooses_among_few_elements() {
    let head = "void f(int n, int k, const int g[n], double c[k])";
    let found = values(head, "for (int i = 0; i < n; i++) c[g[i]] += 1.0;");
    assert_eq!(found, [("k".to_owned(), 64), ("n".to_owned(), 20_000)]);
    let head = "void f(int n, const int g[n], double c[n])";
    let found = values(head, "for (int i = 0; i < n; i++) c[g[i]] += 1.0;");
    assert_eq!(found, [("n".to_owned(), 20_000)]);
}

/// Sizes are what their declarations state, unless they are changed, or what they come from is.
#[test]
fn sizes_are_what_their_declarations_state() {
    let of = |declarations: &str| {
        let found = values_behind(
            "void f(int h, float *restrict out, const float *restrict in)",
            declarations,
            "for (int i = 0; i < rows; i++) for (int k = 0; k < h; k++) out[i] += in[k];",
        );
        let value = |name: &str| found.iter().find(|(n, _)| n == name).map(|(_, value)| *value);
        (value("h").expect("a parameter"), value("rows").expect("a parameter"))
    };
    let (h, rows) = of("int rows = (h + 1) / 2;");
    assert_eq!(rows, (h + 1) / 2);
    let (h, rows) = of("int rows = h > 100 ? 3 * h : h;");
    assert_eq!(rows, 3 * h);
    for changed in ["int rows = (h + 1) / 2; rows += 5;", "int rows = (h + 1) / 2; h += 5;"] {
        let (h, rows) = of(changed);
        assert_eq!(rows, h, "{changed}");
    }
}

/// A size that is taken to be a product of others is one, and what is a multiple of it follows.
#[test]
fn products_of_parameters_are_products() {
    let found = values_behind(
        "void f(int t, int heads, int width, float *restrict out, const float *restrict in)",
        "int row = 3 * width, size = width / heads;",
        "for (int i = 0; i < t; i++) for (int h = 0; h < heads; h++) for (int k = 0; k < size; k++)
             out[i * width + h * size + k] = in[i * row + width + h * size + k];",
    );
    let value = |name: &str| found.iter().find(|(n, _)| n == name).map(|(_, value)| *value);
    let of = |name: &str| value(name).expect("a parameter");
    assert_eq!((of("heads"), of("size")), (158, 158));
    assert_eq!((of("width"), of("row")), (158 * 158, 3 * 158 * 158));
}

/// Rows of an array that are shorter than pages come in faster one behind the other than where each one is elsewhere.
#[test]
fn rows_cost_less_in_the_order_of_memory() {
    let head = "void f(int n, double a[200][60][60], double r[60])";
    let loops = "for (int i = 0; i < 200; i++) for (int k = 0; k < 60; k++) for (int j = 0; j < 60; j++) r[k] += a[i][k][j];";
    let scop = scop(head, loops);
    let member = |dim: &str| (format!("{{ S0[i, k, j] -> [({dim})] }}"), false);
    let cost_of = |order: [&str; 3]| {
        let members = order.map(member);
        let members: Vec<(&str, bool)> =
            members.iter().map(|(text, c)| (text.as_str(), *c)).collect();
        let found = cost(&scop, &band(&scop, &members));
        found.caches.iter().sum::<f64>()
    };
    assert!(1.05 * cost_of(["i", "k", "j"]) < cost_of(["k", "i", "j"]));
}

/// A short loop in lanes whose elements the next start of it needs waits for them to be stored; a long one hides that.
#[test]
fn short_loops_wait_for_what_they_store() {
    let core = |n: u64, update: &str| {
        let head = format!("void f(double a[{n}], double b[1000][{n}])");
        let body =
            format!("for (int k = 0; k < 1000; k++) for (int j = 0; j < {n}; j++) {update};");
        let scop = scop(&head, &body);
        let members = [("{ S0[k, j] -> [(k)] }", false), ("{ S0[k, j] -> [(j)] }", true)];
        let program = Program::new(&scop, band(&scop, &members));
        let strides = farkas_analysis::StrideModel::new(&scop).expect("isl answers");
        let plan = plan_vectors(&program.tree, &strides).expect("isl answers");
        cost(&scop, &plan.done(&program).expect("a loop in lanes").tree).core / n as f64
    };
    let (sums, copies) = ("a[j] += b[k][j]", "b[k][j] = a[j] + 1.0");
    assert!(core(18, sums) > 2.0 * core(18, copies));
    assert!(core(2000, sums) < 2.0 * core(2000, copies));
}
