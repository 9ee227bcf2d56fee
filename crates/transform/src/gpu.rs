//! Kernels of a GPU: which loops its blocks and threads run.

use crate::block_size::block_size;
use crate::descent::n_marks_above;
use crate::plan::{Draft, interchange};
use crate::point_order::suitability;
use crate::private::without_copies;
use crate::view::{Plans, Proposal, View};
use crate::{Remark, Result, stmt_names};
use farkas_analysis::{StrideModel, extent, is_long_within, thread_registers};
use farkas_deps::legality::MissingBarriers;
use farkas_machine::Gpu;
use farkas_poly::UnionSet;
use farkas_steps::{Axis, Barrier, Kernel, LoopAddress, Map, MappedTo, Skew, Step, Tile};
use farkas_tree::{Band, Cursor, Mark, Member, Node, Program, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The most loops of a band that are divided: a grid and a block have as many axes.
const MAX_AXES: usize = 3;

/// Kernels: one around each outermost band with coincident loops.
///
/// Up to three of these are divided, in tiles, among blocks, and their points among the threads of a block: the loop that walks along lines
/// along x, the others along y and z from the inside out. Loops around stay on the host, loops inside are run by each thread. A
/// permutable band without a coincident loop gets one: its loops run in order of their sum, in which the others carry nothing. What has no such band
/// runs in a kernel of one thread.
///
/// **Paper** the locality model, section 4.8, "Mapping", and 3.5; wavefronts as in section 4.7.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Kernels {
    /// The threads of a block along x, y and z, in the place of those that suit the loops and the GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<[i64; 3]>,
}

impl Plans for Kernels {
    fn plan(&self, view: &View<'_>, remarks: &mut Vec<Remark>) -> Result<Proposal> {
        let domain = match view.tree().node() {
            Node::Domain { domain, .. } => domain.clone(),
            _ => UnionSet::none()?,
        };
        let runs = !domain.is_empty()?;
        let mut draft = Draft::new(view.program, Some(view.all_deps()?));
        // Threads of a kernel have no copies of temporaries. What has buffers went through `private-copies` before.
        if view.program.scop == *view.setting.scop {
            draft.note(without_copies(view.program, view.all_deps()?, view.tree())?);
        }
        let mut planning = Planning {
            draft,
            strides: view.strides()?,
            domain,
            gpu: view.setting.gpu,
            threads: self.threads,
            remarks,
        };
        let never = never_run(view.program)?;
        while runs && let Some(place) = next(planning.draft.tree(), &Cursor::root(), &never)? {
            planning.kernel(place)?;
        }
        Ok(Proposal::Steps(planning.draft.plan(view.tree())))
    }
}

/// Barriers: where threads of a block have to wait for one another in a kernel, and nowhere else.
///
/// Where the legality check finds a race, a barrier is put before the part of a sequence that must come second, or at the beginning of each
/// iteration of a loop; then it looks again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Barriers {}

/// The most barriers of a program.
const MAX_BARRIERS: usize = 64;

impl Plans for Barriers {
    fn plan(&self, view: &View<'_>, _: &mut Vec<Remark>) -> Result<Proposal> {
        let mut draft = Draft::new(view.program, None);
        let mut missing = MissingBarriers::of(&view.program.scop);
        for _ in 0..MAX_BARRIERS {
            let Some((at, child)) = missing.next(draft.tree())? else { break };
            let (band, each) = match child {
                Some(child) => (first_band(draft.tree(), &at.child(child).child(0))?, false),
                None => (Some(at), true),
            };
            // The check says what is wrong where there is no place for one.
            let Some(band) = band else { break };
            let member = if each { last_member(draft.tree(), &band)? } else { 0 };
            let at = LoopAddress::member(band, member);
            draft.apply(Step::Barrier(Barrier { at, each }))?;
        }
        Ok(Proposal::Steps(draft.plan(view.tree())))
    }
}

/// The band at a cursor, or below marks there.
fn first_band(tree: &ScheduleTree, at: &Cursor) -> Result<Option<Cursor>> {
    let mut here = at.clone();
    loop {
        match tree.at(&here)?.node() {
            Node::Band { .. } => return Ok(Some(here)),
            Node::Mark { .. } => here = here.child(0),
            _ => return Ok(None),
        }
    }
}

