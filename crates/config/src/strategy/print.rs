//! Strategies back to JSON text.

use crate::shape::{BlockSizes, Shape, Tiling};
use crate::words::{COST_FUNCTIONS, DEGREES, HEURISTICS, KEPT_PARALLELISM};
use farkas_base::Id;
use farkas_schedule::{
    Coefficient, Config, ConfigConstraint, ConfigTerm, CostChoice, Dimension, Parallelism,
    UserVariable,
};
use farkas_scop::StmtId;
use farkas_solve::RowKind;
use serde_json::{Value, json};
use std::fmt::Write;

/// The strategy as a file that reads back as the same [`Config`] and [`Shape`]: what differs from the defaults, name
/// and cost functions always.
///
/// Statements and iterators are printed as numbers, so the file fits the scop that `config` was resolved for, and
/// others of the same structure. Each constraint gets an origin of its own.
pub fn print_strategy(config: &Config, description: Option<&str>, shape: &Shape) -> String {
    print_strategy_with(config, &[], description, shape)
}

/// The same with `extra` constraints on all rows, in the words of the file, such as `no-skewing`.
pub fn print_strategy_with(
    config: &Config,
    extra: &[&str],
    description: Option<&str>,
    shape: &Shape,
) -> String {
    let mut out = Printer { lines: Vec::new() };
    out.value("name", &json!(config.name));
    if let Some(description) = description {
        out.value("description", &json!(description));
    }
    if !config.variables.is_empty() {
        out.value("new_variables", &config.variables.iter().map(variable).collect());
    }
    let cost = |(dimension, costs): &(Dimension, Vec<CostChoice>)| {
        let names: Vec<&str> = costs.iter().map(|c| cost_name(*c, config)).collect();
        entry(&[
            ("scheduling_dimension", dimension_value(*dimension)),
            ("cost_functions", json!(names)),
        ])
    };
    out.list("ILP_construction", config.costs.iter().map(cost).collect());
    out.entries("custom_constraints", constraints(config, extra));
    out.entries("fusion", config.fusion.iter().map(fusion).collect());
    out.entries("directives", config.directives.iter().map(directive).collect());
    options(config, &mut out);
    shape_keys(shape, &mut out);
    out.text()
}

/// A file that stands for the strategy that Farkas ships under the name `shipped`.
pub fn print_shipped(shipped: &str, name: &str, description: Option<&str>) -> String {
    let mut out = Printer { lines: Vec::new() };
    out.value("name", &json!(name));
    if let Some(description) = description {
        out.value("description", &json!(description));
    }
    out.value("shipped", &json!(shipped));
    out.text()
}

/// Key and value pairs of the strategy, each in its lines.
struct Printer {
    lines: Vec<String>,
}

impl Printer {
    /// The file.
    fn text(&self) -> String {
        format!("{{\n  \"scheduling_strategy\": {{\n{}\n  }}\n}}\n", self.lines.join(",\n"))
    }

    /// A value on one line.
    fn value(&mut self, key: &str, value: &Value) {
        self.lines.push(format!("    \"{key}\": {}", one_line(value)));
    }

    /// A list with a line for each entry.
    fn list(&mut self, key: &str, entries: Vec<String>) {
        let entries: Vec<String> = entries.iter().map(|e| format!("      {e}")).collect();
        let inside = match entries.is_empty() {
            true => String::new(),
            false => format!("\n{}\n    ", entries.join(",\n")),
        };
        self.lines.push(format!("    \"{key}\": [{inside}]"));
    }

    /// Such a list where it has entries.
    fn entries(&mut self, key: &str, entries: Vec<String>) {
        if !entries.is_empty() {
            self.list(key, entries);
        }
    }
}

