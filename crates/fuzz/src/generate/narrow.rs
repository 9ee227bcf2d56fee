//! Programs with half precision and truth values in the place of other types.

use crate::Random;
use crate::program::{Expr, Fill, Node, Program, Stmt, Type};

/// The program of a seed with other types: of arrays and scalars each by itself, of variables all alike, of numbers with fractions each by itself.
/// Half precision is `__bf16` in half of the programs where that may be: the two have no common type.
pub(super) fn narrowed(mut program: Program, seed: u64, may_be_bf16: bool) -> Program {
    let mut random = Random::new(seed ^ 0x4a1f_4a1f_4a1f_4a1f);
    let short = if may_be_bf16 && random.chance(50) { Type::Bf16 } else { Type::Half };
    let mut narrowing = Narrowing { short, random };
    for array in &mut program.arrays {
        if array.fill == Fill::Any {
            array.ty = narrowing.narrow(array.ty);
        }
    }
    for scalar in &mut program.scalars {
        scalar.ty = narrowing.narrow(scalar.ty);
    }
    program.regions.iter_mut().flatten().for_each(|node| narrowing.node(node));
    program
}

/// What makes types of a program narrower.
struct Narrowing {
    /// What numbers with fractions become.
    short: Type,
    random: Random,
}

impl Narrowing {
    /// A type, or one that is narrower.
    fn narrow(&mut self, ty: Type) -> Type {
        match ty {
            Type::Double | Type::Float if self.random.chance(65) => self.short,
            Type::Int | Type::Unsigned if self.random.chance(50) => Type::Truth,
            ty => ty,
        }
    }

    fn node(&mut self, node: &mut Node) {
        match node {
            Node::Loop(node) => node.body.iter_mut().for_each(|inner| self.node(inner)),
            Node::If { then, otherwise, .. } => {
                then.iter_mut().chain(otherwise).for_each(|inner| self.node(inner));
            }
            Node::Stmt(stmt) => self.stmt(stmt),
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Assign { value, .. } => self.expr(value),
            Stmt::Local { ty, value, .. } => {
                *ty = self.narrow(*ty);
                self.expr(value);
            }
            Stmt::If { condition, then, otherwise } => {
                self.expr(condition);
                then.iter_mut().chain(otherwise).for_each(|inner| self.stmt(inner));
            }
        }
    }

    /// Numbers with fractions are of half precision mostly. Not all compilers have a suffix for `__bf16`.
    fn expr(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Literal(text) => {
                if text.contains('.') && self.random.chance(70) {
                    let digits = text.trim_end_matches('f');
                    *text = match self.short {
                        Type::Bf16 => format!("(__bf16){digits}f"),
                        _ => format!("{digits}f16"),
                    };
                }
            }
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Prefix(_, a) => self.expr(a),
            Expr::Call(_, arguments) => arguments.iter_mut().for_each(|a| self.expr(a)),
            Expr::Ternary(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            Expr::Read(_) | Expr::Index(_) => {}
        }
    }
}
