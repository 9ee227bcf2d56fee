//! GPUs by name, and from files.

use crate::machine::{host_machine, machine_named, machine_names};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_codegen::Language;
use farkas_config::GpuFile;
use farkas_machine::{BlockNeeds, Detected, Gpu};
use farkas_run::{read_source, size_words};
use std::path::Path;
use std::sync::Arc;

/// The GPUs that are files, by name.
const FILES: [(&str, &str); 7] = [
    ("h100", include_str!("../../../machines/gpus/h100.json")),
    ("h200", include_str!("../../../machines/gpus/h200.json")),
    ("a100", include_str!("../../../machines/gpus/a100.json")),
    ("rtx-4090", include_str!("../../../machines/gpus/rtx-4090.json")),
    ("mi300x", include_str!("../../../machines/gpus/mi300x.json")),
    ("opencl", include_str!("../../../machines/gpus/opencl.json")),
    ("pocl-cpu", include_str!("../../../machines/gpus/pocl-cpu.json")),
];

/// What a word for a machine names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AnyMachine {
    /// A processor.
    Processor(Box<Detected>),
    /// A GPU.
    Gpu(Box<Gpu>),
}

/// The names of all GPUs.
pub fn gpu_names() -> Vec<&'static str> {
    FILES.iter().map(|(name, _)| *name).collect()
}

/// The GPU that kernels in a language are for where nobody names one: of CUDA the H100, else any device of OpenCL 1.2.
pub fn usual_gpu(language: Language) -> Gpu {
    let name = match language {
        Language::Cuda => "h100",
        Language::OpenCl => "opencl",
    };
    gpu_named(name).unwrap_or_else(|_| Gpu::generic())
}

/// The GPU that `word` names: one of the shipped ones, or a file that ends in `.json`.
///
/// # Errors
/// That there is none, that it is a processor, or what is wrong with the file.
pub fn gpu_named(word: &str) -> Result<Gpu, Vec<Diagnostic>> {
    match any_machine(word)? {
        AnyMachine::Gpu(gpu) => Ok(*gpu),
        AnyMachine::Processor(_) => {
            let message = format!(
                "machine `{word}` is a processor, and kernels run on a GPU: expected one of {}, or a file with the key `gpu`",
                gpu_names().join(", ")
            );
            Err(vec![Diagnostic::new(DiagnosticId::BadOption, message)])
        }
    }
}

/// The processor or GPU that `word` names: `host`, one of the shipped ones, or a file that ends in `.json`.
///
/// # Errors
/// That there is none, or what is wrong with the file.
pub fn any_machine(word: &str) -> Result<AnyMachine, Vec<Diagnostic>> {
    let file = match FILES.iter().find(|(name, _)| *name == word) {
        Some((name, text)) => Some(Arc::new(SourceFile::new(format!("gpus/{name}.json"), *text))),
        None if word.ends_with(".json") => {
            Some(read_source(Path::new(word)).map_err(|diagnostic| vec![*diagnostic])?)
        }
        None => None,
    };
    match file.filter(GpuFile::is_one) {
        Some(file) => Ok(AnyMachine::Gpu(Box::new(GpuFile::parse(&file)?.gpu))),
        None => Ok(AnyMachine::Processor(Box::new(machine_named(word)?))),
    }
}

