//! Regions: the runs of statements that become scops, marked by the user or found.

use super::nodes::{children, declarator_name};
use super::pragmas::Pragma;
use super::setting::{Setting, private_variables, setting};
use super::syntax::syntax_errors;
use super::unit::TranslationUnit;
use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use std::ops::Range;
use tree_sitter::Node;

/// A run of sibling statements of one block in one function, or a statement alone under a header or label.
#[derive(Clone, Debug)]
pub struct Region<'u> {
    /// The name of the function that it lies in.
    pub function_name: String,
    /// Its number among the regions of that function, from 1, in the order of the file.
    pub number: usize,
    /// Of a part of such a region, its number in it, from 1; of a part of a part, after the number of that. Else empty.
    pub part: Vec<usize>,
    /// The `function_definition` that it lies in.
    pub function: Node<'u>,
    /// The node whose children the statements are: a `compound_statement`, or what has a statement without braces.
    pub block: Node<'u>,
    /// The statements and declarations, in order; may be empty.
    pub statements: Vec<Node<'u>>,
    /// Its bytes in the unit's text.
    pub text_range: Range<usize>,
    /// What a transformed region replaces: for a marked one from the start of the opening pragma's line to the end of the
    /// closing pragma's line, its line end not included; for a found one the lines of its statements; both with the pragmas
    /// before it that go with it.
    pub span: Span,
    /// The bytes between the pragmas' lines; for a found region the same as `span`.
    pub inside: Span,
    /// The blanks that the line of its first statement begins with.
    pub indentation: String,
    /// Whether the user marked it with pragmas.
    pub marked: bool,
    /// The loops of the function around it, outermost first.
    pub enclosing_loops: Vec<Node<'u>>,
    /// The pragmas before and between its statements, which go with it.
    pub dropped: Vec<&'u Pragma>,
    /// Why it must not start threads, if so.
    pub one_thread: Option<String>,
    /// Whether its own pragmas start threads, whatever its sizes.
    pub starts_threads: bool,
}

