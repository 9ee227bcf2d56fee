//! Recipes: random ones, of which what applies computes the same, and what does not is refused at a step, with the reason; and
//! those of results, which make the same code.

mod common;

use common::{regions_agree, repository, tries};
use farkas::{Error, Input, Options, ReadOptions, Strategy, Template, extract, optimize, read};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_config::{RecipeFile, StrategyFile};
use farkas_damage::{Random, random_recipe};
use farkas_interp::Params;
use farkas_scop::Reassociation;
use farkas_transform::Planner;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The regions: products, stencils over time, triangles, chains of producers and consumers, strides, scalars.
const REGIONS: [(&str, &str); 8] = [
    (
        "int n, double A[n][n], double B[n][n], double C[n][n]",
        "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { C[i][j] = 0.5; for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j]; }",
    ),
    (
        "int n, int m, double A[n]",
        "for (int t = 0; t < m; t++) for (int i = 1; i < n - 1; i++) A[i] = 0.25 * (A[i - 1] + A[i] + A[i + 1]);",
    ),
    (
        "int n, double A[n], double B[n], double C[n]",
        "for (int i = 0; i < n; i++) B[i] = 0.5 * A[i]; for (int i = 0; i < n - 1; i++) C[i] = B[i] + B[i + 1]; for (int i = 0; i < n; i++) A[i] = C[n - 1 - i];",
    ),
    (
        "int n, double A[n][n], double x[n], double y[n]",
        "for (int i = 0; i < n; i++) { y[i] = x[i]; for (int j = 0; j < i; j++) y[i] -= A[i][j] * y[j]; y[i] = y[i] / 3.0; }",
    ),
    (
        "int n, int m, double A[n][m], double B[m][n]",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) B[j][i] = A[i][j] + 1.0;",
    ),
    (
        "int n, int m, double A[n], double B[n]",
        "for (int t = 0; t < m; t++) { for (int i = 1; i < n - 1; i++) B[i] = A[i - 1] + A[i + 1]; for (int i = 1; i < n - 1; i++) A[i] = 0.5 * B[i]; }",
    ),
    (
        "int n, double A[n][n], double s[1]",
        "for (int i = 0; i < n; i += 2) for (int j = i; j < n; j++) { s[0] = s[0] + A[i][j]; A[i][j] = A[i][j] * 0.5; }",
    ),
    (
        "int n, double A[n][n][n], double B[n][n]",
        "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) for (int k = 1; k < n; k++) A[i][j][k] = A[i - 1][j][k] + A[i][j - 1][k - 1] * B[i][j];",
    ),
];

/// A region as a program.
fn program((params, body): (&str, &str)) -> Input {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("region.c");
    let text = format!("void f({params})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n");
    std::fs::write(&path, text).expect("written");
    let mut reading = ReadOptions::default();
    reading.front.reassociation = Reassociation::Rounded;
    let input = read(&path, &reading).expect("a readable program");
    assert!(!input.has_errors() && input.regions.len() == 1, "{:?}", input.diagnostics);
    input
}

/// A random recipe.
fn recipe(random: &mut Random, n_stmts: usize) -> Arc<RecipeFile> {
    let text = random_recipe(random, n_stmts, Planner::WORDS);
    Arc::new(RecipeFile::parse(Arc::new(SourceFile::new("random.json", text))).expect("a recipe"))
}

/// The parameters of a region with values from a few sizes, so that loops run never, once and often.
fn sizes(input: &Input, random: &mut Random) -> Params {
    let params = input.regions[0].scop.params();
    let value = |random: &mut Random| [0, 1, 2, 3, 5, 7][random.below(6)];
    Params::new(params.iter().map(|param| (param.name.clone(), value(random))))
}

/// Whether a refusal names the step and the reason.
fn is_told(diagnostic: &Diagnostic) -> bool {
    let ids = [DiagnosticId::InapplicableStep, DiagnosticId::IllegalStep];
    ids.contains(&diagnostic.id) && diagnostic.primary.is_some() && !diagnostic.notes.is_empty()
}

