//! Generating the loops over tiles apart from the loops inside a tile.
//!
//! Left to itself, isl projects the points out of every set of tiles exactly, which brings existentially quantified
//! variables into all tile loops and makes it look for strides in them: most of the time of a tiled stencil. Here the
//! tile loops run over a superset of the tiles that is free of such variables (rational projection), and the code of
//! one tile is generated with the tile's coordinates as parameters, in which everything is a plain polyhedron. A tile
//! without points runs loops without iterations. Pluto and CLooG treat supernodes in the same way.

use crate::Result;
use crate::lower::counted;
use farkas_poly::{Aff, DimType, MultiUnionPwAff, PwAff, Set, Space, UnionPwAff, UnionSet};
use farkas_tree::{Band, Cursor, Mark, Member, Node, ScheduleTree};

/// The inside of the tiles of one place in the tree.
pub(crate) struct Site {
    /// The statement that stands for a tile among the loops over tiles.
    pub(crate) name: String,
    /// The names that stand for the coordinates of a tile: the dates of the loops around the tile loops, then the tile
    /// loops.
    pub(crate) coordinates: Vec<String>,
    /// What is known of the coordinates and the parameters.
    pub(crate) context: Set,
    /// A whole tree for the instances of one tile.
    pub(crate) tree: ScheduleTree,
    /// Where the child of that tree's domain node stands in the tree that was split.
    pub(crate) cursor: Cursor,
    /// The superset of the tiles.
    tiles: Set,
    /// The instances in all tiles.
    instances: UnionSet,
}

/// A tree with the inside of its tiles taken out, and the insides.
pub(crate) fn split(tree: &ScheduleTree) -> Result<(ScheduleTree, Vec<Site>)> {
    let Node::Domain { domain, child } = tree.node() else { return Ok((tree.clone(), Vec::new())) };
    let mut splitter = Splitter { sites: Vec::new() };
    let here =
        Place { cursor: Cursor::root().child(0), instances: domain.clone(), loops: Vec::new() };
    let child = splitter.split(child, here)?;
    let mut outer = domain.clone();
    for site in &splitter.sites {
        outer = outer.subtract(&site.instances)?.union(&site.tiles.to_union_set()?)?;
    }
    Ok((ScheduleTree::domain(outer, child), splitter.sites))
}

/// What surrounds a node.
struct Place {
    cursor: Cursor,
    /// The instances that reach the node.
    instances: UnionSet,
    /// The dates of the loops around it.
    loops: Vec<UnionPwAff>,
}

impl Place {
    /// The place of a child.
    fn child(&self, position: usize) -> Self {
        Self {
            cursor: self.cursor.child(position),
            instances: self.instances.clone(),
            loops: self.loops.clone(),
        }
    }
}

/// The sites found so far.
struct Splitter {
    sites: Vec<Site>,
}

impl Splitter {
    /// The subtree with its sites replaced by statements that stand for a tile.
    fn split(&mut self, tree: &ScheduleTree, place: Place) -> Result<ScheduleTree> {
        let first = self.sites.len();
        match tree.node() {
            Node::Mark { mark: Mark::Tile(_), .. } => {
                return match TileLoops::at(tree)? {
                    Some(loops) => self.take_out(tree, &loops, &place),
                    None => Ok(tree.clone()),
                };
            }
            Node::Filter { filter, child } => {
                let instances = place.instances.intersect(filter)?;
                let child = self.split(child, Place { instances, ..place.child(0) })?;
                let mut filter = filter.clone();
                for site in &self.sites[first..] {
                    filter = filter.union(&site.tiles.to_union_set()?)?;
                }
                return Ok(ScheduleTree::filter(filter, child));
            }
            Node::Band { band, child } => {
                let mut below = place.child(0);
                below.loops.extend(band.members.iter().map(|m| m.schedule.clone()));
                let child = self.split(child, below)?;
                let depth = place.loops.len();
                return Ok(ScheduleTree::band(extended(band, depth, &self.sites[first..])?, child));
            }
            _ => {}
        }
        let children = tree.children().iter().enumerate();
        let children =
            children.map(|(i, c)| self.split(c, place.child(i))).collect::<Result<_>>()?;
        Ok(tree.with_children(children))
    }

