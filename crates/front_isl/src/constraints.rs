//! isl's schedule constraints: a domain and relations that a schedule of it must respect or should consider.

use crate::entries::Entry;
use crate::lower::{builder, date_textually, param_names, statements};
use crate::refuse::{Read, Text};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use farkas_poly::{DimType, Map, Result, ScheduleConstraints, Space, UnionMap, with_budget};
use farkas_scop::{Scop, StmtId};
use std::sync::Arc;

/// isl operations that reading a file may take.
pub(crate) const MAX_OPERATIONS: u64 = 100_000_000;

/// What a relation between instances means for the schedule; isl's kinds, in the order of its printer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ConstraintKind {
    /// The source runs before the sink.
    Validity,
    /// Source and sink have the same date in each loop that is called coincident.
    Coincidence,
    /// Makes adjacent pairs of [`ConstraintKind::ConditionalValidity`] matter where its own source and sink are dated
    /// differently: two pairs are adjacent where the sink of one is the source of the other.
    Condition,
    /// The source runs before the sink where an adjacent pair of [`ConstraintKind::Condition`] is not in one iteration.
    ConditionalValidity,
    /// Source and sink should be dated closely.
    Proximity,
}

impl ConstraintKind {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Validity,
        Self::Coincidence,
        Self::Condition,
        Self::ConditionalValidity,
        Self::Proximity,
    ];

    /// The key in isl's YAML.
    pub fn name(self) -> &'static str {
        match self {
            Self::Validity => "validity",
            Self::Coincidence => "coincidence",
            Self::Condition => "condition",
            Self::ConditionalValidity => "conditional_validity",
            Self::Proximity => "proximity",
        }
    }

    /// Whether it is about which of two instances comes first, so that an instance and itself are no pair.
    fn is_order(self) -> bool {
        matches!(self, Self::Validity | Self::ConditionalValidity)
    }

    /// The relation of this kind.
    fn of(self, constraints: &ScheduleConstraints) -> Result<UnionMap> {
        match self {
            Self::Validity => constraints.validity(),
            Self::Coincidence => constraints.coincidence(),
            Self::Condition => constraints.condition(),
            Self::ConditionalValidity => constraints.conditional_validity(),
            Self::Proximity => constraints.proximity(),
        }
    }
}

/// The part of a relation between the instances of two statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// What it means.
    pub kind: ConstraintKind,
    /// The statement of the sources.
    pub source: StmtId,
    /// The statement of the sinks.
    pub sink: StmtId,
    /// The pairs, within the domain and under the context; without pairs of an instance and itself where the kind is about
    /// order. Every parameter of the scop is present, in the scop's order.
    pub pairs: Map,
    /// The pairs as the text has them: anywhere, and with the tags that conditions may have, `[S[i] -> tag[]] -> T[j]`.
    pub written: Map,
}

/// Schedule constraints as a scop.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The instances as statements, without accesses and bodies, dated in the order in which their names stand in the
    /// domain's text. Nothing says that this order is one that the constraints allow.
    pub scop: Scop,
    /// The constraints, sorted by source, sink and kind.
    pub constraints: Vec<Constraint>,
    /// What was left out.
    pub warnings: Vec<Diagnostic>,
}

/// Reads schedule constraints, as a scop called `name`. Pairs need not keep to the domain: what never runs says nothing, so
/// that `{ S[i] -> S[i + 1] }` may go without bounds. A warning says where nothing is left at all.
///
/// # Errors
/// The diagnostic of a text that isl's reader refuses, of a key that is there twice, or of instances that make no
/// statements.
///
/// # Example
/// ```
/// # use farkas_base::SourceFile;
/// # use farkas_front_isl::{ConstraintKind, read_constraints};
/// let text = "domain: [n] -> { S[i] : 0 <= i < n }\nvalidity: { S[i] -> S[i + 1] }\n";
/// let lowered = read_constraints(&SourceFile::new("chain.sc", text).into(), "chain").expect("constraints");
/// assert_eq!(lowered.scop.stmts().len(), 1);
/// assert_eq!(lowered.constraints[0].kind, ConstraintKind::Validity);
/// ```
pub fn read_constraints(
    source: &Arc<SourceFile>,
    name: &str,
) -> std::result::Result<Lowered, Box<Diagnostic>> {
    with_budget(MAX_OPERATIONS, || lower(source, name))
}

