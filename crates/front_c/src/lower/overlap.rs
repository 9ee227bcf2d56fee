//! Which arrays share no memory: what declarations prove of it, and what is left to be tested.

use super::assume::Taken;
use super::bases::{Bases, pointer_values};
use super::build::Builder;
use super::callers::is_allocation;
use super::hir::VarId;
use super::parse::Parser;
use super::vars::Var;
use crate::source::{self, ScopeKind};
use farkas_base::{Diagnostic, DiagnosticId, Span};
use farkas_poly::DimType;
use farkas_scop::{ArrayScope, AssumptionKind, Claim, ElementKind, ParamId, Statement};

/// A pair of arrays, or of an array and a parameter, in the words of messages.
struct Pair<'v, 'u> {
    one: &'v Var<'u>,
    other: &'v Var<'u>,
}

impl Builder<'_> {
    /// Refuses arrays that visibly overlap, and records what is taken for granted of the others.
    pub(super) fn overlaps(&mut self, parser: &Parser<'_, '_>) {
        let bases = Bases::of(parser, self.arrays.iter().map(|v| (*v, &self.vars[*v])));
        let mut arrays = self.arrays.clone();
        // Most programs allocate in the order in which they declare: the first comparison of a test decides it.
        arrays.sort_by_key(|v| self.vars[*v].span);
        for (i, &b) in arrays.iter().enumerate() {
            for &a in &arrays[..i] {
                self.pair(parser, &bases, a, b);
            }
        }
        let is_written = |v: &VarId| !self.vars[*v].writes.is_empty();
        if arrays.iter().any(is_written) {
            arrays.iter().for_each(|array| self.rows(*array));
        }
        for &writer in &arrays {
            for &array in arrays.iter().chain(&parser.tested) {
                self.changes_pointer(parser, writer, array);
            }
        }
        let changes_pointers =
            |v: &VarId| self.vars[*v].is_pointer && may_change_pointers(&self.vars[*v], parser);
        if arrays.iter().any(changes_pointers) {
            parser.through_pointers.iter().for_each(|error| self.report(error.clone()));
        }
        let params = self.params;
        for &param in params {
            for &array in &arrays {
                self.behind_pointer(parser, &bases, array, param);
            }
        }
    }

    /// What is known of two arrays of which one is written.
    fn pair(&mut self, parser: &Parser<'_, '_>, bases: &Bases, a: VarId, b: VarId) {
        let (x, y) = (&self.vars[a], &self.vars[b]);
        let read_only = x.writes.is_empty() && y.writes.is_empty();
        if read_only || !(x.is_pointer || y.is_pointer) {
            return;
        }
        if x.is_other_member(y) {
            let proof = Some("they are different members of one struct".to_owned());
            let claim = Claim::Apart(self.array(a), self.array(b));
            let text = format!("`{}` and `{}` do not overlap", x.name, y.name);
            let (names, span) = (vec![x.name.clone(), y.name.clone()], y.span);
            return self.apart(claim, text, names, span, proof);
        }
        let pair = Pair { one: x, other: y };
        let meets = bases.meet(a, b);
        // Characters may change the pointers to rows themselves, which no test of the rows shows.
        let is_untestable = x.holds_pointers && may_change_pointers(y, parser)
            || y.holds_pointers && may_change_pointers(x, parser)
            || !(self.is_bounded(a) && self.is_bounded(b));
        let is_inside = [x, y].iter().any(|var| var.scope == ArrayScope::Region);
        if meets && (is_untestable || is_inside || pair.is_view(parser)) {
            let error = self.overlap(parser, b, a);
            return self.report(error);
        }
        // Of parts of one object, and of pointers that change places, only a test can tell.
        let by_declarations = || pair.apart_by_declarations(parser);
        let by_callers = || is_untestable.then(|| pair.apart_by_callers(parser)).flatten();
        let proof = if meets { None } else { by_declarations().or_else(by_callers) };
        let claim = match is_untestable {
            true => Claim::Untestable,
            false if self.has_rows_anywhere(a) => Claim::RowsApart(self.array(a), self.array(b)),
            false if self.has_rows_anywhere(b) => Claim::RowsApart(self.array(b), self.array(a)),
            false => Claim::Apart(self.array(a), self.array(b)),
        };
        let text = format!("`{}` and `{}` do not overlap", x.name, y.name);
        let (names, span) = (vec![x.name.clone(), y.name.clone()], y.span);
        self.apart(claim, text, names, span, proof);
    }

    /// Whether the elements of an array that the region touches have a first and a last one, as far as is known.
    pub(super) fn is_bounded(&mut self, array: VarId) -> bool {
        if !self.approximated.contains(&array) {
            return true;
        }
        let id = self.array(array);
        let bounded = |stmt: &Statement| -> Result<bool, farkas_poly::Error> {
            for access in stmt.accesses.iter().filter(|access| access.array == id) {
                let elements = stmt.domain.apply(&access.relation)?;
                for position in 0..elements.dim(DimType::SET)? {
                    if !elements.dim_has_lower_bound(DimType::SET, position)?
                        || !elements.dim_has_upper_bound(DimType::SET, position)?
                    {
                        return Ok(false);
                    }
                }
            }
            Ok(true)
        };
        self.stmts.iter().all(|stmt| bounded(stmt).unwrap_or(false))
    }

    /// What is known of a parameter, or of what a value that is one is made of, and an array that is written.
    fn behind_pointer(
        &mut self,
        parser: &Parser<'_, '_>,
        bases: &Bases,
        array: VarId,
        param: VarId,
    ) {
        let made_of = self.vars[param].made_of.clone();
        if !made_of.is_empty() {
            for part in made_of {
                self.behind_pointer(parser, bases, array, part);
            }
            return;
        }
        let (x, p) = (&self.vars[array], &self.vars[param]);
        let is_exposed = p.scope == ArrayScope::Global || is_place_known(p, parser);
        if !is_exposed || !x.is_pointer || x.writes.is_empty() {
            return;
        }
        if bases.has(parser, array, &p.name) {
            let error = self.overlap(parser, array, param);
            return self.report(error);
        }
        let pair = Pair { one: x, other: p };
        let proof = pair.apart_by_declarations(parser);
        let position = self.params.iter().position(|v| *v == param);
        let claim = match position {
            Some(position) if self.is_bounded(array) => {
                let param = <ParamId as farkas_base::Id>::from_index(position);
                Claim::ApartFromParameter(self.array(array), param)
            }
            _ => Claim::Untestable,
        };
        let text = format!("writing `{}` does not change `{}`", x.name, p.name);
        let (names, span) = (vec![x.name.clone(), p.name.clone()], x.span);
        self.apart(claim, text, names, span, proof);
    }

    /// What is known of an array that is written, and of the variable that points to an array.
    fn changes_pointer(&mut self, parser: &Parser<'_, '_>, writer: VarId, array: VarId) {
        let (x, p) = (&self.vars[writer], &self.vars[array]);
        let is_local = p.scope != ArrayScope::Global;
        let is_exposed = p.is_pointer && (!is_local || is_place_known(p, parser));
        if !is_exposed || !x.is_pointer || x.writes.is_empty() {
            return;
        }
        let proof = if !may_change_pointers(x, parser) {
            Some(format!("`{}` has another type than pointers", x.name))
        } else if x.is_restrict {
            Some(format!("`{}` is restrict", x.name))
        } else if !p.is_taken && is_allocated(x, parser) {
            Some(format!("`{}` is allocated in this function", x.name))
        } else if is_local && !p.is_taken && is_from_caller(x, parser) {
            Some(format!("`{}` is this function's own", p.name))
        } else {
            None
        };
        let claim = match self.is_bounded(writer) && self.arrays.contains(&array) {
            true => Claim::ApartFromPointer(self.array(writer), self.array(array)),
            false => Claim::Untestable,
        };
        let text = format!("writing `{}` does not change the pointer `{}`", x.name, p.name);
        let (names, span) = (vec![x.name.clone(), p.name.clone()], x.span);
        self.apart(claim, text, names, span, proof);
    }

    /// Takes for granted that two objects do not overlap.
    fn apart(
        &mut self,
        claim: Claim,
        text: String,
        names: Vec<String>,
        span: Span,
        proof: Option<String>,
    ) {
        let kind = AssumptionKind::NoOverlap;
        let needed_by = "dependences";
        self.take(Taken { kind, claim, text, needed_by, names, span: Some(span) }, proof);
    }

    /// Two arrays of which one visibly points into the other, or both into a third.
    fn overlap(&self, parser: &Parser<'_, '_>, a: VarId, b: VarId) -> Diagnostic {
        let (pointer, other) = if self.vars[a].is_pointer { (a, b) } else { (b, a) };
        let (p, o) = (&self.vars[pointer], &self.vars[other]);
        let place = pointer_values(parser, &p.name)
            .into_iter()
            .next()
            .map_or(p.span, |v| parser.unit.span(v));
        self.at(
            DiagnosticId::OverlappingArrays,
            format!("`{}` and `{}` visibly share memory", p.name, o.name),
            place,
            "",
        )
        .also(o.span, format!("`{}` is declared here", o.whole()))
        .note("a write to one may change the other, which the dependences would not show")
        .help("use one name for the memory throughout the region")
    }
}

