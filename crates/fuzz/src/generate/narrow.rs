//! Programs with half precision and truth values in the place of other types.

use crate::Random;
use crate::program::{Expr, Fill, Node, Program, Stmt, Type};

/// The program of a seed with other types: of arrays and scalars each by itself, of variables all alike, of numbers with fractions each by itself.
pub(super) fn narrowed(mut program: Program, seed: u64) -> Program {
    let mut random = Random::new(seed ^ 0x4a1f_4a1f_4a1f_4a1f);
    for array in &mut program.arrays {
        if array.fill == Fill::Any {
            array.ty = narrow(array.ty, &mut random);
        }
    }
    for scalar in &mut program.scalars {
        scalar.ty = narrow(scalar.ty, &mut random);
    }
    program.regions.iter_mut().flatten().for_each(|node| in_node(node, &mut random));
    program
}

/// A type, or one that is narrower.
fn narrow(ty: Type, random: &mut Random) -> Type {
    match ty {
        Type::Double | Type::Float if random.chance(65) => Type::Half,
        Type::Int | Type::Unsigned if random.chance(50) => Type::Truth,
        ty => ty,
    }
}

fn in_node(node: &mut Node, random: &mut Random) {
    match node {
        Node::Loop(node) => node.body.iter_mut().for_each(|inner| in_node(inner, random)),
        Node::If { then, otherwise, .. } => {
            then.iter_mut().chain(otherwise).for_each(|inner| in_node(inner, random));
        }
        Node::Stmt(stmt) => in_stmt(stmt, random),
    }
}

fn in_stmt(stmt: &mut Stmt, random: &mut Random) {
    match stmt {
        Stmt::Assign { value, .. } => in_expr(value, random),
        Stmt::Local { ty, value, .. } => {
            *ty = narrow(*ty, random);
            in_expr(value, random);
        }
        Stmt::If { condition, then, otherwise } => {
            in_expr(condition, random);
            then.iter_mut().chain(otherwise).for_each(|inner| in_stmt(inner, random));
        }
    }
}

/// Numbers with fractions are of half precision mostly.
fn in_expr(expr: &mut Expr, random: &mut Random) {
    match expr {
        Expr::Literal(text) => {
            if text.contains('.') && random.chance(70) {
                *text = format!("{}f16", text.trim_end_matches('f'));
            }
        }
        Expr::Binary(_, a, b) => {
            in_expr(a, random);
            in_expr(b, random);
        }
        Expr::Prefix(_, a) => in_expr(a, random),
        Expr::Call(_, arguments) => arguments.iter_mut().for_each(|a| in_expr(a, random)),
        Expr::Ternary(a, b, c) => [a, b, c].into_iter().for_each(|e| in_expr(e, random)),
        Expr::Read(_) | Expr::Index(_) => {}
    }
}
