//! C source to scops.
//!
//! Takes text, never paths: the file and what the preprocessor made of it (`farkas_run::Preprocessor`). The layer
//! [`source`] parses, maps every node back to the original file, finds regions and declarations.

pub mod source;
