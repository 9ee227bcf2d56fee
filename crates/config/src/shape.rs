//! What a strategy file asks for after scheduling.

use crate::json::{Node, Value};
use crate::report::Report;
use farkas_base::DiagnosticId;
use farkas_scop::{Grant, MemoryLimit};
use std::num::NonZero;
use std::ops::RangeInclusive;

/// What is done before and after scheduling: storage, loops that are split, tiling, wavefronts, order of point loops, recurrences
/// side by side. What the file leaves open is `None`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shape {
    /// Whether and how permutable bands are tiled.
    pub tiling: Option<Tiling>,
    /// Whether a tiled band without a parallel loop is skewed to have one.
    pub wavefront: Option<bool>,
    /// Which loops are put in the order that suits memory best.
    pub point_loop_order: Option<PointLoopOrder>,
    /// Whether values of temporaries get places of their own, before loops are ordered.
    pub expand: Option<bool>,
    /// Whether loops whose iterations all wait for the same one are split before and after it.
    pub split_index_sets: Option<bool>,
    /// Whether loops over tiles are split at the tile that all others wait for, instead of running tiles in wavefronts.
    pub split_tiles: Option<bool>,
    /// Whether recurrences run side by side, in strips of a parallel loop around them.
    pub strips: Option<bool>,
    /// Whether reductions whose order is free get a canonical form, by loops that become one.
    pub flatten: Option<bool>,
    /// Sizes of blocks and of what their threads compute, in kernels.
    pub gpu: Option<BlockSizes>,
    /// What arrays may take that hold values of temporaries.
    pub memory: Option<MemoryLimit>,
    /// What is granted of what regions are read under.
    pub assume: Vec<Grant>,
}

impl Shape {
    /// The keys that ask for a transformation or not, with what they say.
    pub(crate) fn flags(&self) -> [(&'static str, Option<bool>); 5] {
        [
            ("expand", self.expand),
            ("split_index_sets", self.split_index_sets),
            ("split_tiles", self.split_tiles),
            ("strips", self.strips),
            ("flatten", self.flatten),
        ]
    }
}

/// Sizes of blocks of a GPU and of what their threads compute; what is left open suits the GPU.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct BlockSizes {
    /// The threads of a block along x, y and z.
    pub block: Option<[NonZero<u16>; 3]>,
    /// The rows and columns of sums of products that a thread has.
    pub sums: Option<[NonZero<u16>; 2]>,
    /// Whether tensor cores compute products of numbers of 16 bits, where they can.
    pub tensor: bool,
}

/// Which loops are put in the order that suits memory best.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PointLoopOrder {
    /// None.
    Scheduled,
    /// Those of whole bands, tile loops included.
    Bands,
    /// Those within tiles alone.
    Points,
}

impl PointLoopOrder {
    /// All of them by their words.
    pub(crate) const WORDS: [(&'static str, Self); 3] =
        [("scheduled", Self::Scheduled), ("bands", Self::Bands), ("points", Self::Points)];

    /// The word of the JSON interface.
    pub fn name(self) -> &'static str {
        Self::WORDS.iter().find(|(_, order)| *order == self).map_or("", |(word, _)| word)
    }
}

/// Tiles of permutable bands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tiling {
    /// Whether bands are tiled at all.
    pub enabled: bool,
    /// Levels of tiles, outermost first; in each level a size a loop, positive, the last one repeated for deeper bands.
    /// Empty where the file leaves the sizes open.
    pub sizes: Vec<Vec<i64>>,
    /// Whether bands in which tiles bring no reuse stay as they are; `None` where the file leaves it open.
    pub only_for_reuse: Option<bool>,
}

/// Blocks with more threads along an axis than this are none of any device.
const MAX_BLOCK: u16 = 4096;

/// Tiles larger than this are no tiles.
const MAX_TILE: i64 = 1 << 30;

/// The keys that this module reads.
pub(crate) const SHAPE_KEYS: [&str; 11] = [
    "tiling",
    "wavefront",
    "point_loop_order",
    "expand",
    "split_index_sets",
    "split_tiles",
    "strips",
    "flatten",
    "gpu",
    "memory",
    "assume",
];

/// Those of them that say what is done to the schedule.
pub(crate) const TEMPLATE_KEYS: [&str; 8] = [
    "tiling",
    "wavefront",
    "point_loop_order",
    "split_index_sets",
    "split_tiles",
    "strips",
    "flatten",
    "gpu",
];

