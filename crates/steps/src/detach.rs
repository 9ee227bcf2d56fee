//! Instances of a statement as another statement.

use crate::flags::reaching;
use crate::lift::{Lifted, all_lifted};
use crate::numbered::all;
use crate::{LoopAddress, NotApplicable, Result, Rewrite, Subject};
use farkas_poly::UnionSet;
use farkas_scop::{Scop, StmtId};
use farkas_tree::{Band, Member, Node, Program, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a statement does in a loop, as a statement of its own, where other instances of it run elsewhere.
///
/// **Rewrite**: `sequence [band [f] of S, band [g] of S]` becomes `sequence [band [f] of T, band [g] of S]`. The order stays, and so does what
/// runs. Steps that are for a statement in one place, as `stage` is, apply to `T` and to `S` then.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Detach {
    /// The loop.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// The statement.
    pub stmt: String,
    /// What it is called in the loop, which later steps may name.
    pub name: String,
}

impl Rewrite for Detach {
    fn rewrite(&self, subject: &Subject<'_>) -> Result<Program> {
        let (scop, tree) = (subject.scop(), subject.tree());
        let missing = || NotApplicable::NoStatement(self.stmt.clone());
        let stmt = scop.stmt_by_name(&self.stmt).ok_or_else(missing)?;
        if scop.stmt_by_name(&self.name).is_some() {
            return Err(NotApplicable::NameTaken(self.name.clone()).into());
        }
        let at = subject.find(&self.at)?;
        let inside = self.parts(scop, stmt, &reaching(tree, &at.band)?)?;
        let mut program = subject.program.clone();
        program.tree = only_reaching(&all_lifted(tree, &inside)?, &UnionSet::none()?)?;
        let mut builder = scop.to_builder();
        let [own, rest] = &inside;
        builder.stmts.push(own.with_iterators(&scop.stmts()[stmt], Vec::new())?);
        builder.stmts[stmt] = rest.with_iterators(&scop.stmts()[stmt], Vec::new())?;
        program.scop = builder.build().map_err(crate::Error::Scop)?;
        let origin = program.origins.get(&self.stmt).unwrap_or(&self.stmt).clone();
        program.origins.insert(self.name.clone(), origin);
        Ok(program)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at]
    }

    fn stmts(&mut self) -> Vec<&mut String> {
        vec![&mut self.stmt]
    }

    fn new_stmts(&self) -> Vec<String> {
        vec![self.name.clone()]
    }
}

impl Detach {
    /// The instances among those that reach the loop, and the others.
    fn parts(&self, scop: &Scop, stmt: StmtId, reaching: &UnionSet) -> Result<[Lifted; 2]> {
        let domain = all(scop, stmt)?;
        let inside = domain.intersect(&reaching.extract_set(&domain.space()?)?)?;
        let rest = domain.subtract(&inside)?.coalesce()?;
        let why = match (inside.is_empty()?, rest.is_empty()?) {
            (true, _) => "none of its instances runs in the loop",
            (_, true) => "all of its instances run in the loop",
            _ => {
                let own = Lifted::named(&self.stmt, &self.name, &inside.coalesce()?, 0)?;
                return Ok([own, Lifted::same(&rest)?]);
            }
        };
        Err(NotApplicable::NotDetachable { stmt: self.stmt.clone(), why }.into())
    }
}

/// The tree with dates of the instances alone that reach a band.
fn only_reaching(tree: &ScheduleTree, instances: &UnionSet) -> Result<ScheduleTree> {
    let inside = match tree.node() {
        Node::Domain { domain, .. } => domain.clone(),
        Node::Filter { filter, .. } => instances.intersect(filter)?,
        _ => instances.clone(),
    };
    let children = tree.children().iter().map(|child| only_reaching(child, &inside));
    let children = children.collect::<Result<Vec<_>>>()?;
    let Node::Band { band, child } = tree.node() else { return Ok(tree.with_children(children)) };
    let mut members = Vec::new();
    for member in &band.members {
        let schedule = member.schedule.intersect_domain(&inside)?;
        members.push(Member { schedule, ..member.clone() });
    }
    let child = children.into_iter().next().unwrap_or_else(|| child.clone());
    Ok(ScheduleTree::band(Band { members, ..band.clone() }, child))
}
