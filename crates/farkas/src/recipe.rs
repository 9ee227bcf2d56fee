//! Recipes: steps that are applied to an order one after another.

use crate::scheduling::lines;
use crate::words::{Names, carried_lines};
use crate::{Error, Options, Session, template};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_codegen::Target;
use farkas_config::{RecipeFile, RecipeStep};
use farkas_deps::{Counterexample, Verdict, legality};
use farkas_poly::with_budget;
use farkas_run::read_source;
use farkas_steps::NotApplicable;
use farkas_transform::{Action, Error as TransformError, Remark, Setting, Shaping};
use farkas_tree::{Mark, Node, OneThread, Program, ScheduleTree};
use std::path::Path;
use std::sync::Arc;

/// The name of the pass in remarks.
const PASS: &str = "recipe";

/// isl operations that each step or planner may take.
const MAX_OPERATIONS: u64 = 2_000_000;

/// isl operations that the search for the first illegal step of a recipe may take.
const MAX_SEARCH: u64 = 20_000_000;

/// What is told where the search ends early.
const UNSEARCHED: &str =
    "an earlier step may be the illegal one: to check them all takes too much work";

/// The recipe file at `path`.
///
/// # Errors
/// What is wrong with the file.
pub fn read_recipe(path: &Path) -> Result<Arc<RecipeFile>, Vec<Diagnostic>> {
    let source = read_source(path).map_err(|diagnostic| vec![*diagnostic])?;
    Ok(Arc::new(RecipeFile::parse(source)?))
}

/// A recipe that is applied to an order.
pub(crate) struct Recipe<'a> {
    /// The recipe.
    pub(crate) file: &'a RecipeFile,
    /// The scop, its dependences, and what it is for.
    pub(crate) setting: Setting<'a>,
    /// How the region is transformed.
    pub(crate) options: &'a Options,
}

/// A program of a recipe, after the step, where it is not the first.
pub(crate) type Reached = (Option<RecipeStep>, Program);

