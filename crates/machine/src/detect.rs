//! From what the system says to a machine.

use crate::cpuinfo::{CpuId, CpuInfo};
use crate::system::{CacheText, CpuText, SystemText};
use crate::{Cache, Machine, Vector, cpu_list};
use std::collections::BTreeSet;

/// A machine, and what of it is not from the system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Detected {
    /// The machine.
    pub machine: Machine,
    /// What was assumed, each a sentence without capital and full stop.
    pub assumed: Vec<String>,
}

/// A processor that is known by its numbers: what it has that no system tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownCpu {
    /// The maker, as [`CpuId::vendor`].
    pub vendor: String,
    /// The family.
    pub family: u32,
    /// First and last model of each range.
    pub models: Vec<(u32, u32)>,
}

impl KnownCpu {
    /// Whether a processor is one of these.
    pub fn is(&self, id: &CpuId) -> bool {
        self.vendor == id.vendor
            && self.family == id.family
            && self.models.iter().any(|(first, last)| (*first..=*last).contains(&id.model))
    }
}

/// The machine that the system describes.
///
/// What the system does not say is taken from the first of `known` that the processor is, else from
/// [`Machine::generic`]; what may be wrong then is told. Virtual machines may hide caches and instructions: what they
/// hide is not used.
pub fn detect(system: &SystemText, known: &[(KnownCpu, Machine)]) -> Detected {
    let info = CpuInfo::parse(system.cpuinfo.as_deref().unwrap_or_default());
    let same = info.id.as_ref().and_then(|id| known.iter().find(|(cpu, _)| cpu.is(id)));
    let base = same.map_or_else(Machine::generic, |(_, machine)| machine.clone());
    let mut notes = Notes { is_known: same.is_some(), base: &base, told: Vec::new() };
    let cpu = first_fast(system);
    let caches = notes.caches(cpu.map_or(&[][..], |cpu| &cpu.caches));
    let (cores, threads_per_core) = notes.cores(system, &info);
    let vector = notes.vector(&info, system.sve_bytes.as_deref());
    let page_bytes = notes.page_bytes(system.smaps.as_deref());
    if system.fast_cpus.is_some() {
        notes.told.push("cores differ: caches are those of a fast one".into());
    }
    let machine = Machine {
        name: match (&same, &info.model_name) {
            (Some((_, machine)), _) => machine.name.clone(),
            (None, Some(name)) => name.clone(),
            (None, None) => "unknown processor".into(),
        },
        cores,
        threads_per_core,
        caches,
        vector,
        in_flight: base.in_flight,
        page_bytes,
        tlb_pages: info.tlb_pages.unwrap_or(base.tlb_pages),
        threads: base.threads.clone(),
        stack_bytes: base.stack_bytes,
        clock_mhz: same.and_then(|(_, machine)| machine.clock_mhz),
        memory_mb_per_s: same.and_then(|(_, machine)| machine.memory_mb_per_s),
    };
    Detected { machine, assumed: notes.told }
}

/// The first processor, of the fast ones where they differ.
fn first_fast(system: &SystemText) -> Option<&CpuText> {
    let fast = system.fast_cpus.as_deref().and_then(cpu_list).unwrap_or_default();
    system.cpus.iter().find(|cpu| fast.contains(&cpu.number)).or_else(|| system.cpus.first())
}

/// What takes the place of what is missing, and what was said of it.
struct Notes<'a> {
    is_known: bool,
    base: &'a Machine,
    told: Vec<String>,
}

