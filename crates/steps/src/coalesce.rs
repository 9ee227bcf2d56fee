//! Loops right inside each other as one.

use crate::flags::{decided, reaching};
use crate::tree::{Loop, chain, marks_above, members_around, part};
use crate::{LoopAddress, NotApplicable, Reorder, Result, Subject};
use farkas_analysis::Affine;
use farkas_poly::{DimType, MultiUnionPwAff, PwAff, Set, UnionPwAff, UnionSet, Val};
use farkas_tree::{Member, ScheduleTree};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Loops right inside each other as one, which runs through all of their iterations in the same order.
///
/// **Rewrite**: `band [a, b, c]` becomes `band [(a B + b) C + c]`, where `B` and `C` are the numbers of iterations of `b` and `c`, and all begin
/// at zero. Those of all statements together count: where one runs in fewer, it is skipped in the others. The order stays what it was.
///
/// **Paper** Polychronopoulos, *Loop Coalescing: A Compiler Transformation for Parallel Machines*, ICPP 1987; PANAMERA (Zhao et al., PACT
/// 2022), *Dimension Flattening*, whose formulas AST generation finds again: `c = t mod C`, `b = floor(t / C) mod B` and `a = floor(t / (B C))`,
/// without `mod`. So the number of iterations of the outermost loop may depend on parameters; of the others it is a constant, since it divides.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coalesce {
    /// The outermost of the loops.
    #[serde(rename = "loop")]
    pub first: LoopAddress,
    /// How many loops become one, two at least.
    pub count: usize,
}

/// The most iterations that the loops inside the outermost one may have together.
const MOST: i64 = i32::MAX as i64;

impl Reorder for Coalesce {
    fn reorder(&self, subject: &Subject<'_>) -> Result<ScheduleTree> {
        let tree = subject.tree();
        let first = subject.find(&self.first)?;
        if self.count < 2 {
            return Err(NotApplicable::BadNumber("two loops at least become one").into());
        }
        if let Some(mark) = marks_above(tree, &first.band).first() {
            return Err(NotApplicable::Marked((*mark).clone()).into());
        }
        let (members, inside) = self.nest(tree, &first)?;
        let ranges = Dates::of(tree, &first, &members)?.ranges()?;
        let schedule = numbered(&members, &ranges, &reaching(tree, &first.band)?)?;
        // A loop of one iteration carries nothing.
        let has_one =
            |at: usize| ranges[at].as_ref().is_some_and(|range| range.extent() == Some(1));
        let is_free = |(at, member): (usize, &Member)| member.coincident || has_one(at);
        let coincident = members.iter().enumerate().all(is_free)
            && members.iter().any(|member| member.coincident);
        let one = Member { schedule, coincident, one_thread: None, ..members[0].clone() };
        let (band, _) = first.band_in(tree)?;
        let outer = &band.members[..first.member];
        let rest = band.members.get(first.member + self.count..);
        if let Some(rest) = rest {
            let members = [outer, std::slice::from_ref(&one), rest].concat();
            let new = tree.replace(&first.band, part(&members, band.permutable, inside))?;
            return if band.permutable {
                Ok(new)
            } else {
                decided(&new, subject.deps, &first.band)
            };
        }
        let new = part(outer, band.permutable, part(&[one], false, inside));
        decided(&tree.replace(&first.band, new)?, subject.deps, &first.band)
    }

    fn loops(&mut self) -> Vec<&mut LoopAddress> {
        vec![&mut self.first]
    }
}

impl Coalesce {
    /// The loops, and what is inside of them: in the place of the band itself where they are in one, with those behind them else.
    fn nest(&self, tree: &ScheduleTree, first: &Loop) -> Result<(Vec<Member>, ScheduleTree)> {
        let (bands, _) = chain(tree, first)?;
        let (mut members, mut at) = (Vec::new(), first.clone());
        for band in bands {
            let missing = self.count - members.len();
            let is_first = members.is_empty();
            members.extend(band.members.iter().take(missing).cloned());
            if members.len() == self.count {
                let (_, child) = at.band_in(tree)?;
                let inside = match is_first {
                    true => child,
                    false => part(&band.members[missing..], band.permutable, child),
                };
                return Ok((members, inside));
            }
            at = Loop { band: at.band.child(0), member: 0, ..at };
        }
        Err(NotApplicable::TooFewLoops { wanted: self.count }.into())
    }
}

