//! Partial results for the iterations of a loop.

mod gathered;
mod neutral;
mod statements;

use crate::buffer::{Axis, Buffer, Part, UNKNOWN_LENGTH, iterator};
use crate::numbered::{Numbered, all};
use crate::spread::Spread;
use crate::stage::place::{New, Place};
use crate::stage::statements::Writer;
use crate::tree::{Loop, marks_above};
use crate::{LoopAddress, NotApplicable, Result, Rewrite, Subject};
use farkas_analysis::Affine;
use farkas_base::{IdVec, NameGenerator, identifier};
use farkas_poly::PwAff;
use farkas_scop::{AccessId, Array, ArrayScope, ScopBuilder, Statement};
use farkas_tree::Program;
use gathered::Gathered;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statements::Statements;
use std::collections::BTreeSet;

/// A partial result for each iteration of a loop: what a statement's updates contribute is gathered in a cell of the iteration's own, and
/// combined with the element when the loop has ended.
///
/// **Rewrite**: `band [f]; S`, in which `S` is `x = x ⊛ e`, becomes `sequence [begin: part[f] = neutral; band [f]; part[f] = part[f] ⊛ e; combine:
/// x = x ⊛ part[f]]`. Iterations no longer wait for one another because of `x`: they may run on threads or in lanes. Where loops inside go
/// along elements, a cell has a place for each. Sums of signed integers are gathered in the unsigned type. Results are combined in
/// the order of the iterations, so that they are the same for any number of threads.
///
/// Where data chooses the element, as in `count[x[i]] += 1`, there is a cell for each that it may choose, and all are combined; where the
/// statement may leave elements alone that are not there, so do those whose cells stayed neutral: `if (part[f] != 0) x += part[f]`.
///
/// A [selection](farkas_scop::Selection), `if (e > m) { m = e; at = i; }`, has cells for all that it keeps, and iterations select from them in their order.
///
/// Legal where the order of the updates is free ([`Reassociation`](farkas_scop::Reassociation)) and nothing else needs the element meanwhile; of
/// selections, where the order of the loop is the program's.
///
/// **Paper** PANAMERA decomposes reductions over blocks and threads so; the privatisation of reductions is that of X. Redon and P. Feautrier,
/// *Scheduling reductions*, ICS 1994, and of J. Doerfert et al., *Polly's polyhedral scheduling in the presence of reductions*, IMPACT 2015.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Privatise {
    /// The loop whose iterations have partial results. It is the outermost of its band.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// The statement that updates.
    pub stmt: String,
    /// The name of the statement that begins partial results; without it, that of the statement and `_begin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begin: Option<String>,
    /// The name of the one that combines them; without it, that of the statement and `_combine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub combine: Option<String>,
}

impl Rewrite for Privatise {
    fn rewrite(&self, subject: &Subject<'_>) -> Result<Program> {
        let at = subject.find(&self.at)?;
        let numbered = Numbered::of(subject, &self.stmt)?;
        let gathered = Gathered::of(self, &numbered)?;
        let elements = gathered.elements().concat();
        let spread = Spread::of(&numbered, gathered.target(), &elements)?
            .ok_or_else(|| self.refused("no subscript says which element it updates"))?;
        Gathering::of(self, (&numbered, gathered), &spread, &at)?.program()
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.at]
    }

    fn stmts(&mut self) -> Vec<&mut String> {
        vec![&mut self.stmt]
    }

    fn new_stmts(&self) -> Vec<String> {
        vec![self.begin_name(), self.combine_name()]
    }
}

impl Privatise {
    /// What the statement that begins partial results is called.
    fn begin_name(&self) -> String {
        self.begin.clone().unwrap_or_else(|| format!("{}_begin", self.stmt))
    }

    /// What the statement that combines them is called.
    fn combine_name(&self) -> String {
        self.combine.clone().unwrap_or_else(|| format!("{}_combine", self.stmt))
    }

    /// Why there are none.
    fn refused(&self, why: &'static str) -> crate::Error {
        NotApplicable::NoPartials { stmt: self.stmt.clone(), why }.into()
    }
}

