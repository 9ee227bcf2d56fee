//! Finding regions in functions without pragmas.

use crate::lower::{self, Context};
use crate::source::{Node, Region, TranslationUnit, dropped, for_each_node, number_regions};
use crate::{Options, ScopRegion};
use farkas_base::{Diagnostic, DiagnosticId};

/// Attempts at lowering that one function is worth.
const MAX_TRIALS: usize = 400;

/// The search in one file.
struct Finder<'u, 'o> {
    unit: &'u TranslationUnit,
    options: &'o Options,
    context: &'o Context,
    trials_left: usize,
    found: Vec<Region<'u>>,
    /// What pragmas forbid.
    left_alone: Vec<Diagnostic>,
}

/// The largest static-control regions of the functions that hold none of `marked`, each with a remark.
pub(crate) fn find(
    unit: &TranslationUnit,
    marked: &[Region<'_>],
    options: &Options,
    context: &Context,
) -> (Vec<ScopRegion>, Vec<Diagnostic>) {
    let (found, left_alone) = (Vec::new(), Vec::new());
    let mut finder = Finder { unit, options, context, trials_left: 0, found, left_alone };
    for (_, function) in unit.functions() {
        let has_pragmas = marked.iter().any(|r| r.function.id() == function.id())
            || unit.pragmas().iter().any(|p| {
                function.byte_range().contains(&p.at)
                    && p.words.split_whitespace().next() == Some("scop")
            });
        if !has_pragmas && !function.has_error() && !unit.has_included_text(function.byte_range()) {
            finder.trials_left = MAX_TRIALS;
            if let Some(body) = function.child_by_field_name("body") {
                finder.block(body);
            }
        }
    }
    let mut regions = finder.found;
    number_regions(&mut regions);
    let (mut scops, mut remarks) = (Vec::new(), finder.left_alone);
    for region in &regions {
        if let Ok(scop) = lower::lower(unit, region, options, context) {
            remarks.push(remark(unit, region, &scop));
            remarks.extend(dropped(unit, region));
            scops.push(scop);
        }
    }
    (scops, remarks)
}

/// Tells what was found.
fn remark(unit: &TranslationUnit, region: &Region<'_>, scop: &ScopRegion) -> Diagnostic {
    let n_stmts = scop.scop.stmts().len();
    let statements = if n_stmts == 1 { "statement" } else { "statements" };
    let message = format!("region `{}` found: {n_stmts} {statements}", scop.scop.name());
    let first = region.statements.first().map_or(region.span, |s| unit.span(*s));
    Diagnostic::new(DiagnosticId::RegionFound, message).at(unit.source(), first, "from here on")
}

impl<'u> Finder<'u, '_> {
    /// Looks for regions among the statements of a block, and where there is none, inside them.
    fn block(&mut self, block: Node<'u>) {
        let statements: Vec<Node<'u>> = block.named_children(&mut block.walk()).collect();
        let fits: Vec<bool> = statements.iter().map(|s| self.lowers(&[*s])).collect();
        let mut start = 0;
        while start < statements.len() {
            let run = fits[start..].iter().take_while(|f| **f).count();
            match self.longest(&statements[start..start + run]) {
                0 => {
                    if run == 0 {
                        self.inside(statements[start]);
                    }
                    start += 1;
                }
                taken => start += taken,
            }
        }
    }

    /// Takes the longest region at the start of `run`; how many statements that uses up.
    fn longest(&mut self, run: &[Node<'u>]) -> usize {
        for end in (1..=run.len()).rev() {
            let candidate = trimmed(&run[..end]);
            if !candidate.iter().any(|s| has_loop(*s)) {
                break;
            }
            if self.lowers(candidate) {
                self.found.extend(Region::from_statements(self.unit, candidate));
                return end;
            }
        }
        0
    }

    /// Looks into a statement that is no region: into its blocks, and at what it has without braces.
    fn inside(&mut self, statement: Node<'u>) {
        let mut queue = vec![statement];
        while let Some(node) = queue.pop() {
            if matches!(node.kind(), "compound_statement" | "case_statement") {
                self.block(node);
            } else if node != statement && self.longest(&[node]) > 0 {
            } else if node.kind().ends_with("statement") || node.kind() == "else_clause" {
                let children: Vec<Node<'u>> = node.named_children(&mut node.walk()).collect();
                queue.extend(children.into_iter().rev());
            }
        }
    }

    /// Whether `statements` are a region that lowers without error.
    fn lowers(&mut self, statements: &[Node<'u>]) -> bool {
        if self.trials_left == 0 {
            return false;
        }
        self.trials_left -= 1;
        let region = Region::from_statements(self.unit, statements).map_err(|error| vec![*error]);
        let lowered = region.and_then(|r| lower::lower(self.unit, &r, self.options, self.context));
        let Err(diagnostics) = lowered else { return true };
        let is_error = diagnostics.iter().any(Diagnostic::is_error);
        if statements.iter().any(|s| has_loop(*s)) {
            self.leave_alone(diagnostics);
        }
        !is_error
    }

    /// Tells which pragmas forbid a region.
    fn leave_alone(&mut self, diagnostics: Vec<Diagnostic>) {
        for mut diagnostic in diagnostics {
            if diagnostic.id == DiagnosticId::PragmaInTheWay {
                diagnostic.id = DiagnosticId::LoopLeftAlone;
                diagnostic.message = format!("a loop is left alone: {}", diagnostic.message);
                if !self.left_alone.contains(&diagnostic) {
                    self.left_alone.push(diagnostic);
                }
            }
        }
    }
}

/// `statements` without declarations at both ends.
fn trimmed<'s, 'u>(statements: &'s [Node<'u>]) -> &'s [Node<'u>] {
    let inner = |n: &Node<'_>| n.kind() != "declaration";
    let Some(first) = statements.iter().position(inner) else { return &[] };
    let last = statements.iter().rposition(inner).unwrap_or(first);
    &statements[first..=last]
}

/// Whether a `for` stands in `statement`.
fn has_loop(statement: Node<'_>) -> bool {
    let mut found = false;
    for_each_node(statement, &mut |n| found |= n.kind() == "for_statement");
    found
}
