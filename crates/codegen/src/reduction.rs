//! Loops whose iterations update copies of elements, which are combined afterwards: OpenMP's reductions.

use crate::body::bare;
use farkas_astgen::{Expr as AstExpr, For, Node, User};
use farkas_base::identifier;
use farkas_scop::{
    AccessId, AccessKind, Array, ArrayId, ArrayScope, BinaryOp, Expr, Freedom, Operator, Scop,
    Statement, Update, UpdateForm,
};

/// What the name of a variable that holds an element while its loop runs begins with.
pub(crate) const HELD: &str = "farkas_held";

/// An element that all iterations of a loop update.
pub(crate) struct Reduced<'a> {
    pub(crate) array: ArrayId,
    pub(crate) operator: Operator,
    /// A statement in the loop that updates it, with the access.
    pub(crate) user: &'a User,
    pub(crate) target: AccessId,
    /// The variable that holds it meanwhile; none where it is a variable itself.
    pub(crate) held: Option<Held>,
    /// The extents of the buffer of which it is a cell in each iteration of loops that are written out; none where it is one element.
    pub(crate) cells: Vec<i64>,
}

/// A variable that holds an element.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) name: String,
    /// Its type.
    pub(crate) ty: String,
    /// The element's type, where that is another one.
    pub(crate) back: Option<String>,
    /// Whether it is one of several, in vector lanes.
    pub(crate) is_lane: bool,
}

/// The elements that the iterations of a loop update, which a mark says of it; `None` where the generated code does not show that each is
/// one element. Those that variables of loops around hold already, `known`, have no other one. `name` makes names of variables.
pub(crate) fn reduced<'a>(
    scop: &'a Scop,
    node: &'a For,
    known: &[(ArrayId, Held)],
    name: impl Fn(&str) -> String,
) -> Option<Vec<Reduced<'a>>> {
    let arrays = scop.arrays().iter_enumerated();
    let marked = arrays.filter(|(_, array)| node.info.reduced.contains(&array.name));
    let mut found: Vec<Reduced<'a>> = Vec::new();
    for (id, _) in marked {
        let Some(mut one) = updated(scop, node, id)? else { continue };
        if known.iter().any(|(array, _)| *array == one.array) {
            one.held = None;
        }
        if let Some(held) = &mut one.held {
            let plain = match known.len() + found.len() {
                0 => HELD.to_owned(),
                n => format!("{HELD}{}", n + 1),
            };
            held.name = name(&plain);
        }
        found.push(one);
    }
    Some(found)
}

/// The element of an array that a loop updates, or the cells of a buffer: `None` for several, nothing inside where there is none.
pub(crate) fn updated<'a>(
    scop: &Scop,
    node: &'a For,
    array: ArrayId,
) -> Option<Option<Reduced<'a>>> {
    let mut users: Vec<&'a User> = Vec::new();
    collect(&node.body, &mut users);
    let mut inside: Vec<&str> = vec![&node.iterator];
    node.body.iter().for_each(|inner| iterators(inner, &mut inside));
    let is_run = runs_once(node);
    let (mut found, mut is_one): (Option<(&'a User, Update<'_>)>, bool) = (None, true);
    for user in users {
        let stmt = &scop.stmts()[user.stmt];
        if !stmt.accesses.iter().any(|access| access.array == array) {
            continue;
        }
        let update = stmt.update(scop.arrays())?;
        let is_certain = is_run && update.condition.is_none();
        let of = &scop.arrays()[array];
        if !is_fixed(stmt, user, update.target, &[&node.iterator])
            || !is_certain && update.operator.needs_update(of)
        {
            return None;
        }
        is_one &= is_fixed(stmt, user, update.target, &inside);
        found = Some(match found {
            None => (user, update),
            Some((first, known)) => {
                is_one &= is_same_element((scop, first, known.target), (user, update.target));
                if known.operator != update.operator {
                    return None;
                }
                (first, Update { freedom: known.freedom.max(update.freedom), ..known })
            }
        });
    }
    let Some((user, Update { target, operator, freedom, .. })) = found else { return Some(None) };
    let of = &scop.arrays()[array];
    let (held, cells) = match is_one {
        true => (held(of, &operator, freedom), Vec::new()),
        false => {
            (None, cells(of, node, array).filter(|_| !matches!(freedom, Freedom::Unsigned(_)))?)
        }
    };
    Some(Some(Reduced { array, operator, user, target, held, cells }))
}

