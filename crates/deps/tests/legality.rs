//! The legality check on trees that are legal, and the words it finds for those that are not.

mod common;

use common::kernels::{ALL, GEMM, SEIDEL_2D};
use farkas_base::{SourceFile, Span};
use farkas_deps::legality::{
    Demand, Fault, Place, Required, Tagged, Verdict, check, check_conditional, check_required,
    check_within,
};
use farkas_deps::{DependenceOptions, Error, carried, dependences};
use farkas_poly::{DimType, Map, Space};
use farkas_scop::Scop;
use farkas_tree::{Cursor, ScheduleTree, original_tree};

/// The verdict on the tree of `schedule`, isl's YAML below a domain node that holds the instances of `scop`.
fn verdict(scop: &Scop, schedule: &str) -> Verdict {
    check(scop, &tree(scop, schedule)).unwrap()
}

/// The tree of `schedule`.
fn tree(scop: &Scop, schedule: &str) -> ScheduleTree {
    let text = format!("{{ domain: \"{}\", child: {schedule} }}", scop.domain().unwrap());
    parse(&text)
}

/// The tree of isl's YAML with apostrophes for quotation marks.
fn parse(text: &str) -> ScheduleTree {
    text.replace('\'', "\"").parse().unwrap()
}

/// What the check says against the tree of `schedule`.
fn fault(scop: &str, schedule: &str) -> String {
    match verdict(&common::scop(scop), schedule) {
        Verdict::Legal => "legal".into(),
        Verdict::Illegal(found) => found.to_string(),
    }
}

/// A loop nest in which the next diagonal element is read.
const DIAGONAL: &str = "
    params n : n >= 1
    S[i, j] : 0 <= i < n and 0 <= j < n @ i, j : r A[i - 1, j + 1], w A[i, j]";

/// A producer and a consumer of its neighbour.
const SHIFTED: &str = "
    params n : n >= 1
    S[i] : 0 <= i < n @ 0, i : w A[i]
    T[i] : 0 <= i < n @ 1, i : r A[i + 1], w B[i]";

#[test]
fn the_original_order_is_legal() {
    for (name, text) in ALL {
        let scop = common::scop(text);
        let tree = original_tree(&scop).unwrap();
        assert_eq!(check(&scop, &tree).unwrap(), Verdict::Legal, "{name}");
    }
}

#[test]
fn interchange() {
    let gemm = "{ schedule: '[{ S[i, j] -> [(j)]; T[i, k, j] -> [(j)] }, { S[i, j] -> [(i)]; T[i, k, j] -> [(i)] }]',
        child: { sequence: [ { filter: '{ S[i, j] }' },
                             { filter: '{ T[i, k, j] }', child: { schedule: '[{ T[i, k, j] -> [(k)] }]' } } ] } }";
    assert_eq!(fault(GEMM, gemm), "legal");
    assert_eq!(
        fault(DIAGONAL, "{ schedule: '[{ S[i, j] -> [(j)] }, { S[i, j] -> [(i)] }]' }"),
        "with n = 2, flow dependence: S(i = 0, j = 1) writes A[0][1] before S(i = 1, j = 0) reads it, \
         but loop 0 of the band at /0 runs the second one earlier"
    );
}

#[test]
fn reversal() {
    let text = "params n : n >= 1
        S[i] : 0 <= i < n @ i : w A[0]";
    assert_eq!(
        fault(text, "{ schedule: '[{ S[i] -> [(-i)] }]' }"),
        "with n = 2, output dependence: S(i = 0) writes A[0] before S(i = 1) writes it, \
         but loop 0 of the band at /0 runs the second one earlier"
    );
}

#[test]
fn fusion() {
    let fused = |shift: &str| {
        format!(
            "{{ schedule: '[{{ S[i] -> [(i)]; T[i] -> [({shift})] }}]',
                child: {{ sequence: [ {{ filter: '{{ S[i] }}' }}, {{ filter: '{{ T[i] }}' }} ] }} }}"
        )
    };
    assert_eq!(fault(SHIFTED, &fused("i + 1")), "legal");
    assert_eq!(
        fault(SHIFTED, &fused("i")),
        "with n = 2, flow dependence: S(i = 1) writes A[1] before T(i = 0) reads it, \
         but loop 0 of the band at /0 runs the second one earlier"
    );
}

