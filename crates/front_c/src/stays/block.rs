//! The search for runs, block by block from outside in.

use super::cells::Cells;
use super::judge::{Judge, Obstacle};
use super::{Edge, Hindrance, Stay, Told, Used};
use crate::Options;
use crate::source::{FileFacts, Node, Region, SymbolTable, TranslationUnit, holds_kind};
use farkas_base::Span;
use std::collections::BTreeMap;

/// The search for the runs of one variable in one function.
pub(super) struct Search<'s, 'u> {
    facts: &'s FileFacts<'u>,
    of: &'s BTreeMap<usize, &'s Told<'u, 's>>,
    used: &'s Used<'u>,
    judge: Judge<'s, 'u>,
    pub(super) stays: Vec<Stay>,
    pub(super) hindrances: Vec<Hindrance>,
}

/// A part of a block: a region that stands in it, or another statement.
struct Item<'u> {
    /// The region's number, if it is one.
    region: Option<usize>,
    /// The statement, the first one of a region.
    node: Node<'u>,
    /// Its place in the text, and in the file.
    range: (usize, usize),
    span: Span,
    /// The regions in it that use the variable.
    users: Vec<usize>,
    /// Whether it is harmless.
    judged: Result<(), Obstacle>,
    /// Whether the text between it and what stands before is what every compilation sees.
    gap: Result<(), Obstacle>,
}

impl Item<'_> {
    /// Whether it may be a part of a run, behind others or as the first one.
    fn fits(&self, is_first: bool) -> Result<(), &Obstacle> {
        self.judged.as_ref()?;
        // What stands before a region goes with it.
        if !(is_first && self.region.is_some()) {
            self.gap.as_ref()?;
        }
        Ok(())
    }
}

impl<'s, 'u> Search<'s, 'u> {
    /// Nothing found yet.
    pub(super) fn new(
        facts: &'s FileFacts<'u>,
        options: &'s Options,
        of: &'s BTreeMap<usize, &'s Told<'u, 's>>,
        used: &'s Used<'u>,
    ) -> Self {
        let mut users = used.users.iter().filter_map(|user| of.get(user));
        // By the time of the last one, whoever learned where the variable lies knows it.
        let last = users.next_back().map(|told| SymbolTable::within(facts, &told.region));
        let cells = last.map(|table| Cells::of(&used.symbol, table, options));
        let judge = Judge { facts, unit: facts.unit(), options, cells, of, depth: 0 };
        Self { facts, of, used, judge, stays: Vec::new(), hindrances: Vec::new() }
    }

    /// Looks through the function.
    pub(super) fn function(&mut self, function: Node<'u>) {
        if holds_kind(function, &["goto_statement"]) {
            return self.nowhere("the function has a `goto`");
        }
        if function.has_error() {
            return self.nowhere("the function has a syntax error");
        }
        if let Some(body) = function.child_by_field_name("body") {
            self.block(body);
        }
    }

    /// Notes that nothing stays in the function.
    fn nowhere(&mut self, reason: &str) {
        let array = &self.used.symbol.name;
        let pairs = self.used.users.iter().zip(self.used.users.iter().skip(1));
        let hindrance = |(from, to): (&usize, &usize)| Hindrance {
            array: array.clone(),
            from: *from,
            to: *to,
            at: None,
            reason: reason.to_owned(),
        };
        self.hindrances.extend(pairs.map(hindrance));
    }

    /// Looks through a block.
    fn block(&mut self, block: Node<'u>) {
        let items = self.items(block);
        let is_switch = block.parent().is_some_and(|parent| parent.kind() == "switch_statement");
        let mut at = 0;
        while at < items.len() {
            let n_good = match is_switch {
                true => 0,
                false => n_fitting(&items[at..]),
            };
            self.run(block, &items[at..at + n_good]);
            at += n_good;
            // What is no part of a run may hold some, or begin the next one.
            if let Some(item) = items.get(at).filter(|item| is_switch || item.fits(true).is_err()) {
                if item.region.is_none() {
                    self.inside(item.node);
                }
                at += 1;
            }
        }
        self.hindered(&items);
    }

    /// Looks through the blocks of a statement.
    fn inside(&mut self, node: Node<'u>) {
        if node.kind() == "compound_statement" {
            return self.block(node);
        }
        let children: Vec<Node<'u>> = node.named_children(&mut node.walk()).collect();
        children.into_iter().for_each(|child| self.inside(child));
    }

