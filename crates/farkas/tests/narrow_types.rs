//! Half precision, `__bf16` and truth values on the grid of a GPU, as the interpreter runs it: whatever blocks and threads come first, and where nothing is
//! staged, the same memory is left as by the original. `crates/cli/tests/gpu_types.rs` runs the same programs on devices.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod common;

use common::{kernels_agree, repository};
use farkas::{Options, ReadOptions, Strategy, optimize, read, usual_gpu};
use farkas_codegen::Language;
use farkas_interp::Params;

#[test]
fn grids_leave_the_same_memory() {
    for program in ["halves.c", "bfloats.c", "truths.c"] {
        let path = repository().join("crates/cli/tests/gpu_types").join(program);
        let input = read(&path, &ReadOptions::default()).expect("a readable file");
        let strategy = Strategy::from_name("locality-gpu").expect("a strategy");
        let options = Options { strategy, ..Options::default() };
        let options = options.on_device(Language::OpenCl, usual_gpu(Language::OpenCl));
        for region in &input.regions {
            let optimized = optimize(region, &options).expect("a result");
            assert!(optimized.device.is_some(), "{program}: a region stays on the host");
            let params = Params::all(&region.scop, 5);
            kernels_agree(&region.scop, (&optimized.scop, &optimized.ast), &params, 0..2)
                .unwrap_or_else(|message| panic!("{program}: {message}"));
        }
    }
}
