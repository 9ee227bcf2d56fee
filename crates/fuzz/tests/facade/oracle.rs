//! The interpreter as second oracle: the scop in its original order, the tree with concurrent iterations interleaved, and
//! the loops that are printed leave the same memory.

use crate::transform::{parse, transform_region};
use farkas_fuzz::{Flags, Shape, Tiles, agrees, generate};
use farkas_interp::{Params, execute, original_order, run_grid};
use farkas_scop::{Reassociation, Region};

const SEEDS: std::ops::Range<u64> = 5000..5030;

#[test]
#[ignore = "long"]
fn scop_tree_and_loops_leave_the_same_memory() {
    let mut n_regions = 0;
    for seed in SEEDS {
        let program = generate(seed, &Shape::small());
        let text = program.text().expect("a meaning");
        let Ok(input) = parse(&text, Reassociation::Exact) else { continue };
        let params = Params::new(program.params.iter().map(|p| (p.name.as_str(), p.value)));
        for region in &input.regions {
            if let Err(message) = agree(&params, seed, region, &Flags::of_seed(seed)) {
                panic!("seed {seed} with {}: {message}\n{text}", Flags::of_seed(seed));
            }
            n_regions += 1;
        }
    }
    assert!(n_regions >= 25, "only {n_regions} regions were tried");
}

/// Nothing of what kernels compute depends on which blocks and threads come first.
#[test]
#[ignore = "long"]
fn kernels_leave_the_same_memory() {
    let mut n_kernels = 0;
    for seed in SEEDS {
        let program = generate(seed, &Shape::small());
        let text = program.text().expect("a meaning");
        let Ok(input) = parse(&text, Reassociation::Exact) else { continue };
        let params = Params::new(program.params.iter().map(|p| (p.name.as_str(), p.value)));
        let flags = Flags::of_seed(seed).for_opencl_of_seed(seed);
        for region in &input.regions {
            if let Err(message) = kernels_agree(&params, seed, region, &flags) {
                let recipe = flags.recipe.as_deref().unwrap_or("none");
                panic!("seed {seed} with {flags}, recipe {recipe}: {message}\n{text}");
            }
            n_kernels += 1;
        }
    }
    assert!(n_kernels >= 25, "only {n_kernels} regions were tried");
}

/// The original and what a GPU does leave the same memory, or what differs.
fn kernels_agree(params: &Params, seed: u64, region: &Region, flags: &Flags) -> Result<(), String> {
    let text = |error: farkas_interp::Error| error.to_string();
    let optimized = transform_region(region, flags)?;
    if let Some(bug) = optimized.session.noticed_bug() {
        return Err(bug.message.clone());
    }
    let original = original_order(&region.scop, params).map_err(text)?;
    let expected = execute(&region.scop, params, &original).map_err(text)?;
    let found = run_grid(&optimized.scop, &optimized.ast, params, seed).map_err(text)?;
    match expected.first_mismatch(&found.memory, true) {
        Some(mismatch) => Err(mismatch.to_string()),
        None => Ok(()),
    }
}

/// Found by `farkas-fuzz` as seed 23472: isl put `t1 = B[0]` after uses of `t1` that never share an iteration of the
/// outermost loop with `C[0] = 1`.
#[test]
fn statements_with_other_strides_stay_in_order() {
    let text = "
        static unsigned A[1], B[5]; static double C[1];
        void kernel(void) {
        #pragma scop
            for (int i = 0; i < 5; i++) {
                unsigned t1 = B[0];
                for (int j = i; j < 8; j++)
                    if (j % 2 != 0) {
                        for (int k = 0; k < 1; k++) {
                            A[0] = B[i];
                            C[0] = 1;
                        }
                    } else {
                        for (int k = 1; k < 4; k++) {
                            if (i > 3)
                                A[0] = B[i];
                            for (int l = 0; l < 2; l++)
                                B[i] = t1;
                        }
                    }
            }
        #pragma endscop
        }";
    one_region_agrees(text, &[], Tiles::None);
}

