//! Strategies in dynamic libraries, from the command line.

mod support;

use farkas_run::{Build, Compiler, Executable};
use std::path::{Path, PathBuf};
use support::farkas_in;

/// The root of the repository.
fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A dynamic library.
fn library(build: Build) -> Executable {
    let include = format!("-I{}", repository().join("crates/capi/include").display());
    let compiler: Compiler = "cc -std=c99".parse().expect("a compiler");
    let flags = ["-shared".to_owned(), "-fPIC".to_owned(), include];
    compiler.compile(&build.flags(flags)).expect("a library")
}

/// The strategy whose `plan` has this body.
fn planning(body: &str) -> Executable {
    library(Build::text(
        "strategy.c",
        format!(
            "#include \"farkas_strategy.h\"
             static int plan(void *instance, const farkas_state *state, farkas_plan *plan)
             {{ {body} return FARKAS_OK; }}
             const farkas_strategy *farkas_strategy_v1(void)
             {{
                 static const farkas_strategy table = {{
                     FARKAS_ABI_VERSION, sizeof(farkas_strategy), \"mine\", NULL, NULL, plan, 0
                 }};
                 return &table;
             }}"
        ),
    ))
}

/// The path of a library as an argument.
fn path(library: &Executable) -> &str {
    library.path().to_str().expect("a path in UTF-8")
}

#[test]
fn a_library_is_a_strategy_like_any_other() {
    let listing2 = library(Build::file(repository().join("examples/strategies/listing2.c")));
    let shown = |strategy: &str| {
        let args = ["show", "kernels/jacobi-2d.c", "--schedule", "--strategy", strategy];
        farkas_in(&repository(), &args).expect(0).out
    };
    assert_eq!(shown(path(&listing2)), shown("isl-listing-2"));
    let args = ["opt", "kernels/jacobi-2d.c", "--strategy", path(&listing2)];
    let code = farkas_in(&repository(), &args).expect(0).out;
    assert!(code.contains("strategy isl-listing-2"), "{code}");
}

#[test]
fn reads_of_the_same_element_are_found_for_those_who_ask() {
    let body = "for (size_t i = 0; i < state->n_dependences; i++)
                  if (state->dependences[i].kind == FARKAS_INPUT) return plan->fail(plan, \"input\");";
    let without = planning(body);
    farkas_in(&repository(), &["opt", "kernels/gemm.c", "--strategy", path(&without)]).expect(0);
    let text = "static int plan(void *instance, const farkas_state *state, farkas_plan *plan) { BODY return FARKAS_OK; }
        const farkas_strategy *farkas_strategy_v1(void)
        {
            static const farkas_strategy table = {
                FARKAS_ABI_VERSION, sizeof(farkas_strategy), \"mine\", NULL, NULL, plan, FARKAS_FLOW | FARKAS_INPUT
            };
            return &table;
        }";
    let text = format!("#include \"farkas_strategy.h\"\n{}", text.replace("BODY", body));
    let with = library(Build::text("strategy.c", text));
    let run = farkas_in(&repository(), &["opt", "kernels/gemm.c", "--strategy", path(&with)]);
    assert!(run.expect(1).err.contains("returns 1 from `plan`: input"));
}

#[test]
fn libraries_that_fail_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("out.c");
    let output = output.to_str().expect("a path in UTF-8");
    std::fs::write(folder.path().join("text.so"), "no library").expect("a file");
    let text_so = folder.path().join("text.so");
    let latency = planning("plan->add_cost(plan, \"latency\");");
    let nothing = library(Build::text("nothing.c", "int nothing;\n"));
    let refused = |strategy: &str| {
        let args = ["opt", "kernels/gemm.c", "-o", output, "--strategy", strategy];
        let run = farkas_in(&repository(), &args).expect(1);
        assert!(!Path::new(output).exists());
        run.err
    };
    for (strategy, id, reason) in [
        (path(&latency), "failed-strategy", "asks for the cost function `latency`"),
        (path(&nothing), "unloadable-strategy", "has no symbol `farkas_strategy_v1`"),
        (text_so.to_str().expect("UTF-8"), "unloadable-strategy", "cannot be loaded as a strategy"),
        ("no/such/library.so", "unloadable-strategy", "cannot be loaded as a strategy"),
    ] {
        let error = refused(strategy);
        assert!(error.contains(&format!("error[{id}]")) && error.contains(reason), "{error}");
    }
    assert!(refused(path(&latency)).contains("kernels/gemm.c:"), "the region has its place");
}
