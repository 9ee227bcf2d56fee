//! Functions that the user says to be operators: `#pragma farkas reduction(gcd: g) neutral(0)`.

/// A function of two arguments that the user says to be associative and commutative.
///
/// It computes in the type of the elements that it updates, and is pure, as all functions are that statements call. So `x = f(x, e)` is an
/// update of `x` as `x += e` is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Combiner {
    /// Its name.
    pub name: String,
    /// The constant that changes nothing, as C writes it: `f(neutral, x)` is `x`.
    pub neutral: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Access, AccessKind, Array, ArrayId, ArrayScope, AssignOp, BodyStmt, ElementKind,
        ElementType, Expr, Freedom, Iterator, Operator, Statement,
    };
    use farkas_base::{Id, IdVec};
    use std::rc::Rc;

    /// A variable, with what the user grants.
    fn variable(name: &str, reduction: Option<Operator>) -> Array {
        Array {
            name: name.into(),
            source_name: name.into(),
            element: ElementType { text: "int".into(), kind: ElementKind::Signed(32) },
            extents: Vec::new(),
            scope: ArrayScope::Parameter,
            is_live_in: true,
            is_live_out: true,
            declaration: None,
            reduction,
            span: None,
        }
    }

    /// The statement `x = VALUE` in a loop; the value is over the accesses `x` and `e`.
    fn statement(value: impl Fn(Expr, Expr) -> Expr) -> Statement {
        let mut accesses = IdVec::new();
        let mut access = |array: usize, kind: AccessKind| {
            let relation = format!("{{ S[i] -> {}[] }}", ["x", "e"][array]);
            let relation = relation.parse().expect("a relation");
            let array = ArrayId::from_index(array);
            accesses.push(Access { array, kind, relation, subscripts: Vec::new(), span: None })
        };
        let (old, new) = (access(0, AccessKind::Read), access(1, AccessKind::Read));
        let target = access(0, AccessKind::MustWrite);
        let value = value(Expr::Access(old), Expr::Access(new));
        Statement {
            name: "S".into(),
            label: None,
            domain: "{ S[i] }".parse().expect("a set"),
            iterators: vec![Iterator {
                name: "i".into(),
                ty: "int".into(),
                value: "{ S[i] -> [(i)] }".parse().expect("a function"),
            }],
            date: "{ S[i] -> [i] }".parse().expect("a relation"),
            accesses,
            body: vec![BodyStmt::Assign { target, op: AssignOp::Set, read: None, value }],
            span: None,
        }
    }

    /// The operator and the freedom of an update, where `x` has this grant.
    fn found(
        reduction: Option<&Operator>,
        value: impl Fn(Expr, Expr) -> Expr,
    ) -> Option<(Operator, Freedom)> {
        let mut arrays = IdVec::new();
        arrays.push(variable("x", reduction.cloned()));
        arrays.push(variable("e", None));
        statement(value).update(&arrays).map(|update| (update.operator, update.freedom))
    }

    #[test]
    fn calls_of_granted_functions_are_updates() {
        let gcd = Combiner { name: "gcd".into(), neutral: "0".into() };
        let gcd = Operator::Function(Rc::new(gcd));
        let call = |name: &str, values: Vec<Expr>| Expr::Call(name.into(), values);
        let granted = Some((gcd.clone(), Freedom::Granted));
        assert_eq!(found(Some(&gcd), |x, e| call("gcd", vec![x, e])), granted);
        assert_eq!(found(Some(&gcd), |x, e| call("gcd", vec![e, x])), granted);
        let others = [
            found(None, |x, e| call("gcd", vec![x, e])),
            found(Some(&Operator::Sum), |x, e| call("gcd", vec![x, e])),
            found(Some(&gcd), |x, e| call("lcm", vec![x, e])),
            found(Some(&gcd), |x, _| call("gcd", vec![x])),
            found(Some(&gcd), |x, e| call("gcd", vec![x, e.clone(), e])),
            found(Some(&gcd), |x, _| call("gcd", vec![x.clone(), x])),
            found(Some(&gcd), |_, e| call("gcd", vec![e.clone(), e])),
            found(Some(&gcd), |x, e| call("gcd", vec![x.clone(), call("gcd", vec![x, e])])),
        ];
        assert!(others.iter().all(Option::is_none), "{others:?}");
    }

    #[test]
    fn other_operators_stay_what_they_are() {
        let gcd = Combiner { name: "gcd".into(), neutral: "0".into() };
        let gcd = Operator::Function(Rc::new(gcd));
        let sum = |x, e| Expr::Binary(crate::BinaryOp::Add, Box::new(x), Box::new(e));
        assert_eq!(found(Some(&gcd), sum), Some((Operator::Sum, Freedom::Unsigned(32))));
    }
}
