//! The kernels of a file in one text, with what starts them.

use super::words::renamed;
use super::{DeviceRegion, Kernel, Language};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What stands at the beginning of a file with these regions: the text of their kernels as data, a list of them, and functions that find a
/// device, compile the kernels and start them.
pub fn print_program(language: Language, regions: &[DeviceRegion]) -> String {
    let mut text = String::from("static const char farkas_source[] =\n");
    for line in print_kernels(language, regions).lines() {
        let line = line.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "  \"{line}\\n\"");
    }
    text.push_str("  ;\n");
    let mut firsts = Vec::new();
    let mut kernels: Vec<&Kernel> = Vec::new();
    for region in regions {
        firsts.push(format!("{} = {}", region.prefix, kernels.len()));
        kernels.extend(&region.kernels);
    }
    let _ = writeln!(text, "enum {{ {} }};", firsts.join(", "));
    for (at, kernel) in kernels.iter().enumerate() {
        let sizes: Vec<String> = kernel.arguments.iter().map(|a| a.bytes.to_string()).collect();
        let sizes = if sizes.is_empty() { "0".to_owned() } else { sizes.join(", ") };
        let _ = writeln!(text, "static const unsigned char farkas_sizes_{at}[] = {{{sizes}}};");
    }
    text.push_str("static struct farkas_kernel {\n");
    text.push_str("  const char *name;\n  int threads[3];\n  int n_args;\n");
    text.push_str("  const unsigned char *sizes;\n  void *handle;\n} farkas_kernels[] = {\n");
    for (at, Kernel { name, threads: [x, y, z], arguments, .. }) in kernels.iter().enumerate() {
        let n = arguments.len();
        let _ = writeln!(text, "  {{\"{name}\", {{{x}, {y}, {z}}}, {n}, farkas_sizes_{at}, 0}},");
    }
    text.push_str("};\n");
    let (name, own, twin) = match language {
        Language::Cuda => {
            ("CUDA", include_str!("runtime/cuda.c"), include_str!("runtime/cuda_twin.c"))
        }
        Language::OpenCl => {
            ("OpenCL", include_str!("runtime/opencl.c"), include_str!("runtime/opencl_twin.c"))
        }
    };
    let stays = regions.iter().any(|region| region.kept.is_any());
    let kept = if stays { [twin, include_str!("runtime/kept.c")].concat() } else { String::new() };
    let _ =
        writeln!(text, "/* farkas: what runs the kernels above, found when the program runs. */");
    let _ = writeln!(text, "#define FARKAS_DEVICE \"{name}\"");
    text + include_str!("runtime/common.c") + own + &kept
}

/// The text of the kernels of regions, in their language.
pub fn print_kernels(language: Language, regions: &[DeviceRegion]) -> String {
    let kernels = || regions.iter().flat_map(|region| &region.kernels);
    let definitions: BTreeSet<&String> =
        regions.iter().flat_map(|region| &region.definitions).collect();
    let texts = kernels().map(|kernel| &kernel.text).chain(definitions.iter().copied());
    let has_doubles = texts.into_iter().any(|text| text.contains("double"));
    let mut text = String::new();
    for line in language.prologue(has_doubles) {
        let _ = writeln!(text, "{line}");
    }
    for line in definitions {
        let _ = writeln!(text, "{line}");
    }
    let own: Vec<&str> = kernels().map(|kernel| kernel.text.as_str()).collect();
    for line in renamed(language, &own) {
        let _ = writeln!(text, "{line}");
    }
    for kernel in kernels() {
        let _ = write!(text, "\n{}", kernel.text);
    }
    text
}
