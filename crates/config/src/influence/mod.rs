//! Influence files: trees of scenarios, and AKG's flat form of one scenario.

mod akg;
mod akg_read;
mod akg_resolve;
mod read;
mod resolve;
mod strips;

use crate::constraint::Constraint;
use crate::names::{Name, Names};
use crate::report::Report;
use akg::SoftConstraint;
use farkas_base::{Diagnostic, SourceFile, Span};
use farkas_schedule::{Fallback, InfluenceTree, UserVariable};
use farkas_scop::{Scop, Statement};
use std::sync::Arc;

/// An influence file that was read. What it says of statements waits for a scop.
///
/// It holds a tree under `influence_tree`, or under `soft constraints` what MindSpore's AKG reads as a flat list.
///
/// **Paper** C. Bastoul et al., *Optimizing GPU Deep Learning Operators with Polyhedral Scheduling Constraint
/// Injection*, CGO 2022, section IV-A.4. The JSON form of the tree is ours.
#[derive(Clone, Debug)]
pub struct InfluenceFile {
    source: Arc<SourceFile>,
    content: Content,
    place: Span,
    warnings: Vec<Diagnostic>,
}

/// What a file has.
#[derive(Clone, Debug)]
enum Content {
    /// A tree.
    Tree { fallbacks: Option<Vec<Fallback>>, children: Vec<Node> },
    /// AKG's flat form.
    Akg(Vec<SoftConstraint>),
}

/// A node of a tree.
#[derive(Clone, Debug)]
struct Node {
    constraints: Vec<Constraint>,
    parallel: bool,
    permutable: bool,
    unfused: Vec<Name>,
    variables: Vec<UserVariable>,
    objectives: Vec<usize>,
    children: Vec<Node>,
}

/// Influence on the schedule of one scop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Influence {
    /// The scenarios.
    pub tree: InfluenceTree,
    /// Tiles that the scenario wants; only AKG's form asks for them.
    pub tiles: Vec<TileRequest>,
}

/// A wish to strip-mine a loop.
///
/// The rows of a schedule are affine, and `floor(phi / 4)` is not. A file that has the rows `phi (/4)` and `phi (%4)`
/// gets the row `phi` and the wish to tile its loop by 4: the tile loop is the first of the two rows, the point loop
/// the second. With `phi (/1024)`, `phi (%1024, /4)`, `phi (%4)` there are two wishes for one dimension, 1024 and 4.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TileRequest {
    /// The depth in the tree of the row to tile; 0 is the outermost.
    pub dimension: usize,
    /// How many iterations of the loop a tile has.
    pub size: i64,
}

impl InfluenceFile {
    /// Reads an influence file.
    ///
    /// # Errors
    /// All that is wrong with it whatever the scop, in the order of the file, each with its place.
    pub fn parse(source: Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let root = crate::json::parse(&source).map_err(|diagnostic| vec![*diagnostic])?;
        let mut report = Report::new(&source);
        let content = read::read(&root, &mut report);
        let place = read::place(&root);
        let (content, warnings) = report.finish(content)?;
        Ok(Self { source, content, place, warnings })
    }

    /// The influence on one scop. `lines` gives the source line of a statement, for names like `line:12`.
    ///
    /// # Errors
    /// All names that the scop does not have, and numbers of iterators that are not those of its statements.
    pub fn resolve(
        &self,
        scop: &Scop,
        lines: impl Fn(&Statement) -> Option<u32>,
    ) -> Result<Influence, Vec<Diagnostic>> {
        let mut report = Report::new(&self.source);
        let names = Names::new(scop, lines);
        let influence = match &self.content {
            Content::Tree { fallbacks, children } => {
                resolve::resolve(fallbacks.as_deref(), children, &names, &mut report)
            }
            Content::Akg(constraints) => akg_resolve::resolve(constraints, &names, &mut report),
        };
        report.finish(Some(influence)).map(|(influence, _)| influence)
    }

    /// The places of rows that ask for a quotient or a remainder of a loop.
    pub fn strips(&self) -> Vec<Span> {
        let Content::Akg(constraints) = &self.content else { return Vec::new() };
        let rows = constraints.iter().flat_map(|constraint| &constraint.rows);
        rows.filter(|row| !row.strips.is_empty()).map(|row| row.span).collect()
    }

    /// The place of the tree, or of the list of rows.
    pub fn place(&self) -> Span {
        self.place
    }

    /// Warnings on what was read: keys of AKG's that have no meaning here.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The file.
    pub fn source(&self) -> &Arc<SourceFile> {
        &self.source
    }
}
