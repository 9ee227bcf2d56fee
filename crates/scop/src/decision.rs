//! Statements that change something only where a value compares so with what they keep: `if (e > m) { m = e; at = i; }`. The more values
//! were compared, the rarer that is: of values in random order, the n-th is the greatest so far once in n times.

use crate::reduction::Reader;
use crate::{AccessId, Array, ArrayId, AssignOp, BodyStmt, Expr, Statement, UpdateForm};
use farkas_base::IdVec;

/// What decides whether a statement changes anything.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision<'a> {
    /// The condition, which reads nothing that the statement computes.
    pub condition: &'a Expr,
    /// Whether something changes where the condition holds, or where it does not.
    pub changes_where: bool,
    /// The elements that change.
    pub changed: Vec<AccessId>,
}

impl Statement {
    /// What decides whether the statement changes anything, where it keeps a value that compares so with the one that it kept before, and what comes with
    /// it; `None` for other statements. Least and greatest integers alone compilers find in vectors by themselves.
    pub fn decision(&self, arrays: &IdVec<ArrayId, Array>) -> Option<Decision<'_>> {
        let decision = match self.selected(arrays) {
            Some((condition, selection)) => {
                let key = self.accesses[selection.key.target].array;
                let is_left =
                    selection.others.is_empty() && !arrays[key].element.kind.is_floating();
                let changed = selection.kept().map(|kept| kept.target).collect();
                (!is_left).then_some(Decision { condition, changes_where: true, changed })?
            }
            None => self.of_extremum(arrays)?,
        };
        let mut is_apart = true;
        decision
            .condition
            .walk(&mut |e| is_apart &= !matches!(e, Expr::Local(_) | Expr::Verbatim(_)));
        is_apart.then_some(decision)
    }

    /// What decides whether the least or greatest of floating-point values changes, which is assigned always: `m = e > m ? e : m`.
    fn of_extremum(&self, arrays: &IdVec<ArrayId, Array>) -> Option<Decision<'_>> {
        let update = self.update(arrays)?;
        let target = update.target;
        let is_floating = arrays[self.accesses[target].array].element.kind.is_floating();
        let is_selected = matches!(update.form, UpdateForm::Selected { .. });
        let [
            BodyStmt::Assign {
                op: AssignOp::Set, value: Expr::Ternary(condition, yes, no), ..
            },
        ] = self.body.as_slice()
        else {
            return None;
        };
        let is_old = |e: &Expr| Reader { stmt: self, arrays, target }.element(e).is_some();
        let is_plain = is_selected && is_floating && update.condition.is_none();
        (is_plain && is_old(yes) != is_old(no)).then(|| Decision {
            condition,
            changes_where: is_old(no),
            changed: vec![target],
        })
    }
}
