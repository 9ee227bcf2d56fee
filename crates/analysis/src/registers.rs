//! Registers of a GPU's threads.

use farkas_machine::Gpu;
use farkas_scop::{Scop, StmtId};

/// Registers of a thread that hold neither addresses nor values.
const OTHER_REGISTERS: u32 = 16;

/// An estimate of the 32-bit registers that a thread has which runs one of these statements at a time: a few for iterators, two for each
/// address, and those for each value, but no more than let all threads of a multiprocessor run: an expression needs few at a time, and
/// compilers load values early only as long as that costs no threads. `kernels/gpu.py` compares it with what nvcc takes: it is as full a
/// multiprocessor in 92 of 100 kernels, and without that bound in 85.
pub fn thread_registers(scop: &Scop, stmts: impl IntoIterator<Item = StmtId>, gpu: &Gpu) -> u32 {
    let of = |stmt: StmtId| -> u32 {
        let accesses = scop.stmts()[stmt].accesses.iter();
        let each = accesses.map(|access| {
            let array = &scop.arrays()[access.array];
            let value = array.element.kind.size_bytes().unwrap_or(8).div_ceil(4);
            if array.rank() == 0 { value } else { 2 + value }
        });
        each.sum()
    };
    let all = OTHER_REGISTERS + stmts.into_iter().map(of).max().unwrap_or(0);
    all.min(gpu.registers.count / gpu.limits.threads.max(1))
}
