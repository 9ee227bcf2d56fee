//! Instances in a domain to statements.

use crate::entries::Entry;
use crate::refuse::{Read, Text};
use farkas_base::{IdVec, NameGenerator, Span};
use farkas_poly::{Aff, DimType, Map, Result, Set, Space, UnionSet};
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
    builder.params =
        params.iter().map(|name| Parameter { name: name.clone(), ty: "int".into() }).collect();
    builder.context = context.align_params(&Space::params_named(params)?)?;
    Ok(builder)
}

/// The statements whose instances `domain` holds, in the order in which their names stand in the text of `entry`. Their
/// dates are still empty.
pub(crate) fn statements(
    text: &Text<'_>,
    entry: &Entry,
    domain: &UnionSet,
    params: &[String],
) -> Read<Vec<Statement>> {
    let failed = |error| text.failed(entry.key, &error);
    let model = Space::params_named(params).map_err(failed)?;
    let mut found: Vec<(Span, Statement)> = Vec::new();
    for set in domain.sets().map_err(failed)? {
        let space = set.space().map_err(failed)?;
        let is_nested = space.is_wrapping().map_err(failed)?;
        let Some(name) = set.tuple_name().filter(|_| !is_nested) else {
            let what = if is_nested { "pairs of tuples" } else { "tuples without a name" };
            let message = format!("the domain holds {what}, which are no instances of a statement");
            let error = text.unsupported(message, entry.value, format!("in it are {what}"));
            return Err(Box::new(
                error.help("write the statement's name in front, as in `{ S[i] }`"),
            ));
        };
        let span = text.tuple(entry, &name);
        if found.iter().any(|(_, other)| other.name == name) {
            let message = format!("the instances of `{name}` differ in their number of dimensions");
            return Err(text.unsupported(message, span, "one name, several numbers of dimensions"));
        }
        let domain = set.align_params(&model).map_err(failed)?;
        found.push((span, statement(name, domain, span).map_err(failed)?));
    }
    found.sort_by_key(|(span, _)| span.start);
    Ok(found.into_iter().map(|(_, statement)| statement).collect())
}

/// A statement without accesses and body. Iterators have the names of the domain's dimensions, else `i0`, `i1` and so on.
fn statement(name: String, domain: Set, span: Span) -> Result<Statement> {
    let space = domain.space()?;
    let depth = domain.dim(DimType::SET)?;
    let own: Vec<Option<String>> = (0..depth).map(|at| space.dim_name(DimType::SET, at)).collect();
    let mut names = NameGenerator::new(own.iter().flatten().cloned());
    let mut iterators = Vec::new();
    for (at, own) in (0..).zip(own) {
        let value = Aff::var_on_domain(&space, DimType::SET, at)?.to_pw_aff()?;
        let name = own.unwrap_or_else(|| names.fresh(&format!("i{at}")));
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
        let own = u32::try_from(statement.depth()).unwrap_or(u32::MAX);
        let missing = u32::try_from(depth - statement.depth()).unwrap_or(u32::MAX);
        let universe = Set::universe(&statement.domain.space()?)?;
        let mut date = universe.identity()?.reset_tuple_id(DimType::Out)?;
        date = date.insert_dims(DimType::Out, 0, 1)?.fix_si(DimType::Out, 0, at)?;
        date = date.add_dims(DimType::Out, missing)?;
        for zero in 0..missing {
            date = date.fix_si(DimType::Out, own + 1 + zero, 0)?;
        }
        statement.date = date;
    }
    Ok(())
}
