//! The JSON Schemas of the files, as text.

/// The JSON Schema (draft 2020-12) of strategy files.
pub fn strategy_schema() -> String {
    let recipe = format!("{:#}", crate::recipe::own_schema());
    include_str!("../schema/strategy.json").replace("\"RECIPE\"", &recipe)
}

/// The JSON Schema (draft 2020-12) of influence files.
pub fn influence_schema() -> &'static str {
    include_str!("../schema/influence.json")
}

/// The JSON Schema (draft 2020-12) of machine files.
pub fn machine_schema() -> &'static str {
    include_str!("../schema/machine.json")
}

/// The JSON Schema (draft 2020-12) of project files.
pub fn project_schema() -> &'static str {
    include_str!("../schema/project.json")
}
