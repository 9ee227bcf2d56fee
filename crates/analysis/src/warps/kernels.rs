//! Where the instances of statements run, by the marks of a tree.

use crate::Result;
use farkas_poly::{Map, PwAff, Set, Val};
use farkas_scop::{Scop, StmtId};
use farkas_tree::{Band, Cursor, GpuAxis, Mark, Node, ScheduleTree};

/// A kernel of a tree.
#[derive(Clone, Debug)]
pub struct GpuKernel {
    /// The node below its mark.
    pub cursor: Cursor,
    /// The threads of a block along x, y and z.
    pub threads: [i64; 3],
    /// The places in it where threads of a block wait for one another.
    pub n_barriers: usize,
    /// Its statements, in the order of the tree; one that stands at several places is there several times.
    pub stmts: Vec<MappedStmt>,
}

impl GpuKernel {
    /// Whether a node is in it.
    pub fn holds(&self, cursor: &Cursor) -> bool {
        self.cursor == *cursor || self.cursor.is_above(cursor)
    }
}

/// A statement at a place in a kernel.
#[derive(Clone, Debug)]
pub struct MappedStmt {
    /// The statement.
    pub stmt: StmtId,
    /// Its instances there, within the context.
    pub instances: Set,
    /// From instances to the values of the loops that all threads of a block are in together: on the host, those that blocks divide, those around
    /// the threads'; and how often the threads have begun, where they have several iterations.
    pub common: Vec<PwAff>,
    /// From instances to the values of the loops that each thread runs by itself, from the outermost on.
    pub own: Vec<PwAff>,
    /// From instances to the number of their thread along x, y and z; none where no loop is divided along an axis: its first thread runs them.
    pub threads: [Option<PwAff>; 3],
}

impl MappedStmt {
    /// From instances to the values of the loops that all threads are in together, then the number of their thread within the block: those along x
    /// follow one another, then those along y, then z.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn place(&self, threads: [i64; 3]) -> Result<Map> {
        let mut number = PwAff::constant_on(&self.instances, 0)?;
        let mut before = 1;
        for (along, n) in self.threads.iter().zip(threads) {
            if let Some(along) = along {
                number = number.add(&along.scale_val(&Val::int(before)?)?)?;
            }
            before *= n;
        }
        let mut place = number.to_map()?;
        for value in self.common.iter().rev() {
            place = value.to_map()?.flat_range_product(&place)?;
        }
        place.intersect_domain(&self.instances)
    }
}

/// The kernels of a tree, in its order.
///
/// # Errors
/// When isl refuses.
pub fn gpu_kernels(scop: &Scop, tree: &ScheduleTree) -> Result<Vec<GpuKernel>> {
    let mut active = Vec::new();
    for (stmt, statement) in scop.stmts().iter_enumerated() {
        let instances = statement.domain.intersect_params(scop.context())?;
        active.push(MappedStmt {
            stmt,
            instances,
            common: Vec::new(),
            own: Vec::new(),
            threads: [None, None, None],
        });
    }
    let mut search = Search { scop, found: Vec::new() };
    search.node(tree, &Cursor::root(), active, &mut Vec::new())?;
    Ok(search.found)
}

/// A walk through a tree.
struct Search<'a> {
    scop: &'a Scop,
    found: Vec<GpuKernel>,
}

impl Search<'_> {
    /// A node with the statements that reach it, below these marks.
    fn node(
        &mut self,
        tree: &ScheduleTree,
        cursor: &Cursor,
        active: Vec<MappedStmt>,
        marks: &mut Vec<Mark>,
    ) -> Result<()> {
        match tree.node() {
            Node::Leaf => {
                if let Some(kernel) = self.found.last_mut().filter(|k| k.holds(cursor)) {
                    kernel.stmts.extend(active);
                }
                return Ok(());
            }
            Node::Mark { mark, child } => {
                match (mark, self.found.last_mut()) {
                    (Mark::Kernel(threads), _) => {
                        let (cursor, threads) = (cursor.child(0), *threads);
                        self.found.push(GpuKernel {
                            cursor,
                            threads,
                            n_barriers: 0,
                            stmts: Vec::new(),
                        });
                    }
                    (Mark::Barrier, Some(kernel)) => kernel.n_barriers += 1,
                    _ => marks.push(mark.clone()),
                }
                return self.node(child, &cursor.child(0), active, marks);
            }
            _ => {}
        }
        let around = std::mem::take(marks);
        let in_kernel = self.found.last().filter(|k| k.holds(cursor)).map(|k| k.threads);
        for (at, child) in tree.children().iter().enumerate() {
            let mut inside = Vec::new();
            for one in &active {
                inside.extend(match tree.node() {
                    Node::Filter { filter, .. } => self.filtered(one, filter)?,
                    Node::Band { band, .. } => Some(dated(one, band, &around, in_kernel)?),
                    _ => Some(one.clone()),
                });
            }
            self.node(child, &cursor.child(at), inside, &mut Vec::new())?;
        }
        Ok(())
    }

    /// A statement with the instances that a filter lets through; none where that are none.
    fn filtered(
        &self,
        one: &MappedStmt,
        filter: &farkas_poly::UnionSet,
    ) -> Result<Option<MappedStmt>> {
        let space = self.scop.stmts()[one.stmt].domain.space()?;
        let instances = one.instances.intersect(&filter.extract_set(&space)?)?;
        Ok((!instances.is_empty()?).then(|| MappedStmt { instances, ..one.clone() }))
    }
}

/// A statement inside of a band.
fn dated(
    one: &MappedStmt,
    band: &Band,
    marks: &[Mark],
    in_kernel: Option<[i64; 3]>,
) -> Result<MappedStmt> {
    let mut dated = one.clone();
    let tiles = marks.iter().rev().find_map(|mark| match mark {
        Mark::Tile(sizes) => Some(sizes.as_slice()),
        _ => None,
    });
    let divided = |at: usize| {
        marks.iter().find_map(|mark| match mark {
            Mark::Threads(axes) => axes.get(at).copied(),
            _ => None,
        })
    };
    for (at, member) in band.members.iter().enumerate() {
        let date = member.schedule.extract_pw_aff(&one.instances.space()?)?;
        match (in_kernel, divided(at)) {
            (Some(threads), Some(axis)) => {
                let size = tiles.and_then(|sizes| sizes.get(at)).copied().unwrap_or(1);
                let number = date.scale_down_val(&Val::int(size)?)?.floor()?;
                thread(&mut dated, &number, axis, threads[axis.index()])?;
            }
            _ if dated.threads.iter().all(Option::is_none) => dated.common.push(date),
            _ => dated.own.push(date),
        }
    }
    Ok(dated)
}

/// Puts the iteration with a number on its thread of `n` along an axis; how often that has begun before is a moment of its own.
fn thread(dated: &mut MappedStmt, number: &PwAff, axis: GpuAxis, n: i64) -> Result<()> {
    let n = Val::int(n.max(1))?;
    dated.common.push(number.scale_down_val(&n)?.floor()?);
    dated.threads[axis.index()] = Some(number.mod_val(&n)?);
    Ok(())
}
