//! Strategy `auto`: several forms of a region, of which the one is taken that the machine model finds fastest.

mod plans;
mod search;
mod versions;

use crate::basis::Basis;
use crate::code::{Optimized, Small, Stays, printed};
use crate::conditions::{self, has_calls};
use crate::enough::{Worth, with_threads, worth};
use crate::form::Form;
use crate::growth::Added;
use crate::options::AUTO;
use crate::prove::verify;
use crate::ranking::{Ranking, Work};
use crate::{Error, Options, Session};
use farkas_codegen::Target;
use farkas_cost::{assumed_values, estimate};
use farkas_deps::Dependences;
use farkas_interp::Params;
use farkas_machine::Machine;
use farkas_poly::{DimType, Val, counted, left, with_budget};
use farkas_scop::{Outcome, Region};
use farkas_tree::Program;
use search::{Candidate, ONE_CORE, Search};

/// A form for threads, which start where sizes are larger than those that forms are compared for, may take so many times as long without them.
const WORTH_OF_CHANCE: f64 = 1.25;

/// A form that is as fast on one core alone is taken where those on all cores, which may be busy with other things, gain less.
const WORTH_OF_THREADS: f64 = 1.12;

/// The original, or its order on threads, stays where the best form is less than so many times faster: so far the model may be
/// wrong.
const WORTH_OF_CHANGE: f64 = 1.1;

/// Costs that differ by no more are the same, as far as a few hundred samples tell.
const SAME: f64 = 1.07;

/// The part of a region's effort that may go into the comparison of forms; one form takes the rest.
const FOR_SEARCH: (u64, u64) = (2, 3);

/// One in so many of the isl operations that are left may go into the comparison of forms that cost the same.
const FOR_TIES: u64 = 10;

/// Regions of constant sizes that take so few cycles are left to compilers, which write them out and keep all in registers.
const SHORT: f64 = 2000.0;

