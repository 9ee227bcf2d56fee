//! The source layer: from a C file and its preprocessed text to a syntax tree whose nodes know their place in the file,
//! the regions in it, and the declarations that a region sees.
//!
//! The steps, a module each: `preprocessed` takes apart what `cc -E -dD` prints (whose line is it, which macros are
//! defined when, which type names do system headers make); `align` finds for each token where the user wrote it, with
//! `expand` to know how many tokens a macro call made; `writer` writes the text that tree-sitter parses; [`TranslationUnit`]
//! holds text, tree and the way back; [`marked_regions`] finds the regions, with `syntax` for what cannot be parsed;
//! [`SymbolTable`] says what is declared and what the rest of the function does with it.
//!
//! ```
//! use farkas_base::SourceFile;
//! use farkas_front_c::source::{Shape, SymbolTable, TranslationUnit, marked_regions};
//!
//! let file = "#define N 100\ndouble A[N];\nvoid f(void) {\n#pragma scop\n  for (int i = 0; i < N; i++) A[i] = 0;\n\
//!             #pragma endscop\n}\n";
//! let preprocessed = "# 1 \"f.c\"\n".to_owned() + &file.replace("[N]", "[100]").replace("< N", "< 100");
//! let unit = TranslationUnit::parse(SourceFile::new("f.c", file).into(), preprocessed).unwrap();
//!
//! let (regions, diagnostics) = marked_regions(&unit);
//! assert!(diagnostics.is_empty());
//! let nest = regions[0].statements[0];
//! let condition = nest.child_by_field_name("condition").unwrap();
//! assert_eq!(unit.text(condition), "i < 100");
//! assert_eq!(unit.source().slice(unit.span(condition)), "i < N");
//! assert_eq!(unit.macros_in(regions[0].span)[0].value, Some(100));
//!
//! let symbols = SymbolTable::new(&unit, &regions[0]);
//! let Shape::Array { extents, .. } = symbols.get("A").unwrap().shape() else { panic!("an array") };
//! assert_eq!(unit.text(extents[0].unwrap()), "100");
//! assert!(symbols.is_live_after("A"));
//! ```
//!
//! It deliberately does not: evaluate expressions beyond integer constants of macros, know what is affine, follow calls,
//! or read files.

mod align;
mod attributes;
mod constant;
mod directives;
mod expand;
mod facts;
mod inlined;
mod lexer;
mod macros;
mod memory;
mod nodes;
mod places;
mod pragmas;
mod preprocessed;
mod region;
mod scopes;
mod setting;
mod symbols;
mod syntax;
mod table;
mod typedefs;
mod types;
mod unit;
mod writer;

#[cfg(test)]
mod tests;

pub use align::MacroCall;
pub use constant::integer_literal;
pub use facts::FileFacts;
pub use macros::MacroOrigin;
pub use nodes::{
    changed_place, declarator_name, for_each_node, holds_kind, runs_once, strip_parentheses,
};
pub use pragmas::Pragma;
pub use region::{Region, dropped, marked_regions, number_regions};
pub use symbols::{ScopeKind, Storage, Symbol, declared_symbols, parameters};
pub use table::SymbolTable;
pub use tree_sitter::Node;
pub use types::{BaseType, CType, Layer, Qualifiers, Shape};
pub use unit::{FoldedMacro, TranslationUnit};
