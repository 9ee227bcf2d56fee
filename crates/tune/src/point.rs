//! One configuration of the scheduler and of what follows it.

use farkas_base::Id;
use farkas_config::{PointLoopOrder, Shape, Tiling, print_strategy_with};
use farkas_deps::DependenceKind;
use farkas_schedule::{
    Config, CostChoice, Dimension, Directive, DirectiveKind, Fallback, FusionHeuristic, FusionRule,
};
use farkas_scop::StmtId;

/// The tiles of generic strategies, where they bring reuse: those that the tool has where nothing is said. Files of kernels
/// say them, so that they mean the same when that changes.
const DEFAULT_TILES: &[&[i64]] = &[&[32]];

/// What the rows of a schedule minimise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Costs {
    /// Its words in labels.
    pub label: &'static str,
    /// What the outermost row minimises, where that is something else.
    pub first: Option<&'static [CostChoice]>,
    /// What the rows minimise, in this order.
    pub rows: &'static [CostChoice],
    /// Whether reuse of memory counts as proximity, too, not only the flow of values.
    pub by_memory: bool,
}

/// What is said of fusion at the outermost row, beside the heuristic.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Split {
    /// Every strongly connected component on its own.
    Total,
    /// A statement and the next one in the text apart.
    Apart(StmtId),
    /// A statement and the next one in the text together.
    Together(StmtId),
}

/// The signs and parameters that rows may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signs {
    /// No negative coefficients, no parameters.
    Plain,
    /// Negative coefficients.
    Negative,
    /// Negative coefficients, and shifts by parameters.
    Shifted,
}

/// One point of the space that is searched: everything that its strategy file says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point {
    /// What the rows minimise.
    pub costs: Costs,
    /// Whether reads of the same element count as proximity, too.
    pub counts_reads: bool,
    /// What decides of fusion where `split` does not.
    pub heuristic: FusionHeuristic,
    /// What is said of fusion at the outermost row.
    pub split: Option<Split>,
    /// Whether a row may have several iterators.
    pub skewing: bool,
    /// The signs and parameters that rows may have.
    pub signs: Signs,
    /// Whether loops to vectorize are found.
    pub vectorizes: bool,
    /// Loops to vectorize: statement and iterator, ascending.
    pub vector_loops: Vec<(StmtId, usize)>,
    /// What is done to the schedule. All that is open has the tool's default.
    pub shape: Shape,
}

impl Point {
    /// Default fusion, rows without restriction or extension, [`DEFAULT_TILES`] where they bring reuse.
    pub fn new(costs: Costs) -> Self {
        let point = Self {
            costs,
            counts_reads: false,
            heuristic: FusionHeuristic::Smart,
            split: None,
            skewing: true,
            signs: Signs::Plain,
            vectorizes: false,
            vector_loops: Vec::new(),
            shape: Shape::default(),
        };
        point.tiled_for_reuse()
    }

    /// The same with [`DEFAULT_TILES`] where they bring reuse.
    #[must_use]
    pub fn tiled_for_reuse(self) -> Self {
        let mut point = self.tiled(DEFAULT_TILES);
        if let Some(tiling) = &mut point.shape.tiling {
            tiling.only_for_reuse = Some(true);
        }
        point
    }

    /// The same with these levels of tile sizes, the outermost first; no level for no tiles.
    #[must_use]
    pub fn tiled(mut self, levels: &[&[i64]]) -> Self {
        self.shape.tiling = Some(Tiling {
            enabled: !levels.is_empty(),
            sizes: levels.iter().map(|level| level.to_vec()).collect(),
            only_for_reuse: None,
        });
        self
    }

    /// The text of the strategy file.
    ///
    /// # Example
    /// ```
    /// use farkas_schedule::CostChoice;
    /// use farkas_tune::{COSTS, Point};
    /// let point = Point { skewing: false, ..Point::new(COSTS[0]) };
    /// let text = point.to_text("gemm", None);
    /// assert!(text.contains(r#""name": "gemm""#) && text.contains("no-skewing"), "{text}");
    /// ```
    pub fn to_text(&self, name: &str, description: Option<&str>) -> String {
        let extra: &[&str] = if self.skewing { &[] } else { &["no-skewing"] };
        print_strategy_with(&self.config(name), extra, description, &self.shape)
    }

