//! Links isl: what `pkg-config` names, else the shared library by its file name, which needs no development package.

fn main() {
    let found = pkg_config::Config::new().atleast_version("0.25").probe("isl").is_ok();
    if !found {
        println!("cargo:rustc-link-lib=dylib:+verbatim=libisl.so.23");
    }
}