/// Reads without a budget of its own.
fn lower(source: &Arc<SourceFile>, name: &str) -> Read<Lowered> {
    let known: Vec<&str> = ["domain", "context"]
        .into_iter()
        .chain(ConstraintKind::ALL.map(ConstraintKind::name))
        .collect();
    let text = Text::new(source, "schedule constraints file", &known)?;
    let domain = text.domain()?;
    let constraints = read(&text)?;
    let failed = |error| text.failed(domain.key, &error);
    let params = params(&constraints).map_err(failed)?;
    let mut stmts = statements(&text, domain, &params)?;
    date_textually(&mut stmts).map_err(failed)?;
    let mut builder = constraints
        .context()
        .and_then(|context| builder(name, &params, &context))
        .map_err(failed)?;
    builder.stmts = stmts.into_iter().collect();
    let scop = builder
        .build()
        .map_err(|violation| text.unsupported(violation.to_string(), domain.key, "this domain"))?;
    let mut lowering = Lowering { text: &text, scop: &scop, params, warnings: Vec::new() };
    let found = lowering.constraints(&constraints)?;
    let warnings = lowering.warnings;
    Ok(Lowered { scop, constraints: found, warnings })
}

/// The constraints as isl reads them.
fn read(text: &Text<'_>) -> Read<ScheduleConstraints> {
    let error = match text.source.text().parse::<ScheduleConstraints>() {
        Ok(constraints) => return Ok(constraints),
        Err(error) => error,
    };
    for entry in &text.entries {
        match entry.name.as_str() {
            "domain" => drop(text.read::<farkas_poly::UnionSet>(entry)?),
            "context" => drop(text.read::<farkas_poly::Set>(entry)?),
            _ => drop(text.read::<UnionMap>(entry)?),
        }
    }
    let whole = text.entries.first().map_or(Span::new(0..0), |entry| entry.key);
    let farkas_poly::Error::Parse { message, .. } = &error else {
        return Err(text.failed(whole, &error));
    };
    let refused =
        text.wrong(format!("isl does not read this file: {message}"), whole, "the first key");
    Err(Box::new(
        refused.help("put each key at the start of a line, followed by a colon and its value"),
    ))
}

/// The names of all parameters, those of the domain first.
fn params(constraints: &ScheduleConstraints) -> Result<Vec<String>> {
    let mut spaces = vec![constraints.domain()?.space()?, constraints.context()?.space()?];
    for kind in ConstraintKind::ALL {
        spaces.push(kind.of(constraints)?.space()?);
    }
    param_names(spaces)
}

/// Relations being split.
struct Lowering<'a> {
    text: &'a Text<'a>,
    scop: &'a Scop,
    params: Vec<String>,
    warnings: Vec<Diagnostic>,
}

