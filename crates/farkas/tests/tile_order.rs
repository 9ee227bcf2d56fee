//! Tile sizes stay with their loops when the parallel one moves outwards.

mod common;

use common::repository;
use farkas::pipeline::optimize;
use farkas::{Options, ReadOptions, read};
use farkas_transform::TileSizes;

/// The parallel loop of trmm is the innermost but for the order; with sizes that differ, the tile loops once had the sizes
/// of others, and found their iterations by tests in innermost loops.
#[test]
fn sizes_follow_their_loops() {
    let input = read(&repository().join("kernels/trmm.c"), &ReadOptions::default()).expect("it");
    for levels in [vec![vec![16, 12, 48]], vec![vec![64, 48, 96], vec![16, 12, 48]]] {
        let options = Options {
            tile: TileSizes::new(levels).expect("positive sizes"),
            tile_for_reuse: false,
            ..Options::default()
        };
        for region in &input.regions {
            let code = optimize(region, &options).expect("an order").code;
            assert!(!code.contains('%'), "{code}");
        }
    }
}
