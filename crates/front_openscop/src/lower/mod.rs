//! A scop of a document to a [`Scop`].

mod access;
mod arrays;
mod body;
mod order;
mod refuse;
mod shape;

use crate::document::{OpenScop, OpenStatement, Parsed};
use crate::poly::{param_set_of, set_of};
use crate::raise::Origin;
use access::accesses;
use arrays::Arrays;
use body::{body, iterators};
use farkas_base::{Diagnostic, SourceFile, Span};
use farkas_poly::{Map, Set};
use farkas_scop::{
    Assumption, AssumptionKind, Claim, Outcome, Parameter, Scop, ScopBuilder, Statement,
};
use order::Dates;
use refuse::{Lower, Place};
use std::sync::Arc;

/// A scop and what it came from.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The scop; its statements are those of the document, called `S1`, `S2` and so on.
    pub scop: Scop,
    /// How its instances correspond to those of the document.
    pub origin: Origin,
    /// What had to be assumed.
    pub warnings: Vec<Diagnostic>,
}

/// The scop at `index` of a document that was read from `source`, as a scop called `name`.
///
/// An iterator that runs downward is negated, so that iterators run upward. A WRITE that touches several elements an
/// instance, or fewer dimensions than its array has, counts as one that may happen or not.
///
/// # Errors
/// The diagnostic of a scop that makes no program: see the id `unsupported-openscop`.
pub fn scop_of(
    source: &Arc<SourceFile>,
    parsed: &Parsed,
    index: usize,
    name: &str,
) -> Result<Lowered, Box<Diagnostic>> {
    let whole = parsed.spans.get(index).copied().unwrap_or(Span::new(0..0));
    let place = Place { source, span: whole };
    let Some(open) = parsed.document.scops.get(index) else {
        return Err(place.refuse(format!("there is no scop {}", index + 1), "in this file"));
    };
    let spans = parsed.statement_spans.get(index).map(Vec::as_slice).unwrap_or_default();
    let lowering = Lowering { open, place, spans };
    lowering.run(name)
}

/// A scop being made.
struct Lowering<'a> {
    open: &'a OpenScop,
    place: Place<'a>,
    spans: &'a [Span],
}

/// A statement of the document and what is known of it so far.
struct Part<'a> {
    open: &'a OpenStatement,
    place: Place<'a>,
    name: String,
    /// The instances.
    domain: Set,
}

impl<'a> Lowering<'a> {
    /// All of it.
    fn run(&self, name: &str) -> Lower<Lowered> {
        let params = shape::parameter_names(self.open, self.place)?;
        let context = self.place.poly(param_set_of(&self.open.context, &params))?;
        let parts = self.parts(&params)?;
        let mut warnings = Vec::new();
        let Dates { dates, origin } =
            order::dates(&parts, &params, &context, self.place, &mut warnings)?;
        let arrays = Arrays::new(self.open, self.place)?;
        let mut builder = self.place.poly(ScopBuilder::new(name))?;
        builder.context = context;
        builder.params = params.iter().map(|p| Parameter::new(p.clone(), "int")).collect();
        builder.arrays = arrays.arrays();
        builder.assumptions = assumptions(builder.arrays.len(), !warnings.is_empty());
        for ((part, date), instances) in parts.iter().zip(dates).zip(&origin.instances) {
            let statement = self.place.poly(statement(part, date, instances))?;
            let accesses = accesses(part, &params, &arrays, instances)?;
            builder.stmts.push(Statement { accesses, ..statement });
        }
        let scop = builder
            .build()
            .map_err(|violation| self.place.refuse(violation.to_string(), "this scop"))?;
        Ok(Lowered { scop, origin, warnings })
    }

    /// The statements with their domains.
    fn parts(&self, params: &[String]) -> Lower<Vec<Part<'a>>> {
        let mut parts = Vec::new();
        for (at, open) in self.open.statements.iter().enumerate() {
            let name = format!("S{}", at + 1);
            let span = self.spans.get(at).copied().unwrap_or(self.place.span);
            let place = Place { span, ..self.place };
            let domain = shape::domain(open, params.len(), &name, place)?;
            let domain =
                place.poly(set_of(domain, params).and_then(|d| d.with_tuple_name(&name)))?;
            parts.push(Part { open, place, name, domain });
        }
        Ok(parts)
    }
}

/// What the format means without saying it.
fn assumptions(n_arrays: usize, is_order_assumed: bool) -> Vec<Assumption> {
    let apart = (n_arrays > 1)
        .then_some((AssumptionKind::NoOverlap, "arrays with different numbers do not overlap"));
    let order = is_order_assumed.then_some((
        AssumptionKind::FileOrder,
        "instances with the same date run statement after statement, in the order of the iterators",
    ));
    let assumption = |(kind, text): (AssumptionKind, &str)| Assumption {
        kind,
        claim: Claim::Untestable,
        text: text.into(),
        needed_by: "dependences",
        names: Vec::new(),
        span: None,
        outcome: Outcome::Proved("OpenSCoP says so".into()),
    };
    apart.into_iter().chain(order).map(assumption).collect()
}

/// A statement without its accesses.
fn statement(part: &Part<'_>, date: Map, instances: &Map) -> farkas_poly::Result<Statement> {
    let iterators = iterators(part.open, instances)?;
    Ok(Statement {
        name: part.name.clone(),
        label: None,
        domain: part.domain.apply(instances)?,
        body: body(part.open, &part.name),
        iterators,
        date,
        accesses: farkas_base::IdVec::new(),
        span: Some(part.place.span),
    })
}
