//! How many blocks run on a multiprocessor at a time.

use crate::Gpu;
use std::fmt;

/// What one block of a kernel takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BlockNeeds {
    /// Its threads.
    pub threads: u32,
    /// 32-bit registers of each.
    pub registers: u32,
    /// Bytes of shared memory.
    pub shared_bytes: u32,
}

/// What keeps more blocks from running on a multiprocessor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Limit {
    /// Threads.
    Threads,
    /// Blocks.
    Blocks,
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Threads => "threads",
            Self::Blocks => "blocks",
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
        })
    }
}

/// How full a multiprocessor is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Occupancy {
    /// Blocks that run on it at a time; none where not even one fits.
    pub blocks: u32,
    /// Warps of these.
    pub warps: u32,
    /// Warps that it could have.
    pub max_warps: u32,
    /// What keeps it from having another block: of several the first of [`Limit`]'s.
    pub limit: Limit,
}

impl Occupancy {
    /// The part of the warps that it has, in percent, rounded down.
    pub fn percent(&self) -> u32 {
        100 * self.warps / self.max_warps.max(1)
    }
}

impl Gpu {
    /// How many blocks of a kernel a multiprocessor runs at a time, and what keeps it from running more.
    ///
    /// **Source** the rules of NVIDIA's occupancy calculator for compute capability 3.0 and later. A warp has whole units of registers, and
    /// as many warps have some as is a multiple of the schedulers; a block has whole units of shared memory, with what the
    /// system reserves; a block needs all of its warps at once:
    ///
    /// - threads: `max_warps / w` where a block has `w = ceil(threads / warp)` warps,
    /// - registers: `floor_to(count / ceil_to(registers warp, unit), warps_unit) / w`,
    /// - shared memory: `bytes / ceil_to(shared_bytes + reserved, unit)`.
    ///
    /// Blocks that no device would start have none: too many threads, more registers or shared memory than a block may have.
    pub fn occupancy(&self, block: BlockNeeds) -> Occupancy {
        let warp = self.warp_threads.max(1);
        let max_warps = self.limits.threads / warp;
        let warps = block.threads.max(1).div_ceil(warp);
        let by_limit = [
            (Limit::Threads, self.by_threads(block, max_warps / warps)),
            (Limit::Blocks, self.limits.blocks),
            (Limit::Registers, self.by_registers(block, warps)),
            (Limit::SharedMemory, self.by_shared_memory(block)),
        ];
        let least = by_limit.into_iter().min_by_key(|(limit, blocks)| (*blocks, *limit));
        let (limit, blocks) = least.unwrap_or((Limit::Threads, 0));
        Occupancy { blocks, warps: blocks * warps, max_warps, limit }
    }

    /// How many times all multiprocessors run as many blocks as they hold until so many are done; none where not one fits.
    pub fn waves(&self, n_blocks: u64, block: BlockNeeds) -> Option<u64> {
        let at_once = u64::from(self.occupancy(block).blocks) * u64::from(self.multiprocessors);
        (at_once > 0).then(|| n_blocks.div_ceil(at_once))
    }

    /// Blocks, where no more fit by their threads.
    fn by_threads(&self, block: BlockNeeds, blocks: u32) -> u32 {
        if block.threads > self.limits.threads_per_block { 0 } else { blocks }
    }

    /// Blocks for which there are registers.
    fn by_registers(&self, block: BlockNeeds, warps: u32) -> u32 {
        let file = &self.registers;
        if block.registers > file.per_thread {
            return 0;
        }
        let per_warp =
            (block.registers.max(1) * self.warp_threads).next_multiple_of(file.unit.max(1));
        let n_warps = file.count / per_warp;
        let unit = file.warps_unit.max(1);
        n_warps / unit * unit / warps
    }

