//! Making failing programs small.

use crate::program::{
    Chosen, Comparison, Condition, Cut, Expr, Linear, Loop, Node, Place, Program, Quasi, QuasiOp,
    Stmt,
};

/// The smallest program found, by dropping and simplifying parts one at a time for as long as `fails` holds, after at
/// most `most` tries. `fails` must hold for `program`.
pub fn shrink(program: &Program, most: usize, fails: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut tries = 0;
    let mut at = 0;
    let mut since_success = 0;
    while tries < most {
        let candidates = candidates(&best);
        if since_success >= candidates.len() {
            break;
        }
        at %= candidates.len();
        let candidate = &candidates[at];
        let is_new = candidate != &best && candidate.text().is_some();
        if is_new {
            tries += 1;
        }
        if is_new && fails(candidate) {
            best = candidate.clone();
            since_success = 0;
        } else {
            at += 1;
            since_success += 1;
        }
    }
    best
}

/// Programs with one part dropped or simplified, large steps first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    if program.regions.len() > 1 {
        for at in 0..program.regions.len() {
            let mut smaller = program.clone();
            smaller.regions.remove(at);
            all.push(smaller);
        }
    }
    for (at, region) in program.regions.iter().enumerate() {
        for nodes in smaller_nodes(region) {
            let mut smaller = program.clone();
            smaller.regions[at] = nodes;
            all.push(smaller);
        }
    }
    for at in 0..program.params.len() {
        for value in [program.params[at].value / 2, program.params[at].value - 1] {
            if (2..program.params[at].value).contains(&value) {
                let mut smaller = program.clone();
                smaller.params[at].value = value;
                all.push(smaller);
            }
        }
    }
    all.extend(without_unused(program));
    all
}

/// Without arrays that no statement mentions, and with scalars that none mentions.
fn without_unused(program: &Program) -> Vec<Program> {
    let mut all = Vec::new();
    let text = format!("{:?}", program.regions);
    for at in 0..program.arrays.len() {
        if !text.contains(&format!("Element({at},")) && program.arrays.len() > 1 {
            let mut smaller = program.clone();
            smaller.arrays.remove(at);
            let renumber = |place: &mut Place| {
                if let Place::Element(array, _) = place
                    && *array > at
                {
                    *array -= 1;
                }
            };
            for_each_place(&mut smaller, &renumber);
            all.push(smaller);
        }
    }
    for at in 0..program.scalars.len() {
        if !text.contains(&format!("Scalar({at})")) {
            let mut smaller = program.clone();
            smaller.scalars.remove(at);
            let renumber = |place: &mut Place| {
                if let Place::Scalar(scalar) = place
                    && *scalar > at
                {
                    *scalar -= 1;
                }
            };
            for_each_place(&mut smaller, &renumber);
            all.push(smaller);
        }
    }
    all
}

/// Calls `f` on every place of a program that is not made of others.
fn for_each_place(program: &mut Program, f: &dyn Fn(&mut Place)) {
    fn place(p: &mut Place, f: &dyn Fn(&mut Place)) {
        match p {
            Place::Chosen(chosen) => {
                f(&mut chosen.element);
                f(&mut chosen.index);
            }
            p => f(p),
        }
    }
    fn expr(e: &mut Expr, f: &dyn Fn(&mut Place)) {
        match e {
            Expr::Literal(_) | Expr::Index(_) => {}
            Expr::Read(read) => place(read, f),
            Expr::Prefix(_, a) => expr(a, f),
            Expr::Binary(_, a, b) => {
                expr(a, f);
                expr(b, f);
            }
            Expr::Call(_, arguments) => arguments.iter_mut().for_each(|a| expr(a, f)),
            Expr::Ternary(a, b, c) => [a, b, c].into_iter().for_each(|e| expr(e, f)),
        }
    }
    fn stmt(s: &mut Stmt, f: &dyn Fn(&mut Place)) {
        match s {
            Stmt::Assign { target, value, .. } => {
                place(target, f);
                expr(value, f);
            }
            Stmt::Local { value, .. } => expr(value, f),
            Stmt::If { condition, then, otherwise } => {
                expr(condition, f);
                then.iter_mut().chain(otherwise).for_each(|s| stmt(s, f));
            }
        }
    }
    fn node(n: &mut Node, f: &dyn Fn(&mut Place)) {
        match n {
            Node::Loop(node_) => node_.body.iter_mut().for_each(|n| node(n, f)),
            Node::If { then, otherwise, .. } => {
                then.iter_mut().chain(otherwise).for_each(|n| node(n, f));
            }
            Node::Stmt(s) => stmt(s, f),
        }
    }
    program.regions.iter_mut().flatten().for_each(|n| node(n, f));
}

