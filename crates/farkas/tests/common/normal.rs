//! What the tests of normal forms share.

use super::repository;
use farkas::show::{Stage, StageResult, show};
use farkas::{Input, Options, ReadOptions, read};

/// What is granted: then no code tests it.
pub(crate) const GRANTS: [&str; 7] = [
    "no-overlap",
    "separate-rows",
    "no-wrap",
    "positive-extents",
    "in-row",
    "index-fits",
    "memory",
];

/// Kernels whose text changes where their loops are written in some other ways, and why.
const EXCEPTIONS: [(&str, &str); 2] = [
    ("advection", "of the sides of a square that are printed none is in loops for both dimensions"),
    (
        "pyramid-blending",
        "iterators have a wider type, and a cast more, since sizes are multiplied",
    ),
];

/// How files are read.
pub(crate) fn reading() -> ReadOptions {
    let mut reading = ReadOptions::default();
    reading.front.auto = true;
    reading.front.grants = GRANTS.iter().map(|text| text.parse().expect("a grant")).collect();
    reading
}

/// The texts of the nests of a region, sorted, and that of all of it.
pub(crate) fn texts(input: &Input, at: usize) -> (Vec<String>, String) {
    let shown =
        show(&input.regions[at], Stage::NormalForm, &Options::default()).expect("a normal form");
    let StageResult::NormalForm(form) = shown.result else { panic!("a normal form") };
    let mut nests: Vec<String> = form.nests.into_iter().map(|nest| nest.text).collect();
    nests.sort();
    (nests, form.whole.text)
}

/// A kernel of `kernels/` without pragmas.
pub(crate) fn kernel(name: &str) -> Input {
    let folder = repository().join("kernels");
    let text = std::fs::read_to_string(folder.join(format!("{name}.c"))).expect("a kernel");
    let lines = text.lines().filter(|line| !line.contains("#pragma"));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    reread(&text)
}

/// A text beside the header of the kernels.
pub(crate) fn reread(text: &str) -> Input {
    let folder = tempfile::tempdir().expect("a folder");
    let header = repository().join("kernels/common.h");
    std::fs::copy(header, folder.path().join("common.h")).expect("the header");
    let path = folder.path().join("kernel.c");
    std::fs::write(&path, text).expect("written");
    read(&path, &reading()).expect("a readable program")
}

/// The names of all kernels.
pub(crate) fn kernels() -> Vec<String> {
    let files = std::fs::read_dir(repository().join("kernels")).expect("kernels");
    let names = files.filter_map(|file| {
        let path = file.expect("a file").path();
        let is_c = path.extension().is_some_and(|extension| extension == "c");
        is_c.then(|| path.file_stem().expect("a name").to_string_lossy().into_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The number of the region of a kernel's function.
pub(crate) fn region_of(input: &Input, kernel: &str) -> usize {
    let function = format!("kernel_{}", kernel.replace('-', "_"));
    let at = input.regions.iter().position(|region| region.function == function);
    at.unwrap_or_else(|| panic!("no region of {function}"))
}

/// The names of the kernels that keep their text.
pub(crate) fn kernels_but_exceptions() -> Vec<String> {
    let is_exception = |name: &String| EXCEPTIONS.iter().any(|(other, _)| other == name);
    kernels().into_iter().filter(|name| !is_exception(name)).collect()
}
