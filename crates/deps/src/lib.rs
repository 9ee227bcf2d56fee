//! Dependence analysis and the legality check.