/// Blocks with one node dropped, replaced by its parts, or made smaller.
fn smaller_nodes(nodes: &[Node]) -> Vec<Vec<Node>> {
    let mut all = Vec::new();
    for at in 0..nodes.len() {
        let mut rest = nodes.to_vec();
        rest.remove(at);
        all.push(rest);
    }
    for (at, node) in nodes.iter().enumerate() {
        for parts in unwrapped(node) {
            let mut flat = nodes.to_vec();
            flat.splice(at..=at, parts);
            all.push(flat);
        }
        for smaller in smaller_node(node) {
            let mut changed = nodes.to_vec();
            changed[at] = smaller;
            all.push(changed);
        }
    }
    all
}

/// The nodes inside a node, without it; a loop's iterator becomes its first bound where that is a number, or zero or
/// one.
fn unwrapped(node: &Node) -> Vec<Vec<Node>> {
    match node {
        Node::Loop(node) => {
            let mut firsts: Vec<i64> = vec![0, 1, 2];
            if let [Linear { terms, constant }] = node.lower.as_slice()
                && terms.is_empty()
            {
                firsts.insert(0, *constant);
            }
            firsts.dedup();
            let at = |value: i64| {
                let mut body = node.body.clone();
                substitute(&mut body, node.id, value);
                body
            };
            firsts.into_iter().map(at).collect()
        }
        Node::If { then, otherwise, .. } => vec![then.clone(), otherwise.clone()],
        Node::Stmt(Stmt::If { then, otherwise, .. }) => {
            let nodes = |stmts: &[Stmt]| stmts.iter().cloned().map(Node::Stmt).collect();
            vec![nodes(then), nodes(otherwise)]
        }
        Node::Stmt(_) => Vec::new(),
    }
}

/// Replaces an iterator by a number everywhere.
fn substitute(nodes: &mut [Node], id: usize, value: i64) {
    let linears = |linears: &mut [Linear]| linears.iter_mut().for_each(|l| l.substitute(id, value));
    for node in nodes {
        match node {
            Node::Loop(node) => {
                linears(&mut node.lower);
                linears(&mut node.upper);
                substitute(&mut node.body, id, value);
            }
            Node::If { condition, then, otherwise } => {
                substitute_condition(condition, id, value);
                substitute(then, id, value);
                substitute(otherwise, id, value);
            }
            Node::Stmt(stmt) => substitute_stmt(stmt, id, value),
        }
    }
}

/// Replaces an iterator in a condition.
fn substitute_condition(condition: &mut Condition, id: usize, value: i64) {
    match condition {
        Condition::Compare(left, _, right) => {
            left.linear.substitute(id, value);
            right.substitute(id, value);
        }
        Condition::And(parts) | Condition::Or(parts) => {
            parts.iter_mut().for_each(|part| substitute_condition(part, id, value));
        }
        Condition::Not(part) => substitute_condition(part, id, value),
    }
}

/// Replaces an iterator in a statement.
fn substitute_stmt(stmt: &mut Stmt, id: usize, value: i64) {
    match stmt {
        Stmt::Assign { target, value: right, .. } => {
            substitute_place(target, id, value);
            substitute_expr(right, id, value);
        }
        Stmt::Local { value: right, .. } => substitute_expr(right, id, value),
        Stmt::If { condition, then, otherwise } => {
            substitute_expr(condition, id, value);
            then.iter_mut().chain(otherwise).for_each(|s| substitute_stmt(s, id, value));
        }
    }
}

/// Replaces an iterator in a place.
fn substitute_place(place: &mut Place, id: usize, value: i64) {
    match place {
        Place::Element(_, subscripts) => {
            subscripts.iter_mut().for_each(|s| s.linear.substitute(id, value));
        }
        Place::Chosen(chosen) => {
            substitute_place(&mut chosen.element, id, value);
            substitute_place(&mut chosen.index, id, value);
        }
        Place::Scalar(_) | Place::Local(_) => {}
    }
}