impl Notes<'_> {
    /// Says that something was assumed.
    fn assume(&mut self, what: &str) {
        let whose = if self.is_known {
            format!("those of {}", self.base.name)
        } else {
            format!("those of a generic {} machine", self.base.name)
        };
        self.told.push(format!("{what} are {whose}: the system does not show them"));
    }

    /// The caches that hold data.
    fn caches(&mut self, texts: &[CacheText]) -> Vec<Cache> {
        let mut found: Vec<Cache> = texts.iter().filter_map(|text| self.cache(text)).collect();
        found.sort_by_key(|cache| cache.level);
        found.dedup_by_key(|cache| cache.level);
        let ascends = found.windows(2).all(|pair| pair[0].size_bytes <= pair[1].size_bytes);
        if found.first().is_none_or(|cache| cache.level != 1) || !ascends {
            self.assume("caches");
            return self.base.caches.clone();
        }
        if !self.is_known {
            self.assume("times of the caches");
        }
        found
    }

    /// A cache; `None` where it holds instructions alone or has no size.
    fn cache(&self, text: &CacheText) -> Option<Cache> {
        if text.kind.as_deref().map(str::trim) == Some("Instruction") {
            return None;
        }
        let number = |text: &Option<String>| text.as_deref()?.trim().parse::<u32>().ok();
        let level = number(&text.level).filter(|&level| (1..=4).contains(&level))?;
        let same = self.base.caches.iter().find(|cache| cache.level == level);
        let nearest = same.or(self.base.caches.last())?;
        let line = number(&text.line).filter(|line| line.is_power_of_two());
        let shared = text.shared.as_deref().and_then(cpu_list).map_or(0, |cpus| cpus.len());
        Some(Cache {
            level,
            size_bytes: size_bytes(text.size.as_deref()?)?,
            line_bytes: line.unwrap_or(nearest.line_bytes),
            ways: number(&text.ways).filter(|&ways| ways > 0),
            shared_by: u32::try_from(shared).unwrap_or(u32::MAX).max(1),
            fill_cycles: nearest.fill_cycles,
            miss_cycles: nearest.miss_cycles,
        })
    }

    /// Cores, and hardware threads of one.
    fn cores(&mut self, system: &SystemText, info: &CpuInfo) -> (u32, u32) {
        let place = |cpu: &CpuText| {
            let number = |text: &Option<String>| text.as_deref()?.trim().parse::<i64>().ok();
            Some((number(&cpu.package)?, number(&cpu.core)?))
        };
        let places: Option<Vec<(i64, i64)>> = system.cpus.iter().map(place).collect();
        let Some(places) = places.filter(|places| !places.is_empty()) else {
            let n = u32::try_from(system.cpus.len()).unwrap_or(u32::MAX).max(info.n_processors);
            self.told.push("each processor is taken for a core: the system does not show".into());
            return (n.max(1), 1);
        };
        let cores: BTreeSet<(i64, i64)> = places.iter().copied().collect();
        let of = |core: &(i64, i64)| places.iter().filter(|place| *place == core).count();
        let threads = cores.iter().map(of).max().unwrap_or(1);
        (u32::try_from(cores.len()).unwrap_or(u32::MAX), u32::try_from(threads).unwrap_or(1))
    }

    /// Vector registers by what the processor can do.
    fn vector(&mut self, info: &CpuInfo, sve_bytes: Option<&str>) -> Vector {
        let sve = sve_bytes.and_then(|text| text.trim().parse::<u32>().ok());
        let sve = sve.filter(|bytes| bytes.is_power_of_two() && (16..=256).contains(bytes));
        let (width_bytes, registers) = match () {
            () if info.has("avx512f") => (64, 32),
            () if info.has("avx") => (32, 16),
            () if info.has("sse2") => (16, 16),
            () if info.has("sve") && sve.is_some() => (sve.unwrap_or(16), 32),
            () if info.has("asimd") || info.has("neon") => (16, 32),
            () => {
                self.assume("vector registers");
                return self.base.vector.clone();
            }
        };
        if !self.is_known {
            self.assume("times of multiplications and additions");
        }
        // Where half of a register's width is hidden, units that worked in pairs work apart, at most two of them.
        let base = &self.base.vector;
        let wider = (base.width_bytes / width_bytes).max(1);
        let fma_per_cycle = match wider {
            1 => base.fma_per_cycle,
            _ => (base.fma_per_cycle * wider).min(base.fma_per_cycle.max(2)),
        };
        Vector { width_bytes, registers, fma_per_cycle, ..base.clone() }
    }

    /// Bytes of a page.
    fn page_bytes(&mut self, smaps: Option<&str>) -> u32 {
        let line = smaps.and_then(|text| text.lines().find(|l| l.starts_with("KernelPageSize:")));
        let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u32>().ok());
        match kib.filter(|kib| kib.is_power_of_two() && *kib <= 1 << 20) {
            Some(kib) => kib * 1024,
            None => {
                self.assume("pages");
                self.base.page_bytes
            }
        }
    }
}

/// `32K` or `8M` in bytes; `None` where it is nothing.
fn size_bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, factor) = match text.char_indices().last()? {
        (at, 'K') => (&text[..at], 1 << 10),
        (at, 'M') => (&text[..at], 1 << 20),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(factor).filter(|&bytes| bytes > 0 && bytes <= 1 << 40)
}
