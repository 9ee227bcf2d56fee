//! What each key of a strategy file does to a schedule. (What is wrong with a key: `crates/config/tests/reject`.)
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use farkas::{Error, Input, Optimized, Options, Strategy, optimize, parse};
use farkas_base::{DiagnosticId, SourceFile};
use farkas_codegen::{Language, print_program};
use farkas_config::strategy_schema;
use farkas_machine::Gpu;
use farkas_scop::Grant;
use serde_json::Value;
use std::sync::Arc;

/// A function whose region is `loops`, read under these grants.
fn region(loops: &str, grants: &[Grant]) -> Input {
    let text = format!(
        "void f(int n, int m, double a[n][n], double b[n][n], double c[n][n], double s[n]) {{ double t;\n\
         #pragma scop\n{loops}\n#pragma endscop\n}}\n"
    );
    let source = Arc::new(SourceFile::new("f.c", text));
    let preprocessed = format!("# 1 \"f.c\"\n{}", source.text());
    let grants = grants.to_vec();
    let reassociation = farkas_scop::Reassociation::Exact;
    let front =
        farkas_front_c::Options { grants, reassociation, ..farkas_front_c::Options::default() };
    let input = parse(source, &preprocessed, &front);
    assert!(!input.has_errors(), "{:?}", input.diagnostics);
    input
}

/// The strategy with these keys.
fn strategy(keys: &str) -> Strategy {
    let json = format!("{{ \"scheduling_strategy\": {{ {keys} }} }}");
    Strategy::from_source(Arc::new(SourceFile::new("s.json", json))).expect("a strategy")
}

/// What is made of a region under a strategy.
fn optimized(loops: &str, strategy: &Strategy) -> Result<Optimized, Error> {
    let options = Options { strategy: strategy.clone(), ..Options::default() };
    let options = match strategy {
        Strategy::File(file) => options.with_file(file),
        _ => options,
    };
    let input = region(loops, &options.grants);
    optimize(&input.regions[0], &options.of_file(&input.source))
}

/// The code that is made of a region under the strategy with these keys.
fn code(loops: &str, keys: &str) -> String {
    optimized(loops, &strategy(keys)).expect("code").code
}

/// A key of the schema and what it does: what the code under the keys `with` holds, and that under `without` does not.
struct Effect {
    key: &'static str,
    loops: &'static str,
    without: &'static str,
    with: &'static str,
    shows: &'static str,
}

const COPY: &str = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = b[j][i];";
const CHAIN: &str = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = i;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) b[i][j] = a[i][j];";
const STENCIL: &str =
    "for (int i = 1; i < n; i++) for (int j = 1; j < n - 1; j++) a[i][j] = a[i - 1][j + 1];";
const SWEEP: &str =
    "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) a[i][j] = a[i - 1][j] + a[i][j - 1];";
const MIRROR: &str = "for (int i = 0; i < n; i++) s[i] = i;
    for (int i = 0; i < n; i++) a[0][i] = s[n - 1 - i];";
const UNTILED: &str = "\"tiling\": { \"enabled\": false }";

const DIAGONAL: &str =
    "for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) a[i][j] = a[i - 1][j - 1] + 1.0;";
const PRODUCT: &str = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++) a[i][j] += b[i][k] * c[k][j];";

const ROWS_AND_COLUMNS: &str =
    "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = b[i][j];
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s[i] += a[j][i];";
const ROWS_AND_SUMS: &str =
    "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = b[i][j];
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s[i] += a[i][j];";
const EVEN_AND_ODD: &str =
    "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][2 * j] = 1.0;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][2 * j + 1] = 2.0;";

