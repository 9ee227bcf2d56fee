//! Strategy files: PolyTOPS' JSON interface.

mod print;
mod read;
mod resolve;

pub use print::{print_shipped, print_strategy, print_strategy_with};

use crate::RecipeFile;
use crate::constraint::Constraint;
use crate::names::{Name, Names};
use crate::report::Report;
use crate::shape::Shape;
use farkas_base::{Diagnostic, SourceFile, Span};
use farkas_schedule::{Config, Dimension, DirectiveKind};
use farkas_scop::{Scop, Statement};
use std::sync::Arc;

/// A strategy file that was read. What it says of statements waits for a scop.
///
/// **Paper** G. Consolaro et al., *PolyTOPS: Reconfigurable and Flexible Polyhedral Scheduler*, CGO 2024, section III
/// and Listing 1. Ours differs: `ILP_construction` is a list, and there are keys beyond the listing; `strategy_schema`
/// lists and describes all.
///
/// # Example
/// ```
/// use farkas_base::{SourceFile, render};
/// use farkas_config::StrategyFile;
/// use std::sync::Arc;
///
/// let parse = |text: &str| StrategyFile::parse(Arc::new(SourceFile::new("mine.json", text)));
/// let file = parse(r#"{ "scheduling_strategy": { "name": "mine", "wavefront": false } }"#).unwrap();
/// assert_eq!((file.name(), file.shape().wavefront), ("mine", Some(false)));
///
/// let errors = parse(r#"{ "scheduling_strategy": { "wave_front": false } }"#).unwrap_err();
/// assert!(render(&errors[0], false).contains("did you mean `wavefront`?"));
/// ```
#[derive(Clone, Debug)]
pub struct StrategyFile {
    source: Arc<SourceFile>,
    description: Option<String>,
    /// The strategy that it stands for, with the name's place.
    shipped: Option<(String, Span)>,
    /// What needs no scop; without constraints, fusion and directives.
    config: Config,
    constraints: Vec<(Dimension, Constraint)>,
    fusion: Vec<FusionEntry>,
    directives: Vec<DirectiveEntry>,
    shape: Shape,
    recipe: Option<Arc<RecipeFile>>,
}

/// An entry of `fusion`.
#[derive(Clone, Debug)]
struct FusionEntry {
    dimension: Dimension,
    total_distribution: bool,
    groups: Vec<Vec<Name>>,
    place: Span,
}

/// An entry of `directives`.
#[derive(Clone, Debug)]
struct DirectiveEntry {
    kind: DirectiveKind,
    stmts: Vec<Name>,
    iterator: Name,
    place: Span,
}

impl StrategyFile {
    /// Reads a strategy file.
    ///
    /// # Errors
    /// All that is wrong with it whatever the scop, in the order of the file, each with its place.
    pub fn parse(source: Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let root = crate::json::parse(&source).map_err(|diagnostic| vec![*diagnostic])?;
        let mut report = Report::new(&source);
        let file = read::read(&root, &source, &mut report);
        report.finish(file).map(|(file, _)| file)
    }

    /// The strategy for one scop. `lines` gives the source line of a statement, for names like `line:12`.
    ///
    /// # Errors
    /// All names that the scop does not have and all entries that contradict each other there.
    pub fn resolve(
        &self,
        scop: &Scop,
        lines: impl Fn(&Statement) -> Option<u32>,
    ) -> Result<Config, Vec<Diagnostic>> {
        let mut report = Report::new(&self.source);
        let config = resolve::resolve(self, &Names::new(scop, lines), &mut report);
        report.finish(Some(config)).map(|(config, _)| config)
    }

    /// Its name; `custom` where it gives itself none.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// What it says of itself.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The name of the strategy that Farkas ships for which it stands, with its place: then it says nothing else.
    pub fn shipped(&self) -> Option<(&str, Span)> {
        self.shipped.as_ref().map(|(name, place)| (name.as_str(), *place))
    }

    /// Whether it looks at pairs of reads of the same element.
    pub fn needs_input(&self) -> bool {
        self.config.needs_input()
    }

    /// What is done to the schedule.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// What is done to the schedule where the file says it step by step.
    pub fn recipe(&self) -> Option<&Arc<RecipeFile>> {
        self.recipe.as_ref()
    }

    /// The file.
    pub fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }

    /// Whether it decides itself which loops are innermost.
    pub fn orders_loops(&self) -> bool {
        self.config.auto_vectorization || !self.directives.is_empty()
    }

    /// A constraint as its author wrote it and its place, by the `origin` of the constraints that it became.
    pub fn constraint(&self, origin: usize) -> Option<(&str, Span)> {
        self.constraints
            .get(origin)
            .map(|(_, constraint)| (constraint.text.as_str(), constraint.span))
    }

    /// The place of a directive, by the `origin` of the directives that it became.
    pub fn directive(&self, origin: usize) -> Option<Span> {
        self.directives.get(origin).map(|entry| entry.place)
    }

    /// The place of the entry of `fusion` that decides of a dimension.
    pub fn fusion(&self, dimension: usize) -> Option<Span> {
        let entry = |wanted| self.fusion.iter().find(|entry| entry.dimension == wanted);
        let found = entry(Dimension::At(dimension)).or_else(|| entry(Dimension::Default));
        found.map(|entry| entry.place)
    }
}
