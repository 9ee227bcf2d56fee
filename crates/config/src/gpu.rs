//! Files of GPUs: what one has. One table says which keys there are: it is what is read by, printed by, and what the schema is made of.

use crate::json::Node;
use crate::read::Fields;
use crate::report::Report;
use farkas_base::{Diagnostic, SourceFile};
use farkas_machine::Gpu;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// A file of a GPU that was read.
///
/// # Example
/// ```
/// use farkas_base::SourceFile;
/// use farkas_config::{GpuFile, print_gpu};
/// use farkas_machine::Gpu;
/// use std::sync::Arc;
///
/// let text = print_gpu(&Gpu::generic());
/// let file = GpuFile::parse(&Arc::new(SourceFile::new("generic.json", text))).unwrap();
/// assert_eq!(file.gpu, Gpu::generic());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GpuFile {
    /// The GPU.
    pub gpu: Gpu,
    /// What the file says of itself.
    pub description: Option<String>,
}

impl GpuFile {
    /// Reads a file of a GPU.
    ///
    /// # Errors
    /// All that is wrong with it, in the order of the file, each with its place.
    pub fn parse(source: &Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let root = crate::json::parse(source).map_err(|diagnostic| vec![*diagnostic])?;
        let mut report = Report::new(source);
        let file = read(&root, &mut report);
        report.finish(file).map(|(file, _)| file)
    }

    /// Whether a text is a file of a GPU, right or wrong, and none of a processor.
    pub fn is_one(source: &Arc<SourceFile>) -> bool {
        let Ok(root) = crate::json::parse(source) else { return false };
        matches!(&root.value, crate::json::Value::Object(all) if all.iter().any(|(key, _)| key.text == "gpu"))
    }
}

/// A number of a GPU.
struct Number {
    /// The key of the object that has it; none for the outermost one.
    group: Option<&'static str>,
    key: &'static str,
    what: &'static str,
    least: u32,
    most: u32,
    /// Where the file says nothing; else it has to.
    default: Option<u32>,
    get: fn(&Gpu) -> u32,
    set: fn(&mut Gpu, u32),
}

/// A number that is a field.
macro_rules! number {
    ($group:expr, $key:literal, $what:literal, $least:literal..=$most:expr, $default:expr, $($field:ident).+) => {
        Number {
            group: $group,
            key: $key,
            what: $what,
            least: $least,
            most: $most,
            default: $default,
            get: |gpu| gpu.$($field).+,
            set: |gpu, value| gpu.$($field).+ = value,
        }
    };
    ($group:expr, $key:literal, $what:literal, $least:literal..=$most:expr, $default:expr, kib $ty:ty, $($field:ident).+) => {
        Number {
            group: $group,
            key: $key,
            what: $what,
            least: $least,
            most: $most,
            default: $default,
            get: |gpu| u32::try_from(gpu.$($field).+ >> 10).unwrap_or(u32::MAX),
            set: |gpu, value| gpu.$($field).+ = <$ty>::from(value) << 10,
        }
    };
}

const LIMITS: Option<&str> = Some("limits");
const REGISTERS: Option<&str> = Some("registers");
const SHARED: Option<&str> = Some("shared");
const FMA: Option<&str> = Some("fma_per_cycle");

/// The objects in the outermost one, and what they are of.
const GROUPS: [(&str, &str); 4] = [
    ("limits", "What may be in use of a multiprocessor at a time."),
    ("registers", "Registers of 32 bits."),
    ("shared", "Memory that the threads of a block share."),
    (
        "fma_per_cycle",
        "Fused multiplications and additions that a multiprocessor begins in a cycle.",
    ),
];

