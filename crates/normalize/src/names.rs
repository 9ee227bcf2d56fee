//! The arrays and parameters that a text names.

use crate::Result;
use crate::affine::value;
use crate::label::{Named, Sort};
use crate::layout::Layouts;
use crate::term::{Marks, NameId, Term};
use farkas_base::IdVec;
use farkas_poly::{Aff, LinearRow, Set, Space};
use farkas_scop::{Array, ArrayId, ElementKind, Scop};
use std::collections::BTreeMap;

/// What has a name in a text.
pub(crate) struct Names<'a> {
    scop: &'a Scop,
    layouts: &'a Layouts,
    /// What each name is for.
    pub(crate) named: IdVec<NameId, Named>,
    arrays: BTreeMap<ArrayId, NameId>,
    params: BTreeMap<String, NameId>,
}

impl<'a> Names<'a> {
    /// No names yet.
    pub(crate) fn new(scop: &'a Scop, layouts: &'a Layouts) -> Self {
        let (arrays, params) = (BTreeMap::new(), BTreeMap::new());
        Self { scop, layouts, named: IdVec::new(), arrays, params }
    }

    /// The name of an array.
    pub(crate) fn array(&mut self, array: ArrayId) -> Term {
        let own = || self.scop.arrays()[array].source_name.clone();
        let new = || Named { sort: Sort::Array, own: own() };
        Term::Name(*self.arrays.entry(array).or_insert_with(|| self.named.push(new())))
    }

    /// The subscripts of an array in the order in which they are named.
    pub(crate) fn in_order(&self, array: ArrayId, subscripts: &[Term]) -> Vec<Term> {
        let dims = self.layouts.dims(array, subscripts.len());
        dims.into_iter().map(|at| subscripts[at].clone()).collect()
    }

    /// The name of a parameter.
    pub(crate) fn param(&mut self, name: &str) -> Term {
        let new = || Named { sort: Sort::Param, own: name.to_owned() };
        let id = self.params.entry(name.to_owned()).or_insert_with(|| self.named.push(new()));
        Term::Name(*id)
    }

    /// What is known of parameters.
    pub(crate) fn context(&self) -> &'a Set {
        self.scop.context()
    }

    /// Whether a row of parameters alone is not negative for all that the scop is for.
    pub(crate) fn is_known(&self, row: &LinearRow, space: &Space) -> Result<bool> {
        let point = Set::unnamed_universe(0)?.align_params(space)?.space()?;
        let sum = Aff::linear(&point, &[], &row.params, row.constant)?.to_pw_aff()?;
        Ok(self.scop.context().from_params()?.is_subset(&sum.nonneg_set()?)?)
    }

    /// What the elements of each array are, and how far rows are apart where anybody else knows of the array.
    pub(crate) fn declarations(&mut self) -> Result<Vec<Term>> {
        let arrays: Vec<(ArrayId, NameId)> = self.arrays.iter().map(|(a, n)| (*a, *n)).collect();
        let mut declarations = Vec::new();
        for (array, name) in arrays {
            let dims = self.layouts.dims(array, self.scop.arrays()[array].rank());
            let array = &self.scop.arrays()[array];
            let mut parts = vec![Term::Name(name), Term::text(": "), Term::text(element(array))];
            let extents = dims.into_iter().map(|at| &array.extents[at]);
            for (at, extent) in extents.enumerate() {
                // The first extent says only where the array ends.
                let extent = match extent {
                    Some(extent) if at > 0 && !array.is_temporary() => value(extent, self)?,
                    _ => Term::text(""),
                };
                parts.push(Term::List(Marks("[", "", "]"), vec![extent]));
            }
            declarations.push(Term::row(parts));
        }
        Ok(declarations)
    }
}

/// The type of an array's elements, whatever it is called.
pub fn element(array: &Array) -> String {
    match array.element.is_truth() {
        true => "bool".to_owned(),
        false => number(array.element.kind).unwrap_or_else(|| array.element.text.clone()),
    }
}

/// A kind of number.
pub(crate) fn number(kind: ElementKind) -> Option<String> {
    Some(match kind {
        ElementKind::Signed(bits) => format!("int{bits}"),
        ElementKind::Unsigned(bits) => format!("uint{bits}"),
        ElementKind::Half => "half".to_owned(),
        ElementKind::Bf16 => "bfloat16".to_owned(),
        ElementKind::Float => "float".to_owned(),
        ElementKind::Double => "double".to_owned(),
        ElementKind::LongDouble => "long double".to_owned(),
        ElementKind::Other => return None,
    })
}