/// Everything a strategy file can say, but for its name and description.
const EFFECTS: &[Effect] = &[
    Effect {
        key: "new_variables",
        loops: COPY,
        without: "\"ILP_construction\": [{ \"scheduling_dimension\": \"default\", \"cost_functions\": [\"proximity\"] }]",
        with: "\"new_variables\": [\"x\"], \"point_loop_order\": \"scheduled\",
            \"ILP_construction\": [{ \"scheduling_dimension\": \"default\", \"cost_functions\": [\"x\", \"proximity\"] }],
            \"custom_constraints\": [{ \"scheduling_dimension\": 0, \"constraints\": [\"x - S0_it_0 >= 0\"] }]",
        shows: "for (long jt = 0; jt < n; jt += 32)\n  for (long it",
    },
    Effect {
        key: "ILP_construction",
        loops: COPY,
        without: "\"point_loop_order\": \"scheduled\", \"tiling\": { \"enabled\": false }",
        with: "\"point_loop_order\": \"scheduled\", \"tiling\": { \"enabled\": false }, \"ILP_construction\": [
            { \"scheduling_dimension\": 0, \"cost_functions\": [\"contiguity\"] }],
            \"custom_constraints\": [{ \"scheduling_dimension\": 0, \"constraints\": [\"S0_it_0 = 0\"] }]",
        shows: "for (int j = 0; j < n; j++)\n  for (int i",
    },
    Effect {
        key: "custom_constraints",
        loops: STENCIL,
        without: UNTILED,
        with: "\"tiling\": { \"enabled\": false }, \"custom_constraints\": [
            { \"scheduling_dimension\": \"default\", \"constraints\": [\"no-skewing\"] }]",
        shows: "for (int i = 1; i < n; i++)",
    },
    Effect {
        key: "fusion",
        loops: CHAIN,
        without: UNTILED,
        with: "\"tiling\": { \"enabled\": false },
            \"fusion\": [{ \"scheduling_dimension\": 0, \"total_distribution\": true }]",
        shows: "a[i][j] = i;\n/*",
    },
    Effect {
        key: "directives",
        loops: CHAIN,
        without: UNTILED,
        with: "\"tiling\": { \"enabled\": false },
            \"directives\": [{ \"type\": \"parallel\", \"stmts\": [\"0\", \"1\"], \"iterator\": \"j\" }]",
        shows: "for (int j = 0; j < n; j++)\n  for (int i",
    },
    Effect {
        key: "auto_vectorization",
        loops: CHAIN,
        without: UNTILED,
        with: "\"tiling\": { \"enabled\": false }, \"auto_vectorization\": true",
        shows: "a[i][j] = i;\n  for (int j",
    },
    Effect {
        key: "parallelism",
        loops: DIAGONAL,
        without: "\"tiling\": { \"enabled\": false }, \"negative_coefficients\": true,
            \"ILP_construction\": [{ \"scheduling_dimension\": \"default\", \"cost_functions\": [\"contiguity\"] }]",
        with: "\"tiling\": { \"enabled\": false }, \"negative_coefficients\": true, \"parallelism\": {},
            \"ILP_construction\": [{ \"scheduling_dimension\": \"default\", \"cost_functions\": [\"contiguity\"] }]",
        shows: "#pragma omp parallel for",
    },
    Effect {
        key: "cache_line",
        loops: PRODUCT,
        without: "\"tiling\": { \"enabled\": false }, \"point_loop_order\": \"scheduled\",
            \"ILP_construction\": [{ \"scheduling_dimension\": \"default\", \"cost_functions\": [\"temporal-spatial\"] }]",
        with: "\"tiling\": { \"enabled\": false }, \"point_loop_order\": \"scheduled\", \"cache_line\": 1,
            \"ILP_construction\": [{ \"scheduling_dimension\": \"default\", \"cost_functions\": [\"temporal-spatial\"] }]",
        shows: "for (int j = 0; j < n; j++)\n    for (int k",
    },
    Effect {
        key: "kept_parallelism",
        loops: ROWS_AND_SUMS,
        without: UNTILED,
        with: "\"tiling\": { \"enabled\": false }, \"kept_parallelism\": \"all\"",
        shows: "a[i][j] = b[i][j];\n/*",
    },
    Effect {
        key: "spatial_fusion",
        loops: EVEN_AND_ODD,
        without: "\"tiling\": { \"enabled\": false }, \"fusion_heuristic\": \"cluster\",
            \"ILP_construction\": [{ \"scheduling_dimension\": \"default\", \"cost_functions\": [\"temporal-spatial\"] }]",
        with: "\"tiling\": { \"enabled\": false }, \"fusion_heuristic\": \"cluster\", \"spatial_fusion\": true,
            \"ILP_construction\": [{ \"scheduling_dimension\": \"default\", \"cost_functions\": [\"temporal-spatial\"] }]",
        shows: "a[i][2 * j] = 1.0;\n    a[i][2 * j + 1]",
    },
    Effect {
        key: "typed_fusion",
        loops: ROWS_AND_COLUMNS,
        without: "\"tiling\": { \"enabled\": false }, \"fusion_heuristic\": \"cluster\"",
        with: "\"tiling\": { \"enabled\": false }, \"fusion_heuristic\": \"cluster\", \"typed_fusion\": true",
        shows: "a[i][j] = b[i][j];\n/*",
    },
    Effect {
        key: "live_range_reordering",
        loops: "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
            t = b[i][j];
            if (i + j < 2 * n) a[i][j] = t * t;
        }",
        without: UNTILED,
        with: "\"tiling\": { \"enabled\": false }, \"live_range_reordering\": true",
        shows: "#pragma omp parallel for private(t)",
    },
    Effect {
        key: "negative_coefficients",
        loops: MIRROR,
        without: "\"fusion_heuristic\": \"max\", \"parametric_shift\": true, \"tiling\": { \"enabled\": false }",
        with: "\"negative_coefficients\": true, \"fusion_heuristic\": \"max\", \"parametric_shift\": true,
            \"tiling\": { \"enabled\": false }",
        shows: "#pragma omp parallel for",
    },
    Effect {
        key: "parametric_shift",
        loops: "for (int i = 0; i < n; i++) s[i] = i;
            for (int i = 0; i < n - m; i++) a[0][i] = s[i + m];",
        without: "\"fusion_heuristic\": \"smart\", \"tiling\": { \"enabled\": false }",
        with: "\"parametric_shift\": true, \"fusion_heuristic\": \"smart\", \"tiling\": { \"enabled\": false }",
        shows: "a[0][is - m] = s[is];",
    },
    Effect {
        key: "max_coefficient",
        loops: "for (int i = 0; i < n; i++) s[i] = i;
            for (int i = 0; 2 * i < n; i++) a[0][i] = s[2 * i];",
        without: "\"fusion_heuristic\": \"max\", \"tiling\": { \"enabled\": false }",
        with: "\"max_coefficient\": 1, \"fusion_heuristic\": \"max\", \"tiling\": { \"enabled\": false }",
        shows: "a[0][i] = s[2 * i];",
    },
    Effect {
        key: "fallback_order",
        loops: MIRROR,
        without: "\"fusion_heuristic\": \"max\", \"tiling\": { \"enabled\": false }",
        with: "\"fallback_order\": [\"parametric-shift\"], \"fusion_heuristic\": \"max\",
            \"tiling\": { \"enabled\": false }",
        shows: "no overlap of a and s. */",
    },
    Effect {
        key: "fusion_heuristic",
        loops: CHAIN,
        without: UNTILED,
        with: "\"fusion_heuristic\": \"no\", \"tiling\": { \"enabled\": false }",
        shows: "a[i][j] = i;\n/*",
    },
    Effect {
        key: "proximity_dependences",
        loops: "for (int i = 0; i < n; i++) s[i] = a[0][i];
            for (int i = 0; i < n; i++) b[0][i] = a[0][i];",
        without: UNTILED,
        with: "\"proximity_dependences\": [\"flow\", \"input\"], \"tiling\": { \"enabled\": false }",
        shows: "s[i] = a[0][i];\n  b[0][i] = a[0][i];",
    },
    Effect {
        key: "tiling",
        loops: COPY,
        without: UNTILED,
        with: "\"tiling\": { \"enabled\": true, \"sizes\": [8] }",
        shows: "+= 8",
    },
    Effect {
        key: "tiling",
        loops: CHAIN,
        without: "\"tiling\": { \"only_for_reuse\": true }",
        with: "\"tiling\": { \"only_for_reuse\": false }",
        shows: "+= 32",
    },
    Effect {
        key: "wavefront",
        loops: SWEEP,
        without: "\"wavefront\": false",
        with: "\"wavefront\": true",
        shows: "#pragma omp parallel for",
    },
    Effect {
        key: "point_loop_order",
        loops: "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[j][i] = b[j][i];",
        without: "\"point_loop_order\": \"scheduled\", \"tiling\": { \"enabled\": false }",
        with: "\"point_loop_order\": \"bands\", \"tiling\": { \"enabled\": false }",
        shows: "for (int j = 0; j < n; j++)\n  for (int i",
    },
    Effect {
        key: "expand",
        loops: "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
            t = 0.0;
            for (int k = 0; k < i; k++) { c[k][j] += a[i][k] * b[i][j]; t += b[k][j] * a[i][k]; }
            c[i][j] = c[i][j] + t;
        }",
        without: UNTILED,
        with: "\"expand\": true, \"tiling\": { \"enabled\": false }",
        shows: "t_i_j[i][j] = 0.0",
    },
    Effect {
        key: "memory",
        loops: "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
            t = 0.0;
            for (int k = 0; k < i; k++) { c[k][j] += a[i][k] * b[i][j]; t += b[k][j] * a[i][k]; }
            c[i][j] = c[i][j] + t;
        }",
        without: "\"expand\": true, \"tiling\": { \"enabled\": false }",
        with: "\"expand\": true, \"memory\": \"3G\", \"tiling\": { \"enabled\": false }",
        shows: "<= 3221225472.0",
    },
    Effect {
        key: "assume",
        loops: COPY,
        without: UNTILED,
        with: "\"assume\": [\"no-overlap=a,b\"], \"tiling\": { \"enabled\": false }",
        shows: "granted: no overlap of a and b.",
    },
    Effect {
        key: "split_index_sets",
        loops: "for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
            a[i][j] = a[i][j] < a[i][k] + a[k][j] ? a[i][j] : a[i][k] + a[k][j];",
        without: UNTILED,
        with: "\"split_index_sets\": true, \"tiling\": { \"enabled\": false }",
        shows: "for (int i = 0; i < k; i++)",
    },
    Effect {
        key: "split_tiles",
        loops: "for (int k = 0; k < n; k++) {
            for (int i = 0; i < n; i++) a[i][k] = a[i][k] / b[k][k];
            for (int j = k + 1; j < n; j++) {
                for (int i = 0; i < n; i++) b[k][j] += a[i][k] * a[i][j];
                for (int i = 0; i < n; i++) a[i][j] -= a[i][k] * b[k][j];
            }
        }",
        without: "\"fusion_heuristic\": \"max\", \"tiling\": { \"sizes\": [4] }",
        with: "\"fusion_heuristic\": \"max\", \"tiling\": { \"sizes\": [4] }, \"split_tiles\": true",
        shows: "for (long j = jt; j < jt + 4; j++)",
    },
    Effect {
        key: "strips",
        loops: "for (int i = 0; i < n; i++) for (int j = 1; j < n; j++)
            a[i][j] = 1.0 / (b[j][i] - a[i][j - 1]);",
        without: UNTILED,
        with: "\"strips\": true, \"tiling\": { \"enabled\": false }",
        shows: "for (long it = 0; it < n; it += 8)",
    },
    Effect {
        key: "flatten",
        loops: "for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++)
            s[0] = __builtin_fmax(s[0], a[i][j]);",
        without: UNTILED,
        with: "\"flatten\": true, \"tiling\": { \"enabled\": false }",
        shows: "a[is / 8][is % 8]",
    },
    Effect {
        key: "recipe",
        loops: PRODUCT,
        without: UNTILED,
        with: "\"recipe\": [{ \"step\": \"tile\", \"loop\": \"S0.1\", \"sizes\": [5, 7, 9] }]",
        shows: "for (long kt = 0; kt < n; kt += 9)",
    },
    Effect {
        key: "shipped",
        loops: STENCIL,
        without: "\"shipped\": \"pluto\"",
        with: "\"shipped\": \"original\"",
        shows: "a[i][j] = a[i - 1][j + 1];",
    },
];

