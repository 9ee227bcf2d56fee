//! What is the same for all regions of a file, or of a function: found once, however many regions are tried.

use super::nodes::{children, declarator_name, for_each_node};
use super::symbols::{ScopeKind, Symbol, declared_symbols, parameters};
use super::types::Layer;
use super::unit::TranslationUnit;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;
use tree_sitter::Node;

/// What is known of a file so far.
#[derive(Debug)]
pub struct FileFacts<'u> {
    unit: &'u TranslationUnit,
    /// The declarations at file scope, in order, with the ends of what they stand in.
    globals: OnceCell<Vec<(usize, Symbol<'u>)>>,
    addressed: OnceCell<Rc<BTreeSet<&'u str>>>,
    names: OnceCell<Rc<BTreeSet<String>>>,
    /// The functions, by where they begin.
    functions: RefCell<BTreeMap<usize, Rc<FunctionFacts<'u>>>>,
}

impl<'u> FileFacts<'u> {
    /// Nothing known yet.
    pub fn new(unit: &'u TranslationUnit) -> Self {
        Self {
            unit,
            globals: OnceCell::new(),
            addressed: OnceCell::new(),
            names: OnceCell::new(),
            functions: RefCell::default(),
        }
    }

    /// The file.
    pub(crate) fn unit(&self) -> &'u TranslationUnit {
        self.unit
    }

    /// All names that the file uses, in its own text or after preprocessing.
    pub(crate) fn names(&self) -> Rc<BTreeSet<String>> {
        Rc::clone(self.names.get_or_init(|| Rc::new(self.unit.names())))
    }

    /// What is known of a `function_definition`.
    pub(super) fn function(&self, function: Node<'u>) -> Rc<FunctionFacts<'u>> {
        let mut functions = self.functions.borrow_mut();
        let known = functions.entry(function.start_byte());
        Rc::clone(known.or_insert_with(|| Rc::new(FunctionFacts::of(self, function))))
    }

    /// The names of which `&` takes the address, or that of a part, somewhere in the file.
    fn addressed(&self) -> Rc<BTreeSet<&'u str>> {
        let found = || Rc::new(addressed_names(self.unit, self.unit.root()));
        Rc::clone(self.addressed.get_or_init(found))
    }

    /// The declarations at file scope that stand before `end`.
    fn globals_before(&self, end: usize) -> impl Iterator<Item = &Symbol<'u>> {
        let all = self.globals.get_or_init(|| {
            let nodes = children(self.unit.root()).into_iter();
            let declared = nodes.flat_map(|node| {
                let symbols = declared_symbols(self.unit, node, ScopeKind::Global);
                symbols.into_iter().map(move |symbol| (node.end_byte(), symbol))
            });
            declared.collect()
        });
        all.iter().filter(move |(at, _)| *at <= end).map(|(_, symbol)| symbol)
    }
}

/// What is known of a function.
#[derive(Debug)]
pub(super) struct FunctionFacts<'u> {
    /// The declarations at file scope that it sees, and its parameters.
    pub(super) symbols: BTreeMap<String, Symbol<'u>>,
    /// The identifiers in it, by name, in order.
    pub(super) uses: BTreeMap<&'u str, Vec<Use<'u>>>,
    /// The names that it declares.
    declared: BTreeMap<&'u str, Vec<Declared<'u>>>,
    /// The names of which it takes the address.
    pub(super) addressed_here: BTreeSet<&'u str>,
    /// The names of which the file takes the address.
    pub(super) addressed_anywhere: Rc<BTreeSet<&'u str>>,
    /// Whether it jumps.
    pub(super) has_goto: bool,
    /// Its `for` loops, in order.
    pub(super) loops: Vec<Node<'u>>,
    /// Whether arrays, by where they are declared, are used as pointers, as far as somebody asked.
    decaying: RefCell<BTreeMap<usize, bool>>,
}

/// A use of a name.
#[derive(Debug)]
pub(super) struct Use<'u> {
    /// The identifier.
    pub(super) node: Node<'u>,
    /// The identifier of the function that declares the variable, if one does.
    pub(super) declared: Option<Node<'u>>,
}

/// A declared identifier, and the part of the text in which it is visible.
#[derive(Debug)]
struct Declared<'u> {
    node: Node<'u>,
    scope: Option<Range<usize>>,
}

impl<'u> FunctionFacts<'u> {
    /// Finds them.
    fn of(file: &FileFacts<'u>, function: Node<'u>) -> Self {
        let unit = file.unit;
        let mut facts = Self {
            symbols: BTreeMap::new(),
            uses: BTreeMap::new(),
            declared: BTreeMap::new(),
            addressed_here: addressed_names(unit, function),
            addressed_anywhere: file.addressed(),
            has_goto: false,
            loops: Vec::new(),
            decaying: RefCell::default(),
        };
        let of_parameter = |node| declared_symbols(unit, node, ScopeKind::Parameter);
        let given = parameters(function).into_iter().flat_map(of_parameter);
        for symbol in file.globals_before(function.end_byte()).cloned().chain(given) {
            if hides(&symbol, facts.symbols.get(&symbol.name)) {
                facts.symbols.insert(symbol.name.clone(), symbol);
            }
        }
        facts.find_uses(unit, function);
        facts.resolve();
        facts
    }

