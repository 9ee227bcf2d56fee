//! Members of structs: `s.x` is a variable of its own.

use super::hir::VarId;
use super::parse::{Parser, named_children, strip_parentheses};
use super::vars::{Var, element_type};
use crate::source::{self, CType, ScopeKind, Shape, Symbol, declarator_name, for_each_node};
use farkas_base::DiagnosticId;
use farkas_scop::ArrayScope;

impl<'u> Parser<'u, '_> {
    /// The variable that the member access `node` means.
    pub(super) fn member(&mut self, node: source::Node<'u>) -> Option<VarId> {
        let Some((symbol, path)) = self.member_path(node) else { return self.refuse_member(node) };
        let name = format!("{}.{}", symbol.name, path.join("."));
        if let Some(known) = self.outer.get(&name) {
            return *known;
        }
        let ctype = self.type_of_member(&symbol, &path);
        let shape = ctype.as_ref().map(|t| t.shape(false));
        let (Some(ctype), Some(Shape::Scalar | Shape::Array { is_pointer: false, .. })) =
            (ctype, shape.clone())
        else {
            return self.refuse_member(node);
        };
        let sizes = match shape {
            Some(Shape::Array { extents, .. }) => extents,
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
            element: element_type(&ctype),
            extents,
            extent_texts: Vec::new(),
            is_pointer: false,
            is_restrict: false,
            holds_pointers: false,
            scope,
            span: symbol.span,
            symbol: Some(symbol),
            is_iterator: false,
            writes: Vec::new(),
        });
        self.outer.insert(name, Some(var));
        Some(var)
    }

    fn refuse_member(&mut self, node: source::Node<'u>) -> Option<VarId> {
        let span = self.unit.span(node);
        let error = self
            .at(DiagnosticId::StructMember, "this member of a struct is not supported in a region", span, "")
            .note("understood are numbers and arrays in a struct variable that is declared outside the region: `s.x`, `s.a[i]`")
            .help("copy it into a variable before the region");
        self.report(error);
        None
    }

    /// The struct variable and the names of the members, outermost first.
    fn member_path(&self, node: source::Node<'u>) -> Option<(Symbol<'u>, Vec<String>)> {
        let mut path = Vec::new();
        let mut node = node;
        while node.kind() == "field_expression" {
            let operator = node.child_by_field_name("operator").map(|o| self.unit.text(o))?;
            if operator != "." {
                return None;
            }
            path.insert(0, self.unit.text(node.child_by_field_name("field")?).to_owned());
            node = strip_parentheses(node.child_by_field_name("argument")?);
        }
        let name = (node.kind() == "identifier").then(|| self.unit.text(node))?;
        if self.local(name).is_some() {
            return None;
        }
        let symbol = self
            .table
            .get(name)
            .filter(|s| s.ctype.layers.is_empty() && !s.ctype.qualifiers.is_volatile)?;
        Some((symbol.clone(), path))
    }

    /// The type of the member that `path` leads to.
    fn type_of_member(&self, symbol: &Symbol<'u>, path: &[String]) -> Option<CType<'u>> {
        let mut body = self.struct_body(symbol.declaration)?;
        let mut found = None;
        for (position, name) in path.iter().enumerate() {
            let (declaration, declarator) = self.field(body, name)?;
            if position + 1 < path.len() {
                body = self.struct_body(declaration)?;
            }
            found = Some(CType::of_declarator(self.unit, declaration, Some(declarator)));
        }
        found.filter(|t| !t.qualifiers.is_volatile)
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
    fn struct_body(&self, declaration: source::Node<'u>) -> Option<source::Node<'u>> {
        let mut specifier = declaration.child_by_field_name("type")?;
        for _ in 0..16 {
            match specifier.kind() {
                "type_identifier" => {
                    let (definition, _) = self.unit.type_definition(self.unit.text(specifier))?;
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
        let mut found = None;
        for_each_node(self.unit.root(), &mut |node| {
            if node.kind() == "struct_specifier"
                && node.child_by_field_name("name").is_some_and(|n| self.unit.text(n) == name)
            {
                found = node.child_by_field_name("body").or(found);
            }
        });
        found
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