/// What the key for kernels does to these.
const ON_GPU: Effect = Effect {
    key: "gpu",
    loops: COPY,
    without: "\"gpu\": {}",
    with: "\"gpu\": { \"block\": [8, 4] }",
    shows: "{8, 4, 1}",
};

/// The kernels that start under the strategy with these keys, each with its threads.
fn kernels(loops: &str, keys: &str) -> String {
    let strategy = strategy(keys);
    let Strategy::File(file) = &strategy else { return String::new() };
    let options = Options { strategy: strategy.clone(), ..Options::default() }.with_file(file);
    let options = options.on_device(Language::Cuda, Gpu::generic());
    let input = region(loops, &options.grants);
    let optimized = optimize(&input.regions[0], &options.of_file(&input.source)).expect("code");
    print_program(Language::Cuda, &[optimized.device.expect("kernels")])
}

#[test]
fn sizes_of_blocks_are_those_of_the_file() {
    let Effect { loops, without, with, shows, .. } = ON_GPU;
    assert!(kernels(loops, with).contains(shows), "{}", kernels(loops, with));
    assert!(!kernels(loops, without).contains(shows));
    let sums = |sums: &str| kernels(PRODUCT, &format!("\"gpu\": {{ \"sums\": {sums} }}"));
    assert!(sums("[2, 3]").contains("[2][3];"), "{}", sums("[2, 3]"));
    assert!(!sums("[3, 2]").contains("[2][3];"));
}

