//! The preprocessor call together with the source layer, on real compilers.

use farkas_base::{render, render_concise};
use farkas_front_c::source::{SymbolTable, TranslationUnit, for_each_node, marked_regions};
use farkas_run::{Preprocessor, read_source};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with the files `(name, content)`.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

/// The compilers that are here; clang's output differs from gcc's in when it gives line markers.
fn compilers() -> Vec<&'static str> {
    let found = |name: &&str| std::process::Command::new(name).arg("--version").output().is_ok();
    ["cc", "gcc", "clang"].into_iter().filter(found).collect()
}

/// The unit of `name` in `folder`, preprocessed by `compiler` with `args`.
fn unit(compiler: &str, folder: &Path, name: &str, args: &[&str]) -> TranslationUnit {
    let path = folder.join(name);
    let source = read_source(&path).unwrap();
    let text = Preprocessor::from_option(Some(compiler)).args(args).run(&path, &source).unwrap();
    TranslationUnit::parse(source, text).unwrap()
}

const KERNEL: &str = r#"#include <stdio.h>
#include <stdint.h>
#include <math.h>
#include "sizes.h"
#define min(a, b) ((a) < (b) ? (a) : (b)) /* the usual */
#define FOR(i, n) for (int i = 0; \
                       i < (n); i++)
#ifdef DOUBLE
typedef double real;
#else
typedef float real;
#endif

real A[N][N + 1];

static void kernel(int n, real B[restrict n][M])
{
#pragma scop
    FOR (i, min(n,
                N))
        for (int j = 0; j < M - 1; j++) {
            A[i][j] /* element */ += (real)(B[i][j]) * sqrt(EPS);
#if N > 1000
            A[i][j] = 0;
#endif
            B[i][j] = \
                (uint32_t) -1;
        }
#pragma endscop
    fprintf(stderr, "done %d\n", __LINE__);
}
"#;

const SIZES: &str = "#define N 100\n#define M (N / 2)\nextern double shared[N];\n";

#[test]
fn every_token_of_a_real_program_is_found() {
    let before = b"double before[7];\n";
    let folder =
        folder(&[("k.c", KERNEL.as_bytes()), ("sizes.h", SIZES.as_bytes()), ("before.h", before)]);
    for compiler in compilers() {
        let include = folder.path().join("before.h").display().to_string();
        let unit =
            unit(compiler, folder.path(), "k.c", &["-DEPS=1e-3", "-DDOUBLE", "-include", &include]);
        assert!(!unit.root().has_error(), "{compiler}");
        let mut n_exact = 0;
        for_each_node(unit.root(), &mut |node| {
            let (written, text) = (unit.source().slice(unit.span(node)), unit.text(node));
            let is_name =
                matches!(node.kind(), "identifier" | "number_literal" | "type_identifier");
            if is_name && unit.macro_call(node).is_none() && !text.is_empty() && !written.is_empty()
            {
                n_exact += usize::from(written == text);
                assert!(
                    written == text || written.starts_with("#include"),
                    "{compiler}: {text} at {written}"
                );
            }
        });
        assert!(n_exact > 20, "{compiler}: {n_exact}");
        let (regions, diagnostics) = marked_regions(&unit);
        let messages: String = diagnostics.iter().map(render_concise).collect();
        assert!(
            messages.contains("conditional-in-region") && diagnostics.len() == 1,
            "{compiler}: {messages}"
        );
        let region = &regions[0];
        assert_eq!(unit.source().slice(unit.span(region.statements[0])).lines().count(), 10);
        let macros: Vec<_> =
            unit.macros_in(region.span).into_iter().map(|m| (m.name, m.value)).collect();
        let expect = [("N", Some(100)), ("M", Some(50)), ("EPS", None)];
        assert_eq!(macros, expect.map(|(name, value)| (name.to_owned(), value)), "{compiler}");
        let table = SymbolTable::new(&unit, region);
        for name in ["A", "B", "n", "shared", "before"] {
            assert!(table.get(name).is_some(), "{compiler}: {name}");
        }
        assert!(
            unit.is_type_name("uint32_t") && unit.is_type_name("FILE") && unit.is_type_name("real"),
            "{compiler}"
        );
    }
}

