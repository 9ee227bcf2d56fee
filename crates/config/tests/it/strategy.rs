//! What each key of a strategy file means, and that printing and reading again changes nothing.

use crate::common::{Program, messages, strategy_file};
use farkas_base::Id;
use farkas_config::{BlockSizes, PointLoopOrder, Shape, Tiling, print_shipped, print_strategy};
use farkas_deps::DependenceKind;
use farkas_schedule::{
    Coefficient, Config, ConfigTerm, CostChoice, Degree, Dimension, DirectiveKind, Fallback,
    FusionHeuristic, Parallelism,
};
use farkas_scop::{MemoryLimit, StmtId};
use std::fmt::Write;
use std::num::NonZero;

/// The statement of a number.
fn stmt(number: usize) -> StmtId {
    StmtId::from_index(number)
}

/// The constraints of a strategy in lines that a person can read, after their origin and dimension.
fn constraints(config: &Config) -> String {
    let mut text = String::new();
    for constraint in &config.constraints {
        let _ = write!(text, "{} {:?}:", constraint.origin, constraint.dimension);
        for (term, factor) in &constraint.terms {
            let term = match term {
                ConfigTerm::Variable(position) => config.variables[*position].name.clone(),
                ConfigTerm::Coefficient(stmt, Coefficient::Iterator(i)) => format!("{stmt}.{i}"),
                ConfigTerm::Coefficient(stmt, Coefficient::Param(p)) => format!("{stmt}.{p}"),
                ConfigTerm::Coefficient(stmt, Coefficient::Constant) => format!("{stmt}.cst"),
            };
            let _ = write!(text, " {factor:+}{term}");
        }
        let _ = writeln!(text, " {:+} {:?}", constraint.constant, constraint.kind);
    }
    text
}

/// The constraints that one text becomes, with variables x and y.
fn constraint(program: &Program, text: &str) -> String {
    let keys = format!(
        r#""new_variables": ["x", "y"], "custom_constraints":
           [{{ "scheduling_dimension": 0, "constraints": ["{text}"] }}]"#
    );
    constraints(&program.config(&keys))
}

/// What directives ask for.
fn directives(config: &Config) -> Vec<(DirectiveKind, Vec<StmtId>, usize)> {
    config.directives.iter().map(|d| (d.kind, d.stmts.clone(), d.iterator)).collect()
}

#[test]
fn an_empty_strategy_is_the_default() {
    assert_eq!(Program::new().config(""), Config::default());
}