/// The loops without those of the original beside them, and without the blanks that lines begin with.
fn on_one_line(text: &str) -> String {
    let loops = text.split("\n} else {").next().unwrap_or(text);
    loops.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_key_has_an_effect() {
    for Effect { key, loops, without, with, shows } in EFFECTS {
        let (plain, changed) = (code(loops, without), code(loops, with));
        let shows = on_one_line(shows);
        assert!(on_one_line(&changed).contains(&shows), "`{key}`:\n{changed}");
        assert!(!on_one_line(&plain).contains(&shows), "without `{key}`:\n{plain}");
    }
}

/// Two statements that need one another, one of them in a single iteration of their loop: rows of both are skewed.
const ONCE: &str = "for (int i = 1; i < n; i++) { s[i] = s[i - 1];
    if (i == 3) for (int k = 0; k < 5; k++) s[i] = s[i] * 2.0; }";

#[test]
fn constraints_are_dropped_where_the_fallback_order_says_so() {
    let keys = "\"custom_constraints\": [
        { \"scheduling_dimension\": \"default\", \"constraints\": [\"no-skewing\"] }]";
    let refused = optimized(ONCE, &strategy(keys)).expect_err("no row");
    assert!(matches!(refused, Error::Refused(_)), "{refused}");
    let optimized = optimized(
        ONCE,
        &strategy(&format!("{keys}, \"fallback_order\": [\"new-band\", \"drop-constraints\"]")),
    );
    let ids: Vec<_> = optimized.expect("code").session.diagnostics.iter().map(|d| d.id).collect();
    // The inner row is not found, since the order has nothing but that.
    assert_eq!(ids, [DiagnosticId::ConstraintDropped, DiagnosticId::NoSchedule]);
}

#[test]
fn no_shipped_strategy_refuses_a_program_without_a_row_that_suits_it() {
    for name in Strategy::names() {
        let strategy = Strategy::from_name(name).expect("a shipped strategy");
        let optimized = optimized(ONCE, &strategy).unwrap_or_else(|e| panic!("{name}: {e}"));
        let is_told =
            optimized.session.diagnostics.iter().any(|d| d.id == DiagnosticId::ConstraintDropped);
        assert_eq!(is_told, name == "tensor", "{name}: {:?}", optimized.session.diagnostics);
    }
}

#[test]
fn every_key_of_the_schema_is_here() {
    let schema: Value = serde_json::from_str(&strategy_schema()).expect("JSON");
    let keys = schema["properties"]["scheduling_strategy"]["properties"].as_object();
    for key in keys.expect("keys").keys() {
        let is_text = key == "name" || key == "description";
        let is_here = EFFECTS.iter().chain([&ON_GPU]).any(|effect| effect.key == key);
        assert!(is_text || is_here, "`{key}` has no test of its effect");
    }
}
