//! The space that is searched, and the ways through it.
//!
//! **Paper** PolyTOPS, section IV-B: its kernel-specific configurations were "obtained by playing with the cost
//! functions, fusion decisions and vectorization directives". Ours adds signs, tile sizes and what else is done to a
//! schedule.

use crate::point::{Costs, Point, Signs, Split};
use farkas_base::Id;
use farkas_config::{PointLoopOrder, Shape};
use farkas_schedule::CostChoice::{
    BigLoopsFirst, CoefficientSums, Contiguity, Feautrier, FlowProximity, LongStridesFirst,
    MemoryProximity, Proximity, TemporalSpatial,
};
use farkas_schedule::{CostChoice, FusionHeuristic, contiguous_iterators};
use farkas_scop::{Scop, StmtId};

/// Pluto's costs.
const PLUTO: &[CostChoice] = &[FlowProximity, MemoryProximity, CoefficientSums];

/// The cost functions and their orders, the most usual first.
pub const COSTS: [Costs; 12] = [
    costs("pluto", None, PLUTO, false),
    costs("contiguity, proximity", None, &[Contiguity, Proximity], true),
    costs("proximity", None, &[Proximity], true),
    costs("feautrier outside, pluto", Some(&[Feautrier]), PLUTO, false),
    costs("bigLoopsFirst, proximity", None, &[BigLoopsFirst, Proximity], true),
    costs("proximity, contiguity", None, &[Proximity, Contiguity], true),
    costs("feautrier", None, &[Feautrier], true),
    costs("temporal-spatial", None, &[TemporalSpatial, CoefficientSums, LongStridesFirst], true),
    costs("pluto outside, contiguity", Some(PLUTO), &[Contiguity, Proximity], false),
    costs("feautrier outside, proximity", Some(&[Feautrier]), &[Proximity], true),
    costs("contiguity, pluto", None, &[Contiguity, FlowProximity, MemoryProximity], false),
    costs("feautrier, contiguity", None, &[Feautrier, Contiguity], true),
];

/// An entry of [`COSTS`].
const fn costs(
    label: &'static str,
    first: Option<&'static [CostChoice]>,
    rows: &'static [CostChoice],
    by_memory: bool,
) -> Costs {
    Costs { label, first, rows, by_memory }
}

/// The shipped strategies that are files, but for the default, and where they are in the space.
pub fn generic_points() -> Vec<(&'static str, Point)> {
    let [pluto, tensor, proximity, .., feautrier, _, _, _, _, _] = COSTS;
    vec![
        ("pluto-plus", Point { signs: Signs::Shifted, ..Point::new(pluto) }),
        ("tensor", Point { skewing: false, ..Point::new(tensor) }),
        ("feautrier", Point::new(feautrier)),
        ("npu-vectorize", Point { vectorizes: true, ..Point::new(proximity) }),
    ]
}

/// The default strategy. It is no file, but `pluto.json`, the first of all points, mostly gives its schedules.
pub const DEFAULT_STRATEGY: &str = "pluto";

/// The strategy that chooses by the machine model alone, which a search is never to end below: it is always built and measured to the end.
pub const MODEL_STRATEGY: &str = "auto";

/// Other shipped strategies, which are not in the space.
pub const GENERIC_NAMES: [&str; 3] = ["isl", "isl-listing-2", "locality-cpu"];

/// The points that a search begins with after the generic ones: costs with fusion, then costs without skewing.
pub fn seeds() -> Vec<Point> {
    use FusionHeuristic::{Max, No, Smart};
    let fusions = [(Smart, None), (Max, None), (No, None), (Smart, Some(Split::Total))];
    let mut ranked: Vec<(usize, Point)> = Vec::new();
    for (rank, costs) in COSTS.into_iter().enumerate() {
        for (at, (heuristic, split)) in fusions.into_iter().enumerate() {
            ranked.push((rank + at, Point { heuristic, split, ..Point::new(costs) }));
        }
        ranked.push((rank + 1, Point { skewing: false, ..Point::new(costs) }));
    }
    // Likely choices of both kinds come before unlikely ones of either.
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, point)| point).collect()
}

/// What of a program decides which points there are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Subject {
    /// The number of statements that may be named; zero where a file has several regions, since a strategy file speaks
    /// of all of them.
    pub n_stmts: usize,
    /// Loops that move contiguously through memory: statement and iterator.
    pub vector_loops: Vec<(StmtId, usize)>,
}

/// More statements than this are not told apart one by one.
const MAX_STMTS: usize = 12;
/// Loops of a statement that are tried for vectors.
const MAX_LOOPS: usize = 2;

impl Subject {
    /// What is to be known of the regions of a program.
    ///
    /// # Errors
    /// When isl refuses to tell of the accesses.
    pub fn of(scops: &[&Scop]) -> farkas_schedule::Result<Self> {
        let [scop] = scops else { return Ok(Self::default()) };
        let n_stmts = scop.stmts().len();
        if n_stmts > MAX_STMTS {
            return Ok(Self::default());
        }
        let mut vector_loops = Vec::new();
        for stmt in scop.stmts().ids() {
            let loops = contiguous_iterators(scop, stmt)?;
            vector_loops.extend(loops.into_iter().take(MAX_LOOPS).map(|i| (stmt, i)));
        }
        Ok(Self { n_stmts, vector_loops })
    }
}

