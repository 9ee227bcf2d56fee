//! Expansion: a place for each value that a program keeps in one place, one after another.
//!
//! Loops that set a temporary before they use it are kept in order by nothing but the temporary's place. Here each value gets one of its
//! own, so that loops may be interchanged, tiled and cut apart that share a temporary:
//!
//! - What ends up in an element lives in that element from the start, where nothing else needs it meanwhile ([`homes`]): of
//!   `w = A[i][j]; w -= ...; A[i][j] = w` there remains `A[i][j] -= ...`, and of eight sums in `sum[k]` that are stored in `A[8 * i + k]`
//!   the sums in `A`. What is a copy of an element that nothing changes meanwhile is read there.
//! - Everything else gets an array with a dimension for each loop that keeps values apart: `t[p]` becomes `t_i_j[i][j][p]`. What
//!   code after the region reads is copied back.
//!
//! In a program in another order, one loop keeps values apart ([`cells`]): each of its iterations gets a cell of a buffer.
//!
//! What may be expanded is what [`webs`] finds. Legal where every read still gets its value from the same write, which
//! [`check_storage`](farkas_deps::legality::check_storage) proves.
//!
//! **Paper** P. Feautrier, *Array expansion*, ICS 1988. Ours expands by the loops that matter alone; what lives in another
//! array's elements is A. W. Appel and L. George's coalescing of copies (*Iterated register coalescing*, TOPLAS 1996) for arrays.

mod cells;
mod homes;
mod places;

pub use homes::Home;
pub(crate) use places::extents_of;

use crate::{ArrayAddress, LoopAddress, NotApplicable, Result, Rewrite, Subject};
use farkas_base::NameGenerator;
use farkas_deps::legality::check_storage;
use farkas_deps::{DependenceOptions, Dependences, Web, dependences, webs};
use farkas_scop::{ArrayId, AssignOp, BodyStmt, Expr, Scop, ScopBuilder, Statement, StmtId};
use farkas_tree::{Program, original_tree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Places of their own for the values that a temporary has one after another. A program in its own order alone shows which these are, so
/// that this comes before `schedule`; after it, where a loop is said whose iterations set what they use.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expand {
    /// The temporary.
    pub array: ArrayAddress,
    /// The array in whose elements a scalar's values live, where they end up there. Without it they get an array with a dimension for
    /// each loop that keeps them apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<ArrayAddress>,
    /// A loop of known length, as loops within tiles have it, each of whose iterations gets a cell of a buffer: so it can go inside of others
    /// (`sink`), and those around it need not wait for one another. Nothing else may read what they set.
    #[serde(default, rename = "loop", skip_serializing_if = "Option::is_none")]
    pub at: Option<LoopAddress>,
}

impl Rewrite for Expand {
    fn rewrite(&self, subject: &Subject<'_>) -> Result<Program> {
        let scop = subject.scop();
        if let Some(at) = &self.at {
            return match &self.into {
                None => cells::expanded(subject, &self.array, at),
                Some(_) => Err(NotApplicable::TwoPlaces(self.array.clone()).into()),
            };
        }
        if *subject.tree() != original_tree(scop)? {
            return Err(NotApplicable::NotOwnOrder.into());
        }
        let known = match subject.deps {
            Some(deps) => deps.clone(),
            None => dependences(scop, DependenceOptions::default())?,
        };
        let new = self.expanded(scop, &known)?;
        let tree = original_tree(&new)?;
        Ok(Program { scop: new, tree, ..subject.program.clone() })
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        self.at.iter_mut().collect()
    }

    fn arrays(&mut self) -> Vec<&mut ArrayAddress> {
        std::iter::once(&mut self.array).chain(&mut self.into).collect()
    }
}

impl Expand {
    /// The scop with other places.
    fn expanded(&self, scop: &Scop, deps: &Dependences) -> Result<Scop> {
        let array = self.array.find(scop)?;
        let into = self.into.as_ref().map(|into| into.find(scop)).transpose()?;
        let mut expansion = Expansion::new(scop);
        let mut is_found = false;
        for web in expansion.webs(deps)? {
            if web.array != array || self.array.stmt().is_some_and(|stmt| !has(scop, &web, stmt)) {
                continue;
            }
            let done = match into {
                None => expansion.into_array(&web, None)?,
                Some(into) => {
                    let mut homes = expansion.homes(&web)?;
                    homes.retain(|home| expansion.home_array(home) == into);
                    expansion.into_elements(&web, &homes)?.map(|h| h.0)
                }
            };
            if done.is_none() {
                return Err(self.homeless().into());
            }
            is_found = true;
        }
        match expansion.done()? {
            Some(new) if is_found => Ok(new),
            _ => Err(NotApplicable::NotApart(self.array.clone()).into()),
        }
    }

    /// Why there are no places.
    fn homeless(&self) -> NotApplicable {
        match &self.into {
            None => NotApplicable::NoExtents(self.array.clone()),
            Some(into) => NotApplicable::NoHome { array: self.array.clone(), into: into.clone() },
        }
    }
}

/// Whether a statement of this name belongs to a web.
fn has(scop: &Scop, web: &Web, name: &str) -> bool {
    web.stmts.iter().any(|stmt| scop.stmts()[*stmt].name == name)
}

/// A scop on its way to other storage.
#[derive(Debug)]
pub struct Expansion<'a> {
    original: &'a Scop,
    changed: Scop,
    names: NameGenerator,
}

impl<'a> Expansion<'a> {
    /// The scop as it is.
    pub fn new(original: &'a Scop) -> Self {
        let names = NameGenerator::new(original.names());
        Self { original, changed: original.clone(), names }
    }

