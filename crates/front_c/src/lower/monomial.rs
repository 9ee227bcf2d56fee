//! Products of sizes: strides of linearised subscripts, and how far one goes into another.

/// The position of a parameter expression among the [`Factors`](super::polynomial::Factors).
pub(super) type Factor = usize;

/// A product of parameter expressions, sorted.
pub(super) type Stride = Vec<Factor>;

/// A number times a product of parameter expressions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Monomial {
    /// The factors, sorted.
    pub(super) factors: Stride,
    /// The number.
    pub(super) times: i64,
}

/// What a factor is taken to be: a product of others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Product {
    /// The factor.
    pub(super) whole: Factor,
    /// The product.
    pub(super) is: Monomial,
}

impl Monomial {
    /// A product of factors with others in the place of some; nothing where these have one another in them, or a number is too
    /// large.
    pub(super) fn written_out(factors: &[Factor], products: &[Product]) -> Option<Self> {
        let mut out = Self { factors: factors.to_vec(), times: 1 };
        // Each of the replaced factors may have the next one in it.
        for _ in 0..=products.len() {
            let known = |factor: &Factor| products.iter().find(|product| product.whole == *factor);
            if !out.factors.iter().any(|factor| known(factor).is_some()) {
                out.factors.sort_unstable();
                return Some(out);
            }
            for factor in std::mem::take(&mut out.factors) {
                match known(&factor) {
                    Some(Product { is, .. }) => {
                        out.times = out.times.checked_mul(is.times)?;
                        out.factors.extend(&is.factors);
                    }
                    None => out.factors.push(factor),
                }
            }
        }
        None
    }

    /// What `shorter` is multiplied by, where that is a number times at most one factor: the extent of a dimension.
    pub(super) fn extent_over(&self, shorter: &Self) -> Option<Self> {
        let factors = rest(&self.factors, &shorter.factors).filter(|rest| rest.len() <= 1)?;
        let times = (self.times % shorter.times == 0).then(|| self.times / shorter.times)?;
        Some(Self { factors, times })
    }

    /// The parts of this in dimensions with certain strides, longest first: what each stride is multiplied by.
    pub(super) fn along(&self, chain: &[Self]) -> Option<Vec<(usize, Self)>> {
        let (mut left, mut parts) = (self.clone(), Vec::new());
        for (level, stride) in chain.iter().enumerate() {
            let is_same = left.factors == stride.factors;
            let part = match left.extent_over(stride) {
                Some(part) => part,
                None if is_same => {
                    let times = left.times.div_euclid(stride.times);
                    Self { factors: Stride::new(), times }
                }
                None => continue,
            };
            left.times -= part.times.checked_mul(stride.times)?;
            parts.push((level, part));
            if left.times == 0 {
                return Some(parts);
            }
        }
        None
    }
}

/// Strides with that of single elements, longest first, if each is the next one times a number and at most one factor.
pub(super) fn chain<'s>(
    strides: impl Iterator<Item = &'s Stride>,
    products: &[Product],
) -> Option<Vec<Monomial>> {
    let single = Monomial { factors: Stride::new(), times: 1 };
    let strides = strides.map(|stride| Monomial::written_out(stride, products));
    let mut chain: Vec<Monomial> = strides.chain([Some(single)]).collect::<Option<_>>()?;
    chain.sort_by(|a, b| {
        (b.factors.len(), b.times, &a.factors).cmp(&(a.factors.len(), a.times, &b.factors))
    });
    chain.dedup();
    chain.windows(2).all(|w| w[0].extent_over(&w[1]).is_some()).then_some(chain)
}

/// The factors of a product without those of another, if it has these.
pub(super) fn rest(product: &[Factor], other: &[Factor]) -> Option<Stride> {
    let rest = without(product, other);
    (rest.len() + other.len() == product.len()).then_some(rest)
}

/// The factors of a product that another does not have.
pub(super) fn without(product: &[Factor], other: &[Factor]) -> Stride {
    let mut rest = product.to_vec();
    for factor in other {
        if let Some(at) = rest.iter().position(|f| f == factor) {
            rest.remove(at);
        }
    }
    rest
}