/// Replaces an iterator in an expression.
fn substitute_expr(expr: &mut Expr, id: usize, value: i64) {
    match expr {
        Expr::Literal(_) => {}
        Expr::Read(place) => substitute_place(place, id, value),
        Expr::Index(linear) => linear.substitute(id, value),
        Expr::Prefix(_, a) => substitute_expr(a, id, value),
        Expr::Binary(_, a, b) => {
            substitute_expr(a, id, value);
            substitute_expr(b, id, value);
        }
        Expr::Call(_, arguments) => {
            arguments.iter_mut().for_each(|a| substitute_expr(a, id, value));
        }
        Expr::Ternary(a, b, c) => {
            [a, b, c].into_iter().for_each(|e| substitute_expr(e, id, value));
        }
    }
}

/// A node with something inside made smaller.
fn smaller_node(node: &Node) -> Vec<Node> {
    match node {
        Node::Loop(node) => smaller_loop(node).into_iter().map(Node::Loop).collect(),
        Node::If { condition, then, otherwise } => {
            let mut all = Vec::new();
            let with = |condition: &Condition, then: &[Node], otherwise: &[Node]| Node::If {
                condition: condition.clone(),
                then: then.to_vec(),
                otherwise: otherwise.to_vec(),
            };
            if !otherwise.is_empty() {
                all.push(with(condition, then, &[]));
            }
            all.extend(smaller_condition(condition).iter().map(|c| with(c, then, otherwise)));
            all.extend(smaller_nodes(then).iter().map(|t| with(condition, t, otherwise)));
            all.extend(smaller_nodes(otherwise).iter().map(|o| with(condition, then, o)));
            all
        }
        Node::Stmt(stmt) => smaller_stmt(stmt).into_iter().map(Node::Stmt).collect(),
    }
}

/// A loop with something made smaller.
fn smaller_loop(node: &Loop) -> Vec<Loop> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Loop)| {
        let mut changed = node.clone();
        change(&mut changed);
        all.push(changed);
    };
    for nodes in smaller_nodes(&node.body) {
        with(&|l| l.body.clone_from(&nodes));
    }
    with(&|l| l.step = 1);
    with(&|l| l.down = false);
    with(&|l| l.style.comparison = Comparison::Usual);
    with(&|l| l.style.declares = true);
    for at in 0..node.lower.len() {
        if node.lower.len() > 1 {
            with(&|l| {
                l.lower.remove(at);
            });
        }
        for linear in smaller_linear(&node.lower[at]) {
            with(&|l| l.lower[at].clone_from(&linear));
        }
    }
    for at in 0..node.upper.len() {
        if node.upper.len() > 1 {
            with(&|l| {
                l.upper.remove(at);
            });
        }
        for linear in smaller_linear(&node.upper[at]) {
            with(&|l| l.upper[at].clone_from(&linear));
        }
    }
    all
}

/// A condition with something made smaller.
fn smaller_condition(condition: &Condition) -> Vec<Condition> {
    match condition {
        Condition::Compare(left, op, right) => {
            let lefts = smaller_quasi(left);
            let mut all: Vec<Condition> =
                lefts.into_iter().map(|l| Condition::Compare(l, op, right.clone())).collect();
            let rights = smaller_linear(right);
            all.extend(rights.into_iter().map(|r| Condition::Compare(left.clone(), op, r)));
            all
        }
        Condition::And(parts) | Condition::Or(parts) => {
            let mut all = parts.clone();
            let join = |parts: Vec<Condition>| match condition {
                Condition::And(_) => Condition::And(parts),
                _ => Condition::Or(parts),
            };
            for (at, part) in parts.iter().enumerate() {
                let mut rest = parts.clone();
                rest.remove(at);
                if rest.len() > 1 {
                    all.push(join(rest));
                }
                for smaller in smaller_condition(part) {
                    let mut changed = parts.clone();
                    changed[at] = smaller;
                    all.push(join(changed));
                }
            }
            all
        }
        Condition::Not(part) => {
            let mut all = vec![(**part).clone()];
            all.extend(smaller_condition(part).into_iter().map(|c| Condition::Not(Box::new(c))));
            all
        }
    }
}