    /// Whether a variable with dimensions is used as a pointer, which `look` finds out, told how many dimensions there are.
    pub(super) fn decays(&self, symbol: &Symbol<'u>, look: impl FnOnce(usize) -> bool) -> bool {
        let at = symbol.identifier.start_byte();
        if let Some(known) = self.decaying.borrow().get(&at) {
            return *known;
        }
        let decays = look(symbol.ctype.layers.len());
        self.decaying.borrow_mut().insert(at, decays);
        decays
    }

    /// Collects the identifiers of the function by name, and those that declare something.
    fn find_uses(&mut self, unit: &'u TranslationUnit, function: Node<'u>) {
        let Self { uses, declared, has_goto, loops, .. } = self;
        let given = parameters(function);
        // Where what holds declarations ends, of all such around the present place.
        let mut ends: Vec<usize> = Vec::new();
        for_each_node(function, &mut |node| {
            while ends.last().is_some_and(|end| *end <= node.start_byte()) {
                ends.pop();
            }
            if node.kind() == "for_statement" {
                loops.push(node);
            }
            match node.kind() {
                "identifier" => {
                    uses.entry(unit.text(node)).or_default().push(Use { node, declared: None });
                }
                "goto_statement" => *has_goto = true,
                "compound_statement" | "for_statement" | "function_definition" => {
                    ends.push(node.end_byte());
                }
                // Parameters of other functions' types are visible in these alone.
                "parameter_declaration" if !given.contains(&node) => {}
                // What is declared elsewhere is no variable of the function's.
                "declaration" if is_extern(unit, node) => {}
                "declaration" | "parameter_declaration" => {
                    for declarator in node.children_by_field_name("declarator", &mut node.walk()) {
                        if let Some(node) = declarator_name(declarator) {
                            let scope = ends.last().map(|end| node.start_byte()..*end);
                            let name = unit.text(node);
                            declared.entry(name).or_default().push(Declared { node, scope });
                        }
                    }
                }
                _ => {}
            }
        });
    }

    /// Finds the declaration of each use of a name that the function declares: the innermost that is visible there.
    fn resolve(&mut self) {
        for (name, declared) in &self.declared {
            for used in self.uses.get_mut(name).into_iter().flatten() {
                let at = used.node.start_byte();
                let visible = declared.iter().filter(|d| {
                    d.node == used.node || d.scope.as_ref().is_some_and(|s| s.contains(&at))
                });
                let innermost =
                    visible.min_by_key(|d| d.scope.as_ref().map_or(usize::MAX, |s| s.len()));
                used.declared = innermost.map(|d| d.node);
            }
        }
    }

    /// Whether a use of a name is the variable `symbol` of that name.
    pub(super) fn refers_to(&self, used: &Use<'u>, symbol: &Symbol<'u>) -> bool {
        match used.declared {
            Some(declared) => declared == symbol.identifier,
            None => !symbol.is_own() || !self.declares(&symbol.name),
        }
    }

    /// The use that an identifier of the function is.
    pub(super) fn use_at(&self, name: &str, identifier: Node<'u>) -> Option<&Use<'u>> {
        let uses = self.uses.get(name)?;
        let at = uses.binary_search_by_key(&identifier.start_byte(), |u| u.node.start_byte());
        uses.get(at.ok()?)
    }

    /// Whether the function declares a variable of this name.
    fn declares(&self, name: &str) -> bool {
        self.declared.contains_key(name)
    }
}

/// Whether a declaration hides an earlier one of its name, which it does unless that says more about the same variable.
pub(super) fn hides(symbol: &Symbol<'_>, known: Option<&Symbol<'_>>) -> bool {
    let n_known = |s: &Symbol<'_>| {
        let sized = |layer: &&Layer<'_>| matches!(layer, Layer::Array { size: Some(_), .. });
        s.ctype.layers.iter().filter(sized).count()
    };
    let is_same = |k: &Symbol<'_>| {
        symbol.storage.is_extern
            || (k.scope, symbol.scope) == (ScopeKind::Global, ScopeKind::Global)
    };
    !known.is_some_and(|k| is_same(k) && n_known(k) > n_known(symbol))
}

/// Whether a declaration has the word `extern`.
fn is_extern(unit: &TranslationUnit, declaration: Node<'_>) -> bool {
    children(declaration)
        .into_iter()
        .any(|n| n.kind() == "storage_class_specifier" && unit.text(n) == "extern")
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