impl<'u> Region<'u> {
    /// The region of `statements`, consecutive children of one block.
    ///
    /// `number` is left 1; [`number_regions`] sets it.
    ///
    /// # Errors
    /// `region-in-macro` when a macro call makes a part of the statements together with text around them;
    /// `internal-error` when the statements are not children of one block of a function.
    pub fn from_statements(
        unit: &'u TranslationUnit,
        statements: &[Node<'u>],
    ) -> Result<Self, Box<Diagnostic>> {
        let internal = |what| Box::new(Diagnostic::new(DiagnosticId::InternalError, what));
        let (Some(first), Some(last)) = (statements.first(), statements.last()) else {
            return Err(internal("a region without statements"));
        };
        let block = first.parent().filter(|b| last.parent() == Some(*b));
        let block = block.filter(|b| holds_statements(*b, statements.len()));
        let block = block.ok_or_else(|| internal("a region whose statements are not siblings"))?;
        let (function, enclosing_loops) =
            surroundings(block).ok_or_else(|| internal("a region outside a function"))?;
        let text_range = first.start_byte()..last.end_byte();
        let span = unit.span_of(text_range.clone());
        if let Some(call) = unit.call_cut_by(text_range.clone()) {
            let message = "a macro call makes only a part of the region";
            let diagnostic = Diagnostic::new(DiagnosticId::RegionInMacro, message).at(
                unit.source(),
                call.span,
                "",
            );
            return Err(Box::new(diagnostic));
        }
        if let Some((_, place)) = unit.directives_in(span).find(|(name, _)| *name != "pragma") {
            let message = "the loop's text depends on the preprocessor";
            let diagnostic = Diagnostic::new(DiagnosticId::PragmaInTheWay, message);
            return Err(Box::new(diagnostic.at(unit.source(), place, "")));
        }
        let setting = setting(unit, block, text_range.clone(), None)?;
        let span = whole_lines(unit.source(), with_pragmas(span, &setting.before));
        Ok(Self {
            function_name: function_name(unit, function),
            number: 1,
            part: Vec::new(),
            function,
            block,
            statements: statements.to_vec(),
            text_range,
            span,
            inside: span,
            indentation: indentation(unit, span, statements),
            marked: false,
            enclosing_loops,
            dropped: setting.owned().collect(),
            starts_threads: setting.starts_threads,
            one_thread: setting.one_thread,
        })
    }

    /// The variables of which the pragmas that go with it give threads copies, with each pragma: after the region they have the
    /// values that they had before.
    pub fn private_variables(&self, unit: &'u TranslationUnit) -> Vec<(&'u str, &'u Pragma)> {
        let private = |p: &'u Pragma| private_variables(unit, p).into_iter().map(move |n| (n, p));
        self.dropped.iter().flat_map(|p| private(p)).collect()
    }

    /// Whether what takes its place has to be one statement.
    pub fn needs_braces(&self) -> bool {
        self.block.kind() != "compound_statement"
    }

    /// The name by which the user addresses it: `FUNCTION`, or `FUNCTION:N` from the second region of a function on. In
    /// reports the second part of it is called `FUNCTION.2` or `FUNCTION:N.2`.
    pub fn name(&self) -> String {
        let number = if self.number == 1 { String::new() } else { format!(":{}", self.number) };
        let part: String = self.part.iter().map(|at| format!(".{at}")).collect();
        format!("{}{number}{part}", self.function_name)
    }
}

/// Numbers the regions of each function in the order of the file.
pub fn number_regions(regions: &mut [Region<'_>]) {
    regions.sort_by_key(|r| r.span);
    for i in 0..regions.len() {
        let before =
            regions[..i].iter().filter(|r| r.function_name == regions[i].function_name).count();
        regions[i].number = before + 1;
    }
}

/// The regions between `#pragma scop` and `#pragma endscop`, with what is wrong with the others and what is remarkable.
pub fn marked_regions(unit: &TranslationUnit) -> (Vec<Region<'_>>, Vec<Diagnostic>) {
    let mut finder = Finder { unit, regions: Vec::new(), diagnostics: Vec::new() };
    if let Some(diagnostic) = line_directive(unit) {
        return (Vec::new(), vec![diagnostic]);
    }
    let mut open: Option<&Pragma> = None;
    for pragma in unit.pragmas() {
        let opens = is_word(pragma, "scop");
        if !opens && !is_word(pragma, "endscop") {
            continue;
        }
        if pragma.included.is_some() {
            finder.in_included_file(pragma);
        } else if opens {
            if let Some(first) = open.replace(pragma) {
                finder.nested(first, pragma);
                open = Some(first);
            }
        } else if let Some(start) = open.take() {
            finder.pair(start, pragma);
        } else {
            finder.unpaired(DiagnosticId::EndscopWithoutScop, pragma);
        }
    }
    if let Some(pragma) = open {
        finder.unpaired(DiagnosticId::ScopWithoutEndscop, pragma);
    }
    number_regions(&mut finder.regions);
    (finder.regions, finder.diagnostics)
}

/// The refusal of a file that says with `#line` that its lines are another's.
fn line_directive(unit: &TranslationUnit) -> Option<Diagnostic> {
    let whole = Span::new(0..unit.source().text().len());
    let mut directives = unit.directives_in(whole);
    let (_, span) = directives
        .find(|(name, _)| *name == "line" || name.starts_with(|c: char| c.is_ascii_digit()))?;
    let message = "the file says that its lines are those of another file";
    let diagnostic =
        Diagnostic::new(DiagnosticId::LineDirective, message).at(unit.source(), span, "");
    Some(
        diagnostic
            .help("run farkas on the file that this one was made from, or remove the directive"),
    )
}

/// Whether the pragma's first word is `word`.
fn is_word(pragma: &Pragma, word: &str) -> bool {
    pragma.words.split_whitespace().next() == Some(word)
}

/// The search for marked regions.
struct Finder<'u> {
    unit: &'u TranslationUnit,
    regions: Vec<Region<'u>>,
    diagnostics: Vec<Diagnostic>,
}

impl<'u> Finder<'u> {
    /// A diagnostic at `span`.
    fn at(
        &self,
        id: DiagnosticId,
        message: impl Into<String>,
        span: Span,
        label: &str,
    ) -> Diagnostic {
        Diagnostic::new(id, message).at(self.unit.source(), span, label)
    }

