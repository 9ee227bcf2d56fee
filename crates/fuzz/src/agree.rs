//! The interpreter as second oracle.

use farkas::Optimized;
use farkas_interp::{Interleaving, Params, ast_order, execute, original_order, tree_order};
use farkas_scop::Region;

/// Whether the interpreter leaves the same memory after the scop's own order, the tree with concurrent iterations
/// interleaved as `seed` says, and the loops.
///
/// # Errors
/// What differs.
pub fn agrees(
    region: &Region,
    optimized: &Optimized,
    params: &Params,
    seed: u64,
) -> Result<(), String> {
    let scop = &region.scop;
    let text = |error: farkas_interp::Error| error.to_string();
    let original = original_order(scop, params).map_err(text)?;
    let expected = execute(scop, params, &original).map_err(text)?;
    let concurrent = Interleaving::Parallel(seed);
    let orders = [
        ("tree", tree_order(&optimized.scop, &optimized.tree, params, concurrent)),
        ("loops", ast_order(&optimized.scop, &optimized.ast, params, concurrent)),
    ];
    for (name, order) in orders {
        let order = order.map_err(|e| format!("{name}: {e}"))?;
        // Where there are buffers, statements have other instances.
        if optimized.scop == *scop {
            original.check_same_instances(&order).map_err(|e| format!("{name}: {e}"))?;
        }
        let found = execute(&optimized.scop, params, &order).map_err(text)?;
        if let Some(mismatch) = expected.first_mismatch(&found, true) {
            return Err(format!("{name}: {mismatch}"));
        }
    }
    Ok(())
}
