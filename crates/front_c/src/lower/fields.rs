//! Members of structs.
//!
//! `s.x` of a struct variable is a variable of its own. What a member holds that the region reads alone, a number behind a
//! pointer (`grid->nx`) or a pointer to an array (`grid->cells[i]`), is *taken*: read once, before the region, into a variable of
//! the region's. A member of the elements of an array of structs (`particles[i].x`) is an array of its own, whose elements
//! lie as far apart as the structs are large.

use super::hir::{Expr, VarId};
use super::parse::{Parser, named_children, strip_parentheses};
use super::vars::{Var, element_type};
use super::views::Path;
use super::within::Uncertain;
use crate::source::{
    self, CType, Layer, Node, ScopeKind, Shape, Symbol, changed_place, declarator_name,
    for_each_node,
};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_scop::{ArrayScope, ElementKind, Taken};

/// A step on a path of members.
#[derive(Clone, Debug)]
struct Member {
    name: String,
    /// Whether it is in a struct behind a pointer, `->`, not in a variable, `.`.
    is_behind: bool,
}

impl Member {
    /// Whether what has this type has members by the operator.
    fn leads_from(&self, ctype: &CType<'_>) -> bool {
        match ctype.layers.as_slice() {
            [] => !self.is_behind,
            [Layer::Pointer(qualifiers)] => self.is_behind && !qualifiers.is_volatile,
            _ => false,
        }
    }
}

/// The names on a path.
fn names(path: &[Member]) -> Vec<&str> {
    path.iter().map(|member| &*member.name).collect()
}

