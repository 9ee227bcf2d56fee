//! The outer part of a schedule whose rows were found together, although some statements run one after another.

use crate::Result;
use crate::driver::Driver;
use crate::group::Group;
use crate::report::{RowReport, SequenceReport};
use farkas_poly::UnionSet;
use farkas_scop::StmtId;
use farkas_tree::ScheduleTree;

/// One level.
#[derive(Clone, Debug)]
pub(crate) enum Level {
    /// The members of a band, for all parts.
    Band {
        /// Its rows.
        rows: Vec<RowReport>,
        /// The parts, with what is unordered among them where the band begins.
        groups: Vec<Group>,
    },
    /// For each part the parts that follow one another in its place.
    Sequence(Vec<Vec<Vec<StmtId>>>),
}

/// Levels, the outermost first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Levels(Vec<Level>);

impl Levels {
    /// Adds an innermost level.
    pub(crate) fn push(&mut self, level: Level) {
        self.0.push(level);
    }

    /// How many rows of the schedule they are, those of sequences counted.
    pub(crate) fn n_dimensions(&self) -> usize {
        let of = |level: &Level| match level {
            Level::Band { rows, .. } => rows.len(),
            Level::Sequence(_) => 1,
        };
        self.0.iter().map(of).sum()
    }

    /// The sequences.
    pub(crate) fn sequences(&self) -> Vec<SequenceReport> {
        let (mut dimension, mut found) = (0, Vec::new());
        for level in &self.0 {
            match level {
                Level::Band { rows, .. } => dimension += rows.len(),
                Level::Sequence(groups) => {
                    found.push(SequenceReport { dimension, groups: groups.clone() });
                    dimension += 1;
                }
            }
        }
        found
    }

    /// The rows of all bands.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &RowReport> {
        self.0.iter().flat_map(|level| match level {
            Level::Band { rows, .. } => rows.as_slice(),
            Level::Sequence(_) => &[],
        })
    }
}

impl Driver<'_> {
    /// The tree of the levels over the trees of the innermost parts.
    pub(crate) fn tree_of_levels(
        &self,
        levels: &Levels,
        mut trees: Vec<ScheduleTree>,
    ) -> Result<ScheduleTree> {
        for level in levels.0.iter().rev() {
            trees = match level {
                Level::Band { rows, groups } => {
                    let nodes = groups.iter().zip(trees);
                    nodes
                        .map(|(group, tree)| self.band_node(group, groups.len(), rows, tree))
                        .collect::<Result<_>>()?
                }
                Level::Sequence(sequences) => self.joined(sequences, trees)?,
            };
        }
        Ok(trees.pop().unwrap_or_else(ScheduleTree::leaf))
    }

    /// For each sequence of parts the tree that runs them one after another.
    fn joined(
        &self,
        sequences: &[Vec<Vec<StmtId>>],
        trees: Vec<ScheduleTree>,
    ) -> Result<Vec<ScheduleTree>> {
        let mut trees = trees.into_iter();
        let mut joined = Vec::with_capacity(sequences.len());
        for parts in sequences {
            let filters = parts.iter().map(|part| self.instances(part));
            let filters: Vec<UnionSet> = filters.collect::<Result<_>>()?;
            let mut children: Vec<(UnionSet, ScheduleTree)> =
                filters.into_iter().zip(trees.by_ref()).collect();
            joined.push(match (children.len(), children.pop()) {
                (1, Some((_, tree))) => tree,
                (_, last) => ScheduleTree::sequence(children.into_iter().chain(last).collect()),
            });
        }
        Ok(joined)
    }
}