impl Recipe<'_> {
    /// An order after all steps, and the programs after each of them.
    fn programs(&self, tree: &ScheduleTree) -> Result<(Shaping, Vec<Reached>), Error> {
        let scop = self.setting.scop;
        let steps = self.file.resolve(scop, lines(self.options)).map_err(Error::Refused)?;
        let mut shaping = Shaping::new(scop, tree);
        let mut programs = vec![(None, shaping.program().clone())];
        for step in steps {
            let done = with_budget(MAX_OPERATIONS, || match step.action.clone() {
                Action::Step(step) => shaping.apply(step, Some(self.setting.deps)),
                Action::Plan(planner) => shaping.follow(&planner, self.setting),
            });
            match done.map_err(Error::from) {
                Ok(()) => programs.push((Some(step), shaping.program().clone())),
                Err(error) if error.is_out_of_budget() => {
                    return Err(Error::Refused(vec![self.too_much(&step)]));
                }
                Err(Error::Transform(TransformError::Step(reason))) if step.is_optional => {
                    let text = format!("{} is left out: {reason}", step.action.name());
                    shaping.tell(Remark { pass: PASS, stmts: Vec::new(), text });
                }
                Err(Error::Transform(TransformError::Step(reason))) => {
                    return Err(Error::Refused(vec![self.inapplicable(&step, &reason)]));
                }
                Err(error) => return Err(error),
            }
        }
        Ok((shaping, programs))
    }

    /// The programs after each step, that before the first of them at first; and what was told on the way.
    pub(crate) fn reached(
        &self,
        tree: &ScheduleTree,
    ) -> Result<(Vec<Reached>, Vec<Remark>), Error> {
        let (shaping, programs) = self.programs(tree)?;
        let (_, remarks, _) = shaping.done();
        Ok((programs, remarks))
    }

    /// An order after all steps. That the program computes the same is not shown yet.
    ///
    /// # Errors
    /// [`Error::Refused`] with the place of a step that does not apply; when isl refuses.
    pub(crate) fn followed(
        &self,
        tree: &ScheduleTree,
        session: &mut Session,
    ) -> Result<Shaping, Error> {
        let (mut shaping, _) = session.run("recipe", || self.programs(tree))?;
        let tree = &shaping.program().tree;
        let allowed = self.as_allowed(tree, false);
        shaping.reorder(allowed);
        for planner in template::last() {
            session.run(planner.word(), || shaping.follow(&planner, self.setting))?;
        }
        Ok(shaping)
    }

    /// The tree without marks for loops that the code must not have: on threads where none may start, in vector lanes where the
    /// target has no way to say so. Loops without threads have the reason.
    /// Copies that iterations have of their own go with the mark above them that makes iterations run at the same time
    /// (`is_concurrent`): one iteration after another uses the array itself.
    fn as_allowed(&self, tree: &ScheduleTree, is_concurrent: bool) -> ScheduleTree {
        let is_forbidden = |mark: &Mark| match mark {
            Mark::Parallel => self.options.without_threads().is_some(),
            Mark::Vector => self.options.target != Target::OpenMp,
            Mark::Private(_) | Mark::Reduce(_) => !is_concurrent,
            _ => false,
        };
        let children = tree.children().iter().map(|child| self.as_allowed(child, false));
        match tree.node() {
            Node::Mark { mark, child } if is_forbidden(mark) => {
                self.as_allowed(child, is_concurrent)
            }
            Node::Mark { mark, child } => {
                let runs_at_once = matches!(mark, Mark::Parallel | Mark::Vector)
                    || is_concurrent && matches!(mark, Mark::Private(_) | Mark::Reduce(_));
                ScheduleTree::mark(mark.clone(), self.as_allowed(child, runs_at_once))
            }
            Node::Leaf => tree.clone(),
            Node::Band { band, child } => {
                let mut band = band.clone();
                for member in &mut band.members {
                    member.one_thread.get_or_insert(OneThread::Unmarked);
                }
                ScheduleTree::band(band, self.as_allowed(child, false))
            }
            _ => tree.with_children(children.collect()),
        }
    }

    /// The message on a recipe whose result computes something else: on a step before which the program is legal, and after which it
    /// is not, found by bisection within one budget. An error of ours where the order itself is not legal.
    ///
    /// # Errors
    /// When isl refuses.
    pub(crate) fn illegal(
        &self,
        tree: &ScheduleTree,
        counterexample: Box<Counterexample>,
    ) -> Result<Error, Error> {
        let (_, mut programs) = self.programs(tree)?;
        // Steps that changed nothing.
        programs.dedup_by(|later, earlier| later.1 == earlier.1);
        let mut found = counterexample;
        let mut notes: &[&str] = &[];
        let searched = with_budget(MAX_SEARCH, || {
            // The order itself first: it is cheap to check, and no step is to blame where it is illegal.
            let (mut legal, mut illegal) = (None, programs.len() - 1);
            while legal.map_or(illegal > 0, |legal| legal + 1 < illegal) {
                let middle = legal.map_or(0, |legal: usize| usize::midpoint(legal, illegal));
                match legality::check_program(self.setting.scop, &programs[middle].1) {
                    // What is not in a kernel yet is nothing to judge.
                    Ok(Verdict::Legal) | Err(farkas_deps::Error::Unsupported { .. }) => {
                        legal = Some(middle);
                    }
                    Ok(Verdict::Illegal(earlier)) => (illegal, found) = (middle, earlier),
                    Err(farkas_deps::Error::OutOfBudget) => {
                        notes = &[UNSEARCHED];
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(illegal)
        });
        Ok(match &programs[searched?].0 {
            Some(step) => self.refused_with(step, &found, notes),
            None => {
                Error::Illegal { name: self.setting.scop.name().to_owned(), counterexample: found }
            }
        })
    }

    /// The message on a result in which marks for a GPU stand where they mean nothing.
    pub(crate) fn misplaced(&self, reason: &str) -> Error {
        let message =
            format!("the recipe's result for `{}` cannot be judged", self.setting.scop.name());
        let diagnostic = Diagnostic::new(DiagnosticId::InapplicableStep, message);
        let diagnostic = match self.file.strategy_place() {
            Some(place) => diagnostic.at(self.file.source(), place, ""),
            None => diagnostic,
        };
        Error::Refused(vec![diagnostic.note(reason).note("nothing was written")])
    }

    /// The message on a step after which the program computes something else.
    pub(crate) fn refused(&self, step: &RecipeStep, counterexample: &Counterexample) -> Error {
        self.refused_with(step, counterexample, &[])
    }

    /// [`refused`](Self::refused), with notes.
    fn refused_with(
        &self,
        step: &RecipeStep,
        counterexample: &Counterexample,
        notes: &[&str],
    ) -> Error {
        let (step_name, name) = (step.action.name(), self.setting.scop.name());
        let message = format!("{step_name} changes what `{name}` computes");
        let diagnostic = Diagnostic::new(DiagnosticId::IllegalStep, message)
            .at(self.file.source(), step.place, "illegal from here on")
            .note(counterexample.to_string());
        let diagnostic = notes.iter().fold(diagnostic, |diagnostic, note| diagnostic.note(*note));
        Error::Refused(vec![diagnostic.note("nothing was written")])
    }

    /// The message on a step that takes more work than one may.
    fn too_much(&self, step: &RecipeStep) -> Diagnostic {
        let (step_name, name) = (step.action.name(), self.setting.scop.name());
        let message = format!("{step_name} takes too much work for `{name}`");
        Diagnostic::new(DiagnosticId::TooComplex, message)
            .at(self.file.source(), step.place, "")
            .note("nothing was written")
            .help("tile fewer loops before it, or split the region")
    }

    /// The message on a step that does not apply.
    pub(crate) fn inapplicable(&self, step: &RecipeStep, reason: &NotApplicable) -> Diagnostic {
        let (step_name, name) = (step.action.name(), self.setting.scop.name());
        let message = format!("{step_name} does not apply to `{name}`: {reason}");
        let mut diagnostic = Diagnostic::new(DiagnosticId::InapplicableStep, message).at(
            self.file.source(),
            step.place,
            "",
        );
        if let NotApplicable::Carries(ids) = reason {
            let lines = match &self.options.source {
                Some(source) => {
                    carried_lines(Names::new(source, self.setting.scop), self.setting.deps, ids)
                }
                None => ids.iter().map(|&id| self.setting.deps[id].to_string()).collect(),
            };
            for line in lines {
                diagnostic = diagnostic.note(line);
            }
        }
        diagnostic.note("nothing was written")
    }
}
