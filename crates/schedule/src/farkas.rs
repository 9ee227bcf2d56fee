//! Farkas' lemma: which affine forms are not negative on a dependence.
//!
//! The forms `c_0 + c_p n + c_x i + c_y j` that are not negative on all (rational) points of a relation are a cone. Its
//! constraints are computed once for each shape, that is for all dependences whose relations have the same constraints,
//! whatever their statements. Both the rows of the ILP and the cheap carried tests come from them.

use crate::Result;
use crate::affine::{PairForm, narrow};
use crate::known_sizes::{KnownSizes, OverSizes};
use crate::rays::{ConeConstraints, Generators, generators};
use farkas_deps::Hull;
use farkas_poly::{BasicMap, Constraints, DimType, LinearRow, Map, Space};
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
    /// The factor of the coefficient of each size that is known and counts as a parameter: no schedule has such a
    /// coefficient, but a bound may.
    pub sizes: Vec<i64>,
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
    /// Whether no piece of the relation has divisions, so that the cone's integer vertices are pairs of the relation where
    /// sizes are what they are known to be.
    pub(crate) is_exact: bool,
    /// What limits parameters in some piece, which the rows do not say.
    limits: Vec<LinearRow>,
    /// The known sizes.
    sizes: Vec<i64>,
}

/// Smaller limits of parameters are kept: loops are known to be short by them.
const LEAST_LIMIT: i64 = 64;

impl Cone {
    /// The constraints of a piece without the limits of parameters, which are noted. Where all `j` are below 2147483647,
    /// `2147483647 i + j` is a legal row of a loop over `i` and one over `j`, and no use.
    fn without_limits(&mut self, piece: &Constraints) -> Constraints {
        let is_limit = |row: &LinearRow| row.is_limit(LEAST_LIMIT);
        let (limits, rest) = piece.inequalities.iter().cloned().partition(is_limit);
        self.limits.extend::<Vec<LinearRow>>(limits);
        Constraints { equalities: piece.equalities.clone(), inequalities: rest }
    }

    /// Whether `form` is not negative on the relation; may be false where numbers are too large to tell.
    pub(crate) fn contains(&self, form: &PairForm) -> bool {
        self.rows.iter().all(|row| match (row.kind, row.value(form)) {
            (_, None) => false,
            (RowKind::Equality, Some(value)) => value == 0,
            (RowKind::Inequality, Some(value)) => value >= 0,
        })
    }

    /// Whether `form` is at least one on the relation.
    pub(crate) fn is_positive(&self, form: &PairForm) -> bool {
        self.contains(&PairForm { constant: form.constant - 1, ..form.clone() })
    }

    /// Whether `form` is zero on the relation.
    pub(crate) fn is_zero(&self, form: &PairForm) -> bool {
        self.contains(form) && self.contains(&form.negated())
    }

    /// The values of `form` at some pairs of the relation, as far as they are known.
    pub(crate) fn values_at_pairs(&self, form: &PairForm) -> impl Iterator<Item = i128> {
        // A vertex is a ray whose factor of the constant is not zero; with factor one its other entries are the pair.
        let is_pair = |row: &&ConeRow| {
            row.kind == RowKind::Inequality && row.constant == 1 && row.sizes == self.sizes
        };
        let is_within = |row: &&ConeRow| self.limits.iter().all(|limit| row.is_within(limit));
        let rows = self.rows.iter().filter(|_| self.is_exact);
        let vertices = rows.filter(is_pair).filter(is_within);
        vertices.filter_map(|row| row.value(form))
    }
}

impl ConeRow {
    /// The value of the row for the coefficients of `form`; `None` on overflow.
    fn value(&self, form: &PairForm) -> Option<i128> {
        let factors = self.params.iter().chain(&self.source).chain(&self.sink);
        let entries = form.params.iter().chain(&form.source).chain(&form.sink);
        let mut all = factors.zip(entries).chain([(&self.constant, &form.constant)]);
        all.try_fold(0_i128, |sum, (&a, &b)| sum.checked_add(i128::from(a).checked_mul(b)?))
    }

