//! Recipes: steps that are applied to an order one after another.

use crate::explain::{Names, carried_lines};
use crate::strategy::lines;
use crate::{Error, Options, PassTimes};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_codegen::Target;
use farkas_config::{RecipeFile, RecipeStep};
use farkas_deps::{Counterexample, Dependences, Verdict, legality};
use farkas_run::read_source;
use farkas_scop::Scop;
use farkas_steps::{NotApplicable, Subject};
use farkas_transform::{Remark, without_threads};
use farkas_tree::{Mark, Node, OneThread, Program, ScheduleTree};
use std::path::Path;
use std::sync::Arc;

/// The name of the pass in remarks.
const PASS: &str = "recipe";

/// The recipe file at `path`.
///
/// # Errors
/// What is wrong with the file.
pub fn read_recipe(path: &Path) -> Result<Arc<RecipeFile>, Vec<Diagnostic>> {
    let source = read_source(path).map_err(|diagnostic| vec![*diagnostic])?;
    Ok(Arc::new(RecipeFile::parse(source)?))
}

/// A recipe that is applied to a scop with these dependences.
pub(crate) struct Recipe<'a> {
    /// The recipe.
    pub(crate) file: &'a RecipeFile,
    /// The scop.
    pub(crate) scop: &'a Scop,
    /// Its dependences.
    pub(crate) deps: &'a Dependences,
    /// How the region is transformed.
    pub(crate) options: &'a Options,
}

impl Recipe<'_> {
    /// The programs after each of the steps, that before the first of them at first; each with the step that made it.
    fn programs(
        &self,
        tree: &ScheduleTree,
        remarks: &mut Vec<Remark>,
    ) -> Result<Vec<(Option<RecipeStep>, Program)>, Error> {
        let steps = self.file.resolve(self.scop, lines(self.options)).map_err(Error::Refused)?;
        let mut program = Program::new(self.scop, without_threads(tree));
        let mut programs = vec![(None, program.clone())];
        for step in steps {
            match step.step.apply(&Subject { program: &program, deps: Some(self.deps) }) {
                Ok(next) => {
                    program = next;
                    programs.push((Some(step), program.clone()));
                }
                Err(farkas_steps::Error::NotApplicable(reason)) if step.is_optional => {
                    let text = format!("{} is left out: {reason}", step.step.word());
                    remarks.push(Remark { pass: PASS, stmts: Vec::new(), text });
                }
                Err(farkas_steps::Error::NotApplicable(reason)) => {
                    return Err(Error::Refused(vec![self.inapplicable(&step, &reason)]));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(programs)
    }

    /// The program after all steps on an order. That it computes the same is not shown yet.
    ///
    /// # Errors
    /// [`Error::Refused`] with the place of a step that does not apply; when isl refuses.
    pub(crate) fn followed(
        &self,
        tree: &ScheduleTree,
        times: &mut PassTimes,
    ) -> Result<(Program, Vec<Remark>), Error> {
        let mut remarks = Vec::new();
        let programs = times.run("recipe", || self.programs(tree, &mut remarks))?;
        let last = programs.into_iter().next_back().map(|(_, program)| program);
        let mut program = last.unwrap_or_else(|| Program::new(self.scop, tree.clone()));
        let cursors = program.tree.cursors();
        let has_sums = cursors.iter().filter_map(|at| program.tree.at(at).ok()).any(is_sums);
        if has_sums && !self.options.reassociate {
            let text =
                "marks of partial sums are left out: sums keep their order without --reassociate";
            remarks.push(Remark { pass: PASS, stmts: Vec::new(), text: text.to_owned() });
        }
        program.no_threads = self.options.without_threads();
        program.tree = self.as_allowed(&program.tree);
        Ok((program, remarks))
    }

    /// The tree without marks for loops that the code must not have: on threads where none may start, in vector lanes where the
    /// target has no way to say so, with partial sums where sums are to keep their order. Loops without threads have the reason.
    fn as_allowed(&self, tree: &ScheduleTree) -> ScheduleTree {
        let is_forbidden = |mark: &Mark| match mark {
            Mark::Parallel => self.options.without_threads().is_some(),
            Mark::Vector => self.options.target != Target::OpenMp,
            Mark::PartialSums => !self.options.reassociate,
            _ => false,
        };
        let children = tree.children().iter().map(|child| self.as_allowed(child));
        match tree.node() {
            Node::Mark { mark, child } if is_forbidden(mark) => self.as_allowed(child),
            Node::Leaf => tree.clone(),
            Node::Band { band, child } => {
                let mut band = band.clone();
                for member in &mut band.members {
                    member.one_thread.get_or_insert(OneThread::Unmarked);
                }
                ScheduleTree::band(band, self.as_allowed(child))
            }
            _ => tree.with_children(children.collect()),
        }
    }

    /// The message on a recipe whose result computes something else: on the first step after which no program is legal. An error
    /// of ours where the order itself is not.
    ///
    /// # Errors
    /// When isl refuses.
    pub(crate) fn illegal(
        &self,
        tree: &ScheduleTree,
        counterexample: Box<Counterexample>,
    ) -> Result<Error, Error> {
        let mut programs = self.programs(tree, &mut Vec::new())?;
        let mut found = counterexample;
        while let Some((step, _)) = programs.pop() {
            let before = programs.last().map(|(_, program)| program);
            let (Some(step), Some(before)) = (step, before) else { break };
            match legality::check_program(self.scop, before)? {
                Verdict::Legal => return Ok(self.refused(&step, &found)),
                Verdict::Illegal(earlier) => found = earlier,
            }
        }
        Ok(Error::Illegal { name: self.scop.name().to_owned(), counterexample: found })
    }

    /// The message on a step after which the program computes something else.
    fn refused(&self, step: &RecipeStep, counterexample: &Counterexample) -> Error {
        let (word, name) = (step.step.word(), self.scop.name());
        let message = format!("step `{word}` changes what `{name}` computes");
        Error::Refused(vec![
            Diagnostic::new(DiagnosticId::IllegalStep, message)
                .at(self.file.source(), step.place, "illegal from here on")
                .note(counterexample.to_string())
                .note("nothing was written"),
        ])
    }

    /// The message on a step that does not apply.
    fn inapplicable(&self, step: &RecipeStep, reason: &NotApplicable) -> Diagnostic {
        let (word, name) = (step.step.word(), self.scop.name());
        let message = format!("step `{word}` does not apply to `{name}`: {reason}");
        let mut diagnostic = Diagnostic::new(DiagnosticId::InapplicableStep, message).at(
            self.file.source(),
            step.place,
            "",
        );
        if let NotApplicable::Carries(ids) = reason {
            let lines = match &self.options.source {
                Some(source) => carried_lines(Names::new(source, self.scop), self.deps, ids),
                None => ids.iter().map(|&id| self.deps[id].to_string()).collect(),
            };
            for line in lines {
                diagnostic = diagnostic.note(line);
            }
        }
        diagnostic.note("nothing was written")
    }
}

/// Whether a node lets a sum be built from several partial sums.
fn is_sums(tree: &ScheduleTree) -> bool {
    matches!(tree.node(), Node::Mark { mark: Mark::PartialSums, .. })
}