    fn in_included_file(&mut self, pragma: &Pragma) {
        let (file, line) = pragma.included.clone().unwrap_or_default();
        let message =
            format!("`#pragma {}` in an included file: {file}, line {line}", pragma.words);
        let diagnostic = self
            .at(DiagnosticId::ScopInIncludedFile, message, pragma.span, "included here")
            .note(
                "only regions of the file itself can be replaced; included files are never changed",
            )
            .help("run farkas on the included file, or move the region into this one");
        self.diagnostics.push(diagnostic);
    }

    fn nested(&mut self, first: &Pragma, second: &Pragma) {
        let diagnostic = self
            .at(
                DiagnosticId::NestedScop,
                "a region is opened inside another",
                second.span,
                "opened again here",
            )
            .also(first.span, "the region that is still open")
            .help("close the first region with `#pragma endscop`, or remove this line");
        self.diagnostics.push(diagnostic);
    }

    fn unpaired(&mut self, id: DiagnosticId, pragma: &Pragma) {
        let (message, help) = if id == DiagnosticId::EndscopWithoutScop {
            (
                "`#pragma endscop` without an open region",
                "put `#pragma scop` before the region's first statement",
            )
        } else {
            (
                "the region is never closed",
                "put `#pragma endscop` after the region's last statement",
            )
        };
        let diagnostic = self.at(id, message, pragma.span, "").help(help);
        self.diagnostics.push(diagnostic);
    }

    /// Takes the region between two pragmas.
    fn pair(&mut self, open: &'u Pragma, close: &'u Pragma) {
        match self.region(open, close) {
            Ok(region) => {
                if self.is_complete(&region, open, close) {
                    self.remarks(&region);
                    self.regions.push(region);
                }
            }
            Err(diagnostics) => self.diagnostics.extend(diagnostics),
        }
    }

    /// The region between two pragmas, or what is wrong with it.
    fn region(&self, open: &Pragma, close: &Pragma) -> Result<Region<'u>, Vec<Diagnostic>> {
        let [start, end] = [open, close].map(|p| enclosing(self.unit.root(), p.at));
        let functions = [start, end].map(function_of);
        let (Some(function), Some(other)) = (functions[0], functions[1]) else {
            return Err(vec![self.outside_function(open, close)]);
        };
        if function.has_error() {
            return Err(syntax_errors(self.unit, function));
        }
        if function != other || start != end {
            return Err(vec![self.across_blocks(open, close)]);
        }
        let Some((_, enclosing_loops)) =
            surroundings(start).filter(|_| start.kind() == "compound_statement")
        else {
            return Err(vec![self.misplaced(open)]);
        };
        let inside = open.at..close.at;
        let statements: Vec<_> = children(start)
            .into_iter()
            .filter(|n| {
                n.is_named() && inside.start <= n.start_byte() && n.end_byte() <= inside.end
            })
            .collect();
        let source = self.unit.source();
        let first = statements.first().map_or(open.at, Node::start_byte);
        let setting = match statements.is_empty() {
            true => Setting::default(),
            false => setting(self.unit, start, first..close.at, Some(open.span))
                .map_err(|error| vec![*error])?,
        };
        let before: Vec<&Pragma> =
            setting.before.iter().copied().filter(|p| p.at < open.at).collect();
        let span = whole_lines(source, with_pragmas(open.span.cover(close.span), &before));
        let indentation = indentation(self.unit, span, &statements);
        Ok(Region {
            function_name: function_name(self.unit, function),
            number: 1,
            part: Vec::new(),
            function,
            block: start,
            statements,
            text_range: inside,
            span,
            inside: between_lines(source, open.span, close.span),
            indentation,
            marked: true,
            enclosing_loops,
            dropped: setting.owned().collect(),
            starts_threads: setting.starts_threads,
            one_thread: setting.one_thread,
        })
    }

