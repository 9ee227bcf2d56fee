//! Tile sizes stay with their loops when the parallel one moves outwards.

mod common;

use common::repository;
use farkas::TileSizes;
use farkas::{Options, ReadOptions, read};
use farkas::{Template, optimize};

/// The parallel loop of trmm is the innermost but for the order; with sizes that differ, the tile loops once had the sizes
/// of others, and found their iterations by tests in innermost loops.
#[test]
fn sizes_follow_their_loops() {
    let input = read(&repository().join("kernels/trmm.c"), &ReadOptions::default()).expect("it");
    for levels in [vec![vec![16, 12, 48]], vec![vec![64, 48, 96], vec![16, 12, 48]]] {
        let options = Options {
            template: Template::default()
                .tiled(TileSizes::new(levels).expect("positive sizes"))
                .tiled_for_reuse(false),
            ..Options::default()
        };
        for region in &input.regions {
            let code = optimize(region, &options).expect("an order").code;
            assert!(!code.contains('%'), "{code}");
        }
    }
}

/// A limit of one size ends no loop over several nests: with `n + 20000` for `max(n, 2 m)`, waves of tiles were counted by the
/// thousand, and by the million where the limit was that of a type.
#[test]
fn waves_end_with_the_sizes_and_not_with_their_limits() {
    let text = "void both(unsigned n, unsigned m, double x[restrict], double y[restrict m])
{
#pragma scop
    for (unsigned i = 0; i < n; i++)
        x[i] = x[2 * i] / 3.0 + 1.0;
    for (unsigned i = 0; i != 7; i++)
        for (unsigned j = 0; j < m; j++)
            x[2 * j + i] = y[j] + x[i];
#pragma endscop
}
";
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("limits.c");
    std::fs::write(&path, text).expect("written");
    let input = read(&path, &ReadOptions::default()).expect("it");
    let options = Options {
        strategy: farkas::Strategy::from_name("pluto").expect("a strategy"),
        fusion: Some(farkas_schedule::FusionHeuristic::Max),
        template: Template::default().with_row_tiles(),
        ..Options::default()
    };
    let code = optimize(&input.regions[0], &options).expect("an order").code;
    let waves = code.lines().find(|line| line.contains("for (long w = 0;")).expect("waves");
    let wanted = "w < farkas_max(((long)m + 2) / 16 + 1, ((long)n + 31) / 32); w++)";
    assert!(waves.ends_with(wanted), "{waves}");
}