/// A GPU for people to read: a line a property.
pub fn describe_gpu(gpu: &Gpu) -> String {
    let Gpu { limits, registers, shared, fma_per_cycle, .. } = gpu;
    let of_block =
        BlockNeeds { threads: 256.min(limits.threads_per_block), registers: 64, shared_bytes: 0 };
    let occupancy = gpu.occupancy(of_block);
    let tflops = |rate: u32| {
        f64::from(rate) * 2.0 * f64::from(gpu.multiprocessors) * f64::from(gpu.clock_mhz) / 1e6
    };
    let rows = [
        ("gpu", gpu.name.clone()),
        (
            "multiprocessors",
            format!("{} with warps of {} threads", gpu.multiprocessors, gpu.warp_threads),
        ),
        (
            "each runs",
            format!(
                "{} threads in {} blocks of {} at most",
                limits.threads, limits.blocks, limits.threads_per_block
            ),
        ),
        (
            "registers",
            format!("{}, of which a thread has {} at most", registers.count, registers.per_thread),
        ),
        (
            "shared memory",
            format!(
                "{}, of which a block has {}; {} banks of {} bytes",
                size_words(u64::from(shared.bytes)),
                size_words(u64::from(shared.bytes_per_block)),
                shared.banks,
                shared.bank_bytes
            ),
        ),
        ("L2", format!("{} in sectors of {}", size_words(gpu.l2_bytes), gpu.sector_bytes)),
        ("memory", format!("{:.0} GB/s", f64::from(gpu.memory_mb_per_s) / 1e3)),
        (
            "peak",
            format!(
                "{:.1} TFLOP/s of doubles, {:.1} of floats at {} MHz",
                tflops(fma_per_cycle.doubles),
                tflops(fma_per_cycle.floats),
                gpu.clock_mhz
            ),
        ),
        (
            "occupancy",
            format!(
                "{} blocks of {} threads with {} registers each, limited by {}",
                occupancy.blocks, of_block.threads, of_block.registers, occupancy.limit
            ),
        ),
    ];
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter().map(|(name, words)| format!("{name:width$}  {words}\n")).collect()
}

/// The word for the processor that the program runs on, or the GPU that is usual for a language.
const HOST: &str = "host";

/// What goes with options for code in some language: a processor for sizes on the host, and a GPU where there are kernels.
///
/// # Errors
/// As for [`machine_named`] and [`gpu_named`]; that a GPU is named where there are no kernels.
pub fn machines_for(
    word: &str,
    language: Option<Language>,
) -> Result<(Detected, Option<Gpu>), Vec<Diagnostic>> {
    match (language, any_machine(word)?) {
        (None, AnyMachine::Processor(detected)) => Ok((*detected, None)),
        (None, AnyMachine::Gpu(gpu)) => {
            let message = format!(
                "machine `{}` is a GPU, which goes with --target cuda or opencl: expected one of {}, or a file with the key `machine`",
                gpu.name,
                machine_names().join(", ")
            );
            Err(vec![Diagnostic::new(DiagnosticId::BadOption, message)])
        }
        (Some(language), _) if word == HOST => Ok((host_machine(), Some(usual_gpu(language)))),
        (Some(_), _) => Ok((host_machine(), Some(gpu_named(word)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_gpu() {
        for name in gpu_names() {
            let gpu = gpu_named(name).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
            assert_eq!(gpu.name, name);
        }
        assert_eq!(gpu_named("opencl").expect("a GPU"), Gpu::generic());
    }

    /// What makers say that each does in a second, in TFLOP/s of doubles and of floats.
    #[test]
    fn peaks_are_those_of_the_makers() {
        for (name, doubles, floats) in [
            ("h100", 33.5, 66.9),
            ("h200", 33.5, 66.9),
            ("a100", 9.7, 19.5),
            ("rtx-4090", 1.3, 82.6),
            ("mi300x", 81.7, 163.4),
        ] {
            let gpu = gpu_named(name).expect("a GPU");
            let peak = |rate: u32| {
                f64::from(2 * rate * gpu.multiprocessors) * f64::from(gpu.clock_mhz) / 1e6
            };
            for (found, published) in [
                (peak(gpu.fma_per_cycle.doubles), doubles),
                (peak(gpu.fma_per_cycle.floats), floats),
            ] {
                assert!((found - published).abs() < 0.06, "{name}: {found} against {published}");
            }
        }
    }

    #[test]
    fn processors_and_gpus_are_not_mixed_up() {
        let message = |word: &str, language| {
            let errors = machines_for(word, language).expect_err("an error");
            errors.first().map(|error| error.message.clone()).unwrap_or_default()
        };
        assert!(message("amd-zen4", Some(Language::Cuda)).contains("is a processor"));
        assert!(message("h100", None).contains("is a GPU"));
        assert!(message("z80", Some(Language::OpenCl)).contains("unknown machine"));
        let usual = machines_for(HOST, Some(Language::Cuda)).expect("machines").1;
        assert_eq!(usual.map(|gpu| gpu.name), Some("h100".to_owned()));
    }

    #[test]
    fn gpus_are_described() {
        insta::assert_snapshot!(describe_gpu(&gpu_named("a100").expect("a GPU")));
    }
}
