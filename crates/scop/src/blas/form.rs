//! The routines, and what each of their forms adds up.

use std::fmt;

/// A routine of BLAS-2 or BLAS-3 for real numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Routine {
    /// `C = alpha op(A) op(B) + beta C`.
    Gemm,
    /// `C = alpha A B + beta C`, or `B A`, where A is symmetric.
    Symm,
    /// `C = alpha op(A) op(A)' + beta C`, a triangle of it.
    Syrk,
    /// `C = alpha (op(A) op(B)' + op(B) op(A)') + beta C`, a triangle of it.
    Syr2k,
    /// `B = alpha op(A) B`, or `B op(A)`, where A is triangular.
    Trmm,
    /// `B = alpha op(A)^-1 B`, or `B op(A)^-1`, where A is triangular.
    Trsm,
    /// `y = alpha op(A) x + beta y`.
    Gemv,
    /// The same where A is symmetric.
    Symv,
    /// `x = op(A) x` where A is triangular.
    Trmv,
    /// `x = op(A)^-1 x` where A is triangular.
    Trsv,
    /// `A = alpha x y' + A`.
    Ger,
    /// `A = alpha x x' + A`, a triangle of it.
    Syr,
    /// `A = alpha (x y' + y x') + A`, a triangle of it.
    Syr2,
}

impl Routine {
    /// Its name without the letter of the type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gemm => "gemm",
            Self::Symm => "symm",
            Self::Syrk => "syrk",
            Self::Syr2k => "syr2k",
            Self::Trmm => "trmm",
            Self::Trsm => "trsm",
            Self::Gemv => "gemv",
            Self::Symv => "symv",
            Self::Trmv => "trmv",
            Self::Trsv => "trsv",
            Self::Ger => "ger",
            Self::Syr => "syr",
            Self::Syr2 => "syr2",
        }
    }

    /// Whether loops of three run in it.
    pub fn is_blas3(self) -> bool {
        matches!(self, Self::Gemm | Self::Symm | Self::Syrk | Self::Syr2k | Self::Trmm | Self::Trsm)
    }

    /// Whether it has a factor of what it updates.
    pub fn has_beta(self) -> bool {
        matches!(self, Self::Gemm | Self::Symm | Self::Syrk | Self::Syr2k | Self::Gemv | Self::Symv)
    }

    /// Whether it has a factor of what it adds.
    pub fn has_alpha(self) -> bool {
        !matches!(self, Self::Trmv | Self::Trsv)
    }

    /// Whether it multiplies by a triangular matrix.
    pub fn multiplies(self) -> bool {
        matches!(self, Self::Trmm | Self::Trmv)
    }

    /// Whether it solves for a triangular matrix.
    pub fn solves(self) -> bool {
        matches!(self, Self::Trsm | Self::Trsv)
    }

    /// Whether it takes a triangle of a matrix.
    pub fn has_triangle(self) -> bool {
        !matches!(self, Self::Gemm | Self::Gemv | Self::Ger)
    }

    /// Whether its second operand stands on one of two sides.
    pub fn has_side(self) -> bool {
        matches!(self, Self::Symm | Self::Trmm | Self::Trsm)
    }

    /// How many of its operands may be transposed.
    pub fn n_transposed(self) -> usize {
        match self {
            Self::Gemm => 2,
            Self::Syrk | Self::Syr2k | Self::Trmm | Self::Trsm => 1,
            Self::Gemv | Self::Trmv | Self::Trsv => 1,
            Self::Symm | Self::Symv | Self::Ger | Self::Syr | Self::Syr2 => 0,
        }
    }
}

impl fmt::Display for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A routine with its flags, which say in what form it takes its operands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Form {
    /// The routine.
    pub routine: Routine,
    /// Whether the symmetric or triangular matrix, A, stands on the right.
    pub right: bool,
    /// Whether the triangle that is stored is the lower one.
    pub lower: bool,
    /// Whether A, and B, are transposed.
    pub transposed: [bool; 2],
    /// Whether the diagonal of a triangular matrix is taken as ones.
    pub unit: bool,
}

/// A position in an operand: variables that count rows and columns; vectors have no columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    /// The operand: what is updated, or A (or x), or B (or y).
    pub(crate) operand: usize,
    /// The variable that counts rows.
    pub(crate) row: char,
    /// The one that counts columns.
    pub(crate) col: Option<char>,
}

