//! Original against result: what `farkas bench` measures.

use crate::slower::slower;
use crate::{
    Input, Options, Piece, ReadOptions, WithKernels, blas_header, host_machine, keep_on_device,
    kernels_of, leave_out, pieces, read, splice,
};
use farkas_base::Diagnostic;
use farkas_codegen::Target;
use farkas_machine::processor_name;
use farkas_run::bench::{CacheSize, Candidate, Host, Program, bench};
use farkas_run::{Build, Compiler, Error, Measure, read_system};
use std::path::Path;
use std::time::Instant;

/// A named way of transforming.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name in the table.
    pub name: String,
    /// The transformation.
    pub options: Options,
}

/// Transforms the program at `path` in every way of `variants`, compiles original and results with `compiler` (results
/// for OpenMP with `-fopenmp` added), and times them in interleaved rounds. Outputs are compared with the original's.
///
/// `warnings` receives what the front end has to say, and which results are slower than the original; a region that the front end
/// refuses leaves the program without results.
///
/// # Errors
/// When the compiler or a program cannot be started.
pub fn bench_program(
    path: &Path,
    read_options: &ReadOptions,
    compiler: &Compiler,
    variants: &[Variant],
    measure: &Measure,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Program, Error> {
    let flags = compile_flags(path, read_options);
    let name = path.display().to_string();
    let original = Build::file(path).flags(flags.clone());
    let baseline = Candidate {
        name: "original".into(),
        build: Ok((compiler.clone(), original)),
        tool_s: None,
    };
    let start = Instant::now();
    let input = read(path, read_options);
    let reading_s = start.elapsed().as_secs_f64();
    let mut candidates = Vec::new();
    for variant in variants {
        let start = Instant::now();
        let text = match &input {
            Ok(input) => transform(input, &variant.options.clone().of_file(&input.source)),
            Err(diagnostic) => Err(diagnostic.message.clone()),
        };
        let tool_s = Some(reading_s + start.elapsed().as_secs_f64());
        let openmp = (variant.options.target == Target::OpenMp).then(|| "-fopenmp".to_owned());
        let build = text.map(|text| {
            let build = Build::text(name.clone(), text).flags(flags.iter().cloned().chain(openmp));
            (compiler.clone(), build)
        });
        candidates.push(Candidate { name: variant.name.clone(), build, tool_s });
    }
    let program = bench(name, &baseline, &candidates, measure)?;
    match input {
        Ok(input) => {
            warnings.extend(slower(&input, &program));
            warnings.extend(input.diagnostics);
        }
        Err(diagnostic) => warnings.push(*diagnostic),
    }
    Ok(program)
}

/// The machine that this program runs on, as far as the system tells.
pub fn host() -> Host {
    let (machine, processor) =
        (host_machine().machine, processor_name(&read_system(Path::new("/"))));
    let caches =
        machine.caches.iter().map(|c| CacheSize { level: c.level, bytes: c.size_bytes }).collect();
    Host {
        processor,
        name: machine.name,
        cores: machine.cores,
        threads_per_core: machine.threads_per_core,
        caches,
    }
}

/// The user's preprocessor flags, and the source's folder for `#include "..."`, since results are compiled elsewhere.
pub(crate) fn compile_flags(path: &Path, read_options: &ReadOptions) -> Vec<String> {
    let folder =
        path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    let mut flags = vec!["-iquote".to_owned(), folder.display().to_string()];
    flags.extend(read_options.cpp_args.iter().cloned());
    flags
}

/// The transformed file, or why there is none.
fn transform(input: &Input, options: &Options) -> Result<String, String> {
    if input.has_errors() {
        return Err("the front end refuses a region".into());
    }
    if input.regions.is_empty() {
        return Err(
            "there is no region: no `#pragma scop`, and --auto was not asked for or found none"
                .into(),
        );
    }
    let of = |region| pieces(input.reading.as_ref(), region, options);
    let mut done: Vec<Piece> = input.regions.iter().flat_map(of).collect();
    leave_out(&mut done, &options.clone().of_file(&input.source));
    let (mut replacements, mut kernels) = (Vec::new(), Vec::new());
    let mut with_kernels: Vec<WithKernels<'_>> =
        done.iter_mut().filter_map(Piece::with_kernels).collect();
    replacements.extend(keep_on_device(input, &mut with_kernels));
    for piece in done {
        kernels.extend(piece.device().cloned());
        replacements.extend(piece.replacement().map_err(|e| e.to_string())?);
    }
    replacements.extend(blas_header(&input.source, &replacements));
    if let Target::Device(language) = options.target {
        replacements.extend(kernels_of(&input.source, language, &kernels));
    }
    Ok(splice(&input.source, &replacements))
}