#[test]
fn order_of_children() {
    let children = |kind: &str, first: &str, second: &str| {
        format!(
            "{{ {kind}: [ {{ filter: '{first}', child: {{ schedule: '[{{ S[i] -> [(i)]; T[i] -> [(i)] }}]' }} }},
                          {{ filter: '{second}', child: {{ schedule: '[{{ S[i] -> [(i)]; T[i] -> [(i)] }}]' }} }} ] }}"
        )
    };
    assert_eq!(fault(SHIFTED, &children("sequence", "{ S[i] }", "{ T[i] }")), "legal");
    let before = "with n = 2, flow dependence: S(i = 1) writes A[1] before T(i = 0) reads it, but ";
    assert_eq!(
        fault(SHIFTED, &children("sequence", "{ T[i] }", "{ S[i] }")),
        format!(
            "{before}the sequence at /0 has the first one in child 1 and the second in child 0"
        )
    );
    assert_eq!(
        fault(SHIFTED, &children("set", "{ S[i] }", "{ T[i] }")),
        format!("{before}the set at /0 does not order its children 0 and 1")
    );
    let apart = SHIFTED.replace("r A[i + 1]", "r C[i + 1]");
    assert_eq!(fault(&apart, &children("set", "{ T[i] }", "{ S[i] }")), "legal");
}

#[test]
fn what_nothing_orders() {
    let text = "params n : n >= 1
        S[i] : 0 <= i < n @ i : r t[], w t[]";
    let scop = common::scop(text);
    let tree = ScheduleTree::domain(scop.domain().unwrap(), ScheduleTree::leaf());
    let Verdict::Illegal(found) = check(&scop, &tree).unwrap() else { panic!("legal") };
    assert_eq!(
        found.to_string(),
        "with n = 2, anti dependence: S(i = 0) reads t before S(i = 1) writes it, \
         but nothing orders them (leaf /0)"
    );
}

#[test]
fn instances_that_do_not_run_once() {
    let leaf = |domain: &str| {
        let band = "{ schedule: '[{ S[i] -> [(i)] }]' }";
        let tree = parse(&format!("{{ domain: '{domain}', child: {band} }}"));
        let scop = common::scop("params n : n >= 3\n S[i] : 0 <= i < n @ i : w A[i]");
        match check(&scop, &tree).unwrap() {
            Verdict::Legal => "legal".to_owned(),
            Verdict::Illegal(found) => found.to_string(),
        }
    };
    assert_eq!(leaf("[n] -> { S[i] : 0 <= i < n }"), "legal");
    assert_eq!(
        leaf("[n] -> { S[i] : 0 <= i < n and i != 1 }"),
        "with n = 3, S(i = 1) never runs (node /)"
    );
    assert_eq!(
        leaf("[n] -> { S[i] : 0 <= i <= n }"),
        "with n = 3, S(i = 3) runs but is no instance of the scop (node /)"
    );
    assert_eq!(
        leaf("[n] -> { S[i] : 0 <= i < n; X[] }"),
        "the tree runs statement X, which the scop does not have"
    );
}

#[test]
fn children_that_do_not_partition() {
    let text = "params n : n >= 3
        S[i] : 0 <= i < n @ i : w A[i]";
    // isl refuses such trees, so they are built node by node.
    let scop = common::scop(text);
    let check = |first: &str, second: &str| {
        let child = |filter: &str| (filter.parse().unwrap(), ScheduleTree::leaf());
        let children = ScheduleTree::sequence(vec![child(first), child(second)]);
        match check(&scop, &ScheduleTree::domain(scop.domain().unwrap(), children)).unwrap() {
            Verdict::Legal => "legal".to_owned(),
            Verdict::Illegal(found) => found.to_string(),
        }
    };
    assert_eq!(check("{ S[i] : i < 2 }", "{ S[i] : i >= 2 }"), "legal");
    assert_eq!(
        check("{ S[i] : i < 2 }", "{ S[i] : i > 2 }"),
        "with n = 3, S(i = 2) never runs (node /0)"
    );
    assert_eq!(
        check("{ S[i] : i < 2 }", "{ S[i] : i >= 1 }"),
        "with n = 3, S(i = 1) runs twice (node /0/1)"
    );
    assert_eq!(
        check("{ S[i] }", "{ S[i] : i >= 1 }"),
        "with n = 3, S(i = 1) runs twice (node /0/1)"
    );
}

