//! Finding regions in functions without pragmas.

use crate::Options;
use crate::loops::{FileLoop, is_loop, loops_in};
use crate::lower::{self, Context};
use crate::source::{
    FileFacts, Node, Region, TranslationUnit, dropped, for_each_node, number_regions,
};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_poly::counted;
use std::collections::BTreeMap;

/// Attempts at lowering that one function is worth.
const MAX_TRIALS: usize = 400;

/// The search in one file.
struct Finder<'f, 'u, 'o> {
    facts: &'f FileFacts<'u>,
    options: &'o Options,
    context: &'o Context,
    /// Where the file's loops begin, in order.
    loops: Vec<usize>,
    trials_left: usize,
    /// What is left of the function's share of the effort, which is by the length of its text.
    operations_left: u64,
    /// What came of the statements of the present function that were tried, by where they begin and end.
    tried: BTreeMap<(usize, usize), Tried>,
    /// The number of regions found in the present function.
    n_found: usize,
    found: Vec<(Region<'u>, farkas_scop::Region)>,
    /// What stopped the loops that were tried alone and refused, by where they begin.
    obstacles: BTreeMap<usize, Diagnostic>,
}

/// What a search came to.
pub(crate) struct Search<'u> {
    /// The regions, in the order of the file.
    pub(crate) found: Vec<(Region<'u>, farkas_scop::Region)>,
    /// A remark on each region, and on what goes with it.
    pub(crate) remarks: Vec<Diagnostic>,
    /// The file's loops, in its order.
    pub(crate) loops: Vec<FileLoop>,
}

/// What came of lowering some statements.
enum Tried {
    /// They are a region.
    Region(Box<farkas_scop::Region>),
    /// They may be a part of one.
    Nothing,
    /// They are no static control.
    Refused,
}

/// The largest static-control regions of the functions that hold none of `marked`, each with a remark.
pub(crate) fn find<'u>(
    facts: &FileFacts<'u>,
    marked: &[Region<'u>],
    options: &Options,
    context: &Context,
) -> Search<'u> {
    let unit = facts.unit();
    let functions = searched(unit, marked);
    let length: usize = functions.iter().map(|function| function.byte_range().len()).sum();
    let mut finder = Finder::new(facts, options, context);
    for &function in &functions {
        let share = function.byte_range().len() as u128 * u128::from(options.effort);
        finder.operations_left = u64::try_from(share / length.max(1) as u128).unwrap_or(0);
        finder.function(function);
        finder.ask_the_rest(function);
    }
    let mut found = std::mem::take(&mut finder.found);
    found.sort_by_key(|(region, _)| region.span);
    let mut regions: Vec<Region<'u>> = found.iter().map(|(region, _)| region.clone()).collect();
    number_regions(&mut regions);
    let (mut scops, mut remarks) = (Vec::new(), Vec::new());
    for (region, (_, scop)) in regions.into_iter().zip(found) {
        // What was tried as another of its function's regions is called otherwise.
        let scop = match scop.scop.name() == region.name() {
            true => Ok(scop),
            false => lower::lower(facts, &region, options, context),
        };
        if let Ok(scop) = scop {
            remarks.push(remark(unit, &region, &scop));
            remarks.extend(dropped(unit, &region));
            scops.push((region, scop));
        }
    }
    let all: Vec<&Region<'u>> = marked.iter().chain(scops.iter().map(|(r, _)| r)).collect();
    let loops = finder.outcomes(&functions, &all);
    Search { found: scops, remarks, loops }
}

/// The functions without regions of the user's in which all is plain.
fn searched<'u>(unit: &'u TranslationUnit, marked: &[Region<'u>]) -> Vec<Node<'u>> {
    let has_pragmas = |function: Node<'u>| {
        marked.iter().any(|r| r.function.id() == function.id())
            || unit.pragmas().iter().any(|p| {
                function.byte_range().contains(&p.at)
                    && p.words.split_whitespace().next() == Some("scop")
            })
    };
    let functions = unit.functions().map(|(_, function)| function);
    let plain = functions.filter(|function| {
        !has_pragmas(*function)
            && !function.has_error()
            && !unit.has_included_text(function.byte_range())
    });
    plain.collect()
}

/// Why a loop of a function that was searched is left alone where the search ended before it.
fn unknown(effort: u64) -> Diagnostic {
    let message = "the search in its function ended before it";
    Diagnostic::new(DiagnosticId::TooComplex, message)
        .note(format!(
            "a function is worth {MAX_TRIALS} attempts, and a file {effort} isl operations"
        ))
        .help("put `#pragma scop` before it and `#pragma endscop` behind it")
}

