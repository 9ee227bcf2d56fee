//! Making random programs: bodies that hand the values of variables from one statement to several others.

use super::{Generator, MAX_OF_BODY, binary, literal};
use crate::program::{Expr, Node, Place, Stmt, Type};

impl Generator<'_> {
    /// Variables, each mostly made of those before it, and elements of several arrays that are computed from them: one statement to Farkas,
    /// which comes apart where elements of different arrays do not wait for one another. None where there are not two arrays.
    pub(super) fn body(&mut self) -> Option<Vec<Node>> {
        if self.scope.is_empty() || !self.random.chance(self.shape.bodies) {
            return None;
        }
        let ty = self.main_type;
        let arrays = self.program.arrays.iter().enumerate();
        let arrays: Vec<usize> =
            arrays.filter(|(_, array)| array.ty == ty).map(|(at, _)| at).collect();
        if arrays.len() < 2 {
            return None;
        }
        let (mut nodes, mut own) = (Vec::new(), Vec::new());
        for _ in 0..1 + self.random.below(3) {
            let value = self.made_of(&own, ty);
            let id = self.next_id;
            self.next_id += 1;
            nodes.push(Node::Stmt(Stmt::Local { id, ty, value }));
            own.push(Place::Local(id));
            if self.random.chance(20) {
                nodes.push(Node::Stmt(self.changed(&own)));
            }
        }
        let first = self.random.below(arrays.len());
        for at in 0..2 + self.random.below(arrays.len().min(MAX_OF_BODY) - 1) {
            let array = arrays[(first + at) % arrays.len()];
            let (target, value) = (self.element(array), self.made_of(&own, ty));
            nodes.push(Node::Stmt(Stmt::Assign { target, op: "=", value }));
            if self.random.chance(12) {
                nodes.push(Node::Stmt(self.changed(&own)));
            }
        }
        self.locals.extend(own.iter().filter_map(|place| match place {
            Place::Local(id) => Some((*id, ty)),
            _ => None,
        }));
        self.stmts_left = self.stmts_left.saturating_sub(2);
        Some(nodes)
    }

    /// A value of a type that is mostly made of one of these variables.
    fn made_of(&mut self, own: &[Place], ty: Type) -> Expr {
        let depth = 1 + self.random.below(2);
        let other = self.value(ty, depth);
        if own.is_empty() || self.random.chance(15) {
            return other;
        }
        let variable = Expr::Read(own[self.random.below(own.len())].clone());
        match ty {
            Type::Double | Type::Float => {
                let [p, q] = ["0.5", "0.25"].map(|text| self.constant(ty, &[text]));
                binary("+", binary("*", p, variable), binary("*", q, other))
            }
            Type::Unsigned => binary(self.random.pick(&["+", "*", "^"]), variable, other),
            _ => binary("%", binary("+", variable, other), literal("101")),
        }
    }

    /// A variable that gets another value, half of the time where data says so.
    fn changed(&mut self, own: &[Place]) -> Stmt {
        let target = own[self.random.below(own.len())].clone();
        let value = self.made_of(own, self.main_type);
        let assignment = Stmt::Assign { target, op: "=", value };
        match self.random.chance(50) {
            true => {
                let condition = self.data_condition();
                Stmt::If { condition, then: vec![assignment], otherwise: Vec::new() }
            }
            false => assignment,
        }
    }
}
