//! A bounded run with fixed seeds: original and transformed programs print the same bits. `farkas-fuzz` is for long
//! runs.

use crate::transform::transform;
use farkas_fuzz::{
    Checker, Flags, Shape, Transformed, Verdict, compiler_of_bf16, generate, has_free_order,
};
use std::cell::Cell;
use std::time::Duration;

const SEEDS: std::ops::Range<u64> = 1..61;

#[test]
#[ignore = "long"]
fn original_and_result_print_the_same_bits() {
    let checker = Checker::new(&transform);
    let rejected = check_all(&checker, SEEDS, &Shape::small(), &Flags::of_seed);
    assert!(rejected <= 3, "{rejected} programs were refused");
}

/// Exact arithmetic makes the order of updates free also where they are of floating-point numbers.
#[test]
#[ignore = "long"]
fn reductions_print_the_same_bits_in_any_order() {
    let n_reordered = Cell::new(0);
    let transform = |text: &str, flags: &Flags| {
        let result = transform(text, flags);
        let is_reordered = matches!(&result, Transformed::Text(text) if has_free_order(text));
        n_reordered.set(n_reordered.get() + usize::from(is_reordered));
        result
    };
    let checker = Checker::new(&transform).on_threads(3);
    let flags = |seed| Flags::of_seed(seed).for_reductions_of_seed(seed);
    let rejected = check_all(&checker, SEEDS, &Shape::reductions(), &flags);
    assert_eq!(rejected, 0);
    assert!(n_reordered.get() >= 10, "only {} results are in another order", n_reordered.get());
}

/// Kernels of OpenCL run where there is a device, which `FARKAS_TEST_OPENCL` says.
#[test]
#[ignore = "long"]
fn kernels_print_the_same_bits() {
    if std::env::var_os("FARKAS_TEST_OPENCL").is_none() {
        return;
    }
    let checker = Checker::new(&transform).with_kernels(Duration::from_secs(300));
    let flags = |seed| Flags::of_seed(seed).for_opencl_of_seed(seed);
    let others = check_all(&checker, 1..31, &Shape::small(), &flags);
    assert!(others <= 6, "{others} programs were refused or stay on the host");
}

/// So do kernels with half precision, with `__bf16` where a compiler has it, and with truth values.
#[test]
#[ignore = "long"]
fn narrow_kernels_print_the_same_bits() {
    if std::env::var_os("FARKAS_TEST_OPENCL").is_none() {
        return;
    }
    let bf16 = compiler_of_bf16().expect("a temporary file");
    let shape = Shape { narrow: true, bf16: bf16.is_some(), ..Shape::small() };
    let checker = Checker::new(&transform).with_kernels(Duration::from_secs(300)).with_bf16(bf16);
    let flags = |seed| Flags::of_seed(seed).for_opencl_of_seed(seed);
    let others = check_all(&checker, 1..21, &shape, &flags);
    assert!(others <= 4, "{others} programs were refused or stay on the host");
}

/// Checks the programs of some seeds; how many of them were refused, or have regions that stay on the host in the place of a device.
fn check_all(
    checker: &Checker<'_>,
    seeds: std::ops::Range<u64>,
    shape: &Shape,
    flags: &dyn Fn(u64) -> Flags,
) -> usize {
    let mut rejected = 0;
    for seed in seeds {
        let (program, flags) = (generate(seed, shape), flags(seed));
        let verdict = checker.check(&program, &flags);
        match &verdict {
            Verdict::Same => {}
            Verdict::Rejected(_) | Verdict::OnHost(_) | Verdict::OneDevice(_) => rejected += 1,
            _ => panic!(
                "seed {seed} with {flags}: {}: {}\n{}",
                verdict.kind(),
                verdict.message(),
                program.text().unwrap_or_default()
            ),
        }
    }
    rejected
}
