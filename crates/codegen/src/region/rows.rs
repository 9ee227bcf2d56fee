//! What a vector loop uses again and again of the rows that are written out in it, in local arrays.

use super::Printer;
use crate::body::bare;
use crate::reduction::is_fixed;
use crate::zero::from_zero;
use farkas_astgen::{For, Node, User, UserKind};
use farkas_scop::{
    Access, AccessId, AccessKind, ArrayId, ArrayScope, BinaryOp, BodyStmt, Expr, Scop, Statement,
    StmtId,
};
use std::collections::BTreeSet;

/// The name of a local array of what rows use.
const ROWS: &str = "farkas_rows";

/// An element that a statement uses, for which a local array stands meanwhile.
pub(crate) struct InRows {
    stmt: StmtId,
    access: AccessId,
    text: String,
}

impl InRows {
    /// The text for an access of a statement.
    pub(crate) fn text_of(all: &[Self], stmt: StmtId, access: AccessId) -> Option<&str> {
        let found = all.iter().find(|one| one.stmt == stmt && one.access == access);
        found.map(|one| one.text.as_str())
    }
}

/// An element of each row that no iteration of the vector loop changes.
pub(super) struct Found {
    /// The loop over the rows, from zero.
    rows: For,
    /// How many there are.
    n: i64,
    user: User,
    access: AccessId,
}

impl Printer<'_> {
    /// What variables should hold of the rows in a vector loop. `None` where the loop around sets that, so that compilers know its values: of
    /// sums that become one vector clang makes vectors as they are computed, with a load for each lane.
    pub(super) fn rows_to_keep(&self, node: &For) -> Option<Vec<Found>> {
        let all = found(self.scop, node);
        let array = |one: &Found| self.scop.stmts()[one.user.stmt].accesses[one.access].array;
        let is_set = all.iter().any(|one| self.around.contains(&array(one)));
        (!is_set).then_some(all)
    }

    /// Opens a block with what a vector loop uses of the rows in it whatever its iteration: a compiler loads it again after each store, unless
    /// it can tell that they do not overlap.
    pub(super) fn rows_before(&mut self, node: &For, all: Vec<Found>, depth: usize) {
        self.line(depth, "{");
        let is_some = self.has_more(node, 0);
        let mut loaded: Vec<(String, String)> = Vec::new();
        for Found { rows, n, user, access } in all {
            let outside = self.c.depth();
            let header = self.header(&rows);
            let element = self.printer(&user).element(access);
            self.c.leave(&outside);
            let same = format!("{header} {element}");
            let known = loaded.iter().find(|(known, _)| *known == same);
            let name = known.map(|(_, name)| name.clone()).unwrap_or_else(|| {
                let plain = match loaded.len() {
                    0 => ROWS.to_owned(),
                    n => format!("{ROWS}{}", n + 1),
                };
                self.c.name(&plain)
            });
            let text = format!("{name}[{}]", rows.iterator);
            if known.is_none() {
                let stmt = &self.scop.stmts()[user.stmt];
                let ty = bare(&self.scop.arrays()[stmt.accesses[access].array].element.text);
                self.line(depth + 1, &format!("{ty} {name}[{n}];"));
                self.line(depth + 1, &format!("if ({is_some})"));
                self.line(depth + 2, &format!("#pragma GCC unroll {n}"));
                self.line(depth + 2, &header);
                self.line(depth + 3, &format!("{text} = {element};"));
                loaded.push((same, name));
            }
            self.rows.push(InRows { stmt: user.stmt, access, text });
        }
    }
}

/// The arrays that statements in a loop may write.
pub(super) fn written(scop: &Scop, node: &For) -> BTreeSet<ArrayId> {
    let mut found = BTreeSet::new();
    let mut look = |user: &User| {
        let accesses = scop.stmts()[user.stmt].accesses.iter();
        found.extend(accesses.filter(|a| a.kind != AccessKind::Read).map(|a| a.array));
    };
    node.body.iter().for_each(|inner| inner.for_each_user(&mut look));
    found
}

/// What statements in loops that are written out read of arrays in memory that the vector loop `node` around these does not write.
fn found(scop: &Scop, node: &For) -> Vec<Found> {
    let (written, mut stmts) = (written(scop, node), Vec::new());
    node.body.iter().for_each(|inner| inner.for_each_user(&mut |user| stmts.push(user.stmt)));
    let is_once = |stmt: StmtId| stmts.iter().filter(|other| **other == stmt).count() == 1;
    let mut all = Vec::new();
    for inner in &node.body {
        let Node::For(inner) = inner else { continue };
        let Some(n) = inner.n_written_out() else { continue };
        let rows = from_zero(inner);
        for user in &rows.body {
            let Node::User(user) = user else { continue };
            let stmt = &scop.stmts()[user.stmt];
            // Beyond the instances of a statement nothing is there to load.
            let is_instance = user.kind == UserKind::Instance;
            if !is_instance || !is_once(user.stmt) || !always_uses_all(stmt) {
                continue;
            }
            for (access, of) in stmt.accesses.iter_enumerated() {
                let is_own = |access, iterator: &str| !is_fixed(stmt, user, access, &[iterator]);
                if is_in_memory(scop, of)
                    && !written.contains(&of.array)
                    && is_own(access, &rows.iterator)
                    && !is_own(access, &node.iterator)
                {
                    all.push(Found { rows: rows.clone(), n, user: user.clone(), access });
                }
            }
        }
    }
    all
}

/// Whether a statement assigns once, and uses all that it accesses whatever data say.
fn always_uses_all(stmt: &Statement) -> bool {
    let [BodyStmt::Assign { value, .. }] = stmt.body.as_slice() else { return false };
    let mut always = true;
    value.walk(&mut |e| {
        always &= !matches!(
            e,
            Expr::Ternary(..) | Expr::Binary(BinaryOp::And | BinaryOp::Or, ..) | Expr::Verbatim(_)
        );
    });
    always
}

/// Whether an access reads an element in memory whose place no data decide.
fn is_in_memory(scop: &Scop, access: &Access) -> bool {
    let array = &scop.arrays()[access.array];
    let mut by_data = false;
    for subscript in &access.subscripts {
        subscript.walk(&mut |e| by_data |= matches!(e, Expr::Access(_) | Expr::Verbatim(_)));
    }
    access.kind == AccessKind::Read
        && array.rank() > 0
        && array.scope != ArrayScope::Buffer
        && !by_data
}