#[test]
fn concurrent_loops() {
    let text = "params n : n >= 1
        S[i, j] : 0 <= i < n and 0 <= j < n @ i, j : r A[i - 1, j], w A[i, j]";
    let marked = |outer: &str, inner: &str| {
        let band = |mark: &str, member: &str, child: &str| match mark {
            "" => format!("{{ schedule: '[{member}]' {child} }}"),
            mark => format!("{{ mark: '{mark}', child: {{ schedule: '[{member}]' {child} }} }}"),
        };
        let child = format!(", child: {}", band(inner, "{ S[i, j] -> [(j)] }", ""));
        fault(text, &band(outer, "{ S[i, j] -> [(i)] }", &child))
    };
    assert_eq!(marked("", "parallel"), "legal");
    assert_eq!(marked("", "vector"), "legal");
    assert_eq!(
        marked("parallel", ""),
        "with n = 2, flow dependence: S(i = 0, j = 0) writes A[0][0] before S(i = 1, j = 0) reads it, \
         but loop 0 of the band at /0/0 is marked parallel and has them in different iterations"
    );
    assert_eq!(marked("tile 32", ""), "legal");
}

/// The tiles of seidel-2d, skewed so that tiling is legal, and the loops in them.
const TILES: [&str; 3] = ["floor(t/32)", "floor((t + i)/32)", "floor((2t + i + j)/32)"];

/// The band of `members` of seidel-2d's statement, and `child`.
fn band(members: &[&str], child: &str) -> String {
    let members: Vec<String> =
        members.iter().map(|m| format!("{{ S[t, i, j] -> [({m})] }}")).collect();
    let child = if child.is_empty() { String::new() } else { format!(", child: {child}") };
    format!("{{ schedule: '[{}]'{child} }}", members.join(", "))
}

#[test]
fn tiles() {
    let points = band(&["t", "t + i", "2t + i + j"], "");
    assert_eq!(fault(SEIDEL_2D, &band(&TILES, &points)), "legal");
    let straight = ["floor(t/32)", "floor(i/32)", "floor(j/32)"];
    assert_eq!(
        fault(SEIDEL_2D, &band(&straight, &band(&["t", "i", "j"], ""))),
        "with tsteps = 1, n = 34, anti dependence: S(t = 0, i = 1, j = 32) reads A[2][31] \
         before S(t = 0, i = 2, j = 31) writes it, \
         but loop 2 of the band at /0 runs the second one earlier"
    );
}

#[test]
fn wavefronts() {
    let points = band(&["t", "t + i", "2t + i + j"], "");
    let sum = "floor(t/32) + floor((t + i)/32)";
    let inner = |mark: &str| {
        let rest = band(&TILES[2..], &points);
        let parallel = band(&TILES[1..2], &rest);
        let parallel = match mark {
            "" => parallel,
            mark => format!("{{ mark: '{mark}', child: {parallel} }}"),
        };
        band(&[sum], &parallel)
    };
    assert_eq!(fault(SEIDEL_2D, &inner("")), "legal");
    assert_eq!(fault(SEIDEL_2D, &inner("parallel")), "legal");
    let scop = common::scop(SEIDEL_2D);
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    let tree = tree(&scop, &inner("parallel"));
    let parallel: Vec<bool> =
        carried::coincidence(&deps, &tree).unwrap().iter().map(|r| r.is_parallel()).collect();
    assert_eq!(parallel, [false, true, false, false, false, false]);
    let wrong = format!("{{ mark: parallel, child: {} }}", inner(""));
    let Verdict::Illegal(found) = verdict(&scop, &wrong) else { panic!("legal") };
    let Fault::Order(conflict) = &found.fault else { panic!("{found}") };
    assert!(matches!(conflict.place, Place::Concurrent { member: 0, .. }), "{found}");
}