impl Pair<'_, '_> {
    /// Whether what the function sets pointers to shows that one leads into the other, or both to one place: they are set once, to an object or so
    /// many elements behind its begin, if at all.
    fn is_view(&self, parser: &Parser<'_, '_>) -> bool {
        let values = [self.one, self.other].map(|var| (var, pointer_values(parser, &var.name)));
        let mut set = values.iter().filter(|(_, values)| !values.is_empty());
        let is_view = |(var, values): &(&Var<'_>, Vec<source::Node<'_>>)| match values.as_slice() {
            [value] => var.scope == ArrayScope::Local && is_fixed_place(parser, *value),
            _ => false,
        };
        set.all(is_view)
    }

    /// Why the callers keep the two apart, if they do. Where a test can tell, that is asked instead: it holds for callers to come.
    fn apart_by_callers(&self, parser: &Parser<'_, '_>) -> Option<String> {
        let from_callers = is_from_caller(self.one, parser) && is_from_caller(self.other, parser);
        (from_callers && parser.callers_keep_apart(&self.one.name, &self.other.name))
            .then(|| "all calls of the function give them different objects".to_owned())
    }

    /// Why declarations keep the two apart, if they do. Types alone do not keep what two pointers lead to apart: memory that
    /// has no declared type takes the type of what is stored last (C11, 6.5, 6).
    fn apart_by_declarations(&self, parser: &Parser<'_, '_>) -> Option<String> {
        let Self { one, other } = self;
        let both = [(one, other), (other, one)];
        if let Some(var) = [one, other].into_iter().find(|v| !is_exposed(v, parser)) {
            return Some(format!("no pointer leads to `{}`", var.name));
        }
        if one.holds_pointers || other.holds_pointers {
            // What is said of an array of pointers says nothing of the rows that they lead to, but of what type these are.
            return self.apart_by_types(parser);
        }
        if let Some(var) = [one, other].into_iter().find(|v| v.is_pointer && v.is_restrict) {
            return Some(format!("`{}` is restrict", var.name));
        }
        for (a, b) in both {
            if is_own_object(a) && is_from_caller(b, parser) {
                return Some(format!("`{}` is this function's own", a.name));
            }
            if is_allocated(a, parser)
                && !b.is_taken
                && (!b.is_pointer || is_from_caller(b, parser) || is_allocated(b, parser))
            {
                return Some(format!("`{}` is allocated in this function", a.name));
            }
        }
        self.apart_by_types(parser)
    }

