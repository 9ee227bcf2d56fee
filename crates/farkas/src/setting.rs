//! What programs are planned for, as the options say.

use crate::Options;
use farkas_codegen::{Language, Target};
use farkas_deps::Dependences;
use farkas_scop::Scop;
use farkas_transform::Setting;

/// What a scop is shaped for.
pub(crate) fn setting<'a>(
    scop: &'a Scop,
    deps: &'a Dependences,
    reorders: bool,
    options: &'a Options,
) -> Setting<'a> {
    Setting {
        scop,
        deps,
        keeps_all: !reorders,
        machine: &options.machine,
        gpu: &options.gpu,
        has_threads: options.without_threads().is_none(),
        has_lanes: options.target == Target::OpenMp,
        has_tensor_cores: options.target == Target::Device(Language::Cuda),
    }
}