#[test]
#[ignore = "long"]
fn random_recipes_are_followed_or_refused() {
    let mut outcomes: BTreeMap<&str, usize> = BTreeMap::new();
    let inputs: Vec<Input> = REGIONS.into_iter().map(program).collect();
    for seed in 0..1500 {
        let random = &mut Random::new(seed);
        let input = &inputs[random.below(inputs.len())];
        let region = &input.regions[0];
        let recipe = recipe(random, region.scop.stmts().len());
        let options = Options::default();
        let options = options.with_recipe(recipe.clone()).expect("a strategy");
        let text = recipe.source().text();
        let outcome = match optimize(region, &options) {
            Ok(optimized) => {
                assert!(
                    optimized.session.warnings.is_empty(),
                    "{seed}: {:?}\n{text}",
                    optimized.session.warnings
                );
                for _ in 0..3 {
                    let params = sizes(input, random);
                    let agreed = regions_agree(region, &optimized, &params);
                    agreed.unwrap_or_else(|e| panic!("{seed} {params:?}: {e}\n{text}"));
                }
                "followed"
            }
            Err(Error::Refused(found)) if found.iter().all(is_told) => match found[0].id {
                DiagnosticId::IllegalStep => "illegal",
                _ => "inapplicable",
            },
            Err(error) => panic!("{seed}: {error}\n{text}"),
        };
        *outcomes.entry(outcome).or_default() += 1;
    }
    let n = |outcome: &str| outcomes.get(outcome).copied().unwrap_or(0);
    let enough = n("illegal") >= 40 && n("inapplicable") >= 400 && n("followed") >= 400;
    assert!(enough, "{outcomes:?}");
}

