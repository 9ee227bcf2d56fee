//! Generating the loops over tiles apart from the loops inside a tile, and each apart from the others.
//!
//! Left to itself, isl projects the inner loops out of every set of tiles exactly, which brings existentially quantified
//! variables into all tile loops and makes it look for strides in them: most of the time of a tiled stencil. Here each
//! tile loop runs over a superset of its values that is free of such variables (rational projection), with the
//! coordinates of the loops around it as parameters, and the code of one tile is generated with the tile's coordinates
//! as parameters, in which everything is a plain polyhedron. A tile without points runs loops without iterations. Pluto
//! and CLooG treat supernodes in the same way.

use crate::Result;
use crate::limits::Context;
use crate::lower::counted;
use crate::shadow::shadows;
use farkas_poly::{Aff, DimType, PwAff, Set, Space, UnionPwAff, UnionSet, Val};
use farkas_tree::{Band, Cursor, Mark, Member, Node, ScheduleTree};
use std::collections::BTreeMap;

/// The sites that the statements of a tree stand for, by the names of these statements. Names say where a nest is in the tree
/// around it, and nothing else, so that equal nests of several trees have equal sites.
pub(crate) type Calls = BTreeMap<String, usize>;

/// Code that is generated apart: one tile loop, or the inside of a tile.
pub(crate) struct Site {
    /// What stands for the statement's dimensions in the code: the dates of the loops around the tile loops, then those
    /// of the tile loops that surround the code.
    pub(crate) coordinates: Vec<String>,
    /// What is known of the coordinates and the parameters.
    pub(crate) context: Set,
    /// A whole tree of the code.
    pub(crate) tree: ScheduleTree,
    /// The sites that it calls.
    pub(crate) calls: Calls,
    /// The number of outermost loops of the tree that surround the code and have a single iteration each.
    pub(crate) n_fixed: usize,
    /// A loop around it has pieces because the tree asks for them.
    pub(crate) is_in_piece: bool,
    /// Where the child of that tree's domain node stands in the tree that was split.
    pub(crate) cursor: Cursor,
}

/// A tree with tiled nests taken out.
pub(crate) struct Split {
    /// What is left; a statement stands for each nest.
    pub(crate) outer: ScheduleTree,
    /// The sites that it calls.
    pub(crate) calls: Calls,
    /// What was taken out; each may call the ones before it.
    pub(crate) sites: Vec<Site>,
}

/// Takes the tiled nests out of a tree, whose parameters lie in `context`.
pub(crate) fn split(tree: &ScheduleTree, context: &Context) -> Result<Split> {
    let Node::Domain { domain, child } = tree.node() else {
        return Ok(Split { outer: tree.clone(), calls: Calls::new(), sites: Vec::new() });
    };
    let mut splitter = Splitter { sites: Vec::new(), nests: Vec::new(), n_around: 0 };
    let here = Place {
        cursor: Cursor::root().child(0),
        instances: context.instances(domain)?,
        loops: Vec::new(),
        is_in_piece: false,
    };
    let (outer, calls) = splitter.whole(child, here)?;
    Ok(Split { outer, calls, sites: splitter.sites })
}

/// What stands for a tiled nest in the outer tree.
struct Nest {
    /// The instances of the statement that stands for it, one for each iteration of the loops around it.
    calls: Set,
    /// The instances in it.
    instances: UnionSet,
    /// The site of its outermost loop.
    site: usize,
}

/// What surrounds a node.
struct Place {
    cursor: Cursor,
    /// The instances that reach the node.
    instances: UnionSet,
    /// The dates of the loops around it.
    loops: Vec<UnionPwAff>,
    /// One of them has pieces because the tree asks for them.
    is_in_piece: bool,
}

impl Place {
    /// The place of a child.
    fn child(&self, position: usize) -> Self {
        Self {
            cursor: self.cursor.child(position),
            instances: self.instances.clone(),
            loops: self.loops.clone(),
            is_in_piece: self.is_in_piece,
        }
    }
}

/// What was found so far.
struct Splitter {
    sites: Vec<Site>,
    /// Those of the tree at hand.
    nests: Vec<Nest>,
    /// The number of nests around it.
    n_around: usize,
}

impl Splitter {
    /// A whole tree over a place's instances without its tiled nests, and what it calls; its child is `child`.
    fn whole(&mut self, child: &ScheduleTree, here: Place) -> Result<(ScheduleTree, Calls)> {
        let around = std::mem::take(&mut self.nests);
        let (mut outer, mut calls) = (here.instances.clone(), Calls::new());
        let child = self.split(child, here)?;
        for nest in std::mem::replace(&mut self.nests, around) {
            outer = outer.subtract(&nest.instances)?.union(&nest.calls.to_union_set()?)?;
            calls.extend(nest.calls.tuple_name().map(|name| (name, nest.site)));
        }
        Ok((ScheduleTree::domain(outer, child), calls))
    }