    /// Whether the parameters of a pair keep within a limit.
    fn is_within(&self, limit: &LinearRow) -> bool {
        let mut terms = self.params.iter().zip(&limit.params);
        let sum = terms.try_fold(i128::from(limit.constant), |sum, (&a, &b)| {
            sum.checked_add(i128::from(a) * i128::from(b))
        });
        sum.is_some_and(|sum| sum >= 0)
    }
}

/// What a cone depends on.
#[derive(PartialEq, Eq, Hash, Debug)]
struct Shape {
    /// The number of iterators of the source.
    depth: usize,
    /// Whether the pieces hold no other pairs than the relation.
    is_exact: bool,
    /// The constraints of each piece, without divisions.
    pieces: Vec<Constraints>,
}

impl Shape {
    /// The shape of `relation`, or of a superset where it has divisions.
    fn of(relation: &Map) -> Result<Self> {
        let is_exact = !relation.wrap()?.involves_locals()?;
        let pieces =
            if is_exact { relation.basic_maps()? } else { relation.remove_divs()?.basic_maps()? };
        let pieces = pieces.iter().map(BasicMap::constraints);
        Ok(Self {
            depth: relation.dim(DimType::In)? as usize,
            is_exact,
            pieces: pieces.collect::<farkas_poly::Result<_>>()?,
        })
    }
}

/// The cones computed so far, by shape.
#[derive(Default, Debug)]
pub(crate) struct ConeCache {
    /// The sizes that count as parameters.
    sizes: KnownSizes,
    cones: HashMap<Shape, Rc<Cone>>,
    /// By the address of a relation, which is kept.
    of_relations: HashMap<usize, (Map, Rc<Cone>)>,
}

impl ConeCache {
    /// No cones yet, of relations where these sizes count as parameters.
    pub(crate) fn new(sizes: KnownSizes) -> Self {
        Self { sizes, ..Self::default() }
    }

    /// The sizes that count as parameters.
    pub(crate) fn sizes(&self) -> &[i64] {
        self.sizes.values()
    }

    /// The cone of `relation`, whose parameters are those of the scop.
    ///
    /// Divisions are removed first: the cone is then that of a superset, which is safe.
    pub(crate) fn cone(&mut self, relation: &Map) -> Result<Rc<Cone>> {
        self.cone_within(relation, None)
    }

    /// The same, where a hull of the relation may be known: the cone is then that of the hull.
    pub(crate) fn cone_within(&mut self, relation: &Map, hull: Option<&Hull>) -> Result<Rc<Cone>> {
        if let Some((_, cone)) = self.of_relations.get(&relation.address()) {
            return Ok(Rc::clone(cone));
        }
        let shape = match hull {
            Some(hull) => Shape {
                depth: relation.dim(DimType::In)? as usize,
                is_exact: hull.is_exact,
                pieces: hull.pieces.clone(),
            },
            None => Shape::of(relation)?,
        };
        let cone = self.by_shape(shape, relation)?;
        self.of_relations.insert(relation.address(), (relation.clone(), Rc::clone(&cone)));
        Ok(cone)
    }

