//! How long values take: from one instance of a recurrence to the next, and through straight code.

use crate::operations::Function;
use farkas_scop::{AccessId, AssignOp, BinaryOp, BodyStmt, Expr, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// Cycles until the result of an addition, a multiplication or a comparison can be used, on current machines.
const SIMPLE_CYCLES: u32 = 4;

/// The same of a division or a square root.
const DIVISION_CYCLES: u32 = 13;

/// The same of a function of the mathematics library.
const CALL_CYCLES: u32 = 40;

/// The same of a sign or a conversion.
const LEAST_CYCLES: u32 = 1;

/// The elements that a statement touches, with the cycles until each has its value.
pub trait Elements {
    /// Cycles until what an access reads is there; `None` where nobody waits for it.
    fn read(&self, access: AccessId) -> Option<u32>;

    /// An access writes a value that is there after so many cycles; `None` where it depends on nothing that somebody waits for.
    fn write(&mut self, access: AccessId, cycles: Option<u32>);
}

/// Goes through a statement in the order of its body. No condition of a jump is waited for: processors guess those.
pub fn follow(stmt: &Statement, elements: &mut impl Elements) {
    Way { elements, locals: BTreeMap::new() }.body(&stmt.body);
}

/// The cycles from the reads `chained` of a statement to what it writes: the longest way through its expressions and the variables
/// of its body; zero where it writes nothing that depends on them.
pub fn chain_cycles(stmt: &Statement, chained: &BTreeSet<AccessId>) -> u32 {
    let mut chain = Chain { chained, most: 0 };
    follow(stmt, &mut chain);
    chain.most
}

/// Some reads that are waited for, and the longest way from them to a write.
struct Chain<'a> {
    chained: &'a BTreeSet<AccessId>,
    most: u32,
}

impl Elements for Chain<'_> {
    fn read(&self, access: AccessId) -> Option<u32> {
        self.chained.contains(&access).then_some(0)
    }

    fn write(&mut self, _: AccessId, cycles: Option<u32>) {
        self.most = self.most.max(cycles.unwrap_or(0));
    }
}

/// A way through the body of a statement.
struct Way<'a, E> {
    elements: &'a mut E,
    /// Of the variables of the body.
    locals: BTreeMap<&'a str, Option<u32>>,
}

impl<'a, E: Elements> Way<'a, E> {
    /// Goes through statements.
    fn body(&mut self, body: &'a [BodyStmt]) {
        for stmt in body {
            match stmt {
                BodyStmt::Assign { target, op, read, value } => {
                    let old = read.and_then(|read| self.elements.read(read));
                    let cycles = self.assigned(*op, old, value);
                    self.elements.write(*target, cycles);
                }
                BodyStmt::Local { name, value, .. } => {
                    let cycles = value.as_ref().and_then(|value| self.expr(value));
                    self.locals.insert(name, cycles);
                }
                BodyStmt::AssignLocal { name, op, value } => {
                    let old = self.locals.get(name.as_str()).copied().flatten();
                    let cycles = self.assigned(*op, old, value);
                    self.locals.insert(name, cycles);
                }
                BodyStmt::If { then, otherwise, .. } => {
                    self.body(then);
                    self.body(otherwise);
                }
                BodyStmt::Block(inner) => self.body(inner),
                BodyStmt::Loop(inner) => {
                    self.body(&inner.first);
                    self.body(&inner.body);
                    self.body(&inner.step);
                }
                BodyStmt::Break | BodyStmt::Continue | BodyStmt::Text(_) => {}
            }
        }
    }

    /// What is assigned, where the target was there after `old` cycles.
    fn assigned(&self, op: AssignOp, old: Option<u32>, value: &Expr) -> Option<u32> {
        let value = self.expr(value);
        match op {
            AssignOp::Set => value,
            AssignOp::Compound(op) => value.max(old).map(|cycles| cycles + of_operator(op)),
        }
    }