#[test]
fn plain_values() {
    let config = Program::new().config(
        r#""name": "mine", "description": "none", "auto_vectorization": true, "negative_coefficients": true,
           "parametric_shift": true, "max_coefficient": 4, "fallback_order": ["new-band", "replan"],
           "fusion_heuristic": "max", "proximity_dependences": ["flow", "input"], "cache_line": 16,
           "parallelism": { "degree": "single", "max_pressure": 30, "avoid_inner": true }"#,
    );
    let expected = Config {
        name: "mine".into(),
        auto_vectorization: true,
        negative_coefficients: true,
        parametric_shift: true,
        max_coefficient: Some(4),
        fallbacks: vec![Fallback::NewBand, Fallback::Replan],
        heuristic: FusionHeuristic::Max,
        proximity_kinds: vec![DependenceKind::Flow, DependenceKind::Input],
        line: 16.try_into().unwrap(),
        parallelism: Some(Parallelism {
            degree: Degree::Single,
            max_pressure: Some(30),
            avoids_inner: true,
        }),
        ..Config::default()
    };
    assert_eq!(config, expected);
    let plain = Program::new().config(r#""parallelism": {}"#);
    assert_eq!(plain.parallelism, Some(Parallelism::default()));
}

#[test]
fn every_fusion_heuristic_has_its_word() {
    use FusionHeuristic::{Cluster, Max, No, Smart};
    for (word, heuristic) in [("smart", Smart), ("max", Max), ("no", No), ("cluster", Cluster)] {
        let config = Program::new().config(&format!(r#""fusion_heuristic": "{word}""#));
        assert_eq!(config.heuristic, heuristic, "{word}");
    }
}

#[test]
fn every_cost_function_has_its_word() {
    let config = Program::new().config(
        r#""new_variables": ["x", { "name": "y", "signed": true }], "ILP_construction": [
             { "scheduling_dimension": "default", "cost_functions": ["proximity", "flow-proximity",
               "memory-proximity", "feautrier", "contiguity", "bigLoopsFirst", "longStridesFirst", "coefficient-sums",
               "temporal-spatial", "carry-spatial"] },
             { "scheduling_dimension": "last", "cost_functions": ["x"] },
             { "scheduling_dimension": 2, "cost_functions": ["y", "x"] },
             { "scheduling_dimension": 3, "cost_functions": [] }]"#,
    );
    let signed: Vec<(&str, bool)> =
        config.variables.iter().map(|v| (v.name.as_str(), v.is_signed)).collect();
    assert_eq!(signed, [("x", false), ("y", true)]);
    let all = vec![
        CostChoice::Proximity,
        CostChoice::FlowProximity,
        CostChoice::MemoryProximity,
        CostChoice::Feautrier,
        CostChoice::Contiguity,
        CostChoice::BigLoopsFirst,
        CostChoice::LongStridesFirst,
        CostChoice::CoefficientSums,
        CostChoice::TemporalSpatial,
        CostChoice::CarrySpatial,
    ];
    let expected = vec![
        (Dimension::Default, all),
        (Dimension::Last, vec![CostChoice::Variable(0)]),
        (Dimension::At(2), vec![CostChoice::Variable(1), CostChoice::Variable(0)]),
        (Dimension::At(3), vec![]),
    ];
    assert_eq!(config.costs, expected);
}

#[test]
fn constraints_mean_what_they_say() {
    let program = Program::new();
    let cases = [
        // Relations.
        ("S0_it_0 = 1", "0 At(0): +1S0.0 -1 Equality\n"),
        ("S0_it_0 == 1", "0 At(0): +1S0.0 -1 Equality\n"),
        ("S0_it_0 >= 1", "0 At(0): +1S0.0 -1 Inequality\n"),
        ("S0_it_0 <= 1", "0 At(0): -1S0.0 +1 Inequality\n"),
        ("S0_it_0 < 1", "0 At(0): -1S0.0 +0 Inequality\n"),
        ("S0_it_0 > 1", "0 At(0): +1S0.0 -2 Inequality\n"),
        // Arithmetic.
        ("2*(S0_it_0 - 3*x) + 4 >= -(y + 1)*2", "0 At(0): +2S0.0 -6x +2y +6 Inequality\n"),
        ("S0_it_0*2*3 - 1 = +x - -y", "0 At(0): +6S0.0 -1x -1y -1 Equality\n"),
        ("x + x - y >= x", "0 At(0): +1x -1y +0 Inequality\n"),
        // Which coefficient.
        ("S1_it_1 = S1_cst", "0 At(0): +1S1.1 -1S1.cst +0 Equality\n"),
        ("S0_par_1 + S0_cst_0 = 0", "0 At(0): +1S0.p1 +1S0.cst +0 Equality\n"),
        ("S[init]_it_[i] = S[S1]_par_[m]", "0 At(0): +1S0.0 -1S1.p1 +0 Equality\n"),
        ("S[line:11]_it_[k] = 1", "0 At(0): +1S2.2 -1 Equality\n"),
        // Sums and one for each.
        ("S2_it_i <= 1", "0 At(0): -1S2.0 -1S2.1 -1S2.2 +1 Inequality\n"),
        ("S1_par_i = 0", "0 At(0): +1S1.p0 +1S1.p1 +0 Equality\n"),
        ("Si_it_2 = x", "0 At(0): +1S2.2 -1x +0 Equality\n"),
        ("Si_cst >= 1", "0 At(0): +1S0.cst +1S1.cst +1S2.cst +1S3.cst +1S4.cst -1 Inequality\n"),
        (
            "x - Si_it_i >= 0",
            "0 At(0): -1S0.0 -1S1.0 -1S1.1 -1S2.0 -1S2.1 -1S2.2 +1x +0 Inequality\n",
        ),
        (
            "S*_it_1 + x >= 1",
            "0 At(0): +1x -1 Inequality\n0 At(0): +1S1.1 +1x -1 Inequality\n\
             0 At(0): +1S2.1 +1x -1 Inequality\n0 At(0): +1x -1 Inequality\n0 At(0): +1x -1 Inequality\n",
        ),
        (
            "no-skewing",
            "0 At(0): -1S0.0 +1 Inequality\n0 At(0): -1S1.0 -1S1.1 +1 Inequality\n\
             0 At(0): -1S2.0 -1S2.1 -1S2.2 +1 Inequality\n",
        ),
        ("S*_it_[k] <= 0", "0 At(0): -1S2.2 +0 Inequality\n"),
    ];
    for (text, expected) in cases {
        assert_eq!(constraint(&program, text), expected, "{text}");
    }
}

#[test]
fn origins_count_constraints_of_the_file() {
    let text = r#"{ "scheduling_strategy": { "custom_constraints": [
        { "scheduling_dimension": "default", "constraints": ["no-skewing", "S0_cst = 0"] },
        { "scheduling_dimension": "default", "constraints": ["S1_cst = 0"] }] } }"#;
    let program = Program::new();
    let file = strategy_file(text).expect("a strategy");
    let config = file.resolve(&program.scop, |_| None).expect("names of the scop");
    let origins: Vec<usize> = config.constraints.iter().map(|c| c.origin).collect();
    assert_eq!(origins, [0, 0, 0, 1, 2]);
    let (written, span) = file.constraint(2).expect("the third");
    assert_eq!((written, file.source().slice(span)), ("S1_cst = 0", "\"S1_cst = 0\""));
    assert_eq!(file.constraint(3), None);
}