/// Partial results in the making.
struct Gathering<'a> {
    step: &'a Privatise,
    /// The program, and the statement in it.
    numbered: &'a Numbered,
    gathered: Gathered<'a>,
    /// The same with an instance for each element that data may choose.
    spread: &'a Spread,
    stmt: &'a Statement,
    subscripts: IdVec<AccessId, Option<Vec<Affine>>>,
    /// The place of the loop among those around the statement.
    place: usize,
    /// The loops that run through cells: this one, and those inside that go along elements.
    layout: Vec<usize>,
    /// The dimensions of cells: that of this loop, those that data chooses, and those of loops inside.
    axes: Vec<Axis>,
}

impl<'a> Gathering<'a> {
    /// What a step gathers.
    fn of(
        step: &'a Privatise,
        (numbered, gathered): (&'a Numbered, Gathered<'a>),
        spread: &'a Spread,
        at: &Loop,
    ) -> Result<Self> {
        let Numbered { program, stmt, path } = &spread.numbered;
        let stmt = &program.scop.stmts()[*stmt];
        let Some(place) = path.iter().position(|around| around.at.is_same(at)) else {
            return Err(step.refused("the loop is not around it"));
        };
        if at.member > 0 {
            return Err(step.refused("other loops of the band are around the loop"));
        }
        let mut subscripts = IdVec::new();
        for access in &stmt.accesses {
            subscripts.push(Affine::of_relation(&access.relation)?);
        }
        let Some(rows) = &subscripts[gathered.target()] else {
            return Err(step.refused("its element is no affine function of iterators"));
        };
        let along = |at: usize| rows.iter().any(|row| row.involves(at));
        let inner = path.iter().enumerate().skip(place + 1).filter(|(_, around)| {
            around.tiles.is_none() && iterator(around.row.as_ref()).is_some_and(along)
        });
        let layout: Vec<usize> = std::iter::once(place).chain(inner.map(|(at, _)| at)).collect();
        let mut axes = Vec::new();
        for at in &layout {
            axes.push(axis(step, &spread.numbered, *at, place, &layout)?);
        }
        for of in 0..spread.chosen.len() {
            let of = chosen_axis(step, &spread.numbered, of)?;
            axes.insert(axes.len() + 1 - layout.len(), of);
        }
        Ok(Self { step, numbered, gathered, spread, stmt, subscripts, place, layout, axes })
    }

    /// The program with partial results.
    fn program(&self) -> Result<Program> {
        let Numbered { program, stmt, path } = self.numbered;
        let scop = &program.scop;
        let mut builder = scop.to_builder();
        let kept = self.kept();
        let with_choices = &self.spread.numbered;
        let part = |name: String| match scop.stmt_by_name(&name) {
            Some(_) => Err(NotApplicable::NameTaken(name).into()),
            None => Part::projected(&with_choices.program.scop, *stmt, &name, &kept),
        };
        let begin = part(self.step.begin_name())?;
        let combine = part(self.step.combine_name())?;
        let mut cells = Vec::new();
        for element in self.gathered.elements() {
            cells.push(self.cells(&mut builder, &element)?);
        }
        let Some(first) = cells.first() else { return Ok(program.clone()) };
        let writer = Writer {
            scop,
            stmt: self.stmt,
            subscripts: &self.subscripts,
            path: &with_choices.path,
            buffer: first,
        };
        let statements = Statements { gathering: self, writer, cells: &cells };
        builder.stmts.push(statements.beginning(&begin)?);
        builder.stmts.push(statements.combining(&combine)?);
        builder.stmts[*stmt] = statements.gathering()?;
        let n_carrying = if self.are_apart() { 1 } else { self.axes.len() };
        let place = Place {
            path: &path[..self.place],
            n_marks: marks_above(&program.tree, &path[self.place].at.band).len(),
            sizes: Vec::new(),
            users: all(scop, *stmt)?.to_union_set()?,
            before: self.beside(&writer, &begin)?,
            after: Some(New { n_carrying, ..self.beside(&writer, &combine)? }),
        };
        let tree = place.around(&program.tree, &path[self.place].at.band)?;
        let scop = builder.build().map_err(crate::Error::Scop)?;
        Ok(Program { scop, tree, ..program.clone() })
    }