/// Why a function is not searched.
fn not_searched(unit: &TranslationUnit, function: Node<'_>) -> Diagnostic {
    let diagnostic = |id, message| Diagnostic::new(id, message);
    if function.has_error() {
        diagnostic(DiagnosticId::SyntaxError, "its function has a syntax error").help(
            "mark the loop with `#pragma scop` and `#pragma endscop`: then the place is named",
        )
    } else if unit.has_included_text(function.byte_range()) {
        diagnostic(DiagnosticId::IncludeInRegion, "its function holds lines of an included file")
            .help("write them out")
    } else {
        diagnostic(DiagnosticId::NoRegion, "its function has regions marked by pragmas").help(
            "mark this loop, too, or remove the pragmas and leave the whole function to --auto",
        )
    }
}

/// Tells what was found.
fn remark(unit: &TranslationUnit, region: &Region<'_>, scop: &farkas_scop::Region) -> Diagnostic {
    let n_stmts = scop.scop.stmts().len();
    let statements = if n_stmts == 1 { "statement" } else { "statements" };
    let message = format!("region `{}` found: {n_stmts} {statements}", scop.scop.name());
    let first = region.statements.first().map_or(region.span, |s| unit.span(*s));
    Diagnostic::new(DiagnosticId::RegionFound, message).at(unit.source(), first, "from here on")
}

impl<'f, 'u, 'o> Finder<'f, 'u, 'o> {
    /// Nothing found yet.
    fn new(facts: &'f FileFacts<'u>, options: &'o Options, context: &'o Context) -> Self {
        let mut loops = Vec::new();
        for_each_node(facts.unit().root(), &mut |node| {
            if is_loop(facts.unit(), node) {
                loops.push(node.start_byte());
            }
        });
        Self {
            facts,
            options,
            context,
            loops,
            trials_left: 0,
            operations_left: 0,
            tried: BTreeMap::new(),
            n_found: 0,
            found: Vec::new(),
            obstacles: BTreeMap::new(),
        }
    }

    /// Looks for the regions of a function.
    fn function(&mut self, function: Node<'u>) {
        self.trials_left = MAX_TRIALS;
        self.n_found = 0;
        self.tried.clear();
        if let Some(body) = function.child_by_field_name("body") {
            self.block(body);
        }
    }

    /// Looks for regions among the statements of a block, and where there is none, inside them.
    ///
    /// Statements without a loop are tried only next to loops that are static control.
    fn block(&mut self, block: Node<'u>) {
        let statements: Vec<Node<'u>> = block.named_children(&mut block.walk()).collect();
        let mut start = 0;
        while let Some(next) = (start..statements.len()).find(|&at| self.has_loop(statements[at])) {
            if !self.lowers(&statements[next..=next]) {
                self.inside(statements[next]);
                start = next + 1;
                continue;
            }
            let fits = |finder: &mut Self, at: usize| finder.lowers(&statements[at..=at]);
            let before = (start..next).rev().take_while(|&at| fits(self, at)).count();
            let after = (next + 1..statements.len()).take_while(|&at| fits(self, at)).count();
            start = self.run(&statements[next - before..=next + after]) + next - before;
        }
    }

