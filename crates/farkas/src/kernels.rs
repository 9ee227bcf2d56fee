//! What stands at the beginning of a file whose regions start kernels.

use farkas_base::{SourceFile, Span};
use farkas_codegen::{DeviceRegion, Language, print_program};

/// The kernels of some regions of a file and what starts them, at their place; nothing where there are none.
pub fn kernels_of(
    source: &SourceFile,
    language: Language,
    regions: &[DeviceRegion],
) -> Option<(Span, String)> {
    if regions.is_empty() {
        return None;
    }
    let at = source.byte_order_mark().len();
    Some((Span::new(at..at), print_program(language, regions)))
}
