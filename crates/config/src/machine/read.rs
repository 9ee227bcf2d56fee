//! From JSON to a machine.

use super::MachineFile;
use crate::json::Node;
use crate::read::Fields;
use crate::report::Report;
use farkas_base::DiagnosticId;
use farkas_machine::{Cache, KnownCpu, Machine, Threads, Vector};
use std::ops::RangeInclusive;

/// The keys of a machine.
const MACHINE_KEYS: [&str; 14] = [
    "name",
    "description",
    "cpus",
    "cores",
    "threads_per_core",
    "caches",
    "vector",
    "in_flight",
    "page_bytes",
    "tlb_pages",
    "threads",
    "stack_kib",
    "clock_mhz",
    "memory_mb_per_s",
];

/// The keys of a cache.
const CACHE_KEYS: [&str; 7] =
    ["level", "size_kib", "line_bytes", "ways", "shared_by", "fill_cycles", "miss_cycles"];

/// The keys of vector registers.
const VECTOR_KEYS: [&str; 4] = ["width_bytes", "registers", "fma_per_cycle", "fma_latency_cycles"];

/// The keys of what threads take.
const THREADS_KEYS: [&str; 2] = ["start_cycles", "wake_cycles"];

/// The whole file; `None` after errors.
pub(super) fn read(root: &Node, report: &mut Report) -> Option<MachineFile> {
    let top = report.object(root, "the file", &["$schema", "machine"])?;
    if let Some(schema) = top.get("$schema") {
        report.text(schema, "$schema");
    }
    let node = top.need(report, "machine")?;
    let keys = report.object(node, "machine", &MACHINE_KEYS)?;
    let name = keys.need(report, "name").and_then(|node| report.text(node, "name"));
    let description = keys.get("description").and_then(|n| report.text(n, "description"));
    let description = description.map(|text| text.text.clone());
    let cpus = keys.get("cpus").map_or(Some(Vec::new()), |node| read_cpus(node, report));
    let mut numbers = Numbers { keys: &keys, report };
    let defaults = Machine::generic();
    let cores = numbers.need("cores", 1..=1 << 16);
    let threads_per_core = numbers.or("threads_per_core", 1..=64, 1);
    let in_flight = numbers.or("in_flight", 1..=1 << 16, defaults.in_flight);
    let page_bytes = numbers.power_or("page_bytes", 1 << 10..=1 << 30, defaults.page_bytes);
    let tlb_pages = numbers.or("tlb_pages", 1..=1 << 20, defaults.tlb_pages);
    let stack_kib = numbers.or("stack_kib", 1..=1 << 20, defaults.stack_bytes >> 10);
    let clock_mhz = numbers.maybe("clock_mhz", 1..=100_000);
    let memory_mb_per_s = numbers.maybe("memory_mb_per_s", 1..=100_000_000);
    let caches = keys.need(report, "caches").and_then(|node| read_caches(node, report));
    let vector = keys.need(report, "vector").and_then(|node| read_vector(node, report));
    let threads = keys.get("threads");
    let threads = threads.map_or_else(|| Some(Threads::generic()), |n| read_threads(n, report));
    let machine = Machine {
        name: name?.text.clone(),
        cores: cores?,
        threads_per_core: threads_per_core?,
        caches: caches?,
        vector: vector?,
        in_flight: in_flight?,
        page_bytes: page_bytes?,
        tlb_pages: tlb_pages?,
        threads: threads?,
        stack_bytes: stack_kib? << 10,
        clock_mhz,
        memory_mb_per_s,
    };
    Some(MachineFile { machine, description, cpus: cpus? })
}

/// `[{"vendor": "AuthenticAMD", "family": 25, "models": [[16, 31]]}]`
fn read_cpus(node: &Node, report: &mut Report) -> Option<Vec<KnownCpu>> {
    let mut found = Vec::new();
    for item in report.list(node, "cpus")? {
        let what = "an entry of cpus";
        let keys = report.object(item, what, &["vendor", "family", "models"])?;
        let vendor = keys.need(report, "vendor").and_then(|n| report.text(n, "vendor"));
        let family = Numbers { keys: &keys, report }.need("family", 0..=1 << 16);
        let mut models = Vec::new();
        let ranges = keys.need(report, "models")?;
        for range in report.list(ranges, "models")? {
            models.push(read_range(range, report)?);
        }
        found.push(KnownCpu { vendor: vendor?.text.clone(), family: family?, models });
    }
    Some(found)
}

/// `[16, 31]`
fn read_range(node: &Node, report: &mut Report) -> Option<(u32, u32)> {
    let what = "an entry of models";
    let items = report.list(node, what)?;
    let [first, last] = items else {
        let message = "an entry of models is a first and a last model";
        let id = DiagnosticId::ValueOutOfRange;
        report.error(id, node.span, message, "two integers go here");
        return None;
    };
    let mut model = |node| report.integer(node, what, 0..=1 << 20);
    let (first, last) = (model(first)?, model(last)?);
    Some((u32::try_from(first).ok()?, u32::try_from(last).ok()?))
}