/// The keys with plain values that differ from the defaults.
fn options(config: &Config, out: &mut Printer) {
    let default = Config::default();
    let flags = [
        ("auto_vectorization", config.auto_vectorization, default.auto_vectorization),
        ("negative_coefficients", config.negative_coefficients, default.negative_coefficients),
        ("parametric_shift", config.parametric_shift, default.parametric_shift),
        ("spatial_fusion", config.spatial_fusion, default.spatial_fusion),
        ("typed_fusion", config.typed_fusion, default.typed_fusion),
        ("live_range_reordering", config.live_range_reordering, default.live_range_reordering),
    ];
    for (key, value, _) in flags.into_iter().filter(|(_, value, default)| value != default) {
        out.value(key, &json!(value));
    }
    if let Some(parallelism) = &config.parallelism {
        out.lines.push(format!("    \"parallelism\": {}", entry(&parallelism_fields(parallelism))));
    }
    if config.line != default.line {
        out.value("cache_line", &json!(config.line));
    }
    if let Some(bound) = config.max_coefficient {
        out.value("max_coefficient", &json!(bound));
    }
    if config.fallbacks != default.fallbacks {
        out.value("fallback_order", &config.fallbacks.iter().map(|f| f.name()).collect());
    }
    if config.heuristic != default.heuristic {
        let word = HEURISTICS.iter().find(|(_, heuristic)| *heuristic == config.heuristic);
        out.value("fusion_heuristic", &json!(word.map(|(word, _)| *word)));
    }
    if config.kept_parallelism != default.kept_parallelism {
        let word = KEPT_PARALLELISM.iter().find(|(_, kept)| *kept == config.kept_parallelism);
        out.value("kept_parallelism", &json!(word.map(|(word, _)| *word)));
    }
    if config.proximity_kinds != default.proximity_kinds {
        out.value(
            "proximity_dependences",
            &config.proximity_kinds.iter().map(|k| k.name()).collect(),
        );
    }
}

/// What of `parallelism` differs from the defaults.
fn parallelism_fields(parallelism: &Parallelism) -> Vec<(&'static str, Value)> {
    let default = Parallelism::default();
    let mut fields = Vec::new();
    if parallelism.degree != default.degree {
        let word = DEGREES.iter().find(|(_, degree)| *degree == parallelism.degree);
        fields.push(("degree", json!(word.map(|(word, _)| *word))));
    }
    fields.extend(parallelism.max_pressure.map(|max| ("max_pressure", json!(max))));
    if parallelism.avoids_inner {
        fields.push(("avoid_inner", json!(true)));
    }
    fields
}

/// The keys of the shape that are set.
fn shape_keys(shape: &Shape, out: &mut Printer) {
    if let Some(Tiling { enabled, sizes, only_for_reuse }) = &shape.tiling {
        let mut fields = vec![("enabled", json!(enabled))];
        match sizes.as_slice() {
            [] => {}
            [level] => fields.push(("sizes", json!(level))),
            levels => fields.push(("sizes", json!(levels))),
        }
        fields.extend(only_for_reuse.map(|only| ("only_for_reuse", json!(only))));
        out.lines.push(format!("    \"tiling\": {}", entry(&fields)));
    }
    if let Some(wavefront) = shape.wavefront {
        out.value("wavefront", &json!(wavefront));
    }
    if let Some(order) = shape.point_loop_order {
        out.value("point_loop_order", &json!(order.name()));
    }
    for (key, said) in shape.flags() {
        if let Some(said) = said {
            out.value(key, &json!(said));
        }
    }
    if let Some(BlockSizes { block, sums, tensor }) = &shape.gpu {
        let mut fields = Vec::new();
        fields.extend(block.map(|sizes| ("block", json!(sizes))));
        fields.extend(sums.map(|sizes| ("sums", json!(sizes))));
        fields.extend(tensor.then_some(("tensor", json!(true))));
        out.lines.push(format!("    \"gpu\": {}", entry(&fields)));
    }
    if let Some(memory) = shape.memory {
        out.value("memory", &json!(memory.to_string()));
    }
    if !shape.assume.is_empty() {
        let grants: Vec<String> = shape.assume.iter().map(ToString::to_string).collect();
        out.value("assume", &json!(grants));
    }
}

/// An object on one line, its keys in this order.
fn entry(fields: &[(&str, Value)]) -> String {
    if fields.is_empty() {
        return "{}".to_owned();
    }
    let fields: Vec<String> =
        fields.iter().map(|(key, value)| format!("\"{key}\": {}", one_line(value))).collect();
    format!("{{ {} }}", fields.join(", "))
}

/// A value with blanks behind commas.
fn one_line(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(one_line).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<(&str, Value)> =
                fields.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
            entry(&fields)
        }
        value => value.to_string(),
    }
}