#[test]
fn fusion_and_names_of_statements() {
    let config = Program::new().config(
        r#""fusion": [
             { "scheduling_dimension": 0, "stmts_fusion": [["S2", "init"], [1], ["line:13"]] },
             { "scheduling_dimension": "default", "total_distribution": true }]"#,
    );
    let groups = [vec![stmt(0), stmt(2)], vec![stmt(1)], vec![stmt(3), stmt(4)]];
    assert_eq!(config.fusion[0].dimension, Dimension::At(0));
    assert_eq!(config.fusion[0].groups, groups);
    assert!(!config.fusion[0].total_distribution);
    assert_eq!(
        (config.fusion[1].dimension, config.fusion[1].total_distribution),
        (Dimension::Default, true)
    );
}

#[test]
fn directives_and_names_of_iterators() {
    let config = Program::new().config(
        r#""directives": [
             { "type": "vectorize", "stmts": "2", "iterator": "k" },
             { "type": "parallel", "stmts": [2, "S1"], "iterator": 0 },
             { "type": "sequential", "stmts": ["1", "2"], "iterator": "1" }]"#,
    );
    let expected = [
        (DirectiveKind::Vectorize, vec![stmt(2)], 2),
        (DirectiveKind::Parallel, vec![stmt(1), stmt(2)], 0),
        (DirectiveKind::Sequential, vec![stmt(1), stmt(2)], 1),
    ];
    assert_eq!(directives(&config), expected);
}

#[test]
fn an_iterator_at_two_depths_makes_two_directives() {
    let program = Program::of(
        "double A[9][9];\nvoid f(int n)\n{\n#pragma scop\n\
         for (int t = 0; t < n; t++)\nfor (int i = 0; i < n; i++) A[t][i] = 1.0;\n\
         for (int i = 0; i < n; i++) A[0][i] = 2.0;\n#pragma endscop\n}\n",
    );
    let keys = r#""directives": [{ "type": "parallel", "stmts": ["0", "1"], "iterator": "i" }]"#;
    let parallel = DirectiveKind::Parallel;
    let expected = [(parallel, vec![stmt(1)], 0), (parallel, vec![stmt(0)], 1)];
    assert_eq!(directives(&program.config(keys)), expected);
}

#[test]
fn directives_that_do_not_contradict() {
    let config = Program::new().config(
        r#""directives": [
             { "type": "vectorize", "stmts": "2", "iterator": "k" },
             { "type": "vectorize", "stmts": "1", "iterator": "j" },
             { "type": "sequential", "stmts": "2", "iterator": "k" },
             { "type": "parallel", "stmts": ["0", "1", "2"], "iterator": "i" },
             { "type": "vectorize", "stmts": "0", "iterator": "i" }]"#,
    );
    assert_eq!(config.directives.len(), 5);
}

