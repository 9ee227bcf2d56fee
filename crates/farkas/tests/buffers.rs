//! The legality check of programs with buffers: what register tiling makes is legal, and is not after any of these changes.

mod common;

use farkas::TileSizes;
use farkas::shape::shape;
use farkas::{Decided, Template, analyze, decide};
use farkas::{Options, ReadOptions, Session, Strategy, read};
use farkas_deps::Verdict;
use farkas_deps::legality::check_program;
use farkas_poly::PwAff;
use farkas_scop::{BodyStmt, Scop, ScopBuilder, Statement};
use farkas_tree::{Mark, Node, Program, ScheduleTree};
use std::collections::BTreeMap;

/// A case, its scop and its program with register tiles.
fn program_of(case: &str) -> (Scop, Program) {
    let path = common::repository().join(format!("tests/cases/{case}.c"));
    let input = read(&path, &ReadOptions::default()).expect("C");
    let scop = input.regions[0].scop.clone();
    let options =
        Options { template: Template::default().with_register_tiles(), ..Options::default() };
    let mut session = Session::default();
    let deps = analyze(&scop, &options, &mut session).expect("dependences");
    let tree = decide(&scop, &deps, &options, &mut session).expect("a schedule").tree;
    let (program, _) =
        shape(&scop, &deps, false, &tree, &options, &mut session).expect("a program");
    assert!(program.scop != scop, "no register tiles");
    (scop, program)
}

/// What the check says of a changed program.
fn reason(change: impl Fn(&Program) -> Program) -> String {
    let (scop, program) = program_of("register-gemm");
    match check_program(&scop, &change(&program)).expect("a verdict") {
        Verdict::Legal => "legal".to_owned(),
        Verdict::Illegal(found) => found.to_string(),
    }
}

/// The program with another scop.
fn with_scop(program: &Program, change: impl Fn(&mut ScopBuilder)) -> Program {
    let mut builder = program.scop.to_builder();
    change(&mut builder);
    Program { scop: builder.build().expect("a scop"), ..program.clone() }
}

/// The statement whose name begins like this.
fn named<'a>(builder: &'a mut ScopBuilder, start: &str) -> &'a mut Statement {
    builder.stmts.iter_mut().find(|s| s.name.starts_with(start)).expect("a statement")
}

/// The tree with the children of every sequence that `is_meant` accepts the other way round.
fn reversed(tree: &ScheduleTree, is_meant: &impl Fn(&[ScheduleTree]) -> bool) -> ScheduleTree {
    let change = &mut |tree: ScheduleTree| -> Result<ScheduleTree, std::convert::Infallible> {
        Ok(match tree.node() {
            Node::Sequence(children) if is_meant(children) => {
                tree.with_children(children.iter().rev().cloned().collect())
            }
            _ => tree,
        })
    };
    match tree.map_bottom_up(change) {
        Ok(tree) => tree,
        Err(never) => match never {},
    }
}

#[test]
fn register_tiles_are_legal() {
    assert_eq!(reason(Program::clone), "legal");
}

#[test]
fn operands_are_packed_before_they_are_used() {
    let changed = |program: &Program| {
        let tree = reversed(&program.tree, &|children| {
            let packs = |filter: &str| filter.contains("_pack") && !filter.contains("_load");
            matches!(children[0].node(), Node::Filter { filter, .. } if packs(&filter.to_string()))
        });
        Program { tree, ..program.clone() }
    };
    assert!(reason(changed).contains("a cell is used before it is filled"), "{}", reason(changed));
}

#[test]
fn sums_are_loaded_before_and_stored_after() {
    let changed = |program: &Program| {
        let tree = reversed(&program.tree, &|children| children.len() == 3);
        Program { tree, ..program.clone() }
    };
    assert!(reason(changed).contains("C_tile: a cell is used before it is filled"));
}

