//! Preprocess, compile, run, time and compare.