    /// Makes a site of a tiled nest; gives back the loops over its tiles.
    fn take_out(
        &mut self,
        tree: &ScheduleTree,
        loops: &TileLoops,
        place: &Place,
    ) -> Result<ScheduleTree> {
        let number = self.sites.len();
        let mut dates = place.loops.clone();
        dates.extend(loops.members.iter().map(|(date, _)| date.clone()));
        let coordinates: Vec<String> =
            (0..dates.len()).map(|i| format!("@t{number}.{i}")).collect();
        let name = format!("@tile{number}");
        let tiles = tiles(&place.instances, &dates)?.with_tuple_name(&name)?;
        let one = one_tile(&place.instances, &dates, &coordinates)?;
        let outer = loops.outer(tree, place.loops.len(), &tiles.space()?)?;
        let cursor =
            loops.points_below.steps().iter().fold(place.cursor.clone(), |c, &step| c.child(step));
        self.sites.push(Site {
            context: as_params(&tiles, &coordinates)?,
            tree: ScheduleTree::domain(one, tree.at(&loops.points_below)?.clone()),
            name,
            coordinates,
            cursor,
            tiles,
            instances: place.instances.clone(),
        });
        Ok(outer)
    }
}

/// The loops over the tiles of one nest: a chain of marks and bands down to the mark of the point loops.
struct TileLoops {
    /// What each loop counts, and the factor that makes it the date of the tree.
    members: Vec<(UnionPwAff, i64)>,
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
                Node::Mark { mark, child } => {
                    if let Mark::Tile(of_band) = mark {
                        sizes.clone_from(of_band);
                    }
                    child
                }
                Node::Band { band, child } => {
                    for member in &band.members {
                        let size = if sizes.is_empty() { 1 } else { sizes.remove(0) };
                        members.push(counted(&member.schedule, size)?);
                    }
                    child
                }
                _ => return Ok(None),
            };
            below = below.child(0);
        }
    }

    /// The chain with each band over the coordinates of the tiles in `space`, and nothing below.
    fn outer(&self, tree: &ScheduleTree, depth: usize, space: &Space) -> Result<ScheduleTree> {
        let mut next = depth;
        self.chain(tree, &mut next, depth, space)
    }

    /// The chain from `tree` on; `next` is the coordinate of the next loop.
    fn chain(
        &self,
        tree: &ScheduleTree,
        next: &mut usize,
        depth: usize,
        space: &Space,
    ) -> Result<ScheduleTree> {
        match tree.node() {
            Node::Mark { mark: Mark::Point, .. } => Ok(ScheduleTree::leaf()),
            Node::Band { band, child } => {
                let mut members = Vec::new();
                for member in &band.members {
                    let factor = self.members[*next - depth].1;
                    let date =
                        coordinate(space, *next)?.scale_val(&farkas_poly::Val::int(factor)?)?;
                    members.push(Member { schedule: date.to_union_pw_aff()?, ..member.clone() });
                    *next += 1;
                }
                let band = Band { members, permutable: band.permutable };
                Ok(ScheduleTree::band(band, self.chain(child, next, depth, space)?))
            }
            _ => {
                let child = tree.children().iter().map(|c| self.chain(c, next, depth, space));
                Ok(tree.with_children(child.collect::<Result<_>>()?))
            }
        }
    }
}

/// The band with the tiles of `sites` dated by their coordinates from `depth` on.
fn extended(band: &Band, depth: usize, sites: &[Site]) -> Result<Band> {
    let mut band = band.clone();
    for (i, member) in band.members.iter_mut().enumerate() {
        for site in sites {
            let date = coordinate(&site.tiles.space()?, depth + i)?.to_union_pw_aff()?;
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

/// A convex superset of the coordinates that `instances` have, without existentially quantified variables; where the
/// bounds of different statements have nothing in common, so that no convex set bounds them all, the exact set.
fn tiles(instances: &UnionSet, dates: &[UnionPwAff]) -> Result<Set> {
    let map = MultiUnionPwAff::from_members(dates)?.to_union_map()?.intersect_domain(instances)?;
    let sets = map.range()?.sets()?;
    let exact = match Set::union_all(sets)? {
        Some(set) => set,
        None => {
            Set::unnamed_universe(dates.len())?.subtract(&Set::unnamed_universe(dates.len())?)?
        }
    };
    let hull = exact.remove_divs()?.coalesce()?.simple_hull()?.to_set()?;
    Ok(if is_bounded(&hull)? { hull } else { exact })
}

/// Whether every dimension has bounds in terms of the parameters and the dimensions before it.
fn is_bounded(set: &Set) -> Result<bool> {
    let n = set.dim(DimType::SET)?;
    for i in 0..n {
        let outer = set.project_out(DimType::SET, i + 1, n - i - 1)?.remove_divs()?;
        let below = outer.dim_has_lower_bound(DimType::SET, i)?;
        if !below || !outer.dim_has_upper_bound(DimType::SET, i)? {
            return Ok(false);
        }
    }
    Ok(true)
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
