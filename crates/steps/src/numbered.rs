//! The loops around a statement, with a dimension of the statement for each that runs over tiles, or whose dates are no affine function.

use crate::lift::{Lifted, all_lifted};
use crate::tree::{Loop, path_to};
use crate::{NotApplicable, Result, Subject, tile_member};
use farkas_analysis::Affine;
use farkas_poly::{Aff, DimType, PwAff, Set, Space, UnionPwAff, Val};
use farkas_scop::{Iterator, Scop, StmtId};
use farkas_tree::{Member, Node, Program, ScheduleTree};

/// A loop around the statement.
#[derive(Clone, Debug)]
pub(crate) struct Around {
    pub(crate) at: Loop,
    /// Its dates; none where the statement has none in it.
    pub(crate) row: Option<Affine>,
    pub(crate) tiles: Option<Tiles>,
}

/// The tiles that a loop runs over.
#[derive(Clone, Debug)]
pub(crate) struct Tiles {
    pub(crate) size: i64,
    /// What is divided into tiles.
    pub(crate) of: Affine,
    /// The dimension of the statement that is the tile's number.
    pub(crate) number: usize,
}

/// A program in which each loop around a statement that runs over tiles, or whose dates are no affine function, is a dimension of it, with the loops.
pub(crate) struct Numbered {
    pub(crate) program: Program,
    pub(crate) stmt: StmtId,
    pub(crate) path: Vec<Around>,
}

impl Numbered {
    /// That of a statement of a program.
    ///
    /// # Errors
    /// Where the statement is not there, or stands in several places.
    pub(crate) fn of(subject: &Subject<'_>, name: &str) -> Result<Self> {
        let scop = subject.scop();
        let missing = || NotApplicable::NoStatement(name.to_owned());
        let stmt = scop.stmt_by_name(name).ok_or_else(missing)?;
        let mut paths = path_to(scop, subject.tree(), name)?;
        let found = paths.len();
        let (Some(loops), 1) = (paths.pop(), found) else {
            return Err(NotApplicable::Ambiguous { stmt: name.to_owned(), found }.into());
        };
        let space = scop.stmts()[stmt].domain.space()?;
        let search = Search { subject, stmt, domain: scop.domain_of(stmt)?, space, loops };
        let path = search.path()?;
        search.numbered(path)
    }
}

/// A loop on the way to its dimension.
struct Found {
    at: Loop,
    row: Option<Affine>,
    /// The size of its tiles and what is divided, with the dimension where there is one.
    tiles: Option<(i64, Affine, Option<usize>)>,
    /// Whether it gets a dimension that is its dates, which are no affine function.
    is_counted: bool,
}

/// The search for the loops around a statement.
struct Search<'a> {
    subject: &'a Subject<'a>,
    stmt: StmtId,
    /// Its instances.
    domain: Set,
    space: Space,
    loops: Vec<Loop>,
}