/// All numbers, in the order in which they are printed.
const NUMBERS: [Number; 25] = [
    number!(
        None,
        "multiprocessors",
        "Multiprocessors: CUDA's SMs, OpenCL's compute units.",
        1..=1 << 16,
        None,
        multiprocessors
    ),
    number!(
        None,
        "warp_threads",
        "Threads of a warp, which run in step.",
        1..=1024,
        None,
        warp_threads
    ),
    number!(
        LIMITS,
        "threads_per_block",
        "Threads of a block.",
        1..=1 << 20,
        None,
        limits.threads_per_block
    ),
    number!(
        LIMITS,
        "threads",
        "Threads of all blocks of a multiprocessor.",
        1..=1 << 20,
        None,
        limits.threads
    ),
    number!(LIMITS, "blocks", "Blocks of a multiprocessor.", 1..=1 << 16, None, limits.blocks),
    number!(REGISTERS, "count", "All of a multiprocessor.", 1..=1 << 24, None, registers.count),
    number!(
        REGISTERS,
        "per_thread",
        "Those that one thread may have.",
        8..=1 << 16,
        None,
        registers.per_thread
    ),
    number!(
        REGISTERS,
        "unit",
        "A warp has a multiple of so many.",
        1..=1 << 16,
        Some(1),
        registers.unit
    ),
    number!(
        REGISTERS,
        "warps_unit",
        "A multiple of so many warps has registers.",
        1..=1 << 10,
        Some(1),
        registers.warps_unit
    ),
    number!(SHARED, "kib", "All of a multiprocessor, in KiB.", 1..=1 << 16, None, kib u32, shared.bytes),
    number!(SHARED, "kib_per_block", "What the declared arrays of a block may take, in KiB.", 1..=1 << 16, None, kib u32, shared.bytes_per_block),
    number!(
        SHARED,
        "reserved_bytes",
        "What the system takes for each block.",
        0..=1 << 20,
        Some(0),
        shared.reserved_bytes
    ),
    number!(
        SHARED,
        "unit_bytes",
        "A block has a multiple of so many bytes.",
        1..=1 << 16,
        Some(1),
        shared.unit_bytes
    ),
    number!(
        SHARED,
        "banks",
        "Banks, each of which serves one word a cycle.",
        1..=1 << 10,
        None,
        shared.banks
    ),
    number!(SHARED, "bank_bytes", "Bytes of a word of a bank.", 1..=64, Some(4), shared.bank_bytes),
    number!(
        None,
        "sector_bytes",
        "Bytes that move between memory and caches at once.",
        1..=4096,
        None,
        sector_bytes
    ),
    number!(None, "l2_kib", "The cache that all multiprocessors share, in KiB.", 1..=1 << 24, None, kib u64, l2_bytes),
    number!(None, "clock_mhz", "Clock rate under load.", 1..=100_000, None, clock_mhz),
    number!(
        None,
        "memory_mb_per_s",
        "MB (10^6 bytes) per second between memory and the whole GPU.",
        1..=1_000_000_000,
        None,
        memory_mb_per_s
    ),
    number!(FMA, "doubles", "Of doubles.", 1..=1 << 16, None, fma_per_cycle.doubles),
    number!(FMA, "floats", "Of floats.", 1..=1 << 16, None, fma_per_cycle.floats),
    number!(
        FMA,
        "tensor_halves",
        "By tensor cores, of half precision with sums in float; none where it is zero.",
        0..=1 << 16,
        Some(0),
        fma_per_cycle.tensor_halves
    ),
    number!(
        FMA,
        "tensor_bf16s",
        "The same of __bf16.",
        0..=1 << 16,
        Some(0),
        fma_per_cycle.tensor_bf16s
    ),
    number!(
        None,
        "fma_latency_cycles",
        "Cycles from the start of one to its result.",
        1..=1 << 10,
        Some(4),
        fma_latency_cycles
    ),
    number!(
        None,
        "launch_ns",
        "Nanoseconds from the start of a kernel that does nothing to its end.",
        0..=1 << 30,
        Some(3000),
        launch_ns
    ),
];

/// The keys of the outermost object that are no numbers.
const TEXTS: [(&str, &str); 2] = [
    ("name", "A name for reports."),
    ("description", "Which GPU it is, and where the figures are from."),
];

/// The whole file; `None` after errors.
fn read(root: &Node, report: &mut Report) -> Option<GpuFile> {
    let top = report.object(root, "the file", &["$schema", "gpu"])?;
    if let Some(schema) = top.get("$schema") {
        report.text(schema, "$schema");
    }
    let node = top.need(report, "gpu")?;
    let own = NUMBERS.iter().filter(|number| number.group.is_none()).map(|number| number.key);
    let keys: Vec<&str> = TEXTS.iter().chain(&GROUPS).map(|(key, _)| *key).chain(own).collect();
    let outermost = report.object(node, "gpu", &keys)?;
    let name = outermost.need(report, "name").and_then(|node| report.text(node, "name"));
    let description = outermost.get("description").and_then(|n| report.text(n, "description"));
    let mut gpu = Gpu::generic();
    let mut is_right = read_numbers(None, &outermost, report, &mut gpu);
    for (group, _) in GROUPS {
        let of = NUMBERS.iter().filter(|number| number.group == Some(group));
        let keys: Vec<&str> = of.map(|number| number.key).collect();
        let fields = outermost.need(report, group).and_then(|n| report.object(n, group, &keys));
        is_right &= fields.is_some_and(|f| read_numbers(Some(group), &f, report, &mut gpu));
    }
    gpu.name = name?.text.clone();
    is_right.then(|| GpuFile { gpu, description: description.map(|text| text.text.clone()) })
}

