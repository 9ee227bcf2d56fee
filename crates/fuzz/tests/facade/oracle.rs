//! The interpreter as second oracle: the scop in its original order, the tree with concurrent iterations interleaved, and
//! the loops that are printed leave the same memory.

use crate::transform::{parse, transform_region};
use farkas_front_c::ScopRegion;
use farkas_fuzz::{Flags, Program, Shape, generate};
use farkas_interp::{Interleaving, Params, ast_order, execute, original_order, tree_order};

const SEEDS: std::ops::Range<u64> = 5000..5030;

#[test]
fn scop_tree_and_loops_leave_the_same_memory() {
    let mut n_regions = 0;
    for seed in SEEDS {
        let program = generate(seed, &Shape::small());
        let text = program.text().expect("a meaning");
        let Ok(input) = parse(&text) else { continue };
        for region in &input.regions {
            if let Err(message) = agree(&program, region, &Flags::of_seed(seed)) {
                panic!("seed {seed} with {}: {message}\n{text}", Flags::of_seed(seed));
            }
            n_regions += 1;
        }
    }
    assert!(n_regions >= 25, "only {n_regions} regions were tried");
}

/// All three leave the same memory, or what differs.
fn agree(program: &Program, region: &ScopRegion, flags: &Flags) -> Result<(), String> {
    let scop = &region.scop;
    let params = Params::new(program.params.iter().map(|p| (p.name.as_str(), p.value)));
    let text = |error: farkas_interp::Error| error.to_string();
    let optimized = transform_region(region, flags)?;
    let original = original_order(scop, &params).map_err(text)?;
    let expected = execute(scop, &params, &original).map_err(text)?;
    let concurrent = Interleaving::Parallel(program.seed);
    let orders = [
        ("tree", tree_order(scop, &optimized.tree, &params, concurrent).map_err(text)?),
        ("loops", ast_order(scop, &optimized.ast, &params, concurrent).map_err(text)?),
    ];
    for (name, order) in orders {
        original.check_same_instances(&order).map_err(|e| format!("{name}: {e}"))?;
        let found = execute(scop, &params, &order).map_err(text)?;
        if let Some(mismatch) = expected.first_mismatch(&found, true) {
            return Err(format!("{name}: {mismatch}"));
        }
    }
    Ok(())
}