    /// The subtree with its tiled nests replaced by statements that stand for them.
    fn split(&mut self, tree: &ScheduleTree, place: Place) -> Result<ScheduleTree> {
        let first = self.nests.len();
        match tree.node() {
            Node::Mark { mark: mark @ (Mark::Tile(_) | Mark::SeparateFullTiles), .. } => {
                if let Some(loops) = TileLoops::at(tree)? {
                    return self.take_out(tree, &loops, &place);
                }
                if matches!(mark, Mark::Tile(_)) {
                    return Ok(tree.clone());
                }
            }
            Node::Filter { filter, child } => {
                let instances = place.instances.intersect(filter)?;
                let child = self.split(child, Place { instances, ..place.child(0) })?;
                let mut filter = filter.clone();
                for nest in &self.nests[first..] {
                    filter = filter.union(&nest.calls.to_union_set()?)?;
                }
                return Ok(ScheduleTree::filter(filter, child));
            }
            Node::Band { band, child } => {
                let mut below = place.child(0);
                below.loops.extend(band.members.iter().map(|m| m.schedule.clone()));
                below.is_in_piece |= band.members.iter().any(Member::asks_for_pieces);
                let child = self.split(child, below)?;
                let depth = place.loops.len();
                return Ok(ScheduleTree::band(extended(band, depth, &self.nests[first..])?, child));
            }
            _ => {}
        }
        let children = tree.children().iter().enumerate();
        let children =
            children.map(|(i, c)| self.split(c, place.child(i))).collect::<Result<_>>()?;
        Ok(tree.with_children(children))
    }

    /// Makes sites of a tiled nest.
    fn take_out(
        &mut self,
        tree: &ScheduleTree,
        loops: &TileLoops,
        place: &Place,
    ) -> Result<ScheduleTree> {
        let (level, number) = (self.n_around, self.nests.len());
        let depth = place.loops.len();
        let mut dates = place.loops.clone();
        dates.extend(loops.members.iter().map(|l| l.counted.clone()));
        let coordinates: Vec<String> = (0..dates.len()).map(|i| format!("@t{level}.{i}")).collect();
        // Of a number of loops: the superset of the values that their coordinates have.
        let shadows = shadows(&place.instances, &dates, depth)?;
        let name = |n_loops: usize| format!("@call{number}.{n_loops}");
        let point_cursor =
            loops.points_below.steps().iter().fold(place.cursor.clone(), |c, &step| c.child(step));
        let instances = one_tile(&place.instances, &dates, &coordinates)?;
        let context = as_params(&shadows[dates.len() - depth], &coordinates)?;
        let first = self.sites.len();
        let points = tree.at(&loops.points_below)?;
        self.n_around += 1;
        let is_in_piece =
            |n: usize| place.is_in_piece || loops.members[..n].iter().any(|l| l.asks_for_pieces);
        let inner = Place {
            cursor: point_cursor.clone(),
            instances,
            loops: Vec::new(),
            is_in_piece: is_in_piece(loops.members.len()),
        };
        let (inside, calls) = self.whole(points, inner)?;
        self.n_around -= 1;
        for site in &mut self.sites[first..] {
            site.context = site.context.intersect(&context)?;
        }
        self.sites.push(Site {
            coordinates: coordinates.clone(),
            context,
            tree: inside,
            calls,
            n_fixed: 0,
            is_in_piece: is_in_piece(loops.members.len()),
            cursor: point_cursor,
        });
        for at in (depth..dates.len()).rev() {
            let known = &coordinates[..at];
            let inner = shadows[at + 1 - depth].with_tuple_name(&name(at + 1))?;
            let chain = chain(tree, &loops.dates(depth, &inner.space()?)?)?;
            self.sites.push(Site {
                coordinates: known.to_vec(),
                context: as_params(&shadows[at - depth], known)?,
                tree: ScheduleTree::domain(fixed(&inner, known)?.to_union_set()?, chain),
                calls: Calls::from([(name(at + 1), self.sites.len() - 1)]),
                n_fixed: at - depth,
                is_in_piece: is_in_piece(at - depth),
                cursor: place.cursor.clone(),
            });
        }
        self.nests.push(Nest {
            calls: shadows[0].with_tuple_name(&name(depth))?,
            instances: place.instances.clone(),
            site: self.sites.len() - 1,
        });
        Ok(ScheduleTree::leaf())
    }
}

/// A loop over tiles.
struct TileLoop {
    /// What it counts.
    counted: UnionPwAff,
    /// What makes that the date of the tree.
    factor: i64,
    asks_for_pieces: bool,
}

/// The loops over the tiles of one nest: a chain of marks and bands down to the mark of the point loops.
struct TileLoops {
    members: Vec<TileLoop>,
    /// The way from the outermost tile mark to the mark of the points.
    points_below: Cursor,
}

