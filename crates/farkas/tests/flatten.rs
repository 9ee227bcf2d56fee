//! Loops that become one: they compute the same for all sizes, and what stays apart says why.

mod common;

use common::regions_agree;
use farkas::{
    Error, Input, Optimized, Options, ReadOptions, Strategy, TileSizes, extract, optimize, read,
};
use farkas_base::SourceFile;
use farkas_config::RecipeFile;
use farkas_interp::Params;
use farkas_schedule::FusionHeuristic;
use farkas_scop::Reassociation;
use farkas_transform::Flatten;
use std::sync::Arc;

/// A region with these parameters.
fn program(params: &str, body: &str, reassociation: Reassociation) -> Input {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("region.c");
    let text = format!("void f({params})\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n");
    std::fs::write(&path, text).expect("written");
    let mut reading = ReadOptions::default();
    reading.front.reassociation = reassociation;
    let input = read(&path, &reading).expect("a readable program");
    assert!(!input.has_errors() && input.regions.len() == 1, "{:?}", input.diagnostics);
    input
}

/// Whether a result is right where loops run never, once, and often.
fn check_sizes(input: &Input, optimized: &Optimized) {
    let region = &input.regions[0];
    for value in [0, 1, 2, 5] {
        let params = region.scop.params().iter().map(|param| (param.name.clone(), value));
        let params = Params::new(params);
        let agreed = regions_agree(region, optimized, &params);
        agreed.unwrap_or_else(|error| panic!("{value}: {error}\n{}", optimized.code));
    }
}

/// A region after `--flatten` under a strategy, with tiles or without; it is right.
fn flattened(input: &Input, strategy: &str, flatten: Flatten, tiles: TileSizes) -> Optimized {
    let strategy = Strategy::from_name(strategy).expect("a strategy");
    let options = Options { strategy, shapes_own_order: true, ..Options::default() };
    let options = options.with_template(|template| template.tiled(tiles).with(flatten));
    let optimized = optimize(&input.regions[0], &options).expect("a result");
    assert!(optimized.session.warnings.is_empty(), "{:?}", optimized.session.warnings);
    check_sizes(input, &optimized);
    optimized
}

/// What `flatten` says of a result.
fn said(optimized: &Optimized) -> String {
    let own = optimized.remarks.iter().filter(|remark| remark.pass == "flatten");
    own.map(|remark| remark.text.as_str()).collect::<Vec<_>>().join("; ")
}

const ARRAYS: &str = "int n, int m, double A[n][3][4], double B[n][3][4], double r[n], double c[4], double d[3], double e[n][4], double s[1]";

/// A nest around a statement.
fn nest(body: &str) -> String {
    format!(
        "for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) for (int k = 0; k < 4; k++) {body}"
    )
}

/// Every form, in the order of several strategies, with and without tiles.
#[test]
fn forms_compute_the_same() {
    let cases = [
        ("s[0] += A[i][j][k];", "all-reduce: 3 loops as 1"),
        ("r[i] += A[i][j][k];", "x-reduce: 3 loops as 2"),
        ("c[k] += A[i][j][k];", "y-reduce: 3 loops as 2"),
        ("d[j] += A[i][j][k];", "x-reduce: 3 loops as 2"),
        ("e[i][k] += A[i][j][k];", "y-reduce: 3 loops as 2"),
        ("{ B[i][j][k] = 2.0 * A[i][j][k]; d[j] += B[i][j][k]; }", "x-reduce: 3 loops as 2"),
        (
            "{ r[i] += A[i][j][k]; e[i][0] = e[i][0] > A[i][j][k] ? e[i][0] : A[i][j][k]; }",
            "x-reduce: 3 loops as 2",
        ),
    ];
    for (body, expected) in cases {
        let input = program(ARRAYS, &nest(body), Reassociation::Rounded);
        for strategy in ["pluto", "isl", "original"] {
            let tiles = TileSizes::new(vec![vec![4, 3]]).expect("sizes");
            flattened(&input, strategy, Flatten::default(), tiles);
            let plain = flattened(&input, strategy, Flatten::default(), TileSizes::none());
            let said = said(&plain);
            assert!(said.contains(expected), "{strategy}, {body}: {said}\n{}", plain.tree);
        }
    }
}

/// Producers and consumers in loops of their own are treated as the reduction is.
#[test]
fn neighbours_are_treated_alike() {
    let body = [
        nest("B[i][j][k] = 2.0 * A[i][j][k];"),
        nest("d[j] += B[i][j][k];"),
        nest("A[i][j][k] = B[i][j][k] / d[j];"),
    ];
    let input = program(ARRAYS, &body.join("\n"), Reassociation::Rounded);
    let options = Options { fusion: Some(FusionHeuristic::No), ..Options::default() };
    let options = options
        .with_template(|template| template.tiled(TileSizes::none()).with(Flatten::default()));
    let optimized = optimize(&input.regions[0], &options).expect("a result");
    check_sizes(&input, &optimized);
    assert_eq!(
        said(&optimized).matches("x-reduce: 3 loops as 2").count(),
        3,
        "{}",
        said(&optimized)
    );
}

/// Outer parallelism is asked for: what is kept apart is outermost then, wherever it lies in memory.
#[test]
fn a_y_reduction_becomes_an_x_reduction() {
    let input = program(ARRAYS, &nest("c[k] += A[i][j][k];"), Reassociation::Rounded);
    let flatten = Flatten { outer_parallel: true };
    let outer = flattened(&input, "pluto", flatten, TileSizes::none());
    assert!(said(&outer).contains("x-reduce: 3 loops as 2"), "{}", said(&outer));
}