    /// Whether cells of one iteration are combined with different elements, whichever of the loops along elements they differ in: not those
    /// of `x[i + j]`.
    fn are_apart(&self) -> bool {
        let Some(rows) = &self.subscripts[self.gathered.target()] else { return false };
        let along: Vec<usize> = self.axes.iter().skip(1).map(|axis| axis.of).collect();
        along.iter().all(|of| {
            let others = || along.iter().filter(|other| *other != of);
            rows.iter().any(|row| row.involves(*of) && !others().any(|other| row.involves(*other)))
        })
    }

    /// A statement beside the loop.
    fn beside(&self, writer: &Writer<'_>, part: &Part) -> Result<New> {
        let dates = match self.place.checked_sub(1) {
            Some(last) => writer.dates(part, last)?,
            None => Some(Vec::new()),
        };
        let dates = dates
            .ok_or_else(|| self.step.refused("dates of a loop around are no affine functions"))?;
        let mut loops: Vec<(PwAff, Option<i64>)> = Vec::new();
        for at in &self.layout {
            let around = &self.spread.numbered.path[*at];
            let date = match &around.row {
                Some(row) => part.dates(row)?,
                None => None,
            };
            let date =
                date.ok_or_else(|| self.step.refused("a loop through cells has no affine dates"))?;
            loops.push((date, around.tiles.as_ref().map(|tiles| tiles.size)));
        }
        for of in 0..self.spread.chosen.len() {
            loops.insert(1 + of, (part.value(of)?, None));
        }
        Ok(New { domain: part.domain.clone(), dates, loops, n_carrying: 0 })
    }

    /// The dimensions of the statement that those beside the loop have, too.
    fn kept(&self) -> Vec<usize> {
        let path = &self.spread.numbered.path;
        let mut kept = BTreeSet::new();
        for row in path[..self.place].iter().filter_map(|around| around.row.as_ref()) {
            kept.extend((0..row.dims.len()).filter(|at| row.involves(*at)));
        }
        for axis in &self.axes {
            kept.extend([axis.of].into_iter().chain(axis.from.map(|(from, _)| from)));
        }
        kept.into_iter().collect()
    }

    /// The array of cells for the element of these accesses, which is added to the others: a buffer where their number is known, else allocated.
    fn cells(&self, builder: &mut ScopBuilder, element: &[AccessId]) -> Result<Buffer> {
        let scop = &self.numbered.program.scop;
        let of = element.first().map_or(self.gathered.target(), |target| *target);
        let array = &builder.arrays[self.stmt.accesses[of].array];
        let wanted = format!("{}_part", array.source_name);
        let reduction = array.reduction.clone();
        let element = self.gathered.unsigned().unwrap_or_else(|| array.element.clone());
        if self.axes.iter().all(|axis| axis.extent.is_some()) {
            let buffer = Buffer::new(scop, builder, &wanted, &element, self.axes.clone())?;
            builder.arrays[buffer.array].reduction = reduction;
            return Ok(buffer);
        }
        if self.place > 0 {
            return Err(self.step.refused(UNKNOWN_LENGTH));
        }
        let name = NameGenerator::new(scop.names()).fresh(&identifier(&wanted));
        let array = builder.arrays.push(Array {
            name: name.clone(),
            source_name: name.clone(),
            element,
            extents: vec![None; self.axes.len()],
            scope: ArrayScope::Expanded,
            is_live_in: false,
            is_live_out: false,
            declaration: None,
            reduction,
            span: None,
        });
        let buffer = Buffer { array, name, axes: self.axes.clone(), turns: None };
        if !buffer.extend(&self.spread.numbered, builder)? {
            return Err(self.step.refused(UNKNOWN_LENGTH));
        }
        Ok(buffer)
    }
}

/// The dimension of cells through which a loop runs.
fn axis(
    step: &Privatise,
    numbered: &Numbered,
    at: usize,
    place: usize,
    layout: &[usize],
) -> Result<Axis> {
    let is_known = |outer: usize| outer <= place || layout.contains(&outer);
    Axis::along_any(numbered, at, is_known)?.map_err(|why| step.refused(why))
}

/// The dimension of cells for a subscript that data chooses.
fn chosen_axis(step: &Privatise, numbered: &Numbered, of: usize) -> Result<Axis> {
    if let Ok(axis) = Axis::whole(numbered, of, 1)? {
        return Ok(axis);
    }
    Axis::from_zero(numbered, of, 1)?.ok_or_else(|| step.refused("data may choose any element"))
}
