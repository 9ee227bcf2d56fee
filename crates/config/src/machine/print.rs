//! Machines back to JSON text.

use farkas_machine::{Cache, Machine, Threads, Vector};
use serde_json::{Value, json};

/// The machine as a file that reads back as the same [`Machine`].
pub fn print_machine(machine: &Machine) -> String {
    let Machine { name, cores, threads_per_core, caches, vector, page_bytes, tlb_pages, .. } =
        machine;
    let mut lines = vec![
        line("name", &json!(name)),
        line("cores", &json!(cores)),
        line("threads_per_core", &json!(threads_per_core)),
    ];
    let caches: Vec<String> =
        caches.iter().map(|c| format!("      {}", object(&cache(c)))).collect();
    lines.push(format!("    \"caches\": [\n{}\n    ]", caches.join(",\n")));
    lines.push(format!("    \"vector\": {}", object(&registers(vector))));
    lines.push(line("in_flight", &json!(machine.in_flight)));
    lines.push(line("page_bytes", &json!(page_bytes)));
    lines.push(line("tlb_pages", &json!(tlb_pages)));
    lines.push(format!("    \"threads\": {}", object(&threads(&machine.threads))));
    lines.push(line("stack_kib", &json!(machine.stack_bytes >> 10)));
    let rates = [("clock_mhz", machine.clock_mhz), ("memory_mb_per_s", machine.memory_mb_per_s)];
    lines.extend(rates.into_iter().filter_map(|(key, rate)| Some(line(key, &json!(rate?)))));
    format!("{{\n  \"machine\": {{\n{}\n  }}\n}}\n", lines.join(",\n"))
}

/// A key and a value on a line.
fn line(key: &str, value: &Value) -> String {
    format!("    \"{key}\": {value}")
}

/// Keys and values of a cache.
fn cache(cache: &Cache) -> Vec<(&'static str, Value)> {
    let mut entries = vec![
        ("level", json!(cache.level)),
        ("size_kib", json!(cache.size_bytes >> 10)),
        ("line_bytes", json!(cache.line_bytes)),
    ];
    entries.extend(cache.ways.map(|ways| ("ways", json!(ways))));
    entries.push(("shared_by", json!(cache.shared_by)));
    entries.push(("fill_cycles", json!(cache.fill_cycles)));
    entries.push(("miss_cycles", json!(cache.miss_cycles)));
    entries
}

/// Keys and values of vector registers.
fn registers(vector: &Vector) -> Vec<(&'static str, Value)> {
    vec![
        ("width_bytes", json!(vector.width_bytes)),
        ("registers", json!(vector.registers)),
        ("fma_per_cycle", json!(vector.fma_per_cycle)),
        ("fma_latency_cycles", json!(vector.fma_latency_cycles)),
    ]
}

/// Keys and values of what threads take.
fn threads(threads: &Threads) -> Vec<(&'static str, Value)> {
    vec![("start_cycles", json!(threads.start_cycles)), ("wake_cycles", json!(threads.wake_cycles))]
}

/// An object on one line, in this order.
fn object(entries: &[(&'static str, Value)]) -> String {
    let entries: Vec<String> = entries.iter().map(|(key, v)| format!("\"{key}\": {v}")).collect();
    format!("{{ {} }}", entries.join(", "))
}