/// The form of a region that costs least; none where none can be proved.
///
/// # Errors
/// As other passes.
pub(crate) fn choose(
    region: &Region,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<Option<Optimized>, Error> {
    let params = assumed_values(&region.scop, &region.host.sizes)?;
    let basis = Basis::of(&region.scop, deps.clone());
    let mut search = Search::new(region, basis, options, params);
    let budget = budget_of_search(options);
    let (searched, operations) = counted(budget, || search.all(session));
    match searched {
        Err(error) if !error.has_simpler_form() => return Err(error),
        _ => {}
    }
    // Beside the others, and behind them: what a database knows takes no form away.
    let learned = with_budget(budget_of_search(options), || search.learned(session));
    match learned {
        Err(error) if !error.has_simpler_form() => return Err(error),
        _ => {}
    }
    let Search { mut found, params, left_out, too_large, too_long, told, .. } = search;
    found.sort_by(|a, b| a.price().total_cmp(&b.price()));
    let mut ranking = Ranking {
        machine: options.machine.name.clone(),
        params: params.iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        told: region.host.sizes.clone(),
        forms: found.iter().map(Candidate::ranked).collect(),
        work: Work { operations, limit: budget },
        left_out,
        too_large: too_large.into_iter().collect(),
        too_long,
        code_bytes: 0.0,
        learned: told,
        original_up_to: Vec::new(),
        works: Vec::new(),
        needs_threads: false,
        small: Vec::new(),
        instead: None,
        tests_memory: false,
    };
    let original = found.iter().find(|c| c.options.keeps_order());
    let before = original.map_or(f64::INFINITY, |c| c.estimate.cycles());
    let original = original.map(|c| c.form.clone());
    let mut candidates: Vec<(usize, Candidate)> = found.into_iter().enumerate().collect();
    if let Some(rank) = options.rank {
        let at = rank.clamp(1, candidates.len().max(1)) - 1;
        candidates = candidates.into_iter().skip(at).collect();
    } else if let Some(at) = as_it_is(&candidates) {
        candidates[..=at].rotate_right(1);
    } else if let Some(at) = on_one_core(&candidates, &params)? {
        candidates[..=at].rotate_right(1);
    } else if let Some(at) = own_order_on_threads(&candidates) {
        candidates[..=at].rotate_right(1);
    } else if let Some(at) = first_of_equals(region, &candidates, &params)? {
        candidates[..=at].rotate_right(1);
    }
    let mut on_one_thread = None;
    if options.rank.is_none() && !knows_sizes(region) {
        let large = match on_threads_if_large(&candidates, &params)? {
            None => faster_if_large(region, &candidates, &params)?.inspect(|_| {
                let first = candidates.first().map(|(_, first)| first);
                let first = first.filter(|first| !first.options.keeps_order());
                on_one_thread = first.map(|first| first.name.clone());
            }),
            found => found,
        };
        if let Some(at) = large {
            candidates[..=at].rotate_right(1);
        }
    }
    let mut candidates = candidates.into_iter();
    while let Some((at, candidate)) = candidates.next() {
        match verify(&candidate.form.basis.scop, &candidate.form.program, session) {
            Ok(()) => {
                ranking.forms[at].is_chosen = true;
                let others = candidates.as_slice();
                let beside = Beside { others, on_one_thread, original, before };
                return taken(region, candidate, beside, ranking, &params, session).map(Some);
            }
            Err(error) if error.is_bug() => {
                session.bug(&error, &format!("{} is left out", candidate.name));
            }
            Err(error) if error.has_simpler_form() => {
                session.warn(format!("{error}; {} is left out", candidate.name));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

/// isl operations that comparing forms may take: what the options say, but never so much that nothing is left to prove and print
/// the best of them.
fn budget_of_search(options: &Options) -> u64 {
    let left = left().map_or(u64::MAX, |left| left / FOR_SEARCH.1 * FOR_SEARCH.0);
    options.budget.min(left)
}

/// The original order without any marks, where no form costs much less, or the region is so short that compilers write it out.
fn as_it_is(candidates: &[(usize, Candidate)]) -> Option<usize> {
    let (_, fastest) = candidates.first()?;
    let at = candidates.iter().position(|(_, candidate)| candidate.options.keeps_order())?;
    let (_, own) = candidates.get(at)?;
    let is_short = own.estimate.cycles() <= SHORT && own.form.basis.scop.params().is_empty();
    (is_short || own.price() <= WORTH_OF_CHANGE * fastest.price()).then_some(at)
}

/// Of the forms that cost the same, as far as estimates can be trusted, those that are the fastest for much smaller sizes; of these the one that
/// was found first, for what is best most often is tried first.
fn first_of_equals(
    region: &Region,
    candidates: &[(usize, Candidate)],
    params: &Params,
) -> Result<Option<usize>, Error> {
    let Some((_, fastest)) = candidates.first() else { return Ok(None) };
    let is_equal = |c: &Candidate| c.price() <= SAME * fastest.price();
    let equals: Vec<(usize, &Candidate)> = candidates
        .iter()
        .enumerate()
        .map(|(at, (_, candidate))| (at, candidate))
        .filter(|(_, candidate)| is_equal(candidate))
        .collect();
    let first = |equals: &[(usize, &Candidate)]| {
        equals.iter().min_by_key(|(_, candidate)| candidate.n_before).map(|(at, _)| *at)
    };
    let small = resized(region, params, |value| value / MUCH_SMALLER)?;
    let Some(small) = small.filter(|_| equals.len() > 1) else { return Ok(first(&equals)) };
    // Most of the work that is left is for the proof.
    let budget = left().map_or(u64::MAX, |left| left / FOR_TIES);
    let prices = with_budget(budget, || -> Result<Vec<f64>, Error> {
        equals.iter().map(|(_, candidate)| price_at(candidate, &small)).collect()
    });
    let prices = match prices {
        Ok(prices) => prices,
        Err(error) if error.has_simpler_form() => return Ok(first(&equals)),
        Err(error) => return Err(error),
    };
    let most = SAME * prices.iter().copied().fold(f64::INFINITY, f64::min);
    let fastest = equals.into_iter().zip(prices).filter(|(_, price)| *price <= most);
    let fastest: Vec<(usize, &Candidate)> = fastest.map(|(equal, _)| equal).collect();
    Ok(first(&fastest))
}

/// The cycles of a form for some sizes.
fn price_at(candidate: &Candidate, params: &Params) -> Result<f64, Error> {
    let Candidate { options, form, .. } = candidate;
    Ok(estimate(&form.program.scop, &form.ast, &options.machine, params)?.cycles())
}

/// The original order with its parallel loops on threads, where no form costs much less: whatever the sizes are, all iterations
/// of a loop are there for threads to share, while a few tiles may not be. Of what strips of the same order gain estimates tell more.
fn own_order_on_threads(candidates: &[(usize, Candidate)]) -> Option<usize> {
    let (_, fastest) = candidates.first()?;
    let (_, own) = candidates.iter().find(|(_, c)| c.options.strategy.is_original())?;
    let most = (WORTH_OF_CHANGE * fastest.price()).min(SAME * own.price());
    candidates.iter().position(|(_, c)| c.options.keeps_loops() && c.price() <= most)
}

/// Where the first form is one without threads, because they are dear for the sizes that forms are compared for: the same form with threads, where
/// sizes decide whether these start.
fn on_threads_if_large(
    candidates: &[(usize, Candidate)],
    params: &Params,
) -> Result<Option<usize>, Error> {
    let Some((_, first)) = candidates.first() else { return Ok(None) };
    let Some(name) = first.name.strip_suffix(ONE_CORE) else { return Ok(None) };
    let Some(at) = candidates.iter().position(|(_, other)| other.name == name) else {
        return Ok(None);
    };
    let Candidate { options, form, .. } = &candidates[at].1;
    let alone = Machine { cores: 1, ..options.machine.clone() };
    // Where there is too little work for threads, none start.
    let alone = estimate(&form.program.scop, &form.ast, &alone, params)?;
    let cycles = alone.cycles() - alone.threads;
    let is_near = cycles <= WORTH_OF_CHANCE * first.estimate.cycles();
    Ok((is_near && asks_sizes(&candidates[at].1, params)?).then_some(at))
}

/// Where the first form has the loops of the original and no threads, because these are dear for the sizes that forms are compared for: the form that
/// is fastest for much larger ones, where sizes decide whether threads start. For others the first one runs.
fn faster_if_large(
    region: &Region,
    candidates: &[(usize, Candidate)],
    params: &Params,
) -> Result<Option<usize>, Error> {
    let Some((_, first)) = candidates.first() else { return Ok(None) };
    let large = resized(region, params, |value| value.saturating_mul(MUCH_LARGER))?;
    let Options { one_form, .. } = first.options;
    let has_own_loops = first.options.keeps_loops() && !first.form.ast.has_threads();
    let is_usual = first.options.keeps_order() || has_own_loops && !one_form;
    let Some(large) = large.filter(|_| is_usual) else { return Ok(None) };
    let price = |candidate: &Candidate| price_at(candidate, &large);
    let mut fastest = (None, price(first)? / WORTH_OF_CHANGE);
    for (at, (_, candidate)) in candidates.iter().enumerate() {
        if candidate.estimate.threads > 0.0 && asks_sizes(candidate, params)? {
            let price = price(candidate)?;
            if price < fastest.1 {
                fastest = (Some(at), price);
            }
        }
    }
    Ok(fastest.0)
}

/// Sizes that are so many times larger are much larger.
const MUCH_LARGER: i64 = 64;

/// Sizes that are so many times smaller are much smaller.
const MUCH_SMALLER: i64 = 8;

/// Other sizes than these, where the user says nothing of them; none where the region cannot have them.
fn resized(
    region: &Region,
    params: &Params,
    other: impl Fn(i64) -> i64,
) -> Result<Option<Params>, Error> {
    let values = params.iter().map(|(name, value)| match region.host.sizes.contains_key(name) {
        true => (name, value),
        false => (name, other(value)),
    });
    let values: Vec<(&str, i64)> = values.collect();
    let mut here = region.scop.context().clone();
    for (at, name) in here.space()?.param_names()?.iter().enumerate() {
        let Some((_, value)) = values.iter().find(|(known, _)| known == name) else { continue };
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        here = here.fix_val(DimType::Param, at, &Val::int(*value)?)?;
    }
    let is_possible = !here.is_empty()?;
    Ok(is_possible.then(|| Params::new(values)))
}

/// Whether sizes decide, for each loop on threads, whether these start.
fn asks_sizes(candidate: &Candidate, params: &Params) -> Result<bool, Error> {
    let Candidate { options, form, .. } = candidate;
    let asked = farkas_cost::with_threads(&form.program.scop, &form.ast, &options.machine, params)?;
    Ok(asked.threads().iter().all(Option::is_some))
}

/// Whether the user says all sizes of a region.
fn knows_sizes(region: &Region) -> bool {
    region.scop.params().iter().all(|param| region.host.sizes.contains_key(&param.name))
}

/// The first form that costs hardly more than the fastest although it has one core alone.
fn on_one_core(candidates: &[(usize, Candidate)], params: &Params) -> Result<Option<usize>, Error> {
    let Some((_, fastest)) = candidates.first() else { return Ok(None) };
    let most = WORTH_OF_THREADS * fastest.estimate.cycles();
    for (at, (_, candidate)) in candidates.iter().enumerate() {
        if candidate.estimate.cycles() > most {
            break;
        }
        if candidate.options.no_threads.is_some() {
            // What stands for the same form on threads is compared by cost alone.
            continue;
        }
        let machine = Machine { cores: 1, ..candidate.options.machine.clone() };
        let Program { scop, .. } = &candidate.form.program;
        if estimate(scop, &candidate.form.ast, &machine, params)?.cycles() <= most {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// A form that is taken.
struct Best {
    name: String,
    options: Options,
    form: Form,
    added: Added,
    /// What runs where the original would.
    instead: Option<String>,
}

impl Best {
    /// A form, where the original takes `before` cycles.
    fn of(candidate: Candidate, before: f64) -> Self {
        let saved = before - candidate.estimate.cycles();
        let Candidate { name, options, form, code_bytes, .. } = candidate;
        let added = Added { bytes: code_bytes, saved };
        Self { name, options, form, added, instead: None }
    }
}

/// What may stand beside a form.
struct Beside<'a> {
    others: &'a [(usize, Candidate)],
    /// The form for sizes that are too small for the threads of the best one, and for one thread, by name, where that is not the original.
    on_one_thread: Option<String>,
    original: Option<Form>,
    /// The cycles that the original takes.
    before: f64,
}

/// The code of a form, with what stands beside it.
fn taken(
    region: &Region,
    candidate: Candidate,
    Beside { others, on_one_thread, original, before }: Beside<'_>,
    mut ranking: Ranking,
    params: &Params,
    session: &mut Session,
) -> Result<Optimized, Error> {
    let without_memory = without_memory(region, &candidate, (others, before), session)?;
    let without_threads = match without_memory {
        None => without_threads(&candidate, (others, on_one_thread), session)?,
        Some(_) => None,
    };
    let where_small = match without_memory.or(without_threads) {
        None => where_small(region, &candidate, (others, original.as_ref()), params, session)?,
        Some(_) => None,
    };
    let instead = without_memory.or(without_threads).or(where_small);
    let other = instead.map(|other| &other.form).or(original.as_ref());
    let small = session.run("cost", || small_sizes(region, &candidate, other, params))?;
    let mut best = Best::of(candidate, before);
    if let Some(instead) = instead {
        ranking.instead = Some(instead.name.clone());
        ranking.tests_memory = is_memory_tested(region, &best.form, &best.options);
        let second = Best::of(instead.clone(), before);
        best.added.bytes += second.added.bytes;
        let around = Around { original: original.clone(), other: original.clone() };
        let own = Ranking { instead: None, ..ranking.clone() };
        let second = emitted(region, second, around, own, params, session)?;
        best.instead = Some(second.code);
    }
    ranking.small = small;
    ranking.code_bytes = best.added.bytes;
    let other = without_threads.map(|other| other.form.clone()).or(original.clone());
    emitted(region, best, Around { original, other }, ranking, params, session)
}

/// What a form is compared with.
struct Around {
    /// The original.
    original: Option<Form>,
    /// What runs where the form's threads do not pay: the original, or another form.
    other: Option<Form>,
}

/// Sizes up to which what stands beside the best form, `other`, is faster; of those that the user does not say.
fn small_sizes(
    region: &Region,
    best: &Candidate,
    other: Option<&Form>,
    params: &Params,
) -> Result<Vec<(String, i64)>, Error> {
    let Candidate { options, form, .. } = best;
    let Some(other) = other.filter(|_| !options.one_form && options.rank.is_none()) else {
        return Ok(Vec::new());
    };
    let is_told = |name: &str| region.host.sizes.contains_key(name);
    let worth = versions::worth(is_tested(region, form, options));
    versions::faster_where_small((other, form), &options.machine, params, worth, is_told)
}

/// Whether a test decides whether a form runs, so that something stands beside it whatever sizes there are.
fn is_tested(region: &Region, form: &Form, options: &Options) -> bool {
    conditions::needed(region, options).iter().any(|a| a.outcome == Outcome::Tested)
        || is_memory_tested(region, form, options)
}

/// Whether a test finds memory for the values of temporaries.
fn is_memory_tested(region: &Region, form: &Form, options: &Options) -> bool {
    let scop = &form.program.scop;
    conditions::memory(region, (scop, &form.ast), &form.basis.own, options.memory)
        .is_some_and(|assumption| assumption.outcome == Outcome::Tested)
}

/// The fastest of the other forms that keep temporaries where they are, where the best form has places for all of their values if a test in
/// front of it finds enough memory, and where it is worth a version of its own beside the original, which takes `before` cycles.
fn without_memory<'a>(
    region: &Region,
    best: &Candidate,
    (others, before): (&'a [(usize, Candidate)], f64),
    session: &mut Session,
) -> Result<Option<&'a Candidate>, Error> {
    let Candidate { options, form, .. } = best;
    let is_tested = is_memory_tested(region, form, options);
    let is_for_host = !matches!(options.target, Target::Device(_));
    let is_alone = options.rank.is_some() || options.one_form;
    if !form.basis.is_expanded() || !is_tested || !is_for_host || is_alone {
        return Ok(None);
    }
    let room = options.room() - best.code_bytes;
    let is_worth = |other: &&Candidate| {
        !other.form.basis.is_expanded()
            && other.code_bytes <= room
            && WORTH_OF_CHANGE * other.price() <= before
    };
    let worth = others.iter().map(|(_, other)| other).filter(is_worth);
    match worth.min_by(|a, b| a.price().total_cmp(&b.price())) {
        Some(found) => proved(found, session),
        None => Ok(None),
    }
}

/// The form of a name, where it and the best one are not too much code.
fn without_threads<'a>(
    best: &Candidate,
    (others, name): (&'a [(usize, Candidate)], Option<String>),
    session: &mut Session,
) -> Result<Option<&'a Candidate>, Error> {
    let Some(name) = name else { return Ok(None) };
    let room = best.options.room() - best.code_bytes;
    let is_it = |other: &&Candidate| other.name == name && other.code_bytes <= room;
    match others.iter().map(|(_, other)| other).find(is_it) {
        Some(found) => proved(found, session),
        None => Ok(None),
    }
}

/// The form that is much faster than the best one and the original where one size is small, and the others are as large as forms are compared
/// for; of several sizes, the one for which it makes the most of a difference.
fn where_small<'a>(
    region: &Region,
    best: &Candidate,
    (others, original): (&'a [(usize, Candidate)], Option<&Form>),
    params: &Params,
    session: &mut Session,
) -> Result<Option<&'a Candidate>, Error> {
    let Candidate { options, form, .. } = best;
    let is_for_host = !matches!(options.target, Target::Device(_));
    let is_own = options.keeps_order() || options.rank.is_some() || options.one_form;
    let Some(original) = original.filter(|_| is_for_host && !is_own) else { return Ok(None) };
    let room = options.room() - best.code_bytes;
    let forms: Vec<&Candidate> = others
        .iter()
        .map(|(_, other)| other)
        .filter(|other| !other.options.keeps_order() && other.code_bytes <= room)
        .collect();
    let is_told = |name: &str| region.host.sizes.contains_key(name);
    let found = session.run("cost", || {
        let all: Vec<&Form> = forms.iter().map(|other| &other.form).collect();
        versions::fastest_where_small(&all, [form, original], &options.machine, params, is_told)
    })?;
    match found {
        Some(at) => proved(forms[at], session),
        None => Ok(None),
    }
}

/// A form, if it can be proved.
fn proved<'a>(found: &'a Candidate, session: &mut Session) -> Result<Option<&'a Candidate>, Error> {
    match verify(&found.form.basis.scop, &found.form.program, session) {
        Ok(()) => Ok(Some(found)),
        Err(error) if error.is_bug() => {
            session.bug(&error, &format!("{} is left out", found.name));
            Ok(None)
        }
        Err(error) if error.has_simpler_form() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The code of the best form; beside it what is faster for small sizes.
fn emitted(
    region: &Region,
    best: Best,
    Around { original, other }: Around,
    mut ranking: Ranking,
    params: &Params,
    session: &mut Session,
) -> Result<Optimized, Error> {
    let Best { name, options, form, added, instead } = best;
    let options = &options;
    let form = with_threads(region, form, options, session)?;
    let is_original = options.keeps_order();
    // What calls take the place of is not what stands beside them.
    let calls = has_calls(&region.scop);
    let smaller = match &other {
        Some(first) if !is_original && options.rank.is_none() && !calls => {
            let forms = (first, &form);
            let worth = versions::worth(is_tested(region, &form, options));
            session
                .run("cost", || versions::faster_below(forms, &options.machine, params, worth))?
        }
        _ => None,
    };
    let Worth { form, works, needs_threads } = match calls {
        true => Worth { form, works: Vec::new(), needs_threads: false },
        false => worth(region, form, other.as_ref(), options, session)?,
    };
    let strategy = format!("{AUTO}{name}");
    let up_to = smaller.unwrap_or_default();
    let value = |name: &str| up_to.iter().find(|(known, _)| known == name).map(|(_, most)| *most);
    // Where there is enough work, sizes are larger.
    let is_implied = !works.is_empty() && works.iter().all(|w| w.holds(&value) == Some(false));
    let up_to = if is_implied { Vec::new() } else { up_to };
    let each = ranking.small.clone();
    let small = Small { up_to, each, works, needs_threads, instead };
    ranking.needs_threads = needs_threads;
    (ranking.original_up_to, ranking.works) = (small.up_to.clone(), small.works.clone());
    let is_unchanged = original.is_some_and(|own| own.program == form.program);
    let stays = is_unchanged.then_some(Stays::NoneIsFaster);
    let chosen = printed(region, form, &strategy, (options, small), session)?;
    let added = if is_unchanged { Added::default() } else { added };
    Ok(Optimized { ranking: Some(ranking), stays, added, ..chosen })
}
