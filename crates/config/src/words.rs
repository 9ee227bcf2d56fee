//! The words that strategy and influence files share, and keys that both have.

use crate::constraint::is_reserved;
use crate::json::{Node, Value};
use crate::report::Report;
use farkas_base::DiagnosticId;
use farkas_deps::DependenceKind;
use farkas_schedule::{
    CostChoice, Degree, DirectiveKind, Fallback, FusionHeuristic, KeptParallelism, UserVariable,
};

/// The predefined cost functions.
pub(crate) const COST_FUNCTIONS: [(&str, CostChoice); 10] = CostChoice::NAMED;

/// The types of directives.
pub(crate) fn directives() -> Vec<(&'static str, DirectiveKind)> {
    let all = [DirectiveKind::Parallel, DirectiveKind::Vectorize, DirectiveKind::Sequential];
    all.map(|kind| (kind.name(), kind)).to_vec()
}

/// The fallbacks.
pub(crate) fn fallbacks() -> Vec<(&'static str, Fallback)> {
    Fallback::ALL.map(|fallback| (fallback.name(), fallback)).to_vec()
}

/// The fusion heuristics.
pub(crate) const HEURISTICS: [(&str, FusionHeuristic); 4] = [
    ("smart", FusionHeuristic::Smart),
    ("max", FusionHeuristic::Max),
    ("no", FusionHeuristic::No),
    ("cluster", FusionHeuristic::Cluster),
];

/// How much of their parallelism statements keep when they come to share loops.
pub(crate) const KEPT_PARALLELISM: [(&str, KeptParallelism); 3] = [
    ("none", KeptParallelism::None),
    ("outermost", KeptParallelism::Outermost),
    ("all", KeptParallelism::All),
];

/// How many parallel loops are looked for.
pub(crate) const DEGREES: [(&str, Degree); 2] = [("all", Degree::All), ("single", Degree::Single)];

/// The kinds of dependences.
pub(crate) fn dependence_kinds() -> Vec<(&'static str, DependenceKind)> {
    let all =
        [DependenceKind::Flow, DependenceKind::Anti, DependenceKind::Output, DependenceKind::Input];
    all.map(|kind| (kind.name(), kind)).to_vec()
}

/// The value of `new_variables`: names, or objects with `name` and `signed`.
pub(crate) fn read_variables(node: &Node, report: &mut Report) -> Vec<UserVariable> {
    let mut variables: Vec<UserVariable> = Vec::new();
    for item in report.list(node, "new_variables").unwrap_or_default() {
        let Some(variable) = read_variable(item, report) else { continue };
        if variables.iter().any(|v| v.name == variable.name) {
            let message = format!("the variable `{}` is declared twice", variable.name);
            report.error(DiagnosticId::ContradictoryEntries, item.place(), message, "again");
        } else {
            variables.push(variable);
        }
    }
    variables
}

/// `"x"` or `{"name": "x", "signed": true}`
fn read_variable(node: &Node, report: &mut Report) -> Option<UserVariable> {
    let (name, is_signed) = match &node.value {
        Value::Text(text) => (text, false),
        Value::Object(_) => {
            let fields = report.object(node, "a variable", &["name", "signed"])?;
            let signed = fields.get("signed").and_then(|node| report.boolean(node, "signed"));
            let name = fields.need(report, "name")?;
            (report.text(name, "name")?, signed.unwrap_or(false))
        }
        _ => return report.wrong_type(node, "a variable", "a name or an object"),
    };
    let taken = COST_FUNCTIONS.iter().any(|(word, _)| *word == name.text);
    if taken || is_reserved(&name.text) {
        let message = format!("a variable cannot be called `{}`", name.text);
        let label = if taken { "a cost function has this name" } else { "this is no free name" };
        let id = DiagnosticId::MalformedConstraint;
        let id = if taken { DiagnosticId::ContradictoryEntries } else { id };
        let diagnostic = report.at(id, name.span, message, label);
        let help = "a name has letters, digits and `_`, and does not look like a coefficient";
        report.push(diagnostic.help(help));
        return None;
    }
    Some(UserVariable { name: name.text.clone(), is_signed })
}

/// What stands at the top of a file besides its content.
pub(crate) const SCHEMA_KEY: &str = "$schema";

/// Reports a file of the other kind, which has `other` where `own` should be. Returns whether it is one.
pub(crate) fn is_other_kind(
    root: &Node,
    own: &str,
    other: &str,
    flag: &str,
    report: &mut Report,
) -> bool {
    let Value::Object(entries) = &root.value else { return false };
    let has = |key: &str| entries.iter().find(|(k, _)| k.text == key);
    let (None, Some((key, _))) = (has(own), has(other)) else { return false };
    let message = format!("the key `{own}` is missing");
    let diagnostic =
        report.at(DiagnosticId::MissingKey, key.span, message, "a file of another kind");
    report.push(diagnostic.help(format!("give this file with {flag}")));
    true
}
