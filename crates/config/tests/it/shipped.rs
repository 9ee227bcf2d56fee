//! The strategies of the repository and those of the paper, read and resolved against a scop.

use crate::common::{Program, json_files, messages, strategy_file};
use farkas_base::Id;
use farkas_schedule::{
    Coefficient, Config, ConfigTerm, CostChoice, Dimension, DirectiveKind, Fallback, UserVariable,
};
use farkas_scop::StmtId;

/// Three statements in two loops each.
const THREE: &str = "double A[99][99], B[99][99], C[99][99];\nvoid f(int n)\n{\n#pragma scop\n\
                     for (int i = 0; i < n; i++)\nfor (int j = 0; j < n; j++) {\n\
                     A[i][j] = 1.0;\nB[i][j] = A[i][j];\nC[j][i] = B[i][j];\n}\n#pragma endscop\n}\n";

/// The configurations of a folder for three statements, by the name of their file.
fn configs(folder: &str) -> Vec<(String, Config)> {
    let program = Program::of(THREE);
    let config = |(name, text): (String, String)| {
        let config = program.strategy(&text);
        (name, config.unwrap_or_else(|errors| panic!("{}", messages(&errors))))
    };
    json_files(folder).into_iter().map(config).collect()
}

/// The one of this name.
fn config(folder: &str, name: &str) -> Config {
    let found = configs(folder).into_iter().find(|(n, _)| n == name);
    found.unwrap_or_else(|| panic!("{name} is not there")).1
}

#[test]
fn shipped_strategies_are_named_described_and_documented() {
    let readme = include_str!("../../../../strategies/README.md");
    let files = json_files("../../strategies");
    assert!(files.len() >= 5);
    for ((name, text), (_, config)) in files.iter().zip(configs("../../strategies")) {
        let file = strategy_file(text).unwrap_or_else(|errors| panic!("{}", messages(&errors)));
        assert_eq!((file.name(), &config.name), (name.as_str(), name));
        assert!(file.description().is_some(), "{name}");
        assert!(readme.contains(&format!("`{name}.json`")), "{name} is not in the README");
    }
}

#[test]
fn pluto_plus_is_pluto_over_more_rows() {
    let (pluto, plus) =
        (config("../../strategies", "pluto"), config("../../strategies", "pluto-plus"));
    let costs =
        vec![CostChoice::FlowProximity, CostChoice::MemoryProximity, CostChoice::CoefficientSums];
    assert_eq!(pluto.costs, [(Dimension::Default, costs)]);
    let expected = Config {
        name: plus.name.clone(),
        negative_coefficients: true,
        parametric_shift: true,
        ..pluto
    };
    assert_eq!(plus, expected);
}

#[test]
fn tensor_is_the_right_half_of_figure_4() {
    let (tensor, figure) =
        (config("../../strategies", "tensor"), config("tests/paper", "figure-4-right"));
    // The paper does not say what happens where no row is without skewing; a shipped strategy refuses no program.
    let fallbacks = Fallback::USUAL.into_iter().chain([Fallback::DropConstraints]).collect();
    let expected = Config { name: tensor.name.clone(), fallbacks, ..figure.clone() };
    assert_eq!(tensor, expected);
    let costs = vec![CostChoice::Contiguity, CostChoice::Proximity];
    assert_eq!(figure.costs, [(Dimension::Default, costs)]);
    assert_eq!(figure.constraints.len(), 3, "one for each statement");
}

#[test]
fn the_left_half_of_figure_4_is_the_default() {
    let figure = config("tests/paper", "figure-4-left");
    assert_eq!(figure, Config { name: "pluto-style".into(), ..Config::default() });
}

#[test]
fn listing_1() {
    let listing = config("tests/paper", "listing-1");
    assert_eq!(listing.variables, [UserVariable { name: "x".into(), is_signed: false }]);
    let costs = vec![CostChoice::Contiguity, CostChoice::Proximity, CostChoice::Variable(0)];
    assert_eq!(listing.costs, [(Dimension::Default, costs)]);
    let stmts: Vec<StmtId> = (0..3).map(StmtId::from_index).collect();
    let coefficients = stmts.iter().flat_map(|s| [0, 1].map(|i| (*s, Coefficient::Iterator(i))));
    let mut terms: Vec<(ConfigTerm, i64)> =
        coefficients.map(|(stmt, which)| (ConfigTerm::Coefficient(stmt, which), -1)).collect();
    terms.push((ConfigTerm::Variable(0), 1));
    assert_eq!(listing.constraints.len(), 1);
    assert_eq!((&listing.constraints[0].terms, listing.constraints[0].constant), (&terms, 0));
    assert_eq!(listing.fusion.len(), 1);
    assert_eq!(listing.fusion[0].dimension, Dimension::At(0));
    assert_eq!(listing.fusion[0].groups, [vec![stmts[0], stmts[1]], vec![stmts[2]]]);
    assert_eq!(listing.directives.len(), 1);
    let directive = &listing.directives[0];
    assert_eq!((directive.kind, directive.iterator), (DirectiveKind::Vectorize, 1));
    assert_eq!(directive.stmts, [stmts[0]]);
}