/// The position of the innermost loop of a band.
fn last_member(tree: &ScheduleTree, band: &Cursor) -> Result<usize> {
    Ok(match tree.at(band)?.node() {
        Node::Band { band, .. } => band.members.len().saturating_sub(1),
        _ => 0,
    })
}

/// What is to become a kernel.
enum Place {
    /// The band at a cursor, from one of its loops on.
    Grid(Cursor, usize),
    /// The permutable band at a cursor, in order of the sum of its loops.
    Waves(Cursor),
    /// All that is at a cursor, on one thread.
    Single(Cursor),
}

/// The statements without instances.
fn never_run(program: &Program) -> Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    for (id, stmt) in program.scop.stmts().iter_enumerated() {
        if program.scop.domain_of(id)?.is_empty()? {
            names.insert(stmt.name.clone());
        }
    }
    Ok(names)
}

/// The first place that is in no kernel; none where all are, but for statements that `never` run.
fn next(tree: &ScheduleTree, here: &Cursor, never: &BTreeSet<String>) -> Result<Option<Place>> {
    match tree.node() {
        Node::Mark { mark: Mark::Kernel(_), .. } => return Ok(None),
        Node::Filter { filter, .. }
            if stmt_names(filter)?.iter().all(|name| never.contains(name)) =>
        {
            return Ok(None);
        }
        _ => {}
    }
    if !tree.has_kernel() && !has_concurrency(tree) && !matches!(tree.node(), Node::Domain { .. }) {
        return Ok(Some(Place::Single(here.clone())));
    }
    if let Node::Band { band, child } = tree.node()
        && !child.has_kernel()
    {
        let first = band.members.iter().position(|member| member.coincident);
        match first {
            Some(_) if band.permutable => return Ok(Some(Place::Grid(here.clone(), 0))),
            Some(first) => return Ok(Some(Place::Grid(here.clone(), first))),
            None if is_wave(band) && !has_coincident(child) => {
                return Ok(Some(Place::Waves(here.clone())));
            }
            None => {}
        }
    }
    for (at, child) in tree.children().iter().enumerate() {
        if let Some(place) = next(child, &here.child(at), never)? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// Whether the loops of a band run in waves, of which each has several iterations.
fn is_wave(band: &Band) -> bool {
    band.permutable && band.members.len() > 1
}

/// Whether a loop in a tree is coincident.
fn has_coincident(tree: &ScheduleTree) -> bool {
    let is_here = match tree.node() {
        Node::Band { band, .. } => band.members.iter().any(|member| member.coincident),
        _ => false,
    };
    is_here || tree.children().iter().any(has_coincident)
}

/// Whether iterations of a loop in a tree may run at the same time, or may so in waves.
fn has_concurrency(tree: &ScheduleTree) -> bool {
    let is_here = match tree.node() {
        Node::Band { band, .. } => is_wave(band) || band.members.iter().any(|m| m.coincident),
        _ => false,
    };
    is_here || tree.children().iter().any(has_concurrency)
}

/// Steps that make kernels.
struct Planning<'a> {
    draft: Draft<'a>,
    strides: &'a StrideModel,
    /// All instances.
    domain: UnionSet,
    gpu: &'a Gpu,
    threads: Option<[i64; 3]>,
    remarks: &'a mut Vec<Remark>,
}

impl Planning<'_> {
    /// The steps for one place.
    fn kernel(&mut self, place: Place) -> Result<()> {
        match place {
            Place::Grid(at, first) => self.grid(&at, first),
            Place::Waves(at) => self.waves(&at),
            Place::Single(at) => self.single(&at),
        }
    }

    /// A kernel of one thread.
    fn single(&mut self, at: &Cursor) -> Result<()> {
        // Around the loops of what a filter lets through: each iteration would be a launch.
        let mut at = at.clone();
        while matches!(self.draft.tree().at(&at)?.node(), Node::Filter { .. } | Node::Mark { .. }) {
            at = at.child(0);
        }
        let at = &at;
        let tree = self.draft.tree().at(at)?;
        let threads = [1; 3];
        let kernel = match tree.node() {
            Node::Band { .. } => {
                let first = LoopAddress::member(at.clone(), 0);
                Kernel { at: Some(first), stmts: Vec::new(), threads }
            }
            _ => Kernel { at: None, stmts: stmts_at(self.draft.tree(), at)?, threads },
        };
        self.draft.apply(Step::Kernel(kernel))
    }

    /// A permutable band in order of the sum of its loops, in which all but the first are coincident.
    fn waves(&mut self, at: &Cursor) -> Result<()> {
        let Some((band, _)) = band_at(self.draft.tree(), at)? else { return Ok(()) };
        for member in 1..band.members.len() {
            let [sum, by] = [0, member].map(|member| LoopAddress::member(at.clone(), member));
            self.draft.apply(Step::Skew(Skew { at: sum, by, factor: 1 }))?;
        }
        self.tell(&band, "no loop is parallel: iterations run in waves of the sum of its loops")?;
        let Some((band, child)) = band_at(self.draft.tree(), at)? else { return Ok(()) };
        let first = (1..band.members.len()).find(|&member| band.members[member].coincident);
        match first {
            Some(first) => self.grid(at, first),
            // Updates whose order is free may be dated backward: waves do not set their loops free.
            None if has_coincident(&child) => Ok(()),
            None => self.single(at),
        }
    }

    /// A kernel of the band at a cursor, from one of its loops on, whose coincident loops are divided.
    fn grid(&mut self, at: &Cursor, first: usize) -> Result<()> {
        let order = self.coincident_first(at, first)?;
        if let Some(step) = interchange(at, &order) {
            self.draft.apply(step)?;
        }
        let Some((band, _)) = band_at(self.draft.tree(), at)? else { return Ok(()) };
        let own = &band.members[first..];
        let outer = members_above(self.draft.tree(), at)?;
        let mut n = 0;
        while n < MAX_AXES.min(own.len()) && self.rank(&own[n], &outer)? == 0 {
            n += 1;
        }
        // Where all loops have one iteration, the first has an axis.
        let n = n.max(1);
        let axes = self.axes(at, first, n)?;
        let threads = self.sizes(&own[..n], &axes)?;
        let address = |band: &Cursor, member| LoopAddress::member(band.clone(), member);
        let n_marks = n_marks_above(self.draft.tree(), at);
        let steps = steps_of_tiles(self.draft.tree(), at)?;
        let step = |member: usize| steps.get(member).copied().unwrap_or(1);
        let sizes = axes.iter().enumerate();
        let sizes = sizes
            .map(|(n, axis)| threads[*axis as usize].saturating_mul(step(first + n)))
            .collect();
        self.draft.apply(Step::Tile(Tile { first: address(at, first), sizes }))?;
        // Below the mark for tiles, which takes the place of marks around loops that are tiles; after the next step below that for blocks, too.
        let top = at.ancestor(n_marks);
        let tiles = if first == 0 { top.child(0) } else { at.child(0).child(0) };
        let to = |to, first| Step::Map(Map { first, to, axes: axes.clone() });
        self.draft.apply(to(MappedTo::Blocks, address(&tiles, 0)))?;
        let tiles = tiles.child(0);
        let points = tiles.child(0).child(0);
        self.draft.apply(to(MappedTo::Threads, address(&points, 0)))?;
        let kernel = Kernel { at: Some(address(&tiles, 0)), stmts: Vec::new(), threads };
        self.draft.apply(Step::Kernel(kernel))?;
        let [x, y, z] = threads;
        let loops = if n == 1 { "loop" } else { "loops" };
        self.tell(&band, &format!("{n} parallel {loops} on blocks of {x} x {y} x {z} threads"))
    }

    /// The positions of the loops of a band in an order in which those come first that can be divided, from one loop on; as they are where the
    /// band is not permutable.
    fn coincident_first(&self, at: &Cursor, first: usize) -> Result<Vec<usize>> {
        let Some((band, _)) = band_at(self.draft.tree(), at)? else { return Ok(Vec::new()) };
        let mut order: Vec<usize> = (0..band.members.len()).collect();
        if band.permutable {
            let outer = members_above(self.draft.tree(), at)?;
            let ranks = band.members.iter().map(|m| self.rank(m, &outer));
            let ranks: Vec<u8> = ranks.collect::<Result<_>>()?;
            order[first..].sort_by_key(|&member| ranks[member]);
        }
        Ok(order)
    }

    /// Nought for a loop that can be divided, one where it has one iteration in each of the loops around its band, two where it carries something.
    fn rank(&self, member: &Member, outer: &[Member]) -> Result<u8> {
        Ok(match member.coincident {
            false => 2,
            true => u8::from(!is_long_within(member, outer, &self.domain, 2)?),
        })
    }

    /// The axes of the `n` loops of a band from one on: x for the one that walks along lines, as the scheduler says or as accesses move;
    /// the others from the inside out.
    fn axes(&self, at: &Cursor, first: usize, n: usize) -> Result<Vec<Axis>> {
        let Some((band, _)) = band_at(self.draft.tree(), at)? else { return Ok(Vec::new()) };
        let along = match (first..first + n).find(|&member| band.members[member].walks_lines) {
            Some(member) => member,
            None => {
                let outer = members_above(self.draft.tree(), at)?;
                let mut best = None;
                for member in (first..first + n).rev() {
                    let rank = suitability(&band, &outer, member, self.strides)?;
                    if best.as_ref().is_none_or(|(least, _)| rank < *least) {
                        best = Some((rank, member));
                    }
                }
                best.map_or(first, |(_, member)| member)
            }
        };
        let mut axes = vec![Axis::X; n];
        let others = (first..first + n).rev().filter(|&member| member != along);
        for (member, axis) in others.zip([Axis::Y, Axis::Z]) {
            axes[member - first] = axis;
        }
        Ok(axes)
    }

    /// The threads of a block: those that suit the GPU, no more along an axis than its loop has iterations, rounded up to a power of two.
    fn sizes(&self, members: &[Member], axes: &[Axis]) -> Result<[i64; 3]> {
        if let Some(threads) = self.threads {
            return Ok(threads);
        }
        let scop = &self.draft.program().scop;
        let mut extents = [None; 3];
        let mut stmts = BTreeSet::new();
        for (member, axis) in members.iter().zip(axes) {
            extents[*axis as usize] = Some(extent(member, &self.domain)?);
            let names = stmt_names(&member.schedule.domain()?)?;
            stmts.extend(names.iter().filter_map(|name| scop.stmt_by_name(name)));
        }
        Ok(block_size(self.gpu, thread_registers(scop, stmts, self.gpu), extents))
    }

    /// Tells something of the statements of a band.
    fn tell(&mut self, band: &Band, text: &str) -> Result<()> {
        let Some(member) = band.members.first() else { return Ok(()) };
        let stmts = stmt_names(&member.schedule.domain()?)?;
        self.remarks.push(Remark { pass: "kernels", stmts, text: text.to_owned() });
        Ok(())
    }
}