impl<'u> Parser<'u, '_> {
    /// The place that the member access `node` means.
    pub(super) fn member(&mut self, node: Node<'u>) -> Option<Path> {
        let plain = |var| Path { var, subscripts: Vec::new() };
        if let Some((symbol, path)) = self.member_path(node)
            && path.iter().all(|member| !member.is_behind)
            && let Some(ctype) = self.type_of_member(&symbol, &path)
            && matches!(ctype.shape(false), Shape::Scalar | Shape::Array { is_pointer: false, .. })
        {
            return Some(plain(self.member_of_variable(symbol, &path, &ctype)));
        }
        if let Some(var) = self.taken_member(node) {
            return Some(plain(var));
        }
        let n_diagnostics = self.diagnostics.len();
        let found = self.member_of_element(node);
        let is_told = self.diagnostics.len() > n_diagnostics || self.is_refused(self.root(node));
        if found.is_none() && !is_told {
            let error = self.member_error(node);
            self.report(error);
        }
        found
    }

    /// The name of the variable that a path of members, subscripts and dereferences starts from.
    fn root(&self, node: Node<'u>) -> &'u str {
        let mut node = strip_parentheses(node);
        while let Some(argument) = node.child_by_field_name("argument") {
            node = strip_parentheses(argument);
        }
        let unit = self.unit;
        unit.text(node)
    }

    /// A number or an array in the struct variable `symbol`.
    fn member_of_variable(
        &mut self,
        symbol: Symbol<'u>,
        path: &[Member],
        ctype: &CType<'u>,
    ) -> VarId {
        let name = format!("{}.{}", symbol.name, names(path).join("."));
        if let Some(Some(known)) = self.outer.get(&name) {
            return *known;
        }
        let sizes = match ctype.shape(false) {
            Shape::Array { extents, .. } => extents,
            _ => Vec::new(),
        };
        let declared = symbol.identifier.start_byte();
        let extents = sizes.into_iter().map(|e| e.and_then(|e| self.extent(e, declared))).collect();
        let scope = match symbol.scope {
            ScopeKind::Global => ArrayScope::Global,
            ScopeKind::Parameter => ArrayScope::Parameter,
            ScopeKind::Local | ScopeKind::Enumerator => ArrayScope::Local,
        };
        let var = self.vars.push(Var {
            name: name.clone(),
            element: element_type(ctype),
            extents,
            extent_texts: Vec::new(),
            is_pointer: false,
            is_restrict: false,
            holds_pointers: false,
            is_taken: false,
            scope,
            span: symbol.span,
            symbol: Some(symbol),
            is_iterator: false,
            writes: Vec::new(),
            made_of: Vec::new(),
            flag_of: None,
        });
        self.outer.insert(name, Some(var));
        var
    }

    /// The variable for what a member holds, if the region may read it before it begins: a number behind a pointer, or a
    /// pointer to numbers or to rows of them, that the region does not change, in a struct that is there whenever the region runs.
    fn taken_member(&mut self, node: Node<'u>) -> Option<VarId> {
        let home = self.place_text(node);
        if let Some(known) = self.outer.get(&home) {
            return *known;
        }
        let (symbol, path) = self.member_path(node)?;
        let pointers = self.pointers_on(node);
        if pointers.iter().chain([&home]).any(|text| self.is_set_in_region(text)) {
            return None;
        }
        let is_certain = pointers.first().is_none_or(|pointer| self.is_surely_read(pointer));
        let ctype = self.type_of_member(&symbol, &path)?;
        let rank = ctype.layers.len();
        // Others may change a pointer that is not the function's own. A number behind it may be read where it stands, as an element.
        let is_own =
            symbol.scope != ScopeKind::Global && !self.table.may_change_unseen(&symbol.name);
        let must_be_known = self.in_header || self.n_subscripts > 0;
        if pointers.len() == 1 && !is_own && rank == 0 && !must_be_known {
            return None;
        }
        if !ctype.layers.iter().all(|layer| matches!(layer, Layer::Pointer(_))) {
            return None;
        }
        let element = element_type(&ctype);
        if element.kind == ElementKind::Other {
            return None;
        }
        let name = self.free_name(&format!("{}_{}", symbol.name, names(&path).join("_")));
        let (text, constant) = (&element.text, ctype.qualifiers.is_const || rank == 0);
        let constant =
            if constant && !text.split(' ').any(|w| w == "const") { "const " } else { "" };
        let pointer = if rank == 0 { "" } else { "const " };
        let ty = format!("{constant}{text} {}{pointer}", "*".repeat(rank));
        let var = self.vars.push(Var {
            name: name.clone(),
            element,
            is_pointer: rank > 0,
            extents: vec![None; rank],
            extent_texts: Vec::new(),
            is_restrict: false,
            holds_pointers: rank > 1,
            is_taken: true,
            scope: ArrayScope::Local,
            span: symbol.span,
            symbol: None,
            is_iterator: false,
            writes: Vec::new(),
            made_of: Vec::new(),
            flag_of: None,
        });
        if pointers.len() > 1 || pointers.len() == 1 && !is_own {
            let refusal = self.member_error(node);
            self.through_pointers.push(refusal);
        }
        if let Some(pointer) = pointers.into_iter().next().filter(|_| !is_certain) {
            let refusal = self.member_error(node);
            self.uncertain.push(Uncertain { var, pointer, refusal });
        }
        self.taken.push(Taken { name, ty, home: home.clone(), within: None });
        self.outer.insert(home, Some(var));
        Some(var)
    }

    /// Takes the parameters that are members of struct variables. Threads share the struct, so that a compiler would read
    /// the member again wherever it cannot see that nothing changes it.
    pub(super) fn take_members(&mut self, params: &[VarId]) {
        for param in params {
            let var = &self.vars[*param];
            if var.name.contains(['[', '>']) || !var.name.contains('.') {
                continue;
            }
            let (home, text) = (var.name.clone(), var.element.text.clone());
            let name = self.free_name(&home.replace('.', "_"));
            let is_const = text.split(' ').any(|word| word == "const");
            let ty = if is_const { format!("{text} ") } else { format!("const {text} ") };
            let var = &mut self.vars[*param];
            (var.name, var.is_taken, var.scope) = (name.clone(), true, ArrayScope::Local);
            self.taken.push(Taken { name, ty, home, within: None });
        }
    }

    /// Whether the region assigns to the place that is called `text`.
    pub(super) fn is_set_in_region(&self, text: &str) -> bool {
        let mut set = false;
        for statement in self.region_statements() {
            for_each_node(*statement, &mut |node| {
                let is_address =
                    node.kind() == "pointer_expression" && self.unit.text(node).starts_with('&');
                let addressed = node.child_by_field_name("argument").filter(|_| is_address);
                let target = changed_place(node).or(addressed.map(strip_parentheses));
                let Some(target) = target else { return };
                set |= self.place_text(target) == text;
            });
        }
        set
    }

    /// Whether the region reads through the pointer that is called `name`, whatever happens.
    fn is_surely_read(&self, name: &str) -> bool {
        let mut queue: Vec<Node<'u>> = self.region_statements().to_vec();
        let mut found = false;
        while let Some(node) = queue.pop() {
            match node.kind() {
                "for_statement" => {
                    let parts = ["initializer", "condition"];
                    queue.extend(parts.iter().filter_map(|part| node.child_by_field_name(part)));
                }
                "if_statement" | "while_statement" | "conditional_expression" => {
                    queue.extend(node.child_by_field_name("condition"));
                }
                "binary_expression"
                    if node
                        .child_by_field_name("operator")
                        .is_some_and(|o| matches!(self.unit.text(o), "&&" | "||")) =>
                {
                    queue.extend(node.child_by_field_name("left"));
                }
                "field_expression" => {
                    let arrow = node
                        .child_by_field_name("operator")
                        .is_some_and(|o| self.unit.text(o) == "->");
                    let of = node.child_by_field_name("argument").map(strip_parentheses);
                    let is_it = |of| self.place_text(of) == name;
                    found |= arrow && of.is_some_and(is_it);
                    queue.extend(of);
                }
                "sizeof_expression" => {}
                _ => queue.extend(named_children(node)),
            }
        }
        found
    }

    /// A member of an element of an array of structs.
    fn member_of_element(&mut self, node: Node<'u>) -> Option<Path> {
        let (mut fields, mut inner) = (Vec::new(), node);
        let element = loop {
            fields.insert(0, self.unit.text(inner.child_by_field_name("field")?).to_owned());
            let argument = strip_parentheses(inner.child_by_field_name("argument")?);
            if self.unit.text(inner.child_by_field_name("operator")?) == "->" {
                let (mut path, offset) = self.pointer(argument)?;
                path.subscripts.push(offset.unwrap_or_else(|| Expr::int(0, self.unit.span(node))));
                break path;
            }
            match argument.kind() {
                "field_expression" => inner = argument,
                "subscript_expression" | "pointer_expression" => break self.path(argument)?,
                _ => return None,
            }
        };
        let of = &self.vars[element.var];
        if of.element.kind != ElementKind::Other || of.rank() != element.subscripts.len() {
            return None;
        }
        let symbol = of.symbol.clone()?;
        let path: Vec<Member> =
            fields.iter().map(|name| Member { name: name.clone(), is_behind: false }).collect();
        let ctype = self.type_of_member(&symbol, &path)?;
        let sizes = match ctype.shape(false) {
            Shape::Scalar => Vec::new(),
            Shape::Array { extents, is_pointer: false } => extents,
            _ => return None,
        };
        let of = self.vars[element.var].clone();
        let name = format!("{}{}.{}", of.name, "[]".repeat(of.rank()), fields.join("."));
        if let Some(known) = self.outer.get(&name) {
            return known.map(|var| Path { var, ..element });
        }
        let declared = symbol.identifier.start_byte();
        let inner = sizes.into_iter().map(|e| e.and_then(|e| self.extent(e, declared)));
        let extents: Vec<Option<Expr>> = of.extents.iter().cloned().chain(inner).collect();
        let element_type = element_type(&ctype);
        if element_type.kind == ElementKind::Other {
            return None;
        }
        let var = self.vars.push(Var {
            name: name.clone(),
            element: element_type,
            extents,
            writes: Vec::new(),
            ..of
        });
        self.outer.insert(name, Some(var));
        Some(Path { var, ..element })
    }

    fn member_error(&self, node: Node<'u>) -> Diagnostic {
        let name = node.child_by_field_name("field").map_or("", |field| self.unit.text(field));
        let message = format!("the member `{name}` of a struct is not supported in a region");
        self.at(DiagnosticId::StructMember, message, self.unit.span(node), "")
            .note("understood are numbers and arrays in struct variables and in elements of arrays of structs, and numbers and pointers to numbers or to rows behind a pointer that the region surely reads")
            .help("copy it into a variable before the region")
    }

    /// Whether a member holds a pointer to numbers that the region does not change; it is noted that it must not.
    pub(super) fn is_fixed_member(&mut self, node: Node<'u>) -> bool {
        let taken = self.taken_member(node).filter(|var| self.vars[*var].rank() > 0);
        self.tested.extend(taken);
        taken.is_some()
    }

    /// How often a member of a struct, or of one behind a pointer, can be subscripted.
    pub(super) fn rank_of_member(&self, node: Node<'u>) -> usize {
        let ctype =
            self.member_path(node).and_then(|(symbol, path)| self.type_of_member(&symbol, &path));
        ctype.map_or(0, |ctype| ctype.layers.len())
    }

    /// The struct variable or the pointer to a struct, and the members that lead on from it.
    fn member_path(&self, node: Node<'u>) -> Option<(Symbol<'u>, Vec<Member>)> {
        let mut path = Vec::new();
        let mut node = node;
        while node.kind() == "field_expression" {
            let is_behind = self.unit.text(node.child_by_field_name("operator")?) == "->";
            let name = self.unit.text(node.child_by_field_name("field")?).to_owned();
            path.insert(0, Member { name, is_behind });
            node = strip_parentheses(node.child_by_field_name("argument")?);
        }
        let name = (node.kind() == "identifier").then(|| self.unit.text(node))?;
        if self.local(name).is_some() {
            return None;
        }
        let symbol = self.table.get(name).filter(|s| !s.ctype.qualifiers.is_volatile)?;
        path.first()?.leads_from(&symbol.ctype).then(|| (symbol.clone(), path))
    }

    /// What a place is called: as it is written, without spaces, and without parentheses around what members are taken of.
    pub(super) fn place_text(&self, node: Node<'u>) -> String {
        let node = strip_parentheses(node);
        let part = |name| node.child_by_field_name(name);
        match (node.kind(), part("argument"), part("operator"), part("field")) {
            ("field_expression", Some(of), Some(operator), Some(field)) => {
                let (operator, field) = (self.unit.text(operator), self.unit.text(field));
                format!("{}{operator}{field}", self.place_text(of))
            }
            _ => self.unit.text(node).split_whitespace().collect(),
        }
    }

    /// The pointers through which a path of members leads, as places are called, the last one first.
    fn pointers_on(&self, node: Node<'u>) -> Vec<String> {
        let mut pointers = Vec::new();
        let mut node = node;
        while let Some(argument) = node.child_by_field_name("argument").map(strip_parentheses) {
            let operator = node.child_by_field_name("operator").map(|o| self.unit.text(o));
            if operator == Some("->") {
                pointers.push(self.place_text(argument));
            }
            node = argument;
        }
        pointers
    }

    /// The type of the member that `path` leads to.
    fn type_of_member(&self, symbol: &Symbol<'u>, path: &[Member]) -> Option<CType<'u>> {
        let mut body = self.struct_body(symbol.declaration)?;
        let mut members = path.iter().peekable();
        while let Some(member) = members.next() {
            let (declaration, declarator) = self.field(body, &member.name)?;
            let ctype = CType::of_declarator(self.unit, declaration, Some(declarator));
            match members.peek() {
                _ if ctype.qualifiers.is_volatile => return None,
                None => return Some(ctype),
                Some(next) if next.leads_from(&ctype) => body = self.struct_body(declaration)?,
                Some(_) => return None,
            }
        }
        None
    }

    /// The declaration and declarator of the member `name`.
    fn field(
        &self,
        body: source::Node<'u>,
        name: &str,
    ) -> Option<(source::Node<'u>, source::Node<'u>)> {
        for declaration in
            named_children(body).into_iter().filter(|n| n.kind() == "field_declaration")
        {
            for declarator in
                declaration.children_by_field_name("declarator", &mut declaration.walk())
            {
                if declarator_name(declarator).is_some_and(|n| self.unit.text(n) == name) {
                    return Some((declaration, declarator));
                }
            }
        }
        None
    }

    /// The members of the struct that `declaration` declares something of.
    pub(super) fn struct_body(&self, declaration: source::Node<'u>) -> Option<source::Node<'u>> {
        let mut specifier = declaration.child_by_field_name("type")?;
        for _ in 0..16 {
            match specifier.kind() {
                "type_identifier" => {
                    let (definition, _) =
                        self.unit.type_definition(self.unit.text(specifier), specifier)?;
                    specifier = definition.child_by_field_name("type")?;
                }
                "struct_specifier" => break,
                _ => return None,
            }
        }
        if let Some(body) = specifier.child_by_field_name("body") {
            return Some(body);
        }
        let name = self.unit.text(specifier.child_by_field_name("name")?);
        self.unit.struct_body(name, specifier)
    }

    /// Refuses structs that are used both as a whole and by member.
    pub(super) fn whole_structs(&mut self) {
        let vars: Vec<(String, farkas_base::Span)> =
            self.vars.iter().map(|v| (v.name.clone(), v.span)).collect();
        for (name, span) in &vars {
            let prefix = format!("{name}.");
            if !name.is_empty() && vars.iter().any(|(other, _)| other.starts_with(&prefix)) {
                let message =
                    format!("the struct `{name}` is used both as a whole and by its members");
                let error = self
                    .at(DiagnosticId::StructMember, message, *span, "declared here")
                    .help("use its members only");
                self.report(error);
            }
        }
    }
}