#[test]
fn members_of_a_band_one_by_one() {
    let scop = common::scop(SEIDEL_2D);
    let deps = dependences(&scop, DependenceOptions::default()).unwrap();
    let tree = tree(&scop, &band(&["t", "t + i", "2t + i + j"], ""));
    let at = Cursor::root().child(0);
    assert!(!carried::is_parallel(&deps, &tree, &at, 0).unwrap());
    assert!(!carried::is_coincident(&deps, &tree, &at, 2).unwrap());
    assert!(carried::is_parallel(&deps, &tree, &at, 3).is_err());
    assert!(carried::is_parallel(&deps, &tree, &Cursor::root(), 0).is_err());
}

#[test]
fn lines_of_the_source() {
    let source = SourceFile::new("a.c", "\nfor (i...)\n  S;\n");
    let mut builder = common::scop(DIAGONAL).to_builder();
    builder.stmts.iter_mut().for_each(|s| s.span = Some(Span::new(14..16)));
    let scop = builder.build().unwrap();
    let swapped = "{ schedule: '[{ S[i, j] -> [(j)] }, { S[i, j] -> [(i)] }]' }";
    let Verdict::Illegal(found) = verdict(&scop, swapped) else { panic!("legal") };
    assert_eq!(
        found.with_lines(&source),
        "with n = 2, flow dependence: S(i = 0, j = 1) (line 3) writes A[0][1] before \
         S(i = 1, j = 0) (line 3) reads it, but loop 0 of the band at /0 runs the second one earlier"
    );
}

#[test]
fn contexts_and_guards_of_the_tree() {
    let text = "params n : n >= 3
        S[i] : 0 <= i < n @ i : w A[i]";
    let scop = common::scop(text);
    let with = |context: &str| {
        let node = farkas_tree::Node::Guard {
            guard: context.parse().unwrap(),
            child: ScheduleTree::leaf(),
        };
        check(&scop, &ScheduleTree::domain(scop.domain().unwrap(), node.into()))
    };
    assert_eq!(with("[n] -> { : n >= 1 }").unwrap(), Verdict::Legal);
    let Verdict::Illegal(found) = with("[n] -> { : n != 4 }").unwrap() else { panic!("legal") };
    assert_eq!(found.to_string(), "with n = 4, S(i = 0) never runs (node /0)");
    assert!(matches!(with("{ [x] : x > 0 }"), Err(Error::Unsupported { .. })));
}

#[test]
fn a_budget_that_is_used_up() {
    let scop = common::scop(SEIDEL_2D);
    let tree = tree(&scop, &band(&["floor(t/32) - floor((-i)/3)", "i", "j"], ""));
    assert_eq!(check_within(&scop, &tree, 10), Err(Error::OutOfBudget));
    assert!(check(&scop, &tree).is_ok());
}

/// What the check of a given relation says of `schedule`.
fn required(scop: &str, pairs: &str, demand: Demand, schedule: &str) -> String {
    let scop = common::scop(scop);
    let names: Vec<&str> = scop.params().iter().map(|p| p.name.as_str()).collect();
    let model = Space::params_named(&names).unwrap();
    let pairs: Map = pairs.parse().unwrap();
    let ends = [DimType::In, DimType::Out]
        .map(|end| scop.stmt_by_name(&pairs.tuple_name(end).unwrap()).unwrap());
    let pairs = pairs.align_params(&model).unwrap();
    let pairs = pairs.intersect_domain(&scop.domain_of(ends[0]).unwrap()).unwrap();
    let pairs = pairs.intersect_range(&scop.domain_of(ends[1]).unwrap()).unwrap();
    let required = Required { source: ends[0], sink: ends[1], pairs, demand };
    match check_required(&scop, &tree(&scop, schedule), &[required]).unwrap() {
        Verdict::Legal => "legal".into(),
        Verdict::Illegal(found) => found.to_string(),
    }
}

/// A square without accesses that matter.
const SQUARE: &str = "
    params n : n >= 3
    S[i, j] : 0 <= i < n and 0 <= j < n @ i, j : r A[i]";

