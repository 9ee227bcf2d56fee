//! Elements in variables.

use crate::body::{BodyPrinter, Kept, bare};
use farkas_astgen::Register;

impl Kept {
    /// The variable of a register, the one at a position, in whose place statements among those of `printers` have an element; `None`
    /// where none of them uses it.
    pub(crate) fn of(
        register: &Register,
        position: usize,
        printers: &[BodyPrinter<'_>],
    ) -> Option<Self> {
        let of = |printer: &BodyPrinter<'_>| {
            let mut ids = printer.stmt.accesses.ids();
            Some(printer.element(ids.find(|id| printer.is_of(register, *id))?))
        };
        let element = printers.iter().find_map(of)?;
        let printer = printers.first()?;
        let array = &printer.scop.arrays()[register.array];
        let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = array.printed_name().chars().map(letter).collect();
        let variable = format!("{}_{position}", printer.c.name(&format!("farkas_{name}")));
        Some(Self { register: register.clone(), element, variable, ty: bare(&array.element.text) })
    }
}