#[test]
fn cells_lie_within_the_buffer() {
    let changed = |program: &Program| {
        with_scop(program, |builder| {
            let panel = builder.arrays.iter_mut().find(|a| a.name == "A_panel").expect("a panel");
            let extents = panel.constant_extents().expect("numbers");
            let extent = format!("{{ [] -> [({})] }}", extents[1] - 1);
            let extent: PwAff = extent.parse().expect("a number");
            panel.extents[1] = Some(extent);
        })
    };
    assert_eq!(reason(changed), "A_panel: a cell lies outside");
}

#[test]
fn a_cell_stands_for_one_element() {
    let changed = |program: &Program| {
        with_scop(program, |builder| {
            // All columns of a panel in one cell.
            for stmt in builder.stmts.iter_mut() {
                let arrays = &builder.arrays;
                let is_panel = |a: &farkas_scop::Access| arrays[a.array].name == "B_panel";
                for access in stmt.accesses.iter_mut().filter(|a| is_panel(a)) {
                    let out = farkas_poly::DimType::Out;
                    let folded = access.relation.project_out(out, 2, 1).and_then(|r| {
                        r.add_dims(out, 1)?.fix_si(out, 2, 0)?.with_tuple_name(out, "B_panel")
                    });
                    access.relation = folded.expect("a relation");
                }
            }
        })
    };
    assert_eq!(reason(changed), "B_panel: a cell is filled twice in a session");
}

#[test]
fn operands_are_the_originals() {
    let changed = |program: &Program| {
        with_scop(program, |builder| {
            // `a * A[i][k]` becomes `A[i][k]`.
            let pack = named(builder, "S1_pack");
            let [BodyStmt::Assign { value: farkas_scop::Expr::Binary(_, _, factor), target, .. }] =
                pack.body.as_slice()
            else {
                panic!("{:?}", pack.body)
            };
            let (value, target) = ((**factor).clone(), *target);
            let op = farkas_scop::AssignOp::Set;
            pack.body = vec![BodyStmt::Assign { target, op, read: None, value }];
        })
    };
    assert_eq!(reason(changed), "S1: its body is not that of the original");
}

#[test]
fn every_instance_runs() {
    let changed = |program: &Program| {
        with_scop(program, |builder| {
            let stmt = named(builder, "S1");
            let dims = stmt.domain.dim(farkas_poly::DimType::SET).expect("a number");
            let smaller = stmt.domain.lower_bound_si(farkas_poly::DimType::SET, dims - 1, 1);
            stmt.domain = smaller.expect("a set");
        })
    };
    assert!(reason(changed).contains("its instances are not those of the original"));
}

#[test]
fn the_sums_order_counts() {
    // The loop that sums up runs in lanes, so that its iterations may run in any order.
    let changed = |program: &Program| {
        let change = &mut |tree: ScheduleTree| -> Result<ScheduleTree, std::convert::Infallible> {
            let is_sum = matches!(tree.node(), Node::Band { band, .. } if band.members.len() == 1 && !band.members[0].coincident);
            Ok(if is_sum { ScheduleTree::mark(Mark::Vector, tree) } else { tree })
        };
        let Ok(tree) = program.tree.map_bottom_up(change);
        Program { tree, ..program.clone() }
    };
    assert!(reason(changed).contains("dependence"), "{}", reason(changed));
}

#[test]
fn nothing_writes_what_is_packed() {
    // The product is summed up in the place of its operand.
    let changed = |program: &Program| {
        with_scop(program, |builder| {
            let array = builder.arrays.iter_enumerated().find(|(_, a)| a.name == "A").expect("A").0;
            let store = named(builder, "S1_store");
            let access = store.accesses.iter_mut().last().expect("a write");
            access.array = array;
            let relation = access.relation.with_tuple_name(farkas_poly::DimType::Out, "A");
            access.relation = relation.expect("a relation");
        })
    };
    assert!(reason(changed).contains("A_panel: what it holds is written"), "{}", reason(changed));
}

