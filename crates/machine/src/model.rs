//! The model itself.

/// A processor. Numbers are those of one core where nothing else is said.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Machine {
    /// Its name, for reports.
    pub name: String,
    /// Cores that a program may use.
    pub cores: u32,
    /// Hardware threads a core.
    pub threads_per_core: u32,
    /// Data and unified caches, innermost first, at least one; levels and sizes ascend.
    pub caches: Vec<Cache>,
    /// Vector registers and what is done in them.
    pub vector: Vector,
    /// Instructions that a core works on at once: those that have begun while an older one has no result yet.
    pub in_flight: u32,
    /// Bytes of a page of memory.
    pub page_bytes: u32,
    /// Pages that the last level of address translation buffers holds.
    pub tlb_pages: u32,
    /// What it takes to use several threads.
    pub threads: Threads,
    /// Bytes that the buffers of a region may take on the stack of a thread.
    pub stack_bytes: u32,
    /// Clock rate in MHz under load, where it is known.
    pub clock_mhz: Option<u32>,
    /// MB (10^6 bytes) per second between memory and one core, where it is known.
    pub memory_mb_per_s: Option<u32>,
}

/// A cache.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cache {
    /// 1 for the one next to the core.
    pub level: u32,
    /// All of it, in bytes.
    pub size_bytes: u64,
    /// Bytes that move at once; a power of two.
    pub line_bytes: u32,
    /// Lines that one set holds, where it is known.
    pub ways: Option<u32>,
    /// Hardware threads that share it.
    pub shared_by: u32,
    /// Cycles from one line to the next when lines stream in from behind it: the level after it, or memory.
    pub fill_cycles: u32,
    /// Cycles until a line from behind it is there when nothing announced it.
    pub miss_cycles: u32,
}

/// What it takes to use several threads, on a machine with its operating system and, where there is one, what it is a guest of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Threads {
    /// Cycles until threads that wait for work have begun a loop and have waited for one another at its end.
    pub start_cycles: u32,
    /// Cycles until the system has woken threads that went to sleep, as those of OpenMP do that wait for some milliseconds.
    pub wake_cycles: u32,
}

impl Threads {
    /// What is assumed where nothing is known: some 3 µs to start, and some 30 µs to wake, less on a system that nobody shares and
    /// more on a virtual one.
    pub fn generic() -> Self {
        Self { start_cycles: 8000, wake_cycles: 100_000 }
    }
}

/// Vector registers and arithmetic in them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Vector {
    /// Bytes of a register; a power of two.
    pub width_bytes: u32,
    /// Number of registers.
    pub registers: u32,
    /// Fused multiplications and additions of whole registers begun in a cycle.
    pub fma_per_cycle: u32,
    /// Cycles from the start of one to its result.
    pub fma_latency_cycles: u32,
}

impl Machine {
    /// What is assumed where nothing is known: a 64-bit x86 core of 2013 or later with AVX2 (the level x86-64-v3), which is
    /// slow enough and small enough to be exceeded by most.
    pub fn generic() -> Self {
        let cache = |level, kib: u64, ways, fill_cycles, miss_cycles| Cache {
            level,
            size_bytes: kib << 10,
            line_bytes: 64,
            ways: Some(ways),
            shared_by: 2,
            fill_cycles,
            miss_cycles,
        };
        Self {
            name: "x86-64-v3".into(),
            cores: 4,
            threads_per_core: 2,
            caches: vec![
                cache(1, 32, 8, 4, 14),
                cache(2, 256, 8, 10, 40),
                Cache { shared_by: 8, ..cache(3, 8 << 10, 16, 20, 200) },
            ],
            vector: Vector {
                width_bytes: 32,
                registers: 16,
                fma_per_cycle: 2,
                fma_latency_cycles: 4,
            },
            in_flight: 192,
            page_bytes: 4096,
            tlb_pages: 1024,
            threads: Threads::generic(),
            stack_bytes: 8 << 10,
            clock_mhz: None,
            memory_mb_per_s: None,
        }
    }

    /// The line of the innermost cache.
    pub fn line_bytes(&self) -> u32 {
        self.caches.first().map_or(64, |cache| cache.line_bytes)
    }

    /// Elements of this size in one vector register; at least one.
    pub fn lanes(&self, element_bytes: u32) -> u32 {
        (self.vector.width_bytes / element_bytes.max(1)).max(1)
    }

    /// Floating-point operations on elements of this size that one core does in a cycle at most, a fused multiplication
    /// and addition counted as two.
    pub fn peak_flops_per_cycle(&self, element_bytes: u32) -> u32 {
        2 * self.vector.fma_per_cycle * self.lanes(element_bytes)
    }

    /// What one core has of the caches of a level, or of the next one inwards where there is none.
    pub fn cache_bytes(&self, level: u32) -> u64 {
        let mut within = self.caches.iter().filter(|cache| cache.level <= level);
        within.next_back().or(self.caches.first()).map_or(0, |cache| self.share_bytes(cache))
    }

    /// What one core has of a cache while all are busy with one thread each.
    pub fn share_bytes(&self, cache: &Cache) -> u64 {
        cache.size_bytes / u64::from(self.sharing(cache))
    }

    /// What all cores together have of caches that several of them share, where they divide the same data among them again and again; of
    /// caches of their own, what one has.
    pub fn joint_bytes(&self, cache: &Cache) -> u64 {
        match self.sharing(cache) {
            1 => cache.size_bytes,
            sharing => cache.size_bytes * u64::from((self.cores / sharing).max(1)),
        }
    }

    /// How many cores share a cache.
    fn sharing(&self, cache: &Cache) -> u32 {
        (cache.shared_by / self.threads_per_core.max(1)).min(self.cores).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derived_numbers() {
        let machine = Machine::generic();
        assert_eq!((machine.lanes(8), machine.lanes(4), machine.lanes(64)), (4, 8, 1));
        assert_eq!(machine.peak_flops_per_cycle(8), 16);
        let shares = |m: &Machine| [0, 2].map(|k| m.share_bytes(&m.caches[k]));
        assert_eq!(shares(&machine), [32 << 10, 2 << 20]);
        assert_eq!(
            [1, 2, 9].map(|level| machine.cache_bytes(level)),
            [32 << 10, 256 << 10, 2 << 20]
        );
        let all = |m: &Machine| [0, 2].map(|k| m.joint_bytes(&m.caches[k]));
        assert_eq!(all(&machine), [32 << 10, 8 << 20]);
        let larger = Machine { cores: 16, ..machine.clone() };
        let one_core = Machine { cores: 1, ..machine };
        assert_eq!((shares(&one_core), all(&one_core)), ([32 << 10, 8 << 20], [32 << 10, 8 << 20]));
        assert_eq!((shares(&larger)[1], all(&larger)[1]), (2 << 20, 32 << 20));
    }
}