impl Search<'_> {
    /// The dates of a loop.
    fn date(&self, at: &Loop) -> Result<PwAff> {
        let member = at.member_in(self.subject.tree())?;
        Ok(member.schedule.extract_pw_aff(&self.space)?)
    }

    /// The loops as they are.
    fn path(&self) -> Result<Vec<Found>> {
        let mut path = Vec::new();
        for (position, at) in self.loops.iter().enumerate() {
            let date = self.date(at)?;
            let has_dates = date.n_piece()? > 0;
            let row = if has_dates { Affine::of(&date)? } else { None };
            let tiles = match at.size {
                Some(size) => {
                    let mut inside = self.rows_of(&self.loops[position + 1..])?;
                    // A block of one dimension may hold all values of another, too: tiles are no larger than those around them.
                    inside.sort_by_key(|(_, of)| {
                        let around = path.iter().filter_map(|outer: &Found| outer.tiles.as_ref());
                        around.filter(|(_, outer, _)| outer == of).any(|(outer, ..)| *outer < size)
                    });
                    self.tiles(&date, row.as_ref(), size, inside)?
                }
                None => None,
            };
            let is_counted = has_dates && row.is_none() && tiles.is_none();
            path.push(Found { at: at.clone(), row, tiles, is_counted });
        }
        Ok(path)
    }

    /// The loops that run over no tiles, with their dates where these are affine.
    fn rows_of<'l>(&self, loops: &'l [Loop]) -> Result<Vec<(&'l Loop, Affine)>> {
        let mut rows = Vec::new();
        for point in loops.iter().filter(|at| at.size.is_none()) {
            rows.extend(Affine::of(&self.date(point)?)?.map(|of| (point, of)));
        }
        Ok(rows)
    }

    /// What a loop with these dates divides into tiles of a size: the dates of one of the loops inside.
    fn tiles(
        &self,
        date: &PwAff,
        row: Option<&Affine>,
        size: i64,
        inside: Vec<(&Loop, Affine)>,
    ) -> Result<Option<(i64, Affine, Option<usize>)>> {
        let number = row.and_then(|row| numbers(row, size));
        for (point, of) in inside {
            let is_divided = match (number, row) {
                (Some(_), Some(_)) => {
                    let space = self.domain.space()?;
                    let value = of.to_aff(&space)?.to_pw_aff()?;
                    let first = date.align_params(&space)?;
                    self.domain.is_subset(&within(&value.sub(&first)?, size)?)?
                }
                _ => {
                    let member = point.member_in(self.subject.tree())?;
                    let floor = tile_member(member, size)?.schedule.extract_pw_aff(&self.space)?;
                    floor.to_map()?.is_equal(&date.to_map()?)?
                }
            };
            if is_divided {
                return Ok(Some((size, of, number)));
            }
        }
        Ok(None)
    }

    /// The program with dimensions for the loops that are to have one and have none.
    fn numbered(&self, path: Vec<Found>) -> Result<Numbered> {
        let is_new = |found: &&Found| found.is_counted || matches!(found.tiles, Some((_, _, None)));
        let n = path.iter().filter(is_new).count();
        let n_dims = self.subject.scop().stmts()[self.stmt].depth() + n;
        let (mut new_dims, mut loops) = (0..n, Vec::new());
        let mut counted: Vec<(usize, Loop)> = Vec::new();
        for Found { at, row, tiles, is_counted } in path {
            let mut row = row.map(|row| row.behind(n));
            if is_counted && let Some(number) = new_dims.next() {
                counted.push((number, at.clone()));
                row = Some(multiple(n_dims, number, 1));
            }
            let tiles = tiles.and_then(|(size, of, number)| {
                let number = number.map(|number| number + n).or_else(|| new_dims.next())?;
                Some(Tiles { size, of: of.behind(n), number })
            });
            loops.push(Around { at, row, tiles });
        }
        let program = self.subject.program.clone();
        if n == 0 {
            return Ok(Numbered { program, stmt: self.stmt, path: loops });
        }
        let scop = self.subject.scop();
        let lifted = self.counted(lifted(scop, self.stmt, &loops, n)?, &counted, n)?;
        let mut builder = scop.to_builder();
        let iterators = iterators(&lifted, scop, self.stmt, &loops, n)?;
        builder.stmts[self.stmt] = lifted.with_iterators(&scop.stmts()[self.stmt], iterators)?;
        let mut tree = all_lifted(&program.tree, std::slice::from_ref(&lifted))?;
        for around in &mut loops {
            let Some(tiles) = around.tiles.as_ref().filter(|tiles| tiles.number < n) else {
                continue;
            };
            around.row = Some(multiple(n_dims, tiles.number, tiles.size));
            tree = dated(&tree, &around.at, first(&lifted.domain, tiles)?)?;
        }
        for (dim, at) in &counted {
            tree = dated(&tree, at, number(&lifted.domain, *dim)?)?;
        }
        let scop = builder.build().map_err(crate::Error::Scop)?;
        let program = Program { scop, tree, ..program };
        Ok(Numbered { program, stmt: self.stmt, path: loops })
    }

    /// The instances whose first dimensions are new, in which some of these, of `n`, are the dates of loops.
    fn counted(&self, lifted: Lifted, counted: &[(usize, Loop)], n: usize) -> Result<Lifted> {
        if counted.is_empty() {
            return Ok(lifted);
        }
        let mut domain = lifted.domain.clone();
        for (dim, at) in counted {
            let date = lifted.dates(&at.member_in(self.subject.tree())?.schedule)?;
            domain = domain.intersect(&date.sub(&number(&domain, *dim)?)?.zero_set()?)?;
        }
        // Of dates that are remainders of the numbers of tiles, isl finds strides by equations alone.
        let domain = domain.detect_equalities()?;
        let name = lifted.name();
        Lifted::named(&name, &name, &domain, u32::try_from(n).unwrap_or(u32::MAX))
    }
}

/// All instances of a statement, in a space with all parameters.
pub(crate) fn all(scop: &Scop, stmt: StmtId) -> Result<Set> {
    let names: Vec<&str> = scop.params().iter().map(|p| p.name.as_str()).collect();
    Ok(scop.domain_of(stmt)?.align_params(&Space::params_named(&names)?)?)
}

/// The dimension that a row is a multiple of.
fn numbers(row: &Affine, size: i64) -> Option<usize> {
    let mut used = row.dims.iter().enumerate().filter(|(_, c)| **c != 0);
    let (Some((at, c)), None) = (used.next(), used.next()) else { return None };
    (*c == size && row.constant == 0 && row.params.is_empty() && size > 1).then_some(at)
}

/// A row over `n` dimensions that is a multiple of one of them.
fn multiple(n: usize, at: usize, factor: i64) -> Affine {
    let dims = (0..n).map(|dim| if dim == at { factor } else { 0 }).collect();
    Affine { dims, params: std::collections::BTreeMap::new(), constant: 0 }
}