/// The caches, from the innermost one outwards.
fn read_caches(node: &Node, report: &mut Report) -> Option<Vec<Cache>> {
    let mut found: Vec<Cache> = Vec::new();
    let items = report.list(node, "caches")?;
    if items.is_empty() {
        let message = "`caches` is empty";
        report.error(DiagnosticId::ValueOutOfRange, node.span, message, "give at least one cache");
        return None;
    }
    for item in items {
        let cache = read_cache(item, found.len(), report)?;
        if let Some(inner) = found.last()
            && (cache.level <= inner.level || cache.size_bytes < inner.size_bytes)
        {
            let message = "caches go from the innermost one outwards, each at least as large";
            let label = format!("this one is not behind the one of level {}", inner.level);
            report.error(DiagnosticId::ContradictoryEntries, item.place(), message, label);
            return None;
        }
        found.push(cache);
    }
    Some(found)
}

/// One cache, with `n_inner` inside it.
fn read_cache(node: &Node, n_inner: usize, report: &mut Report) -> Option<Cache> {
    let keys = report.object(node, "an entry of caches", &CACHE_KEYS)?;
    let generic = Machine::generic().caches;
    let typical = generic.get(n_inner).or(generic.last())?;
    let mut numbers = Numbers { keys: &keys, report };
    let level = numbers.need("level", 1..=4);
    let size_kib = numbers.need("size_kib", 1..=1 << 30);
    let line_bytes = numbers.power("line_bytes", 4..=1 << 12);
    let ways = numbers.maybe("ways", 1..=1 << 16);
    let shared_by = numbers.or("shared_by", 1..=1 << 16, 1);
    let fill_cycles = numbers.or("fill_cycles", 1..=1 << 16, typical.fill_cycles);
    let miss_cycles = numbers.or("miss_cycles", 1..=1 << 16, typical.miss_cycles);
    Some(Cache {
        level: level?,
        size_bytes: u64::from(size_kib?) << 10,
        line_bytes: line_bytes?,
        ways,
        shared_by: shared_by?,
        fill_cycles: fill_cycles?,
        miss_cycles: miss_cycles?,
    })
}

/// The vector registers.
fn read_vector(node: &Node, report: &mut Report) -> Option<Vector> {
    let keys = report.object(node, "vector", &VECTOR_KEYS)?;
    let typical = Machine::generic().vector;
    let mut numbers = Numbers { keys: &keys, report };
    let width_bytes = numbers.power("width_bytes", 4..=1 << 12);
    let registers = numbers.need("registers", 1..=1 << 12);
    let fma_per_cycle = numbers.or("fma_per_cycle", 1..=64, typical.fma_per_cycle);
    let latency = numbers.or("fma_latency_cycles", 1..=1 << 10, typical.fma_latency_cycles);
    Some(Vector {
        width_bytes: width_bytes?,
        registers: registers?,
        fma_per_cycle: fma_per_cycle?,
        fma_latency_cycles: latency?,
    })
}

/// What threads take.
fn read_threads(node: &Node, report: &mut Report) -> Option<Threads> {
    let keys = report.object(node, "threads", &THREADS_KEYS)?;
    let typical = Threads::generic();
    let mut numbers = Numbers { keys: &keys, report };
    let start_cycles = numbers.or("start_cycles", 1..=1 << 30, typical.start_cycles);
    let wake_cycles = numbers.or("wake_cycles", 1..=1 << 30, typical.wake_cycles);
    Some(Threads { start_cycles: start_cycles?, wake_cycles: wake_cycles? })
}

/// The numbers of an object.
struct Numbers<'a, 'n> {
    keys: &'a Fields<'n>,
    report: &'a mut Report,
}

impl Numbers<'_, '_> {
    /// One within `range`; `None` where it is missing or wrong.
    fn maybe(&mut self, key: &str, range: RangeInclusive<u32>) -> Option<u32> {
        let node = self.keys.get(key)?;
        let range = i64::from(*range.start())..=i64::from(*range.end());
        u32::try_from(self.report.integer(node, key, range)?).ok()
    }

    /// One that must be there.
    fn need(&mut self, key: &str, range: RangeInclusive<u32>) -> Option<u32> {
        self.keys.need(self.report, key)?;
        self.maybe(key, range)
    }

    /// One with a default; `None` where it is wrong.
    fn or(&mut self, key: &str, range: RangeInclusive<u32>, default: u32) -> Option<u32> {
        if self.keys.get(key).is_some() { self.maybe(key, range) } else { Some(default) }
    }

    /// A power of two that must be there.
    fn power(&mut self, key: &str, range: RangeInclusive<u32>) -> Option<u32> {
        let value = self.need(key, range)?;
        if value.is_power_of_two() {
            return Some(value);
        }
        let place = self.keys.get(key).map_or(self.keys.place(), |node| node.span);
        let message = format!("`{key}` is no power of two: {value}");
        let near = format!("{} or {}", value.next_power_of_two() / 2, value.next_power_of_two());
        self.report.error(DiagnosticId::ValueOutOfRange, place, message, near);
        None
    }

    /// A power of two with a default.
    fn power_or(&mut self, key: &str, range: RangeInclusive<u32>, default: u32) -> Option<u32> {
        if self.keys.get(key).is_some() { self.power(key, range) } else { Some(default) }
    }
}
