//! A region in a new order, with its loops.

use crate::basis::Basis;
use crate::{Error, Options, Session};
use farkas_astgen::{Ast, Cutting, Memory, Span};
use farkas_cost::{expanded_bytes, touched_bytes};
use farkas_interp::Params;
use farkas_schedule::Scheduled;
use farkas_scop::{Region, Scop};
use farkas_transform::Remark;
use farkas_tree::Program;
use std::rc::Rc;

/// A region in a new order.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// What it was made of.
    pub(crate) basis: Rc<Basis>,
    /// What the scheduler returned, where it was asked.
    pub(crate) scheduled: Option<Scheduled>,
    /// The statements in their order.
    pub(crate) program: Program,
    /// What was done and why.
    pub(crate) remarks: Vec<Remark>,
    /// The loops.
    pub(crate) ast: Ast,
}

/// The loops of a program made from a region.
///
/// # Errors
/// When isl refuses or its budget is used up.
pub fn generate(region: &Region, program: &Program, session: &mut Session) -> Result<Ast, Error> {
    generate_again(region, program, &mut Memory::default(), session)
}

/// [`generate`], of whole loops with conditions inside where options ask for these.
pub(crate) fn generate_as_asked(
    region: &Region,
    program: &Program,
    options: &Options,
    session: &mut Session,
) -> Result<Ast, Error> {
    let own = farkas_astgen::Options::default();
    let choice = match options.whole_loops {
        true => farkas_astgen::Options { cuttings: vec![Cutting::Whole], counts: true, ..own },
        false => own,
    };
    generate_by(region, program, (&mut Memory::default(), choice), session)
}

/// [`generate`], where some of the loops were generated for other programs before.
pub(crate) fn generate_again(
    region: &Region,
    program: &Program,
    memory: &mut Memory,
    session: &mut Session,
) -> Result<Ast, Error> {
    generate_by(region, program, (memory, farkas_astgen::Options::default()), session)
}

/// The loops of a program made from a region, by some options.
fn generate_by(
    region: &Region,
    program: &Program,
    (memory, choice): (&mut Memory, farkas_astgen::Options),
    session: &mut Session,
) -> Result<Ast, Error> {
    let reserved = region.host.reserved_names.clone();
    let choice = farkas_astgen::Options { reserved, ..choice };
    let Program { scop, tree, .. } = program;
    let generated = || farkas_astgen::generate_again(scop, tree, &choice, memory);
    let mut ast = session.run("astgen", generated)?;
    ast.is_original = program.keeps_loops_of(&region.scop)?;
    Ok(ast)
}

/// Whether the expanded arrays of a form are within the limit on memory, beside what is touched of the region's `own`; the reason
/// where they are not.
pub(crate) fn within_memory(
    scop: &Scop,
    ast: &Ast,
    own: &[Span],
    options: &Options,
    params: &Params,
) -> Result<(), String> {
    if ast.expanded.is_empty() {
        return Ok(());
    }
    let (expanded, own) = (expanded_bytes(scop, ast, params), touched_bytes(own, params));
    if options.memory.allows(expanded, own) {
        return Ok(());
    }
    let at: Vec<String> = params.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let at = if at.is_empty() { String::new() } else { format!(" at {}", at.join(", ")) };
    Err(format!(
        "their arrays would take {:.1} MB beside {:.1} MB{at}, and {} are allowed",
        expanded / 1e6,
        own / 1e6,
        options.memory
    ))
}