    /// Takes the regions in a run of statements each of which may be a part of one; how many statements are done with.
    fn run(&mut self, run: &[Node<'u>]) -> usize {
        let mut start = 0;
        while start < run.len() {
            start += self.longest(&run[start..]).max(1);
        }
        run.len()
    }

    /// Takes the longest region at the start of `run`; how many statements that uses up.
    fn longest(&mut self, run: &[Node<'u>]) -> usize {
        for end in (1..=run.len()).rev() {
            let candidate = trimmed(&run[..end]);
            if !candidate.iter().any(|s| self.has_loop(*s)) {
                break;
            }
            if self.lowers(candidate) {
                self.take(candidate);
                return end;
            }
        }
        0
    }

    /// Takes statements that were tried as a region, if they are one.
    fn take(&mut self, statements: &[Node<'u>]) {
        let Ok(region) = Region::from_statements(self.facts.unit(), statements) else { return };
        if let Some(Tried::Region(scop)) = self.tried.remove(&extent(statements)) {
            self.found.push((region, *scop));
            self.n_found += 1;
        }
    }

    /// Looks into a statement that is no region: into its blocks, and at what it has without braces.
    fn inside(&mut self, statement: Node<'u>) {
        let mut queue = vec![statement];
        while let Some(node) = queue.pop() {
            if !self.has_loop(node) {
                continue;
            }
            if matches!(node.kind(), "compound_statement" | "case_statement") {
                self.block(node);
            } else if node != statement && self.longest(&[node]) > 0 {
            } else if node.kind().ends_with("statement") || node.kind() == "else_clause" {
                let children: Vec<Node<'u>> = node.named_children(&mut node.walk()).collect();
                queue.extend(children.into_iter().rev());
            }
        }
    }

    /// Whether `statements` lower without error.
    fn lowers(&mut self, statements: &[Node<'u>]) -> bool {
        let extent = extent(statements);
        if !self.tried.contains_key(&extent) {
            let tried = self.tried_anew(statements);
            self.tried.insert(extent, tried);
        }
        !matches!(self.tried.get(&extent), Some(Tried::Refused) | None)
    }

    /// Keeps what stopped a loop that was tried alone.
    fn refuse(&mut self, statements: &[Node<'u>], errors: &[Diagnostic]) {
        let &[statement] = statements else { return };
        let error = errors.iter().find(|e| e.is_error()).or(errors.first());
        if let (true, Some(error)) = (is_loop(self.facts.unit(), statement), error) {
            self.obstacles.entry(statement.start_byte()).or_insert_with(|| error.clone());
        }
    }

    /// Tries the loops of a function that nothing is known of, to name what stops them.
    fn ask_the_rest(&mut self, function: Node<'u>) {
        for node in loops_in(self.facts.unit(), function) {
            let is_taken =
                self.found.iter().any(|(region, _)| region.text_range.contains(&node.start_byte()));
            if !is_taken && !self.obstacles.contains_key(&node.start_byte()) {
                self.lowers(&[node]);
            }
        }
    }

    /// What came of each loop of the file.
    fn outcomes(&self, searched: &[Node<'u>], regions: &[&Region<'u>]) -> Vec<FileLoop> {
        let unit = self.facts.unit();
        let mut loops = Vec::new();
        for (_, function) in unit.functions() {
            let is_searched = searched.iter().any(|f| f.id() == function.id());
            for node in loops_in(unit, function) {
                let of = regions.iter().find(|r| r.text_range.contains(&node.start_byte()));
                let obstacle = || match self.obstacles.get(&node.start_byte()) {
                    Some(obstacle) => obstacle.clone(),
                    None if is_searched => unknown(self.options.effort),
                    None => not_searched(unit, function),
                };
                loops.push(match of {
                    Some(region) => FileLoop::in_region(unit, node, &region.name()),
                    None => FileLoop::left_alone(unit, node, obstacle()),
                });
            }
        }
        loops.sort_by_key(|l| l.span);
        loops
    }

    /// Lowers statements.
    fn tried_anew(&mut self, statements: &[Node<'u>]) -> Tried {
        if self.trials_left == 0 || self.operations_left == 0 {
            return Tried::Refused;
        }
        let mut region = match Region::from_statements(self.facts.unit(), statements) {
            Ok(region) => region,
            Err(error) => {
                self.refuse(statements, &[*error]);
                return Tried::Refused;
            }
        };
        self.trials_left -= 1;
        region.number = self.n_found + 1;
        let lowered = || lower::lower(self.facts, &region, self.options, self.context);
        let (lowered, operations) = counted(self.operations_left, lowered);
        self.operations_left -= operations.min(self.operations_left);
        match lowered {
            Ok(scop) => Tried::Region(Box::new(scop)),
            Err(errors) => {
                let is_error = errors.iter().any(Diagnostic::is_error);
                self.refuse(statements, &errors);
                if is_error { Tried::Refused } else { Tried::Nothing }
            }
        }
    }

    /// Whether a loop stands in `node`.
    fn has_loop(&self, node: Node<'_>) -> bool {
        let first = self.loops.partition_point(|at| *at < node.start_byte());
        self.loops.get(first).is_some_and(|at| *at < node.end_byte())
    }
}

/// Where statements begin and end.
fn extent(statements: &[Node<'_>]) -> (usize, usize) {
    let start = statements.first().map_or(0, |first| first.start_byte());
    (start, statements.last().map_or(start, |last| last.end_byte()))
}

/// `statements` without declarations at both ends.
fn trimmed<'s, 'u>(statements: &'s [Node<'u>]) -> &'s [Node<'u>] {
    let inner = |n: &Node<'_>| n.kind() != "declaration";
    let Some(first) = statements.iter().position(inner) else { return &[] };
    let last = statements.iter().rposition(inner).unwrap_or(first);
    &statements[first..=last]
}
