//! What iterations use of an array, in a buffer of their own.
//!
//! - `operand`: what of the statement is staged; `others`: which other statements use it.
//! - `statements`: those that fill and empty the buffer, and the one that uses it; `place`: where they stand.

mod operand;
mod others;
pub(crate) mod place;
pub(crate) mod statements;

pub use operand::operand_type;

use crate::buffer::{Axis, Buffer, NO_ITERATOR, Part, Turns, UNKNOWN_LENGTH, iterator};
use crate::numbered::{Around, Numbered, all};
use crate::tree::{Loop, marks_above};
use crate::{ArrayAddress, LoopAddress, NotApplicable, Result, Rewrite, Subject};
use farkas_analysis::{Affine, stmt_names};
use farkas_base::IdVec;
use farkas_poly::{PwAff, UnionSet};
use farkas_scop::{
    AccessId, AccessKind, ArrayId, BodyStmt, ElementType, Expr, ScopBuilder, Statement, StmtId,
};
use farkas_tree::{Mark, Node, Program, ScheduleTree};
use operand::Search;
use place::{New, Place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statements::Writer;
use std::collections::BTreeSet;

/// What a statement uses of an array in an iteration of a loop, in a buffer: filled when the iteration begins, and copied back when it
/// ends where the statement writes it.
///
/// **Rewrite**: `band [f]; S` becomes `band [f]; sequence [fill: loops; S, empty: loops]`, in which `S` uses the buffer. Loops over tiles around
/// `S` become dimensions of it, the number of a tile each. What is staged is the target of the statement where it is what `array` names and
/// depends on the iterators of `layout`; else the largest part of its expression that reads `array` and depends on these iterators, and on no
/// others of loops inside: products with constants are computed once. Without a layout, it is the first element of `array` in the statement
/// that stays where it is while loops inside run, and the buffer is a variable. Legal where nothing else touches the elements meanwhile.
///
/// With several buffers, iterations have them in turn, the one with number `v` has `v mod n`: what fills a buffer may come iterations earlier, by
/// [`Shift`](crate::Shift), and what came first stands in front of the loop then, by [`Cut`](crate::Cut).
///
/// **Paper** packing is that of Goto and van de Geijn, *Anatomy of high-performance matrix multiplication*, TOMS 2008; ours knows of no product,
/// but of loops.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The loop whose iterations have buffers.
    #[serde(rename = "loop")]
    pub at: LoopAddress,
    /// The statement.
    pub stmt: String,
    /// The array that is staged.
    pub array: ArrayAddress,
    /// The loops around the statement, inside of the first one, that run through the buffer's dimensions, from the outermost dimension on:
    /// of a loop over tiles, a dimension counts these; of one inside of such a loop, which is listed or around, it runs through one of
    /// them. The buffer is filled, and copied back, in the order of its memory.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layout: Vec<LoopAddress>,
    /// How many elements each dimension of the buffer has that nothing uses, from the outermost on, so that rows begin in other banks of shared
    /// memory; none where nothing is said.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pad: Vec<u16>,
    /// How many buffers the iterations of the loop have in turn, so that one can be filled while another is used; one where nothing is said. They are
    /// the outermost dimension.
    #[serde(default = "one_buffer", skip_serializing_if = "is_one_buffer")]
    #[schemars(range(min = 1, max = 8))]
    pub buffers: u16,
    /// Other statements that use the same element in each iteration, and then the variable: of buffers without a layout alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// The name of the statement that fills the buffer; without it, that of the statement and `_load`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<String>,
    /// The name of the one that copies it back; without it, that of the statement and `_store`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<String>,
}

/// The most buffers that iterations have in turn.
pub const MAX_BUFFERS: u16 = 8;

/// The buffers of a loop where nothing is said.
fn one_buffer() -> u16 {
    1
}

/// Whether there is nothing to say of the number of buffers.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_one_buffer(n: &u16) -> bool {
    *n == 1
}