    /// Why types keep apart what is declared with one and what is accessed with another.
    fn apart_by_types(&self, parser: &Parser<'_, '_>) -> Option<String> {
        let Self { one, other } = self;
        let is_apart = |(a, b): &(&Var<'_>, &Var<'_>)| {
            !a.is_pointer && !may_be_accessed_as(a.element.kind, b.element.kind)
        };
        let pairs = [(*one, *other), (*other, *one)];
        let (var, _) = pairs.into_iter().find(is_apart)?;
        let verb = if var.is_taken { "read" } else { "declared" };
        (!parser.options.no_strict_aliasing)
            .then(|| format!("`{}` is {verb} with another type", var.name))
    }
}

/// Whether a pointer expression is an object, or so many elements behind its begin.
fn is_fixed_place(parser: &Parser<'_, '_>, node: source::Node<'_>) -> bool {
    let field = |name| node.child_by_field_name(name);
    let is_fixed = |node: Option<source::Node<'_>>| node.is_some_and(|n| is_fixed_place(parser, n));
    let is_number =
        |node: Option<source::Node<'_>>| node.is_some_and(|n| n.kind() == "number_literal");
    match node.kind() {
        "identifier" => true,
        "parenthesized_expression" => is_fixed(node.named_child(0)),
        "cast_expression" => is_fixed(field("value")),
        "field_expression" => is_fixed(field("argument")),
        "pointer_expression" => {
            field("operator").is_some_and(|o| parser.unit.text(o) == "&")
                && is_fixed(field("argument"))
        }
        "subscript_expression" => is_fixed(field("argument")) && is_number(field("index")),
        "binary_expression" => is_fixed(field("left")) && is_number(field("right")),
        _ => false,
    }
}

