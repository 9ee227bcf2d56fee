//! The generators of a polyhedral cone, by double description.

/// Linear forms with integer coefficients that are zero, or not negative, on a cone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ConeConstraints {
    /// Forms that are zero.
    pub(crate) equalities: Vec<Vec<i64>>,
    /// Forms that are not negative.
    pub(crate) inequalities: Vec<Vec<i64>>,
}

/// A cone by what generates it: sums of any multiples of lines and non-negative multiples of rays.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Generators {
    /// Primitive vectors.
    pub(crate) lines: Vec<Vec<i64>>,
    /// Primitive vectors, none of them a sum of others and lines.
    pub(crate) rays: Vec<Vec<i64>>,
}

/// More rays than this and constraints are left out.
const MAX_RAYS: usize = 512;
/// Constraints beyond this number are left out: as many as there are bits in a mask.
const MAX_CONSTRAINTS: usize = 128;

/// A generator with the constraints, as bits in order of processing, that are zero on it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Ray {
    vector: Vec<i128>,
    zeros: u128,
}

/// The generators of the cone that `constraints` describe in `n_dims` dimensions, or of a cone around it where there
/// would be too many. `None` on overflow.
///
/// **Paper** T. S. Motzkin et al., *The double description method*, 1953; K. Fukuda, A. Prodon, *Double description
/// method revisited*, 1996, for the test of adjacency.
pub(crate) fn generators(n_dims: usize, constraints: &ConeConstraints) -> Option<Generators> {
    let unit = |i: usize| (0..n_dims).map(|j| i128::from(i == j)).collect::<Vec<i128>>();
    let mut cone = DoubleDescription {
        lines: (0..n_dims).map(unit).collect(),
        rays: Vec::new(),
        n_processed: 0,
    };
    for form in &constraints.equalities {
        cone.restrict(form, true)?;
    }
    for form in &constraints.inequalities {
        cone.restrict(form, false)?;
    }
    let narrow = |vector: Vec<i128>| -> Option<Vec<i64>> {
        vector.into_iter().map(|entry| i64::try_from(entry).ok()).collect()
    };
    Some(Generators {
        lines: cone.lines.into_iter().map(narrow).collect::<Option<_>>()?,
        rays: cone.rays.into_iter().map(|ray| narrow(ray.vector)).collect::<Option<_>>()?,
    })
}

/// Generators of the cone of the constraints processed so far.
struct DoubleDescription {
    lines: Vec<Vec<i128>>,
    rays: Vec<Ray>,
    n_processed: usize,
}

impl DoubleDescription {
    /// Intersects the cone with `form = 0` or `form >= 0`. Leaves an inequality out when there would be too many rays.
    fn restrict(&mut self, form: &[i64], is_equality: bool) -> Option<()> {
        if self.n_processed == MAX_CONSTRAINTS {
            return Some(());
        }
        let on_lines: Vec<i128> =
            self.lines.iter().map(|line| value(form, line)).collect::<Option<_>>()?;
        if let Some(at) = on_lines.iter().position(|&v| v != 0) {
            self.pivot(form, at, is_equality)?;
        } else {
            self.split(form, is_equality)?;
        }
        self.n_processed += 1;
        Some(())
    }

    /// The line at `at`, on which `form` is not zero, leaves the lines; all else is moved along it to where `form` is
    /// zero. For an inequality the line stays as a ray.
    fn pivot(&mut self, form: &[i64], at: usize, is_equality: bool) -> Option<()> {
        let mut line = self.lines.remove(at);
        let mut height = value(form, &line)?;
        if height < 0 {
            line.iter_mut().for_each(|entry| *entry = -*entry);
            height = -height;
        }
        for other in &mut self.lines {
            let factor = value(form, other)?;
            *other = combine(other, height, &line, -factor)?;
        }
        let bit = 1 << self.n_processed;
        for ray in &mut self.rays {
            let factor = value(form, &ray.vector)?;
            ray.vector = combine(&ray.vector, height, &line, -factor)?;
            ray.zeros |= bit;
        }
        if !is_equality {
            // All earlier constraints are zero on lines.
            self.rays.push(Ray { vector: line, zeros: bit - 1 });
        }
        Some(())
    }

