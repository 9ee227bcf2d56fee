//! The source layer: from a C file and its preprocessed text to a syntax tree whose nodes know their place in the file,
//! the regions in it, and the declarations that a region sees.

mod align;
mod lexer;
mod macros;
mod preprocessed;
mod region;
mod symbols;
mod syntax;
mod typedefs;
mod types;
mod unit;

#[cfg(test)]
mod tests;

pub use align::MacroCall;
pub use macros::{MacroOrigin, integer_literal};
pub use region::{Region, marked_regions, number_regions};
pub use symbols::{
    ScopeKind, Storage, Symbol, SymbolTable, declared_symbols, for_each_node, parameters,
};
pub use tree_sitter::Node;
pub use types::{BaseType, CType, Layer, Qualifiers, Shape};
pub use unit::{FoldedMacro, Pragma, TranslationUnit, declarator_name};
