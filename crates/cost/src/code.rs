//! How much machine code loops become.

use crate::sample::MAX_PEELED;
use farkas_analysis::Operations;
use farkas_astgen::{Ast, For, Node};
use farkas_machine::Machine;
use farkas_scop::{AccessKind, Scop, Statement};

/// Bytes of an instruction: with vector registers and a place in memory.
const INSTRUCTION_BYTES: f64 = 9.0;
/// Instructions of a call, with what goes to registers before it and comes from there.
const CALL_INSTRUCTIONS: f64 = 6.0;
/// Bytes of a loop around its body: first value, end, step and jump.
const LOOP_BYTES: f64 = 48.0;
/// Bytes of a condition.
const CONDITION_BYTES: f64 = 24.0;
/// Bytes of the function that threads run, and of its start.
const THREADS_BYTES: f64 = 400.0;
/// Copies of the body of an innermost loop that runs in vector lanes: in vectors, in narrower ones, and one at a time, written out.
const VECTOR_COPIES: f64 = 5.0;

/// Bytes of machine code that `ast`, whose statements are those of `scop`, becomes on `machine`: an estimate.
pub fn code_bytes(scop: &Scop, ast: &Ast, machine: &Machine) -> f64 {
    Size { scop, machine }.nodes(&ast.body)
}

/// What sizes depend on.
struct Size<'a> {
    scop: &'a Scop,
    machine: &'a Machine,
}

impl Size<'_> {
    /// The size of some nodes.
    fn nodes(&self, nodes: &[Node]) -> f64 {
        let of = |node: &Node| match node {
            Node::For(node) => self.of_loop(node),
            Node::If(node) => {
                CONDITION_BYTES + self.nodes(&node.then) + self.nodes(&node.otherwise)
            }
            Node::Block(block) => self.nodes(&block.body),
            Node::User(user) => self.of_stmt(&self.scop.stmts()[user.stmt]),
        };
        nodes.iter().map(of).sum()
    }

    /// The size of a loop. Compilers write out short innermost ones.
    fn of_loop(&self, node: &For) -> f64 {
        let body = self.nodes(&node.body);
        let threads = if node.info.kind.is_parallel() { THREADS_BYTES } else { 0.0 };
        let mut is_innermost = true;
        node.body.iter().for_each(|inner| inner.for_each_loop(&mut |_| is_innermost = false));
        let trips = trips(node);
        let is_vector = node.info.kind.is_vector();
        // Vectors that the iterations of a short loop are, or iterations.
        let steps = trips.map(|n| {
            if is_vector && is_innermost { n as f64 / self.lanes(node) } else { n as f64 }
        });
        let is_short = is_innermost && steps.is_some_and(|n| n <= MAX_PEELED as f64);
        let is_in_lanes = is_innermost && (is_vector || node.info.coincident);
        let copies = match steps {
            Some(n) if is_short || node.n_written_out().is_some() => n.ceil(),
            _ if is_in_lanes => return threads + VECTOR_COPIES * (LOOP_BYTES + body),
            _ => return threads + LOOP_BYTES + body,
        };
        threads + copies * body
    }

    /// Elements that run at once in a loop in vector lanes: as many of the largest that it touches as a register holds.
    fn lanes(&self, node: &For) -> f64 {
        let arrays = self.scop.arrays();
        let stmts = node.info.stmts.iter().map(|stmt| &self.scop.stmts()[*stmt]);
        let accesses = stmts.flat_map(|stmt| &stmt.accesses);
        let bytes = accesses.filter_map(|a| arrays[a.array].element.kind.size_bytes()).max();
        f64::from(self.machine.lanes(bytes.unwrap_or(8)))
    }

    /// The size of an instance of a statement: an instruction for each operation and each element that it loads or stores.
    fn of_stmt(&self, stmt: &Statement) -> f64 {
        let Operations { additions, multiplications, divisions, calls } = Operations::of(stmt);
        let is_memory =
            |array, kind| kind != AccessKind::Kill && self.scop.arrays()[array].rank() > 0;
        let accesses = stmt.accesses.iter().filter(|a| is_memory(a.array, a.kind)).count();
        let calls = CALL_INSTRUCTIONS * calls;
        let operations = additions + multiplications + divisions + calls;
        INSTRUCTION_BYTES * (operations + accesses as f64).max(1.0)
    }
}

/// Iterations of a loop, where they are the same in all its starts.
fn trips(node: &For) -> Option<u64> {
    let distance = node.end.minus(&node.first).as_int()?;
    let distance = u64::try_from(distance * node.step.signum()).ok()?;
    Some(distance.div_ceil(node.step.unsigned_abs()))
}