/// A statement with something made smaller.
fn smaller_stmt(stmt: &Stmt) -> Vec<Stmt> {
    match stmt {
        Stmt::Assign { target, op, value } => {
            let with = |target: &Place, op: &'static str, value: &Expr| Stmt::Assign {
                target: target.clone(),
                op,
                value: value.clone(),
            };
            let mut all: Vec<Stmt> =
                smaller_expr(value).iter().map(|v| with(target, op, v)).collect();
            if *op != "=" {
                all.push(with(target, "=", value));
            }
            all.extend(smaller_place(target).iter().map(|t| with(t, op, value)));
            all
        }
        Stmt::Local { id, ty, value } => {
            let with = |value| Stmt::Local { id: *id, ty: *ty, value };
            smaller_expr(value).into_iter().map(with).collect()
        }
        Stmt::If { condition, then, otherwise } => {
            let with = |condition: &Expr, then: &[Stmt], otherwise: &[Stmt]| Stmt::If {
                condition: condition.clone(),
                then: then.to_vec(),
                otherwise: otherwise.to_vec(),
            };
            let mut all = Vec::new();
            if !otherwise.is_empty() {
                all.push(with(condition, then, &[]));
            }
            for at in 0..then.len() {
                let mut rest = then.clone();
                rest.remove(at);
                all.push(with(condition, &rest, otherwise));
                for smaller in smaller_stmt(&then[at]) {
                    let mut changed = then.clone();
                    changed[at] = smaller;
                    all.push(with(condition, &changed, otherwise));
                }
            }
            for at in 0..otherwise.len() {
                for smaller in smaller_stmt(&otherwise[at]) {
                    let mut changed = otherwise.clone();
                    changed[at] = smaller;
                    all.push(with(condition, then, &changed));
                }
            }
            all.extend(smaller_expr(condition).iter().map(|c| with(c, then, otherwise)));
            all
        }
    }
}

/// Parts of an expression, and the expression with a part made smaller.
fn smaller_expr(expr: &Expr) -> Vec<Expr> {
    let one = || Expr::Literal("1".into());
    match expr {
        Expr::Literal(text) if text == "1" => Vec::new(),
        Expr::Literal(_) => vec![one()],
        Expr::Read(place) => {
            std::iter::once(one()).chain(smaller_place(place).into_iter().map(Expr::Read)).collect()
        }
        Expr::Index(linear) => {
            let smaller = smaller_linear(linear).into_iter().map(Expr::Index);
            std::iter::once(one()).chain(smaller).collect()
        }
        Expr::Prefix(op, a) => {
            let mut all = vec![(**a).clone()];
            all.extend(smaller_expr(a).into_iter().map(|a| Expr::Prefix(op, Box::new(a))));
            all
        }
        Expr::Binary(op, a, b) => {
            let mut all = vec![(**a).clone(), (**b).clone()];
            let with = |a: Expr, b: Expr| Expr::Binary(op, Box::new(a), Box::new(b));
            all.extend(smaller_expr(a).into_iter().map(|a| with(a, (**b).clone())));
            // Divisors stay as they are.
            if !matches!(*op, "/" | "%" | ">>") {
                all.extend(smaller_expr(b).into_iter().map(|b| with((**a).clone(), b)));
            }
            all
        }
        Expr::Call(name, arguments) => {
            // What is made small stays so: else sums of it would no longer be the same in any order.
            let mut all = if *name == "small" { vec![one()] } else { arguments.clone() };
            for (at, argument) in arguments.iter().enumerate() {
                for smaller in smaller_expr(argument) {
                    let mut changed = arguments.clone();
                    changed[at] = smaller;
                    all.push(Expr::Call(name, changed));
                }
            }
            all
        }
        Expr::Ternary(a, b, c) => {
            let mut all = vec![(**b).clone(), (**c).clone()];
            let with =
                |a: Expr, b: Expr, c: Expr| Expr::Ternary(Box::new(a), Box::new(b), Box::new(c));
            let (a, b, c) = ((**a).clone(), (**b).clone(), (**c).clone());
            all.extend(smaller_expr(&a).into_iter().map(|x| with(x, b.clone(), c.clone())));
            all.extend(smaller_expr(&b).into_iter().map(|x| with(a.clone(), x, c.clone())));
            all.extend(smaller_expr(&c).into_iter().map(|x| with(a.clone(), b.clone(), x)));
            all
        }
    }
}

