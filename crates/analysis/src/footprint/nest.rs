//! The loops and references of a band.

use super::group::{Group, Reference};
use super::matrix::{independent, inverse};
use crate::affine::Affine;
use crate::extent::extent;
use crate::{Result, stmt_names};
use farkas_base::gcd;
use farkas_poly::UnionSet;
use farkas_scop::{AccessKind, Scop, StmtId};
use farkas_tree::{Band, Member, Node, ScheduleTree};
use std::collections::BTreeMap;

/// A loop of a nest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NestLoop {
    /// Its iterations at most, where parameters do not decide.
    pub extent: Option<u64>,
    /// Whether its iterations may run in any order.
    pub coincident: bool,
}

/// The loops of a band and of the bands below it, and the references of the statements in them, in groups that walk
/// through the same arrays in the same way.
#[derive(Clone, Debug)]
pub struct Nest {
    /// The members of the band, outermost first, then the loops inside it.
    pub loops: Vec<NestLoop>,
    /// How many of the loops are members of the band.
    pub n_members: usize,
    /// The groups.
    pub groups: Vec<Group>,
    /// The loops around each statement.
    pub stmts: Vec<(StmtId, Vec<usize>)>,
}

impl Nest {
    /// The nest of the `band` above `child`, with the members `outer` around it, whose instances are `domain`.
    ///
    /// Iterations of outer loops are taken one at a time. Scalars are left out: they are in registers.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn new(
        scop: &Scop,
        outer: &[Member],
        band: &Band,
        child: &ScheduleTree,
        domain: &UnionSet,
    ) -> Result<Self> {
        let mut found = Collector {
            scop,
            domain,
            nest: Self {
                loops: Vec::new(),
                n_members: band.members.len(),
                groups: Vec::new(),
                stmts: Vec::new(),
            },
            path: outer.iter().map(|member| (None, member.clone())).collect(),
            groups: BTreeMap::new(),
        };
        let stmts = match band.members.first() {
            Some(first) => stmt_names(&first.schedule.domain()?)?,
            None => Vec::new(),
        };
        found.band(band, child, &stmts)?;
        let Collector { nest, groups, .. } = found;
        let groups = groups.into_iter().map(|(common, members)| Group::new(common, members));
        Ok(Self { groups: groups.collect(), ..nest })
    }
}

/// A walk through the tree below a band.
struct Collector<'a> {
    scop: &'a Scop,
    domain: &'a UnionSet,
    nest: Nest,
    /// The members around the place, with their number where they are loops of the nest.
    path: Vec<(Option<usize>, Member)>,
    /// Offsets, and whether they are written, by what else references of one group have in common.
    groups: BTreeMap<Reference, Vec<(Vec<i64>, bool)>>,
}

impl Collector<'_> {
    /// What is below `tree`, where these statements run.
    fn below(&mut self, tree: &ScheduleTree, stmts: &[String]) -> Result<()> {
        match tree.node() {
            Node::Band { band, child } => return self.band(band, child, stmts),
            Node::Filter { filter, child } => {
                let here = stmt_names(filter)?;
                let kept: Vec<String> =
                    stmts.iter().filter(|name| here.contains(name)).cloned().collect();
                return self.below(child, &kept);
            }
            _ => {}
        }
        if tree.children().is_empty() {
            return stmts.iter().try_for_each(|name| self.stmt(name));
        }
        tree.children().iter().try_for_each(|child| self.below(child, stmts))
    }

    /// A band and what is below it.
    fn band(&mut self, band: &Band, child: &ScheduleTree, stmts: &[String]) -> Result<()> {
        let depth = self.path.len();
        for member in &band.members {
            let extent = extent(member, self.domain)?.and_then(|n| u64::try_from(n).ok());
            self.path.push((Some(self.nest.loops.len()), member.clone()));
            self.nest.loops.push(NestLoop { extent, coincident: member.coincident });
        }
        self.below(child, stmts)?;
        self.path.truncate(depth);
        Ok(())
    }

    /// The references of a statement in the loops of the path.
    fn stmt(&mut self, name: &str) -> Result<()> {
        let Some(id) = self.scop.stmt_by_name(name) else { return Ok(()) };
        let stmt = &self.scop.stmts()[id];
        let space = stmt.domain.space()?;
        let mut rows: Vec<(Option<usize>, Affine)> = Vec::new();
        for (number, member) in &self.path {
            if let Some(row) = Affine::of(&member.schedule.extract_pw_aff(&space)?)? {
                rows.push((*number, row));
            }
        }
        let Some(frame) = Frame::new(&rows) else { return Ok(()) };
        let loops = frame.loops.iter().flatten().copied().collect();
        self.nest.stmts.push((id, loops));
        for access in &stmt.accesses {
            let array = &self.scop.arrays()[access.array];
            if array.rank() == 0 || access.kind == AccessKind::Kill {
                continue;
            }
            let subscripts = Affine::of_relation(&access.relation)?;
            let (reference, offset) = frame.reference(access.array, subscripts.as_deref());
            let element_bytes = array.element.kind.size_bytes().unwrap_or(8);
            let reference = Reference { element_bytes, ..reference };
            self.groups.entry(reference).or_default().push((offset, access.kind.is_write()));
        }
        Ok(())
    }
}