/// Found by `farkas-fuzz` as seeds 64074 and 64292: isl's generator refuses some of its own sets, and leaves a loop
/// without a bound; another way of cutting loops, or a simpler form, takes its place.
#[test]
fn what_isl_cannot_generate_takes_a_simpler_form() {
    let strided = "
        static double B[7];
        void kernel(int n) {
        #pragma scop
            for (int c = 0; c < 7; c++) {
                for (int j = 0; j < (c + 2 < n ? c + 2 : n); j += 3)
                    B[c] = B[j];
                B[c] = 1;
            }
        #pragma endscop
        }";
    one_region_agrees(strided, &[("n", 2)], Tiles::Sizes(vec![vec![4, 3, 5]]));
    let unbounded = "
        static double A[9][10];
        void kernel(int n) {
        #pragma scop
            A[0][2] = 1;
            for (int i = 1; i < n - 2; i++)
                for (int j = 2; j < 6; j += 2) {
                    A[i - 1][j] = A[i + 1][j] - A[i + 1][i];
                    A[i - 1][n - i - 1] = A[(i + 1) / 2][n - j - 1] + 1;
                    for (int l = 1; l < i + 1 && l < 8; l++)
                        if ((2 * j + n + 1) % 2 == 1)
                            A[i + 1][l + 3] = A[(i - 1) % 2][n - l - 1] ? -(A[l][j - 1] + A[i][j])
                                : (A[i][j] <= A[(i - 1) % 2][i - 1] ? A[j + 1][l + 1] * A[i + 2][j % 3] : A[i][j] * A[5][j]);
                }
        #pragma endscop
        }";
    one_region_agrees(unbounded, &[("n", 9)], Tiles::Sizes(vec![vec![6, 4], vec![3, 2]]));
}

/// Found by `farkas-fuzz` as seed 41035: isl 0.25 coalesces the values of `t` to `2 <= t <= 7`.
#[test]
fn unions_of_strided_sets_keep_their_holes() {
    let text = "
        static unsigned A[8];
        void kernel(void) {
        #pragma scop
            for (int t = 2; t < 7; t++)
                if (t % 2 == 0 || t + 1 <= 4)
                    A[t] = 1;
        #pragma endscop
        }";
    one_region_agrees(text, &[], Tiles::None);
    one_region_agrees(text, &[], Tiles::Sizes(vec![vec![2]]));
}

/// Found by `farkas-fuzz` as seed 14: a loop ran over one statement's iterator, `l` beside `(5 n + 1) / 2`, which is a whole
/// number where that statement runs, for odd n, but not where the other one in the loop does.
#[test]
fn iterators_are_restored_for_all_statements_of_a_loop() {
    let text = "
        void kernel(int n, double A[n]) {
            double s = 0;
        #pragma scop
            for (int i = 0; i < 5; i++) {
                s = 1;
                for (int j = 0; j < i; j++)
                    if (2 * i != n - 1)
                        A[0] = s;
                    else
                        for (int l = 1; l < n; l++)
                            s = 1;
            }
        #pragma endscop
        }";
    one_region_agrees(text, &[("n", 2)], Tiles::None);
}

/// Found as seed 5029: where elements are kept in variables across rows in vector lanes, statements are emitted that the region has not.
#[test]
fn elements_kept_beside_lanes_leave_the_same_memory() {
    let text = "
        static double A[11][11], B[11][9];
        void kernel(int n, double C[11][n]) {
        #pragma scop
            for (int c = 0; c < n; c++)
                for (int i = 0; i < 11; i++)
                    for (int k = 10; k >= 1; k--)
                        C[i][c] += A[i][k] * B[k][c];
        #pragma endscop
        }";
    let flags =
        Flags { strategy: "feautrier", tiles: Tiles::None, openmp: true, ..Flags::of_seed(0) };
    regions_agree(text, &[("n", 8)], &flags);
}

/// The regions of a text, fused as far as possible, leave the same memory.
fn one_region_agrees(text: &str, params: &[(&str, i64)], tiles: Tiles) {
    let flags = Flags { fuse: "max", deps: "memory", tiles, openmp: true, ..Flags::of_seed(0) };
    regions_agree(text, params, &flags);
}

/// The regions of a text leave the same memory.
fn regions_agree(text: &str, params: &[(&str, i64)], flags: &Flags) {
    let input = parse(text, Reassociation::Exact).expect("a region");
    let params = Params::new(params.iter().copied());
    for region in &input.regions {
        agree(&params, 1, region, flags).unwrap_or_else(|message| panic!("{message}"));
    }
}

/// All three leave the same memory, or what differs; `seed` interleaves the iterations of parallel loops.
fn agree(params: &Params, seed: u64, region: &Region, flags: &Flags) -> Result<(), String> {
    agrees(region, &transform_region(region, flags)?, params, seed)
}