/// Products that are added to what is updated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Product {
    /// Conditions on the variables, in isl's notation.
    pub(crate) condition: String,
    /// What is updated.
    pub(crate) target: Entry,
    /// Both factors.
    pub(crate) factors: [Entry; 2],
}

impl Product {
    /// A product for all values of the variables.
    fn of(target: Entry, factors: [Entry; 2]) -> Self {
        Self { condition: String::new(), target, factors }
    }

    /// The same under a condition.
    fn under(self, condition: String) -> Self {
        Self { condition, ..self }
    }
}

/// An entry of a matrix.
fn at(operand: usize, row: char, col: char) -> Entry {
    Entry { operand, row, col: Some(col) }
}

/// An entry of a vector.
fn entry(operand: usize, row: char) -> Entry {
    Entry { operand, row, col: None }
}

impl Form {
    /// All forms of a routine.
    pub fn all(routine: Routine) -> Vec<Self> {
        let either = |has: bool| if has { vec![false, true] } else { vec![false] };
        let is_triangular = routine.multiplies() || routine.solves();
        let mut forms = Vec::new();
        for right in either(routine.has_side()) {
            for lower in either(routine.has_triangle()) {
                for first in either(routine.n_transposed() > 0) {
                    for second in either(routine.n_transposed() > 1) {
                        for unit in either(is_triangular) {
                            let transposed = [first, second];
                            forms.push(Self { routine, right, lower, transposed, unit });
                        }
                    }
                }
            }
        }
        forms
    }

    /// Whether operand A is strictly below its diagonal, as it is stored; for triangular ones.
    fn is_below(&self) -> bool {
        self.lower
    }

    /// Which size bounds each of the variables `i`, `j` and `k`; none for one that is not there.
    pub(crate) fn ranges(&self) -> [Option<usize>; 3] {
        let inner = Some(usize::from(self.right));
        match self.routine {
            Routine::Gemm => [Some(0), Some(1), Some(2)],
            Routine::Syrk | Routine::Syr2k => [Some(0), Some(0), Some(1)],
            Routine::Symm | Routine::Trmm | Routine::Trsm => [Some(0), Some(1), inner],
            Routine::Gemv if self.transposed[0] => [Some(1), None, Some(0)],
            Routine::Gemv => [Some(0), None, Some(1)],
            Routine::Symv | Routine::Trmv | Routine::Trsv => [Some(0), None, Some(0)],
            Routine::Ger => [Some(0), Some(1), None],
            Routine::Syr | Routine::Syr2 => [Some(0), Some(0), None],
        }
    }

    /// An entry of A, or of B, transposed where the form says so.
    fn op(&self, operand: usize, row: char, col: char) -> Entry {
        let is_transposed = self.transposed.get(operand - 1).copied().unwrap_or(false);
        if is_transposed { at(operand, col, row) } else { at(operand, row, col) }
    }

    /// Which sizes an operand's rows and columns, or entries, have.
    pub fn sizes_of(&self, operand: usize) -> Vec<usize> {
        let products = self.products();
        let entries = products.iter().flat_map(|product| product.factors);
        let Some(entry) = entries.into_iter().find(|entry| entry.operand == operand) else {
            return Vec::new();
        };
        let of = |variable: char| match variable {
            'i' => self.ranges()[0],
            'j' => self.ranges()[1],
            _ => self.ranges()[2],
        };
        of(entry.row).into_iter().chain(entry.col.and_then(of)).collect()
    }

    /// The condition that an entry lies in the triangle that is stored, or strictly in it.
    fn stored(&self, row: char, col: char, strict: bool) -> String {
        let (low, high) = if self.is_below() { (col, row) } else { (row, col) };
        format!("{low} {} {high}", if strict { "<" } else { "<=" })
    }

    /// The entry of what is updated, over `i` and `j`.
    pub(crate) fn target(&self) -> Entry {
        match self.routine {
            Routine::Gemv | Routine::Symv | Routine::Trmv | Routine::Trsv => entry(0, 'i'),
            _ => at(0, 'i', 'j'),
        }
    }

    /// The condition on what is updated.
    pub(crate) fn updated(&self) -> String {
        match self.routine {
            Routine::Syrk | Routine::Syr2k | Routine::Syr | Routine::Syr2 => {
                self.stored('i', 'j', false)
            }
            _ => String::new(),
        }
    }