    /// The temporaries whose values some loops keep apart, by the scop's dependences.
    ///
    /// # Errors
    /// When isl refuses or its budget is used up.
    pub fn webs(&self, deps: &Dependences) -> Result<Vec<Web>> {
        let mut found = webs(self.original, deps)?;
        found.retain(|web| may_move(self.original, web));
        Ok(found)
    }

    /// The elements that the values of a web may live in; none where code behind the region reads them.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn homes(&self, web: &Web) -> Result<Vec<Home>> {
        let scop = &self.changed;
        let is_left = scop.arrays()[web.array].is_live_out && !web.last.is_empty();
        if is_left {
            return Ok(Vec::new());
        }
        let mut homes = homes::homes(scop, web)?;
        homes.retain(|home| home.is_source || has_single_assignments(scop, web));
        Ok(homes)
    }

    /// Lets a web live in elements of another array, in the first of its [`homes`](Self::homes) that serves; a sentence
    /// on it and the step that does it. `None` where none does, which is what the check of storage says.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn into_elements(&mut self, web: &Web, homes: &[Home]) -> Result<Option<(String, Expand)>> {
        let scop = &self.changed;
        let array = &scop.arrays()[web.array];
        for home in homes {
            let Some(moved) = homes::moved(scop, web, home)? else { continue };
            // The copies that are left do nothing, but values would seem to come from them.
            if check_storage(scop, &without_copies_to_themselves(scop, &moved)?)?.is_legal() {
                let to = self.home_array(home);
                let name = &scop.arrays()[to].source_name;
                let text = match home.is_source {
                    false => format!("{} lives in {name}", array.source_name),
                    true => format!("{} is read where it comes from, in {name}", array.source_name),
                };
                let into = match home.is_source {
                    false => ArrayAddress::WrittenBy(scop.stmts()[home.stmt].name.clone()),
                    true => ArrayAddress::of(scop, to),
                };
                let step = Expand { array: self.address(web), into: Some(into), at: None };
                self.changed = moved;
                return Ok(Some((text, step)));
            }
        }
        Ok(None)
    }

    /// The array of a home.
    fn home_array(&self, home: &Home) -> ArrayId {
        self.changed.stmts()[home.stmt].accesses[home.access].array
    }

    /// Gives a web an array with a dimension for each loop that keeps its values apart; a sentence on it. `None` where the array would
    /// have more than `most` dimensions, or its extents cannot be told.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn into_array(&mut self, web: &Web, most: Option<usize>) -> Result<Option<String>> {
        let Some((new, text)) = places::expanded(&self.changed, web, most, &mut self.names)? else {
            return Ok(None);
        };
        self.changed = new;
        Ok(Some(text))
    }

    /// The address of a web's array: what the first of its statements writes that writes it.
    pub fn address(&self, web: &Web) -> ArrayAddress {
        let scop = self.original;
        let writes = |stmt: &&StmtId| {
            let accesses = &scop.stmts()[**stmt].accesses;
            accesses.iter().any(|access| access.array == web.array && access.kind.is_write())
        };
        match web.stmts.iter().find(writes) {
            Some(&stmt) => ArrayAddress::WrittenBy(scop.stmts()[stmt].name.clone()),
            None => ArrayAddress::Name(scop.arrays()[web.array].source_name.clone()),
        }
    }

    /// The scop with other storage, without statements that now copy an element to itself; `None` where nothing changed.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn done(self) -> Result<Option<Scop>> {
        if self.changed.is_same(self.original) {
            return Ok(None);
        }
        without_copies_to_themselves(self.original, &self.changed).map(Some)
    }
}

/// Whether each statement of a web is one assignment.
fn has_single_assignments(scop: &Scop, web: &Web) -> bool {
    let is_single =
        |stmt: &StmtId| matches!(scop.stmts()[*stmt].body.as_slice(), [BodyStmt::Assign { .. }]);
    web.stmts.iter().all(is_single)
}

/// Whether the accesses of each statement of a web may go elsewhere: text has its own.
fn may_move(scop: &Scop, web: &Web) -> bool {
    let is_text = |part: &BodyStmt| matches!(part, BodyStmt::Text(_));
    web.stmts.iter().all(|stmt| !scop.stmts()[*stmt].body.iter().any(is_text))
}

/// The scop without statements that copy an element to itself and did something else in `original`.
fn without_copies_to_themselves(original: &Scop, scop: &Scop) -> Result<Scop> {
    let mut builder = scop.to_builder();
    builder.stmts = farkas_base::IdVec::new();
    for stmt in scop.stmts() {
        let old = original.stmt_by_name(&stmt.name).map(|id| &original.stmts()[id]);
        let was_other = old.is_some_and(|old| old.accesses != stmt.accesses);
        if !(was_other && copies_to_itself(stmt)?) {
            builder.stmts.push(stmt.clone());
        }
    }
    built(builder)
}

/// Whether a statement copies an element to itself.
fn copies_to_itself(stmt: &Statement) -> Result<bool> {
    let [BodyStmt::Assign { target, op: AssignOp::Set, read: None, value: Expr::Access(read) }] =
        stmt.body.as_slice()
    else {
        return Ok(false);
    };
    let (to, from) = (&stmt.accesses[*target], &stmt.accesses[*read]);
    Ok(to.array == from.array && to.relation.is_equal(&from.relation)?)
}

/// The scop of these parts.
fn built(builder: ScopBuilder) -> Result<Scop> {
    builder.build().map_err(crate::Error::Scop)
}
