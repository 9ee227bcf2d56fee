//! The program `farkas`.

fn main() {}
