//! Programs of the generator are C without undefined behaviour.

use farkas_fuzz::{Shape, generate};
use farkas_run::{Build, Compiler, Exit, RunOptions};

#[test]
fn programs_run_clean_under_the_sanitizers() {
    run_clean(&Shape::default());
}

/// No sum of signed integers overflows, either.
#[test]
fn reductions_run_clean_under_the_sanitizers() {
    run_clean(&Shape::reductions());
}

#[test]
fn long_loops_run_clean_under_the_sanitizers() {
    run_clean(&Shape::lanes());
}

/// Runs a few programs under the sanitizers.
fn run_clean(shape: &Shape) {
    let compiler: Compiler =
        "gcc -O1 -w -fsanitize=undefined,address -fno-sanitize-recover=all".parse().expect("words");
    let options = RunOptions {
        environment: vec![("ASAN_OPTIONS".into(), "detect_leaks=0".into())],
        ..RunOptions::default()
    };
    for seed in 1000..1016 {
        let text = generate(seed, shape).text().expect("a meaning");
        let program = compiler.compile(&Build::text("program.c", text)).expect("it compiles");
        let output = program.run(&options).expect("it starts");
        assert_eq!(output.exit, Exit::Code(0), "seed {seed}: {}", output.stderr);
        assert!(output.stdout.lines().count() > 1, "seed {seed} prints nothing");
    }
}

#[test]
fn seeds_make_different_programs_of_every_kind() {
    let texts = texts(&Shape::default());
    let features = [
        "--)",
        "+= 2)",
        "+= 3)",
        "min(",
        "max(",
        " && ",
        " || ",
        "% 2 ==",
        "/ 2",
        "} else {",
        "float",
        "unsigned t",
        "double t",
        "!(",
        "fabs(",
        " ? ",
        "s0",
        "#pragma endscop\n#pragma scop",
        "- 1][",
        "+= 0.",
    ];
    every_one_occurs(&texts, &features);
}

#[test]
fn programs_of_reductions_have_updates_of_every_kind() {
    let texts = texts(&Shape::reductions());
    let features = [
        " += ",
        " -= ",
        " *= ",
        " &= ",
        " |= ",
        " ^= ",
        " && ",
        " || ",
        " ? ",
        "fmin(",
        "fmax(",
        "fminf(",
        "fmaxf(",
        "if (",
        "double s0",
        "float s0",
        "int s0",
        "unsigned s0",
        "long s0",
        "short s0",
        "unsigned char s0",
        "_Bool s0",
        "--)",
        "+= 2)",
        "small(",
        "(~",
        "] + ",
        "(-1)",
        "] & 7]",
        "] % ",
        ") & ",
    ];
    every_one_occurs(&texts, &features);
    for text in &texts {
        assert!(text.contains("#define small(x)"), "{text}");
    }
}

/// The texts of 300 programs, which are different.
fn texts(shape: &Shape) -> Vec<String> {
    let texts: Vec<String> = (0..300).filter_map(|seed| generate(seed, shape).text()).collect();
    assert_eq!(texts.len(), 300);
    let mut distinct = texts.clone();
    distinct.sort();
    distinct.dedup();
    assert!(distinct.len() > 295);
    texts
}

/// Each of these occurs in some kernel.
fn every_one_occurs(texts: &[String], features: &[&str]) {
    let kernels: Vec<&str> =
        texts.iter().filter_map(|text| text.split("static void kernel").nth(1)).collect();
    for feature in features {
        assert!(kernels.iter().any(|text| text.contains(feature)), "no program has `{feature}`");
    }
}