/// The extents of a buffer that is declared outside of a loop in which all loops are written out, so that all its cells may be in registers.
fn cells(of: &Array, node: &For, array: ArrayId) -> Option<Vec<i64>> {
    let is_outside = of.scope == ArrayScope::Buffer && !node.info.buffers.contains(&array);
    of.constant_extents().filter(|_| is_outside && are_written_out(&node.body))
}

/// Whether there are only statements and loops that are written out.
fn are_written_out(nodes: &[Node]) -> bool {
    nodes.iter().all(|node| match node {
        Node::For(inner) => {
            inner.n_written_out().is_some()
                && inner.info.buffers.is_empty()
                && are_written_out(&inner.body)
        }
        Node::User(_) => true,
        Node::If(_) | Node::Block(_) => false,
    })
}

/// Whether statements in a loop run whenever the loop has an iteration: right in it, or in loops over the iterations of a tile, of which each has
/// some.
fn runs_once(node: &For) -> bool {
    match node.body.as_slice() {
        [Node::For(inner)] => has_iterations(node, inner) && runs_once(inner),
        body => body.iter().all(|inner| matches!(inner, Node::User(_))),
    }
}

/// Whether a loop has an iteration in each one of the loop around it: it begins there, and ends later, or where that one does.
fn has_iterations(outer: &For, inner: &For) -> bool {
    let begins = inner.first == AstExpr::iterator(&outer.iterator);
    let is_later = |end: &AstExpr| {
        outer.end.options(false).iter().any(|known| known == end)
            || end.minus(&inner.first).as_int().is_some_and(|distance| distance > 0)
    };
    begins && inner.step > 0 && outer.step > 0 && inner.end.options(false).iter().all(is_later)
}

/// A reduction that OpenMP does not have.
pub(crate) struct Declared<'a> {
    /// The types that it is for.
    pub(crate) types: String,
    /// The function that combines two values.
    pub(crate) function: &'a str,
    /// What copies begin with.
    pub(crate) neutral: &'a str,
}

impl Reduced<'_> {
    /// OpenMP's word for the operator in a `reduction` clause, or that of a reduction that is declared for it.
    pub(crate) fn clause_word(&self, scop: &Scop) -> String {
        let word = match &self.operator {
            Operator::Sum => "+",
            Operator::Product => "*",
            Operator::Min => "min",
            Operator::Max => "max",
            Operator::Fmin => "farkas_fmin",
            Operator::Fmax => "farkas_fmax",
            Operator::BitAnd => "&",
            Operator::BitOr => "|",
            Operator::BitXor => "^",
            Operator::And => "&&",
            Operator::Or => "||",
            Operator::Function(function) => {
                let name = identifier(&scop.arrays()[self.array].source_name);
                return format!("farkas_{}_into_{name}", function.name);
            }
        };
        word.to_owned()
    }

    /// The comparison under which the element changes at all, where the program leaves it alone otherwise: somebody else may look at it.
    pub(crate) fn selected_where(&self, scop: &Scop) -> Option<BinaryOp> {
        let stmt = &scop.stmts()[self.user.stmt];
        let update = stmt.update(scop.arrays())?;
        match (update.form, stmt.accesses[self.target].kind) {
            (UpdateForm::Selected { op, .. }, AccessKind::MayWrite) => Some(match op {
                BinaryOp::Ge => BinaryOp::Gt,
                BinaryOp::Le => BinaryOp::Lt,
                strict => strict,
            }),
            _ => None,
        }
    }

    /// What is to be declared for the operator. OpenMP's own least and greatest take what is no number for greater and less than none, but keep
    /// it; the user's functions it does not know. They have a word for each element, for it is declared for the element's type.
    pub(crate) fn declared(&self, scop: &Scop) -> Option<Declared<'_>> {
        let of_numbers = |function| {
            let types = "float, double".to_owned();
            Some(Declared { types, function, neutral: "__builtin_nan(\"\")" })
        };
        match &self.operator {
            Operator::Fmin => of_numbers("__builtin_fmin"),
            Operator::Fmax => of_numbers("__builtin_fmax"),
            Operator::Function(function) => Some(Declared {
                types: bare(&scop.arrays()[self.array].element.text),
                function: &function.name,
                neutral: &function.neutral,
            }),
            _ => None,
        }
    }
}

