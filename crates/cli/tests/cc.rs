//! `farkas cc` beside the bare compiler: the same exit status, the same files, the same dependency files, the same messages.

#[path = "support/project.rs"]
mod project;

use project::{files, project, shell, wrapped};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Command lines of real builds, as scripts of a shell.
const SCRIPTS: [&str; 78] = [
    // What everybody writes.
    "$CC -O2 -c kernel.c",
    "$CC -O2 -c kernel.c -o deps/kernel.o",
    "$CC -O3 -c -o kernel.o kernel.c",
    "$CC -O2 -okernel.o -c kernel.c",
    "$CC -O2 -c kernel.c main.c && $CC kernel.o main.o -o prog && ./prog",
    "$CC -O2 kernel.c main.c -o prog && ./prog",
    "$CC -O2 main.c kernel.c && ./a.out",
    "$CC -O2 -march=native -ffast-math kernel.c main.c -lm -o prog && ./prog",
    "$CC -Ofast -funroll-loops kernel.c main.c -o prog -lm && ./prog",
    "$CC -O2 -fopenmp kernel.c main.c -o prog && ./prog",
    "$CC -O2 -c ./kernel.c",
    "$CC -O2 -c \"$PWD/kernel.c\"",
    "cd deps && $CC -O2 -c ../kernel.c",
    "$CC -O2 -c 'with space/kernel.c'",
    "$CC -O2 -c sub/kernel.c && $CC -O2 main.c kernel.o -o prog && ./prog",
    "$CC -O2 sub/kernel.c main.c -o prog && ./prog",
    "$CC -O2 -c sub/kernel.c main.c && $CC kernel.o main.o -o prog && ./prog",
    "$CC -O2 -Isub -c kernel.c",
    "$CC -O2 -I sub -I include -DN=300 -UFOO -include config.h -c kernel.c",
    "$CC -O2 -isystem include -iquote sub -idirafter deps -c main.c",
    "$CC -O2 '-DTEXT=\"a b\"' -DN=200 kernel.c main.c -o prog && ./prog",
    // Dependency files: by hand, automake, CMake, the kernel's build.
    "$CC -O2 -MMD -c kernel.c",
    "$CC -O2 -MD -c kernel.c -o deps/k.o",
    "$CC -O2 -MMD -MF deps/k.d -c kernel.c -o kernel.o",
    "$CC -O2 -MT kernel.lo -MD -MP -MF deps/k.Tpo -c -o kernel.lo kernel.c",
    "$CC -O2 -MD -MT dir/kernel.c.o -MF dir.d -o kernel.c.o -c kernel.c",
    "$CC -O2 -MMD -MQ 'a$b' -c kernel.c",
    "$CC -O2 -Wp,-MMD,deps/k.d -c kernel.c",
    "$CC -O2 -MMD kernel.c main.c -o prog",
    "$CC -O2 -MMD -c sub/kernel.c main.c",
    "$CC -O2 -MMD -c 'with space/kernel.c'",
    "DEPENDENCIES_OUTPUT=deps/all.d $CC -O2 -c kernel.c",
    "$CC -M kernel.c",
    "$CC -O2 -MM -MG kernel.c -MF k.d",
    // Warnings and errors.
    "$CC -O2 -Wall -Wextra -c warn.c",
    "$CC -O2 -Wall -Wextra -Werror -c warn.c",
    "$CC -O2 -Wall -Wno-error -Werror=sign-compare -c warn.c",
    "$CC -O2 -Wall -Wextra -Wshadow -Wconversion -Werror -c kernel.c",
    "$CC -O2 -Wall -Werror -c late.c",
    "$CC -O2 -w -Werror -c warn.c",
    "$CC -O2 -c implicit.c",
    "$CC -O2 -MMD -Wall sub/kernel.c main.c -L. -lm -o prog && ./prog",
    "$CC -O2 -std=c99 -pedantic -Wall -Werror -c kernel.c",
    "$CC -O2 -std=c99 -pedantic-errors -Wdeclaration-after-statement -c kernel.c",
    "$CC -O2 -c broken.c",
    "echo old > broken.o; $CC -O2 -Wall -MMD -c broken.c",
    "$CC -O2 -c missing.c",
    "$CC -O2 undefined.c -o prog 2>/dev/null",
    "$CC -O2 -fno-such-option -c kernel.c",
    "$CC -O2 -c kernel.c -o no/such/folder.o 2>/dev/null",
    // Probes of configure scripts.
    "$CC conftest.c && ./a.out",
    "$CC -O2 -o conftest conftest.c -lm && ./conftest",
    "$CC -E conftest.c > /dev/null",
    "$CC -O2 -c conftest.c -o conftest2.o",
    "$CC -O2 -x c - -o prog < conftest.c && ./prog",
    "$CC -O2 -x c - -c -o a.o < main.c",
    "$CC --version",
    "$CC -dumpmachine",
    "$CC -print-prog-name=ld",
    "$CC -O2",
    // Other languages, stages and inputs.
    "$CC -O2 -E kernel.c",
    "$CC -O2 -E kernel.c -o k.i && $CC -O2 -c k.i",
    "$CC -O2 -S kernel.c && $CC -c kernel.s",
    "$CC -O2 -fsyntax-only kernel.c",
    "$CC -O2 -c start.s",
    "$CC -O2 kernel.c main.c start.s -o prog && ./prog",
    "cp kernel.c kernel.inc; $CC -O2 -x c kernel.inc -x none main.c -o prog && ./prog",
    "$CC -O2 -save-temps -c kernel.c",
    "$CC -O2 -fPIC -shared kernel.c -o libk.so && $CC -O2 main.c -L. -lk -Wl,-rpath,. -o prog && ./prog",
    "$CC -O2 -c kernel.c && ar rcs libk.a kernel.o && $CC -O2 main.c libk.a -o prog && ./prog",
    "$CC -O2 -ffunction-sections -Wl,--gc-sections kernel.c main.c -o prog && ./prog",
    "$CC @args",
    "$CC -pipe @args -MMD -MF x.d",
    "ln -s kernel.c other.c; $CC -O2 -MMD -c other.c",
    "$CC -O2 -c kernel.c -o kernel.o -frandom-seed=kernel.o && $CC -O2 -c -o main.o main.c && $CC -o prog kernel.o main.o && ./prog",
    // What is compiled as it is written.
    "$CC -O0 -g kernel.c main.c -o prog && ./prog",
    "$CC -Os -c kernel.c && $CC -Og -c main.c",
    "$CC -O2 -std=gnu89 -c old.c && $CC -O2 -c old.c",
];

