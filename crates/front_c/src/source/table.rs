//! What the function of a region does with each name that the region sees.

use super::nodes::{children, declarator_name, for_each_node};
use super::region::Region;
use super::symbols::{ScopeKind, Symbol, declared_symbols, parameters};
use super::types::Layer;
use super::unit::TranslationUnit;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use tree_sitter::Node;

/// What a region sees of the file: visible declarations, and the uses of each name in its function.
#[derive(Debug)]
pub struct SymbolTable<'u> {
    unit: &'u TranslationUnit,
    region: Region<'u>,
    symbols: Vec<Symbol<'u>>,
    by_name: BTreeMap<String, usize>,
    uses: BTreeMap<&'u str, Vec<Node<'u>>>,
    shadowed: BTreeMap<&'u str, Vec<Node<'u>>>,
    addressed_here: BTreeSet<&'u str>,
    addressed_anywhere: OnceCell<BTreeSet<&'u str>>,
    has_goto: bool,
}

impl<'u> SymbolTable<'u> {
    /// The table for `region`.
    pub fn new(unit: &'u TranslationUnit, region: &Region<'u>) -> Self {
        let mut table = Self {
            unit,
            region: region.clone(),
            symbols: Vec::new(),
            by_name: BTreeMap::new(),
            uses: BTreeMap::new(),
            shadowed: BTreeMap::new(),
            addressed_here: addressed_names(unit, region.function),
            addressed_anywhere: OnceCell::new(),
            has_goto: false,
        };
        table.declare_globals();
        table.declare_parameters();
        table.declare_locals();
        table.find_uses();
        table
    }

