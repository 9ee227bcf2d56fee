//! The static control part: statements, arrays, accesses, bodies.