/// `"x"`, or an object where it is signed.
fn variable(variable: &UserVariable) -> Value {
    match variable.is_signed {
        true => json!({ "name": variable.name, "signed": true }),
        false => json!(variable.name),
    }
}

/// The number of a dimension, or its word.
fn dimension_value(dimension: Dimension) -> Value {
    match dimension {
        Dimension::Default => json!("default"),
        Dimension::At(number) => json!(number),
        Dimension::Last => json!("last"),
    }
}

/// The word for a cost function; empty for a variable that is not there.
fn cost_name(cost: CostChoice, config: &Config) -> &str {
    match cost {
        CostChoice::Variable(position) => {
            config.variables.get(position).map_or("", |v| v.name.as_str())
        }
        _ => COST_FUNCTIONS.iter().find(|(_, c)| *c == cost).map_or("", |(word, _)| word),
    }
}

/// One entry for the extra constraints, and one for each run of constraints of one dimension.
fn constraints(config: &Config, extra: &[&str]) -> Vec<String> {
    let runs = config.constraints.chunk_by(|a, b| a.dimension == b.dimension);
    let run = |run: &[ConfigConstraint]| {
        let dimension = run.first().map_or(Dimension::Default, |c| c.dimension);
        let texts: Vec<String> = run.iter().map(|c| constraint(c, config)).collect();
        constraints_entry(dimension, &texts)
    };
    let extra: Vec<String> = extra.iter().map(|&text| text.to_owned()).collect();
    let extra = (!extra.is_empty()).then(|| constraints_entry(Dimension::Default, &extra));
    extra.into_iter().chain(runs.map(run)).collect()
}

/// An entry of `custom_constraints`.
fn constraints_entry(dimension: Dimension, texts: &[String]) -> String {
    entry(&[("scheduling_dimension", dimension_value(dimension)), ("constraints", json!(texts))])
}

/// `2*S0_it_1 - x + 1 >= 0`
fn constraint(constraint: &ConfigConstraint, config: &Config) -> String {
    let mut text = String::new();
    for (term, factor) in &constraint.terms {
        let sign = match (*factor < 0, text.is_empty()) {
            (true, true) => "-",
            (false, true) => "",
            (true, false) => " - ",
            (false, false) => " + ",
        };
        text.push_str(sign);
        if factor.unsigned_abs() != 1 {
            let _ = write!(text, "{}*", factor.unsigned_abs());
        }
        text.push_str(&term_name(term, config));
    }
    if constraint.constant != 0 {
        let sign = if constraint.constant < 0 { '-' } else { '+' };
        let _ = write!(text, " {sign} {}", constraint.constant.unsigned_abs());
    }
    let relation = match constraint.kind {
        RowKind::Equality => "= 0",
        RowKind::Inequality => ">= 0",
    };
    format!("{text} {relation}")
}

/// `S0_it_1`, or the name of a variable.
fn term_name(term: &ConfigTerm, config: &Config) -> String {
    match term {
        ConfigTerm::Variable(position) => {
            config.variables.get(*position).map_or_else(String::new, |v| v.name.clone())
        }
        ConfigTerm::Coefficient(stmt, which) => {
            let stmt = stmt.index();
            match which {
                Coefficient::Iterator(i) => format!("S{stmt}_it_{i}"),
                Coefficient::Param(p) => format!("S{stmt}_par_{}", p.index()),
                Coefficient::Constant => format!("S{stmt}_cst"),
            }
        }
    }
}

/// An entry of `fusion`.
fn fusion(rule: &farkas_schedule::FusionRule) -> String {
    let groups: Vec<Vec<String>> = rule.groups.iter().map(|group| stmts(group)).collect();
    entry(&[
        ("scheduling_dimension", dimension_value(rule.dimension)),
        ("total_distribution", json!(rule.total_distribution)),
        ("stmts_fusion", json!(groups)),
    ])
}

/// An entry of `directives`.
fn directive(directive: &farkas_schedule::Directive) -> String {
    entry(&[
        ("type", json!(directive.kind.name())),
        ("stmts", json!(stmts(&directive.stmts))),
        ("iterator", json!(directive.iterator.to_string())),
    ])
}

/// The numbers of statements as strings, as the paper writes them.
fn stmts(stmts: &[StmtId]) -> Vec<String> {
    stmts.iter().map(|stmt| stmt.index().to_string()).collect()
}
