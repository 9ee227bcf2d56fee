//! The compiler of programs with `__bf16`.

use crate::check::{PLAIN, limited};
use farkas_run::{BF16_CONVERSIONS, Compiler, compiler_with_bf16};

/// One that rounds after each operation; none where there is none. Several processes may make the file that it links at the same time.
pub fn compiler_of_bf16() -> std::io::Result<Option<Compiler>> {
    let folder = std::env::temp_dir();
    let (path, own) = ("farkas-fuzz-bf16.c", format!("farkas-fuzz-bf16-{}.c", std::process::id()));
    let (path, own) = (folder.join(path), folder.join(own));
    std::fs::write(&own, BF16_CONVERSIONS)?;
    std::fs::rename(&own, &path)?;
    Ok(compiler_with_bf16(&PLAIN, &path).map(limited))
}