    /// Takes what is between the first and the last use of a run, if that is more than one use.
    fn run(&mut self, block: Node<'u>, items: &[Item<'u>]) {
        let uses = |item: &Item<'u>| !item.users.is_empty();
        let (Some(first), Some(last)) = (items.iter().position(uses), items.iter().rposition(uses))
        else {
            return;
        };
        let items = &items[first..=last];
        let users: Vec<usize> = items.iter().flat_map(|item| item.users.clone()).collect();
        let begin = items[0].range.0;
        if self.used.symbol.is_own() && self.used.symbol.identifier.start_byte() >= begin {
            // It lives in a part of the run.
            let parts = items.iter().filter(|item| item.region.is_none());
            return parts.for_each(|item| self.inside(item.node));
        }
        let in_loop = |user: &usize| {
            let loops = self.of.get(user).map(|told| told.region.enclosing_loops.iter());
            loops.into_iter().flatten().any(|around| around.start_byte() >= begin)
        };
        if users.len() < 2 && !users.iter().any(in_loop) {
            return;
        }
        let (Some(from), Some(to)) = (items.first(), items.last()) else { return };
        let range = from.range.0..to.range.1;
        let is_within = |told: &Told<'_, '_>| {
            let of = &told.region.text_range;
            range.start <= of.start && of.end <= range.end
        };
        let mut within: Vec<usize> =
            self.of.iter().filter(|(_, told)| is_within(told)).map(|(n, _)| *n).collect();
        within.sort_by_key(|n| self.of.get(n).map_or(0, |told| told.region.text_range.start));
        let Some(cells) = &self.judge.cells else { return };
        self.stays.push(Stay {
            array: self.used.symbol.name.clone(),
            is_read_after: self.is_read_after(block, range.clone(), users[0]),
            function: self.function_at(&users),
            range,
            begins: self.edge(from, line_begin(self.facts.unit(), from.span.start)),
            ends: self.edge(to, to.span.end),
            is_object: cells.is_object,
            within,
            users,
        });
    }

    /// Where the function begins in which some regions are.
    fn function_at(&self, users: &[usize]) -> usize {
        let told = users.iter().find_map(|user| self.of.get(user));
        told.map_or(0, |told| told.region.function.start_byte())
    }

    /// An end of a run.
    fn edge(&self, item: &Item<'u>, at: u32) -> Edge {
        match item.region {
            Some(number) => Edge::Region(number),
            None => Edge::Statement { at, indent: indent(self.facts.unit(), item.span.start) },
        }
    }

    /// Whether code behind a run of a block may read the variable.
    fn is_read_after(&self, block: Node<'u>, range: std::ops::Range<usize>, user: usize) -> bool {
        let Some(told) = self.of.get(&user) else { return true };
        let around = |l: &&Node<'u>| l.start_byte() < range.start && range.end <= l.end_byte();
        let enclosing_loops = told.region.enclosing_loops.iter().filter(around).copied().collect();
        let run = Region { block, enclosing_loops, text_range: range, ..told.region.clone() };
        let table = SymbolTable::within(self.facts, &run);
        let is_same = table.get(&self.used.symbol.name).map(|s| s.identifier)
            == Some(self.used.symbol.identifier);
        !is_same || table.is_live_after(&self.used.symbol.name)
    }

    /// Says why two uses in different parts of a block are in no run.
    fn hindered(&mut self, items: &[Item<'u>]) {
        let uses: Vec<usize> = (0..items.len()).filter(|at| !items[*at].users.is_empty()).collect();
        for (one, other) in uses.iter().zip(uses.iter().skip(1)) {
            let between = items[*one..=*other].iter().enumerate();
            let first = between.filter_map(|(at, item)| item.fits(at == 0).err()).next();
            let (Some(obstacle), Some(from), Some(to)) =
                (first, items[*one].users.last(), items[*other].users.first())
            else {
                continue;
            };
            self.hindrances.push(Hindrance {
                array: self.used.symbol.name.clone(),
                from: *from,
                to: *to,
                at: Some(obstacle.at),
                reason: obstacle.reason.clone(),
            });
        }
    }

    /// The parts of a block.
    fn items(&self, block: Node<'u>) -> Vec<Item<'u>> {
        let unit = self.facts.unit();
        let mut items: Vec<Item<'u>> = Vec::new();
        let mut before = unit.span(block).start + 1;
        let mut text_before = block.start_byte() + 1;
        for node in block.named_children(&mut block.walk()) {
            let region = self.of.iter().find(|(_, told)| holds(&told.region, node));
            if let (Some((number, _)), Some(last)) = (region, items.last())
                && last.region == Some(*number)
            {
                continue;
            }
            let (range, span) = match region {
                Some((_, told)) => {
                    let of = &told.region.text_range;
                    ((of.start, of.end), told.region.span)
                }
                None => ((node.start_byte(), node.end_byte()), unit.span(node)),
            };
            let is_user = |user: &usize| {
                self.of.get(user).is_some_and(|told| {
                    let of = &told.region.text_range;
                    range.0 <= of.start && of.end <= range.1
                })
            };
            let users = self.used.users.iter().copied().filter(is_user).collect();
            let between = Span { start: before.min(span.start), end: span.start };
            let gap = self.judge.text(between, text_before..range.0);
            let judged = match region {
                Some((_, told)) => self.judge.region(told),
                None => self
                    .judge
                    .text(span, range.0..range.1)
                    .and_then(|()| self.judge.statement(node)),
            };
            (before, text_before) = (span.end, range.1);
            let region = region.map(|(number, _)| *number);
            items.push(Item { region, node, range, span, users, judged, gap });
        }
        items
    }
}

/// How many of some parts, from the first on, may make a run.
fn n_fitting(items: &[Item<'_>]) -> usize {
    items.iter().enumerate().take_while(|(at, item)| item.fits(*at == 0).is_ok()).count()
}

/// Whether a statement is one of a region's.
pub(super) fn holds(region: &Region<'_>, node: Node<'_>) -> bool {
    region.text_range.start <= node.start_byte() && node.end_byte() <= region.text_range.end
}

/// The line of the file in which a byte is.
fn line_of(unit: &TranslationUnit, at: u32) -> Span {
    let source = unit.source();
    Span::new(source.line_range(source.line(Span { start: at, end: at })).unwrap_or(0..0))
}

/// The blanks at the beginning of the line in which a byte of the file is.
fn indent(unit: &TranslationUnit, at: u32) -> String {
    let line = unit.source().slice(line_of(unit, at));
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

/// Where the line begins in which a byte of the file is, if nothing but blanks stands between.
fn line_begin(unit: &TranslationUnit, at: u32) -> u32 {
    let start = line_of(unit, at).start;
    let before = unit.source().slice(Span { start, end: at });
    if before.trim().is_empty() { start } else { at }
}
