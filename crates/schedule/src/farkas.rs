//! Farkas' lemma: which affine forms are not negative on a dependence.
//!
//! The forms `c_0 + c_p n + c_x i + c_y j` that are not negative on all (rational) points of a relation are a cone. Its
//! constraints are computed once for each shape, that is for all dependences whose relations have the same constraints,
//! whatever their statements. Both the rows of the ILP and the cheap carried tests come from them.

use crate::Result;
use crate::affine::PairForm;
use farkas_poly::{BasicMap, Constraints, LinearRow, Map};
use farkas_solve::RowKind;
use std::collections::HashMap;
use std::rc::Rc;

/// One constraint on the coefficients of a form: this form in them is zero, or not negative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConeRow {
    /// Zero, or not negative.
    pub kind: RowKind,
    /// The factor of the form's constant.
    pub constant: i64,
    /// The factor of each parameter's coefficient.
    pub params: Vec<i64>,
    /// The factor of the coefficient of each iterator of the source.
    pub source: Vec<i64>,
    /// The factor of the coefficient of each iterator of the sink.
    pub sink: Vec<i64>,
}

/// The affine forms that are not negative on a relation.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Cone {
    /// The constraints on their coefficients.
    pub rows: Vec<ConeRow>,
}

impl Cone {
    /// Whether `form` is not negative on the relation.
    pub(crate) fn contains(&self, form: &PairForm) -> bool {
        self.rows.iter().all(|row| match (row.kind, row.value(form)) {
            (RowKind::Equality, value) => value == 0,
            (RowKind::Inequality, value) => value >= 0,
        })
    }

    /// Whether `form` is at least one on the relation.
    pub(crate) fn is_positive(&self, form: &PairForm) -> bool {
        self.contains(&PairForm { constant: form.constant.saturating_sub(1), ..form.clone() })
    }

    /// Whether `form` is zero on the relation.
    pub(crate) fn is_zero(&self, form: &PairForm) -> bool {
        self.contains(form) && self.contains(&form.negated())
    }
}

impl ConeRow {
    /// The value of the row for the coefficients of `form`.
    fn value(&self, form: &PairForm) -> i128 {
        let dot = |a: &[i64], b: &[i64]| -> i128 {
            a.iter().zip(b).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum()
        };
        i128::from(self.constant) * i128::from(form.constant)
            + dot(&self.params, &form.params)
            + dot(&self.source, &form.source)
            + dot(&self.sink, &form.sink)
    }
}

/// The cones computed so far, by shape.
#[derive(Default, Debug)]
pub(crate) struct ConeCache {
    /// By the number of iterators of the source and the constraints of each piece.
    cones: HashMap<(usize, Vec<Constraints>), Rc<Cone>>,
}

impl ConeCache {
    /// The cone of `relation`, whose parameters are those of the scop.
    ///
    /// Divisions are removed first: the cone is then that of a superset, which is safe.
    pub(crate) fn cone(&mut self, relation: &Map) -> Result<Rc<Cone>> {
        let pieces = relation.remove_divs()?.basic_maps()?;
        let depth = relation.dim(farkas_poly::DimType::In)? as usize;
        let constraints =
            pieces.iter().map(BasicMap::constraints).collect::<farkas_poly::Result<_>>()?;
        let shape = (depth, constraints);
        if let Some(cone) = self.cones.get(&shape) {
            return Ok(Rc::clone(cone));
        }
        let mut cone = Cone::default();
        for piece in &pieces {
            add_rows(&mut cone, piece, depth)?;
        }
        let cone = Rc::new(cone);
        self.cones.insert(shape, Rc::clone(&cone));
        Ok(cone)
    }

    /// How many shapes there are.
    pub(crate) fn len(&self) -> usize {
        self.cones.len()
    }
}

/// Adds the constraints of one convex piece.
fn add_rows(cone: &mut Cone, piece: &BasicMap, depth: usize) -> Result<()> {
    let coefficients = piece.wrap()?.coefficients()?.constraints()?;
    let n_params = piece.space()?.dim(farkas_poly::DimType::Param)? as usize;
    let kinds = [
        (RowKind::Equality, &coefficients.equalities),
        (RowKind::Inequality, &coefficients.inequalities),
    ];
    for (kind, rows) in kinds {
        for row in rows {
            let row = cone_row(kind, row, n_params, depth);
            if !cone.rows.contains(&row) {
                cone.rows.push(row);
            }
        }
    }
    Ok(())
}

/// isl's row, whose dimensions are the constant, the parameters, and the dimensions of source and sink.
fn cone_row(kind: RowKind, row: &LinearRow, n_params: usize, depth: usize) -> ConeRow {
    let (params, dims) = row.dims[1..].split_at(n_params);
    let (source, sink) = dims.split_at(depth);
    ConeRow {
        kind,
        constant: row.dims[0],
        params: params.to_vec(),
        source: source.to_vec(),
        sink: sink.to_vec(),
    }
}
