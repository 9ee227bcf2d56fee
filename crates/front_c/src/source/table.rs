//! What the function of a region does with each name that the region sees.

use super::facts::{FileFacts, FunctionFacts, Use, hides};
use super::nodes::{children, for_each_node, holds_kind};
use super::region::Region;
use super::symbols::{ScopeKind, Symbol, declared_symbols};
use super::unit::TranslationUnit;
use std::collections::BTreeMap;
use std::rc::Rc;
use tree_sitter::Node;

/// What a region sees of the file: visible declarations, and the uses of each name in its function.
#[derive(Debug)]
pub struct SymbolTable<'u> {
    pub(super) unit: &'u TranslationUnit,
    pub(super) region: Region<'u>,
    pub(super) function: Rc<FunctionFacts<'u>>,
    /// What the blocks around the region declare.
    locals: BTreeMap<String, Symbol<'u>>,
}

impl<'u> SymbolTable<'u> {
    /// The table for `region`.
    pub fn new(unit: &'u TranslationUnit, region: &Region<'u>) -> Self {
        Self::within(&FileFacts::new(unit), region)
    }

    /// The table for `region` of a file of which some is known already.
    pub fn within(facts: &FileFacts<'u>, region: &Region<'u>) -> Self {
        let mut table = Self {
            unit: facts.unit(),
            region: region.clone(),
            function: facts.function(region.function),
            locals: BTreeMap::new(),
        };
        table.declare_locals();
        table
    }