impl Lowering<'_> {
    /// The constraints of all kinds, sorted.
    fn constraints(&mut self, constraints: &ScheduleConstraints) -> Read<Vec<Constraint>> {
        let mut found: Vec<Constraint> = Vec::new();
        for kind in ConstraintKind::ALL {
            let Some(entry) = self.text.entry(kind.name()) else { continue };
            let failed = |error| self.text.failed(entry.key, &error);
            let maps = kind.of(constraints).and_then(|union| union.maps()).map_err(failed)?;
            for written in maps {
                found.extend(self.constraint(kind, entry, written)?);
            }
        }
        found.sort_by_key(|c| (c.source, c.sink, c.kind));
        Ok(found)
    }

    /// One constraint; none where no pair lies in the domain.
    fn constraint(
        &mut self,
        kind: ConstraintKind,
        entry: &Entry,
        written: Map,
    ) -> Read<Option<Constraint>> {
        let text = self.text;
        let failed = |error| text.failed(entry.key, &error);
        let pairs = untagged(&written).map_err(failed)?;
        let Some((source, sink)) = self.ends(kind, entry, &pairs)? else { return Ok(None) };
        let within = self.within(source, sink, &pairs).map_err(failed)?;
        if within.is_empty().map_err(failed)? && !pairs.is_empty().map_err(failed)? {
            let names = [source, sink].map(|stmt| self.scop.stmts()[stmt].name.clone());
            let message = format!(
                "no pair of the {} from `{}` to `{}` is in the domain",
                entry.name, names[0], names[1]
            );
            self.warn(message, text.tuple(entry, &names[0]), "this part says nothing");
        }
        let kept = if kind.is_order() && source == sink { apart(&within) } else { Ok(within) };
        let pairs = kept.map_err(failed)?;
        if pairs.is_empty().map_err(failed)? {
            return Ok(None);
        }
        Ok(Some(Constraint { kind, source, sink, pairs, written }))
    }

    /// The statements that a relation leads from and to, with a warning where there is none.
    fn ends(
        &mut self,
        kind: ConstraintKind,
        entry: &Entry,
        pairs: &Map,
    ) -> Read<Option<(StmtId, StmtId)>> {
        let text = self.text;
        let mut found = Vec::new();
        for end in [DimType::In, DimType::Out] {
            let name = pairs.tuple_name(end).unwrap_or_default();
            let dims = pairs.dim(end).map_err(|error| text.failed(entry.key, &error))?;
            let stmt = self.scop.stmt_by_name(&name);
            match stmt.filter(|stmt| self.scop.stmts()[*stmt].depth() == dims as usize) {
                Some(stmt) => found.push(stmt),
                None => {
                    let tuple = format!("{name}[{}]", vec!["_"; dims as usize].join(", "));
                    let message = format!(
                        "the {} speaks of `{tuple}`, which is not in the domain",
                        kind.name()
                    );
                    self.warn(message, text.tuple(entry, &name), "this part is left out");
                    return Ok(None);
                }
            }
        }
        match found.as_slice() {
            [source, sink] => Ok(Some((*source, *sink))),
            _ => Ok(None),
        }
    }

    /// The pairs of which both ends run.
    fn within(&self, source: StmtId, sink: StmtId, pairs: &Map) -> Result<Map> {
        let pairs = pairs.align_params(&Space::params_named(&self.params)?)?;
        let (from, to) = (self.scop.domain_of(source)?, self.scop.domain_of(sink)?);
        pairs
            .intersect_domain(&from)?
            .intersect_range(&to)?
            .align_params(&Space::params_named(&self.params)?)
    }

    /// A warning, once a place.
    fn warn(&mut self, message: String, span: Span, label: &str) {
        let warning = Diagnostic::new(DiagnosticId::OutsideDomain, message);
        let warning = warning.at(self.text.source, span, label);
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }
}

/// A relation without tags: `S[i] -> T[j]` for `[S[i] -> a[]] -> [T[j] -> b[]]`.
pub(crate) fn untagged(map: &Map) -> Result<Map> {
    let space = map.space()?;
    let mut map = map.clone();
    if space.domain()?.is_wrapping()? {
        map = map.domain_factor_domain()?;
    }
    if space.range()?.is_wrapping()? {
        map = map.range_factor_domain()?;
    }
    Ok(map)
}

/// The pairs of different instances.
fn apart(pairs: &Map) -> Result<Map> {
    let same = Map::identity(&pairs.space()?)?;
    if pairs.is_disjoint(&same)? { Ok(pairs.clone()) } else { pairs.subtract(&same) }
}