/// The points that differ from `point` in one choice of the scheduler's.
pub fn neighbours(point: &Point, subject: &Subject) -> Vec<Point> {
    let same = || point.clone();
    let mut all = vec![
        Point { skewing: !point.skewing, ..same() },
        Point { vectorizes: !point.vectorizes, ..same() },
    ];
    use FusionHeuristic::{Cluster, Max, No, Smart};
    let heuristics = [Smart, Max, No, Cluster];
    all.extend(heuristics.map(|heuristic| Point { heuristic, split: None, ..same() }));
    all.extend(
        [Signs::Plain, Signs::Negative, Signs::Shifted].map(|signs| Point { signs, ..same() }),
    );
    all.push(Point { split: Some(Split::Total), ..same() });
    all.extend(subject.vector_loops.iter().map(|&wish| toggled(point, wish)));
    for stmt in (1..subject.n_stmts).map(|next| StmtId::from_index(next - 1)) {
        let splits = [Split::Apart(stmt), Split::Together(stmt)];
        all.extend(splits.map(|split| Point { split: Some(split), ..same() }));
    }
    all.extend(COSTS.map(|costs| Point { costs, ..same() }));
    all.push(Point { counts_reads: !point.counts_reads, ..same() });
    all.retain(|other| other != point);
    all
}

/// The point with a loop to vectorize more or less; a statement has one at most.
fn toggled(point: &Point, (stmt, iterator): (StmtId, usize)) -> Point {
    let mut vector_loops = point.vector_loops.clone();
    vector_loops.retain(|(other, _)| *other != stmt);
    if !point.vector_loops.contains(&(stmt, iterator)) {
        vector_loops.push((stmt, iterator));
        vector_loops.sort_unstable();
    }
    Point { vector_loops, ..point.clone() }
}

/// Levels of tile sizes to try, the outermost first; no level for no tiles.
const TILES: [&[&[i64]]; 13] = [
    &[],
    &[&[32]],
    &[&[64]],
    &[&[16]],
    &[&[128]],
    &[&[8]],
    &[&[256], &[32]],
    &[&[32, 32, 512]],
    &[&[16, 256]],
    &[&[64, 512]],
    &[&[8, 64, 512]],
    &[&[128], &[16]],
    &[&[512], &[64]],
];

/// The point with other tiles.
pub fn tilings(point: &Point) -> Vec<Point> {
    TILES.into_iter().map(|levels| point.clone().tiled(levels)).collect()
}

/// The point with the rest of its shape changed: wavefronts, and the order of point loops, which is left to the tool, by
/// memory, or that of the schedule.
pub fn finishes(point: &Point) -> Vec<Point> {
    let mut all = Vec::new();
    use PointLoopOrder::{Bands, Points, Scheduled};
    for point_loop_order in [None, Some(Bands), Some(Points), Some(Scheduled)] {
        for wavefront in [None, Some(false)] {
            let shape = Shape { wavefront, point_loop_order, ..point.shape.clone() };
            all.push(Point { shape, ..point.clone() });
        }
    }
    all.retain(|other| other != point);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_neighbours_differ() {
        let seeds = seeds();
        assert_eq!(seeds[0], Point::new(COSTS[0]));
        for (at, seed) in seeds.iter().enumerate() {
            assert!(!seeds[..at].contains(seed), "{} is there twice", seed.label());
        }
        let stmt = StmtId::from_index(0);
        let subject = Subject { n_stmts: 2, vector_loops: vec![(stmt, 0), (stmt, 1)] };
        let point = Point { vector_loops: vec![(stmt, 1)], ..seeds[0].clone() };
        let labels: Vec<String> = neighbours(&point, &subject).iter().map(Point::label).collect();
        let part = |text: &str| labels.iter().filter(|label| label.as_str() == text).count();
        assert_eq!(part("pluto; vector S0.0"), 1, "{labels:?}");
        assert_eq!(part("pluto"), 1, "{labels:?}");
        assert_eq!(part("pluto; S0 | S1; vector S0.1"), 1, "{labels:?}");
        assert_eq!(part("pluto; vector S0.1"), 0, "{labels:?}");
    }

    #[test]
    fn generic_points_have_the_costs_of_their_names() {
        let labels: Vec<(&str, String)> =
            generic_points().into_iter().map(|(name, point)| (name, point.label())).collect();
        assert_eq!(labels[1], ("tensor", "contiguity, proximity; no skewing".into()));
        assert_eq!(labels[2].1, "feautrier");
        assert_eq!(labels[3].1, "proximity; auto-vectorization");
    }

    #[test]
    fn shapes_say_what_they_change() {
        let point = Point::new(COSTS[0]);
        let labels: Vec<String> = tilings(&point).iter().map(Point::label).collect();
        assert_eq!(labels[0], "pluto; no tiles");
        assert!(labels.contains(&"pluto; tiles 256:32".into()), "{labels:?}");
        let labels: Vec<String> = finishes(&point).iter().map(Point::label).collect();
        assert_eq!(
            labels,
            [
                "pluto; no wavefront",
                "pluto; loops by memory",
                "pluto; no wavefront; loops by memory",
                "pluto; point loops by memory",
                "pluto; no wavefront; point loops by memory",
                "pluto; loops in place",
                "pluto; no wavefront; loops in place"
            ]
        );
    }
}