/// The dates of the statements in some loops, each with those of all loops around these.
struct Dates {
    /// A set a statement.
    of_stmts: Vec<Set>,
    /// How many loops are around.
    n_around: usize,
    /// How many loops there are.
    n: usize,
}

impl Dates {
    /// Those of loops right inside each other.
    fn of(tree: &ScheduleTree, first: &Loop, members: &[Member]) -> Result<Self> {
        let mut all = members_around(tree, first)?;
        let n_around = all.len();
        all.extend(members.iter().map(|member| member.schedule.clone()));
        let instances = reaching(tree, &first.band)?;
        let dates = MultiUnionPwAff::from_members(&all)?.to_union_map()?;
        let maps = dates.intersect_domain(&instances)?.maps()?;
        let of_stmts: farkas_poly::Result<Vec<Set>> = maps.iter().map(|map| map.range()).collect();
        Ok(Self { of_stmts: of_stmts?, n_around, n: members.len() })
    }

    /// The ranges of all loops; the outermost need not have one.
    ///
    /// # Errors
    /// [`NotApplicable`] where another one has none.
    fn ranges(&self) -> Result<Vec<Option<Range>>> {
        let mut ranges = vec![self.range(0)?];
        let mut total: i64 = 1;
        for at in 1..self.n {
            if !self.is_box(at)? {
                return Err(NotApplicable::NotOneLoop(DEPENDS).into());
            }
            let range = self.range(at)?;
            let extent = range.as_ref().and_then(Range::extent);
            let extent = extent.ok_or(NotApplicable::NotOneLoop(SYMBOLIC))?;
            total = total.saturating_mul(extent);
            ranges.push(range);
        }
        if total > MOST {
            return Err(NotApplicable::NotOneLoop(TOO_MANY).into());
        }
        Ok(ranges)
    }