/// The numbers of an object; whether all are right.
fn read_numbers(
    group: Option<&str>,
    fields: &Fields<'_>,
    report: &mut Report,
    gpu: &mut Gpu,
) -> bool {
    let mut is_right = true;
    for number in NUMBERS.iter().filter(|number| number.group == group) {
        let node = match number.default {
            Some(_) => fields.get(number.key),
            None => fields.need(report, number.key),
        };
        let range = i64::from(number.least)..=i64::from(number.most);
        let read = node.map(|node| report.integer(node, number.key, range));
        let value = match (read, number.default) {
            (Some(value), _) => value.and_then(|value| u32::try_from(value).ok()),
            (None, default) => default,
        };
        match value {
            Some(value) => (number.set)(gpu, value),
            None => is_right = false,
        }
    }
    is_right
}

/// The GPU as a file that reads back as the same [`Gpu`].
pub fn print_gpu(gpu: &Gpu) -> String {
    let mut lines = vec![format!("    \"name\": {}", json!(gpu.name))];
    let mut told: Vec<&str> = Vec::new();
    for number in &NUMBERS {
        let Some(group) = number.group else {
            lines.push(format!("    \"{}\": {}", number.key, (number.get)(gpu)));
            continue;
        };
        if told.contains(&group) {
            continue;
        }
        told.push(group);
        let of = NUMBERS.iter().filter(|number| number.group == Some(group));
        let entries: Vec<String> =
            of.map(|number| format!("\"{}\": {}", number.key, (number.get)(gpu))).collect();
        lines.push(format!("    \"{group}\": {{ {} }}", entries.join(", ")));
    }
    format!("{{\n  \"gpu\": {{\n{}\n  }}\n}}\n", lines.join(",\n"))
}

/// The JSON Schema (draft 2020-12) of files of GPUs.
pub fn gpu_schema() -> String {
    let mut properties = Map::new();
    for (key, what) in TEXTS {
        properties.insert(key.to_owned(), json!({ "description": what, "type": "string" }));
    }
    properties.extend(schemas(None));
    let mut required: Vec<&str> = vec!["name"];
    required.extend(needed(None));
    for (key, what) in GROUPS {
        required.push(key);
        let (numbers, needed) = (schemas(Some(key)), needed(Some(key)));
        let schema = json!({
            "description": what,
            "type": "object",
            "required": needed,
            "additionalProperties": false,
            "properties": numbers,
        });
        properties.insert(key.to_owned(), schema);
    }
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Farkas GPU",
        "description": "What a GPU has. Numbers are those of one multiprocessor where nothing else is said.",
        "type": "object",
        "required": ["gpu"],
        "additionalProperties": false,
        "properties": {
            "$schema": { "description": "Where this schema is, for editors.", "type": "string" },
            "gpu": {
                "type": "object",
                "required": required,
                "additionalProperties": false,
                "properties": properties,
            },
        },
    });
    format!("{schema:#}\n")
}

/// The schemas of the numbers of an object.
fn schemas(group: Option<&str>) -> Map<String, Value> {
    let mut all = Map::new();
    for number in NUMBERS.iter().filter(|number| number.group == group) {
        let mut schema = json!({
            "description": number.what,
            "type": "integer",
            "minimum": number.least,
            "maximum": number.most,
        });
        if let (Some(default), Value::Object(entries)) = (number.default, &mut schema) {
            entries.insert("default".to_owned(), json!(default));
        }
        all.insert(number.key.to_owned(), schema);
    }
    all
}

/// The numbers of an object that must be there.
fn needed(group: Option<&str>) -> Vec<&'static str> {
    let own = NUMBERS.iter().filter(|number| number.group == group && number.default.is_none());
    own.map(|number| number.key).collect()
}
