//! Recipes as what evolves: a head, which comes from one parent, and steps.

use serde_json::{Value, json};

/// A recipe: who decides the order, and the steps after that.
#[derive(Clone, PartialEq, Debug)]
pub struct Genome {
    name: String,
    /// Sizes up to which the original runs, where there are such.
    original_up_to: Option<Value>,
    /// What gives values other places, and the order that the recipe begins with.
    pub(crate) head: Vec<Value>,
    /// Steps and planners.
    pub(crate) steps: Vec<Value>,
}

/// A text that is no recipe.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("this is no recipe file: {0}")]
pub struct NotAGenome(String);

/// The name of recipes that were bred. It begins as those of strategies' results do: loops run on threads where their work pays.
const BRED: &str = "strategy tune";

impl Genome {
    /// The genome of a recipe file.
    ///
    /// # Errors
    /// That the text is no JSON, or has no steps. Whether steps make sense is found out where they are applied.
    pub fn read(text: &str) -> Result<Self, NotAGenome> {
        let file: Value = serde_json::from_str(text).map_err(|e| NotAGenome(e.to_string()))?;
        let recipe = &file["recipe"];
        let steps = recipe["steps"].as_array();
        let steps = steps.ok_or_else(|| NotAGenome("it has no list of steps".into()))?;
        let order = steps.iter().position(|step| step["step"] == "schedule");
        let (head, steps) = match order {
            Some(at) => (steps[..=at].to_vec(), steps[at + 1..].to_vec()),
            None => (vec![json!({"step": "schedule", "strategy": "original"})], steps.clone()),
        };
        let name = recipe["name"].as_str().unwrap_or(BRED).to_owned();
        let original_up_to = recipe.get("original_up_to").cloned();
        Ok(Self { name, original_up_to, head, steps })
    }

    /// The recipe file, a step a line.
    pub fn text(&self) -> String {
        let steps: Vec<String> =
            self.head.iter().chain(&self.steps).map(|step| format!("    {}", line(step))).collect();
        let up_to = self.original_up_to.as_ref();
        let up_to =
            up_to.map_or_else(String::new, |up_to| format!("  \"original_up_to\": {up_to},\n"));
        let (name, steps) = (json!(self.name), steps.join(",\n"));
        format!(
            "{{ \"recipe\": {{\n  \"name\": {name},\n{up_to}  \"steps\": [\n{steps}\n  ]\n}} }}\n"
        )
    }

    /// How many steps it has.
    pub fn n_steps(&self) -> usize {
        self.steps.len()
    }

    /// The same without one of its steps.
    #[must_use]
    pub fn without(&self, step: usize) -> Self {
        let kept = self.steps.iter().enumerate().filter(|(at, _)| *at != step);
        Self { steps: kept.map(|(_, step)| step.clone()).collect(), ..self.clone() }
    }

    /// The same as the child of others: it does not have its parent's name.
    pub(crate) fn bred(self) -> Self {
        Self { name: BRED.into(), ..self }
    }
}

/// A step as people write it: what it is comes first.
fn line(step: &Value) -> String {
    let Some(entries) = step.as_object() else { return step.to_string() };
    let is_kind = |key: &str| key == "step" || key == "plan";
    let mut entries: Vec<(&String, &Value)> = entries.iter().collect();
    entries.sort_by_key(|(key, _)| !is_kind(key));
    let entries: Vec<String> =
        entries.iter().map(|(key, value)| format!("{}:{value}", json!(key))).collect();
    format!("{{{}}}", entries.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_round_trip() {
        let text = "{ \"recipe\": {\n  \"name\": \"mine\",\n  \"original_up_to\": {\"0\":31},\n  \"steps\": [\n    \
            {\"step\":\"expand\",\"array\":\"x\"},\n    {\"step\":\"schedule\",\"strategy\":\"pluto\"},\n    \
            {\"step\":\"tile\",\"loop\":\"S0.1\",\"sizes\":[32]}\n  ]\n} }\n";
        let genome = Genome::read(text).expect("a recipe");
        assert_eq!((genome.head.len(), genome.n_steps()), (2, 1));
        assert_eq!(Genome::read(&genome.text()), Ok(genome.clone()));
        assert_eq!(genome.text(), text);
        assert!(genome.clone().bred().text().contains("\"strategy tune\""));
        assert_eq!(genome.without(0).n_steps(), 0);
    }

    #[test]
    fn what_is_no_recipe_is_refused() {
        for text in ["", "{}", "[1]", r#"{"recipe": {"steps": 3}}"#] {
            assert!(Genome::read(text).is_err(), "{text}");
        }
    }
}