impl TileLoops {
    /// The tile loops of a tile mark; none where something else stands among them.
    fn at(tree: &ScheduleTree) -> Result<Option<Self>> {
        let (mut here, mut below, mut members) = (tree, Cursor::root(), Vec::new());
        let mut sizes: Vec<i64> = Vec::new();
        loop {
            here = match here.node() {
                Node::Mark { mark: Mark::Point, .. } => {
                    return Ok(Some(Self { members, points_below: below }));
                }
                // What all threads of a block wait for stays in one piece.
                Node::Mark { mark: Mark::Barrier | Mark::Kernel(_), .. } => return Ok(None),
                Node::Mark { mark, child } => {
                    if let Mark::Tile(of_band) = mark {
                        sizes.clone_from(of_band);
                    }
                    child
                }
                Node::Band { band, child } => {
                    for member in &band.members {
                        let size = if sizes.is_empty() { 1 } else { sizes.remove(0) };
                        let (counted, factor) = counted(&member.schedule, size)?;
                        let asks_for_pieces = member.asks_for_pieces();
                        members.push(TileLoop { counted, factor, asks_for_pieces });
                    }
                    child
                }
                _ => return Ok(None),
            };
            below = below.child(0);
        }
    }

    /// The dates of the tree, of as many loops as `space` has coordinates for beyond the first `depth`.
    fn dates(&self, depth: usize, space: &Space) -> Result<Vec<UnionPwAff>> {
        let date = |(at, of): (usize, &TileLoop)| {
            Ok(coordinate(space, at)?.scale_val(&Val::int(of.factor)?)?.to_union_pw_aff()?)
        };
        let n = space.dim(DimType::SET)? as usize;
        (depth..n).zip(&self.members).map(date).collect()
    }
}

/// The chain of marks and bands from `tree` on down to as many loops as there are dates for them.
fn chain(tree: &ScheduleTree, dates: &[UnionPwAff]) -> Result<ScheduleTree> {
    if dates.is_empty() {
        return Ok(ScheduleTree::leaf());
    }
    let Node::Band { band, child } = tree.node() else {
        let child = tree.children().iter().map(|c| chain(c, dates));
        return Ok(tree.with_children(child.collect::<Result<_>>()?));
    };
    let members = band.members.iter().zip(dates);
    let members: Vec<Member> =
        members.map(|(m, date)| Member { schedule: date.clone(), ..m.clone() }).collect();
    let rest = &dates[members.len()..];
    let band = Band { members, permutable: band.permutable };
    Ok(ScheduleTree::band(band, chain(child, rest)?))
}

/// The band with the calls of `nests` dated by their coordinates from `depth` on.
fn extended(band: &Band, depth: usize, nests: &[Nest]) -> Result<Band> {
    let mut band = band.clone();
    for (i, member) in band.members.iter_mut().enumerate() {
        for nest in nests {
            let date = coordinate(&nest.calls.space()?, depth + i)?.to_union_pw_aff()?;
            member.schedule = member.schedule.union_add(&date)?;
        }
    }
    Ok(band)
}

/// A coordinate as a function of the tile.
fn coordinate(space: &Space, position: usize) -> Result<PwAff> {
    let position = u32::try_from(position).unwrap_or(u32::MAX);
    Ok(Aff::var_on_domain(space, DimType::SET, position)?.to_pw_aff()?)
}

/// The set with its first dimensions equal to the parameters `names`.
fn fixed(set: &Set, names: &[String]) -> Result<Set> {
    let mut set = set.clone();
    for (at, name) in names.iter().enumerate() {
        let value = parameter(&set.space()?, name)?;
        set = set.intersect(&coordinate(&set.space()?, at)?.eq_set(&value)?)?;
    }
    Ok(set)
}

/// The instances of the tile whose coordinates are parameters.
fn one_tile(
    instances: &UnionSet,
    dates: &[UnionPwAff],
    coordinates: &[String],
) -> Result<UnionSet> {
    let mut sets = Vec::new();
    for set in instances.sets()? {
        let mut one = set;
        for (date, name) in dates.iter().zip(coordinates) {
            let date = date.extract_pw_aff(&one.space()?)?;
            one = one.intersect(&date.eq_set(&parameter(&date.domain_space()?, name)?)?)?;
        }
        sets.push(one);
    }
    Ok(UnionSet::union_all(sets)?)
}

/// A further parameter as a function on `space`.
fn parameter(space: &Space, name: &str) -> Result<PwAff> {
    let at = space.dim(DimType::Param)?;
    let space = space.add_dims(DimType::Param, 1)?.with_dim_name(DimType::Param, at, name)?;
    Ok(Aff::var_on_domain(&space, DimType::Param, at)?.to_pw_aff()?)
}

/// What a set says of parameters that take the names `coordinates`.
fn as_params(set: &Set, coordinates: &[String]) -> Result<Set> {
    let at = set.dim(DimType::Param)?;
    let n = set.dim(DimType::SET)?;
    let mut moved = set.move_dims(DimType::Param, at, DimType::SET, 0, n)?;
    for (i, name) in (at..).zip(coordinates) {
        moved = moved.with_dim_name(DimType::Param, i, name)?;
    }
    Ok(moved.params()?)
}
