//! Databases as files: what goes in comes out, whoever writes, merges, migrates, kills or damages them.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod common;
mod damage;
mod merge;
mod migrate;
mod prune;
mod writers;