/// What the check says of a changed factorisation, whose sums were split.
fn reason_of_split(change: impl Fn(&Program) -> Program) -> String {
    let (scop, program) = program_of("register-lu");
    assert!(program.origins.values().any(|of| of == "S0"), "S0 is in one piece");
    match check_program(&scop, &change(&program)).expect("a verdict") {
        Verdict::Legal => "legal".to_owned(),
        Verdict::Illegal(found) => found.to_string(),
    }
}

#[test]
fn split_sums_are_legal() {
    assert_eq!(reason_of_split(Program::clone), "legal");
}

#[test]
fn what_sums_use_comes_before_them() {
    let changed = |program: &Program| {
        let holds = |child: &ScheduleTree, stmt: &str| match child.node() {
            Node::Filter { filter, .. } => filter.to_string().contains(stmt),
            _ => false,
        };
        let tree = reversed(&program.tree, &|children| {
            children.first().is_some_and(|child| holds(child, " S1["))
                && children.iter().skip(1).any(|child| holds(child, " S0_far["))
        });
        assert!(tree != program.tree, "{tree}");
        Program { tree, ..program.clone() }
    };
    let reason = reason_of_split(changed);
    assert!(reason.contains("S1") && reason.contains("_far"), "{reason}");
}

#[test]
fn no_instance_is_in_two_parts() {
    let changed = |program: &Program| {
        // What comes before takes the columns of the strip that are far, too.
        with_scop(program, |builder| {
            let set = farkas_poly::DimType::SET;
            let stmt = named(builder, "S0");
            let dims = stmt.domain.dim(set).expect("a number");
            let wider = stmt.domain.eliminate(set, dims - 2, 1).and_then(|wider| {
                // Again j < i.
                let names: Vec<String> = (0..dims).map(|at| format!("c{at}")).collect();
                let tuple = names.join(", ");
                let (i, j) = (&names[dims as usize - 3], &names[dims as usize - 2]);
                let k = &names[dims as usize - 1];
                let below = format!("[n] -> {{ S0[{tuple}] : {k} < {j} < {i} }}");
                wider.intersect(&below.parse()?)
            });
            stmt.domain = wider.expect("a set");
        })
    };
    let reason = reason_of_split(changed);
    assert!(reason.contains("its instances are not those of the original"), "{reason}");
}

#[test]
fn no_instance_is_in_no_part() {
    let changed = |program: &Program| {
        with_scop(program, |builder| {
            let stmt = named(builder, "S0_far");
            let dims = stmt.domain.dim(farkas_poly::DimType::SET).expect("a number");
            // Columns from the 1000th on are left out.
            let smaller = stmt.domain.upper_bound_si(farkas_poly::DimType::SET, dims - 2, 1000);
            stmt.domain = smaller.expect("a set");
        })
    };
    let reason = reason_of_split(changed);
    assert!(reason.contains("its instances are not those of the original"), "{reason}");
}

#[test]
fn parts_are_of_the_statement_that_they_were_split_off() {
    let changed = |program: &Program| {
        let mut program = program.clone();
        let far = program.origins.iter_mut().find(|(_, of)| *of == "S0").expect("a part").1;
        "S2".clone_into(far);
        program
    };
    let reason = reason_of_split(changed);
    assert!(reason.contains("its instances are not those of the original"), "{reason}");
}

#[test]
fn every_part_is_known() {
    let without = |program: &Program| Program { origins: BTreeMap::new(), ..program.clone() };
    let reason = reason_of_split(without);
    assert!(reason.contains("its instances are not those of the original"), "{reason}");
}