    /// The declaration of `name` that the region sees at its start.
    pub fn get(&self, name: &str) -> Option<&Symbol<'u>> {
        self.by_name.get(name).map(|&i| &self.symbols[i])
    }

    /// All visible declarations by name.
    pub fn iter(&self) -> impl Iterator<Item = &Symbol<'u>> {
        self.by_name.values().map(|&i| &self.symbols[i])
    }

    /// All uses in the function of the variable that the region knows as `name`, its declaration included, in order.
    pub fn uses(&self, name: &str) -> Vec<Node<'u>> {
        let all = self.uses.get(name).map_or(&[][..], Vec::as_slice);
        let Some(symbol) = self.get(name) else { return all.to_vec() };
        all.iter().copied().filter(|n| self.refers_to(*n, symbol)).collect()
    }

    /// The uses that may run after the region: those behind it, those in a loop around it, all where there is a `goto`.
    pub fn uses_after(&self, name: &str) -> Vec<Node<'u>> {
        let (start, end) = self.region_range();
        let loop_start = match self.region.enclosing_loops.first() {
            _ if self.has_goto => 0,
            Some(outer) => outer.start_byte(),
            None => end,
        };
        let outside = |n: &Node<'u>| {
            n.start_byte() >= end || (n.end_byte() <= start && n.start_byte() >= loop_start)
        };
        let is_declared = self.get(name).map(|s| s.identifier);
        self.uses(name).into_iter().filter(|n| outside(n) && Some(*n) != is_declared).collect()
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
                || later.iter().all(|n| self.is_counted_anew(*n, name)));
        !later.is_empty() && !dead
    }

    /// Whether the use `node` of `name` stands in a `for` outside the region that sets it first.
    fn is_counted_anew(&self, node: Node<'u>, name: &str) -> bool {
        let (start, _) = self.region_range();
        let around = std::iter::successors(node.parent(), Node::parent);
        let mut loops = around.take_while(|n| *n != self.region.function).filter(|n| {
            n.kind() == "for_statement" && !(n.start_byte() <= start && start < n.end_byte())
        });
        !self.has_goto && loops.any(|l| self.overwrites(l, name))
    }

    /// Whether the address of `name` or of a part of it may be known elsewhere: some expression in the function (for a
    /// global, in the file) applies `&` to it, or uses an array other than by subscripts. Other variables of the same name
    /// count too.
    pub fn is_address_taken(&self, name: &str) -> bool {
        let anywhere = || addressed_names(self.unit, self.unit.root());
        self.get(name).is_some_and(|symbol| match symbol.scope {
            ScopeKind::Global => self.addressed_anywhere.get_or_init(anywhere).contains(name),
            _ if self.addressed_here.contains(name) => true,
            _ => {
                let rank = symbol.ctype.layers.len();
                self.uses(name).into_iter().any(|n| decays(n, rank))
            }
        })
    }

    /// The assignments in the function, `=` and compound, whose left side is the plain name.
    pub fn assignments(&self, name: &str) -> Vec<Node<'u>> {
        let assignment = |node: Node<'u>| {
            let parent = node.parent().filter(|p| p.kind() == "assignment_expression")?;
            (parent.child_by_field_name("left") == Some(node)).then_some(parent)
        };
        self.uses(name).into_iter().filter_map(assignment).collect()
    }

    /// Start and end of the region in the text.
    fn region_range(&self) -> (usize, usize) {
        (self.region.text_range.start, self.region.text_range.end)
    }

    /// Adds a declaration, which hides an earlier one of the name unless that says more about the same variable.
    fn declare(&mut self, symbol: Symbol<'u>) {
        let index = self.symbols.len();
        let n_known = |s: &Symbol<'_>| {
            s.ctype
                .layers
                .iter()
                .filter(|l| matches!(l, Layer::Array { size: Some(_), .. }))
                .count()
        };
        let known = self.get(&symbol.name);
        let same = |k: &Symbol<'_>| {
            symbol.storage.is_extern
                || (k.scope, symbol.scope) == (ScopeKind::Global, ScopeKind::Global)
        };
        let better = known.is_some_and(|k| same(k) && n_known(k) > n_known(&symbol));
        if !better {
            self.by_name.insert(symbol.name.clone(), index);
            self.symbols.push(symbol);
        }
    }

    fn declare_all(&mut self, declaration: Node<'u>, scope: ScopeKind) {
        for symbol in declared_symbols(self.unit, declaration, scope) {
            self.declare(symbol);
        }
    }

    fn declare_globals(&mut self) {
        let end = self.region.function.end_byte();
        for node in children(self.unit.root()).into_iter().filter(|n| n.end_byte() <= end) {
            self.declare_all(node, ScopeKind::Global);
        }
    }

    fn declare_parameters(&mut self) {
        for node in parameters(self.region.function) {
            self.declare_all(node, ScopeKind::Parameter);
        }
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
                self.declare_all(declaration, ScopeKind::Local);
            }
        }
    }

    /// Collects the identifiers of the function by name, and the declarations of names that are declared twice.
    fn find_uses(&mut self) {
        let unit = self.unit;
        let mut declared: BTreeMap<&'u str, Vec<Node<'u>>> = BTreeMap::new();
        let (uses, has_goto) = (&mut self.uses, &mut self.has_goto);
        for_each_node(self.region.function, &mut |node| match node.kind() {
            "identifier" => uses.entry(unit.text(node)).or_default().push(node),
            "goto_statement" => *has_goto = true,
            "declaration" | "parameter_declaration" => {
                for declarator in node.children_by_field_name("declarator", &mut node.walk()) {
                    if let Some(name) = declarator_name(declarator) {
                        declared.entry(unit.text(name)).or_default().push(name);
                    }
                }
            }
            _ => {}
        });
        declared.retain(|_, nodes| nodes.len() > 1);
        self.shadowed = declared;
    }

    /// Whether `node`, an identifier of the function spelled like `symbol`, is `symbol`.
    fn refers_to(&self, node: Node<'u>, symbol: &Symbol<'u>) -> bool {
        let Some(declared) = self.shadowed.get(symbol.name.as_str()) else {
            return symbol.scope != ScopeKind::Global
                || !self.is_declared_in_function(&symbol.name);
        };
        let visible = declared.iter().filter(|d| {
            **d == node || scope_of(**d).is_some_and(|s| s.contains(&node.start_byte()))
        });
        let innermost = visible.min_by_key(|d| scope_of(**d).map_or(usize::MAX, |s| s.len()));
        innermost.map_or(symbol.scope == ScopeKind::Global, |d| *d == symbol.identifier)
    }

    /// Whether the function declares `name` somewhere.
    fn is_declared_in_function(&self, name: &str) -> bool {
        self.uses.get(name).is_some_and(|nodes| nodes.iter().any(|n| is_declared_identifier(*n)))
    }

    /// Whether on the straight path behind the region the first use of `name` gives it a new value.
    fn is_overwritten_first(&self, name: &str, later: &[Node<'u>]) -> bool {
        if self.has_goto {
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
    fn mentions(&self, node: Node<'u>, name: &str) -> bool {
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
    let mut found = false;
    for_each_node(statement, &mut |n| {
        found |= matches!(n.kind(), "break_statement" | "continue_statement")
    });
    found
}

/// The part of the text in which the declared identifier `name` is visible.
fn scope_of(name: Node<'_>) -> Option<std::ops::Range<usize>> {
    let holder = std::iter::successors(name.parent(), Node::parent).find(|n| {
        matches!(n.kind(), "compound_statement" | "for_statement" | "function_definition")
    })?;
    Some(name.start_byte()..holder.end_byte())
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

/// The names at the root of operands of `&` below `node`.
fn addressed_names<'u>(unit: &'u TranslationUnit, node: Node<'u>) -> BTreeSet<&'u str> {
    let mut names = BTreeSet::new();
    for_each_node(node, &mut |node| {
        let is_address = node.kind() == "pointer_expression"
            && node.child_by_field_name("operator").is_some_and(|o| o.kind() == "&");
        let mut operand = node.child_by_field_name("argument").filter(|_| is_address);
        while let Some(node) = operand {
            if node.kind() == "identifier" {
                names.insert(unit.text(node));
            }
            operand = match node.kind() {
                "subscript_expression" | "field_expression" => node.child_by_field_name("argument"),
                "parenthesized_expression" => node.named_child(0),
                _ => None,
            };
        }
    });
    names
}