#[test]
fn given_relations_are_kept_in_order() {
    let check = |pairs, schedule: &str| required(SQUARE, pairs, Demand::Order, schedule);
    let by = |members: &str| format!("{{ schedule: \"[n] -> [{members}]\" }}");
    let lexicographic = by("{ S[i, j] -> [(i)] }, { S[i, j] -> [(j)] }");
    let skewed = by("{ S[i, j] -> [(2i + j)] }, { S[i, j] -> [(j)] }");
    assert_eq!(check("{ S[i, j] -> S[i + 1, j - 1] }", &lexicographic), "legal");
    assert_eq!(check("{ S[i, j] -> S[i + 1, j - 1] }", &skewed), "legal");
    assert_eq!(
        check(
            "{ S[i, j] -> S[i + 1, j - 2] }",
            &by("{ S[i, j] -> [(i + j)] }, { S[i, j] -> [(i)] }")
        ),
        "with n = 3, S(i = 0, j = 2) must run before S(i = 1, j = 0), but loop 0 of the band at /0 runs the second one earlier"
    );
    assert_eq!(
        check("{ S[i, j] -> S[i, j + 1] }", &by("{ S[i, j] -> [(i)] }")),
        "with n = 3, S(i = 0, j = 0) must run before S(i = 0, j = 1), but nothing orders them (leaf /0/0)"
    );
    // No order puts an instance before itself.
    assert!(check("{ S[i, j] -> S[i, j] }", &lexicographic).contains("nothing orders them"));
    // Relations say nothing of instances, but the tree must still run all of them.
    let some = "{ filter: '[n] -> { S[i, j] : j > 0 }' }".replace('\'', "\"");
    assert!(check("{ S[i, j] -> S[i, j + 1] }", &some).contains("never runs"));
}

#[test]
fn coincident_loops_do_not_divide_given_pairs() {
    let check = |pairs, schedule: &str| required(SQUARE, pairs, Demand::Coincidence, schedule);
    let by = |coincident: &str| {
        format!(
            "{{ schedule: \"[n] -> [{{ S[i, j] -> [(i)] }}, {{ S[i, j] -> [(j)] }}]\", permutable: 1, coincident: [ {coincident} ] }}"
        )
    };
    assert_eq!(check("{ S[i, j] -> S[i, j + 1] }", &by("1, 0")), "legal");
    assert_eq!(check("{ S[i, j] -> S[i + 1, j] }", &by("0, 1")), "legal");
    assert_eq!(
        check("{ S[i, j] -> S[i, j + 1] }", &by("1, 1")),
        "with n = 3, loop 1 of the band at /0 is called coincident but has S(i = 0, j = 0) and S(i = 0, j = 1) in different iterations"
    );
    // Members of one band do not help one another: they may be interchanged.
    assert!(check("{ S[i, j] -> S[i + 1, j + 1] }", &by("0, 1")).contains("called coincident"));
    // Nodes around the band do.
    let inside = "{ schedule: \"[n] -> [{ S[i, j] -> [(i)] }]\", child: { schedule: \"[n] -> [{ S[i, j] -> [(j)] }]\", coincident: [ 1 ] } }";
    assert_eq!(check("{ S[i, j] -> S[i + 1, j + 1] }", inside), "legal");
}

/// What the check of orders under conditions says of `schedule`, for a write `W` and a read `R` of a scalar in each of some
/// iterations.
fn conditional(conditions: &[&str], orders: &[&str], schedule: &str) -> String {
    let scop = common::scop(
        "W[i, j] : 0 <= i < 4 and 0 <= j < 4 @ i, j, 0 : r A[i]
         R[i, j] : 0 <= i < 4 and 0 <= j < 4 @ i, j, 1 : r A[i]",
    );
    let tagged = |text: &&str| {
        let map: Map = text.parse().unwrap();
        let pairs = if text.starts_with("{ [") {
            map.domain_factor_domain().unwrap().range_factor_domain().unwrap()
        } else {
            map.clone()
        };
        let [source, sink] = [DimType::In, DimType::Out]
            .map(|end| scop.stmt_by_name(&pairs.tuple_name(end).unwrap()).unwrap());
        let pairs = pairs.intersect_domain(&scop.domain_of(source).unwrap()).unwrap();
        let pairs = pairs.intersect_range(&scop.domain_of(sink).unwrap()).unwrap();
        Tagged { source, sink, pairs, tagged: map }
    };
    let conditions: Vec<Tagged> = conditions.iter().map(tagged).collect();
    let orders: Vec<Tagged> = orders.iter().map(tagged).collect();
    match check_conditional(&scop, &tree(&scop, schedule), &conditions, &orders).unwrap() {
        Verdict::Legal => "legal".into(),
        Verdict::Illegal(found) => found.to_string(),
    }
}