/// What the check says of a changed program in which buffers stand for scalars.
fn reason_of_lanes(change: impl Fn(&Program) -> Program) -> String {
    let path = common::repository().join("tests/cases/strips-scalars.c");
    let input = read(&path, &ReadOptions::default()).expect("C");
    let scop = input.regions[0].scop.clone();
    let strategy = Strategy::from_name("locality-cpu").expect("a strategy");
    let options = Options {
        strategy,
        template: Template::default().tiled(TileSizes::none()).with_strips(),
        ..Options::default()
    };
    let mut session = Session::default();
    let deps = analyze(&scop, &options, &mut session).expect("dependences");
    let decided = decide(&scop, &deps, &options, &mut session).expect("a schedule");
    let Decided { tree, reorders, .. } = decided;
    let (program, _) =
        shape(&scop, &deps, reorders, &tree, &options, &mut session).expect("a program");
    assert!(program.scop.arrays().iter().any(|a| a.name == "one_lanes"), "no buffers");
    match check_program(&scop, &change(&program)).expect("a verdict") {
        Verdict::Legal => "legal".to_owned(),
        Verdict::Illegal(found) => found.to_string(),
    }
}

/// The accesses to a buffer, changed.
fn with_cells(
    program: &Program,
    name: &str,
    change: impl Fn(&farkas_poly::Map) -> farkas_poly::Result<farkas_poly::Map>,
) -> Program {
    with_scop(program, |builder| {
        let arrays = &builder.arrays;
        for access in builder.stmts.iter_mut().flat_map(|stmt| stmt.accesses.iter_mut()) {
            if arrays[access.array].name == name {
                access.relation = change(&access.relation).expect("a relation");
            }
        }
    })
}

#[test]
fn lanes_are_legal() {
    assert_eq!(reason_of_lanes(Program::clone), "legal");
}

#[test]
fn lanes_do_not_share_a_cell() {
    let out = farkas_poly::DimType::Out;
    let folded = |relation: &farkas_poly::Map| {
        relation.project_out(out, 0, 1)?.add_dims(out, 1)?.fix_si(out, 0, 0)
    };
    let folded = |relation: &farkas_poly::Map| folded(relation)?.with_tuple_name(out, "one_lanes");
    let found = reason_of_lanes(|program| with_cells(program, "one_lanes", folded));
    assert!(found.contains("overwrites"), "{found}");
}

#[test]
fn lanes_have_cells_of_their_own() {
    let changed = |program: &Program| {
        with_scop(program, |builder| {
            let lanes = builder.arrays.iter_mut().find(|a| a.name == "one_lanes").expect("lanes");
            lanes.extents = vec![Some("{ [] -> [(7)] }".parse().expect("a number"))];
        })
    };
    assert_eq!(reason_of_lanes(changed), "one_lanes: a cell lies outside");
}

#[test]
fn a_buffer_stands_for_all_that_a_value_goes_through() {
    // One statement writes the scalar as before.
    let changed = |program: &Program| {
        with_scop(program, |builder| {
            let arrays = &builder.arrays;
            let named = |name: &str| {
                arrays.iter_enumerated().find(|(_, a)| a.source_name == name).expect("an array").0
            };
            let (scalar, buffer) = (named("one"), named("one_lanes"));
            let name = arrays[scalar].name.clone();
            let stmt = builder.stmts.iter_mut().last().expect("a statement");
            for access in stmt.accesses.iter_mut().filter(|a| a.array == buffer) {
                let out = farkas_poly::DimType::Out;
                access.array = scalar;
                let relation = access.relation.project_out(out, 0, 1);
                access.relation =
                    relation.and_then(|r| r.with_tuple_name(out, &name)).expect("a relation");
                access.subscripts = Vec::new();
            }
        })
    };
    let found = reason_of_lanes(changed);
    assert_eq!(found, "S2: it gets its values from elsewhere");
}

#[test]
fn lanes_hold_what_the_scalar_holds() {
    let changed = |program: &Program| {
        with_scop(program, |builder| {
            let lanes = builder.arrays.iter_mut().find(|a| a.name == "one_lanes").expect("lanes");
            let kind = farkas_scop::ElementKind::Double;
            lanes.element = farkas_scop::ElementType { text: "double".into(), kind };
        })
    };
    let found = reason_of_lanes(changed);
    assert!(found.contains("it has elements of another type"), "{found}");
}
