//! The loops of the result, nested as they are printed, each with its reason.

use super::Carried;
use super::words::{Names, carried_lines, not_parallel};
use crate::Options;
use crate::pipeline::Optimized;
use crate::privatise::private_names;
use farkas_astgen::{For, Node};
use farkas_base::SourceFile;
use farkas_codegen::Target;
use farkas_deps::DepId;
use farkas_scop::Scop;
use std::fmt::Write;

/// The nest as text.
pub(super) fn nest(
    source: &SourceFile,
    options: &Options,
    optimized: &Optimized,
    carried: &Carried,
) -> String {
    let mut walk = Walk {
        names: Names::new(source, &optimized.scop),
        emitted: &optimized.scop,
        carried,
        is_openmp: options.target == Target::OpenMp,
        told: Vec::new(),
        text: String::new(),
    };
    walk.nodes(&optimized.ast.body, 2, None);
    walk.text
}

/// A walk through the loops.
struct Walk<'a> {
    names: Names<'a>,
    /// The statements of the loops: those of the region, and others that transformations added.
    emitted: &'a Scop,
    carried: &'a Carried,
    is_openmp: bool,
    /// Lists of dependences that were printed, and the loop below which.
    told: Vec<(Vec<String>, String)>,
    text: String,
}

impl Walk<'_> {
    /// Pieces of code at a depth, inside the parallel loop `parallel`.
    fn nodes(&mut self, nodes: &[Node], depth: usize, parallel: Option<&str>) {
        let pad = "  ".repeat(depth);
        for node in nodes {
            match node {
                Node::For(node) => self.loop_(node, depth, parallel),
                Node::If(node) => {
                    let _ = writeln!(self.text, "{pad}if {}", node.condition);
                    self.nodes(&node.then, depth + 1, parallel);
                    if !node.otherwise.is_empty() {
                        let _ = writeln!(self.text, "{pad}else");
                        self.nodes(&node.otherwise, depth + 1, parallel);
                    }
                }
                Node::User(user) => {
                    let name = &self.emitted.stmts()[user.stmt].name;
                    let _ = writeln!(self.text, "{pad}{name}");
                }
            }
        }
    }

    /// One loop and what is inside.
    fn loop_(&mut self, node: &For, depth: usize, parallel: Option<&str>) {
        let pad = "  ".repeat(depth);
        let _ = write!(self.text, "{pad}for `{}`{}: ", node.iterator, kind(node));
        match self.carried.blockers(self.emitted, node) {
            None => {
                let _ = writeln!(self.text, "not a loop of the schedule");
            }
            Some(blockers) if blockers.is_empty() => {
                let why = self.free(node, parallel);
                let _ = writeln!(self.text, "{why}");
            }
            Some(blockers) => self.blocked(node, &blockers, &pad),
        }
        let inside = if node.info.parallel { Some(node.iterator.as_str()) } else { parallel };
        self.nodes(&node.body, depth + 1, inside);
    }

    /// What is said of a loop that carries nothing.
    fn free(&self, node: &For, parallel: Option<&str>) -> String {
        let lanes = if node.info.vector { ", in vector lanes" } else { "" };
        let private = private_names(self.emitted, node);
        if let [first, others @ ..] = private.as_slice() {
            let verb = if others.is_empty() { "is" } else { "are" };
            let names = std::iter::once(first).chain(others).map(|name| format!("`{name}`"));
            let names = names.collect::<Vec<_>>().join(", ");
            let how = if node.info.parallel {
                format!("parallel{lanes}")
            } else {
                "in vector lanes".into()
            };
            return format!(
                "{how}: {names} {verb} private to each iteration; carries no other dependence"
            );
        }
        match (node.info.parallel, parallel) {
            (true, _) => format!("parallel{lanes}: carries no dependence"),
            (false, Some(outer)) => {
                format!("carries no dependence{lanes}; `{outer}` outside already runs in parallel")
            }
            (false, None) if node.info.vector => "in vector lanes: carries no dependence".into(),
            (false, None) if !self.is_openmp => "carries no dependence".into(),
            (false, None) => match parallel_inside(node) {
                Some(inner) => format!("carries no dependence; `{inner}` inside runs in parallel"),
                None => "carries no dependence; runs on one thread".into(),
            },
        }
    }

    /// What is said of a loop that must run in order.
    fn blocked(&mut self, node: &For, blockers: &[DepId], pad: &str) {
        let lines = carried_lines(self.names, &self.carried.deps, blockers);
        if let Some((_, other)) = self.told.iter().find(|(told, _)| *told == lines) {
            let _ = writeln!(self.text, "not parallel, it carries the same as `{other}` above");
            return;
        }
        let _ = writeln!(self.text, "{}", not_parallel(self.names, &self.carried.deps, blockers));
        for line in &lines {
            let _ = writeln!(self.text, "{pad}    - {line}");
        }
        self.told.push((lines, node.iterator.clone()));
    }
}

/// The first loop inside another one that runs in parallel.
fn parallel_inside(node: &For) -> Option<String> {
    let mut found = None;
    let mut visit = |inner: &For| {
        if inner.info.parallel && found.is_none() {
            found = Some(inner.iterator.clone());
        }
    };
    node.body.iter().for_each(|inner| inner.for_each_loop(&mut visit));
    found
}

/// What sort of loop it is.
fn kind(node: &For) -> String {
    match (node.info.wavefront, node.info.tile) {
        (true, _) => " (wavefronts of tiles)".into(),
        (false, Some(size)) => format!(" (tiles of {size})"),
        (false, None) => String::new(),
    }
}
