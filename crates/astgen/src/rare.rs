//! Loops whose iterations rarely change anything.

use crate::ast::{For, LoopKind, Node, User, UserKind};
use farkas_scop::{Decision, Expr, Scop};

/// How many iterations are asked at once whether any changes something: a few vectors, so that little is done again where one does.
pub const ASKED_AT_ONCE: i64 = 64;

impl For {
    /// The instances in each iteration with what decides whether they change anything, where the loop is marked for blocks of iterations to be
    /// asked at once; `None` where it is not, where something else runs in it, or where instances change elements that move along the loop.
    pub fn decisions<'a>(&'a self, scop: &'a Scop) -> Option<Vec<(&'a User, Decision<'a>)>> {
        if self.info.kind != LoopKind::Rare || self.step != 1 || self.body.is_empty() {
            return None;
        }
        let decided = |node: &'a Node| {
            let Node::User(user) = node else { return None };
            let decision = scop.stmts()[user.stmt].decision(scop.arrays())?;
            let stay = decision.changed.iter().all(|access| {
                let access = &scop.stmts()[user.stmt].accesses[*access];
                let is_named = access.subscripts.len() == scop.arrays()[access.array].rank();
                is_named && access.subscripts.iter().all(|subscript| self.stays(user, subscript))
            });
            (user.kind == UserKind::Instance && stay).then_some((user, decision))
        };
        self.body.iter().map(decided).collect()
    }

    /// Whether an expression has the same value in all iterations, as its text shows.
    fn stays(&self, user: &User, expression: &Expr) -> bool {
        let mut stays = true;
        expression.walk(&mut |e| match e {
            Expr::Iterator(at) => {
                let value = user.values.get(*at as usize);
                stays &= value.is_some_and(|value| !value.mentions(&self.iterator));
            }
            Expr::Access(_) | Expr::Call(..) | Expr::Local(_) | Expr::Verbatim(_) => stays = false,
            _ => {}
        });
        stays
    }
}
