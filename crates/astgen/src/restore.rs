//! Giving loops back the form in which the user wrote them: counting down, or in strides; and tile loops, which isl
//! counts, the first points of their tiles.
//!
//! Inside a scop every iterator runs upward by one, and the user's iterator is a function of it. Where all statements in
//! a loop agree that the user's iterator is `a * x + r` of the loop's `x`, with `r` free of iterators, the loop becomes
//! one over that value.

use crate::ast::{Block, For, If, Node, User};
use crate::expr::{Division, Expr, Term};
use farkas_scop::StmtId;
use std::collections::BTreeSet;

/// Restores all loops of `nodes`. The subscripts of `dividing` statements have divisions, which strides of the user's would
/// bring back: their loops stay counts.
pub(crate) fn restore(nodes: Vec<Node>, dividing: &BTreeSet<StmtId>) -> Vec<Node> {
    nodes
        .into_iter()
        .map(|node| match node {
            Node::For(node) => Node::For(restore_loop(node, dividing)),
            Node::If(If { condition, then, otherwise }) => {
                let (then, otherwise) = (restore(then, dividing), restore(otherwise, dividing));
                Node::If(If { condition, then, otherwise })
            }
            Node::User(user) => Node::User(user),
            Node::Block(node) => {
                let body = restore(node.body, dividing);
                Node::Block(Block { body, ..node })
            }
        })
        .collect()
}

/// One loop, then those inside.
fn restore_loop(mut node: For, dividing: &BTreeSet<StmtId>) -> For {
    let scale = std::mem::take(&mut node.info.scale);
    let mut node = if scale > 1 {
        rescale(node, scale, &Expr::int(0))
    } else if node.info.divided.is_some() {
        // Which block or thread runs an iteration is said of the values of the schedule.
        node
    } else {
        let (factor, rest) = user_form(&node, dividing).unwrap_or((1, Expr::int(0)));
        rescale(node, factor, &rest)
    };
    node.body = restore(node.body, dividing);
    node
}

/// The loop over `factor * x + rest` instead of `x`.
fn rescale(mut node: For, factor: i64, rest: &Expr) -> For {
    if (factor, rest.as_int()) == (1, Some(0)) {
        return node;
    }
    let old = node.iterator.clone();
    let y = Expr::iterator(old.clone());
    let x = y.minus(rest).times(factor.signum()).quotient(factor.abs(), Division::Exact);
    let by = |name: &str| (name == old).then(|| x.clone());
    node.body = node.body.iter().map(|n| n.substitute(&by)).collect();
    let last = node.end.offset(-1);
    node.end = scale_bound(&last, factor).plus(rest).offset(factor.signum());
    node.first = node.first.times(factor).plus(rest);
    node.step = node.step.saturating_mul(factor);
    node.info.tile = node.info.tile.map(|size| size.saturating_mul(factor.abs()));
    node
}

/// The factor and the rest that the user's iterator has in the loop, if all statements that depend on it agree up to
/// constants. Of the constants, the most frequent one wins.
fn user_form(node: &For, dividing: &BTreeSet<StmtId>) -> Option<(i64, Expr)> {
    let mut forms: Vec<(i64, Expr)> = Vec::new();
    let mut agreed = true;
    node.body.iter().for_each(|n| {
        n.for_each_user(&mut |user| {
            if depends_on(user, &node.iterator) {
                match users_value(user, &node.iterator) {
                    Some((factor, _)) if factor.abs() > 1 && dividing.contains(&user.stmt) => {
                        agreed = false;
                    }
                    Some(form) => forms.push(form),
                    None => agreed = false,
                }
            }
        });
    });
    let (factor, rest) = forms.first()?;
    let same = |(f, r): &(i64, Expr)| f == factor && r.minus(rest).as_int().is_some();
    if !agreed || !forms.iter().all(same) {
        return None;
    }
    let count = |form: &&(i64, Expr)| forms.iter().filter(|other| other == form).count();
    let best = forms.iter().map(|f| count(&f)).max()?;
    forms.iter().find(|f| count(f) == best).cloned()
}

/// Whether the instance depends on the iterator.
pub(crate) fn depends_on(user: &User, iterator: &str) -> bool {
    user.values.iter().chain(&user.args).any(|e| e.mentions(iterator))
}

/// The first of the user's iterators that is `factor * iterator + rest` with a rest free of iterators, and of quotients that
/// need not be exact for the loop's other instances.
fn users_value(user: &User, iterator: &str) -> Option<(i64, Expr)> {
    user.values.iter().find_map(|value| {
        let (factor, rest) = value.split(iterator)?;
        let mut free = factor != 0 && !rest.has_exact_quotient();
        rest.for_each_name(&mut |_, is_iterator| free &= !is_iterator);
        free.then_some((factor, rest))
    })
}

/// `factor` times an upper bound that need not be reached: quotients whose divisor divides the factor lose the
/// division, since `x <= floor(e / d)` and `d * x <= e` are the same.
fn scale_bound(bound: &Expr, factor: i64) -> Expr {
    if let [(Term::Min(options), 1)] = bound.terms()
        && bound.constant() == 0
    {
        let scaled = options.iter().map(|e| scale_bound(e, factor)).collect();
        return if factor > 0 { Expr::min(scaled) } else { Expr::max(scaled) };
    }
    let mut quotients = bound.terms().iter().filter_map(|(term, f)| match term {
        Term::Div(numerator, divisor, _) => Some((term, numerator, *divisor, *f)),
        _ => None,
    });
    if let (Some((term, numerator, divisor, 1)), None) = (quotients.next(), quotients.next())
        && factor % divisor == 0
    {
        // floor(e / d) + r is floor((e + d r) / d).
        let rest = bound.minus(&Expr::from_term(term.clone()));
        return numerator.plus(&rest.times(divisor)).times(factor / divisor);
    }
    bound.times(factor)
}