impl Rewrite for Stage {
    fn rewrite(&self, subject: &Subject<'_>) -> Result<Program> {
        if !(1..=MAX_BUFFERS).contains(&self.buffers) {
            let why = "iterations have between 1 and 8 buffers in turn";
            return Err(NotApplicable::BadNumber(why).into());
        }
        let mut users = std::iter::once(&self.stmt).chain(&self.others);
        if let Some(padded) = users.find_map(|stmt| padded(subject.tree(), stmt)) {
            return Err(NotApplicable::Marked(padded.clone()).into());
        }
        let array = self.array.find(subject.scop())?;
        let at = subject.find(&self.at)?;
        let layout: Result<Vec<Loop>> = self.layout.iter().map(|at| subject.find(at)).collect();
        let layout = layout?;
        let numbered = Numbered::of(subject, &self.stmt)?;
        if self.pad.len() > layout.len() {
            return Err(NotApplicable::BadNumber(
                "a buffer is padded in the dimensions of its layout",
            )
            .into());
        }
        let staging = Staging::of(self, &numbered, array, &at, &layout)?;
        staging.program()
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        std::iter::once(&mut self.at).chain(&mut self.layout).collect()
    }

    fn arrays(&mut self) -> Vec<&mut ArrayAddress> {
        vec![&mut self.array]
    }

    fn stmts(&mut self) -> Vec<&mut String> {
        std::iter::once(&mut self.stmt).chain(&mut self.others).collect()
    }

    fn new_stmts(&self) -> Vec<String> {
        vec![self.load_name(), self.store_name()]
    }
}

impl Stage {
    /// What the statement that fills the buffer is called.
    fn load_name(&self) -> String {
        self.load.clone().unwrap_or_else(|| format!("{}_load", self.stmt))
    }

    /// What the statement that copies it back is called.
    fn store_name(&self) -> String {
        self.store.clone().unwrap_or_else(|| format!("{}_store", self.stmt))
    }

    /// The accesses of other statements to an element of the one of `numbered`.
    fn others(
        &self,
        numbered: &Numbered,
        last: usize,
        element: AccessId,
    ) -> Result<Vec<(StmtId, Vec<AccessId>)>> {
        if self.others.is_empty() {
            return Ok(Vec::new());
        }
        let element = others::touched(numbered, last, numbered.stmt, element)?;
        let of = |name: &String| {
            let missing = || NotApplicable::NoStatement(name.clone());
            let stmt = numbered.program.scop.stmt_by_name(name).ok_or_else(missing)?;
            let uses = others::uses(numbered, last, &element, stmt)?;
            Ok((stmt, uses.map_err(|why| self.refused(why))?))
        };
        self.others.iter().map(of).collect()
    }

    /// Why there is no buffer.
    fn refused(&self, why: &'static str) -> crate::Error {
        NotApplicable::NotStageable { array: self.array.clone(), why }.into()
    }
}

/// The mark that pads a statement: what it touches is settled then.
fn padded<'t>(tree: &'t ScheduleTree, stmt: &String) -> Option<&'t Mark> {
    match tree.node() {
        Node::Mark { mark: mark @ Mark::Padded(stmts), .. } if stmts.contains(stmt) => Some(mark),
        _ => tree.children().iter().find_map(|child| padded(child, stmt)),
    }
}

/// What is staged.
enum Staged {
    /// An element, with all accesses to it: of the statement, and of others.
    Element(AccessId, Vec<AccessId>, Vec<(StmtId, Vec<AccessId>)>),
    /// A part of its expression.
    Read(Expr),
}

/// A buffer in the making.
struct Staging<'a> {
    step: &'a Stage,
    numbered: &'a Numbered,
    stmt: &'a Statement,
    subscripts: IdVec<AccessId, Option<Vec<Affine>>>,
    /// The place of the loop among those around the statement.
    last: usize,
    /// Those of the loops that run through the buffer.
    layout: Vec<usize>,
    staged: Staged,
    element: ElementType,
    array: ArrayId,
}

