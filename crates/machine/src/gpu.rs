//! GPUs.

/// A GPU. Numbers are those of one multiprocessor where nothing else is said.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Gpu {
    /// Its name, for reports.
    pub name: String,
    /// Multiprocessors: CUDA's SMs, OpenCL's compute units.
    pub multiprocessors: u32,
    /// Threads of a warp, which run in step: AMD's wavefront.
    pub warp_threads: u32,
    /// What blocks take of a multiprocessor, at most.
    pub limits: Limits,
    /// 32-bit registers, and how they are given out.
    pub registers: RegisterFile,
    /// Memory that the threads of a block share.
    pub shared: SharedMemory,
    /// Bytes that move between memory and caches at once: a sector.
    pub sector_bytes: u32,
    /// Bytes of the cache that all multiprocessors share.
    pub l2_bytes: u64,
    /// Clock rate in MHz under load.
    pub clock_mhz: u32,
    /// MB (10^6 bytes) per second between memory and the whole GPU.
    pub memory_mb_per_s: u32,
    /// Fused multiplications and additions begun in a cycle.
    pub fma_per_cycle: FmaRate,
    /// Cycles from the start of one to its result.
    pub fma_latency_cycles: u32,
    /// Nanoseconds from the start of a kernel that does nothing to its end, where others wait for it.
    pub launch_ns: u32,
}

/// How much of a multiprocessor may be in use at a time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// Threads of a block.
    pub threads_per_block: u32,
    /// Threads of all blocks.
    pub threads: u32,
    /// Blocks.
    pub blocks: u32,
}

/// Registers of 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RegisterFile {
    /// All of them.
    pub count: u32,
    /// Those that one thread may have.
    pub per_thread: u32,
    /// A warp has a multiple of so many.
    pub unit: u32,
    /// Registers are given to a multiple of so many warps: schedulers, each with its part of the registers.
    pub warps_unit: u32,
}

/// Memory that the threads of a block share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SharedMemory {
    /// All of it, in bytes.
    pub bytes: u32,
    /// What the declared arrays of one block may take, in bytes.
    pub bytes_per_block: u32,
    /// What the system takes of it for each block, in bytes.
    pub reserved_bytes: u32,
    /// A block has a multiple of so many bytes.
    pub unit_bytes: u32,
    /// Banks, each of which serves one word a cycle.
    pub banks: u32,
    /// Bytes of a word of a bank.
    pub bank_bytes: u32,
}

/// Fused multiplications and additions that begin in a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FmaRate {
    /// Of doubles.
    pub doubles: u32,
    /// Of floats.
    pub floats: u32,
    /// By tensor cores, of half precision with sums in `float`; none where it is zero.
    pub tensor_halves: u32,
    /// The same of `__bf16`.
    pub tensor_bf16s: u32,
}

impl Gpu {
    /// What is assumed of a device of OpenCL where nothing is known: the local memory that OpenCL 1.2 guarantees, blocks of 256 threads,
    /// which nearly all devices run, and the registers of common ones.
    pub fn generic() -> Self {
        Self {
            name: "opencl".into(),
            multiprocessors: 16,
            warp_threads: 32,
            limits: Limits { threads_per_block: 256, threads: 1024, blocks: 16 },
            registers: RegisterFile { count: 1 << 16, per_thread: 255, unit: 256, warps_unit: 4 },
            shared: SharedMemory {
                bytes: 64 << 10,
                bytes_per_block: 32 << 10,
                reserved_bytes: 0,
                unit_bytes: 256,
                banks: 32,
                bank_bytes: 4,
            },
            sector_bytes: 32,
            l2_bytes: 2 << 20,
            clock_mhz: 1000,
            memory_mb_per_s: 200_000,
            fma_per_cycle: FmaRate { doubles: 32, floats: 64, tensor_halves: 0, tensor_bf16s: 0 },
            fma_latency_cycles: 4,
            launch_ns: 3000,
        }
    }

    /// Fused multiplications and additions of elements of this size that a multiprocessor begins in a cycle.
    pub fn fma_rate(&self, element_bytes: u32) -> u32 {
        match element_bytes {
            0..=4 => self.fma_per_cycle.floats,
            _ => self.fma_per_cycle.doubles,
        }
    }
}
