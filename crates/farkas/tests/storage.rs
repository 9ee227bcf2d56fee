//! The legality check of scops with other storage: what expansion makes is legal, and is not after any of these changes.

mod common;

use farkas::{Options, ReadOptions, Session, read};
use farkas::{Template, analyze, optimize};
use farkas_deps::Verdict;
use farkas_deps::legality::{check_program, check_storage};
use farkas_interp::Params;
use farkas_poly::DimType;
use farkas_schedule::FusionHeuristic;
use farkas_scop::{Access, ArrayScope, AssignOp, BinaryOp, BodyStmt, Scop, ScopBuilder};
use farkas_transform::expand_storage;
use farkas_tree::Program;

/// A case's scop, and the same with other storage.
fn expanded(case: &str) -> (Scop, Scop) {
    let path = common::repository().join(format!("tests/cases/{case}.c"));
    let input = read(&path, &ReadOptions::default()).expect("C");
    let scop = input.regions[0].scop.clone();
    let mut session = Session::default();
    let deps = analyze(&scop, &Options::default(), &mut session);
    let deps = deps.expect("dependences");
    let expanded = expand_storage(&scop, &deps, |_| true, &mut Vec::new()).expect("storage");
    (scop, expanded.expect("temporaries").scop)
}

/// What the check says of a case's scop with other storage after a change.
fn reason(case: &str, change: impl Fn(&mut ScopBuilder)) -> String {
    let (scop, expanded) = expanded(case);
    let mut builder = expanded.to_builder();
    change(&mut builder);
    let changed = builder.build().expect("a scop");
    match check_storage(&scop, &changed).expect("a verdict") {
        Verdict::Legal => "legal".to_owned(),
        Verdict::Illegal(found) => found.to_string(),
    }
}

/// All accesses to arrays that expansion made.
fn own_accesses(builder: &mut ScopBuilder) -> impl Iterator<Item = &mut Access> {
    let own: Vec<_> = builder.arrays.iter().map(|a| a.scope == ArrayScope::Expanded).collect();
    let accesses = builder.stmts.iter_mut().flat_map(|stmt| stmt.accesses.iter_mut());
    accesses.filter(move |access| own[farkas_base::Id::index(access.array)])
}

#[test]
fn what_expansion_makes_is_legal() {
    for case in ["expand-home", "expand-copy-back", "expand-symm"] {
        assert_eq!(reason(case, |_| {}), "legal", "{case}");
    }
}

#[test]
fn statements_that_copy_elements_to_themselves_are_gone() {
    let (scop, expanded) = expanded("expand-home");
    assert!(expanded.stmts().len() + 3 <= scop.stmts().len(), "{expanded}");
}

#[test]
fn values_do_not_share_a_place() {
    let found = reason("expand-symm", |builder| {
        for access in own_accesses(builder) {
            let name = access.relation.tuple_name(DimType::Out).expect("a name");
            let folded = access.relation.project_out(DimType::Out, 0, 1).expect("a relation");
            let folded = folded.insert_dims(DimType::Out, 0, 1).expect("a relation");
            let folded = folded.fix_si(DimType::Out, 0, 0).expect("a relation");
            // One row for all: the sums of different rows do not mix, as each is set before it is used.
            access.relation = folded.with_tuple_name(DimType::Out, &name).expect("a relation");
        }
    });
    assert_eq!(found, "legal");
    let found = reason("expand-symm", |builder| {
        for access in own_accesses(builder).skip(1).take(1) {
            let name = access.relation.tuple_name(DimType::Out).expect("a name");
            let folded = access.relation.project_out(DimType::Out, 0, 1).expect("a relation");
            let folded = folded.insert_dims(DimType::Out, 0, 1).expect("a relation");
            let folded = folded.fix_si(DimType::Out, 0, 0).expect("a relation");
            access.relation = folded.with_tuple_name(DimType::Out, &name).expect("a relation");
        }
    });
    assert!(found.contains("values from elsewhere"), "{found}");
}

#[test]
fn places_lie_within_the_array() {
    let found = reason("expand-symm", |builder| {
        for array in builder.arrays.iter_mut().filter(|a| a.scope == ArrayScope::Expanded) {
            array.extents[0] = Some("[m, n] -> { [] -> [(m - 1)] }".parse().expect("an extent"));
        }
    });
    assert!(found.contains("lies outside"), "{found}");
}

#[test]
fn the_last_values_are_copied_back() {
    let found = reason("expand-copy-back", |builder| {
        builder.stmts = builder.stmts.iter().filter(|s| s.name != "S1_last").cloned().collect();
    });
    assert!(found.contains("values from elsewhere"), "{found}");
}

#[test]
fn nothing_is_computed_anew_or_left_out() {
    let is_sum = |stmt: &farkas_scop::Statement| {
        matches!(
            stmt.body.as_slice(),
            [BodyStmt::Assign { op: AssignOp::Compound(BinaryOp::Add), .. }]
        )
    };
    let found = reason("expand-copy-back", |builder| {
        builder.stmts = builder.stmts.iter().filter(|stmt| !is_sum(stmt)).cloned().collect();
    });
    assert!(found.contains("it is missing"), "{found}");
    let found = reason("expand-copy-back", |builder| {
        for stmt in builder.stmts.iter_mut() {
            if let [BodyStmt::Assign { op, .. }] = stmt.body.as_mut_slice()
                && *op == AssignOp::Compound(BinaryOp::Add)
            {
                *op = AssignOp::Compound(BinaryOp::Sub);
            }
        }
    });
    assert!(found.contains("its body is not that of the original"), "{found}");
}

