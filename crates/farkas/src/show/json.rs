//! The JSON that `farkas show --format json` prints.
//!
//! The types here are the format: versioned by [`SCHEMA`], converted from the intermediate representations explicitly.
//! Sets, relations and functions are texts in isl notation. New fields may come under the same version; a field never
//! changes its meaning or goes away without a new one.

use super::locality::{LocalityDoc, locality_doc};
use super::mapping::MappingDoc;
use super::normal::{self, NormalFormDoc};
use super::reductions::{ReductionDoc, reduction_docs};
use super::{Shown, StageResult};
use crate::Input;
use crate::one_thread::{loop_words, program_words};
use farkas_astgen::{Ast, BlockKind, For, Node as AstNode};
use farkas_base::Span;
use farkas_deps::Dependences;
use farkas_scop::{Access, Array, Assumption, Outcome, Scop, Statement};
use farkas_tree::{Node as TreeNode, Program, ScheduleTree};
use serde::Serialize;

/// Name and version of the format.
pub const SCHEMA: &str = "farkas-show/2";

/// All that was asked for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Document {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The C file as the user named it.
    pub file: String,
    /// The regions, in the order of the file.
    pub regions: Vec<RegionDoc>,
}

/// One region.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RegionDoc {
    /// What `--region` calls it.
    pub name: String,
    /// The function that it lies in.
    pub function: String,
    /// The line of its first byte, from 1.
    pub line: u32,
    /// Fallbacks that were taken.
    pub warnings: Vec<String>,
    /// The result, under the name of its kind.
    #[serde(flatten)]
    pub result: StageDoc,
}

/// The result of a stage; the name of its field tells which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StageDoc {
    /// `--scop`.
    Scop(ScopDoc),
    /// `--deps`.
    Dependences(Vec<DependenceDoc>),
    /// `--reductions`.
    Reductions(Vec<ReductionDoc>),
    /// `--locality`.
    Locality(LocalityDoc),
    /// `--normal-form`.
    NormalForm(NormalFormDoc),
    /// `--schedule` and `--tree`.
    Tree(TreeDoc),
    /// `--ast`.
    Ast(AstDoc),
    /// `--mapping`.
    Mapping(MappingDoc),
}

/// A place in the file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PlaceDoc {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The source text.
    pub text: String,
}

/// A scop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ScopDoc {
    /// The parameters.
    pub parameters: Vec<ParameterDoc>,
    /// What is known of the parameters: a parameter set.
    pub context: String,
    /// What was taken for granted, and how that ended.
    pub assumptions: Vec<AssumptionDoc>,
    /// The arrays and scalars.
    pub arrays: Vec<ArrayDoc>,
    /// The statements in textual order.
    pub statements: Vec<StatementDoc>,
}

/// Something that was taken for granted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AssumptionDoc {
    /// The name of its kind, which `--assume` takes.
    pub kind: &'static str,
    /// What is assumed, in words.
    pub text: String,
    /// Who needs it.
    pub needed_by: &'static str,
    /// The names of the source that it is about.
    pub names: Vec<String>,
    /// `proved`, `tested` or `granted`.
    pub outcome: &'static str,
    /// What proves it.
    pub reason: Option<String>,
    /// Where it matters.
    pub place: Option<PlaceDoc>,
}

/// A parameter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ParameterDoc {
    /// Its name in the source.
    pub name: String,
    /// Its type as the source writes it.
    #[serde(rename = "type")]
    pub ty: String,
}

/// An array, or a scalar.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ArrayDoc {
    /// The tuple name in relations.
    pub name: String,
    /// The name in the source.
    pub source_name: String,
    /// The type of its elements.
    pub element: String,
    /// Number of elements in each dimension, functions of the parameters; null where the source does not say.
    pub extents: Vec<Option<String>>,
    /// Where it lives: `global`, `parameter`, `local` or `region`.
    pub scope: &'static str,
    /// Whether code before the region may have set it.
    pub live_in: bool,
    /// Whether code after the region may read it.
    pub live_out: bool,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct StatementDoc {
    /// The tuple name of its instances.
    pub name: String,
    /// The user's label, if it has one.
    pub label: Option<String>,
    /// Its place.
    pub place: Option<PlaceDoc>,
    /// Its instances: a set.
    pub domain: String,
    /// The surrounding loops, outermost first.
    pub iterators: Vec<IteratorDoc>,
    /// The date of each instance in the original program: a relation.
    pub date: String,
    /// What it touches, in the order of the body.
    pub accesses: Vec<AccessDoc>,
}