    /// The longest way to the value of an expression; `None` where it depends on nothing that is waited for.
    fn expr(&self, expr: &Expr) -> Option<u32> {
        let after = |parts: &[&Expr], cycles: u32| {
            parts.iter().filter_map(|part| self.expr(part)).max().map(|most| most + cycles)
        };
        match expr {
            Expr::Access(access) => self.elements.read(*access),
            Expr::Local(name) => self.locals.get(name.as_str()).copied().flatten(),
            Expr::Unary(_, a) | Expr::Cast(_, a) => after(&[a], LEAST_CYCLES),
            Expr::Binary(op, a, b) => after(&[a, b], of_operator(*op)),
            Expr::Ternary(condition, then, otherwise) => match condition.as_ref() {
                // By a condition with a name several values are chosen: compilers make a jump of that.
                Expr::Local(_) => after(&[then, otherwise], SIMPLE_CYCLES),
                _ => after(&[condition, then, otherwise], SIMPLE_CYCLES),
            },
            Expr::Call(name, arguments) => {
                after(&arguments.iter().collect::<Vec<_>>(), of_function(Function::named(name)))
            }
            Expr::Int { .. }
            | Expr::Float(_)
            | Expr::Iterator(_)
            | Expr::Param(_)
            | Expr::Verbatim(_) => None,
        }
    }
}

/// The cycles of an operator.
fn of_operator(op: BinaryOp) -> u32 {
    match op {
        BinaryOp::Div | BinaryOp::Rem => DIVISION_CYCLES,
        _ => SIMPLE_CYCLES,
    }
}

/// The cycles of a function.
fn of_function(function: Function) -> u32 {
    match function {
        Function::Root => DIVISION_CYCLES,
        Function::Simple => SIMPLE_CYCLES,
        Function::Library => CALL_CYCLES,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farkas_base::Id;
    use farkas_scop::{ElementKind, ElementType};

    fn id(at: usize) -> AccessId {
        AccessId::from_index(at)
    }

    fn access(at: usize) -> Box<Expr> {
        Box::new(Expr::Access(id(at)))
    }

    fn binary(op: BinaryOp, a: Box<Expr>, b: Box<Expr>) -> Expr {
        Expr::Binary(op, a, b)
    }

    /// The longest way from the reads `chained` to what is written.
    fn longest(body: &[BodyStmt], chained: &[usize]) -> u32 {
        let chained = chained.iter().map(|at| id(*at)).collect();
        let mut chain = Chain { chained: &chained, most: 0 };
        Way { elements: &mut chain, locals: BTreeMap::new() }.body(body);
        chain.most
    }

    #[test]
    fn the_longest_way_counts() {
        // a9 = a1 / (a2 - a1 * a0), of which a0 is chained.
        let product = binary(BinaryOp::Mul, access(1), access(0));
        let below = binary(BinaryOp::Sub, access(2), Box::new(product));
        let value = binary(BinaryOp::Div, access(1), Box::new(below));
        let body = [BodyStmt::Assign { target: id(9), op: AssignOp::Set, read: None, value }];
        assert_eq!(longest(&body, &[0]), 2 * SIMPLE_CYCLES + DIVISION_CYCLES);
        assert_eq!(longest(&body, &[5]), 0);
    }

    #[test]
    fn conditions_of_jumps_are_guessed() {
        // int c = a0 > a1; a9 = c ? a0 : a1; and a9 = a0 > a1 ? a0 : a1;
        let ty = ElementType { text: "int".into(), kind: ElementKind::Signed(32) };
        let name = || "c".to_owned();
        let condition = || binary(BinaryOp::Gt, access(0), access(1));
        let choice = |condition| BodyStmt::Assign {
            target: id(9),
            op: AssignOp::Set,
            read: None,
            value: Expr::Ternary(Box::new(condition), access(0), access(1)),
        };
        let named = BodyStmt::Local { name: name(), ty, value: Some(condition()) };
        assert_eq!(longest(&[named, choice(Expr::Local(name()))], &[1]), SIMPLE_CYCLES);
        assert_eq!(longest(&[choice(condition())], &[1]), 2 * SIMPLE_CYCLES);
    }

    #[test]
    fn variables_of_the_body_are_on_the_way() {
        // double t = exp(a0); t += 1.0; a9 = sqrt(t);
        let ty = ElementType { text: "double".into(), kind: ElementKind::Double };
        let call = |name: &str, argument| Expr::Call(name.into(), vec![argument]);
        let local = || "t".to_owned();
        let body = [
            BodyStmt::Local { name: local(), ty, value: Some(call("exp", *access(0))) },
            BodyStmt::AssignLocal {
                name: local(),
                op: AssignOp::Compound(BinaryOp::Add),
                value: Expr::Float("1.0".into()),
            },
            BodyStmt::Assign {
                target: id(9),
                op: AssignOp::Set,
                read: None,
                value: call("sqrt", Expr::Local(local())),
            },
        ];
        assert_eq!(longest(&body, &[0]), CALL_CYCLES + SIMPLE_CYCLES + DIVISION_CYCLES);
    }
}
