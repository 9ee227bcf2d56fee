//! From loop ASTs to readable C99 with OpenMP.
//!
//! [`print_region`] writes what takes the place of a region inside the user's function: guards for folded macros,
//! declarations of the region's own variables, helper macros where they are needed, and the loops with the user's names
//! and bodies. Bodies are printed as the user wrote them, with iterators replaced and subscripts simplified.
//!
//! Decisions:
//!
//! - Bounds use `farkas_min`, `farkas_max` and `farkas_floord`: macros, because functions cannot be defined inside the
//!   user's function, defined at the start of a region that uses them and undefined at its end. Compilers evaluate
//!   invariant bounds once, so they are not hoisted. Divisions are `/` where isl took their numerators to be
//!   not negative and they are so at the place where they stand.
//! - A loop variable is `int` where that holds all its values, the last one after the loop too, and everything that is computed with it,
//!   for all parameters that their types, the context and the original program allow; else, and where it stands for an iterator of
//!   the user's that is wider, `long` (`long long`). Parameters are converted where they are unsigned or where `int` does not hold
//!   what is computed with them alone (`dialect`; `ranges` and `places` say what is known).
//! - `#pragma omp parallel for` stands on the outermost parallel loops, `#pragma omp simd` on other vector loops whose
//!   bodies are plain computations. Where a loop asks for work, there is an `if` clause, computed in `double`s (`threads`). Where
//!   threads take turns, there is a `schedule` clause. For target C there are no pragmas: none is portable. Threads have copies
//!   of what does not change (`firstprivate`): clang keeps what they share in memory throughout the function.
//! - Unrolled loops of known length count from zero (`zero`).
//! - Buffers that would take much of a stack are allocated in front of the loops, beside the conditions under which they run
//!   (`memory`); where that fails, the original runs.
//! - Guards and macros start in column 0, pragmas where their loop starts.
//!
//! This crate decides nothing about loops and touches no file.

mod backward;
mod body;
mod braces;
#[cfg(test)]
mod checks;
mod clauses;
mod comment;
mod device;
mod dialect;
mod guards;
mod limit;
mod memory;
mod options;
mod places;
mod ranges;
mod reduction;
mod region;
mod system;
mod threads;
mod types;
mod zero;

pub use device::{
    Argument, ArgumentValue, Begin, Buffer, Device, DeviceMemory, DeviceRegion, End, Frame, Held,
    HostPlan, HostStep, Kept, Kernel, Language, print_device, print_kernels, print_program,
};
pub use limit::is_limit_known;
pub use options::{Condition, First, MacroGuard, Options, Places, Target};
pub use region::{SizeLimit, largest_sizes, print_region};