    /// A region whose pragmas lie in no function, or in one that cannot be recognised.
    fn outside_function(&self, open: &Pragma, close: &Pragma) -> Diagnostic {
        let root = self.unit.root();
        let depth = |p: &Pragma| brace_depth(self.unit.text_of(0..p.at));
        if (depth(open) > 0 || depth(close) > 0)
            && let Some(error) = syntax_errors(self.unit, root).into_iter().next()
        {
            return error;
        }
        self.at(DiagnosticId::ScopOutsideFunction, "the region lies outside any function", open.span, "opened here")
            .also(close.span, "closed here")
            .help("put the statements and both pragmas into a function, with declarations of what they use")
    }

    fn across_blocks(&self, open: &Pragma, close: &Pragma) -> Diagnostic {
        let message = "the region is opened and closed in different blocks";
        self.at(DiagnosticId::ScopAcrossBlocks, message, open.span, "opened here")
            .also(close.span, "closed here, in another block")
            .help("put both pragmas directly into the same `{ … }`, before and after whole statements")
    }

    fn misplaced(&self, pragma: &Pragma) -> Diagnostic {
        let message =
            format!("`#pragma {}` does not stand between statements of a block", pragma.words);
        self.at(DiagnosticId::ScopAcrossBlocks, message, pragma.span, "").help(
            "put both pragmas directly into the same `{ … }`, before and after whole statements",
        )
    }

    /// Whether all statements of the region stand in the file itself.
    fn is_complete(&mut self, region: &Region<'_>, open: &Pragma, close: &Pragma) -> bool {
        let included = self.unit.has_included_text(open.at..close.at);
        if included {
            let message = "the region includes a file with statements or declarations";
            let include =
                self.unit.directives_in(region.inside).find(|(name, _)| *name == "include");
            let span = include.map_or(region.inside, |(_, span)| span);
            let error = self
                .at(DiagnosticId::IncludeInRegion, message, span, "")
                .note("only text of the file itself can be replaced")
                .help("write the included text out, or close the region before it");
            self.diagnostics.push(error);
        }
        !included
    }

    /// Remarks and warnings on what lies inside a region but is no statement of it.
    fn remarks(&mut self, region: &Region<'_>) {
        self.diagnostics.extend(dropped(self.unit, region));
        if let Some((_, span)) =
            self.unit.directives_in(region.inside).find(|(name, _)| name.starts_with("if"))
        {
            let message = "the region depends on a condition of the preprocessor";
            let warning = self
                .at(DiagnosticId::ConditionalInRegion, message, span, "decided now")
                .note("the output holds only what this run's -D options select")
                .help("put the condition around the whole region");
            self.diagnostics.push(warning);
        }
    }
}

/// The remarks on pragmas that go with a region.
pub fn dropped(unit: &TranslationUnit, region: &Region<'_>) -> Vec<Diagnostic> {
    let remark = |pragma: &&Pragma| {
        let inside = region.inside.start < pragma.span.start;
        let place = if region.marked && inside { "inside" } else { "of" };
        let message = format!("`#pragma {}` {place} the region is dropped", pragma.words);
        Diagnostic::new(DiagnosticId::PragmaDropped, message)
            .at(unit.source(), pragma.span, "")
            .note("the region is rewritten as a whole, with pragmas of its own")
    };
    region.dropped.iter().map(remark).collect()
}

/// Whether `n` statements that are consecutive children of `node` are a region: those of a block or after a `case`, or one
/// alone under a header or label.
fn holds_statements(node: Node<'_>, n: usize) -> bool {
    match node.kind() {
        "compound_statement" | "case_statement" => true,
        "if_statement" | "else_clause" | "for_statement" | "while_statement" | "do_statement"
        | "labeled_statement" => n == 1,
        _ => false,
    }
}