/// What stays as it is, or in part, with the reason.
#[test]
fn what_stays_apart_says_why() {
    use Reassociation::{Exact, Rounded};
    let cases = [
        (nest("s[0] += A[i][j][k];"), Exact, "keep their order: floating-point results"),
        (nest("{ s[0] += A[i][j][k]; B[i][j][k] = s[0]; }"), Rounded, "partial results are read"),
        (
            nest("{ s[0] += A[i][j][k]; r[i] += A[i][j][k]; }"),
            Rounded,
            "reductions in them do not reduce the same loops",
        ),
        (
            "for (int i = 0; i < 3; i++) for (int j = 0; j < n; j++) s[0] += A[j][i][0];"
                .to_owned(),
            Rounded,
            "all-reduce",
        ),
        (
            "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s[0] += e[i][0] * c[0];"
                .to_owned(),
            Rounded,
            "reduced loops stay apart: the loops do not become one: the number of iterations of a loop inside is no constant",
        ),
        (
            "for (int i = 0; i < 4; i++) for (int j = 0; j < i; j++) s[0] += c[i] * c[j];"
                .to_owned(),
            Rounded,
            "the iterations of one of the loops inside depend on those around it",
        ),
    ];
    for (body, reassociation, expected) in cases {
        let input = program(ARRAYS, &body, reassociation);
        let found = flattened(&input, "original", Flatten::default(), TileSizes::none());
        assert!(said(&found).contains(expected), "{body}: {}", said(&found));
    }
}

/// Integers' sums change their order on threads alone, in the unsigned type: loops are not interchanged for them.
#[test]
fn sums_of_integers_stay_in_their_order() {
    let params = "int n, int A[n][3][4], int d[3], int s[1]";
    let input = program(params, &nest("d[j] += A[i][j][k];"), Reassociation::Exact);
    let found = flattened(&input, "original", Flatten::default(), TileSizes::none());
    assert!(said(&found).contains("dependences keep them in it"), "{}", said(&found));
    let input = program(params, &nest("s[0] += A[i][j][k];"), Reassociation::Exact);
    let found = flattened(&input, "original", Flatten::default(), TileSizes::none());
    assert!(said(&found).contains("all-reduce: 3 loops as 1"), "{}", said(&found));
}

/// The recipe of a result has the steps.
#[test]
fn results_have_recipes() {
    let input = program(ARRAYS, &nest("d[j] += A[i][j][k];"), Reassociation::Rounded);
    let options = Options::default().with_template(|template| template.with(Flatten::default()));
    let recipe = extract(&input.regions[0], &options).expect("a recipe");
    assert!(recipe.contains(r#""step":"coalesce""#), "{recipe}");
    assert!(recipe.contains(r#""step":"interchange""#), "{recipe}");
}

/// The step by itself, in recipes: it is right, or refused with its reason.
#[test]
fn the_step_is_right_or_refused() {
    let region = nest("A[i][j][k] = A[i][j][k] + c[k];");
    let of = |steps: &str| -> Result<Optimized, String> {
        let input = program(ARRAYS, &region, Reassociation::Kept);
        let recipe = format!(r#"{{ "recipe": {{ "steps": [{steps}] }} }}"#);
        let source = Arc::new(SourceFile::new("r.json", recipe));
        let recipe = Arc::new(RecipeFile::parse(source).expect("a recipe"));
        let options = Options::default().with_recipe(recipe).expect("a strategy");
        match optimize(&input.regions[0], &options) {
            Ok(optimized) => {
                check_sizes(&input, &optimized);
                Ok(optimized)
            }
            Err(Error::Refused(found)) => Err(found[0].message.clone()),
            Err(other) => Err(other.to_string()),
        }
    };
    let one = |at: &str, count: usize| {
        format!(r#"{{ "step": "coalesce", "loop": "{at}", "count": {count} }}"#)
    };
    let parallel = r#"{ "step": "mark", "loop": "S0.1", "as": "parallel" }"#;
    let tile = r#"{ "step": "tile", "loop": "S0.1", "sizes": [7] }"#;
    of(&[one("S0.1", 3), parallel.to_owned()].join(", ")).expect("one loop on threads");
    of(&[one("S0.1", 2), one("S0.1", 2), tile.to_owned()].join(", ")).expect("one after another");
    of(&[one("S0.2", 2), tile.to_owned()].join(", ")).expect("strips of a loop around it");
    let refused = [
        (one("S0.1", 4), "4 loops are needed"),
        (one("S0.1", 0), "two loops at least become one"),
        (format!("{tile}, {}", one("S0.1", 2)), "the loop is marked `tile 7`"),
        (format!("{parallel}, {}", one("S0.1", 2)), "the loop is marked `parallel`"),
        (
            format!(
                r#"{{ "step": "interchange", "loops": ["S0.2", "S0.1"] }}, {}"#,
                one("S0.1", 2)
            ),
            "the number of iterations of a loop inside is no constant",
        ),
    ];
    for (steps, expected) in refused {
        let message = of(&steps).err().unwrap_or_else(|| panic!("{steps} applies"));
        assert!(message.contains(expected), "{steps}: {message}");
    }
}
