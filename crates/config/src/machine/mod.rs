//! Machine files: what a processor has.

mod print;
mod read;

pub use print::print_machine;

use crate::report::Report;
use farkas_base::{Diagnostic, SourceFile};
use farkas_machine::{KnownCpu, Machine};
use std::sync::Arc;

/// A machine file that was read.
///
/// # Example
/// ```
/// use farkas_base::SourceFile;
/// use farkas_config::{MachineFile, print_machine};
/// use farkas_machine::Machine;
/// use std::sync::Arc;
///
/// let text = print_machine(&Machine::generic());
/// let file = MachineFile::parse(&Arc::new(SourceFile::new("generic.json", text))).unwrap();
/// assert_eq!(file.machine, Machine::generic());
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MachineFile {
    /// The machine.
    pub machine: Machine,
    /// What the file says of itself.
    pub description: Option<String>,
    /// The processors that are such machines.
    pub cpus: Vec<KnownCpu>,
}

impl MachineFile {
    /// Reads a machine file.
    ///
    /// # Errors
    /// All that is wrong with it, in the order of the file, each with its place.
    pub fn parse(source: &Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let root = crate::json::parse(source).map_err(|diagnostic| vec![*diagnostic])?;
        let mut report = Report::new(source);
        let file = read::read(&root, &mut report);
        report.finish(file).map(|(file, _)| file)
    }
}
