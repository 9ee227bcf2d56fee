//! How loops are on a GPU, as a table and as JSON.

use crate::{Error, Optimized, Options, Session};
use farkas_analysis::{
    GpuKernel, MappedStmt, Spot, Touched, gpu_kernels, layout, thread_registers,
};
use farkas_astgen::{BlockKind, Node};
use farkas_codegen::{Buffer, Kernel};
use farkas_cost::{Launches, assumed_values, launches};
use farkas_machine::{BlockNeeds, Gpu};
use farkas_scop::{AccessKind, ArrayId, ArrayScope, Region, Scop, StmtId};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// How a region is on a GPU.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MappingDoc {
    /// The GPU that sizes were chosen for.
    pub gpu: String,
    /// The sizes for which launches and blocks are counted: those that were told, or assumed.
    pub sizes: Vec<(String, i64)>,
    /// Why the region stays on the host, if so; there are no kernels then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_host: Option<String>,
    /// The kernels, in the order of the text.
    pub kernels: Vec<KernelDoc>,
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct KernelDoc {
    /// Its name.
    pub name: String,
    /// The statements that run in it.
    pub statements: Vec<String>,
    /// The threads of a block along x, y and z.
    pub threads: [i64; 3],
    /// How often it starts; null where that takes too long to count.
    pub launches: Option<u64>,
    /// The most blocks along x, y and z that it starts with.
    pub blocks: Option<[i64; 3]>,
    /// The places at which threads of a block wait for one another.
    pub barriers: usize,
    /// The arrays that threads of a block share, with their bytes.
    pub shared: Vec<BufferDoc>,
    /// The arrays in registers of each thread, with their bytes.
    pub registers: Vec<BufferDoc>,
    /// An estimate of the registers of a thread.
    pub registers_per_thread: u32,
    /// How full multiprocessors are.
    pub occupancy: OccupancyDoc,
    /// What a warp touches by each access.
    pub references: Vec<WarpDoc>,
}

/// An array of a block or a thread.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BufferDoc {
    /// Its name.
    pub array: String,
    /// Its bytes.
    pub bytes: u64,
}

/// How full a multiprocessor is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OccupancyDoc {
    /// Blocks that it runs at a time.
    pub blocks: u32,
    /// Warps of these.
    pub warps: u32,
    /// The part of the warps that it could have.
    pub percent: u32,
    /// What keeps it from more blocks.
    pub limit: String,
    /// How often all multiprocessors are filled in the launch with the most blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waves: Option<u64>,
}

/// What one warp in the middle of the kernel touches at once by an access.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct WarpDoc {
    /// The statement.
    pub statement: String,
    /// The array.
    pub array: String,
    /// `read` or `write`.
    pub kind: &'static str,
    /// `memory`, `shared`, `registers` or `constant`.
    pub place: &'static str,
    /// The bytes of an element: what each load or store of a thread moves.
    pub bytes: u32,
    /// Threads that touch something; null, with what follows, where data choose the elements.
    pub threads: Option<u32>,
    /// Distinct elements.
    pub elements: Option<u32>,
    /// Distinct sectors of memory; null in shared memory.
    pub sectors: Option<u32>,
    /// The fewest sectors that hold as many elements.
    pub least_sectors: Option<u32>,
    /// Cycles that banks of shared memory take beyond those without conflicts; null elsewhere.
    pub bank_conflicts: Option<u32>,
}

/// How a region that was optimized for a GPU is on it.
///
/// # Errors
/// When isl refuses.
pub(super) fn mapping(
    region: &Region,
    optimized: &Optimized,
    options: &Options,
    session: &mut Session,
) -> Result<MappingDoc, Error> {
    let params = assumed_values(&region.scop, &region.host.sizes)?;
    let sizes: Vec<(String, i64)> = params.iter().map(|(n, value)| (n.to_owned(), value)).collect();
    let gpu = &options.gpu;
    let mut doc = MappingDoc { gpu: gpu.name.clone(), sizes, on_host: None, kernels: Vec::new() };
    let Some(device) = &optimized.device else {
        let told = optimized.session.diagnostics.iter().map(|d| d.message.clone()).next_back();
        doc.on_host = Some(told.unwrap_or_else(|| "nothing runs on the device".to_owned()));
        return Ok(doc);
    };
    let Optimized { scop, tree, ast, .. } = optimized;
    let starts = session.run("cost", || launches(ast, &params))?;
    let mapped = session.run("warps", || gpu_kernels(scop, tree))?;
    let mut blocks = Vec::new();
    ast.body.iter().for_each(|node| collect(node, &mut blocks));
    for (at, (kernel, block)) in device.kernels.iter().zip(blocks).enumerate() {
        let in_tree = kernel_of(&mapped, &block);
        let view = View { scop, gpu, kernel, params: &doc.sizes };
        let starts = starts.as_ref().and_then(|starts| starts.get(at));
        doc.kernels.push(view.doc(&block, in_tree, starts)?);
    }
    Ok(doc)
}