impl<'a> Staging<'a> {
    /// What a step stages.
    fn of(
        step: &'a Stage,
        numbered: &'a Numbered,
        array: ArrayId,
        at: &Loop,
        layout: &[Loop],
    ) -> Result<Self> {
        let (path, scop) = (&numbered.path, &numbered.program.scop);
        let stmt = &scop.stmts()[numbered.stmt];
        let place = |of: &Loop| path.iter().position(|around| around.at.is_same(of));
        let Some(last) = place(at) else {
            return Err(step.refused("the loop is not around the statement"));
        };
        let layout: Option<Vec<usize>> =
            layout.iter().map(|of| place(of).filter(|at| *at > last)).collect();
        let Some(layout) = layout else {
            return Err(
                step.refused("its dimensions are to run along loops inside of the first one")
            );
        };
        let mut subscripts = IdVec::new();
        for access in &stmt.accesses {
            subscripts.push(Affine::of_relation(&access.relation)?);
        }
        let Some(along) = iterators(path, &layout) else {
            return Err(step.refused(NO_ITERATOR));
        };
        let fixed = path[..=last].iter().filter_map(|around| iterator(around.row.as_ref()));
        let fixed: BTreeSet<usize> = fixed.collect();
        let Some((locals, target, value)) = assignment(stmt) else {
            return Err(step.refused("the statement is more than one assignment"));
        };
        let is_single = stmt.body.len() == 1;
        let written = same_element(stmt, target)?;
        let changing = written_in(&numbered.program, at)?;
        let search = Search {
            stmt,
            arrays: scop.arrays(),
            subscripts: &subscripts,
            array,
            along: &along,
            fixed: &fixed,
            written: &written,
            changing: &changing,
        };
        let nothing = || step.refused("the statement uses nothing of it along these loops alone");
        let element = match layout.is_empty() {
            true if !is_single => {
                return Err(step.refused("the statement is more than one assignment"));
            }
            true => Some(search.element_of(target, value).ok_or_else(nothing)?),
            false => (is_single && search.is_element(target)).then_some(target),
        };
        let (staged, element) = match element {
            Some(element) => {
                let others = step.others(numbered, last, element)?;
                let ty = scop.arrays()[array].element.clone();
                (Staged::Element(element, same_element(stmt, element)?, others), ty)
            }
            None => {
                let mut values = locals.into_iter().chain([value]);
                let (part, ty) = values.find_map(|value| search.part(value)).ok_or_else(nothing)?;
                (Staged::Read(part.clone()), ty)
            }
        };
        if !layout.is_empty() && !step.others.is_empty() {
            return Err(step.refused("other statements may use variables alone, not tiles"));
        }
        Ok(Self { step, numbered, stmt, subscripts, last, layout, staged, element, array })
    }