#[test]
fn orders_matter_inside_a_loop_that_divides_a_live_range() {
    // Each row reads what the row before it wrote: then it must not write first.
    let text = "{ schedule: '[{ W[i, j] -> [(i)]; R[i, j] -> [(i)] }]', child: { sequence: [
        { filter: '{ FIRST[i, j] }', child: { FIRSTROW } }, { filter: '{ SECOND[i, j] }', child: { SECONDROW } } ] } }";
    let row = |stmt: &str| format!("schedule: '[{{ {stmt}[i, j] -> [(j)] }}]'");
    let tree = |first: &str, second: &str| {
        let text = text.replace("FIRSTROW", &row(first)).replace("SECONDROW", &row(second));
        text.replace("FIRST", first).replace("SECOND", second).replace('\'', "\"")
    };
    let (live, next) = ("{ W[i, j] -> R[i + 1, j] }", "{ R[i, j] -> W[i, j] }");
    assert_eq!(conditional(&[live], &[next], &tree("R", "W")), "legal");
    assert!(conditional(&[live], &[next], &tree("W", "R")).contains("must run before W"));
}

#[test]
fn orders_under_conditions_matter_where_a_live_range_is_divided() {
    // Backward loops with the write before the read: each live range is within one iteration of both loops.
    let inner = "child: { sequence: [ { filter: '{ W[i, j] }' }, { filter: '{ R[i, j] }' } ] }";
    let both =
        "[{ W[i, j] -> [(-i)]; R[i, j] -> [(-i)] }, { W[i, j] -> [(-j)]; R[i, j] -> [(-j)] }]";
    let whole = format!("{{ schedule: '{both}', {inner} }}").replace('\'', "\"");
    // All reads after all writes of a row: live ranges are divided by the sequence, but not by the loop around it.
    let row = "schedule: '[{ W[i, j] -> [(j)]; R[i, j] -> [(j)] }]'";
    let rows = "{ schedule: '[{ W[i, j] -> [(-i)]; R[i, j] -> [(-i)] }]', child: { sequence: [
        { filter: '{ W[i, j] }', child: { ROW } }, { filter: '{ R[i, j] }', child: { ROW } } ] } }";
    let rows = rows.replace("ROW", row).replace('\'', "\"");
    let live = "{ W[i, j] -> R[i, j] }";
    let next = "{ R[i, j] -> W[i', j'] : i' > i or (i' = i and j' > j) }";
    assert_eq!(conditional(&[live], &[next], &whole), "legal");
    assert_eq!(
        conditional(&[live], &[next], &rows),
        "R(i = 0, j = 0) must run before W(i = 0, j = 1), but the sequence at /0/0 has the first one in child 1 and the second in child 0"
    );
    // Another scalar in each column: the sequence reverses no pair of one memory cell.
    let column = "{ R[i, j] -> W[i', j] : i' > i }";
    assert_eq!(conditional(&[live], &[column], &rows), "legal");
    // Live ranges of another access say nothing of it.
    let other = "{ [W[i, j] -> x[]] -> [R[i, j] -> x[]] }";
    let tagged = "{ [R[i, j] -> y[]] -> [W[i', j'] -> y[]] : i' > i or (i' = i and j' > j) }";
    assert_eq!(conditional(&[other], &[tagged], &rows), "legal");
    assert!(conditional(&[&other.replace('x', "y")], &[tagged], &rows).contains("must run before"));
    // Without conditions no order matters, but what nothing orders is never right.
    assert_eq!(conditional(&[], &[next], &rows), "legal");
    let unordered = "{ schedule: \"[{ W[i, j] -> [(i)]; R[i, j] -> [(i)] }]\" }";
    assert!(conditional(&[], &[next], unordered).contains("nothing orders them"));
}