/// A statement's iterators as functions of its loops.
struct Frame {
    /// The loops that determine the iterators; `None` for loops outside of the nest.
    loops: Vec<Option<usize>>,
    /// Their constants and parameters.
    rows: Vec<Affine>,
    /// Each iterator: a numerator a loop, and the denominator.
    inverse: Vec<(Vec<i64>, i64)>,
}

impl Frame {
    /// The frame of the first rows that determine the iterators; iterators that none determines stand still.
    fn new(rows: &[(Option<usize>, Affine)]) -> Option<Self> {
        let n = rows.first()?.1.dims.len();
        let units: Vec<Affine> = (0..n)
            .map(|k| Affine {
                dims: (0..n).map(|i| i64::from(i == k)).collect(),
                params: BTreeMap::new(),
                constant: 0,
            })
            .collect();
        let all: Vec<(Option<usize>, &Affine)> =
            rows.iter().map(|(k, row)| (*k, row)).chain(units.iter().map(|u| (None, u))).collect();
        let linear: Vec<&[i64]> = all.iter().map(|(_, row)| row.dims.as_slice()).collect();
        let chosen = independent(&linear);
        let square: Vec<&[i64]> = chosen.iter().map(|&at| linear[at]).collect();
        Some(Self {
            loops: chosen.iter().map(|&at| all[at].0).collect(),
            rows: chosen.iter().map(|&at| all[at].1.clone()).collect(),
            inverse: inverse(&square)?,
        })
    }

    /// How an access with these subscripts moves along the loops, and where it starts.
    fn reference(
        &self,
        array: farkas_scop::ArrayId,
        subscripts: Option<&[Affine]>,
    ) -> (Reference, Vec<i64>) {
        let mut reference = Reference {
            array,
            element_bytes: 0,
            is_affine: subscripts.is_some(),
            moves: Vec::new(),
            outer: Vec::new(),
            params: Vec::new(),
        };
        let subscripts = subscripts.unwrap_or_default();
        let common = self
            .inverse
            .iter()
            .fold(1_i64, |lcm, (_, d)| lcm.saturating_mul(*d / gcd(lcm, *d).max(1)));
        // What a loop contributes to each subscript, times the common denominator.
        let along = |k: usize| -> Vec<i64> {
            let of = |subscript: &Affine| {
                let parts = subscript.dims.iter().zip(&self.inverse);
                parts.fold(0_i64, |sum, (c, (numerators, d))| {
                    sum.saturating_add(c.saturating_mul(numerators[k]).saturating_mul(common / d))
                })
            };
            subscripts.iter().map(of).collect()
        };
        let mut offset: Vec<i64> = subscripts.iter().map(|s| s.constant).collect();
        let mut params: Vec<BTreeMap<String, i64>> =
            subscripts.iter().map(|s| scaled(&s.params, common)).collect();
        for (k, number) in self.loops.iter().enumerate() {
            let step = along(k);
            for (dim, step) in step.iter().enumerate() {
                offset[dim] = offset[dim]
                    .saturating_sub(step.saturating_mul(self.rows[k].constant).div_euclid(common));
                for (name, c) in &self.rows[k].params {
                    let sum = params[dim].entry(name.clone()).or_default();
                    *sum = sum.saturating_sub(step.saturating_mul(*c));
                }
            }
            let factor = step.iter().fold(common, |g, &s| gcd(g, s)).max(1);
            let step: Vec<i64> = step.iter().map(|s| s / factor).collect();
            match number {
                Some(number) => reference.moves.push((*number, step, common / factor)),
                None => reference.outer.push((step, common / factor)),
            }
        }
        reference.moves.sort();
        for params in &mut params {
            params.retain(|_, c| *c != 0);
        }
        reference.params = params;
        (reference, offset)
    }
}

/// All coefficients times a factor.
fn scaled(params: &BTreeMap<String, i64>, factor: i64) -> BTreeMap<String, i64> {
    params.iter().map(|(name, c)| (name.clone(), c.saturating_mul(factor))).collect()
}