/// The band at a cursor, or below marks there, with what is inside.
fn band_at(tree: &ScheduleTree, at: &Cursor) -> Result<Option<(Band, ScheduleTree)>> {
    Ok(match tree.at(at)?.node() {
        Node::Band { band, child } => Some((band.clone(), child.clone())),
        _ => None,
    })
}

/// How many dates an iteration of each loop of a band has where they run over tiles, of which a thread then runs whole ones.
fn steps_of_tiles(tree: &ScheduleTree, at: &Cursor) -> Result<Vec<i64>> {
    for n in 1..=n_marks_above(tree, at) {
        if let Node::Mark { mark: Mark::Tile(sizes), .. } = tree.at(&at.ancestor(n))?.node() {
            return Ok(sizes.clone());
        }
    }
    Ok(Vec::new())
}

/// The loops around a node, outermost first.
fn members_above(tree: &ScheduleTree, at: &Cursor) -> Result<Vec<Member>> {
    let (mut here, mut members) = (Cursor::root(), Vec::new());
    for &step in at.steps() {
        if let Node::Band { band, .. } = tree.at(&here)?.node() {
            members.extend(band.members.iter().cloned());
        }
        here = here.child(step);
    }
    Ok(members)
}

/// The names of the statements whose instances reach a node.
fn stmts_at(tree: &ScheduleTree, at: &Cursor) -> Result<Vec<String>> {
    let (mut here, mut instances) = (Cursor::root(), UnionSet::none()?);
    for step in at.steps().iter().map(Some).chain([None]) {
        match tree.at(&here)?.node() {
            Node::Domain { domain, .. } => instances = domain.clone(),
            Node::Filter { filter, .. } => instances = instances.intersect(filter)?,
            _ => {}
        }
        if let Some(&step) = step {
            here = here.child(step);
        }
    }
    Ok(stmt_names(&instances)?)
}