#[test]
fn shapes() {
    let shape = |keys: &str| {
        let file = strategy_file(&format!("{{ \"scheduling_strategy\": {{ {keys} }} }}"));
        file.unwrap_or_else(|errors| panic!("{}", messages(&errors))).shape().clone()
    };
    assert_eq!(shape(""), Shape::default());
    assert_eq!(
        shape(
            r#""tiling": { "sizes": [32, 16], "only_for_reuse": true }, "wavefront": false, "point_loop_order": "points",
               "expand": true, "split_index_sets": false, "split_tiles": true, "strips": false, "flatten": true, "gpu": { "block": [64, 2], "sums": [4, 8], "tensor": true },
               "memory": "512M", "assume": ["no-overlap = a, b", "no-wrap"]"#
        ),
        Shape {
            tiling: Some(Tiling {
                enabled: true,
                sizes: vec![vec![32, 16]],
                only_for_reuse: Some(true)
            }),
            wavefront: Some(false),
            point_loop_order: Some(PointLoopOrder::Points),
            expand: Some(true),
            split_index_sets: Some(false),
            split_tiles: Some(true),
            strips: Some(false),
            flatten: Some(true),
            gpu: Some(BlockSizes {
                block: Some([64, 2, 1].map(|n| NonZero::new(n).expect("a size"))),
                sums: Some([4, 8].map(|n| NonZero::new(n).expect("a size"))),
                tensor: true,
            }),
            memory: Some(MemoryLimit::Bytes(512 << 20)),
            assume: ["no-overlap=a,b", "no-wrap"].map(|g| g.parse().expect("a grant")).to_vec(),
        }
    );
    let levels = shape(r#""tiling": { "enabled": false, "sizes": [[256], [32, 1e1]] }"#);
    assert_eq!(
        levels.tiling,
        Some(Tiling { enabled: false, sizes: vec![vec![256], vec![32, 10]], only_for_reuse: None })
    );
    let open = Tiling { enabled: true, sizes: vec![], only_for_reuse: None };
    assert_eq!(shape(r#""tiling": {}"#).tiling, Some(open));
}

/// A strategy that has everything.
const EVERYTHING: &str = include_str!("../everything/strategy.json");

/// The configuration with an origin of its own for each constraint and directive, as printing gives it.
fn with_own_origins(mut config: Config) -> Config {
    config.constraints.iter_mut().enumerate().for_each(|(origin, c)| c.origin = origin);
    config.directives.iter_mut().enumerate().for_each(|(origin, d)| d.origin = origin);
    config
}

#[test]
fn what_is_printed_reads_back_the_same() {
    let program = Program::new();
    for text in [EVERYTHING, r#"{ "scheduling_strategy": { "ILP_construction": [] } }"#] {
        let file = strategy_file(text).expect("a strategy");
        let config = program.strategy(text).expect("names of the scop");
        let printed = print_strategy(&config, file.description(), file.shape());
        let again =
            strategy_file(&printed).unwrap_or_else(|errors| panic!("{}", messages(&errors)));
        let config_again = program.strategy(&printed).expect("names of the scop");
        assert_eq!(with_own_origins(config), config_again);
        assert_eq!((file.shape(), file.description()), (again.shape(), again.description()));
        assert_eq!(print_strategy(&config_again, again.description(), again.shape()), printed);
    }
}

#[test]
fn printed_strategies_are_readable() {
    let file = strategy_file(EVERYTHING).expect("a strategy");
    let config = Program::new().strategy(EVERYTHING).expect("names of the scop");
    insta::assert_snapshot!(print_strategy(&config, file.description(), file.shape()));
}

#[test]
fn a_file_may_stand_for_a_shipped_strategy() {
    let text = print_shipped("auto", "mine", Some("the best"));
    let file = strategy_file(&text).expect("a strategy");
    assert_eq!((file.name(), file.description()), ("mine", Some("the best")));
    let (name, place) = file.shipped().expect("a name");
    assert_eq!((name, file.source().slice(place)), ("auto", "\"auto\""));
    assert_eq!(strategy_file(EVERYTHING).expect("a strategy").shipped(), None);
}