    /// The program with the buffer.
    fn program(&self) -> Result<Program> {
        let Numbered { program, stmt, path } = self.numbered;
        let scop = &program.scop;
        let mut builder = scop.to_builder();
        let buffer = self.buffer(&mut builder)?;
        let writer =
            Writer { scop, stmt: self.stmt, subscripts: &self.subscripts, path, buffer: &buffer };
        let kept = self.kept(&buffer);
        let part = |name: String| match scop.stmt_by_name(&name) {
            Some(_) => Err(NotApplicable::NameTaken(name).into()),
            None => Part::projected(scop, *stmt, &name, &kept),
        };
        let lacks = || self.step.refused("it depends on loops that are neither around nor listed");
        let load = part(self.step.load_name())?;
        let (filled, store, user) = match &self.staged {
            Staged::Read(expr) => (expr.clone(), None, writer.user(Some(expr), &[])?),
            Staged::Element(element, uses, others) => {
                let is_written = self.is_written(uses, others);
                let store = is_written.then(|| part(self.step.store_name())).transpose()?;
                for (stmt, uses) in others {
                    let stmt = *stmt;
                    let writer = Writer { stmt: &scop.stmts()[stmt], ..writer };
                    builder.stmts[stmt] = writer.user(None, uses)?;
                }
                let store = store.map(|store| (store, *element));
                (Expr::Access(*element), store, writer.user(None, uses)?)
            }
        };
        builder.stmts.push(writer.fill(&load, &filled)?.ok_or_else(lacks)?);
        if let Some((store, target)) = &store {
            builder.stmts.push(writer.empty(store, *target)?.ok_or_else(lacks)?);
        }
        builder.stmts[*stmt] = user;
        let new = |part: &Part| -> Result<New> {
            let dates = writer.dates(part, self.last)?;
            let dates = dates.ok_or_else(|| {
                self.step.refused("dates of a loop around are no affine functions")
            })?;
            let (domain, loops) = (part.domain.clone(), self.loops(part)?);
            Ok(New { domain, dates, loops, n_carrying: 0 })
        };
        let band = &path[self.last].at;
        let behind = path.iter().filter(|a| a.at.band == band.band && a.at.member > band.member);
        let place = Place {
            path: &path[..=self.last],
            n_marks: marks_above(&program.tree, &band.band).len(),
            sizes: behind.map_while(|around| around.at.size).collect(),
            users: self.users()?,
            before: new(&load)?,
            after: store.as_ref().map(|(store, _)| new(store)).transpose()?,
        };
        let tree = place.in_tree(&program.tree)?;
        let scop = builder.build().map_err(crate::Error::Scop)?;
        Ok(Program { scop, tree, ..program.clone() })
    }

    /// Whether the buffer is written: by the statement, or by others.
    fn is_written(&self, uses: &[AccessId], others: &[(StmtId, Vec<AccessId>)]) -> bool {
        let stmts = self.numbered.program.scop.stmts();
        let is_write = |stmt: &Statement, uses: &[AccessId]| {
            uses.iter().any(|access| stmt.accesses[*access].kind.is_write())
        };
        is_write(self.stmt, uses) || others.iter().any(|(stmt, uses)| is_write(&stmts[*stmt], uses))
    }

    /// The instances that use the buffer.
    fn users(&self) -> Result<UnionSet> {
        let Numbered { program, stmt, .. } = self.numbered;
        let others = match &self.staged {
            Staged::Element(_, _, others) => others.as_slice(),
            Staged::Read(_) => &[],
        };
        let stmts = std::iter::once(*stmt).chain(others.iter().map(|(stmt, _)| *stmt));
        let sets: Result<Vec<_>> = stmts.map(|stmt| all(&program.scop, stmt)).collect();
        Ok(UnionSet::union_all(sets?)?)
    }

    /// The loops of the statements that fill the buffer and empty it.
    fn loops(&self, part: &Part) -> Result<Vec<(PwAff, Option<i64>)>> {
        let mut loops = Vec::new();
        for at in &self.layout {
            let around = &self.numbered.path[*at];
            let date = match &around.row {
                Some(row) => part.dates(row)?,
                None => None,
            };
            let date =
                date.ok_or_else(|| self.step.refused("a loop through it has no affine dates"))?;
            loops.push((date, around.tiles.as_ref().map(|tiles| tiles.size)));
        }
        Ok(loops)
    }

    /// The dimensions of the statement that those around it have, too: those of the loops around, and of the buffer.
    fn kept(&self, buffer: &Buffer) -> Vec<usize> {
        let path = &self.numbered.path;
        let mut kept = BTreeSet::new();
        for row in path[..=self.last].iter().filter_map(|around| around.row.as_ref()) {
            kept.extend((0..row.dims.len()).filter(|at| row.involves(*at)));
        }
        for axis in &buffer.axes {
            kept.extend([axis.of].into_iter().chain(axis.from.map(|(from, _)| from)));
        }
        kept.into_iter().collect()
    }