#[test]
fn calls_over_several_lines_leave_the_rest_in_place() {
    let source = "#define add(a, b) a + b\nint f(int x) {\n  int y = add(x,\n\n     2\n   ) * x; int z = add(1, add(2,\n  3)); \
                  int w = x;\n  return y + z\n   + w;\n}\n";
    let folder = folder(&[("t.c", source.as_bytes())]);
    for compiler in compilers() {
        let unit = unit(compiler, folder.path(), "t.c", &[]);
        let mut places = Vec::new();
        for_each_node(unit.root(), &mut |node| {
            if matches!(node.kind(), "init_declarator" | "return_statement") {
                places.push(
                    unit.source()
                        .slice(unit.span(node))
                        .split_whitespace()
                        .collect::<Vec<_>>()
                        .join(" "),
                );
            }
        });
        let expect = ["y = add(x, 2 ) * x", "z = add(1, add(2, 3))", "w = x", "return y + z + w;"];
        assert_eq!(places, expect, "{compiler}");
    }
}

/// The one-line message of reading or preprocessing `name`.
fn refusal(folder: &Path, name: &str, cpp: &str) -> String {
    let path: PathBuf = folder.join(name);
    let error = match read_source(&path) {
        Err(error) => error,
        Ok(source) => Preprocessor::from_option(Some(cpp)).run(&path, &source).unwrap_err(),
    };
    render_concise(&error).replace(&format!("{}/", folder.display()), "")
}

#[test]
fn files_that_cannot_be_read() {
    let large = vec![b' '; (16 << 20) + 1];
    let files: [(&str, &[u8]); 4] = [
        ("empty.c", b""),
        ("blank.c", b" \n\n"),
        ("zero.c", b"int a;\0int b;"),
        ("large.c", &large),
    ];
    let folder = folder(&files);
    let check =
        |name, expect: &str| assert_eq!(refusal(folder.path(), name, "cc").trim_end(), expect);
    check("empty.c", "error[empty-file]: `empty.c` is empty");
    check("blank.c", "error[empty-file]: `blank.c` is empty");
    check("zero.c", "error[not-text]: `zero.c` is not text: byte 7 is zero");
    check("large.c", "error[file-too-large]: `large.c` is larger than 16 MiB");
    check("none.c", "error[unreadable-file]: cannot read `none.c`: no such file or directory");
    check(".", "error[unreadable-file]: cannot read `.`: it is a folder");
}

#[test]
fn preprocessors_that_fail() {
    let folder = folder(&[("a.c", b"int a;\n#include \"no.h\"\n"), ("b.c", b"#error not today\n")]);
    let check =
        |name, cpp, expect: &str| assert_eq!(refusal(folder.path(), name, cpp).trim_end(), expect);
    check(
        "b.c",
        "no-such-compiler -x",
        "error[preprocessor-missing]: cannot run the C preprocessor `no-such-compiler`: no such file or directory",
    );
    let failed = "error[preprocessing-failed]: the C preprocessor failed";
    check("a.c", "gcc", &format!("a.c:2:10: {failed}: no.h: No such file or directory"));
    check("b.c", "gcc", &format!("b.c:1:2: {failed}: #error not today"));
    check(
        "b.c",
        "true",
        "error[preprocessing-failed]: the C preprocessor `true` printed no line markers",
    );
    let path = folder.path().join("a.c");
    let error = Preprocessor::from_option(Some("gcc"))
        .run(&path, &read_source(&path).unwrap())
        .unwrap_err();
    let shown = render(&error, false);
    assert!(
        shown.contains("#include \"no.h\"")
            && shown.contains("-I")
            && shown.contains("the call was `gcc"),
        "{shown}"
    );
}

#[test]
fn names_that_look_like_options() {
    let folder = folder(&[("x.txt", b"int a;\n")]);
    let path = folder.path().join("x.txt");
    let source = read_source(&path).unwrap();
    let text = Preprocessor::default().args(["-D", "A=1"]).run(&path, &source).unwrap();
    assert!(text.contains("int a;") && text.contains("#define A 1"));
}
