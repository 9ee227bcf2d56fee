//! Kernels without the rest of their files.

use super::normal::reread;
use super::repository;
use farkas::Options;
use farkas::show::{Stage, StageResult, show};
use farkas_scop::Region;
use std::collections::BTreeMap;

/// A C file that has nothing but the function of a kernel and what stands in front of it.
pub(crate) struct Kernel {
    pub(crate) name: String,
    /// The function with what it returns.
    pub(crate) function: String,
    /// What stands in front.
    pub(crate) head: String,
}

impl Kernel {
    /// The kernel of a name.
    pub(crate) fn new(name: &str) -> Self {
        let path = repository().join("kernels").join(format!("{name}.c"));
        let text = std::fs::read_to_string(path).expect("a kernel");
        let lines = text.lines().filter(|line| !line.contains("#pragma"));
        let text: String = lines.map(|line| format!("{line}\n")).collect();
        let name = format!("kernel_{}", name.replace('-', "_"));
        let (head, rest) = text.split_once(&format!("static void {name}(")).expect("a function");
        let end = rest.find("\n}\n").expect("its end");
        let function = format!("static void {name}({}\n}}\n", &rest[..end]);
        let head = match head.split_once("static void init(") {
            Some((before, init)) => {
                let (_, behind) = init.split_once("\n}\n").expect("its end");
                format!("{before}{behind}")
            }
            None => head.to_owned(),
        };
        Self { name, function, head }
    }

    /// The function read; none where it is no one region.
    pub(crate) fn read(&self, function: &str) -> Option<Read> {
        let input = reread(&format!("{}{function}", self.head));
        let mut own = input.regions.iter().filter(|region| region.function == self.name);
        let (Some(region), None) = (own.next(), own.next()) else { return None };
        let region = region.clone();
        let shown = show(&region, Stage::NormalForm, &Options::default()).ok()?;
        let StageResult::NormalForm(form) = shown.result else { return None };
        let farkas_normalize::Nest { hash, own_names, .. } = form.whole;
        Some(Read { text: function.to_owned(), hash, own_names, region })
    }
}

/// A function that was read.
pub(crate) struct Read {
    pub(crate) text: String,
    /// That of its normal form.
    pub(crate) hash: String,
    /// What it calls that which has each name there.
    pub(crate) own_names: BTreeMap<String, String>,
    pub(crate) region: Region,
}

/// The parameters of a function as they are declared.
pub(crate) fn split(parameters: &str) -> Vec<&str> {
    parameters.split(',').map(str::trim).collect()
}

/// The words of a text.
pub(crate) fn words(text: &str) -> Vec<&str> {
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    parts.filter(|word| !word.is_empty()).collect()
}

/// The name that a parameter has.
pub(crate) fn declared_by(parameter: &str) -> &str {
    let head = parameter.split('[').next().unwrap_or_default();
    words(head).last().copied().unwrap_or_default()
}

/// A text with other names.
pub(crate) fn with_names(text: &str, names: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        out.push_str(names.get(word.as_str()).unwrap_or(&word));
        word.clear();
        out.push(c);
    }
    out
}
