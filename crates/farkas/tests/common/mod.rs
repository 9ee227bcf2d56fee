//! What the tests of the whole path share.
#![allow(dead_code, reason = "each test uses its part")]

use farkas::pipeline::{Optimized, optimize};
use farkas::{Input, Options, splice};
use farkas_front_c::ScopRegion;
use farkas_interp::{Interleaving, Params, ast_order, execute, original_order, tree_order};
use std::path::PathBuf;

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The file with every region transformed as asked; a fallback to a simpler form is a failure.
pub(crate) fn transformed(input: &Input, options: &Options) -> Result<String, String> {
    let mut replacements = Vec::new();
    for region in &input.regions {
        let optimized = optimize(region, options).map_err(|error| error.to_string())?;
        if let Some(warning) = optimized.warnings.first() {
            return Err(format!("a fallback: {warning}"));
        }
        replacements.push((region.span, optimized.code));
    }
    Ok(splice(&input.source, &replacements))
}

/// Whether the interpreter leaves the same memory after the scop's own order, the tree with concurrent iterations
/// interleaved, and the loops that are printed; else what differs.
pub(crate) fn regions_agree(
    region: &ScopRegion,
    optimized: &Optimized,
    params: &Params,
) -> Result<(), String> {
    let scop = &region.scop;
    let text = |error: farkas_interp::Error| error.to_string();
    let original = original_order(scop, params).map_err(text)?;
    let expected = execute(scop, params, &original).map_err(text)?;
    for interleaving in [Interleaving::Sequential, Interleaving::Parallel(1)] {
        let emitted = &optimized.scop;
        let tree = tree_order(emitted, &optimized.tree, params, interleaving);
        let loops = ast_order(emitted, &optimized.ast, params, interleaving);
        for (what, order) in [("tree", tree), ("loops", loops)] {
            let order = order.map_err(|error| format!("{what}: {error}"))?;
            // Where there are buffers, statements have other instances.
            if emitted == scop {
                original.check_same_instances(&order).map_err(|e| format!("{what}: {e}"))?;
            }
            let found = execute(emitted, params, &order).map_err(text)?;
            if let Some(mismatch) = expected.first_mismatch(&found, true) {
                return Err(format!("{what}, {interleaving:?}: {mismatch}"));
            }
        }
    }
    Ok(())
}