/// `span`, from the first of the pragmas before it on.
fn with_pragmas(span: Span, before: &[&Pragma]) -> Span {
    let start = before.iter().map(|p| p.span.start).chain([span.start]).min();
    Span { start: start.unwrap_or(span.start), ..span }
}

/// The smallest node with `at` strictly inside.
fn enclosing(root: Node<'_>, at: usize) -> Node<'_> {
    root.named_descendant_for_byte_range(at, at).unwrap_or(root)
}

/// The function definition around `node`.
fn function_of(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(Some(node), Node::parent).find(|n| n.kind() == "function_definition")
}

/// The function around `block` and the loops between them, outermost first.
fn surroundings(block: Node<'_>) -> Option<(Node<'_>, Vec<Node<'_>>)> {
    let mut loops = Vec::new();
    for node in std::iter::successors(Some(block), Node::parent) {
        match node.kind() {
            "function_definition" => {
                loops.reverse();
                return Some((node, loops));
            }
            "for_statement" | "while_statement" | "do_statement" => loops.push(node),
            _ => {}
        }
    }
    None
}

/// The name of a function definition.
fn function_name(unit: &TranslationUnit, function: Node<'_>) -> String {
    let name = function.child_by_field_name("declarator").and_then(declarator_name);
    name.map_or_else(String::new, |n| unit.text(n).to_owned())
}

/// How many braces are open at the end of `text`.
fn brace_depth(text: &str) -> usize {
    super::lexer::Lexer::of_piece(text, 0).fold(0, |depth, token| match &text[token.range] {
        "{" => depth + 1,
        "}" => depth.saturating_sub(1),
        _ => depth,
    })
}

/// `span`, grown to whole lines on each side where only blanks are in the way; the line end is not included.
fn whole_lines(source: &SourceFile, span: Span) -> Span {
    let text = source.text();
    let (start, end) = (span.start as usize, span.end as usize);
    let line_start = text.get(..start).and_then(|t| t.rfind('\n')).map_or(0, |i| i + 1);
    let before = text.get(line_start..start).unwrap_or("x");
    let rest = text.get(end..).unwrap_or("");
    let line_end = end + rest.find('\n').unwrap_or(rest.len());
    let after = text.get(end..line_end).unwrap_or("x");
    let is_blank = |t: &str| t.chars().all(|c| c.is_ascii_whitespace());
    let is_spliced = text.get(..line_start).is_some_and(|t| t.trim_end().ends_with('\\'));
    let start = if is_blank(before) && !is_spliced { line_start } else { start };
    let end = if is_blank(after) { end + after.trim_end_matches('\r').len() } else { end };
    Span::new(start..end)
}

/// What lies between two pragmas: from the line after the first to the end of the line before the second.
fn between_lines(source: &SourceFile, open: Span, close: Span) -> Span {
    let text = source.text();
    let from = open.end as usize;
    let rest = text.get(from..close.start as usize).unwrap_or("");
    let skip = rest.find('\n').filter(|&i| rest[..i].trim().is_empty()).map_or(0, |i| i + 1);
    let body = &rest[skip..];
    let keep =
        body.rfind('\n').filter(|&i| body[i..].trim().is_empty()).map_or(body.len(), |i| i + 1);
    let keep = if body.trim().is_empty() { 0 } else { keep };
    Span::new(from + skip..from + skip + keep)
}

/// The blanks that the line of the first statement begins with; without statements, those of `span`.
fn indentation(unit: &TranslationUnit, span: Span, statements: &[Node<'_>]) -> String {
    let source = unit.source();
    let first = statements.first().map_or(span, |s| unit.span(*s));
    let line = source.line_range(source.line(first)).unwrap_or(0..0);
    source.slice(Span::new(line)).chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}