/// A loop around a statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct IteratorDoc {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Its value as a function of the instance.
    pub value: String,
}

/// An access.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AccessDoc {
    /// The array's tuple name.
    pub array: String,
    /// `read`, `must-write`, `may-write` or `kill`.
    pub kind: &'static str,
    /// From instances to elements.
    pub relation: String,
    /// Its place.
    pub place: Option<PlaceDoc>,
}

/// A dependence.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DependenceDoc {
    /// `flow`, `anti`, `output` or `input`.
    pub kind: &'static str,
    /// The array's tuple name.
    pub array: String,
    /// The statement whose instance comes first.
    pub source: String,
    /// The position of its access.
    pub source_access: usize,
    /// Where that is written.
    pub source_place: Option<PlaceDoc>,
    /// The statement whose instance comes second.
    pub sink: String,
    /// The position of its access.
    pub sink_access: usize,
    /// Where that is written.
    pub sink_place: Option<PlaceDoc>,
    /// The pairs of instances.
    pub relation: String,
    /// The common loops, from 0, that carry some of the pairs.
    pub carried: Vec<u32>,
    /// Whether some pairs are carried by no loop.
    pub loop_independent: bool,
    /// Sink minus source in each common loop, where every pair has the same.
    pub distance: Option<Vec<i64>>,
}

/// A node of a schedule tree. A field that a kind of node does not have is left out.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct TreeDoc {
    /// isl's name of the kind.
    pub node: &'static str,
    /// The set or relation of a domain, context, filter, guard, extension or expansion node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// The text of a mark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// Whether a band's members may be interchanged and tiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permutable: Option<bool>,
    /// The loops of a band, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberDoc>,
    /// The children, in order; none of a leaf.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<TreeDoc>,
}

/// A loop of a band.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MemberDoc {
    /// The date of each instance: a function.
    pub schedule: String,
    /// Whether the scheduler calls it parallel.
    pub coincident: bool,
    /// Why it stays on one thread, where that was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_thread: Option<String>,
}

/// Loops.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct AstDoc {
    /// Why no loop runs on several threads, where that was decided of all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_threads: Option<String>,
    /// What they take for granted beside what the region's scop does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<AssumptionDoc>,
    /// What runs, one after another.
    pub body: Vec<NodeDoc>,
}

/// One piece of code.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "node")]
pub enum NodeDoc {
    /// A loop.
    For(LoopDoc),
    /// A guard.
    If {
        /// The condition.
        condition: String,
        /// When it holds.
        then: Vec<Self>,
        /// When it does not.
        otherwise: Vec<Self>,
    },
    /// An instance of a statement.
    Statement {
        /// The statement's name.
        name: String,
        /// The values of the domain's dimensions.
        args: Vec<String>,
    },
    /// A launch of a kernel on a GPU.
    Kernel {
        /// The threads of a block along x, y and z.
        threads: [i64; 3],
        /// What runs in it.
        body: Vec<Self>,
    },
    /// What begins when all threads of a block are there.
    Barrier {
        /// What that is.
        body: Vec<Self>,
    },
}

/// A loop.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct LoopDoc {
    /// The iterator.
    pub iterator: String,
    /// The first value.
    pub first: String,
    /// The value not to be reached.
    pub end: String,
    /// What is added after each iteration.
    pub step: i64,
    /// Whether it runs on several threads.
    pub parallel: bool,
    /// Why it stays on one thread, where that was decided of this loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one_thread: Option<String>,
    /// Whether it runs in vector lanes.
    pub vector: bool,
    /// The arrays that each iteration has a copy of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub private: Vec<String>,
    /// The arrays, by name, that each iteration updates a copy of.
    pub reduced: Vec<String>,
    /// Whether it runs over wavefronts of tiles.
    pub wavefront: bool,
    /// The tile size of a tile loop.
    pub tile: Option<i64>,
    /// The path of the band in the schedule tree, and the position of the loop in it.
    pub member: Option<(Vec<usize>, usize)>,
    /// What runs in each iteration.
    pub body: Vec<NodeDoc>,
}

