//! The tile sizes that are chosen for machines.

mod common;

use common::repository;
use farkas::TileSizes;
use farkas::{Options, ReadOptions, machine_named, read};
use farkas::{Template, optimize};
use std::fmt::Write;

/// What is said of the tiles of each kernel.
#[test]
fn sizes_for_machines() {
    let mut text = String::new();
    for kernel in [
        "gemm",
        "2mm",
        "syr2k",
        "trmm",
        "lu",
        "covariance",
        "doitgen",
        "mvt",
        "jacobi-2d",
        "fdtd-2d",
        "heat-3d",
        "seidel-2d",
        "conv2d",
        "tensor-contraction",
    ] {
        let path = repository().join(format!("kernels/{kernel}.c"));
        let input = read(&path, &ReadOptions::default()).expect("a kernel");
        for name in ["x86-64-v3", "amd-zen4", "apple-m1"] {
            let machine = machine_named(name).expect("a machine").machine;
            let options = Options {
                machine,
                template: Template::default().tiled(TileSizes::auto()),
                ..Options::default()
            };
            for region in &input.regions {
                let optimized = optimize(region, &options).expect("an order");
                assert!(
                    optimized.session.warnings.is_empty(),
                    "{kernel}: {:?}",
                    optimized.session.warnings
                );
                for remark in optimized.remarks.iter().filter(|remark| remark.pass == "tile") {
                    let _ =
                        writeln!(text, "{kernel}: {} ({})", remark.text, remark.stmts.join(", "));
                }
            }
        }
    }
    insta::assert_snapshot!(text);
}