/// A kernel of the AST.
struct AstKernel {
    stmts: BTreeSet<StmtId>,
    /// Where its first loop stands in the tree.
    band: Option<farkas_tree::Cursor>,
    n_barriers: usize,
}

/// The kernels of a node, in the order of the text.
fn collect(node: &Node, found: &mut Vec<AstKernel>) {
    match node {
        Node::For(node) => node.body.iter().for_each(|inner| collect(inner, found)),
        Node::If(node) => {
            node.then.iter().chain(&node.otherwise).for_each(|inner| collect(inner, found));
        }
        Node::Block(block) => {
            if !matches!(block.kind, BlockKind::Kernel(_)) {
                return;
            }
            let (mut stmts, mut band, mut n_barriers) = (BTreeSet::new(), None, 0);
            for inner in &block.body {
                inner.for_each_user(&mut |user| stmts.extend([user.stmt]));
                inner.for_each_loop(&mut |of| {
                    band = band.take().or_else(|| of.info.member.clone().map(|(at, _)| at));
                });
                n_barriers += barriers(inner);
            }
            found.push(AstKernel { stmts, band, n_barriers });
        }
        Node::User(_) => {}
    }
}

/// The barriers of a node.
fn barriers(node: &Node) -> usize {
    match node {
        Node::For(node) => node.body.iter().map(barriers).sum(),
        Node::If(node) => node.then.iter().chain(&node.otherwise).map(barriers).sum(),
        Node::Block(block) => {
            let own = usize::from(block.kind == BlockKind::Barrier);
            own + block.body.iter().map(barriers).sum::<usize>()
        }
        Node::User(_) => 0,
    }
}

/// The kernel of the tree that one of the AST was made of: the one with its first loop, or where it has none, with its statements.
fn kernel_of<'a>(mapped: &'a [GpuKernel], block: &AstKernel) -> Option<&'a GpuKernel> {
    let has_loop = |kernel: &&GpuKernel| block.band.as_ref().is_some_and(|at| kernel.holds(at));
    let has_stmts = |kernel: &&GpuKernel| {
        block.stmts.iter().all(|stmt| kernel.stmts.iter().any(|one| one.stmt == *stmt))
    };
    mapped.iter().find(has_loop).or_else(|| mapped.iter().find(has_stmts))
}

/// What a kernel is looked at with.
struct View<'a> {
    scop: &'a Scop,
    gpu: &'a Gpu,
    kernel: &'a Kernel,
    params: &'a [(String, i64)],
}

impl View<'_> {
    /// The kernel, with its place in the tree and its launches.
    fn doc(
        &self,
        block: &AstKernel,
        in_tree: Option<&GpuKernel>,
        starts: Option<&Launches>,
    ) -> Result<KernelDoc, Error> {
        let Kernel { name, threads, shared, own, .. } = self.kernel;
        let buffers = |all: &[Buffer]| -> Vec<BufferDoc> {
            let name = |array: ArrayId| self.scop.arrays()[array].printed_name().to_owned();
            all.iter().map(|b| BufferDoc { array: name(b.array), bytes: b.bytes }).collect()
        };
        let bytes = |all: &[Buffer]| {
            u32::try_from(all.iter().map(|b| b.bytes).sum::<u64>()).unwrap_or(u32::MAX)
        };
        let estimate = thread_registers(self.scop, block.stmts.iter().copied(), self.gpu);
        let registers = estimate.saturating_add(bytes(own).div_ceil(4));
        let needs = BlockNeeds {
            threads: u32::try_from(threads.iter().product::<i64>()).unwrap_or(u32::MAX),
            registers: registers.min(self.gpu.registers.per_thread),
            shared_bytes: bytes(shared),
        };
        let occupancy = self.gpu.occupancy(needs);
        let most = starts.map(|starts| starts.most_blocks);
        let n_blocks = most.map(|blocks| blocks.iter().map(|n| n.unsigned_abs()).product());
        let mut references = Vec::new();
        for one in in_tree.iter().flat_map(|kernel| &kernel.stmts) {
            if block.stmts.contains(&one.stmt) {
                references.extend(self.references(one)?);
            }
        }
        references.dedup();
        let stmts = block.stmts.iter().map(|stmt| self.scop.stmts()[*stmt].name.clone());
        Ok(KernelDoc {
            name: name.clone(),
            statements: stmts.collect(),
            threads: *threads,
            launches: starts.map(|starts| starts.n),
            blocks: most,
            barriers: block.n_barriers,
            shared: buffers(shared),
            registers: buffers(own),
            registers_per_thread: registers,
            occupancy: OccupancyDoc {
                blocks: occupancy.blocks,
                warps: occupancy.warps,
                percent: occupancy.percent(),
                limit: occupancy.limit.to_string(),
                waves: n_blocks.and_then(|n| self.gpu.waves(n, needs)),
            },
            references,
        })
    }

    /// What a warp in the middle touches by each access of a statement to an array.
    fn references(&self, one: &MappedStmt) -> Result<Vec<WarpDoc>, Error> {
        let warp = self.gpu.warp_threads;
        let lanes = one.lanes(self.kernel.threads, warp, self.params, Spot::Middle)?;
        let Some(lanes) = lanes else { return Ok(Vec::new()) };
        let stmt = &self.scop.stmts()[one.stmt];
        let mut docs = Vec::new();
        for access in stmt.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
            let array = &self.scop.arrays()[access.array];
            if array.rank() == 0 && array.scope != ArrayScope::Buffer {
                continue;
            }
            let layout = layout(array, self.params)?;
            let place = self.place(access.array);
            let touched = lanes.touched(access, &layout, self.params, self.gpu)?;
            let of = |get: &dyn Fn(&Touched) -> u32| touched.as_ref().map(get);
            let memory = |get: &dyn Fn(&Touched) -> u32| of(get).filter(|_| place == "memory");
            docs.push(WarpDoc {
                statement: stmt.name.clone(),
                array: array.printed_name().to_owned(),
                kind: if access.kind == AccessKind::Read { "read" } else { "write" },
                place,
                bytes: layout.element_bytes,
                threads: of(&|t| t.threads),
                elements: of(&|t| t.elements),
                sectors: memory(&|t| t.sectors),
                least_sectors: memory(&|t| t.least_sectors(layout.element_bytes, self.gpu)),
                bank_conflicts: of(&Touched::bank_conflicts).filter(|_| place == "shared"),
            });
        }
        Ok(docs)
    }

    /// Where an array is.
    fn place(&self, array: ArrayId) -> &'static str {
        let is_in = |all: &[Buffer]| all.iter().any(|buffer| buffer.array == array);
        match () {
            () if is_in(&self.kernel.shared) => "shared",
            () if is_in(&self.kernel.own) => "registers",
            () if self.kernel.tables.contains(&array) => "constant",
            () => "memory",
        }
    }
}

