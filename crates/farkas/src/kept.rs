//! What stays on the device between the regions of a function: the texts of the regions, once it is known which of them have kernels.

use crate::Input;
use farkas_base::{NameGenerator, SourceFile, Span};
use farkas_codegen::{Begin, DeviceRegion, End, Held, Kept};
use farkas_front_c::{Edge, Hindrance, OnDevice, Stay};
use std::collections::BTreeMap;

/// A region with kernels.
#[derive(Debug)]
pub struct WithKernels<'a> {
    /// Its name.
    pub name: &'a str,
    /// What its text replaces.
    pub span: Span,
    /// The kernels and the text, which is written anew.
    pub device: &'a mut DeviceRegion,
}

/// What a host may leave on the device for a while.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeftThere {
    /// The array.
    pub array: String,
    /// The first and the last line of the file in which nothing but regions touches it.
    pub lines: [u32; 2],
    /// The names of the regions that use it.
    pub regions: Vec<String>,
    /// Those of the other regions between them.
    pub others: Vec<String>,
    /// Whether code behind these lines may read it on the host.
    pub is_read_after: bool,
}

/// What a host may leave on the device between the regions of a function.
pub fn left_there(input: &Input, regions: &[WithKernels<'_>]) -> Vec<LeftThere> {
    let line = |at: u32| input.source.line(Span { start: at, end: at });
    let edge = |edge: &Edge, last: bool| match edge {
        Edge::Region(number) => regions
            .get(*number)
            .map_or(0, |region| line(if last { region.span.end } else { region.span.start })),
        Edge::Statement { at, .. } => line(*at),
    };
    let name = |number: &usize| regions.get(*number).map(|region| region.name.to_owned());
    let left = |stay: Stay| LeftThere {
        lines: [edge(&stay.begins, false), edge(&stay.ends, true)],
        regions: stay.users.iter().filter_map(name).collect(),
        others: stay.within.iter().filter(|n| !stay.users.contains(n)).filter_map(name).collect(),
        is_read_after: stay.is_read_after,
        array: stay.array,
    };
    found(input, regions).0.into_iter().map(left).collect()
}

/// Lets arrays stay on the device between the regions of a function, where nothing on the host can tell: the regions' texts say so then. What
/// else is to be written, each with its place in the file.
pub fn keep_on_device(input: &Input, regions: &mut [WithKernels<'_>]) -> Vec<(Span, String)> {
    let (stays, hindrances) = found(input, regions);
    let variables = variables(input, &stays);
    let mut around: Vec<Kept> = vec![Kept::default(); regions.len()];
    let mut between = Vec::new();
    for (at, (stay, variable)) in stays.iter().zip(&variables).enumerate() {
        let begin = Begin { variable: variable.clone(), next: next(&stays, at, &variables) };
        let end = End { variable: variable.clone(), is_read: stay.is_read_after };
        let comment = told(&input.source, regions, stay);
        match &stay.begins {
            Edge::Region(number) => {
                if let Some(kept) = around.get_mut(*number) {
                    kept.comments.push(comment);
                    kept.begins.push(begin);
                }
            }
            Edge::Statement { at, indent } => {
                let text =
                    format!("{indent}/* farkas: {comment} */\n{indent}{}\n", begin.declaration());
                between.push((Span { start: *at, end: *at }, text));
            }
        }
        for number in &stay.within {
            let array = stay.users.contains(number).then(|| stay.array.clone());
            let held = Held { variable: variable.clone(), array, is_object: stay.is_object };
            around.get_mut(*number).into_iter().for_each(|kept| kept.held.push(held.clone()));
        }
        match &stay.ends {
            Edge::Region(number) => {
                around.get_mut(*number).into_iter().for_each(|kept| kept.ends.push(end.clone()));
            }
            Edge::Statement { at, indent } => {
                let text = format!("{indent}{}\n", end.statement());
                between.push((Span { start: *at, end: *at }, text));
            }
        }
    }
    for hindrance in &hindrances {
        if let Some(kept) = around.get_mut(hindrance.from) {
            kept.comments.push(hindered(&input.source, hindrance));
        }
    }
    for (region, kept) in regions.iter_mut().zip(around) {
        if kept != Kept::default() {
            *region.device = std::mem::take(region.device).kept(kept);
        }
    }
    between
}

/// What stays, in the order in which it begins, and what does not.
fn found(input: &Input, regions: &[WithKernels<'_>]) -> (Vec<Stay>, Vec<Hindrance>) {
    let Some(reading) = &input.reading else { return (Vec::new(), Vec::new()) };
    let copied = |region: &WithKernels<'_>| {
        let plan = &region.device.plan;
        // What the host computes for the kernels, it reads there.
        let is_read = |name: &str| plan.variables.iter().any(|text| mentions(text, name));
        let memory = plan.memory.iter().filter(|m| m.copied_in && !is_read(&m.array));
        memory.map(|memory| memory.array.clone()).collect()
    };
    let arrays: Vec<Vec<String>> = regions.iter().map(copied).collect();
    let told: Vec<OnDevice<'_>> = regions
        .iter()
        .zip(&arrays)
        .map(|(region, arrays)| OnDevice {
            span: region.span,
            arrays: arrays.iter().map(String::as_str).collect(),
        })
        .collect();
    let (mut stays, hindrances) = reading.stays(&told);
    stays.sort_by_key(|stay| stay.range.start);
    (stays, hindrances)
}

/// Whether a name stands in some C.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
}

/// The variables that know the memory of what stays; no other one of a function is called so.
fn variables(input: &Input, stays: &[Stay]) -> Vec<String> {
    let reserved = input.regions.first().map(|region| region.host.reserved_names.clone());
    let mut fresh: BTreeMap<usize, NameGenerator> = BTreeMap::new();
    let name = |stay: &Stay| {
        let new = || NameGenerator::new(reserved.iter().flatten().cloned());
        fresh.entry(stay.function).or_insert_with(new).fresh(&format!("kept_{}", stay.array))
    };
    stays.iter().map(name).collect()
}

/// The variable of what began to stay last before another did, and still stays then.
fn next(stays: &[Stay], at: usize, variables: &[String]) -> Option<String> {
    let stay = stays.get(at)?;
    let before = stays.iter().zip(variables).take(at);
    let mut open = before
        .filter(|(other, _)| other.function == stay.function && other.range.end > stay.range.start);
    open.next_back().map(|(_, variable)| variable.clone())
}

/// What is said of an array that stays.
fn told(source: &SourceFile, regions: &[WithKernels<'_>], stay: &Stay) -> String {
    let line = |number: &usize| regions.get(*number).map_or(0, |region| source.line(region.span));
    let lines: Vec<String> = stay.users.iter().map(|number| line(number).to_string()).collect();
    let regions = match lines.as_slice() {
        [one] => format!("the region in line {one}, which a loop runs again"),
        [all @ .., last] => format!("the regions in lines {} and {last}", all.join(", ")),
        [] => String::new(),
    };
    let array = &stay.array;
    let end = if stay.is_read_after { "then copied back" } else { "nobody reads it then" };
    format!("`{array}` stays on the device for {regions}; {end}.")
}

/// Why an array does not stay.
fn hindered(source: &SourceFile, hindrance: &Hindrance) -> String {
    let Hindrance { array, at, reason, .. } = hindrance;
    let line = at.map_or_else(String::new, |at| format!("in line {}, ", source.line(at)));
    let reason = reason.replace("*/", "* /").replace("/*", "/ *");
    format!(
        "`{array}` does not stay on the device for the next region that has it: {line}{reason}."
    )
}
