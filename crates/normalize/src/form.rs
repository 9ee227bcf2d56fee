//! The texts of a program and of its nests.

use crate::Result;
use crate::label::Labelled;
use crate::lift::Lift;
use farkas_deps::Dependences;
use farkas_scop::StmtId;
use farkas_tree::{Cursor, Node, Program, ScheduleTree};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A program as a text that does not depend on how it is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NormalForm {
    /// Its outermost parts, in the order in which they run.
    pub nests: Vec<Nest>,
    /// All of it.
    pub whole: Nest,
}

/// A loop nest as such a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nest {
    /// The text, in lines.
    pub text: String,
    /// A number of the text in hexadecimal digits: the first half of its SHA-256.
    pub hash: String,
    /// The statements in it, by name.
    pub stmts: Vec<String>,
    /// What the program calls the arrays and parameters of the text, by the names that they have there. Programs of one text compute the same when
    /// what has one name there is the same.
    pub own_names: BTreeMap<String, String>,
}

impl Nest {
    /// The nest of a text.
    fn new(Labelled { text, own_names }: Labelled, stmts: Vec<String>) -> Self {
        let digest = Sha256::digest(&text);
        let hash = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Self { text, hash, stmts, own_names }
    }
}

/// The normal form of a program, by the dependences of its statements. That its tree is in normal form is taken for granted.
///
/// # Errors
/// When isl refuses.
pub fn normal_form(program: &Program, deps: &Dependences) -> Result<NormalForm> {
    let top = top(program)?;
    let mut parts = Vec::new();
    in_sequence(&program.tree, &top, &mut parts)?;
    let lift = Lift::new(program, deps)?;
    let nests: Result<Vec<Nest>> = parts.iter().map(|at| nest(program, &lift, at)).collect();
    let nests = nests?.into_iter().filter(|nest| !nest.stmts.is_empty()).collect();
    Ok(NormalForm { nests, whole: nest(program, &lift, &top)? })
}

/// [`NormalForm::whole`] alone.
///
/// # Errors
/// When isl refuses.
pub fn whole_form(program: &Program, deps: &Dependences) -> Result<Nest> {
    nest(program, &Lift::new(program, deps)?, &top(program)?)
}

/// The place of all that a program does.
fn top(program: &Program) -> Result<Cursor> {
    let mut top = Cursor::root();
    while let Node::Domain { .. } | Node::Context { .. } = program.tree.at(&top)?.node() {
        top = top.child(0);
    }
    Ok(top)
}

/// The text of what stands at a place of a program's tree, as [`normal_form`] has it of nests, in loops that are named by their depth.
///
/// # Errors
/// When there is no such place, or isl refuses.
pub fn text_at(program: &Program, deps: &Dependences, at: &Cursor) -> Result<String> {
    Ok(Lift::new(program, deps)?.sheet(at)?.labelled().text)
}

/// The places of the parts of a sequence, those of sequences in it one by one.
fn in_sequence(tree: &ScheduleTree, at: &Cursor, parts: &mut Vec<Cursor>) -> Result<()> {
    let node = tree.at(at)?;
    match node.node() {
        Node::Sequence(_) | Node::Set(_) | Node::Filter { .. } => {
            let mut children = (0..node.children().len()).map(|child| at.child(child));
            children.try_for_each(|child| in_sequence(tree, &child, parts))
        }
        _ => {
            parts.push(at.clone());
            Ok(())
        }
    }
}

/// The nest at a place.
fn nest(program: &Program, lift: &Lift<'_>, at: &Cursor) -> Result<Nest> {
    let name = |stmt: StmtId| program.scop.stmts()[stmt].name.clone();
    let stmts = lift.stmts(at)?.into_iter().map(name).collect();
    Ok(Nest::new(lift.sheet(at)?.labelled(), stmts))
}