/// What the check says of the program in which iterations have buffers after a change of its scop.
fn reason_of_parts(change: impl Fn(&mut ScopBuilder)) -> String {
    let path = common::repository().join("tests/cases/expand-contract.c");
    let input = read(&path, &ReadOptions::default()).expect("C");
    let fusion = Some(FusionHeuristic::Max);
    let options = Options {
        expand: true,
        fusion,
        template: Template::default().with_register_tiles(),
        ..Options::default()
    };
    let region = &input.regions[0];
    let program = optimize(region, &options).expect("a result").program();
    assert!(program.scop.arrays().iter().any(|a| a.scope == ArrayScope::Buffer), "no buffer");
    let mut builder = program.scop.to_builder();
    change(&mut builder);
    let changed = Program { scop: builder.build().expect("a scop"), ..program };
    match check_program(&region.scop, &changed).expect("a verdict") {
        Verdict::Legal => "legal".to_owned(),
        Verdict::Illegal(found) => found.to_string(),
    }
}

/// `farkas opt --expand` of some loops, in all fusions: legal, and as the interpreter says. Whether values got places.
fn check_expanded(declarations: &str, loops: &str) -> bool {
    let region = format!("#pragma scop\n{loops}\n#pragma endscop");
    let text = format!("{declarations}\nvoid f(int n) {{\n{region}\n}}\n");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("f.c");
    std::fs::write(&path, text).expect("a file");
    let input = read(&path, &ReadOptions::default()).expect("a readable file");
    let region = &input.regions[0];
    let mut is_expanded = true;
    for fusion in [FusionHeuristic::Smart, FusionHeuristic::Max, FusionHeuristic::No] {
        let options = Options { expand: true, fusion: Some(fusion), ..Options::default() };
        let optimized = optimize(region, &options).expect("a legal result");
        is_expanded &= optimized.storage.is_some();
        let params = Params::new([("n".to_owned(), 5)]);
        common::regions_agree(region, &optimized, &params).unwrap_or_else(|e| panic!("{e}"));
    }
    is_expanded
}

#[test]
fn nothing_is_copied_back_before_others_have_read_it() {
    let is_expanded = check_expanded(
        "double a[6], b[5][8], c[5][8], d[5][8];",
        "for (int t = 0; t < n; t++)
           for (int i = 0; i < 8; i++) {
             a[t] = b[t][i];
             c[t][i] = a[t] + 1;
             d[t][i] = a[t + 1];
           }",
    );
    assert!(is_expanded, "nothing is expanded");
}

#[test]
fn copies_for_threads_and_parts_of_arrays_go_together() {
    let path = common::repository().join("tests/cases/expand-contract.c");
    let input = read(&path, &ReadOptions::default()).expect("C");
    let strategy = farkas::Strategy::from_name("locality-cpu").expect("a strategy");
    for fusion in [FusionHeuristic::Smart, FusionHeuristic::Max] {
        let fusion = Some(fusion);
        let options = Options {
            expand: true,
            fusion,
            template: Template::default().with_strips(),
            ..Options::default()
        };
        let options = Options { strategy: strategy.clone(), ..options };
        let optimized = optimize(&input.regions[0], &options).expect("a legal result");
        assert!(optimized.storage.is_some() && optimized.session.warnings.is_empty());
    }
}

#[test]
fn what_nothing_reads_stays_where_it_is() {
    let loops = "for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) a[i] = b[i][j];";
    assert!(!check_expanded("double a[5], b[5][8];", loops), "a has places for all its values");
}

/// The accesses to the buffer of an iteration.
fn part_accesses(builder: &mut ScopBuilder) -> impl Iterator<Item = &mut Access> {
    let parts: Vec<_> = builder.arrays.iter().map(|a| a.name.ends_with("_part")).collect();
    let accesses = builder.stmts.iter_mut().flat_map(|stmt| stmt.accesses.iter_mut());
    accesses.filter(move |access| parts[farkas_base::Id::index(access.array)])
}

#[test]
fn parts_are_legal() {
    assert_eq!(reason_of_parts(|_| {}), "legal");
}

#[test]
fn a_cell_of_a_part_is_one_element() {
    let found = reason_of_parts(|builder| {
        for access in part_accesses(builder) {
            let name = access.relation.tuple_name(DimType::Out).expect("a name");
            let folded = access.relation.project_out(DimType::Out, 0, 1).expect("a relation");
            let folded = folded.insert_dims(DimType::Out, 0, 1).expect("a relation");
            let folded = folded.fix_si(DimType::Out, 0, 0).expect("a relation");
            access.relation = folded.with_tuple_name(DimType::Out, &name).expect("a relation");
        }
    });
    assert!(found.contains("two cells stand for one element"), "{found}");
    let found = reason_of_parts(|builder| {
        for access in part_accesses(builder).take(1) {
            let name = access.relation.tuple_name(DimType::Out).expect("a name");
            let row = access.relation.project_out(DimType::Out, 1, 1).expect("a relation");
            let row = row.add_dims(DimType::Out, 1).expect("a relation");
            let row = row.fix_si(DimType::Out, 1, 0).expect("a relation");
            access.relation = row.with_tuple_name(DimType::Out, &name).expect("a relation");
        }
    });
    assert!(found.contains("it gets its values from elsewhere"), "{found}");
}

#[test]
fn parts_are_large_enough() {
    let found = reason_of_parts(|builder| {
        for array in builder.arrays.iter_mut().filter(|a| a.name.ends_with("_part")) {
            array.extents[0] = Some("{ [] -> [(39)] }".parse().expect("an extent"));
        }
    });
    assert!(found.contains("a cell lies outside"), "{found}");
}
