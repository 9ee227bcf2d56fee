//! isl's own scheduler beside ours.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../deps/tests/common/mod.rs"]
mod common;
mod support;

use common::kernels;
use common::random::{Random, scop_text};
use farkas_deps::{DependenceOptions, dependences};
use farkas_poly::{ScheduleConstraints, SchedulerOptions, UnionMap};
use farkas_schedule::{FusionHeuristic, Pluto, ScheduleOptions};
use farkas_scop::Scop;
use farkas_tree::{Band, Node, ScheduleTree};
use support::check;

/// isl's schedule from the same dependences, components apart; `None` where isl finds none.
fn by_isl(scop: &Scop) -> Option<ScheduleTree> {
    let deps = dependences(scop, DependenceOptions::default()).unwrap();
    let pairs = UnionMap::union_all(deps.validity().map(|(_, d)| d.relation.clone())).unwrap();
    let constraints = ScheduleConstraints::on_domain(&scop.domain().unwrap())
        .and_then(|c| c.set_validity(&pairs))
        .and_then(|c| c.set_coincidence(&pairs))
        .and_then(|c| c.set_proximity(&pairs))
        .unwrap();
    let options = SchedulerOptions { serialize_sccs: true, ..Default::default() };
    let schedule = constraints.compute_schedule(options).ok()?;
    Some(ScheduleTree::from_isl(&schedule).unwrap())
}

/// Whether a band has rows that the strategy does not look for: negative coefficients, parameters.
fn is_other(band: &Band) -> bool {
    let values = band.members.iter().flat_map(|m| m.schedule.pw_affs().unwrap());
    values.into_iter().any(|part| {
        let text = part.to_string();
        let value = text.rsplit("-> ").next().unwrap();
        value.contains('-') || value.contains('n')
    })
}

/// For each statement, the number of members of its outermost permutable band.
fn outer_widths(tree: &ScheduleTree, widths: &mut Vec<(String, usize)>) {
    match tree.node() {
        Node::Band { band, .. } => {
            let spaces = band.members[0].schedule.domain().unwrap();
            let width = if band.permutable { band.members.len() } else { 1 };
            for set in spaces.sets().unwrap() {
                widths.push((set.tuple_name().unwrap_or_default(), width));
            }
        }
        _ => tree.children().iter().for_each(|child| outer_widths(child, widths)),
    }
}

/// Whether an outermost band has such rows.
fn has_other(tree: &ScheduleTree) -> bool {
    match tree.node() {
        Node::Band { band, .. } => is_other(band),
        _ => tree.children().iter().any(has_other),
    }
}

/// Checks that no outermost band of ours is narrower than isl's.
fn compare(text: &str) {
    let scop = common::scop(text);
    let ours = check(&scop, &mut Pluto::new(FusionHeuristic::No), &ScheduleOptions::default());
    let (mut our_widths, mut isl_widths) = (Vec::new(), Vec::new());
    outer_widths(&ours.tree, &mut our_widths);
    let Some(isl) = by_isl(&scop) else { return };
    outer_widths(&isl, &mut isl_widths);
    if has_other(&isl) {
        return;
    }
    for (name, width) in isl_widths {
        let ours_here = our_widths.iter().find(|w| w.0 == name).map_or(0, |w| w.1);
        assert!(ours_here >= width, "{name}:{text}\nours:\n{}\nisl:\n{isl}", ours.tree);
    }
}

#[test]
fn bands_of_known_kernels_are_as_wide() {
    for (_, text) in kernels::ALL {
        compare(text);
    }
    compare(&kernels::ring(4));
}

#[test]
fn bands_of_random_scops_are_as_wide() {
    for seed in 0..200 {
        let text = scop_text(&mut Random::new(seed));
        if !text.contains(" k ") {
            compare(&text);
        }
    }
}
