//! The facade library: sessions and the pass pipeline.