/// Reads the keys of a strategy that belong to its shape.
pub(crate) fn read_shape<'n>(get: impl Fn(&str) -> Option<&'n Node>, report: &mut Report) -> Shape {
    let mut flag = |key: &str| get(key).and_then(|node| report.boolean(node, key));
    let (wavefront, expand) = (flag("wavefront"), flag("expand"));
    let (split_index_sets, split_tiles) = (flag("split_index_sets"), flag("split_tiles"));
    let (strips, flatten) = (flag("strips"), flag("flatten"));
    let point_loop_order = get("point_loop_order")
        .and_then(|node| report.word(node, "point_loop_order", &PointLoopOrder::WORDS));
    let tiling = get("tiling").and_then(|node| read_tiling(node, report));
    let gpu = get("gpu").and_then(|node| read_block_sizes(node, report));
    let memory = get("memory").and_then(|node| read_memory(node, report));
    let assume = get("assume").map(|node| read_grants(node, report)).unwrap_or_default();
    Shape {
        tiling,
        wavefront,
        point_loop_order,
        expand,
        split_index_sets,
        split_tiles,
        strips,
        flatten,
        gpu,
        memory,
        assume,
    }
}

/// `{"block": [32, 8], "sums": [4, 4], "tensor": true}`
fn read_block_sizes(node: &Node, report: &mut Report) -> Option<BlockSizes> {
    let fields = report.object(node, "gpu", &["block", "sums", "tensor"])?;
    let mut sizes = |key: &str, n: RangeInclusive<usize>| {
        let node = fields.get(key)?;
        let items = report.list(node, key)?;
        if !n.contains(&items.len()) {
            let message = format!("`{key}` has {} sizes", items.len());
            let label = format!("{} to {} go here", n.start(), n.end());
            report.error(DiagnosticId::ValueOutOfRange, node.span, message, label);
            return None;
        }
        let mut size = |item| report.integer(item, "a size of a block", 1..=i64::from(MAX_BLOCK));
        let sizes = items.iter().filter_map(&mut size);
        Some(sizes.filter_map(|size| NonZero::new(u16::try_from(size).ok()?)).collect::<Vec<_>>())
    };
    let (block, sums) = (sizes("block", 1..=3), sizes("sums", 2..=2));
    let tensor = fields.get("tensor").and_then(|node| report.boolean(node, "tensor"));
    let block = block.map(|mut sizes| {
        sizes.resize(3, NonZero::<u16>::MIN);
        sizes
    });
    Some(BlockSizes {
        block: block.and_then(|sizes| sizes.try_into().ok()),
        sums: sums.and_then(|sizes| sizes.try_into().ok()),
        tensor: tensor.unwrap_or(false),
    })
}

/// `"512M"`, `"4x"`, as on the command line.
fn read_memory(node: &Node, report: &mut Report) -> Option<MemoryLimit> {
    let text = report.text(node, "memory")?;
    text.text
        .parse()
        .map_err(|message: String| {
            report.error(DiagnosticId::ValueOutOfRange, text.span, message, "")
        })
        .ok()
}

/// `["no-overlap=a,b", "no-wrap"]`, each as on the command line.
fn read_grants(node: &Node, report: &mut Report) -> Vec<Grant> {
    let items = report.list(node, "assume").unwrap_or_default();
    let mut grants = Vec::new();
    for item in items {
        let Some(text) = report.text(item, "an entry of assume") else { continue };
        match text.text.parse::<Grant>() {
            Ok(grant) => grants.push(grant),
            Err(error) => {
                let id = DiagnosticId::UnknownAssumption;
                report.error(id, text.span, error.to_string(), "");
            }
        }
    }
    grants
}

/// `{"enabled": true, "sizes": [32, 32], "only_for_reuse": false}`
fn read_tiling(node: &Node, report: &mut Report) -> Option<Tiling> {
    let fields = report.object(node, "tiling", &["enabled", "sizes", "only_for_reuse"])?;
    let mut flag = |key: &str| fields.get(key).and_then(|node| report.boolean(node, key));
    let (enabled, only_for_reuse) = (flag("enabled").unwrap_or(true), flag("only_for_reuse"));
    let sizes = fields.get("sizes").and_then(|node| read_sizes(node, report));
    Some(Tiling { enabled, sizes: sizes.unwrap_or_default(), only_for_reuse })
}

/// `[32, 32]`, or a list of such lists.
fn read_sizes(node: &Node, report: &mut Report) -> Option<Vec<Vec<i64>>> {
    let items = report.list(node, "sizes")?;
    let is_levels = items.iter().any(|item| matches!(item.value, Value::List(_)));
    let levels = if is_levels { items } else { std::slice::from_ref(node) };
    let mut sizes = Vec::new();
    for level in levels {
        let items = report.list(level, "a level of sizes")?;
        if items.is_empty() {
            let message = "a list of tile sizes is empty";
            report.error(
                DiagnosticId::ValueOutOfRange,
                level.span,
                message,
                "give at least one size",
            );
        }
        let size = |item| report.integer(item, "a tile size", 1..=MAX_TILE);
        sizes.push(items.iter().filter_map(size).collect());
    }
    Some(sizes)
}