impl Document {
    /// The document of `shown`.
    pub fn new(input: &Input, shown: &[Shown<'_>]) -> Self {
        let regions = shown.iter().map(|part| region(input, part)).collect();
        Self { schema: SCHEMA, file: input.source.name().to_owned(), regions }
    }
}

/// What the user should know.
fn told(shown: &Shown<'_>) -> Vec<String> {
    let messages = shown.session.diagnostics.iter().map(|diagnostic| diagnostic.message.clone());
    shown.session.warnings.iter().cloned().chain(messages).collect()
}

/// One region.
fn region(input: &Input, shown: &Shown<'_>) -> RegionDoc {
    let region = &shown.region;
    let scop = &region.scop;
    RegionDoc {
        name: scop.name().to_owned(),
        function: region.function.clone(),
        line: input.source.line(region.span),
        warnings: told(shown),
        result: match &shown.result {
            StageResult::Scop => StageDoc::Scop(scop_doc(input, scop)),
            StageResult::Deps(deps) => StageDoc::Dependences(dependence_docs(input, scop, deps)),
            StageResult::Reductions(found, selected) => {
                StageDoc::Reductions(reduction_docs(input, scop, (found, selected)))
            }
            StageResult::NormalForm(form) => StageDoc::NormalForm(normal::doc(form)),
            StageResult::Locality(found) => StageDoc::Locality(locality_doc(input, scop, found)),
            StageResult::Tree(tree) => StageDoc::Tree(tree_doc(tree)),
            StageResult::Mapping(doc) => StageDoc::Mapping((**doc).clone()),
            StageResult::Ast(program, ast, more) => {
                StageDoc::Ast(ast_doc(input, (program, ast), more))
            }
        },
    }
}

/// A place in the file.
pub(super) fn place(input: &Input, span: Option<Span>) -> Option<PlaceDoc> {
    let span = span?;
    let at = input.source.line_column(span.start);
    let text = input.source.slice(span).to_owned();
    Some(PlaceDoc { line: at.line, column: at.column, start: span.start, end: span.end, text })
}

/// A scop.
fn scop_doc(input: &Input, scop: &Scop) -> ScopDoc {
    let params = scop.params().iter();
    ScopDoc {
        parameters: params
            .map(|p| ParameterDoc { name: p.name.clone(), ty: p.ty.clone() })
            .collect(),
        context: scop.context().to_string(),
        assumptions: scop.assumptions().iter().map(|a| assumption_doc(input, a)).collect(),
        arrays: scop.arrays().iter().map(array_doc).collect(),
        statements: scop.stmts().iter().map(|s| statement_doc(input, scop, s)).collect(),
    }
}

/// An assumption.
fn assumption_doc(input: &Input, assumption: &Assumption) -> AssumptionDoc {
    let Assumption { kind, text, needed_by, names, span, outcome, .. } = assumption;
    let (outcome, reason) = match outcome {
        Outcome::Proved(reason) => ("proved", Some(reason.clone())),
        Outcome::Tested => ("tested", None),
        Outcome::Granted => ("granted", None),
    };
    AssumptionDoc {
        kind: kind.name(),
        text: text.clone(),
        needed_by,
        names: names.clone(),
        outcome,
        reason,
        place: place(input, *span),
    }
}

/// An array.
fn array_doc(array: &Array) -> ArrayDoc {
    ArrayDoc {
        name: array.name.clone(),
        source_name: array.source_name.clone(),
        element: array.element.text.clone(),
        extents: array.extents.iter().map(|e| e.as_ref().map(ToString::to_string)).collect(),
        scope: array.scope.name(),
        live_in: array.is_live_in,
        live_out: array.is_live_out,
    }
}

/// A statement.
fn statement_doc(input: &Input, scop: &Scop, stmt: &Statement) -> StatementDoc {
    let iterators = stmt.iterators.iter().map(|i| IteratorDoc {
        name: i.name.clone(),
        ty: i.ty.clone(),
        value: i.value.to_string(),
    });
    let access = |a: &Access| AccessDoc {
        array: scop.arrays()[a.array].name.clone(),
        kind: a.kind.name(),
        relation: a.relation.to_string(),
        place: place(input, a.span),
    };
    StatementDoc {
        name: stmt.name.clone(),
        label: stmt.label.clone(),
        place: place(input, stmt.span),
        domain: stmt.domain.to_string(),
        iterators: iterators.collect(),
        date: stmt.date.to_string(),
        accesses: stmt.accesses.iter().map(access).collect(),
    }
}

/// The dependences.
fn dependence_docs(input: &Input, scop: &Scop, deps: &Dependences) -> Vec<DependenceDoc> {
    let doc = |dep: &farkas_deps::Dependence| {
        let (source, sink) = (&scop.stmts()[dep.source], &scop.stmts()[dep.sink]);
        let first = &source.accesses[dep.source_access];
        DependenceDoc {
            kind: dep.kind.name(),
            array: scop.arrays()[first.array].name.clone(),
            source: source.name.clone(),
            source_access: farkas_base::Id::index(dep.source_access),
            source_place: place(input, first.span),
            sink: sink.name.clone(),
            sink_access: farkas_base::Id::index(dep.sink_access),
            sink_place: place(input, sink.accesses[dep.sink_access].span),
            relation: dep.relation.to_string(),
            carried: dep.carried.clone(),
            loop_independent: dep.is_loop_independent,
            distance: dep.distance.clone(),
        }
    };
    deps.deps.iter().map(doc).collect()
}

/// A schedule tree.
fn tree_doc(tree: &ScheduleTree) -> TreeDoc {
    let mut doc = TreeDoc { node: tree.kind(), ..TreeDoc::default() };
    match tree.node() {
        TreeNode::Domain { domain, .. } => doc.set = Some(domain.to_string()),
        TreeNode::Context { context, .. } => doc.set = Some(context.to_string()),
        TreeNode::Filter { filter, .. } => doc.set = Some(filter.to_string()),
        TreeNode::Guard { guard, .. } => doc.set = Some(guard.to_string()),
        TreeNode::Extension { extension, .. } => doc.set = Some(extension.to_string()),
        TreeNode::Expansion { expansion, .. } => doc.set = Some(expansion.to_string()),
        TreeNode::Mark { mark, .. } => doc.mark = Some(mark.to_string()),
        TreeNode::Band { band, .. } => {
            doc.permutable = Some(band.permutable);
            let member = |m: &farkas_tree::Member| MemberDoc {
                schedule: m.schedule.to_string(),
                coincident: m.coincident,
                one_thread: m.one_thread.as_ref().map(loop_words),
            };
            doc.members = band.members.iter().map(member).collect();
        }
        TreeNode::Sequence(_) | TreeNode::Set(_) | TreeNode::Leaf => {}
    }
    doc.children = tree.children().iter().map(tree_doc).collect();
    doc
}

/// Loops.
fn ast_doc(input: &Input, (program, ast): (&Program, &Ast), more: &[Assumption]) -> AstDoc {
    let no_threads = program.no_threads.as_ref().map(program_words);
    let assumptions = more.iter().map(|assumption| assumption_doc(input, assumption)).collect();
    AstDoc { no_threads, assumptions, body: node_docs(program, &ast.body) }
}

/// Why a loop stays on one thread, where that was decided.
fn one_thread(program: &Program, node: &For) -> Option<String> {
    let (cursor, member) = node.info.member.as_ref()?;
    program.tree.member(cursor, *member)?.one_thread.as_ref().map(loop_words)
}

/// Pieces of code.
fn node_docs(program: &Program, nodes: &[AstNode]) -> Vec<NodeDoc> {
    let doc = |node: &AstNode| match node {
        AstNode::For(node) => NodeDoc::For(LoopDoc {
            iterator: node.iterator.clone(),
            first: node.first.to_string(),
            end: node.end.to_string(),
            step: node.step,
            parallel: node.info.kind.is_parallel(),
            one_thread: one_thread(program, node),
            vector: node.info.kind.is_vector(),
            private: node.info.private.clone(),
            reduced: node.info.reduced.clone(),
            wavefront: node.info.wavefront,
            tile: node.info.tile,
            member: node.info.member.as_ref().map(|(c, m)| (c.steps().to_vec(), *m)),
            body: node_docs(program, &node.body),
        }),
        AstNode::If(node) => NodeDoc::If {
            condition: node.condition.to_string(),
            then: node_docs(program, &node.then),
            otherwise: node_docs(program, &node.otherwise),
        },
        AstNode::Block(node) => {
            let body = node_docs(program, &node.body);
            match node.kind {
                BlockKind::Kernel(threads) => NodeDoc::Kernel { threads, body },
                BlockKind::Barrier => NodeDoc::Barrier { body },
            }
        }
        AstNode::User(user) => NodeDoc::Statement {
            name: program.scop.stmts()[user.stmt].name.clone(),
            args: user.args.iter().map(ToString::to_string).collect(),
        },
    };
    nodes.iter().map(doc).collect()
}
