//! A region with kernels: the host's code in its place, and the kernels in CUDA C++ or OpenCL C.
//!
//! - [`host`] writes what takes the region's place: memory on the device, copies in and out of what the region touches, loops that stay on
//!   the host, launches; where there is no device, or anything goes wrong before results are copied back, the original runs.
//!   What it does is in [`plan`], too, for other hosts; [`frame`] is what stands around the kernels, which is written anew once it is known what
//!   stays on the device from one region to the next ([`kept`]).
//! - [`kernel`] writes kernels, one printer for both languages; where these differ is in [`language`]. Types that devices need not
//!   have are others there ([`narrow`]); products of numbers of 16 bits may be those of tensor cores ([`tensor`]).
//! - [`program`] puts the kernels of a file into a text, with the functions that start them (`runtime/`). These find the device's library when
//!   the program runs, so that the file compiles anywhere with a C compiler alone.
//!
//! What a device has no words for is refused with the reason ([`places`]).

mod frame;
mod host;
mod kept;
mod kernel;
mod language;
mod narrow;
mod own;
mod places;
mod plan;
mod program;
mod short_floating;
mod tables;
mod tensor;
mod words;

pub use frame::Frame;
pub use kept::{Begin, End, Held, Kept};
pub use plan::{DeviceMemory, HostPlan, HostStep};
pub use program::{print_kernels, print_program};

use crate::dialect::C;
use crate::options::Options;
use crate::ranges::Ranges;
use farkas_astgen::{Ast, Shape};
use farkas_scop::{ArrayId, ArrayScope, Scop};
use host::Host;
use places::Places;
use std::collections::BTreeSet;

/// The language of kernels.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Language {
    /// CUDA C++.
    Cuda,
    /// OpenCL C 1.2.
    OpenCl,
}

/// A region with kernels, in text.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeviceRegion {
    /// What the names of its kernels begin with.
    pub prefix: String,
    /// What takes the region's place, in whole lines.
    pub text: String,
    /// Its kernels, in the order of their numbers.
    pub kernels: Vec<Kernel>,
    /// Definitions of macros, types and functions that the kernels need.
    pub definitions: BTreeSet<String>,
    /// What the text does on the host.
    pub plan: HostPlan,
    /// Its parts.
    pub frame: Frame,
    /// What stays on the device around it.
    pub kept: Kept,
}

/// A kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// Its function.
    pub text: String,
    /// The threads of a block along x, y and z.
    pub threads: [i64; 3],
    /// What it is called with, in order.
    pub arguments: Vec<Argument>,
    /// The arrays that the threads of a block share.
    pub shared: Vec<Buffer>,
    /// The arrays that each thread has to itself.
    pub own: Vec<Buffer>,
    /// The arrays in constant memory.
    pub tables: Vec<ArrayId>,
}

/// An array of a block, or of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// The array.
    pub array: ArrayId,
    /// Its bytes.
    pub bytes: u64,
}

/// An argument of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its declaration in the kernel.
    pub declaration: String,
    /// Its value.
    pub value: ArgumentValue,
    /// Its bytes.
    pub bytes: u32,
}

/// What a kernel is called with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgumentValue {
    /// The beginning of the device's memory of this name.
    Memory(String),
    /// The value of a variable of the host, as this type of C.
    Variable(String, String),
    /// The bytes at an address of the host.
    Bytes(String),
}

impl ArgumentValue {
    /// The address of the value, in the host's code.
    fn address(&self) -> String {
        match self {
            Self::Memory(name) => format!("(void *)&{name}"),
            Self::Variable(name, ty) => format!("&({ty}){{{name}}}"),
            Self::Bytes(address) => format!("(void *){address}"),
        }
    }
}

/// Where kernels are for, and what they are called.
#[derive(Clone, Copy, Debug)]
pub struct Device<'a> {
    /// Their language.
    pub language: Language,
    /// How the arrays lie in memory.
    pub shapes: &'a [Shape],
    /// What the names of the kernels begin with; no other region of the file has it.
    pub prefix: &'a str,
}

/// The greatest absolute value of parameters for which kernels run: twice as much still fits what loops count with, a turn of all blocks beyond
/// the last iteration, say.
const MOST: i64 = 1 << 30;

/// The text of a region with kernels.
///
/// # Errors
/// Why the region cannot run on the device, in a sentence without capital and full stop.
pub fn print_device(
    scop: &Scop,
    ast: &Ast,
    options: &Options,
    device: Device<'_>,
) -> Result<DeviceRegion, String> {
    if ast.body.is_empty() {
        return Err("none of its statements ever runs".to_owned());
    }
    let mut sized = ast.expanded.iter().map(|(array, _)| &scop.arrays()[*array]);
    if let Some(buffer) = sized.find(|array| array.scope == ArrayScope::Buffer) {
        let name = buffer.printed_name();
        return Err(format!("how large the buffer `{name}` is depends on parameters"));
    }
    let places = Places::of(scop, ast, &device, options)?;
    let (ranges, limits) = Ranges::of_small(scop, MOST);
    let mut wide = BTreeSet::new();
    loop {
        let c = C::new(&ranges, &wide).avoiding(&options.reserved);
        let printed = Host::new(scop, &c, options, device, &places).region(ast, &limits)?;
        let misfits = c.misfits();
        let n_wide = wide.len();
        wide.extend(&misfits.narrow);
        if wide.len() == n_wide {
            return Ok(printed);
        }
    }
}
