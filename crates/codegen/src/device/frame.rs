//! What stands around the kernels of a region in the host's code: conditions, memory on the device, copies, the original.

use super::kept::{Held, Kept};
use super::{DeviceMemory, DeviceRegion, HostPlan};
use std::fmt::Write;

/// Whether the kernels' results are in place.
const RAN: &str = "farkas_ran";

/// The parts of the host's code that are the same whatever stays on the device.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// What stands before the region: lines of the preprocessor.
    pub(super) before: String,
    /// The same behind it.
    pub(super) after: String,
    /// The indentation of the region.
    pub(super) margin: String,
    /// The number of spaces of a level.
    pub(super) indent: usize,
    /// What runs between the copies, in whole lines.
    pub(super) body: String,
    /// The region as it was, in whole lines.
    pub(super) original: String,
    /// Statements after all else.
    pub(super) last: Vec<String>,
    /// Variables that nothing may use any more.
    pub(super) unused: Vec<String>,
}

/// The text so far.
struct Text<'a> {
    frame: &'a Frame,
    text: String,
}

impl Text<'_> {
    /// Adds a line.
    fn line(&mut self, depth: usize, text: &str) {
        let pad = depth * self.frame.indent;
        let _ = writeln!(self.text, "{}{:pad$}{text}", self.frame.margin, "");
    }
}

impl DeviceRegion {
    /// The same region where these arrays stay on the device around it.
    #[must_use]
    pub fn kept(mut self, kept: Kept) -> Self {
        self.text = self.frame.text(&self.plan, &kept);
        self.kept = kept;
        self
    }
}

impl Frame {
    /// The whole text.
    fn text(&self, plan: &HostPlan, kept: &Kept) -> String {
        let mut text = Text { frame: self, text: self.before.clone() };
        for line in kept.first_lines() {
            text.line(0, &line);
        }
        text.line(0, "{");
        for variable in &plan.variables {
            text.line(1, variable);
        }
        text.line(1, &format!("int {RAN} = 0;"));
        self.conditions(plan, &mut text);
        self.on_device(plan, kept, &mut text);
        text.line(1, "}");
        text.line(1, &format!("if (!{RAN}) {{"));
        if let Some(head) = kept.head() {
            text.line(2, &format!("farkas_back_all(&{head});"));
        }
        text.text.push_str(&self.original);
        text.line(1, "}");
        for statement in self.last.iter().chain(&kept.last_lines()) {
            text.line(1, statement);
        }
        text.line(0, "}");
        for name in &self.unused {
            text.line(0, &format!("(void){name};"));
        }
        text.text + &self.after
    }

    /// What must hold for kernels to run.
    fn conditions(&self, plan: &HostPlan, text: &mut Text<'_>) {
        let mut conditions = plan.conditions.clone();
        conditions.extend(plan.apart.iter().map(|[one, other]| {
            format!("farkas_away({}, {}, {}, {})", one.0, one.1, other.0, other.1)
        }));
        conditions.push("farkas_ready()".to_owned());
        for (at, condition) in conditions.iter().enumerate() {
            let open = if at == 0 { "if (" } else { "    && " };
            let close = if at + 1 == conditions.len() { ") {" } else { "" };
            text.line(1, &format!("{open}{condition}{close}"));
        }
    }

    /// What runs where there is a device.
    fn on_device(&self, plan: &HostPlan, kept: &Kept, text: &mut Text<'_>) {
        let all: Vec<(&DeviceMemory, Option<&Held>)> =
            plan.memory.iter().map(|memory| (memory, kept.of(memory))).collect();
        let own = || all.iter().filter(|(_, held)| held.is_none()).map(|(memory, _)| *memory);
        for (memory, _) in all.iter().filter(|(memory, _)| kept.may_meet(memory)) {
            text.line(2, &kept.cleared(memory));
        }
        for (memory, held) in &all {
            text.line(
                2,
                &match held {
                    Some(held) => held.taken(memory),
                    None => format!("void *{} = farkas_memory({});", memory.name, memory.bytes),
                },
            );
        }
        for memory in own().filter(|memory| memory.copied_in) {
            let DeviceMemory { name, host, touched: (at, n), .. } = memory;
            text.line(2, &format!("farkas_in({name}, {at}, {host}, {n});"));
        }
        text.text.push_str(&self.body);
        text.line(2, &format!("{RAN} = farkas_done();"));
        let mut results = Vec::new();
        for (memory, held) in &all {
            let DeviceMemory { name, host, touched: (at, n), copied_out, is_written, .. } = memory;
            match held {
                Some(held) if *is_written => results.push(held.written(memory)),
                None if *copied_out => {
                    results.push(format!("farkas_out({host}, {name}, {at}, {n});"))
                }
                _ => {}
            }
        }
        if !results.is_empty() {
            text.line(2, &format!("if ({RAN}) {{"));
            results.iter().for_each(|result| text.line(3, result));
            text.line(2, "}");
        }
        for memory in own() {
            text.line(2, &format!("farkas_release({});", memory.name));
        }
    }
}
