//! Variables that are nothing but compared with constants, such as the letters that say whether a matrix is transposed.
//!
//! `if (trans == 'N') … else …` bounds its arms by `trans = 78` and by `trans <= 77 or trans >= 79`: two pieces, each with loops of its own,
//! and a number of which no model knows what it is. Such a comparison is a parameter that is 0 or 1, with `const int trans_is_N =
//! trans == 'N';` before the region; of those of one variable one is 1 at most.

use super::affine::is_affine_shaped;
use super::hir::{Expr, ExprKind, If, Node, VarId};
use super::params::parameters;
use super::parse::Parser;
use super::vars::{Var, Vars};
use farkas_scop::{ArrayScope, BinaryOp, ElementKind, ElementType, Taken, UnaryOp};
use std::collections::{BTreeMap, BTreeSet};

/// Variables that are compared with more constants than so many stay numbers.
const MOST_VALUES: usize = 4;

/// The constants that variables are compared with.
type Compared = BTreeMap<VarId, BTreeSet<i64>>;

impl Parser<'_, '_> {
    /// The nodes where comparisons with constants, of variables of which nothing else matters, are variables of their own; not of variables
    /// that `is_known`.
    pub(super) fn with_flags(
        &mut self,
        nodes: Vec<Node>,
        is_known: &dyn Fn(&str) -> bool,
    ) -> Vec<Node> {
        let mut compared = Compared::new();
        let vars = &self.vars;
        let mut note = |comparison: &Expr| {
            if let Some((var, value)) = comparison_of(comparison) {
                compared.entry(var).or_default().insert(value);
            }
            comparison.clone()
        };
        let always = |comparison: &Expr| Expr::int(1, comparison.span);
        nodes.iter().for_each(|node| drop(replaced(node, vars, &mut note)));
        let without: Vec<Node> =
            nodes.iter().map(|node| replaced(node, vars, &mut { always })).collect();
        let others = parameters(vars, &without);
        compared.retain(|var, values| {
            let is_free = vars[*var].can_be_parameter() && !vars[*var].is_taken;
            is_free
                && !is_known(&vars[*var].name)
                && !others.contains(var)
                && values.len() <= MOST_VALUES
        });
        if compared.is_empty() {
            return nodes;
        }
        let flags = self.flags(&compared);
        let mut by_flags = |comparison: &Expr| {
            let flag = comparison_of(comparison).and_then(|of| flags.get(&of));
            flag.map_or_else(|| comparison.clone(), |flag| is(*flag, comparison))
        };
        nodes.iter().map(|node| replaced(node, &self.vars, &mut by_flags)).collect()
    }

    /// A new variable for each comparison.
    fn flags(&mut self, compared: &Compared) -> BTreeMap<(VarId, i64), VarId> {
        let mut flags = BTreeMap::new();
        for (var, values) in compared {
            for value in values {
                let flag = self.flag(*var, *value);
                flags.insert((*var, *value), flag);
            }
        }
        flags
    }

    /// The variable that says whether another one has a value.
    fn flag(&mut self, of: VarId, value: i64) -> VarId {
        let Var { name, element, span, .. } = &self.vars[of];
        let letter = u8::try_from(value).ok().filter(|c| c.is_ascii_alphanumeric());
        let letter = letter.filter(|_| matches!(element.kind, ElementKind::Signed(8)));
        let (short, text) = match letter.map(char::from) {
            Some(letter) => (letter.to_string(), format!("'{letter}'")),
            None => (value.to_string().replace('-', "minus"), value.to_string()),
        };
        let (home, span) = (format!("{name} == {text}"), *span);
        let name = self.free_name(&format!("{name}_is_{short}"));
        let ty = "const int ".to_owned();
        self.taken.push(Taken { name: name.clone(), ty, home, within: None });
        let element = ElementType { text: "int".to_owned(), kind: ElementKind::Signed(32) };
        self.vars.push(Var {
            is_taken: true,
            scope: ArrayScope::Local,
            made_of: vec![of],
            flag_of: Some(of),
            ..Var::made(name, element, span)
        })
    }
}

/// The variable that an expression compares with a constant, in either sense, and the constant.
fn comparison_of(expr: &Expr) -> Option<(VarId, i64)> {
    match &expr.kind {
        ExprKind::Scalar(var) => Some((*var, 0)),
        ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
            let of = |var: &Expr, value: &Expr| Some((var.scalar()?, value.constant()?));
            of(a, b).or_else(|| of(b, a))
        }
        _ => None,
    }
}

/// What a comparison is, by its flag: `x == c` is `flag == 1`; `x != c`, and `x` of zero, is `flag == 0`.
fn is(flag: VarId, comparison: &Expr) -> Expr {
    let holds = matches!(comparison.kind, ExprKind::Binary(BinaryOp::Eq, ..));
    let (span, ty) = (comparison.span, ElementKind::Signed(32));
    let flag = Expr { kind: ExprKind::Scalar(flag), ty, span };
    let value = Expr::int(i64::from(holds), span);
    Expr { kind: ExprKind::Binary(BinaryOp::Eq, Box::new(flag), Box::new(value)), ty, span }
}

/// The node with the comparisons of its conditions replaced, where these are static control.
fn replaced(node: &Node, vars: &Vars<'_>, by: &mut dyn FnMut(&Expr) -> Expr) -> Node {
    let mut all = |nodes: &[Node]| nodes.iter().map(|n| replaced(n, vars, by)).collect::<Vec<_>>();
    match node.clone() {
        Node::Loop(mut l) => {
            l.body = all(&l.body);
            Node::Loop(l)
        }
        Node::Block(nodes) => Node::Block(all(&nodes)),
        Node::If(i) => {
            let (then, otherwise) = (all(&i.then), all(&i.otherwise));
            let condition = match is_affine_shaped(&i.condition, vars) {
                true => in_condition(&i.condition, by),
                false => i.condition.clone(),
            };
            Node::If(Box::new(If { condition, then, otherwise, ..*i }))
        }
        other => other,
    }
}

/// A condition with its comparisons replaced.
fn in_condition(condition: &Expr, by: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
    let mut part = |part: &Expr| Box::new(in_condition(part, by));
    let kind = match &condition.kind {
        ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            let (a, b) = (part(a), part(b));
            ExprKind::Binary(*op, a, b)
        }
        ExprKind::Unary(UnaryOp::Not, a) => ExprKind::Unary(UnaryOp::Not, part(a)),
        _ if comparison_of(condition).is_some() => return by(condition),
        _ => return condition.clone(),
    };
    Expr { kind, ..condition.clone() }
}