/// A step that applies to many programs and is legal for few, without what planners would look at before.
fn daring_step(random: &mut Random, n_stmts: usize) -> String {
    let mut at = || format!("\"S{}.{}\"", random.below(n_stmts), 1 + random.below(3));
    let (one, other) = (at(), at());
    match random.below(9) {
        0 => format!(r#"{{"step": "reverse", "loop": {one}}}"#),
        1 => format!(r#"{{"step": "interchange", "loops": [{one}, {other}]}}"#),
        2 => format!(
            r#"{{"step": "shift", "loop": {one}, "by": "{}"}}"#,
            [-2, -1, 1, 2][random.below(4)]
        ),
        3 => format!(r#"{{"step": "fuse", "loops": [{one}, {other}]}}"#),
        4 => format!(r#"{{"step": "distribute", "loop": {one}}}"#),
        5 => format!(r#"{{"step": "skew", "loop": {one}, "by": {other}, "factor": -1}}"#),
        6 => format!(r#"{{"step": "sink", "loop": {one}}}"#),
        7 => format!(
            r#"{{"step": "tile", "loop": {one}, "sizes": [{0}, {0}]}}"#,
            2 + random.below(2)
        ),
        _ => {
            let kind = ["parallel", "vector"][random.below(2)];
            format!(r#"{{"step": "mark", "loop": {one}, "as": "{kind}"}}"#)
        }
    }
}

/// Of steps that nobody planned, at least 300 change what programs compute: each is refused with the step, its place and two instances
/// that run in the wrong order; whatever is followed leaves the same memory.
#[test]
#[ignore = "long"]
fn illegal_recipes_are_refused_with_an_example() {
    let inputs: Vec<Input> = REGIONS.into_iter().map(program).collect();
    let mut kinds: BTreeMap<(DiagnosticId, String), usize> = BTreeMap::new();
    let (mut n_illegal, mut seed) = (0, 0);
    while n_illegal < 300 {
        assert!(seed < 8000, "{n_illegal} of {seed}: {kinds:?}");
        let random = &mut Random::new(7_000_000 + seed);
        seed += 1;
        let input = &inputs[random.below(inputs.len())];
        let region = &input.regions[0];
        let n_stmts = region.scop.stmts().len();
        let steps: Vec<String> =
            (0..=random.below(2)).map(|_| daring_step(random, n_stmts)).collect();
        let text = format!(r#"{{"recipe": {{"steps": [{}]}}}}"#, steps.join(",\n"));
        let source = Arc::new(SourceFile::new("daring.json", text.clone()));
        let recipe = Arc::new(RecipeFile::parse(source).expect("a recipe"));
        let options = Options::default().with_recipe(recipe).expect("a strategy");
        match optimize(region, &options) {
            Ok(optimized) => {
                let params = sizes(input, random);
                let agreed = regions_agree(region, &optimized, &params);
                agreed.unwrap_or_else(|e| panic!("{seed} {params:?}: {e}\n{text}"));
            }
            Err(Error::Refused(found)) => {
                let [found] = &found[..] else { panic!("{found:?}") };
                assert!(is_told(found), "{found:?}");
                let is_illegal = found.id == DiagnosticId::IllegalStep;
                assert!(
                    !is_illegal || found.notes.iter().any(|note| has_instances(note)),
                    "{found:?}"
                );
                let word = found.message.split('`').nth(1).unwrap_or_default().to_owned();
                *kinds.entry((found.id, word)).or_default() += 1;
                n_illegal += usize::from(is_illegal);
            }
            Err(error) => panic!("{seed}: {error}\n{text}"),
        }
    }
    let has = |id, word: &str| kinds.contains_key(&(id, word.to_owned()));
    for word in ["reverse", "interchange", "shift", "fuse", "distribute", "skew", "sink"] {
        assert!(has(DiagnosticId::IllegalStep, word), "{word}: {kinds:?}");
    }
    for word in ["tile", "mark"] {
        assert!(has(DiagnosticId::InapplicableStep, word), "{word}: {kinds:?}");
    }
}

/// Whether a note names instances of statements.
fn has_instances(note: &str) -> bool {
    ["S0(", "S1(", "S2("].iter().any(|name| note.contains(name))
}

/// A strategy.
fn choice(strategy: &str) -> Options {
    let strategy = Strategy::from_name(strategy).expect("a strategy");
    Options { strategy, one_form: true, ..Options::default() }
}

/// The recipe of what a strategy makes of a region.
fn extracted(input: &Input, strategy: &str) -> Result<String, Error> {
    extract(&input.regions[0], &choice(strategy))
}

/// What a recipe makes of a region.
fn followed(input: &Input, recipe: &str) -> String {
    let recipe = RecipeFile::parse(Arc::new(SourceFile::new("recipe.json", recipe)));
    let options = Options::default().with_recipe(Arc::new(recipe.expect("a recipe")));
    let options = options.expect("a strategy");
    optimize(&input.regions[0], &options).expect("code").code
}

/// Extracts the recipe of what is made of each kernel, from one of them on and then every so manyth, and follows it.
fn kernels_agree(options: &Options, first: usize, step: usize) {
    let folder = repository().join("kernels");
    let files = std::fs::read_dir(&folder).expect("the kernels");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "c"));
    assert!(paths.len() >= 64);
    paths.sort();
    for path in paths.iter().skip(first).step_by(step) {
        let input = read(path, &ReadOptions::default()).expect("a kernel");
        let recipe = extract(&input.regions[0], options);
        let recipe = recipe.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let code = optimize(&input.regions[0], options).expect("code").code;
        assert_eq!(followed(&input, &recipe), code, "{}\n{recipe}", path.display());
    }
}

#[test]
#[ignore = "long"]
fn recipes_of_results_make_the_same_code() {
    kernels_agree(&choice("pluto"), 0, 1);
}

#[test]
#[ignore = "long"]
fn recipes_of_what_auto_chooses_make_the_same_code() {
    kernels_agree(&choice("auto"), 0, tries(2, 1));
}

#[test]
#[ignore = "long"]
fn recipes_of_what_comes_of_the_normal_form_make_the_same_code() {
    let options = Options { normalize: true, ..choice("auto") };
    kernels_agree(&options, tries(1, 0), tries(2, 1));
}

/// Loops that are written in an order that no strategy keeps: what `auto` makes of their normal form has a recipe.
#[test]
fn recipes_begin_with_the_normal_form() {
    let options = Options { normalize: true, ..choice("auto") };
    let transposed = (
        "int n, int m, double A[n][m], double B[m][n], double s[n]",
        "for (int j = 0; j < m; j++) for (int i = 0; i < n; i++) { B[j][i] = A[i][j] + 1.0; s[i] += A[i][j]; }",
    );
    let on_conditions = (
        "int n, int m, double A[n][m], double B[n][m]",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) if (A[i][j] > 0.0) B[i][j] = A[i][j] + 1.0;",
    );
    let mut n_normal = 0;
    for region in REGIONS.into_iter().chain([transposed, on_conditions]) {
        let input = program(region);
        let code = optimize(&input.regions[0], &options).expect("code").code;
        let recipe = extract(&input.regions[0], &options).expect("a recipe");
        assert_eq!(followed(&input, &recipe), code, "{recipe}");
        n_normal += usize::from(recipe.contains("\"normalize\":true"));
    }
    assert!(n_normal > 0, "no recipe says that loops are in their normal order");
}

#[test]
fn a_strategy_file_may_end_in_a_recipe() {
    let steps = r#"[{ "step": "tile", "loop": "S1.1", "sizes": [8, 8] }, { "plan": "parallel" }]"#;
    let strategy = |recipe: &str| {
        let text = format!(
            r#"{{ "scheduling_strategy": {{ "name": "mine", "fusion_heuristic": "no"{recipe} }} }}"#
        );
        let source = Arc::new(SourceFile::new("mine.json", text));
        Arc::new(StrategyFile::parse(source).expect("a strategy"))
    };
    let (whole, plain) = (strategy(&format!(r#", "recipe": {steps}"#)), strategy(""));
    let input = program(REGIONS[0]);
    let within = Options::default().with_file(&whole);
    let within = Options { strategy: Strategy::File(whole), ..within };
    let code = optimize(&input.regions[0], &within).expect("code").code;
    let text = format!(r#"{{ "recipe": {{ "name": "mine", "steps": {steps} }} }}"#);
    let recipe = RecipeFile::parse(Arc::new(SourceFile::new("steps.json", text)));
    let recipe = Some(Arc::new(recipe.expect("a recipe")));
    let beside = Options { strategy: Strategy::File(plain), recipe, ..Options::default() };
    assert_eq!(optimize(&input.regions[0], &beside).expect("code").code, code);
    assert!(code.contains("tiles: it 8, jt 8") && code.contains("#pragma omp parallel"), "{code}");
}

/// The recipe of what register tiles make of a region.
fn extracted_tiles(input: &Input) -> String {
    let template = Template::default().with_register_tiles();
    let strategy = Strategy::from_name("pluto").expect("a strategy");
    extract(&input.regions[0], &Options { template, strategy, ..Options::default() })
        .expect("a recipe")
}

#[test]
fn recipes_hold_for_other_names_sizes_and_types() {
    let body = "for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) { C[i][j] *= 0.5; for (int k = 0; k < P; k++) C[i][j] += A[i][k] * B[k][j]; }";
    let head = "int N, int M, int P, double A[N][P], double B[P][M], double C[N][M]";
    let first = program((head, body));
    let recipe = extracted(&first, "pluto").expect("a recipe");
    let names = [
        ("A", "left"),
        ("B", "right"),
        ("C", "out"),
        ("double", "float"),
        ("N", "rows"),
        ("M", "64"),
        ("P", "q"),
    ];
    let renamed = |text: &str| {
        let mut words = String::new();
        let mut word = String::new();
        for c in text.chars().chain([' ']) {
            if c.is_alphanumeric() || c == '_' {
                word.push(c);
                continue;
            }
            let other = names.iter().find(|(old, _)| *old == word);
            words.push_str(other.map_or(word.as_str(), |(_, new)| new));
            word.clear();
            words.push(c);
        }
        words
    };
    let second = program((&renamed(head).replace("int 64, ", ""), &renamed(body)));
    let steps: Vec<&str> = recipe.lines().filter(|line| line.contains("\"step\"")).collect();
    assert!(steps.len() > 4, "{recipe}");
    let code = followed(&second, &recipe);
    for part in [
        "#pragma omp parallel for",
        "#pragma omp simd",
        "out[i][j] += left[i][k] * right[k][j]",
        "tiles: it 32, kt 32, jt 32",
    ] {
        assert!(code.contains(part), "{code}");
    }
    // Packed operands and sums in registers are steps, which name no array.
    let recipe = extracted_tiles(&first);
    assert!(recipe.matches("\"stage\"").count() == 3 && !recipe.contains("\"plan\""), "{recipe}");
    let code = followed(&second, &recipe);
    for part in ["left_panel", "right_panel", "out_tile"] {
        assert!(code.contains(part), "{code}");
    }
}

#[test]
fn statements_that_never_run_have_no_steps() {
    let mut input = program((
        "int n, int t, double a[restrict n], double b[restrict n]",
        "if (t == 78) for (int i = 0; i < n; i++) a[i] = 0; for (int i = 0; i < n; i++) b[i] = 2 * b[i];",
    ));
    let scop = &input.regions[0].scop;
    let context =
        scop.context().intersect(&"[t_is_78] -> { : t_is_78 = 0 }".parse().expect("a set"));
    let context = context.expect("a set");
    let scop = farkas_scop::ScopBuilder { context, ..scop.to_builder() }.build().expect("a scop");
    input.regions[0].scop = scop;
    for strategy in ["pluto", "feautrier", "locality-cpu", "isl"] {
        let recipe = extracted(&input, strategy).unwrap_or_else(|e| panic!("{strategy}: {e}"));
        assert!(!recipe.contains("S0"), "{strategy}: {recipe}");
    }
}
