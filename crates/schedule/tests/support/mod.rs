//! Checks that every test makes, and schedules as text.
#![allow(dead_code, reason = "each test uses its part")]

use farkas_deps::{DependenceOptions, dependences, legality};
use farkas_schedule::{ScheduleOptions, Scheduled, Strategy, schedule};
use farkas_scop::Scop;
use farkas_tree::{Band, Mark, Node, ScheduleTree};
use std::fmt::Write;

/// Schedules `scop` and checks the result: the tree is legal; so it is when every coincident member is run in parallel,
/// and when the members of each band change places.
pub(crate) fn check(
    scop: &Scop,
    strategy: &mut dyn Strategy,
    options: &ScheduleOptions,
) -> Scheduled {
    let deps = dependences(scop, DependenceOptions::default()).unwrap();
    let scheduled = schedule(scop, &deps, strategy, options).unwrap();
    for (what, tree) in [
        ("the schedule", scheduled.tree.clone()),
        ("the schedule with its parallel loops", with_parallel_loops(&scheduled.tree)),
        ("the schedule with its bands turned", with_bands_turned(&scheduled.tree)),
    ] {
        let verdict = legality::check(scop, &tree).unwrap();
        assert!(verdict.is_legal(), "{what}: {verdict:?}\n{tree}");
    }
    scheduled
}

/// The tree with each band split into its members, those that are coincident under a mark.
fn with_parallel_loops(tree: &ScheduleTree) -> ScheduleTree {
    let mut split = |tree: ScheduleTree| -> Result<ScheduleTree, ()> {
        let Node::Band { band, child } = tree.node() else { return Ok(tree) };
        let mut result = child.clone();
        for member in band.members.iter().rev() {
            let band = Band { members: vec![member.clone()], permutable: false };
            result = ScheduleTree::band(band, result);
            if member.coincident {
                result = ScheduleTree::mark(Mark::Parallel, result);
            }
        }
        Ok(result)
    };
    tree.map_bottom_up(&mut split).unwrap()
}

/// The tree with its coincident members running downward: what is parallel may run in any order.
pub(crate) fn with_loops_reversed(tree: &ScheduleTree) -> ScheduleTree {
    let mut reverse = |tree: ScheduleTree| -> Result<ScheduleTree, ()> {
        let Node::Band { band, child } = tree.node() else { return Ok(tree) };
        let mut band = band.clone();
        for member in band.members.iter_mut().filter(|member| member.coincident) {
            member.schedule = member.schedule.neg().unwrap();
        }
        Ok(ScheduleTree::band(band, child.clone()))
    };
    tree.map_bottom_up(&mut reverse).unwrap()
}

/// The tree with the members of each permutable band in the opposite order.
pub(crate) fn with_bands_turned(tree: &ScheduleTree) -> ScheduleTree {
    let mut turn = |tree: ScheduleTree| -> Result<ScheduleTree, ()> {
        let Node::Band { band, child } = tree.node() else { return Ok(tree) };
        let mut band = band.clone();
        if band.permutable {
            band.members.reverse();
        }
        Ok(ScheduleTree::band(band, child.clone()))
    };
    tree.map_bottom_up(&mut turn).unwrap()
}

/// Tree, fusion decisions and warnings.
pub(crate) fn outline(scheduled: &Scheduled) -> String {
    let mut text = String::new();
    outline_tree(&scheduled.tree, 0, &mut text);
    for decision in &scheduled.report.fusion {
        writeln!(text, "{decision}").unwrap();
    }
    for warning in &scheduled.report.warnings {
        writeln!(text, "warning: {warning}").unwrap();
    }
    text
}

/// One line a node.
fn outline_tree(tree: &ScheduleTree, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    match tree.node() {
        Node::Domain { .. } | Node::Leaf => {}
        Node::Filter { filter, .. } => {
            let names: Vec<String> =
                filter.sets().unwrap().iter().filter_map(|s| s.tuple_name()).collect();
            writeln!(text, "{indent}{}:", names.join(", ")).unwrap();
        }
        Node::Band { band, .. } => {
            let kind = if band.permutable { "permutable" } else { "not permutable" };
            writeln!(text, "{indent}band, {kind}").unwrap();
            for member in &band.members {
                let parallel = if member.coincident { ", parallel" } else { "" };
                let parts: Vec<String> = member
                    .schedule
                    .pw_affs()
                    .unwrap()
                    .iter()
                    .map(|part| {
                        let part = part.to_string();
                        let part = part.split_once("-> {").map_or(&*part, |p| p.1);
                        part.trim_matches(['{', '}', ' ']).to_owned()
                    })
                    .collect();
                writeln!(text, "{indent}  {}{parallel}", parts.join("; ")).unwrap();
            }
        }
        _ => writeln!(text, "{indent}{}", tree.kind()).unwrap(),
    }
    let deeper = usize::from(!matches!(tree.node(), Node::Domain { .. }));
    for child in tree.children() {
        outline_tree(child, depth + deeper, text);
    }
}
