//! Programs of the generator are C without undefined behaviour.

use farkas_fuzz::{Shape, generate};
use farkas_run::{Build, Compiler, Exit, RunOptions};

#[test]
fn programs_run_clean_under_the_sanitizers() {
    let compiler: Compiler =
        "gcc -O1 -w -fsanitize=undefined,address -fno-sanitize-recover=all".parse().expect("words");
    let options = RunOptions {
        environment: vec![("ASAN_OPTIONS".into(), "detect_leaks=0".into())],
        ..RunOptions::default()
    };
    for seed in 1000..1016 {
        let text = generate(seed, &Shape::default()).text().expect("a meaning");
        let program = compiler.compile(&Build::text("program.c", text)).expect("it compiles");
        let output = program.run(&options).expect("it starts");
        assert_eq!(output.exit, Exit::Code(0), "seed {seed}: {}", output.stderr);
        assert!(output.stdout.lines().count() > 1, "seed {seed} prints nothing");
    }
}

#[test]
fn seeds_make_different_programs_of_every_kind() {
    let texts: Vec<String> =
        (0..300).filter_map(|seed| generate(seed, &Shape::default()).text()).collect();
    assert_eq!(texts.len(), 300);
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
    for feature in features {
        assert!(texts.iter().any(|text| text.contains(feature)), "no program has `{feature}`");
    }
    let mut distinct = texts.clone();
    distinct.sort();
    distinct.dedup();
    assert!(distinct.len() > 295);
}
