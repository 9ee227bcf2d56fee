//! The loops of the result, nested as they are printed, each with its reason.

use super::Carried;
use crate::code::Optimized;
use crate::one_thread::{loop_words, program_words};
use crate::privatise::{private_names, reduced_names};
use crate::words::{Names, ROUNDED, carried_lines, is_rounded, not_parallel};
use farkas_astgen::{For, Node};
use farkas_base::SourceFile;
use farkas_deps::DepId;
use farkas_tree::{Mark, Node as Tree, OneThread, ScheduleTree};
use std::fmt::Write;

/// The nest as text.
pub(super) fn nest(source: &SourceFile, optimized: &Optimized, carried: &Carried) -> String {
    let mut walk = Walk {
        names: Names::new(source, &optimized.scop),
        optimized,
        carried,
        told: Vec::new(),
        text: String::new(),
    };
    walk.nodes(&optimized.ast.body, 2, None);
    walk.text
}

/// A walk through the loops.
struct Walk<'a> {
    names: Names<'a>,
    optimized: &'a Optimized,
    carried: &'a Carried,
    /// Lists of dependences that were printed, and the loop below which.
    told: Vec<(Vec<String>, String)>,
    text: String,
}

impl Walk<'_> {
    /// Pieces of code at a depth, inside the parallel loop `parallel`.
    fn nodes(&mut self, nodes: &[Node], depth: usize, parallel: Option<&For>) {
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
                Node::Block(node) => self.nodes(&node.body, depth, parallel),
                Node::User(user) => {
                    let name = &self.optimized.scop.stmts()[user.stmt].name;
                    let _ = writeln!(self.text, "{pad}{name}");
                }
            }
        }
    }

    /// One loop and what is inside.
    fn loop_(&mut self, node: &For, depth: usize, parallel: Option<&For>) {
        let pad = "  ".repeat(depth);
        let _ = write!(self.text, "{pad}for `{}`{}: ", node.iterator, kind(node));
        match self.carried.blockers(&self.optimized.scop, node) {
            None => {
                let _ = writeln!(self.text, "not a loop of the schedule");
            }
            Some(blockers) if blockers.is_empty() => {
                let why = self.free(node, parallel);
                let _ = writeln!(self.text, "{why}");
            }
            Some(blockers) => self.blocked(node, &blockers, parallel.is_some(), &pad),
        }
        let inside = if node.info.kind.is_parallel() { Some(node) } else { parallel };
        self.nodes(&node.body, depth + 1, inside);
    }

    /// What is said of a loop that carries nothing.
    fn free(&self, node: &For, parallel: Option<&For>) -> String {
        let how = match (node.info.kind.is_parallel(), node.info.kind.is_vector()) {
            (true, true) => "parallel, in vector lanes: ",
            (true, false) => "parallel: ",
            (false, true) => "in vector lanes: ",
            (false, false) => "",
        };
        let quoted = |names: &[String]| {
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        };
        let private = private_names(&self.optimized.scop, node);
        let reduced = reduced_names(&self.optimized.scop, node);
        let mut carries = String::new();
        if !reduced.is_empty() {
            let _ =
                write!(carries, "carries updates of {}, whose order is free; ", quoted(&reduced));
        }
        if !private.is_empty() {
            let verb = if private.len() == 1 { "is" } else { "are" };
            let _ = write!(carries, "{} {verb} private to each iteration; ", quoted(&private));
        }
        let other = if carries.is_empty() { "" } else { "other " };
        let _ = write!(carries, "carries no {other}dependence");
        let threads = if node.info.kind.is_parallel() {
            String::new()
        } else {
            self.unmarked(node, parallel)
        };
        format!("{how}{carries}{threads}")
    }

    /// Why a loop that carries nothing is not marked: what was recorded where that was decided, and which other loop has threads.
    fn unmarked(&self, node: &For, parallel: Option<&For>) -> String {
        if let Some(instances) = node.info.too_few {
            return format!("; too few instances for threads, {instances}");
        }
        let why = self.recorded(node);
        if let Some(around) = parallel {
            let outer = &around.iterator;
            if around.shared_inside().iter().any(|shared| std::ptr::eq(*shared, node)) {
                return format!("; threads share its iterations and those of `{outer}` outside");
            }
            return match why {
                Some(OneThread::Short(n)) => {
                    format!(
                        "; it has fewer than {n} iterations, `{outer}` outside runs in parallel"
                    )
                }
                _ => format!("; `{outer}` outside already runs in parallel"),
            };
        }
        let inner =
            parallel_inside(node).map(|inner| format!("; `{inner}` inside runs in parallel"));
        let why = match (&self.optimized.no_threads, why) {
            (Some(why), _) => program_words(why),
            (None, Some(OneThread::Outer | OneThread::Short(_))) => self.lost_outside(node),
            (None, Some(OneThread::Inner)) if inner.is_some() => return inner.unwrap_or_default(),
            (None, Some(why)) => loop_words(why),
            (None, None) => {
                return inner.unwrap_or_else(|| "; runs on one thread".to_owned());
            }
        };
        format!("; runs on one thread, {why}{}", inner.unwrap_or_default())
    }

    /// What was recorded of a loop.
    fn recorded(&self, node: &For) -> Option<&OneThread> {
        let (cursor, member) = node.info.member.as_ref()?;
        self.optimized.tree.member(cursor, *member)?.one_thread.as_ref()
    }

    /// What became of the loop around this one that was marked for threads, which no loop around this one is in the end: it has a
    /// single iteration, so that no loop is printed, or its iterations got no copies.
    fn lost_outside(&self, node: &For) -> String {
        let Some((cursor, _)) = &node.info.member else { return loop_words(&OneThread::Outer) };
        let mut above = cursor.parent();
        while let Some(here) = above {
            match self.optimized.tree.at(&here).map(ScheduleTree::node) {
                Ok(Tree::Mark { mark: Mark::Parallel, .. }) => {
                    return "threads would share a loop around it that has a single iteration"
                        .into();
                }
                Ok(Tree::Band { band, .. }) => {
                    let lost = band.members.iter().find_map(|member| match &member.one_thread {
                        Some(why @ OneThread::NoCopies(_)) => Some(loop_words(why)),
                        _ => None,
                    });
                    if let Some(lost) = lost {
                        return format!("threads were to share a loop around it, but {lost}");
                    }
                }
                _ => {}
            }
            above = here.parent();
        }
        loop_words(&OneThread::Outer)
    }

    /// What is said of a loop that must run in order, in one that runs in parallel or not.
    fn blocked(&mut self, node: &For, blockers: &[DepId], in_parallel: bool, pad: &str) {
        let lines = carried_lines(self.names, &self.carried.deps, blockers);
        // The nearest loop of a name is the one that readers look up.
        let is_nearest = |at: usize, other: &str| {
            self.told.iter().skip(at + 1).all(|(_, later)| later.as_str() != other)
        };
        let mut told = self.told.iter().enumerate().rev();
        let same = told.find(|(at, (told, other))| *told == lines && is_nearest(*at, other));
        if let Some((_, (_, other))) = same {
            let _ = writeln!(self.text, "not parallel, it carries the same as `{other}` above");
            return;
        }
        let _ = writeln!(self.text, "{}", not_parallel(self.names, &self.carried.deps, blockers));
        for line in &lines {
            let _ = writeln!(self.text, "{pad}    - {line}");
        }
        if let Some(why @ OneThread::NoCopies(_)) = self.recorded(node) {
            let _ = writeln!(self.text, "{pad}    {}", loop_words(why));
        }
        if !in_parallel
            && blockers.iter().all(|dep| is_rounded(&self.optimized.scop, &self.carried.deps[*dep]))
        {
            let _ = writeln!(self.text, "{pad}    help: {ROUNDED}");
        }
        self.told.push((lines, node.iterator.clone()));
    }
}

/// The first loop inside another one that runs in parallel.
fn parallel_inside(node: &For) -> Option<String> {
    let mut found = None;
    let mut visit = |inner: &For| {
        if inner.info.kind.is_parallel() && found.is_none() {
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
