//! What a call reads, writes and adds up.

use super::form::{Entry, Product};
use super::{Affine, Call, Operand};
use crate::Scop;
use farkas_poly::{Map, Result};

/// When a call that updates an operand in place uses its entries as factors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InPlace {
    /// Before they are updated.
    Old,
    /// Afterwards.
    New,
}

/// What a routine's definition says of a call, as relations from the call's instances.
#[derive(Clone, Debug)]
pub struct Contract {
    /// To the elements that are updated.
    pub updated: Map,
    /// To what is updated, with both factors of products that are added to it: `{ S[] -> [C[] -> [A[] -> B[]]] }`. Where a pair is in
    /// several of the relations, it is added as many times.
    pub products: Vec<Map>,
    /// To what is updated, with the entry of the diagonal that it is multiplied with, or divided by.
    pub diagonal: Option<Map>,
    /// Whether what is updated is an operand, too, and when.
    pub in_place: Option<InPlace>,
}

/// The variables of the definitions.
const VARIABLES: [char; 3] = ['i', 'j', 'k'];

/// The name of a variable in isl's text.
fn variable(name: char) -> String {
    format!("farkas_{name}")
}

impl Call {
    /// What the call does, by the definition of its routine.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn contract(&self, scop: &Scop) -> Result<Contract> {
        let text = ContractText { scop, call: self };
        let form = &self.form;
        let is_triangular = form.routine.multiplies() || form.routine.solves();
        let updated = text.relation(&[form.target()], &form.updated())?;
        let product = |product: &Product| {
            let [first, second] = product.factors;
            text.relation(&[product.target, first, second], &product.condition)
        };
        let products = form.products().iter().map(product).collect::<Result<_>>()?;
        let diagonal = (is_triangular && !form.unit)
            .then(|| text.relation(&[form.target(), form.diagonal()], ""))
            .transpose()?;
        let in_place = match form.routine {
            routine if routine.multiplies() => Some(InPlace::Old),
            routine if routine.solves() => Some(InPlace::New),
            _ => None,
        };
        Ok(Contract { updated, products, diagonal, in_place })
    }
}

/// Makes isl's text of definitions.
struct ContractText<'a> {
    scop: &'a Scop,
    call: &'a Call,
}

impl ContractText<'_> {
    /// From the call's instances to entries, nested to the right, for all variables under a condition.
    fn relation(&self, entries: &[Entry], condition: &str) -> Result<Map> {
        let params: Vec<&str> = self.scop.params().iter().map(|p| p.name.as_str()).collect();
        let around: Vec<String> = (0..self.call.n_around()?).map(Affine::around_name).collect();
        let (mut tuples, mut conditions) = (Vec::new(), Vec::new());
        for (position, entry) in entries.iter().enumerate() {
            let operand = &self.call.operands[entry.operand];
            let names: Vec<String> =
                (0..operand.corner.len()).map(|dim| format!("farkas_{position}_{dim}")).collect();
            for (dim, name) in names.iter().enumerate() {
                conditions.push(format!("{name} = {}", subscript(operand, *entry, dim)));
            }
            let array = &self.scop.arrays()[operand.array].name;
            tuples.push(format!("{array}[{}]", names.join(", ")));
        }
        let is_used = |name: char| entries.iter().any(|e| e.row == name || e.col == Some(name));
        let ranges = VARIABLES.into_iter().zip(self.call.form.ranges());
        for (name, size) in ranges.filter(|(name, _)| is_used(*name)) {
            if let Some(size) = size.and_then(|size| self.call.sizes.get(size)) {
                let (name, size) = (variable(name), size.text(&Affine::around_name));
                conditions.push(format!("0 <= {name} < {size}"));
            }
        }
        if !condition.is_empty() {
            let replaced: Vec<String> = condition.split(' ').map(word).collect();
            conditions.push(replaced.join(" "));
        }
        let nested = tuples
            .into_iter()
            .rev()
            .reduce(|inner, tuple| format!("[{tuple} -> {inner}]"))
            .unwrap_or_default();
        let text = format!(
            "[{}] -> {{ {}[{}] -> {nested} : exists ({} : {}) }}",
            params.join(", "),
            self.call.stmt,
            around.join(", "),
            VARIABLES.map(variable).join(", "),
            conditions.join(" and ")
        );
        text.parse::<Map>()?.intersect_domain(&self.call.instances)
    }
}

/// A word of a condition, where variables have their names in isl's text.
fn word(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(name), None) if VARIABLES.contains(&name) => variable(name),
        _ => text.to_owned(),
    }
}

/// A subscript of an entry of an operand.
fn subscript(operand: &Operand, entry: Entry, dim: usize) -> String {
    let mut text = operand.corner[dim].text(&Affine::around_name);
    let mut add = |name: char| text.push_str(&format!(" + {}", variable(name)));
    if dim == operand.row {
        add(entry.row);
    }
    if let (true, Some(col)) = (operand.col == Some(dim), entry.col) {
        add(col);
    }
    text
}