    /// The declaration of `name` that the region sees at its start.
    pub fn get(&self, name: &str) -> Option<&Symbol<'u>> {
        self.locals.get(name).or_else(|| self.function.symbols.get(name))
    }

    /// All visible declarations by name.
    pub fn iter(&self) -> impl Iterator<Item = &Symbol<'u>> {
        let all = self.function.symbols.iter().chain(&self.locals);
        all.collect::<BTreeMap<_, _>>().into_values()
    }

    /// The declaration of what an identifier means where it stands, which may be hidden from the region.
    pub fn meant_by(&self, identifier: Node<'u>) -> Option<Symbol<'u>> {
        let name = self.unit.text(identifier);
        let mut known = [self.get(name), self.function.symbols.get(name)].into_iter().flatten();
        let Some(declared) = self.function.use_at(name, identifier).and_then(|u| u.declared) else {
            return known.find(|symbol| !symbol.is_own()).cloned();
        };
        if let Some(symbol) = known.find(|symbol| symbol.identifier == declared) {
            return Some(symbol.clone());
        }
        let mut around = std::iter::successors(Some(declared), Node::parent);
        let declaration = around.find(|node| node.kind() == "declaration")?;
        let symbols = declared_symbols(self.unit, declaration, ScopeKind::Local);
        symbols.into_iter().find(|symbol| symbol.identifier == declared)
    }

    /// Whether an identifier means, where it stands, what the region knows by its name.
    pub fn sees(&self, identifier: Node<'u>) -> bool {
        let name = self.unit.text(identifier);
        let own = |symbol: &Symbol<'u>| symbol.is_own().then_some(symbol.identifier);
        self.get(name).and_then(own) == self.meant_by(identifier).as_ref().and_then(own)
    }

    /// All uses in the function of the variable that the region knows as `name`, its declaration included, in order.
    pub fn uses(&self, name: &str) -> Vec<Node<'u>> {
        self.uses_of(name, self.get(name))
    }

    /// All uses of `name` in the function where it is the variable `symbol`; all of them where that is not known.
    fn uses_of(&self, name: &str, symbol: Option<&Symbol<'u>>) -> Vec<Node<'u>> {
        let all = self.function.uses.get(name).map_or(&[][..], Vec::as_slice);
        let refers = |used: &&Use<'u>| symbol.is_none_or(|s| self.function.refers_to(used, s));
        all.iter().filter(refers).map(|used| used.node).collect()
    }

    /// The uses that may run after the region: those behind it, but for other branches than its own, those in a loop around it, all where
    /// there is a `goto`.
    pub fn uses_after(&self, name: &str) -> Vec<Node<'u>> {
        let (start, end) = self.region_range();
        let loop_start = match self.region.enclosing_loops.first() {
            _ if self.function.has_goto => 0,
            Some(outer) => outer.start_byte(),
            None => end,
        };
        let outside = |n: &Node<'u>| {
            (n.start_byte() >= end && !self.is_in_other_branch(*n))
                || (n.end_byte() <= start && n.start_byte() >= loop_start)
        };
        let is_declared = self.get(name).map(|s| s.identifier);
        self.uses(name).into_iter().filter(|n| outside(n) && Some(*n) != is_declared).collect()
    }

    /// Whether a node behind the region runs only where the region does not: of an `if` outside all loops around the region, one is in the
    /// `else` branch, the other in the branch before it.
    fn is_in_other_branch(&self, node: Node<'u>) -> bool {
        if self.function.has_goto {
            return false;
        }
        let (start, _) = self.region_range();
        let holds = |of: &Node<'_>, at: usize| of.start_byte() <= at && at < of.end_byte();
        let mut around = std::iter::successors(Some(self.region.block), Node::parent);
        around.any(|of| {
            let [then, otherwise] =
                ["consequence", "alternative"].map(|field| of.child_by_field_name(field));
            of.kind() == "if_statement"
                && then.is_some_and(|then| holds(&then, start))
                && otherwise.is_some_and(|otherwise| holds(&otherwise, node.start_byte()))
                && !self.region.enclosing_loops.iter().any(|l| holds(l, of.start_byte()))
        })
    }

    /// Whether the value that `name` has at the region's end may be read later: conservative, but it sees that the next
    /// statement, or the `for` of the next loop, overwrites a scalar.
    pub fn is_live_after(&self, name: &str) -> bool {
        let Some(symbol) = self.get(name) else { return true };
        if symbol.outlives_function() || self.is_address_taken(name) {
            return true;
        }
        let later = self.uses_after(name);
        let scalar = symbol.ctype.layers.is_empty();
        let dead = scalar
            && (self.is_overwritten_first(name, &later)
                || later
                    .iter()
                    .all(|n| self.is_counted_anew(*n, name) || self.is_set_anew(*n, name)));
        !later.is_empty() && !dead
    }

    /// Whether the place to which the pointer `name` leads at the region's end may matter later: conservative in the same way.
    pub fn is_pointer_used_after(&self, name: &str) -> bool {
        let Some(symbol) = self.get(name) else { return true };
        let is_set = |n: &Node<'u>| self.is_set_anew(*n, name) || self.is_counted_anew(*n, name);
        symbol.scope == ScopeKind::Global
            || symbol.storage.is_static
            || self.may_change_unseen(name)
            || !self.uses_after(name).iter().all(is_set)
    }

    /// Whether the use `node` of `name` sets it, or stands behind a statement that does, which runs after the region whenever
    /// the use does: one earlier in a block around the use, and in the loops around both the use and the region.
    fn is_set_anew(&self, node: Node<'u>, name: &str) -> bool {
        let (start, end) = self.region_range();
        let is_around = |n: &Node<'_>| n.start_byte() <= start && start < n.end_byte();
        if self.function.has_goto {
            return false;
        }
        let mut at = node;
        while let Some(block) = at.parent() {
            if at.kind() == "expression_statement" && self.is_plainly_set(at, node, name) {
                return true;
            }
            let earlier = children(block).into_iter().filter(|n| n.end_byte() <= at.start_byte());
            let sets = |n: Node<'u>| {
                // The region does not run between the two.
                let runs_after = n.start_byte() >= end || at.end_byte() <= start;
                runs_after && n.kind() == "expression_statement" && self.overwrites(n, name)
            };
            // A `switch` jumps over what stands before its labels.
            let is_straight = block.kind() == "compound_statement"
                && block.parent().is_none_or(|p| p.kind() != "switch_statement");
            if is_straight && earlier.into_iter().any(sets) {
                return true;
            }
            if is_loop(block) && is_around(&block) || block == self.region.function {
                return false;
            }
            at = block;
        }
        false
    }

    /// Whether a statement is an assignment to `name` in which `node` is the target.
    fn is_plainly_set(&self, statement: Node<'u>, node: Node<'u>, name: &str) -> bool {
        let target = statement.named_child(0).and_then(|a| a.child_by_field_name("left"));
        target == Some(node) && self.overwrites(statement, name)
    }

    /// Whether the use `node` of `name` stands in a `for` outside the region that sets it first.
    fn is_counted_anew(&self, node: Node<'u>, name: &str) -> bool {
        let (start, _) = self.region_range();
        let is_around = |l: &Node<'_>, at| l.start_byte() <= at && at < l.end_byte();
        let at = node.start_byte();
        let mut loops = self.function.loops.iter();
        !self.function.has_goto
            && loops.any(|l| is_around(l, at) && !is_around(l, start) && self.overwrites(*l, name))
    }

    /// Whether the address of `name` or of a part of it may be known elsewhere: some expression in the function (for a
    /// global, in the file) applies `&` to it, or uses an array other than by subscripts. Other variables of the same name
    /// count too.
    pub fn is_address_taken(&self, name: &str) -> bool {
        self.get(name).is_some_and(|symbol| match symbol.scope {
            ScopeKind::Global => self.function.addressed_anywhere.contains(name),
            _ if self.function.addressed_here.contains(name) => true,
            // A variable without dimensions has no part that a name could stand for.
            _ if symbol.ctype.layers.is_empty() => false,
            _ => self
                .function
                .decays(symbol, |rank| self.uses(name).into_iter().any(|n| decays(n, rank))),
        })
    }

    /// Whether some expression in the function (for a global, in the file) applies `&` to a variable of this one's name, or to a part of it.
    pub fn is_named_behind_and(&self, symbol: &Symbol<'u>) -> bool {
        let addressed = match symbol.scope {
            ScopeKind::Global => &*self.function.addressed_anywhere,
            _ => &self.function.addressed_here,
        };
        addressed.contains(symbol.name.as_str())
    }

    /// Whether the address of the variable `name` itself may be known elsewhere, so that it may change unseen: some expression
    /// in the function (for a global, in the file) applies `&` to the name.
    pub fn may_change_unseen(&self, name: &str) -> bool {
        self.get(name).is_some_and(|symbol| match symbol.scope {
            ScopeKind::Global => self.function.addressed_anywhere.contains(name),
            _ => self.function.addressed_here.contains(name),
        })
    }

    /// Whether the address of the pointer `name`, not of what it leads to, may be known elsewhere by the time the region runs:
    /// some expression in the function that may run before (for a global, in the file) applies `&` to the name.
    pub fn is_pointer_addressed(&self, name: &str) -> bool {
        self.is_addressed_before(name, &is_addressed)
    }

    /// [`Self::is_address_taken`] by the time the region runs.
    pub fn is_address_known(&self, name: &str) -> bool {
        let rank = self.get(name).map_or(0, |symbol| symbol.ctype.layers.len());
        self.is_addressed_before(name, &|node| {
            is_part_addressed(node) || rank > 0 && decays(node, rank)
        })
    }

    /// Whether a use of the variable that takes its address may run before the region's end.
    fn is_addressed_before(&self, name: &str, takes: &dyn Fn(Node<'u>) -> bool) -> bool {
        let Some(symbol) = self.get(name) else { return false };
        if symbol.scope == ScopeKind::Global {
            return self.function.addressed_anywhere.contains(name);
        }
        let (start, end) = self.region_range();
        let around = self.region.enclosing_loops.first().map_or(start..end, Node::byte_range);
        let is_late = |node: &Node<'u>| {
            node.start_byte() >= around.end.max(end)
                && !(self.function.has_goto || symbol.storage.is_static || symbol.storage.is_extern)
        };
        self.uses(name).into_iter().filter(|node| !is_late(node)).any(takes)
    }

    /// The variables of the function, neither arrays nor structs nor static, that keep their values throughout the region, which uses them.
    pub fn kept_values(&self) -> Vec<&Symbol<'u>> {
        let (start, end) = self.region_range();
        let is_inside = |node: &Node<'u>| start <= node.start_byte() && node.end_byte() <= end;
        let is_kept = |symbol: &&Symbol<'u>| {
            let uses = || self.uses(&symbol.name).into_iter().filter(is_inside);
            symbol.is_automatic_value() && uses().next().is_some() && !uses().any(is_changed)
        };
        self.iter().filter(is_kept).collect()
    }

    /// Whether a variable has the value that it is declared with, or called with, as long as it lives.
    pub fn is_set_once(&self, symbol: &Symbol<'u>) -> bool {
        let mut uses = self.uses_of(&symbol.name, Some(symbol)).into_iter();
        symbol.is_automatic_value() && !uses.any(is_changed)
    }

    /// The assignments in the function, `=` and compound, whose left side is the plain name of the variable.
    pub fn assignments(&self, symbol: &Symbol<'u>) -> Vec<Node<'u>> {
        let assignment = |node: Node<'u>| {
            let parent = node.parent().filter(|p| p.kind() == "assignment_expression")?;
            (parent.child_by_field_name("left") == Some(node)).then_some(parent)
        };
        let uses = self.uses_of(&symbol.name, Some(symbol));
        uses.into_iter().filter_map(assignment).collect()
    }

    /// Start and end of the region in the text.
    pub(super) fn region_range(&self) -> (usize, usize) {
        (self.region.text_range.start, self.region.text_range.end)
    }

    fn declare_locals(&mut self) {
        let (start, _) = self.region_range();
        let function = self.region.function;
        let mut path: Vec<Node<'u>> = std::iter::successors(Some(self.region.block), Node::parent)
            .take_while(|n| *n != function)
            .collect();
        path.reverse();
        for node in path {
            for declaration in
                block_declarations(node).into_iter().filter(|d| d.end_byte() <= start)
            {
                for symbol in declared_symbols(self.unit, declaration, ScopeKind::Local) {
                    if hides(&symbol, self.get(&symbol.name)) {
                        self.locals.insert(symbol.name.clone(), symbol);
                    }
                }
            }
        }
    }

    /// Whether on the straight path behind the region the first use of `name` gives it a new value.
    fn is_overwritten_first(&self, name: &str, later: &[Node<'u>]) -> bool {
        if self.function.has_goto {
            return false;
        }
        let (start, end) = self.region_range();
        let inside = |node: &Node<'u>| {
            later
                .iter()
                .any(|u| node.start_byte() <= u.start_byte() && u.end_byte() <= node.end_byte())
        };
        let mut node = self.region.block;
        let mut from = end;
        loop {
            let siblings: Vec<_> =
                children(node).into_iter().filter(|c| c.start_byte() >= from).collect();
            if let Some(first) = siblings.iter().position(inside) {
                return !siblings[..first].iter().any(|s| jumps(*s))
                    && self.overwrites(siblings[first], name);
            }
            if is_loop(node)
                && later
                    .iter()
                    .any(|u| node.start_byte() <= u.start_byte() && u.start_byte() < start)
            {
                return false;
            }
            from = node.end_byte();
            match node.parent().filter(|_| node != self.region.function) {
                Some(parent) => node = parent,
                None => return true,
            }
        }
    }

    /// Whether `statement` assigns `name` before it reads it, whatever happens.
    fn overwrites(&self, statement: Node<'u>, name: &str) -> bool {
        let expression = match statement.kind() {
            "expression_statement" => statement.named_child(0),
            "for_statement" => statement.child_by_field_name("initializer"),
            _ => None,
        };
        let mut queue: Vec<Node<'u>> = expression.into_iter().collect();
        while let Some(node) = queue.pop() {
            match node.kind() {
                "comma_expression" => queue
                    .extend(["right", "left"].iter().filter_map(|f| node.child_by_field_name(f))),
                "assignment_expression" => {
                    let [left, right] = ["left", "right"].map(|f| node.child_by_field_name(f));
                    let plain =
                        node.child_by_field_name("operator").is_none_or(|o| o.kind() == "=");
                    if right.is_some_and(|r| self.mentions(r, name)) {
                        return false;
                    }
                    if left.is_some_and(|l| l.kind() == "identifier" && self.unit.text(l) == name) {
                        return plain;
                    }
                    if left.is_some_and(|l| self.mentions(l, name)) {
                        return false;
                    }
                }
                _ if self.mentions(node, name) => return false,
                _ => {}
            }
        }
        false
    }

    /// Whether an identifier `name` stands in `node`.
    pub fn mentions(&self, node: Node<'u>, name: &str) -> bool {
        let mut found = false;
        for_each_node(node, &mut |n| {
            found |= n.kind() == "identifier" && self.unit.text(n) == name
        });
        found
    }
}

