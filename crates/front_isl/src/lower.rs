//! Instances in a domain to statements.

use crate::entries::Entry;
use crate::refuse::{Read, Text};
use farkas_base::{IdVec, NameGenerator, Span};
use farkas_poly::{Aff, DimType, Map, Result, Set, Space};
use farkas_scop::{Iterator, Parameter, ScopBuilder, Statement};

/// The names of the parameters of several spaces, in their order, each once.
pub(crate) fn param_names(spaces: impl IntoIterator<Item = Space>) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for space in spaces {
        for name in space.param_names()? {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Ok(names)
}

/// A scop called `name` with these parameters and without statements.
pub(crate) fn builder(name: &str, params: &[String], context: &Set) -> Result<ScopBuilder> {
    let mut builder = ScopBuilder::new(name)?;
    builder.params = params.iter().map(|name| Parameter::new(name.clone(), "int")).collect();
    builder.context = context.align_params(&Space::params_named(params)?)?;
    Ok(builder)
}

/// The statements whose instances the value of `entry`, a union set that isl understands, holds, in the order in which
/// their names stand there; one without an instance counts, too. Their dates are still empty.
pub(crate) fn statements(
    text: &Text<'_>,
    entry: &Entry,
    params: &[String],
) -> Read<Vec<Statement>> {
    let failed = |error| text.failed(entry.key, &error);
    let model = Space::params_named(params).map_err(failed)?;
    let mut found: Vec<(Span, Set)> = Vec::new();
    for (span, set) in text.parts::<Set>(entry)? {
        let name = instance_name(text, span, &set)?;
        let set = set.align_params(&model).map_err(failed)?;
        let known = found.iter_mut().find(|(_, other)| other.tuple_name().as_ref() == Some(&name));
        let Some((first, other)) = known else {
            found.push((span, set));
            continue;
        };
        let depths = [&set, &*other].map(|set| set.dim(DimType::SET));
        if depths[0] != depths[1] {
            let message = format!("the instances of `{name}` differ in their number of dimensions");
            let error = text.unsupported(message, span, "another number of dimensions");
            return Err(Box::new(error.also(*first, "first")));
        }
        *other = other.union(&set).map_err(failed)?;
    }
    let lower =
        |(span, set): (Span, Set)| statement(set.tuple_name().unwrap_or_default(), set, span);
    found.into_iter().map(lower).collect::<Result<_>>().map_err(failed)
}

/// The name of the statement whose instances `set` holds.
fn instance_name(text: &Text<'_>, span: Span, set: &Set) -> Read<String> {
    let is_nested = set.space().and_then(|space| space.is_wrapping());
    let is_nested = is_nested.map_err(|error| text.failed(span, &error))?;
    set.tuple_name().filter(|_| !is_nested).ok_or_else(|| {
        let what = if is_nested { "pairs of tuples" } else { "tuples without a name" };
        let message = format!("the domain holds {what}, which are no instances of a statement");
        let error = text.unsupported(message, span, "no instances");
        Box::new(error.help("write the statement's name in front, as in `{ S[i] }`"))
    })
}

/// A statement without accesses and body. Iterators have the names of the domain's dimensions, else `i0`, `i1` and so on.
fn statement(name: String, domain: Set, span: Span) -> Result<Statement> {
    let space = domain.space()?;
    let depth = domain.dim(DimType::SET)?;
    let own: Vec<Option<String>> = (0..depth).map(|at| space.dim_name(DimType::SET, at)).collect();
    let mut names = NameGenerator::new(own.iter().flatten().cloned());
    let (mut iterators, mut domain) = (Vec::new(), domain);
    for (at, own) in (0..).zip(own) {
        let value = Aff::var_on_domain(&space, DimType::SET, at)?.to_pw_aff()?;
        let name = own.unwrap_or_else(|| names.fresh(&format!("i{at}")));
        domain = domain.with_dim_name(DimType::SET, at, &name)?;
        iterators.push(Iterator { name, ty: "int".into(), value });
    }
    let date = Map::empty(&space.map_from_set()?)?;
    Ok(Statement {
        name,
        label: None,
        domain,
        iterators,
        date,
        accesses: IdVec::new(),
        body: Vec::new(),
        span: Some(span),
    })
}

/// Dates that run `statements` one after another, the instances of each in the lexicographic order of their iterators.
pub(crate) fn date_textually(statements: &mut [Statement]) -> Result<()> {
    let depth = statements.iter().map(Statement::depth).max().unwrap_or(0);
    for (at, statement) in (0..).zip(statements) {
        let own = i32::try_from(statement.depth()).unwrap_or(i32::MAX);
        let universe = Set::universe(&statement.domain.space()?)?;
        let mut date = Map::from_domain_and_range(&universe, &Set::unnamed_universe(depth + 1)?)?;
        date = date.fix_si(DimType::Out, 0, at)?;
        for iterator in 0..own {
            date = date.equate(DimType::In, iterator, DimType::Out, iterator + 1)?;
        }
        for zero in statement.depth()..depth {
            date = date.fix_si(DimType::Out, u32::try_from(zero + 1).unwrap_or(u32::MAX), 0)?;
        }
        statement.date = date;
    }
    Ok(())
}