    /// The entry of the diagonal of A that goes with what is updated.
    pub(crate) fn diagonal(&self) -> Entry {
        let along = if self.right { 'j' } else { 'i' };
        at(1, along, along)
    }

    /// Which operands the factors of products are of.
    pub fn factor_operands(&self) -> [usize; 2] {
        self.products().first().map_or([0, 0], |product| product.factors.map(|of| of.operand))
    }

    /// The products that are added to what is updated.
    pub(crate) fn products(&self) -> Vec<Product> {
        let target = self.target();
        match self.routine {
            Routine::Gemm => {
                vec![Product::of(target, [self.op(1, 'i', 'k'), self.op(2, 'k', 'j')])]
            }
            Routine::Gemv => vec![Product::of(target, [self.op(1, 'i', 'k'), entry(2, 'k')])],
            Routine::Symm | Routine::Symv => self.symmetric(),
            Routine::Syrk => {
                let factors = [self.op(1, 'i', 'k'), self.op(1, 'j', 'k')];
                vec![Product::of(target, factors).under(self.updated())]
            }
            Routine::Syr2k => {
                let b = |row| Entry { operand: 2, ..self.op(1, row, 'k') };
                let one = [self.op(1, 'i', 'k'), b('j')];
                let other = [self.op(1, 'j', 'k'), b('i')];
                let product = |factors| Product::of(target, factors).under(self.updated());
                vec![product(one), product(other)]
            }
            Routine::Trmm | Routine::Trsm | Routine::Trmv | Routine::Trsv => {
                vec![self.triangular()]
            }
            Routine::Ger => vec![Product::of(target, [entry(1, 'i'), entry(2, 'j')])],
            Routine::Syr => {
                vec![Product::of(target, [entry(1, 'i'), entry(1, 'j')]).under(self.updated())]
            }
            Routine::Syr2 => {
                let product =
                    |a, b| Product::of(target, [entry(1, a), entry(2, b)]).under(self.updated());
                vec![product('i', 'j'), product('j', 'i')]
            }
        }
    }

    /// Those of a symmetric matrix, of which one triangle is stored: the entry itself, or its mirror image.
    fn symmetric(&self) -> Vec<Product> {
        let other = match (self.routine, self.right) {
            (Routine::Symv, _) => entry(2, 'k'),
            (_, false) => at(2, 'k', 'j'),
            (_, true) => at(2, 'i', 'k'),
        };
        let (row, col) = if self.right { ('k', 'j') } else { ('i', 'k') };
        let product = |a| Product::of(self.target(), [a, other]);
        vec![
            product(at(1, row, col)).under(self.stored(row, col, false)),
            product(at(1, col, row)).under(self.stored(col, row, true)),
        ]
    }

    /// Those of a triangular matrix, but for its diagonal; the second factor is part of what is updated.
    fn triangular(&self) -> Product {
        let other = match (self.target().col, self.right) {
            (None, _) => entry(0, 'k'),
            (_, false) => at(0, 'k', 'j'),
            (_, true) => at(0, 'i', 'k'),
        };
        let (row, col) = if self.right { ('k', 'j') } else { ('i', 'k') };
        let a = self.op(1, row, col);
        let stored = self.stored(a.row, a.col.unwrap_or(a.row), true);
        Product::of(self.target(), [a, other]).under(stored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_those_of_the_routines() {
        let n = |routine| Form::all(routine).len();
        assert_eq!(n(Routine::Gemm), 4);
        assert_eq!(n(Routine::Symm), 4);
        assert_eq!(n(Routine::Trsm), 16);
        assert_eq!(n(Routine::Ger), 1);
        assert_eq!(n(Routine::Syr2), 2);
    }

    #[test]
    fn triangles_are_where_they_are_stored() {
        let form = Form {
            routine: Routine::Trmm,
            right: false,
            lower: true,
            transposed: [true, false],
            unit: true,
        };
        // The upper triangle of the transpose: A[k][i] is stored below the diagonal.
        assert_eq!(form.sizes_of(1), [0, 0]);
        let product = &form.products()[0];
        assert_eq!(product.factors[0], at(1, 'k', 'i'));
        assert_eq!(product.condition, "i < k");
    }
}