    /// The cone of this shape, which is that of `relation`.
    fn by_shape(&mut self, shape: Shape, relation: &Map) -> Result<Rc<Cone>> {
        if let Some(cone) = self.cones.get(&shape) {
            return Ok(Rc::clone(cone));
        }
        let n_dims = shape.depth + relation.dim(DimType::Out)? as usize;
        let n_params = relation.dim(DimType::Param)? as usize;
        let sizes = self.sizes.values().to_vec();
        let (rows, limits) = (Vec::new(), Vec::new());
        let mut cone = Cone { rows, is_exact: shape.is_exact, limits, sizes };
        for constraints in &shape.pieces {
            let space = relation.space()?;
            let constraints = &cone.without_limits(constraints);
            let piece = Piece { space, constraints, n_params, n_dims };
            add_rows(&mut cone, &piece, &self.sizes, shape.depth)?;
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
///
/// **Formulation** By Farkas' lemma the forms that are not negative on `{ z : a_k.z + b_k >= 0, e_k.z + f_k = 0 }` are
/// those that are not negative on the cone `{ (t, z) : t >= 0, a_k.z + b_k t >= 0, e_k.z + f_k t = 0 }`, hence on its
/// generators: each line gives an equality on the coefficients, each ray an inequality.
fn add_rows(cone: &mut Cone, piece: &Piece<'_>, sizes: &KnownSizes, depth: usize) -> Result<()> {
    let (generators, in_use) = match piece.over_sizes(sizes) {
        Some(found) => found,
        None => (by_isl(&BasicMap::of_constraints(&piece.space, piece.constraints)?)?, Vec::new()),
    };
    let entries = generators.lines.iter().chain(&generators.rays).flatten();
    if entries.into_iter().any(|&entry| entry == i64::MIN) {
        return Err(farkas_poly::Error::Overflow { value: i64::MIN.to_string() }.into());
    }
    let shape =
        VectorShape { n_params: piece.n_params, sizes: sizes.values(), in_use: &in_use, depth };
    let kinds = [(RowKind::Equality, generators.lines), (RowKind::Inequality, generators.rays)];
    for (kind, vectors) in kinds {
        for vector in vectors {
            let row = shape.cone_row(kind, &vector)?;
            if !cone.rows.contains(&row) {
                cone.rows.push(row);
            }
        }
    }
    Ok(())
}

/// One convex piece of a relation without divisions.
struct Piece<'a> {
    space: Space,
    constraints: &'a Constraints,
    n_params: usize,
    n_dims: usize,
}

impl Piece<'_> {
    /// The generators of the piece with variables in the place of sizes, which are at least as large as these are known to
    /// be, and the positions of the sizes that it has. `None` where numbers are too large.
    fn over_sizes(&self, sizes: &KnownSizes) -> Option<(Generators, Vec<usize>)> {
        let rows = self.constraints.equalities.iter().chain(&self.constraints.inequalities);
        let split: Vec<OverSizes> = rows.map(|row| sizes.over_sizes(row.constant)).collect();
        let is_used = |&at: &usize| split.iter().any(|constant| constant.factors[at] != 0);
        let in_use: Vec<usize> = (0..sizes.values().len()).filter(is_used).collect();
        let form = |(row, constant): (&LinearRow, &OverSizes)| {
            let entries = [constant.rest].into_iter().chain(row.params.iter().copied());
            let of_sizes = in_use.iter().map(|&at| constant.factors[at]);
            entries.chain(of_sizes).chain(row.dims.iter().copied()).collect::<Vec<i64>>()
        };
        let (equal, unequal) = split.split_at(self.constraints.equalities.len());
        let n_outer = 1 + self.n_params;
        let n_dims = n_outer + in_use.len() + self.n_dims;
        let mut at_infinity = vec![0; n_dims];
        at_infinity[0] = 1;
        let least = in_use.iter().enumerate().map(|(column, &at)| {
            let mut form = vec![0; n_dims];
            form[0] = -sizes.values()[at];
            form[n_outer + column] = 1;
            form
        });
        let constraints = ConeConstraints {
            equalities: self.constraints.equalities.iter().zip(equal).map(form).collect(),
            inequalities: std::iter::once(at_infinity)
                .chain(self.constraints.inequalities.iter().zip(unequal).map(form))
                .chain(least)
                .collect(),
        };
        Some((generators(n_dims, &constraints)?, in_use))
    }
}

/// The generators in arbitrary precision.
fn by_isl(piece: &BasicMap) -> Result<Generators> {
    let coefficients = piece.wrap()?.coefficients()?.constraints()?;
    let vectors = |rows: &[LinearRow]| rows.iter().map(|row| row.dims.clone()).collect();
    Ok(Generators {
        lines: vectors(&coefficients.equalities),
        rays: vectors(&coefficients.inequalities),
    })
}

/// What the entries of a generator are: the constant, the parameters, the sizes in use, the dimensions of source and sink.
struct VectorShape<'a> {
    n_params: usize,
    /// The known sizes.
    sizes: &'a [i64],
    /// The positions of those that the generator has; the others are what they are known to be.
    in_use: &'a [usize],
    /// The number of iterators of the source.
    depth: usize,
}

