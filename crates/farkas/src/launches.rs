//! What a host has to do to run the kernels of a file, as JSON: for those who bring a runtime of their own.

use crate::LeftThere;
use farkas_codegen::{
    Argument, ArgumentValue, DeviceMemory, DeviceRegion, HostPlan, HostStep, Kernel, Language,
};
use serde::Serialize;

/// The version of the format.
const FORMAT: u32 = 1;

/// What became of a region, for a host.
pub struct OnDevice<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its line in the file.
    pub line: u32,
    /// Its kernels, or why it stays on the host.
    pub device: Result<&'a DeviceRegion, String>,
}

/// A file whose regions have kernels.
#[derive(Serialize)]
struct FileDoc<'a> {
    format: u32,
    language: &'static str,
    regions: Vec<RegionDoc<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    may_stay: Vec<StayDoc<'a>>,
}

/// What may stay on the device between regions.
#[derive(Serialize)]
struct StayDoc<'a> {
    array: &'a str,
    lines: [u32; 2],
    regions: &'a [String],
    other_regions: &'a [String],
    read_after: bool,
}

/// A region.
#[derive(Serialize)]
struct RegionDoc<'a> {
    region: &'a str,
    line: u32,
    #[serde(flatten)]
    host: HostDoc<'a>,
}

/// What the host does in its place.
#[derive(Serialize)]
#[serde(untagged)]
enum HostDoc<'a> {
    /// The region's own text runs, for this reason.
    Stays { on_host: String },
    /// Kernels run.
    Kernels {
        definitions: &'a [String],
        variables: &'a [String],
        conditions: &'a [String],
        apart: Vec<[RangeDoc<'a>; 2]>,
        memory: Vec<MemoryDoc<'a>>,
        kernels: Vec<KernelDoc<'a>>,
        steps: Vec<StepDoc<'a>>,
    },
}

/// A range of the host's memory.
#[derive(Serialize)]
struct RangeDoc<'a> {
    host: &'a str,
    bytes: &'a str,
}

/// A block of the device's memory.
#[derive(Serialize)]
struct MemoryDoc<'a> {
    name: &'a str,
    array: &'a str,
    r#type: &'a str,
    bytes: &'a str,
    touched: TouchedDoc<'a>,
    copied_in: bool,
    copied_out: bool,
}

/// The part of it that is touched.
#[derive(Serialize)]
struct TouchedDoc<'a> {
    at: &'a str,
    #[serde(flatten)]
    range: RangeDoc<'a>,
}

/// A kernel.
#[derive(Serialize)]
struct KernelDoc<'a> {
    name: &'a str,
    threads: [i64; 3],
    shared_bytes: u64,
    arguments: Vec<ArgumentDoc<'a>>,
}

/// An argument.
#[derive(Serialize)]
struct ArgumentDoc<'a> {
    name: &'a str,
    declaration: &'a str,
    bytes: u32,
    #[serde(flatten)]
    value: ValueDoc<'a>,
    /// That of a variable's value, in the host's C.
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'a str>,
}

/// Its value.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum ValueDoc<'a> {
    Memory(&'a str),
    Variable(&'a str),
    Bytes(&'a str),
}

/// Something that the host does.
#[derive(Serialize)]
#[serde(untagged)]
enum StepDoc<'a> {
    For { r#for: &'a str, first: &'a str, end: &'a str, step: i64, body: Vec<StepDoc<'a>> },
    If { r#if: &'a str, then: Vec<StepDoc<'a>>, r#else: Vec<StepDoc<'a>> },
    Launch { launch: &'a str, blocks: &'a [String] },
}

/// The regions of a file, in the order of the text, and what may stay on the device between them, as a document that `docs/gpu.md` describes.
///
/// # Errors
/// When there is no memory for the text.
pub fn launches(
    language: Language,
    regions: &[OnDevice<'_>],
    left: &[LeftThere],
) -> serde_json::Result<String> {
    let language = match language {
        Language::Cuda => "cuda",
        Language::OpenCl => "opencl",
    };
    let regions = regions.iter().map(region).collect();
    let may_stay = left.iter().map(stay).collect();
    let document = FileDoc { format: FORMAT, language, regions, may_stay };
    serde_json::to_string_pretty(&document).map(|text| text + "\n")
}

/// What may stay.
fn stay(left: &LeftThere) -> StayDoc<'_> {
    let LeftThere { array, lines, regions, others, is_read_after } = left;
    let (lines, read_after) = (*lines, *is_read_after);
    StayDoc { array, lines, regions, other_regions: others, read_after }
}

/// A region.
fn region<'a>(OnDevice { name, line, device }: &'a OnDevice<'a>) -> RegionDoc<'a> {
    let host = match device {
        Err(reason) => HostDoc::Stays { on_host: reason.clone() },
        Ok(DeviceRegion { kernels, plan, .. }) => {
            let HostPlan { variables, conditions, apart, memory, steps, definitions } = plan;
            let range = |(host, bytes): &'a (String, String)| RangeDoc { host, bytes };
            HostDoc::Kernels {
                definitions,
                variables,
                conditions,
                apart: apart.iter().map(|[one, other]| [range(one), range(other)]).collect(),
                memory: memory.iter().map(memory_doc).collect(),
                kernels: kernels.iter().map(kernel).collect(),
                steps: steps.iter().map(|step| step_doc(step, kernels)).collect(),
            }
        }
    };
    RegionDoc { region: name, line: *line, host }
}

/// A block of memory.
fn memory_doc(memory: &DeviceMemory) -> MemoryDoc<'_> {
    let DeviceMemory { name, array, element, bytes, touched, host, copied_in, copied_out, .. } =
        memory;
    let range = RangeDoc { host, bytes: &touched.1 };
    let touched = TouchedDoc { at: &touched.0, range };
    let (copied_in, copied_out) = (*copied_in, *copied_out);
    MemoryDoc { name, array, r#type: element, bytes, touched, copied_in, copied_out }
}

/// A kernel.
fn kernel(Kernel { name, threads, arguments, shared, .. }: &Kernel) -> KernelDoc<'_> {
    let arguments = arguments.iter().map(argument).collect();
    let shared_bytes = shared.iter().map(|buffer| buffer.bytes).sum();
    KernelDoc { name, threads: *threads, shared_bytes, arguments }
}

/// An argument.
fn argument(Argument { name, declaration, value, bytes }: &Argument) -> ArgumentDoc<'_> {
    let (value, ty) = match value {
        ArgumentValue::Memory(name) => (ValueDoc::Memory(name), None),
        ArgumentValue::Variable(name, ty) => (ValueDoc::Variable(name), Some(ty.as_str())),
        ArgumentValue::Bytes(address) => (ValueDoc::Bytes(address), None),
    };
    ArgumentDoc { name, declaration, bytes: *bytes, value, r#type: ty }
}

/// A step.
fn step_doc<'a>(step: &'a HostStep, kernels: &'a [Kernel]) -> StepDoc<'a> {
    let all = |steps: &'a [HostStep]| steps.iter().map(|step| step_doc(step, kernels)).collect();
    match step {
        HostStep::For { iterator, first, end, step, body } => {
            StepDoc::For { r#for: iterator, first, end, step: *step, body: all(body) }
        }
        HostStep::If { condition, then, otherwise } => {
            StepDoc::If { r#if: condition, then: all(then), r#else: all(otherwise) }
        }
        HostStep::Launch { kernel, blocks } => {
            let launch = kernels.get(*kernel).map_or("", |kernel| kernel.name.as_str());
            StepDoc::Launch { launch, blocks }
        }
    }
}