    /// Blocks for which there is shared memory.
    fn by_shared_memory(&self, block: BlockNeeds) -> u32 {
        let memory = &self.shared;
        if block.shared_bytes > memory.bytes_per_block {
            return 0;
        }
        let own = block.shared_bytes.saturating_add(memory.reserved_bytes);
        match own.next_multiple_of(memory.unit_bytes.max(1)) {
            0 => u32::MAX,
            own => memory.bytes / own,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FmaRate, Limits, RegisterFile, SharedMemory};

    /// A device of a compute capability, as the CUDA programming guide has its figures (table of technical specifications).
    fn capability(threads: u32, blocks: u32, shared_kib: u32, reserved_bytes: u32) -> Gpu {
        Gpu {
            name: "test".into(),
            multiprocessors: 108,
            warp_threads: 32,
            limits: Limits { threads_per_block: 1024, threads, blocks },
            registers: RegisterFile { count: 65_536, per_thread: 255, unit: 256, warps_unit: 4 },
            shared: SharedMemory {
                bytes: shared_kib << 10,
                bytes_per_block: (shared_kib << 10) - reserved_bytes,
                reserved_bytes,
                unit_bytes: 128,
                banks: 32,
                bank_bytes: 4,
            },
            sector_bytes: 32,
            l2_bytes: 40 << 20,
            clock_mhz: 1410,
            memory_mb_per_s: 2_039_000,
            fma_per_cycle: FmaRate { doubles: 32, floats: 64, tensor_halves: 0, tensor_bf16s: 0 },
            fma_latency_cycles: 4,
            launch_ns: 3000,
        }
    }

    /// Blocks of so many threads, registers and KiB of shared memory, as NVIDIA's occupancy calculator counts them.
    #[test]
    fn occupancies_are_those_of_the_calculator() {
        use Limit::{Blocks, Registers, SharedMemory, Threads};
        let volta = capability(2048, 32, 96, 0);
        let ampere = capability(2048, 32, 164, 1024);
        let ada = capability(1536, 24, 100, 1024);
        let hopper = capability(2048, 32, 228, 1024);
        for (gpu, threads, registers, shared_kib, blocks, percent, limit) in [
            (&ampere, 256, 32, 0, 8, 100, Threads),
            (&ampere, 256, 40, 0, 6, 75, Registers),
            (&ampere, 256, 64, 0, 4, 50, Registers),
            (&ampere, 128, 255, 0, 2, 12, Registers),
            (&ampere, 1024, 64, 0, 1, 50, Registers),
            // 65 registers are 72 of each thread, of which there are too few for 32 warps.
            (&ampere, 1024, 65, 0, 0, 0, Registers),
            (&ampere, 32, 32, 0, 32, 50, Blocks),
            (&ampere, 33, 32, 0, 32, 100, Threads),
            (&ampere, 256, 32, 48, 3, 37, SharedMemory),
            (&volta, 256, 32, 48, 2, 25, SharedMemory),
            (&hopper, 256, 32, 48, 4, 50, SharedMemory),
            (&hopper, 128, 128, 0, 4, 25, Registers),
            (&hopper, 64, 37, 0, 24, 75, Registers),
            (&ada, 1024, 32, 0, 1, 66, Threads),
            (&ada, 192, 40, 0, 8, 100, Threads),
            (&ada, 512, 48, 0, 2, 66, Registers),
            (&ada, 256, 32, 99, 1, 16, SharedMemory),
        ] {
            let shared_bytes = shared_kib << 10;
            let found = gpu.occupancy(BlockNeeds { threads, registers, shared_bytes });
            let case = format!("{threads} threads, {registers} registers, {shared_kib} KiB");
            assert_eq!(
                (found.blocks, found.percent(), found.limit),
                (blocks, percent, limit),
                "{case}"
            );
        }
    }

    #[test]
    fn what_a_device_refuses_has_no_blocks() {
        let gpu = capability(2048, 32, 164, 1024);
        let fitting = BlockNeeds { threads: 256, registers: 32, shared_bytes: 0 };
        for block in [
            BlockNeeds { threads: 1025, ..fitting },
            BlockNeeds { registers: 256, ..fitting },
            BlockNeeds { shared_bytes: 164 << 10, ..fitting },
        ] {
            assert_eq!(gpu.occupancy(block).blocks, 0, "{block:?}");
            assert_eq!(gpu.waves(1, block), None);
        }
        assert_eq!([1, 864, 865].map(|n| gpu.waves(n, fitting)), [Some(1), Some(1), Some(2)]);
    }
}
