//! The conditions under which the loops run, and what runs where they do not hold.

use super::storage::{ALIGNED, Allocation, OWN, aligned, bracketed};
use super::{Printer, THREADS};
use crate::body::bare;
use crate::guards::guard_texts;
use crate::limit::{Threads, limit_text, size_text};
use crate::options::{Condition, Target};
use crate::threads::work_text;
use farkas_astgen::{Ast, Binding, Text};
use std::fmt::Write;

impl Printer<'_> {
    /// The loops with the memory that they need, and what runs where there is none or other conditions do not hold.
    pub(super) fn on_condition(&mut self, ast: &Ast, allocations: &[Allocation], depth: usize) {
        let conditions = self.conditions(ast);
        self.count_threads(depth);
        let mut before: Option<&str> = None;
        for Allocation { name, bytes, .. } in allocations {
            let block = format!("__builtin_malloc({bytes} + 63)");
            match before {
                Some(before) => {
                    self.line(depth, &format!("void *{name}_ = {before}_ ? {block} : 0;"));
                }
                None if conditions.is_empty() => {
                    self.line(depth, &format!("void *{name}_ = {block};"));
                }
                None => {
                    self.line(depth, &format!("void *{name}_ = 0;"));
                    self.if_all(&conditions, "", depth);
                    self.line(depth + 1, &format!("{name}_ = {block};"));
                }
            }
            before = Some(name);
        }
        match before {
            Some(last) => self.line(depth, &format!("if ({last}_) {{")),
            None => self.if_all(&conditions, " {", depth),
        }
        for Allocation { name, element, pointer, .. } in allocations.iter().filter(|a| !a.is_own) {
            let aligned = format!("(void *)({})", aligned(name));
            self.line(depth + 1, &format!("{element} {pointer} = {aligned};"));
        }
        self.body_of(ast, depth + 1);
        self.line(depth, "} else {");
        self.place();
        let pad = (depth + 1) * self.options.indent;
        for line in self.options.condition.otherwise.lines() {
            let pad = if line.is_empty() || line.starts_with('#') { 0 } else { pad };
            let _ = writeln!(self.text, "{:pad$}{line}", "");
        }
        self.line(depth, "}");
        for Allocation { name, .. } in allocations.iter().rev() {
            self.line(depth, &format!("__builtin_free({name}_);"));
        }
    }

    /// The conditions under which the loops run, each as it stands beside the others.
    pub(super) fn conditions(&self, ast: &Ast) -> Vec<String> {
        let Condition { guards, limits, memory, .. } = &self.options.condition;
        let guards = guard_texts(self.c, guards);
        let mut others = limits.clone();
        let threads = |array| self.has_own_sized(array).then_some(THREADS);
        let expanded = (ast.expanded.as_slice(), &threads as Threads<'_>);
        others.extend(size_text(self.c, self.scop, expanded));
        if let Some((limit, own)) = memory {
            others.push(limit_text(self.c, self.scop, expanded, *limit, own));
        }
        if !self.memory.own.is_empty() && self.options.target == Target::OpenMp {
            others.push(format!("{THREADS} < __PTRDIFF_MAX__ / sizeof(struct {OWN})"));
        }
        // What is small asks nothing else. Threads are counted where there is enough work alone.
        let first = match self.options.condition.needs_threads {
            true => Some(Text::new(format!("{THREADS} > 1"), Binding::Relation)),
            false => self.enough(),
        };
        let asked: Vec<Text> = first.into_iter().chain(guards).collect();
        let least = if asked.len() + others.len() == 1 { Binding::Ternary } else { Binding::And };
        asked.iter().map(|text| text.within(least)).chain(others).collect()
    }

    /// The condition that there is enough work, where that is asked.
    pub(super) fn enough(&self) -> Option<Text> {
        let works = self.options.condition.works.iter().map(|work| work_text(self.c, work));
        let works: Vec<Text> = works.collect();
        match works.as_slice() {
            [] => None,
            [work] => Some(work.clone()),
            several => {
                let several: Vec<&str> = several.iter().map(|work| work.text.as_str()).collect();
                Some(Text::new(several.join(" || "), Binding::Or))
            }
        }
    }

    /// The header of an `if` that asks for all of some conditions, a line each.
    pub(super) fn if_all(&mut self, conditions: &[String], end: &str, depth: usize) {
        for (i, condition) in conditions.iter().enumerate() {
            let open = if i == 0 { "if (" } else { "    && " };
            let close = if i + 1 == conditions.len() { format!("){end}") } else { String::new() };
            self.line(depth, &format!("{open}{condition}{close}"));
        }
    }

    /// The type of what each thread has, and how many threads there may be. Programs are also compiled without OpenMP.
    pub(super) fn count_threads(&mut self, depth: usize) {
        let is_needed = self.options.condition.needs_threads;
        if !self.memory.has_own() && !is_needed {
            return;
        }
        if !self.memory.own.is_empty() {
            self.line(depth, &format!("struct {OWN} {{"));
            for id in self.memory.own.clone() {
                let array = &self.scop.arrays()[id];
                let extents = array.constant_extents().unwrap_or_default();
                let (ty, name) = (bare(&array.element.text), array.printed_name());
                self.line(depth + 1, &format!("{ty} {name}{} {ALIGNED};", bracketed(&extents)));
            }
            self.line(depth, "};");
        }
        if self.options.target == Target::OpenMp {
            self.line(depth, &format!("__SIZE_TYPE__ {THREADS} = 1;"));
            self.text.push_str("#ifdef _OPENMP\n");
            let own = match self.memory.has_own() {
                true => ", omp_get_thread_num(void)",
                false => "",
            };
            let team = if is_needed { ", omp_in_parallel(void)" } else { "" };
            self.line(depth, &format!("int omp_get_max_threads(void){own}{team};"));
            // What is small takes hardly longer than to ask for it. Threads of a team have no others.
            let enough = self.enough();
            let least = if is_needed { Binding::And } else { Binding::Ternary };
            let enough = enough.map(|enough| enough.within(least));
            let team = is_needed.then(|| "!omp_in_parallel()".to_owned());
            let asked: Vec<String> = enough.into_iter().chain(team).collect();
            let asked = match asked.is_empty() {
                true => String::new(),
                false => format!("if ({}) ", asked.join(" && ")),
            };
            self.line(depth, &format!("{asked}{THREADS} = omp_get_max_threads();"));
            self.text.push_str("#endif\n");
        }
    }
}
