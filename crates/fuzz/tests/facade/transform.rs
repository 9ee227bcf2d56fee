//! The facade as a transformation of texts.

use farkas::{
    Input, Optimized, Options, ReadOptions, Strategy, Template, TileSizes, kernels_of, optimize,
    read, splice,
};
use farkas_base::SourceFile;
use farkas_codegen::Language;
use farkas_config::{MachineFile, RecipeFile};
use farkas_deps::FlowBy;
use farkas_fuzz::{Flags, Tiles, Transformed, machine_text};
use farkas_machine::Machine;
use farkas_schedule::{FusionHeuristic, SolverChoice};
use farkas_scop::{Reassociation, Region};
use std::sync::Arc;

/// The machine that the flags ask for; the usual one where they ask for nothing.
fn machine(flags: &Flags) -> Machine {
    if !flags.eager_threads {
        return Machine::generic();
    }
    let text = machine_text(flags).expect("a file");
    let file = MachineFile::parse(&Arc::new(SourceFile::new("machine.json", text)));
    file.expect("a machine").machine
}

/// The options that the flags are; recipes are for kernels alone.
fn options(flags: &Flags) -> Options {
    let options = Options {
        machine: machine(flags),
        strategy: Strategy::from_name(flags.strategy).expect("a strategy"),
        fusion: Some(match flags.fuse {
            "max" => FusionHeuristic::Max,
            "no" => FusionHeuristic::No,
            "cluster" => FusionHeuristic::Cluster,
            _ => FusionHeuristic::Smart,
        }),
        flow: if flags.deps == "memory" { FlowBy::Memory } else { FlowBy::Value },
        solver: if flags.solver == "isl" { SolverChoice::Isl } else { SolverChoice::Ours },
        template: Template::default().tiled(match &flags.tiles {
            Tiles::None => TileSizes::none(),
            Tiles::Default => TileSizes::default_single(),
            Tiles::Sizes(levels) => TileSizes::new(levels.clone()).expect("positive sizes"),
        }),
        target: if flags.openmp {
            farkas_codegen::Target::OpenMp
        } else {
            farkas_codegen::Target::C
        },
        ..Options::default()
    };
    if !flags.opencl {
        return options;
    }
    let options = options.on_device(Language::OpenCl);
    let Some(recipe) = &flags.recipe else { return options };
    let file = RecipeFile::parse(Arc::new(SourceFile::new("recipe.json", recipe.clone())));
    options.with_recipe(Arc::new(file.expect("a recipe"))).expect("a strategy")
}

/// The regions of a text, or the messages of the front end.
pub(crate) fn parse(text: &str, reassociation: Reassociation) -> Result<Input, String> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("in.c");
    std::fs::write(&path, text).expect("a temporary file");
    let mut reading = ReadOptions::default();
    reading.front.reassociation = reassociation;
    let input = read(&path, &reading).map_err(|d| farkas_base::render(&d, false))?;
    if input.has_errors() {
        let errors = input.diagnostics.iter().filter(|d| d.is_error());
        return Err(errors.map(|d| farkas_base::render(d, false)).collect());
    }
    Ok(input)
}

/// What the tool makes of a region; its own faults as text.
pub(crate) fn transform_region(region: &Region, flags: &Flags) -> Result<Optimized, String> {
    optimize(region, &options(flags)).map_err(|error| error.to_string())
}

/// A text with every region transformed.
pub(crate) fn transform(text: &str, flags: &Flags) -> Transformed {
    let input = match parse(text, flags.reassociation) {
        Ok(input) => input,
        Err(message) => return Transformed::Rejected(message),
    };
    let (mut replacements, mut kernels, mut on_host) = (Vec::new(), Vec::new(), None);
    for region in &input.regions {
        match transform_region(region, flags) {
            Ok(optimized) => {
                if let Some(bug) = optimized.session.noticed_bug() {
                    return Transformed::Crashed(bug.message.clone());
                }
                on_host = on_host.or(optimized.stays.map(|stays| stays.told().to_owned()));
                kernels.extend(optimized.device);
                replacements.push((region.span, optimized.code));
            }
            Err(message) => return Transformed::Crashed(message),
        }
    }
    if flags.opencl {
        replacements.extend(kernels_of(&input.source, Language::OpenCl, &kernels));
    }
    let text = splice(&input.source, &replacements);
    match on_host.filter(|_| flags.opencl) {
        Some(reason) => Transformed::OnHost(text, reason),
        None => Transformed::Text(text),
    }
}