impl VectorShape<'_> {
    /// A generator as a constraint.
    fn cone_row(&self, kind: RowKind, vector: &[i64]) -> Result<ConeRow> {
        let constant = vector[0];
        let (params, rest) = vector[1..].split_at(self.n_params);
        let (of_sizes, dims) = rest.split_at(self.in_use.len());
        let (source, sink) = dims.split_at(self.depth);
        let known = |&size: &i64| narrow(i128::from(size) * i128::from(constant));
        let mut sizes = self.sizes.iter().map(known).collect::<farkas_poly::Result<Vec<i64>>>()?;
        self.in_use.iter().zip(of_sizes).for_each(|(&at, &entry)| sizes[at] = entry);
        let [params, source, sink] = [params, source, sink].map(<[i64]>::to_vec);
        Ok(ConeRow { kind, constant, params, sizes, source, sink })
    }
}

#[cfg(test)]
mod tests {
    use super::{ConeCache, by_isl};
    use crate::affine::PairForm;
    use crate::farkas::{Cone, VectorShape};
    use farkas_poly::Map;
    use farkas_solve::RowKind;

    /// A small deterministic generator.
    struct Numbers(u64);

    impl Numbers {
        fn next(&mut self, low: i64, high: i64) -> i64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let span = u64::try_from(high - low + 1).unwrap();
            low + i64::try_from((self.0 >> 33) % span).unwrap()
        }
    }

    #[test]
    fn same_cones_as_isl() {
        let mut numbers = Numbers(7);
        let texts = [
            "[n] -> { S[i, j] -> T[i, k] : 0 <= i < n and 0 <= j <= i and j < k < n }",
            "[n] -> { S[i] -> T[i + 1] : 0 <= i < n - 1 and n >= 2 }",
            "[n] -> { S[i, j] -> T[k, l] : 0 <= i, j, k, l < 10 and n >= 1 }",
            "[n] -> { S[i] -> T[k] : 2 i + 3 k <= n and i >= k }",
            "[n] -> { S[i, j] -> T[] : i + j = n }",
            "[n] -> { S[] -> T[i] : 0 <= i <= n }",
            "[n] -> { S[i] -> T[i] }",
        ];
        for text in texts {
            let relation: Map = text.parse().unwrap();
            let ours = ConeCache::default().cone(&relation).unwrap();
            let depth = ours.rows[0].source.len();
            let mut isl = Cone::default();
            for piece in relation.basic_maps().unwrap() {
                let generators = by_isl(&piece).unwrap();
                let shape = VectorShape { n_params: 1, sizes: &[], in_use: &[], depth };
                let row = |kind, vector: &Vec<i64>| shape.cone_row(kind, vector).unwrap();
                let lines = generators.lines.iter().map(|v| row(RowKind::Equality, v));
                let rays = generators.rays.iter().map(|v| row(RowKind::Inequality, v));
                isl.rows.extend(lines.chain(rays));
            }
            for _ in 0..2000 {
                let mut vector =
                    |n: usize| (0..n).map(|_| numbers.next(-2, 2).into()).collect::<Vec<i128>>();
                let form = PairForm {
                    source: vector(depth),
                    sink: vector(ours.rows[0].sink.len()),
                    params: vector(1),
                    constant: vector(1)[0] * 5,
                };
                assert_eq!(ours.contains(&form), isl.contains(&form), "{text}: {form:?}");
            }
        }
    }
}