/// A place with a subscript made smaller; one that data chooses becomes a plain one, too.
fn smaller_place(place: &Place) -> Vec<Place> {
    let (array, subscripts) = match place {
        Place::Element(array, subscripts) => (array, subscripts),
        Place::Chosen(chosen) => return smaller_chosen(chosen),
        Place::Scalar(_) | Place::Local(_) => return Vec::new(),
    };
    let mut all = Vec::new();
    for (at, subscript) in subscripts.iter().enumerate() {
        for smaller in smaller_quasi(subscript) {
            let mut changed = subscripts.clone();
            changed[at] = smaller;
            all.push(Place::Element(*array, changed));
        }
    }
    all
}

/// What is left of an element that data chooses.
fn smaller_chosen(chosen: &Chosen) -> Vec<Place> {
    let with = |changed: Chosen| Place::Chosen(Box::new(changed));
    let mut all = vec![chosen.element.clone()];
    let elements = smaller_place(&chosen.element).into_iter();
    all.extend(elements.map(|element| with(Chosen { element, ..chosen.clone() })));
    let indices = smaller_place(&chosen.index).into_iter();
    all.extend(indices.map(|index| with(Chosen { index, ..chosen.clone() })));
    let cuts = match chosen.cut {
        Cut::None => Vec::new(),
        Cut::And(mask) if mask > 1 => vec![Cut::None, Cut::And(mask / 2)],
        Cut::And(_) => vec![Cut::None],
        Cut::Mod(k) => vec![Cut::None, Cut::And(7), Cut::Mod((k / 2).max(1))],
    };
    all.extend(cuts.into_iter().map(|cut| with(Chosen { cut, ..chosen.clone() })));
    all
}

/// A quasi-affine expression without its operation, or with something dropped.
fn smaller_quasi(quasi: &Quasi) -> Vec<Quasi> {
    let mut all = Vec::new();
    if quasi.op != QuasiOp::None {
        all.push(Quasi { op: QuasiOp::None, ..quasi.clone() });
    }
    if quasi.plus != 0 {
        all.push(Quasi { plus: 0, ..quasi.clone() });
    }
    let with = |linear| Quasi { linear, ..quasi.clone() };
    all.extend(smaller_linear(&quasi.linear).into_iter().map(with));
    all
}

/// A linear expression with a term or the constant dropped, or a factor or the constant nearer to one or zero.
fn smaller_linear(linear: &Linear) -> Vec<Linear> {
    let mut all = Vec::new();
    for at in 0..linear.terms.len() {
        let mut rest = linear.clone();
        rest.terms.remove(at);
        all.push(rest);
        if linear.terms[at].0.abs() > 1 {
            let mut changed = linear.clone();
            changed.terms[at].0 = changed.terms[at].0.signum();
            all.push(changed);
        }
    }
    let c = linear.constant;
    let constants = if c.abs() > 1 { vec![0, c / 2, c - c.signum()] } else { vec![0] };
    for constant in constants.into_iter().filter(|&new| new != c) {
        all.push(Linear { constant, ..linear.clone() });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, generate};

    #[test]
    fn what_matters_stays() {
        let small = |text: &str| text.contains("/ 2") && text.contains("for (");
        let failing = |p: &Program| p.text().is_some_and(|t| small(kernel(&t)));
        let mut found = 0;
        for seed in 0..40 {
            let program = generate(seed, &Shape::default());
            if !failing(&program) {
                continue;
            }
            found += 1;
            let shrunk = shrink(&program, 5000, &mut |p| failing(p));
            assert!(failing(&shrunk));
            assert!(shrunk.n_stmts() <= 1, "{}", kernel(&shrunk.text().expect("a meaning")));
        }
        assert!(found > 0);
    }

    /// The regions of a text.
    fn kernel(text: &str) -> &str {
        text.split("#pragma scop").nth(1).unwrap_or("")
    }
}