    /// The buffer, which is added to the arrays.
    fn buffer(&self, builder: &mut ScopBuilder) -> Result<Buffer> {
        let axes: Result<Vec<Axis>> = self.layout.iter().map(|at| self.axis(*at)).collect();
        let has_panels = self.layout.iter().any(|at| self.numbered.path[*at].tiles.is_some());
        let what = match has_panels {
            true => "panel",
            false if self.layout.is_empty() => "kept",
            false => "tile",
        };
        let wanted = format!("{}_{what}", builder.arrays[self.array].source_name);
        let scop = &self.numbered.program.scop;
        let turns = self.turns()?;
        let buffer = Buffer::in_turns(scop, builder, &wanted, &self.element, (axes?, turns))?;
        if !buffer.extend(self.numbered, builder)? {
            return Err(self.step.refused(UNKNOWN_LENGTH));
        }
        let extents = builder.arrays[buffer.array].extents.iter_mut().skip(buffer.n_turning());
        let dims = buffer.axes.iter().zip(extents);
        for ((axis, extent), pad) in dims.zip(&self.step.pad).filter(|(_, pad)| **pad > 0) {
            let Some(known) = axis.extent else {
                return Err(self.step.refused("a dimension of unknown length is not padded"));
            };
            let padded = known.saturating_add(i64::from(*pad));
            *extent = Some(PwAff::constant_on(scop.context(), padded)?);
        }
        Ok(buffer)
    }

    /// How iterations of the loop take turns with several buffers.
    fn turns(&self) -> Result<Option<Turns>> {
        if self.step.buffers == 1 {
            return Ok(None);
        }
        if matches!(self.staged, Staged::Element(..)) {
            return Err(self.step.refused("iterations take turns with buffers of what is read"));
        }
        let turns = Turns::along(self.numbered, self.last, i64::from(self.step.buffers))?;
        turns.map(Some).map_err(|why| self.step.refused(why))
    }

    /// The dimension of the buffer through which a loop runs.
    fn axis(&self, at: usize) -> Result<Axis> {
        let is_known = |place: usize| place <= self.last || self.layout.contains(&place);
        Axis::along_any(self.numbered, at, is_known)?.map_err(|why| self.step.refused(why))
    }
}

/// The iterators that loops count, or divide into tiles; none where one does neither.
fn iterators(path: &[Around], loops: &[usize]) -> Option<BTreeSet<usize>> {
    let of = |at: &usize| {
        let around = &path[*at];
        iterator(around.tiles.as_ref().map_or(around.row.as_ref(), |tiles| Some(&tiles.of)))
    };
    loops.iter().map(of).collect()
}

/// The arrays that statements in a loop write.
fn written_in(program: &Program, at: &Loop) -> Result<BTreeSet<ArrayId>> {
    let scop = &program.scop;
    let mut written = BTreeSet::new();
    for name in stmt_names(&at.member_in(&program.tree)?.schedule.domain()?)? {
        let stmt = scop.stmt_by_name(&name).map(|stmt| &scop.stmts()[stmt]);
        let accesses = stmt.into_iter().flat_map(|stmt| &stmt.accesses);
        written.extend(accesses.filter(|access| access.kind.is_write()).map(|a| a.array));
    }
    Ok(written)
}

/// The one assignment of a statement, its target and value, behind the values of variables that live in the instance alone; none where it does something
/// else.
fn assignment(stmt: &Statement) -> Option<(Vec<&Expr>, AccessId, &Expr)> {
    let (last, before) = stmt.body.split_last()?;
    let BodyStmt::Assign { target, value, .. } = last else { return None };
    let mut locals = Vec::new();
    for part in before {
        let BodyStmt::Local { value, .. } = part else { return None };
        locals.extend(value);
    }
    Some((locals, *target, value))
}

/// The accesses of a statement with the relation of one of them that read and write.
fn same_element(stmt: &Statement, access: AccessId) -> Result<Vec<AccessId>> {
    let mut same = Vec::new();
    let of = &stmt.accesses[access];
    for (id, access) in stmt.accesses.iter_enumerated().filter(|(_, a)| a.array == of.array) {
        let is_plain = matches!(access.kind, AccessKind::Read | AccessKind::MustWrite);
        if is_plain && access.relation.is_equal(&of.relation)? {
            same.push(id);
        }
    }
    Ok(same)
}
