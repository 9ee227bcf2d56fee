//! How what is taken for granted ends: proved, tested in front of the region, or granted by the user.

use super::affine::{Frame, Obstacle, Why};
use super::build::{Builder, Refused, Step};
use farkas_base::{DiagnosticId, Span};
use farkas_poly::{Aff, DimType, PwAff, Set, Val};
use farkas_scop::{Assumption, AssumptionKind, Claim, ElementKind, Grant, Outcome};

/// Something that is taken for granted, before it is known how that ends.
pub(super) struct Taken {
    /// What kind of thing.
    pub(super) kind: AssumptionKind,
    /// What has to hold.
    pub(super) claim: Claim,
    /// The same for people.
    pub(super) text: String,
    /// Who needs it.
    pub(super) needed_by: &'static str,
    /// The names by which the user may grant it.
    pub(super) names: Vec<String>,
    /// Where it matters.
    pub(super) span: Option<Span>,
}

/// What must hold wherever an expression is evaluated, for its value as a whole number to be what C computes.
#[derive(Clone, Debug)]
pub(super) struct Required {
    /// The points where it holds.
    pub(super) holds: Set,
    /// What it is.
    pub(super) kind: AssumptionKind,
    /// The expression.
    pub(super) span: Span,
}

/// Parameters that may have values from here on are large; small ones are rather special cases.
const LARGE: i64 = 1 << 20;