/// The declarations that belong to the scope of `node`: those of a block, or that of a `for`.
fn block_declarations(node: Node<'_>) -> Vec<Node<'_>> {
    match node.kind() {
        "compound_statement" => children(node),
        "for_statement" => node.child_by_field_name("initializer").into_iter().collect(),
        _ => Vec::new(),
    }
}

fn is_loop(node: Node<'_>) -> bool {
    matches!(node.kind(), "for_statement" | "while_statement" | "do_statement")
}

/// Whether `statement` may leave the block that it stands in without leaving the function.
fn jumps(statement: Node<'_>) -> bool {
    holds_kind(statement, &["break_statement", "continue_statement"])
}

/// Whether `identifier` is the name that a declarator declares.
fn is_declared_identifier(identifier: Node<'_>) -> bool {
    let mut node = identifier;
    while let Some(parent) = node.parent() {
        let kind = parent.kind();
        if matches!(kind, "declaration" | "parameter_declaration") {
            return true;
        }
        if !kind.ends_with("declarator")
            || parent.child_by_field_name("declarator").is_some_and(|d| d != node)
        {
            return false;
        }
        node = parent;
    }
    false
}

/// Whether `&` is applied to a variable itself.
fn is_addressed(identifier: Node<'_>) -> bool {
    let around = around_parentheses(identifier).map(|(parent, _)| parent);
    around.is_some_and(|parent| {
        parent.kind() == "pointer_expression"
            && parent.child_by_field_name("operator").is_some_and(|o| o.kind() == "&")
    })
}

/// Whether `&` is applied to a variable or to a part of it.
fn is_part_addressed(identifier: Node<'_>) -> bool {
    let mut node = identifier;
    while let Some((parent, inner)) = around_parentheses(node) {
        let is_whole = parent.child_by_field_name("argument") == Some(inner);
        match parent.kind() {
            "subscript_expression" | "field_expression" if is_whole => node = parent,
            _ => return is_addressed(inner),
        }
    }
    false
}

/// What stands around an expression and its parentheses, and these.
fn around_parentheses(expression: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let mut node = expression;
    loop {
        let parent = node.parent()?;
        if parent.kind() != "parenthesized_expression" {
            return Some((parent, node));
        }
        node = parent;
    }
}

/// Whether an expression changes a variable itself, or lets others change it.
fn is_changed(identifier: Node<'_>) -> bool {
    let changes = |(parent, node): (Node<'_>, Node<'_>)| match parent.kind() {
        "update_expression" => true,
        "assignment_expression" => parent.child_by_field_name("left") == Some(node),
        _ => false,
    };
    is_addressed(identifier) || around_parentheses(identifier).is_some_and(changes)
}

/// Whether `identifier`, that of an array of `rank` dimensions, is used as a pointer to it or to a part of it: neither
/// declared nor fully subscripted nor measured here.
fn decays(identifier: Node<'_>, rank: usize) -> bool {
    let (mut node, mut n_subscripts) = (identifier, 0);
    while let Some(parent) = node.parent() {
        match parent.kind() {
            "parenthesized_expression" => {}
            "subscript_expression" if parent.child_by_field_name("argument") == Some(node) => {
                n_subscripts += 1
            }
            "sizeof_expression" => return false,
            _ => break,
        }
        node = parent;
    }
    n_subscripts < rank && !is_declared_identifier(identifier)
}
