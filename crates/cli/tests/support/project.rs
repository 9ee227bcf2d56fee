//! A project of C that `farkas cc` is tried on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// The files of the project that commands are tried on.
const FILES: [(&str, &str); 18] = [
    (
        "kernel.c",
        "#include \"kernel.h\"\n#include <stddef.h>\n\nvoid add(int n, double a[N][N], double b[N][N])\n{\n    for (int j = 0; j < n; j++)\n        for (int i = 0; i < n; i++)\n            a[i][j] += 2 * b[i][j];\n}\n",
    ),
    (
        "kernel.h",
        "#ifndef N\n#define N 500\n#endif\nvoid add(int n, double a[N][N], double b[N][N]);\n",
    ),
    (
        "main.c",
        "#include \"kernel.h\"\n#include <stdio.h>\nstatic double a[N][N], b[N][N];\nint main(void)\n{\n    for (int j = 0; j < N; j++)\n        for (int i = 0; i < N; i++)\n            b[i][j] = i + 3 * j;\n    add(N, a, b);\n    printf(\"%g %g\\n\", a[3][4], a[N - 1][1]);\n    return 0;\n}\n",
    ),
    (
        "sub/kernel.c",
        "#include \"kernel.h\"\n\nvoid add(int n, double a[N][N], double b[N][N])\n{\n    for (int j = 0; j < n; j++)\n        for (int i = 0; i < n; i++)\n            a[i][j] += SUB * b[i][j];\n}\n",
    ),
    (
        "sub/kernel.h",
        "#define N 500\n#define SUB 7\nvoid add(int n, double a[N][N], double b[N][N]);\n",
    ),
    (
        "warn.c",
        "int sum(unsigned n, const int *a)\n{\n    int s, unused;\n    s = 0;\n    for (int i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}\nvoid twice(int n, double a[500][500], double b[500][500])\n{\n    for (int j = 0; j < n; j++)\n        for (unsigned i = 0; i < n; i++)\n            a[i][j] = 2 * b[i][j];\n}\n",
    ),
    (
        "implicit.c",
        "void scale(int n, double a[500][500], double b[500][500])\n{\n    unknown(n);\n    for (int j = 0; j < n; j++)\n        for (int i = 0; i < n; i++)\n            a[i][j] = 2 * b[i][j];\n}\n",
    ),
    (
        "late.c",
        "int late(int n, int c, double a[500][500], double b[500][500])\n{\n    int x;\n    if (c > 3)\n        x = 1;\n    for (int j = 0; j < n; j++)\n        for (int i = 0; i < n; i++)\n            a[i][j] = 2 * b[i][j];\n    return x;\n}\n",
    ),
    (
        "broken.c",
        "int f(int n)\n{\n    for (int i = 0; i < n; i++)\n        g(i;\n    return n;\n}\n",
    ),
    (
        "undefined.c",
        "void no_such(int);\nint main(void)\n{\n    for (int i = 0; i < 9; i++)\n        no_such(i);\n    return 0;\n}\n",
    ),
    ("conftest.c", "int main(void)\n{\n    return 0;\n}\n"),
    (
        "old.c",
        "void f(n, a)\n    int n;\n    double *a;\n{\n    int i;\n    for (i = 0; i < n; i++)\n        a[i] = 0;\n}\n",
    ),
    (
        "with space/kernel.c",
        "#include \"near.h\"\nvoid add(int n, double a[N][N], double b[N][N])\n{\n    for (int j = 0; j < n; j++)\n        for (int i = 0; i < n; i++)\n            a[i][j] = 2 * b[i][j];\n}\n",
    ),
    ("with space/near.h", "#define N 400\n"),
    ("include/config.h", "#define CONFIG 1\n"),
    ("start.s", ".globl nothing\nnothing:\n.section .note.GNU-stack,\"\",@progbits\n"),
    ("args", "-O2\n-c 'with space/kernel.c'\n-o \"a b.o\"\n"),
    ("deps/.keep", ""),
];

/// A folder with the project.
pub(crate) fn project() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in FILES {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("written");
    }
    folder
}

/// Runs a script in a folder, with a compiler.
pub(crate) fn shell(script: &str, compiler: &str, folder: &Path, cache: &Path) -> Output {
    Command::new("sh")
        .args(["-c", script])
        .current_dir(folder)
        .env("CC", compiler)
        .env("LC_ALL", "C")
        .env("FARKAS_CACHE_DIR", cache)
        .env("FARKAS_CC_STRICT", "1")
        .output()
        .expect("a shell")
}

/// This program before a compiler.
pub(crate) fn wrapped(compiler: &str) -> String {
    format!("{} cc {compiler}", env!("CARGO_BIN_EXE_farkas"))
}

/// The files below a folder, with the texts of dependency files.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Option<String>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in fs::read_dir(current).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let is_text = path.extension().is_some_and(|end| end == "d" || end == "Tpo");
            let text = is_text.then(|| {
                let text = fs::read_to_string(&path).expect("a text");
                text.replace(&*folder.to_string_lossy(), "FOLDER")
            });
            found.insert(path.strip_prefix(folder).expect("inside").to_owned(), text);
        }
    }
    found
}