/// The compilers that there are.
fn compilers() -> Vec<&'static str> {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    ["gcc", "clang"].into_iter().filter(is_there).collect()
}

/// What a command printed, without the folder it ran in.
fn printed(bytes: &[u8], folder: &Path) -> String {
    String::from_utf8_lossy(bytes).replace(&*folder.to_string_lossy(), "FOLDER")
}

#[test]
fn builds_are_those_of_the_bare_compiler() {
    let cache = tempfile::tempdir().expect("a folder");
    for compiler in compilers() {
        for script in SCRIPTS {
            let (bare, ours) = (project(), project());
            let expected = shell(script, compiler, bare.path(), cache.path());
            let found = shell(script, &wrapped(compiler), ours.path(), cache.path());
            let what = format!("{compiler}: {script}\n{}", printed(&found.stderr, ours.path()));
            assert_eq!(found.status.code(), expected.status.code(), "{what}");
            assert_eq!(files(ours.path()), files(bare.path()), "{what}");
            let texts = |output: &Output, folder: &TempDir| {
                [&output.stdout, &output.stderr].map(|bytes| printed(bytes, folder.path()))
            };
            assert_eq!(texts(&found, &ours), texts(&expected, &bare), "{what}");
        }
    }
}

#[test]
fn files_are_transformed_and_told_of() {
    let (cache, folder) = (tempfile::tempdir().expect("a folder"), project());
    let verbose = |options: &str| {
        let compiler = format!("{} cc -v {options} gcc", env!("CARGO_BIN_EXE_farkas"));
        let output = shell("$CC -O2 -g -c kernel.c", &compiler, folder.path(), cache.path());
        assert!(output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert_eq!(verbose(""), "farkas cc: kernel.c: 1 of 1 regions written anew\n");
    // The cache and a build without one say the same.
    assert_eq!(verbose(""), "farkas cc: kernel.c: 1 of 1 regions written anew\n");
    assert_eq!(verbose("--no-cache"), "farkas cc: kernel.c: 1 of 1 regions written anew\n");
    let lines = Command::new("objdump")
        .args(["--dwarf=decodedline", "kernel.o"])
        .current_dir(&folder)
        .output();
    if let Ok(lines) = lines {
        let text = String::from_utf8_lossy(&lines.stdout).into_owned();
        assert!(
            text.lines().any(|line| line.starts_with("kernel.c ") && line.contains(" 8 ")),
            "{text}"
        );
        assert!(!text.contains("farkas") && !text.contains("entries"), "{text}");
    }
    let log = Command::new(env!("CARGO_BIN_EXE_farkas"))
        .args(["cc", "--log"])
        .env("FARKAS_CACHE_DIR", cache.path())
        .output()
        .expect("the log");
    assert!(log.status.success() && log.stdout.is_empty());
}

#[test]
fn a_damaged_or_unusable_cache_stops_no_build() {
    let (cache, folder) = (tempfile::tempdir().expect("a folder"), project());
    let build = |cache: &Path| {
        let output = shell(
            "$CC -O2 kernel.c main.c -o prog && ./prog",
            &wrapped("gcc"),
            folder.path(),
            cache,
        );
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let expected = build(cache.path());
    let mut files_of_cache: Vec<PathBuf> = files(cache.path()).into_keys().collect();
    files_of_cache.sort();
    assert!(files_of_cache.iter().any(|path| path.ends_with("kernel.c")));
    for path in files_of_cache {
        fs::write(cache.path().join(&path), "damaged").expect("written");
        assert_eq!(build(cache.path()), expected, "{}", path.display());
    }
    let file = folder.path().join("args");
    assert_eq!(build(&file), expected, "the cache is a file");
    let compiler = format!("{} cc -v gcc", env!("CARGO_BIN_EXE_farkas"));
    let told = shell("$CC -O2 -c kernel.c", &compiler, folder.path(), &file);
    let said = String::from_utf8_lossy(&told.stderr);
    let message = format!("the result is not kept: `{}` cannot be written", file.display());
    assert!(said.contains(&message), "{said}");
}

#[test]
fn another_machine_of_the_same_name_has_results_of_its_own() {
    let (cache, folder) = (tempfile::tempdir().expect("a folder"), project());
    let farkas = env!("CARGO_BIN_EXE_farkas");
    let described =
        Command::new(farkas).args(["machine", "amd-zen4", "--json"]).output().expect("run");
    let text = String::from_utf8(described.stdout).expect("JSON");
    let n_results = |text: &str| {
        fs::write(folder.path().join("mine.json"), text).expect("written");
        let compiler = format!("{farkas} cc --machine mine.json gcc");
        let output = shell("$CC -O2 -c kernel.c", &compiler, folder.path(), cache.path());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        files(cache.path()).keys().filter(|path| path.ends_with("kernel.c")).count()
    };
    assert_eq!((n_results(&text), n_results(&text)), (1, 1));
    let other = text.replacen("\"tlb_pages\": ", "\"tlb_pages\": 1", 1);
    assert_ne!(other, text);
    assert_eq!(n_results(&other), 2);
    let unknown = shell(
        "$CC -O2 -c kernel.c",
        &format!("{farkas} cc --machine none gcc"),
        folder.path(),
        cache.path(),
    );
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn a_command_without_a_compiler_is_told() {
    let farkas = |words: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_farkas")).arg("cc").args(words).output().expect("run")
    };
    let none = farkas(&[]);
    assert_eq!(none.status.code(), Some(2));
    let missing = farkas(&["no-such-compiler", "-O2", "-c", "a.c"]);
    assert_eq!(missing.status.code(), Some(127));
    assert!(
        String::from_utf8_lossy(&missing.stderr)
            .contains("cannot run the compiler `no-such-compiler`")
    );
}

#[test]
fn the_examples_build_with_what_builds_them() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/project");
    let builds = [
        ("make", "make -s CC=\"$CC\" && ./smooth"),
        (
            "cmake",
            "cmake -B build -DCMAKE_C_COMPILER_LAUNCHER=\"$LAUNCHER\" >/dev/null && cmake --build build >/dev/null && ./build/smooth",
        ),
        (
            "meson",
            "meson setup build >/dev/null && meson compile -C build >/dev/null && ./build/smooth",
        ),
    ];
    for (tool, script) in builds {
        if Command::new(tool).arg("--version").output().is_err() {
            continue;
        }
        let (cache, folder) =
            (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        for entry in fs::read_dir(&project).expect("the example") {
            let path = entry.expect("an entry").path();
            fs::copy(&path, folder.path().join(path.file_name().expect("a name"))).expect("copied");
        }
        let launcher = format!("export LAUNCHER='{};cc'; {script}", env!("CARGO_BIN_EXE_farkas"));
        // CMake has the launcher beside the compiler.
        let compiler = if tool == "cmake" { "gcc".to_owned() } else { wrapped("gcc") };
        let output = shell(&launcher, &compiler, folder.path(), cache.path());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{tool}: {said}");
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "brightness 0.010269\n",
            "{tool}: {said}"
        );
        assert!(
            files(cache.path()).keys().any(|path| path.ends_with("smooth.c")),
            "{tool}: nothing was transformed"
        );
    }
}