/// The mapping for people.
pub(super) fn text(doc: &MappingDoc) -> String {
    let mut text = String::new();
    let sizes: Vec<String> = doc.sizes.iter().map(|(name, n)| format!("{name} = {n}")).collect();
    let with = if sizes.is_empty() { String::new() } else { format!(" with {}", sizes.join(", ")) };
    let _ = writeln!(text, "for {}{with}", doc.gpu);
    if let Some(why) = &doc.on_host {
        let _ = writeln!(text, "on the host: {why}");
    }
    for kernel in &doc.kernels {
        kernel_text(kernel, &mut text);
    }
    text
}

/// A kernel for people.
fn kernel_text(kernel: &KernelDoc, text: &mut String) {
    let [x, y, z] = kernel.threads;
    let _ = writeln!(text, "\n{}: {}", kernel.name, kernel.statements.join(", "));
    let launches = kernel.launches.map_or_else(|| "many".to_owned(), |n| n.to_string());
    let blocks = kernel
        .blocks
        .map_or_else(String::new, |[x, y, z]| format!(" of up to {x} x {y} x {z} blocks"));
    let _ = writeln!(text, "  launches   {launches}{blocks} of {x} x {y} x {z} threads");
    let _ = writeln!(text, "  barriers   {}", kernel.barriers);
    for (what, all) in [("shared", &kernel.shared), ("in registers", &kernel.registers)] {
        if !all.is_empty() {
            let all: Vec<String> =
                all.iter().map(|b| format!("{} ({} bytes)", b.array, b.bytes)).collect();
            let _ = writeln!(text, "  {what:<10} {}", all.join(", "));
        }
    }
    let OccupancyDoc { blocks, percent, limit, waves, .. } = &kernel.occupancy;
    let waves =
        waves.map_or_else(String::new, |n| format!("; {n} wave{}", if n == 1 { "" } else { "s" }));
    let _ = writeln!(
        text,
        "  occupancy  {percent} %: {blocks} blocks a multiprocessor, limited by {limit}, with about {} registers a thread{waves}",
        kernel.registers_per_thread
    );
    if kernel.references.is_empty() {
        return;
    }
    let head = [
        "a warp",
        "array",
        "does",
        "in",
        "bytes",
        "threads",
        "elements",
        "sectors",
        "at least",
        "bank conflicts",
    ];
    let mut rows = vec![head.map(str::to_owned)];
    for one in &kernel.references {
        let number = |n: Option<u32>| n.map_or_else(|| "-".to_owned(), |n| n.to_string());
        rows.push([
            one.statement.clone(),
            one.array.clone(),
            one.kind.to_owned(),
            one.place.to_owned(),
            one.bytes.to_string(),
            number(one.threads),
            number(one.elements),
            number(one.sectors),
            number(one.least_sectors),
            number(one.bank_conflicts),
        ]);
    }
    let widths: Vec<usize> =
        (0..head.len()).map(|at| rows.iter().map(|row| row[at].len()).max().unwrap_or(0)).collect();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(at, (cell, width))| match at {
            0..=3 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        let _ = writeln!(text, "  {}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
}
