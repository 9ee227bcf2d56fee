//! A C compiler that computes with `__bf16`, where there is one: not all have the type yet.

use crate::{Build, Compiler, Exit, RunOptions};
use std::path::Path;

/// A text in C with the conversions to `__bf16` that clang calls, and that libgcc has from version 13 on.
pub const BF16_CONVERSIONS: &str = include_str!("bf16.c");

/// Succeeds where `__bf16` is there and each operation is rounded, and a `double` once.
const PROBE: &str = "int main(void)
{
    volatile __bf16 x = 1.0078125f, y = 3;
    volatile double d = 1.00390625 + 1e-12;
    y = x * x + y;
    x = d;
    return y == 4 && x == 1.0078125f ? 0 : 1;
}
";

/// A compiler with these flags that has `__bf16` and `_Float16` rounded after each operation, as devices do: gcc from version 13 on, else clang, which links
/// a file of [`BF16_CONVERSIONS`]; none where neither does so.
pub fn compiler_with_bf16(flags: &[&str], conversions: &Path) -> Option<Compiler> {
    let of = |command: &str, more: &[&str]| {
        let flags = flags.iter().chain(more).map(|flag| (*flag).to_owned()).collect();
        Compiler { command: command.to_owned(), flags }
    };
    let [bf16, half] = ["-fbfloat16-excess-precision=none", "-ffloat16-excess-precision=none"];
    let clang = ["-Xclang", bf16, "-Xclang", half, conversions.to_str()?];
    let candidates = [of("gcc", &["-fexcess-precision=16"]), of("clang", &clang)];
    candidates.into_iter().find(is_right)
}

/// Whether a compiler rounds as the probe takes it to.
fn is_right(compiler: &Compiler) -> bool {
    let program = compiler.compile(&Build::text("probe.c", PROBE));
    let output = program.ok().and_then(|program| program.run(&RunOptions::default()).ok());
    output.is_some_and(|output| output.exit == Exit::Code(0))
}