impl Builder<'_> {
    /// Records an assumption, once; `proof` says why it always holds.
    pub(super) fn take(&mut self, taken: Taken, proof: Option<String>) {
        let Taken { kind, claim, text, needed_by, names, span } = taken;
        if self.assumptions.iter().any(|known| known.text == text && known.claim == claim) {
            return;
        }
        let is_granted = self.grants.iter().any(|grant| grant.covers(kind, &names));
        let outcome = match proof {
            Some(reason) => Outcome::Proved(reason),
            None if is_granted => Outcome::Granted,
            None if claim == Claim::Untestable => {
                let error = self.untestable(kind, &text, &names, span);
                return self.report(error);
            }
            None => Outcome::Tested,
        };
        self.assumptions.push(Assumption { kind, claim, text, needed_by, names, span, outcome });
    }

    /// Refuses what no test can find out.
    fn untestable(
        &self,
        kind: AssumptionKind,
        text: &str,
        names: &[String],
        span: Option<Span>,
    ) -> farkas_base::Diagnostic {
        let message = format!("nothing shows that {text}");
        let error = farkas_base::Diagnostic::new(DiagnosticId::UntestedAssumption, message);
        let error = match span {
            Some(span) => error.at(self.source, span, ""),
            None => error,
        };
        let mut wholes: Vec<&str> = names.iter().map(|name| Grant::whole(name)).collect();
        wholes.dedup();
        let of = if names.is_empty() { String::new() } else { format!("={}", wholes.join(",")) };
        error
            .note("the region would compute something else where it does not hold, and no test in front of it can tell")
            .help(format!("if you know that it holds, say `--assume {}{of}`", kind.name()))
    }

    /// Takes for granted that the parameters are not in `bad`, a part of what they may be.
    pub(super) fn take_parameters(
        &mut self,
        kind: AssumptionKind,
        bad: &Set,
        text: String,
        span: Span,
    ) -> Result<(), farkas_poly::Error> {
        self.take_at(None, kind, bad, text, span)
    }

    /// The same where `proof` says why they never are.
    pub(super) fn exclude_parameters(
        &mut self,
        kind: AssumptionKind,
        bad: &Set,
        text: String,
        span: Span,
        proof: String,
    ) -> Result<(), farkas_poly::Error> {
        let bad = bad.intersect(&self.ranges)?;
        // No test keeps other parameters from what follows.
        let rest = self.ranges.subtract(&bad)?.coalesce()?.gist_params(&self.ranges)?;
        self.restrict_parameters(kind, (&bad, rest), text, span, Some(proof))
    }

    /// Takes for granted that the parameters are in `rest`, which has nothing of `bad`, if that has any.
    fn restrict_parameters(
        &mut self,
        kind: AssumptionKind,
        (bad, rest): (&Set, Set),
        text: String,
        span: Span,
        proof: Option<String>,
    ) -> Result<(), farkas_poly::Error> {
        if bad.is_empty()? {
            return Ok(());
        }
        self.context = self.context.intersect(&rest)?.coalesce()?;
        self.ranges = self.ranges.intersect(&rest)?.coalesce()?;
        let claim = Claim::Parameters(rest);
        let (names, span) = (Vec::new(), Some(span));
        let needed_by = match kind {
            AssumptionKind::PositiveExtents => "declarations",
            AssumptionKind::InRow => "subscripts",
            _ => "loop bounds, conditions and subscripts",
        };
        self.take(Taken { kind, claim, text, needed_by, names, span }, proof);
        Ok(())
    }

    /// A simple set without `bad`: all the rest where that is convex, else a convex part in which parameters may be large. What
    /// it leaves out are special cases, such as loops that do not run, for which the original does; some of the points for which something is
    /// required are none of these.
    fn simple_rest(&self, bad: &Set, points: Option<&Set>) -> Result<Set, farkas_poly::Error> {
        let rest = self.ranges.subtract(bad)?.coalesce()?;
        let parts = rest.basic_sets()?;
        for part in if parts.len() > 1 { parts } else { Vec::new() } {
            let part = part.to_set()?;
            let runs = |points: &Set| Ok(!points.intersect_params(&part)?.is_empty()?);
            if self.may_be_large(&part)? && points.map_or(Ok(true), runs)? {
                let simple = part.gist_params(&part.union(bad)?.coalesce()?)?;
                if simple.is_disjoint(bad)? {
                    return self.without_needless(simple, bad);
                }
            }
        }
        rest.gist_params(&self.ranges)
    }

    /// Takes for granted that the parameters are not in `bad`, in a way that leaves some of the points for which that is required, if those are known.
    fn take_at(
        &mut self,
        points: Option<&Set>,
        kind: AssumptionKind,
        bad: &Set,
        text: String,
        span: Span,
    ) -> Result<(), farkas_poly::Error> {
        let bad = bad.intersect(&self.ranges)?;
        let rest = self.simple_rest(&bad, points)?;
        self.restrict_parameters(kind, (&bad, rest), text, span, None)
    }

    /// A set that has nothing of `bad`, without what it says of parameters that do not matter to that.
    fn without_needless(&self, simple: Set, bad: &Set) -> Result<Set, farkas_poly::Error> {
        let mut simple = simple;
        for (position, _) in (0u32..).zip(self.params) {
            let any = simple.eliminate(DimType::Param, position, 1)?;
            if any.is_disjoint(bad)? {
                simple = any;
            }
        }
        Ok(simple)
    }

    /// Takes for granted what `frame` found to be required at `points`, unless it is certain. Where hardly anything would be
    /// left of the parameters, nothing is taken, and the answer is what asks for too much.
    pub(super) fn require(
        &mut self,
        frame: &Frame<'_>,
        points: &Set,
    ) -> Step<Result<(), Required>> {
        let mut taken: Vec<(Set, Required)> = Vec::new();
        for required in frame.required.take() {
            let bad = self.fails_for(points, &required);
            let Some(bad) = self.check(bad, Some(required.span))? else { continue };
            let enough = self.is_enough(&bad, points);
            if !self.check(enough, Some(required.span))? {
                return Ok(Err(required));
            }
            taken.push((bad, required));
        }
        for (bad, Required { kind, span, .. }) in taken {
            let text = self.told(kind, span);
            let done = self.take_at(Some(points), kind, &bad, text, span);
            self.check(done, Some(span))?;
        }
        Ok(Ok(()))
    }

    /// [`require`](Self::require) where nothing else can be done than to refuse what asks for too much.
    pub(super) fn require_or_refuse(&mut self, frame: &Frame<'_>, points: &Set) -> Step<()> {
        match self.require(frame, points)? {
            Ok(()) => Ok(()),
            Err(Required { kind: AssumptionKind::InRow, span, .. }) => {
                let obstacle = Obstacle::At { why: Why::RowUnknown, span };
                Err(self.refuse(DiagnosticId::NonAffineSubscript, "this subscript", span, obstacle))
            }
            Err(Required { span, .. }) => Err(self.refuse_wrap(span)),
        }
    }

    /// The parameters for which something that is required does not hold at some point; none where there are no such.
    fn fails_for(
        &self,
        points: &Set,
        required: &Required,
    ) -> Result<Option<Set>, farkas_poly::Error> {
        let fails = points.intersect_params(&self.ranges)?.subtract(&required.holds)?;
        Ok(if fails.is_empty()? { None } else { Some(fails.params()?.coalesce()?) })
    }

    /// Whether parameters can be large, all at once, outside of `bad`, and something runs there.
    fn is_enough(&self, bad: &Set, points: &Set) -> Result<bool, farkas_poly::Error> {
        let rest = self.ranges.subtract(bad)?;
        Ok(!points.intersect_params(&rest)?.is_empty()? && self.may_be_large(&rest)?)
    }

    /// Whether all parameters can be large at once: as large as their types, and what is taken for granted already, allow.
    fn may_be_large(&self, params: &Set) -> Result<bool, farkas_poly::Error> {
        let mut least = LARGE;
        while least > 1 && self.at_least(&self.ranges, least)?.is_empty()? {
            least /= 4;
        }
        Ok(!self.at_least(params, least)?.is_empty()?)
    }

    /// The part of `params` in which each is `least`, or half of what its type holds.
    fn at_least(&self, params: &Set, least: i64) -> Result<Set, farkas_poly::Error> {
        let mut large = params.clone();
        for (position, param) in (0u32..).zip(self.params) {
            let (_, most) = range(self.vars[*param].element.kind).unwrap_or((0, None));
            let least = most.map_or(least, |most| least.min(most / 2));
            large = large.lower_bound_val(DimType::Param, position, &Val::int(least)?)?;
        }
        Ok(large)
    }

    /// What is taken for granted, in words.
    fn told(&self, kind: AssumptionKind, span: Span) -> String {
        let text = self.source_text(span);
        match kind {
            AssumptionKind::InRow => format!("the subscript `{text}` stays in its row"),
            _ => format!("the value of `{text}` fits its type"),
        }
    }

    /// What the source says at `span`, on one line.
    pub(super) fn source_text(&self, span: Span) -> String {
        self.source.slice(span).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    pub(super) fn refuse_wrap(&mut self, span: Span) -> Refused {
        let error = self
            .at(
                DiagnosticId::UnsignedWrap,
                "this value leaves the range of its type wherever the region runs",
                span,
                "wraps around",
            )
            .note("C computes modulo a power of two here")
            .help("use signed types that are large enough for iterators and bounds");
        self.report(error);
        Refused
    }

    /// What the types of the parameters say of their values.
    ///
    /// # Errors
    /// When isl refuses.
    pub(super) fn type_ranges(&self) -> Result<Set, farkas_poly::Error> {
        let mut ranges = Set::universe(&self.param_space)?;
        for (position, param) in (0u32..).zip(self.params) {
            let Some((least, most)) = range(self.vars[*param].element.kind) else { continue };
            let most = Val::int(most.unwrap_or(i64::MAX))?;
            ranges = ranges.lower_bound_val(DimType::Param, position, &Val::int(least)?)?;
            ranges = ranges.upper_bound_val(DimType::Param, position, &most)?;
        }
        Ok(ranges)
    }
}