    /// Keeps the rays on the right side of `form`, and joins neighbours on both sides where it is zero.
    fn split(&mut self, form: &[i64], is_equality: bool) -> Option<()> {
        let values: Vec<i128> =
            self.rays.iter().map(|ray| value(form, &ray.vector)).collect::<Option<_>>()?;
        let bit = 1 << self.n_processed;
        let mut kept = Vec::new();
        for (ray, &height) in self.rays.iter().zip(&values) {
            if height == 0 {
                kept.push(Ray { vector: ray.vector.clone(), zeros: ray.zeros | bit });
            } else if height > 0 && !is_equality {
                kept.push(ray.clone());
            }
        }
        for (up, &height) in self.rays.iter().zip(&values).filter(|(_, v)| **v > 0) {
            for (down, &depth) in self.rays.iter().zip(&values).filter(|(_, v)| **v < 0) {
                if self.are_adjacent(up, down) {
                    let vector = combine(&up.vector, -depth, &down.vector, height)?;
                    kept.push(Ray { vector, zeros: (up.zeros & down.zeros) | bit });
                }
                if kept.len() > MAX_RAYS && !is_equality {
                    return Some(());
                }
            }
        }
        self.rays = kept;
        Some(())
    }

    /// Whether no third ray lies on every facet that holds both.
    fn are_adjacent(&self, a: &Ray, b: &Ray) -> bool {
        let common = a.zeros & b.zeros;
        let lies_between = |ray: &&Ray| ray.zeros & common == common && *ray != a && *ray != b;
        !self.rays.iter().any(|ray| lies_between(&ray))
    }
}

/// The value of a form at a vector.
fn value(form: &[i64], vector: &[i128]) -> Option<i128> {
    form.iter()
        .zip(vector)
        .filter(|(c, v)| **c != 0 && **v != 0)
        .try_fold(0_i128, |sum, (&c, &v)| sum.checked_add(i128::from(c).checked_mul(v)?))
}

/// The primitive vector along `a * x + b * y`.
fn combine(x: &[i128], a: i128, y: &[i128], b: i128) -> Option<Vec<i128>> {
    let entry = |(x, y): (&i128, &i128)| a.checked_mul(*x)?.checked_add(b.checked_mul(*y)?);
    let mut sum = x.iter().zip(y).map(entry).collect::<Option<Vec<i128>>>()?;
    let divisor = sum.iter().fold(0, |divisor, &entry| match (divisor, entry) {
        (1, _) | (_, 0) => divisor,
        _ => gcd(divisor, entry),
    });
    if divisor > 1 {
        sum.iter_mut().for_each(|entry| *entry /= divisor);
    }
    Some(sum)
}

/// The greatest common divisor, not negative.
fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::{ConeConstraints, generators};

    fn sorted(mut vectors: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
        vectors.sort_unstable();
        vectors
    }

    #[test]
    fn orthant_and_half_space() {
        let inequalities = vec![vec![1, 0], vec![0, 1]];
        let cone = generators(2, &ConeConstraints { equalities: vec![], inequalities }).unwrap();
        assert!(cone.lines.is_empty());
        assert_eq!(sorted(cone.rays), [[0, 1], [1, 0]]);
        let inequalities = vec![vec![1, -1]];
        let cone = generators(2, &ConeConstraints { equalities: vec![], inequalities }).unwrap();
        assert_eq!(cone.lines, [[1, 1]]);
        assert_eq!(cone.rays.len(), 1);
    }

    #[test]
    fn a_square_has_four_corners() {
        // t >= 0 and 0 <= x, y <= 3 t.
        let inequalities =
            vec![vec![1, 0, 0], vec![0, 1, 0], vec![0, 0, 1], vec![3, -1, 0], vec![3, 0, -1]];
        let cone = generators(3, &ConeConstraints { equalities: vec![], inequalities }).unwrap();
        assert!(cone.lines.is_empty());
        assert_eq!(sorted(cone.rays), [[1, 0, 0], [1, 0, 3], [1, 3, 0], [1, 3, 3]]);
    }

    #[test]
    fn equalities_cut() {
        // t >= 0, 0 <= x <= t, x + y = t.
        let constraints = ConeConstraints {
            equalities: vec![vec![1, -1, -1]],
            inequalities: vec![vec![1, 0, 0], vec![0, 1, 0], vec![1, -1, 0]],
        };
        let cone = generators(3, &constraints).unwrap();
        assert!(cone.lines.is_empty());
        assert_eq!(sorted(cone.rays), [[1, 0, 1], [1, 1, 0]]);
    }
}
