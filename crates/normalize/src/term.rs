//! Texts whose names, and the order of some parts, are still open.

use std::collections::BTreeSet;

farkas_base::define_id!(
    /// An array or a parameter that is still to be named.
    pub(crate) struct NameId("x")
);

/// What a text is made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Term {
    /// Text as it stands.
    Text(String),
    /// The name of something.
    Name(NameId),
    /// Parts in their order.
    List(Marks, Vec<Term>),
    /// Parts in any order.
    Bag(Marks, Vec<Term>),
}

/// What stands before, between and behind parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Marks(pub(crate) &'static str, pub(crate) &'static str, pub(crate) &'static str);

impl Marks {
    /// Nothing before and behind.
    pub(crate) fn between(mark: &'static str) -> Self {
        Self("", mark, "")
    }
}

impl Term {
    /// Text as it stands.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Parts one right after another.
    pub(crate) fn row(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::List(Marks::between(""), parts.into_iter().collect())
    }

    /// The text with these names, parts whose order is open in that of their texts.
    pub(crate) fn print(&self, name: &dyn Fn(NameId) -> String) -> String {
        let print = |parts: &[Self]| parts.iter().map(|part| part.print(name)).collect();
        let join = |marks: &Marks, parts: Vec<String>| {
            format!("{}{}{}", marks.0, parts.join(marks.1), marks.2)
        };
        match self {
            Self::Text(text) => text.clone(),
            Self::Name(id) => name(*id),
            Self::List(marks, parts) => join(marks, print(parts)),
            Self::Bag(marks, parts) => {
                let mut parts: Vec<String> = print(parts);
                parts.sort_unstable();
                join(marks, parts)
            }
        }
    }

    /// The names in it.
    pub(crate) fn names(&self) -> BTreeSet<NameId> {
        match self {
            Self::Text(_) => BTreeSet::new(),
            Self::Name(id) => BTreeSet::from([*id]),
            Self::List(_, parts) | Self::Bag(_, parts) => {
                parts.iter().flat_map(Self::names).collect()
            }
        }
    }
}

/// Statements in loops.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A statement.
    Stmt(Term),
    /// What a loop runs.
    Loop(Box<Part>),
    /// Parts one after another; for each those that must run before it.
    Sequence(Vec<(Part, BTreeSet<usize>)>),
}

impl Part {
    /// The lines, inside of `depth` loops. Of parts of which either may be next the one with the least text is.
    pub(crate) fn lines(&self, depth: usize, name: &dyn Fn(NameId) -> String) -> Vec<String> {
        match self {
            Self::Stmt(line) => vec![line.print(name)],
            Self::Loop(inner) => {
                let inner = inner.lines(depth + 1, name);
                // A loop that runs nothing is none.
                let mut lines = Vec::new();
                lines.extend((!inner.is_empty()).then(|| format!("for i{depth}")));
                lines.extend(inner.into_iter().map(|line| format!("  {line}")));
                lines
            }
            Self::Sequence(parts) => {
                let texts: Vec<_> = parts.iter().map(|(p, _)| p.lines(depth, name)).collect();
                let mut left: BTreeSet<usize> = (0..parts.len()).collect();
                let mut lines = Vec::new();
                while !left.is_empty() {
                    let is_free = |at: &usize| parts[*at].1.is_disjoint(&left);
                    let next = left.iter().copied().filter(is_free).min_by_key(|at| &texts[*at]);
                    // No part waits for itself: the first that is left is free.
                    let Some(next) = next.or_else(|| left.first().copied()) else { break };
                    left.remove(&next);
                    lines.extend(texts[next].iter().cloned());
                }
                lines
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Marks, NameId, Part, Term};
    use farkas_base::Id;
    use std::collections::BTreeSet;

    fn name(id: NameId) -> String {
        format!("{id}")
    }

    #[test]
    fn parts_in_any_order_are_sorted() {
        let x = |n| Term::Name(NameId::from_index(n));
        let sum = Term::Bag(Marks("(", " + ", ")"), vec![x(2), Term::text("1"), x(0)]);
        assert_eq!(sum.print(&name), "(1 + x0 + x2)");
        assert_eq!(sum.names().len(), 2);
    }

    #[test]
    fn parts_that_wait_come_behind_what_they_wait_for() {
        let stmt = |text: &str| Part::Stmt(Term::text(text));
        let parts = [("a", vec![1]), ("c", vec![]), ("b", vec![])];
        let parts = parts.map(|(text, after)| (stmt(text), BTreeSet::from_iter(after)));
        let nest = Part::Loop(Box::new(Part::Sequence(parts.into())));
        assert_eq!(nest.lines(0, &name), ["for i0", "  b", "  c", "  a"]);
    }
}