/// The least and the greatest value of an integer type; no greatest where it does not fit 64 bits.
pub(super) fn range(kind: ElementKind) -> Option<(i64, Option<i64>)> {
    match kind {
        ElementKind::Signed(bits @ 1..=64) => {
            let most = i64::MAX >> (64 - bits);
            Some((-most - 1, Some(most)))
        }
        ElementKind::Unsigned(64) => Some((0, None)),
        ElementKind::Unsigned(bits @ 1..=63) => Some((0, Some((1i64 << bits) - 1))),
        _ => None,
    }
}

/// The points where a value is in the range of a type.
///
/// # Errors
/// When isl refuses.
pub(super) fn fits(
    frame: &Frame<'_>,
    value: &PwAff,
    kind: ElementKind,
) -> Result<Set, farkas_poly::Error> {
    let constant = |n| Aff::constant_on_domain(&frame.space, n)?.to_pw_aff();
    let Some((least, most)) = range(kind) else { return Set::universe(&frame.space) };
    let above = value.ge_set(&constant(least)?)?;
    let most = match most {
        Some(most) => constant(most)?,
        None => constant(i64::MAX)?.add(&constant(i64::MAX)?)?.add(&constant(1)?)?,
    };
    above.intersect(&value.le_set(&most)?)
}

/// A value as C reduces it to an unsigned type, where it is at most one range of the type away from it; else nothing. That is
/// the case for sums and differences of two values of the type.
///
/// # Errors
/// When isl refuses.
pub(super) fn wrapped(
    frame: &Frame<'_>,
    value: &PwAff,
    bits: u8,
) -> Result<PwAff, farkas_poly::Error> {
    let constant = |n| Aff::constant_on_domain(&frame.space, n)?.to_pw_aff();
    let half = constant(1i64 << (bits - 1).min(62))?;
    let modulus =
        if bits == 64 { half.add(&half)?.add(&half)?.add(&half)? } else { half.add(&half)? };
    let zero = constant(0)?;
    let low = value.lt_set(&zero)?.indicator_function()?;
    let high = value.ge_set(&modulus)?.indicator_function()?;
    let not_low = high.cond(&value.sub(&modulus)?, value)?;
    low.cond(&value.add(&modulus)?, &not_low)
}