/// Where an offset lies in a tile.
fn within(offset: &PwAff, size: i64) -> Result<Set> {
    let space = offset.domain_space()?;
    let last = PwAff::constant_on(&Set::universe(&space)?, size - 1)?;
    Ok(offset.nonneg_set()?.intersect(&offset.le_set(&last)?)?)
}

/// The first date of the tile that an instance is in.
fn first(domain: &Set, tiles: &Tiles) -> Result<PwAff> {
    Ok(number(domain, tiles.number)?.scale_val(&Val::int(tiles.size)?)?)
}

/// A dimension as a function of the instance.
fn number(domain: &Set, at: usize) -> Result<PwAff> {
    let at = u32::try_from(at).unwrap_or(u32::MAX);
    Ok(Aff::var_on_domain(&domain.space()?, DimType::SET, at)?.to_pw_aff()?)
}

/// The instances with the numbers of tiles in front, those with a dimension less than `n`.
fn lifted(scop: &Scop, stmt: StmtId, loops: &[Around], n: usize) -> Result<Lifted> {
    let name = &scop.stmts()[stmt].name;
    let old = all(scop, stmt)?;
    let n32 = u32::try_from(n).unwrap_or(u32::MAX);
    let mut domain = old.insert_dims(DimType::SET, 0, n32)?.with_tuple_name(name)?;
    for (position, around) in loops.iter().enumerate() {
        let Some(tiles) = around.tiles.as_ref().filter(|tiles| tiles.number < n) else { continue };
        let value = tiles.of.to_aff(&domain.space()?)?.to_pw_aff()?;
        let inside = within(&value.sub(&first(&domain, tiles)?)?, tiles.size)?;
        domain = domain.intersect(&inside)?;
        let blocks = loops[..position].iter().rev().filter_map(|around| around.tiles.as_ref());
        let mut blocks = blocks.filter(|block| block.of == tiles.of);
        if let Some(block) = blocks.next().filter(|block| block.size % tiles.size == 0) {
            let ratio = block.size / tiles.size;
            let first = number(&domain, block.number)?.scale_val(&Val::int(ratio)?)?;
            let inside = within(&number(&domain, tiles.number)?.sub(&first)?, ratio)?;
            domain = domain.intersect(&inside)?;
        }
    }
    Lifted::named(name, name, &domain, n32)
}

/// The iterators of new dimensions, in their order: the values of those of loops over tiles are the first dates of tiles, of others the dates.
fn iterators(
    lifted: &Lifted,
    scop: &Scop,
    stmt: StmtId,
    loops: &[Around],
    n: usize,
) -> Result<Vec<Iterator>> {
    let mut iterators = Vec::new();
    for dim in 0..n {
        let place = loops.iter().position(|around| {
            let numbers = around.tiles.as_ref().map(|tiles| tiles.number);
            numbers.or(around.row.as_ref().and_then(counted_by)) == Some(dim)
        });
        let tiles = place.and_then(|place| loops[place].tiles.as_ref());
        let (name, ty, value) = match (place, tiles) {
            (Some(place), Some(tiles)) => {
                let divides =
                    |inner: &Around| inner.tiles.as_ref().is_some_and(|t| t.of == tiles.of);
                let is_block = loops[place + 1..].iter().any(divides);
                let of = tiles.of.dims.iter().position(|c| *c != 0);
                let of = of.and_then(|at| scop.stmts()[stmt].iterators.get(at.checked_sub(n)?));
                let name = of.map_or("loop", |of| of.name.as_str());
                let ty = of.map_or("int", |of| of.ty.as_str());
                let what = if is_block { "block" } else { "tile" };
                (format!("{name}_{what}"), ty, first(&lifted.domain, tiles)?)
            }
            _ => ("part".to_owned(), "int", number(&lifted.domain, dim)?),
        };
        iterators.push(Iterator { name, ty: ty.to_owned(), value });
    }
    Ok(iterators)
}

/// The dimension that a row is.
fn counted_by(row: &Affine) -> Option<usize> {
    (0..row.dims.len()).find(|at| row.is_exactly(*at))
}

/// The tree with other dates of one statement in a loop.
fn dated(tree: &ScheduleTree, at: &Loop, date: PwAff) -> Result<ScheduleTree> {
    let Node::Band { band, child } = tree.at(&at.band)?.node() else { return Ok(tree.clone()) };
    let mut band = band.clone();
    let name = date.domain_space()?.tuple_name(DimType::SET);
    let mut dates = Vec::new();
    let Some(member) = band.members.get_mut(at.member) else { return Ok(tree.clone()) };
    for known in member.schedule.pw_affs()? {
        if known.domain_space()?.tuple_name(DimType::SET) != name {
            dates.push(known);
        }
    }
    dates.push(date);
    *member = Member { schedule: UnionPwAff::union_all(dates)?, ..member.clone() };
    Ok(tree.replace(&at.band, ScheduleTree::band(band, child.clone()))?)
}