    /// Whether the loop has the same dates in all iterations of the loops around it in which it has some, for each statement.
    fn is_box(&self, at: usize) -> Result<bool> {
        for dates in &self.of_stmts {
            let dates = self.up_to(dates, at)?;
            let last = count(self.n_around + at);
            let around = dates.project_out(DimType::SET, last, 1)?;
            let own = dates.project_out(DimType::SET, 0, last)?;
            if !around.flat_product(&own)?.is_equal(&dates)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The range of a loop's dates, of all statements together; `None` where it is not from one function of the parameters to another one.
    fn range(&self, at: usize) -> Result<Option<Range>> {
        let mut all: Option<Range> = None;
        for dates in &self.of_stmts {
            let dates = self.up_to(dates, at)?;
            let own = dates.project_out(DimType::SET, 0, count(self.n_around + at))?;
            if own.is_empty()? {
                continue;
            }
            let Some(range) = Range::of(&own)? else { return Ok(None) };
            all = match all {
                None => Some(range),
                Some(known) => match known.with(range) {
                    Some(both) => Some(both),
                    None => return Ok(None),
                },
            };
        }
        // Loops that never run.
        Ok(Some(all.unwrap_or_else(Range::nothing)))
    }

    /// The dates of the loops up to one.
    fn up_to(&self, dates: &Set, at: usize) -> Result<Set> {
        let kept = count(self.n_around + at + 1);
        Ok(dates.project_out(DimType::SET, kept, count(self.n - at - 1))?)
    }
}

/// Why loops stay apart: one inside has other dates elsewhere.
const DEPENDS: &str = "the iterations of one of the loops inside depend on those around it";

/// Why loops stay apart: the number of iterations divides.
const SYMBOLIC: &str =
    "the number of iterations of a loop inside is no constant, and it would have to be divided by";

/// Why loops stay apart: numbers grow too large.
const TOO_MANY: &str = "together the loops inside have too many iterations";

/// A number of dimensions as isl counts them.
fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The dates of a loop from one function of the parameters to another one.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Range {
    least: Affine,
    greatest: Affine,
}

impl Range {
    /// That of dates of which there are some.
    fn of(dates: &Set) -> Result<Option<Self>> {
        let params = dates.params()?;
        let bound = |bound: PwAff| -> Result<Option<Affine>> {
            Ok(Affine::of(&bound.gist_params(&params)?)?)
        };
        let (least, greatest) = (bound(dates.dim_min(0)?)?, bound(dates.dim_max(0)?)?);
        Ok(least.zip(greatest).map(|(least, greatest)| Self { least, greatest }))
    }

    /// That of a loop without iterations: as if it had one.
    fn nothing() -> Self {
        let zero = Affine { dims: Vec::new(), params: Default::default(), constant: 0 };
        Self { least: zero.clone(), greatest: zero }
    }

    /// The range that has all of both.
    fn with(self, other: Self) -> Option<Self> {
        let choose = |one: Affine, other: Affine, is_less: bool| {
            let same = one.params == other.params && one.dims == other.dims;
            let takes_one = (one.constant < other.constant) == is_less;
            same.then_some(if takes_one { one } else { other })
        };
        Some(Self {
            least: choose(self.least, other.least, true)?,
            greatest: choose(self.greatest, other.greatest, false)?,
        })
    }

    /// How many dates there may be, where that is a constant.
    fn extent(&self) -> Option<i64> {
        let is_constant = self.least.params == self.greatest.params;
        let range = self.greatest.constant.checked_sub(self.least.constant)?.checked_add(1)?;
        is_constant.then_some(range)
    }
}

/// The number of an iteration of all loops together, from zero where the outermost has a range.
fn numbered(
    members: &[Member],
    ranges: &[Option<Range>],
    instances: &UnionSet,
) -> Result<UnionPwAff> {
    let mut all = Vec::new();
    for set in instances.sets()? {
        let space = set.space()?;
        let mut number: Option<PwAff> = None;
        for (member, range) in members.iter().zip(ranges) {
            let mut date = member.schedule.extract_pw_aff(&space)?;
            if let Some(range) = range {
                let least = range.least.to_aff(&space)?.to_pw_aff()?;
                date = date.sub(&least)?;
            }
            number = Some(match (number, range.as_ref().and_then(Range::extent)) {
                (None, _) => date,
                (Some(outer), extent) => {
                    outer.scale_val(&Val::int(extent.unwrap_or(1))?)?.add(&date)?
                }
            });
        }
        all.extend(number);
    }
    Ok(UnionPwAff::union_all(all)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Step};
    use farkas_base::SourceFile;
    use farkas_deps::legality::check_program;
    use farkas_deps::{DependenceOptions, dependences};
    use farkas_tree::{Band, Node, Program};
    use std::sync::Arc;

    /// The program of some loops after `count` of them became one, from the loop at `first` on.
    fn coalesced(loops: &str, first: &str, count: usize) -> Result<Program> {
        let params = "int n, int m, double A[40][40][40], double s[40]";
        let text = format!("void f({params})\n{{\n#pragma scop\n{loops}\n#pragma endscop\n}}\n");
        let source = Arc::new(SourceFile::new("f.c", text.clone()));
        let preprocessed = format!("# 1 \"f.c\"\n{text}");
        let options = farkas_front_c::Options::default();
        let (regions, found) = farkas_front_c::parse(source, &preprocessed, &options);
        let scop = regions.into_iter().next().unwrap_or_else(|| panic!("{found:?}")).scop;
        let deps = dependences(&scop, DependenceOptions::default())?;
        let program = Program::original(&scop)?;
        let first = first.parse().expect("an address");
        let step = Step::Coalesce(Coalesce { first, count });
        let done = step.apply(&Subject { program: &program, deps: Some(&deps) })?;
        assert!(check_program(&scop, &done)?.is_legal(), "{}", done.tree);
        Ok(done)
    }

    /// The bands on the way down the first children.
    fn bands(tree: &ScheduleTree) -> Vec<Band> {
        let mut below = tree.children().first().map(bands).unwrap_or_default();
        if let Node::Band { band, .. } = tree.node() {
            below.insert(0, band.clone());
        }
        below
    }

    /// The dates of the outermost loop.
    fn dates(program: &Program) -> String {
        bands(&program.tree)[0].members[0].schedule.to_string()
    }

    /// Why loops stay apart.
    fn reason(loops: &str, first: &str, count: usize) -> String {
        match coalesced(loops, first, count) {
            Err(Error::NotApplicable(reason)) => reason.to_string(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn three_loops_are_one_of_all_their_iterations() {
        let loops = "for (int i = 2; i < n; i++) for (int j = 0; j < 20; j++) for (int k = -3; k < 7; k++) A[i][j][k + 3] = 1.0;";
        let all = coalesced(loops, "S0.1", 3).expect("one loop");
        assert_eq!(bands(&all.tree).len(), 1);
        assert!(dates(&all).contains("[(-397 + 200i + 10j + k)]"), "{}", dates(&all));
        assert!(bands(&all.tree)[0].members[0].coincident);
        let two = coalesced(loops, "S0.1", 2).expect("one loop of two");
        assert_eq!(bands(&two.tree).len(), 2);
        let inner = coalesced(loops, "S0.2", 2).expect("one loop of two");
        assert_eq!(bands(&inner.tree).len(), 2);
        assert!(dates(&inner).contains("[(i)]"), "{}", dates(&inner));
    }

    #[test]
    fn a_loop_that_carries_a_sum_makes_one_that_does() {
        let loops = "for (int i = 0; i < 40; i++) for (int j = 0; j < 40; j++) s[i] += A[0][i][j];";
        let all = coalesced(loops, "S0.1", 2).expect("one loop");
        assert!(!bands(&all.tree)[0].members[0].coincident);
    }

    /// Of statements with other iterations, those of all together count.
    #[test]
    fn statements_share_a_box() {
        let loops = "for (int i = 0; i < n; i++) for (int j = 0; j < 40; j++) { if (j < 30) A[0][i][j] = 1.0; if (j >= 10) A[1][i][j] = 2.0; }";
        let all = coalesced(loops, "S0.1", 2).expect("one loop");
        assert!(dates(&all).contains("[(40i + j)]"), "{}", dates(&all));
    }

    #[test]
    fn what_divides_is_a_constant() {
        let nest = |extent: &str| {
            format!(
                "for (int i = 0; i < n; i++) for (int j = 0; j < {extent}; j++) A[0][i][j] = 1.0;"
            )
        };
        assert_eq!(
            reason(&nest("m"), "S0.1", 2),
            format!("the loops do not become one: {SYMBOLIC}")
        );
        assert_eq!(
            reason(&nest("i"), "S0.1", 2),
            format!("the loops do not become one: {DEPENDS}")
        );
        assert_eq!(reason(&nest("40"), "S0.1", 3), "3 loops are needed");
        assert!(reason(&nest("40"), "S0.1", 1).contains("two loops at least"));
        let many = "for (int i = 0; i < n; i++) for (int j = 0; j < 100000; j++) for (int k = 0; k < 100000; k++) s[0] = 1.0;";
        assert!(reason(many, "S0.1", 3).contains("too many iterations"));
        let between = "for (int i = 0; i < 8; i++) { s[i] = 0.0; for (int j = 0; j < 8; j++) s[i] += A[0][i][j]; }";
        assert_eq!(reason(between, "S1.1", 2), "2 loops are needed");
    }

    /// Bounds that parameters move leave the number of iterations as it is.
    #[test]
    fn a_moved_loop_has_its_number_of_iterations() {
        let loops = "for (int i = 0; i < n; i++) for (int j = m; j < m + 8; j++) A[0][i][j] = 1.0;";
        let all = coalesced(loops, "S0.1", 2).expect("one loop");
        assert!(dates(&all).contains("-m + 8i + j"), "{}", dates(&all));
    }
}