/// The variable for an element, without its name; none where it is a plain variable of a type that serves.
fn held(array: &Array, operator: &Operator, freedom: Freedom) -> Option<Held> {
    let own = bare(&array.element.text);
    let name = String::new();
    match freedom {
        Freedom::Unsigned(bits) => {
            let ty = if bits > 32 { "unsigned long" } else { "unsigned" };
            Some(Held { name, ty: ty.to_owned(), back: Some(own), is_lane: false })
        }
        // Compilers compute with bytes in vectors, but not with truth values.
        _ if array.element.is_truth() && is_bitwise(operator) => {
            Some(Held { name, ty: "unsigned char".to_owned(), back: Some(own), is_lane: false })
        }
        // What is entered updates it: a loop without iterations leaves it as it is.
        _ if is_variable(array) && !operator.needs_update(array) => None,
        _ => Some(Held { name, ty: own, back: None, is_lane: false }),
    }
}

/// Whether an operator combines bits.
fn is_bitwise(operator: &Operator) -> bool {
    matches!(operator, Operator::BitAnd | Operator::BitOr | Operator::BitXor)
}

/// Whether an array is a variable that clauses may name.
fn is_variable(array: &Array) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    array.rank() == 0
        && array.printed_name().chars().all(is_name)
        && !matches!(array.scope, ArrayScope::Buffer | ArrayScope::Expanded)
}

/// The statements below nodes.
fn collect<'a>(nodes: &'a [Node], users: &mut Vec<&'a User>) {
    for node in nodes {
        match node {
            Node::For(inner) => collect(&inner.body, users),
            Node::If(arms) => {
                collect(&arms.then, users);
                collect(&arms.otherwise, users);
            }
            Node::Block(inner) => collect(&inner.body, users),
            Node::User(user) => users.push(user),
        }
    }
}

/// The iterators of the loops below a node.
fn iterators<'a>(node: &'a Node, found: &mut Vec<&'a str>) {
    match node {
        Node::For(inner) => {
            found.push(&inner.iterator);
            inner.body.iter().for_each(|node| iterators(node, found));
        }
        Node::If(arms) => {
            arms.then.iter().chain(&arms.otherwise).for_each(|node| iterators(node, found));
        }
        Node::Block(inner) => inner.body.iter().for_each(|node| iterators(node, found)),
        Node::User(_) => {}
    }
}

/// Whether the subscripts of an access mention no iterator of these.
pub(crate) fn is_fixed(stmt: &Statement, user: &User, access: AccessId, inside: &[&str]) -> bool {
    let mut is_fixed = true;
    for subscript in &stmt.accesses[access].subscripts {
        subscript.walk(&mut |e| {
            if let Expr::Iterator(at) = e {
                let value = user.values.get(*at as usize);
                let mentions = |value: &farkas_astgen::Expr| {
                    inside.iter().any(|iterator| value.mentions(iterator))
                };
                is_fixed &= value.is_some_and(|value| !mentions(value));
            }
        });
    }
    is_fixed
}

/// Whether two accesses are written as the same element, the iterators' values counted in.
fn is_same_element(
    (scop, first, of_first): (&Scop, &User, AccessId),
    (second, of_second): (&User, AccessId),
) -> bool {
    let subscripts = |user: &User, access: AccessId| {
        let of = &scop.stmts()[user.stmt].accesses[access];
        let mut values = Vec::new();
        for subscript in &of.subscripts {
            subscript.walk(&mut |e| {
                if let Expr::Iterator(at) = e {
                    values.push(user.values.get(*at as usize).cloned());
                }
            });
        }
        let plain = |e: &Expr| {
            e.rewritten(&mut |e| match e {
                Expr::Iterator(_) => Some(Expr::Iterator(0)),
                _ => None,
            })
        };
        (of.subscripts.iter().map(plain).collect::<Vec<_>>(), values)
    };
    subscripts(first, of_first) == subscripts(second, of_second)
}
