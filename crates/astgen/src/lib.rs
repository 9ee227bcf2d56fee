//! Loop ASTs from schedule trees.