/// Whether a pointer to the variable may exist that the function does not show.
fn is_exposed(var: &Var<'_>, parser: &Parser<'_, '_>) -> bool {
    match var.scope {
        _ if var.is_pointer || var.is_taken => true,
        ArrayScope::Global => true,
        ArrayScope::Region | ArrayScope::Buffer | ArrayScope::Expanded => false,
        ArrayScope::Parameter | ArrayScope::Local => {
            var.rank() > 0 || parser.table.is_address_known(&var.name)
        }
    }
}

/// Whether others than the function may know, by the time the region runs, where a number or pointer of it lies.
fn is_place_known(var: &Var<'_>, parser: &Parser<'_, '_>) -> bool {
    if !var.is_taken {
        return match var.is_pointer {
            true => parser.table.is_pointer_addressed(&var.name),
            false => parser.table.is_address_known(&var.name),
        };
    }
    // A member of a struct that is a variable lies where that does.
    let home = parser.taken.iter().find(|taken| taken.name == var.name).map(|taken| &*taken.home);
    match home.and_then(|home| home.split_once('.')) {
        // What stands before the point is no name of a variable where the path leads through a pointer or an array.
        Some((whole, member)) if !member.contains(['[', '>']) => {
            let is_local = |s: &source::Symbol<'_>| s.scope != ScopeKind::Global;
            !parser.table.get(whole).is_some_and(is_local) || parser.table.is_address_known(whole)
        }
        _ => true,
    }
}

/// Whether the variable is memory that exists since the function was entered, or later.
fn is_own_object(var: &Var<'_>) -> bool {
    let outlives = var.symbol.as_ref().is_some_and(source::Symbol::outlives_function);
    !var.is_pointer
        && !var.is_taken
        && !outlives
        && matches!(var.scope, ArrayScope::Local | ArrayScope::Parameter)
}

/// Whether the variable is a pointer that the caller gave and that the function never sets.
fn is_from_caller(var: &Var<'_>, parser: &Parser<'_, '_>) -> bool {
    var.is_pointer
        && var.scope == ArrayScope::Parameter
        && !parser.table.is_pointer_addressed(&var.name)
        && pointer_values(parser, &var.name).is_empty()
}

/// Whether the variable is a pointer of the function's that is only ever set to memory allocated for it.
fn is_allocated(var: &Var<'_>, parser: &Parser<'_, '_>) -> bool {
    let values = pointer_values(parser, &var.name);
    var.is_pointer
        && var.scope == ArrayScope::Local
        && var.symbol.as_ref().is_some_and(|s| !s.storage.is_static && !s.storage.is_extern)
        && !parser.table.is_pointer_addressed(&var.name)
        && !values.is_empty()
        && values.into_iter().all(|value| is_allocation(parser.unit, value, 4))
}

/// Whether what is written through the variable may be pointers.
fn may_change_pointers(var: &Var<'_>, parser: &Parser<'_, '_>) -> bool {
    use ElementKind::{Other, Signed, Unsigned};
    let is_untyped = matches!(var.element.kind, Other | Signed(8) | Unsigned(8));
    !var.writes.is_empty() && (is_untyped || parser.options.no_strict_aliasing)
}

/// Whether C lets an object declared with elements of one kind be read and written as another kind (C11, 6.5, 7): the same
/// type whatever its sign, or characters.
fn may_be_accessed_as(declared: ElementKind, accessed: ElementKind) -> bool {
    use ElementKind::{Other, Signed, Unsigned};
    match (declared, accessed) {
        (Other, _) | (_, Other | Signed(8) | Unsigned(8)) => true,
        (Signed(a) | Unsigned(a), Signed(b) | Unsigned(b)) => a == b,
        (a, b) => a == b,
    }
}