    /// What the scheduler is told, but for the constraint against skewing.
    fn config(&self, name: &str) -> Config {
        let first = self.costs.first.map(|costs| (Dimension::At(0), costs.to_vec()));
        let rows = (Dimension::Default, self.costs.rows.to_vec());
        Config {
            name: name.to_owned(),
            costs: first.into_iter().chain([rows]).collect(),
            fusion: self.split.map(fusion_rule).into_iter().collect(),
            heuristic: self.heuristic,
            directives: self.vector_loops.iter().enumerate().map(vector).collect(),
            auto_vectorization: self.vectorizes,
            negative_coefficients: self.signs != Signs::Plain,
            parametric_shift: self.signs == Signs::Shifted,
            proximity_kinds: self.proximity_kinds(),
            fallbacks: self.fallbacks(),
            ..Config::default()
        }
    }

    /// What is done where there is no row: without skewing there may be none, then a skewed one.
    fn fallbacks(&self) -> Vec<Fallback> {
        let drop = (!self.skewing).then_some(Fallback::DropConstraints);
        Fallback::USUAL.into_iter().chain(drop).collect()
    }

    /// The dependences that should be short.
    fn proximity_kinds(&self) -> Vec<DependenceKind> {
        let mut kinds = vec![DependenceKind::Flow];
        if self.costs.by_memory {
            kinds.extend([DependenceKind::Anti, DependenceKind::Output]);
        }
        if self.counts_reads {
            kinds.push(DependenceKind::Input);
        }
        kinds
    }

    /// What it is, for people: what differs from the defaults.
    pub fn label(&self) -> String {
        let mut parts = vec![self.costs.label.to_owned()];
        parts.extend(self.counts_reads.then(|| "with reads".to_owned()));
        parts.extend(match self.heuristic {
            FusionHeuristic::Smart => None,
            FusionHeuristic::Max => Some("fuse max".to_owned()),
            FusionHeuristic::No => Some("fuse nothing".to_owned()),
            FusionHeuristic::Cluster => Some("fuse clusters".to_owned()),
        });
        parts.extend(self.split.map(split_label));
        parts.extend((!self.skewing).then(|| "no skewing".to_owned()));
        parts.extend(match self.signs {
            Signs::Plain => None,
            Signs::Negative => Some("negative".to_owned()),
            Signs::Shifted => Some("negative, shift".to_owned()),
        });
        parts.extend(self.vectorizes.then(|| "auto-vectorization".to_owned()));
        parts.extend(self.vector_loops.iter().map(|(s, i)| format!("vector {s}.{i}")));
        parts.extend(shape_labels(&self.shape));
        parts.join("; ")
    }
}

/// The words for a split.
fn split_label(split: Split) -> String {
    match split {
        Split::Total => "distributed".to_owned(),
        Split::Apart(stmt) => format!("{stmt} | {}", next(stmt)),
        Split::Together(stmt) => format!("{stmt} + {}", next(stmt)),
    }
}

/// The words for a shape.
fn shape_labels(shape: &Shape) -> Vec<String> {
    let tiles = shape.tiling.as_ref().and_then(|tiling| match tiling.enabled {
        false => Some("no tiles".to_owned()),
        true if tiling.only_for_reuse == Some(true) => None,
        true => Some(format!("tiles {}", size_words(&tiling.sizes))),
    });
    let wavefront = (shape.wavefront == Some(false)).then(|| "no wavefront".to_owned());
    let order = shape.point_loop_order.map(|order| match order {
        PointLoopOrder::Bands => "loops by memory".to_owned(),
        PointLoopOrder::Points => "point loops by memory".to_owned(),
        PointLoopOrder::Scheduled => "loops in place".to_owned(),
    });
    [tiles, wavefront, order].into_iter().flatten().collect()
}

/// `256:32,64`
fn size_words(levels: &[Vec<i64>]) -> String {
    let level = |sizes: &Vec<i64>| sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
    levels.iter().map(level).collect::<Vec<_>>().join(":")
}

/// The statement that follows.
fn next(stmt: StmtId) -> StmtId {
    StmtId::from_index(stmt.index() + 1)
}

/// A split as the scheduler takes it.
fn fusion_rule(split: Split) -> FusionRule {
    let groups = match split {
        Split::Total => Vec::new(),
        Split::Apart(stmt) => vec![vec![stmt], vec![next(stmt)]],
        Split::Together(stmt) => vec![vec![stmt, next(stmt)]],
    };
    FusionRule { dimension: Dimension::At(0), total_distribution: split == Split::Total, groups }
}

/// A loop to vectorize as the scheduler takes it.
fn vector((origin, &(stmt, iterator)): (usize, &(StmtId, usize))) -> Directive {
    Directive { kind: DirectiveKind::Vectorize, stmts: vec![stmt], iterator, origin }
}
