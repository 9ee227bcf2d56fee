//! OpenSCoP in and out: files as regions, and new orders back into documents.

use crate::analyze::analyze;
use crate::decide::{Decided, decide};
use crate::fallback::first_of;
use crate::prove::{proved, verify};
use crate::refusal::dropped;
use crate::{Error, Input, Options, Session, effort};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_deps::Dependences;
use farkas_front_openscop::{
    Coordinates, Document, Origin, document_scop, order_of, reschedule, scop_of,
};
use farkas_poly::{DimType, with_budget};
use farkas_schedule::Scheduled;
use farkas_scop::{ArrayScope, Region, Scop};
use farkas_transform::Remark;
use farkas_tree::{Program, ScheduleTree};
use std::sync::Arc;

/// isl operations that a scop may take on its way out of a document or into it.
const MAX_OPERATIONS: u64 = 20_000_000;

/// A document, and which regions its scops became or came from.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// The document.
    pub document: Document,
    /// For each region, its scop's place in the document and how their instances correspond.
    links: Vec<(usize, Origin)>,
}

/// Reads an OpenSCoP file: its scops as regions, called `scop`, `scop:2` and so on, and the document itself. A scop
/// without statements is no region; it stays in the document.
///
/// # Errors
/// The diagnostic of what is no OpenSCoP or makes no program.
pub fn parse_openscop(source: &Arc<SourceFile>) -> Result<(Input, Exchange), Box<Diagnostic>> {
    let parsed = farkas_front_openscop::parse(source)?;
    let mut input = Input {
        source: Arc::clone(source),
        regions: Vec::new(),
        reading: None,
        diagnostics: Vec::new(),
    };
    let mut links = Vec::new();
    for (at, span) in parsed.spans.iter().enumerate() {
        let is_empty = parsed.document.scops.get(at).is_none_or(|s| s.statements.is_empty());
        if is_empty {
            continue;
        }
        let n = input.regions.len() + 1;
        let name = if n == 1 { "scop".to_owned() } else { format!("scop:{n}") };
        let lowered = with_budget(MAX_OPERATIONS, || scop_of(source, &parsed, at, &name))?;
        input.diagnostics.extend(lowered.warnings);
        links.push((at, lowered.origin));
        input.regions.push(Region::bare(lowered.scop, *span));
    }
    Ok((input, Exchange { document: parsed.document, links }))
}

/// The new order of a region, without code.
#[derive(Clone, Debug)]
pub struct Reordered {
    /// The dependences of the original program.
    pub deps: Dependences,
    /// What the scheduler returned; none where it was not asked: the original order, or isl's own scheduler.
    pub scheduled: Option<Scheduled>,
    /// The new order; it went through the legality check.
    pub tree: ScheduleTree,
    /// What was done and why.
    pub remarks: Vec<Remark>,
    /// What it took, and what there is to tell.
    pub session: Session,
}

/// As [`optimize`](crate::optimize), but only up to the verified order: nothing is generated, so that instances without end
/// are no obstacle.
///
/// # Errors
/// As [`optimize`](crate::optimize).
pub fn reorder(scop: &Scop, options: &Options) -> Result<Reordered, Error> {
    effort::within(scop, options.effort, || reorder_within(scop, options))
}

/// [`reorder`] without a limit of its own.
fn reorder_within(scop: &Scop, options: &Options) -> Result<Reordered, Error> {
    let mut session = Session::default();
    if options.expand {
        session.warn("temporaries stay where they are: OpenSCoP declares no arrays");
    }
    let deps = analyze(scop, options, &mut session)?;
    let options = &options.for_orders();
    let attempt = |options: &Options, session: &mut Session| order(scop, &deps, options, session);
    let ordered = first_of(scop.name(), options, &mut session, attempt)?;
    let (tree, scheduled, remarks) = ordered;
    session.diagnostics.extend(dropped(scheduled.as_ref(), scop, &deps, options));
    Ok(Reordered { deps, scheduled, tree, remarks, session })
}

/// One attempt with fixed options.
fn order(
    scop: &Scop,
    deps: &Dependences,
    options: &Options,
    session: &mut Session,
) -> Result<(ScheduleTree, Option<Scheduled>, Vec<Remark>), Error> {
    let Decided { tree, scheduled, reorders } = decide(scop, deps, options, session)?;
    // A document has no place for buffers.
    let options = options.clone().with_template(|template| template.without_register_tiles());
    let (program, remarks) = proved(scop, deps, reorders, &tree, &options, session)?;
    Ok((program.tree, scheduled, remarks))
}

/// The message on a scop of a document of which no code can be generated: a loop in it has no end.
///
/// # Errors
/// When isl refuses.
pub fn endless(input: &Input) -> Result<Option<Diagnostic>, Error> {
    for region in &input.regions {
        for statement in region.scop.stmts() {
            for (at, iterator) in (0..).zip(&statement.iterators) {
                let kind = DimType::SET;
                let has_ends = statement.domain.dim_has_lower_bound(kind, at)?
                    && statement.domain.dim_has_upper_bound(kind, at)?;
                if !has_ends {
                    let message = format!(
                        "iterator `{}` of {} has no bound, so there is no code for it",
                        iterator.name, statement.name
                    );
                    let diagnostic = Diagnostic::new(DiagnosticId::UnsupportedOpenscop, message);
                    let place = statement.span.unwrap_or(region.span);
                    let diagnostic = diagnostic.at(&input.source, place, "this statement");
                    return Ok(Some(diagnostic.help("write OpenSCoP instead, with --to openscop")));
                }
            }
        }
    }
    Ok(None)
}

impl Exchange {
    /// The regions of a C file as a document, in their own order.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn of_regions(input: &Input) -> Result<Self, Error> {
        let mut exchange = Self { document: Document::default(), links: Vec::new() };
        for region in &input.regions {
            let place = Some(coordinates(input, region));
            let (scop, origin) =
                with_budget(MAX_OPERATIONS, || document_scop(&region.scop, place))?;
            exchange.links.push((exchange.document.scops.len(), origin));
            exchange.document.scops.push(scop);
        }
        Ok(exchange)
    }

    /// How the instances of the scop of the region at `region` correspond to those of the document.
    pub fn origin(&self, region: usize) -> Option<&Origin> {
        self.links.get(region).map(|(_, origin)| origin)
    }

    /// What the document of a C file lacks: declarations of the regions' own variables.
    pub fn losses(input: &Input) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for region in &input.regions {
            let own = region.scop.arrays().iter().filter(|a| a.scope == ArrayScope::Region);
            let names: Vec<String> = own.map(|array| format!("`{}`", array.name)).collect();
            if names.is_empty() {
                continue;
            }
            let message = format!(
                "{}: OpenSCoP has no declarations, so that of {} is lost",
                region.scop.name(),
                names.join(", ")
            );
            let diagnostic = Diagnostic::new(DiagnosticId::DeclarationDropped, message);
            found.push(diagnostic.help("declare variables before the region"));
        }
        found
    }

    /// Puts `tree` into the document as the order of the region at `region`, whose scop is `scop`. The scatterings that
    /// come out of it are checked by themselves, whatever was known of the tree.
    ///
    /// # Errors
    /// [`Error::Illegal`] when the scatterings do not keep the meaning of `scop`, which is a bug of ours.
    pub fn reschedule(
        &mut self,
        region: usize,
        scop: &Scop,
        tree: &ScheduleTree,
    ) -> Result<(), Error> {
        let Some((at, origin)) = self.links.get(region) else { return Ok(()) };
        let Some(open) = self.document.scops.get_mut(*at) else { return Ok(()) };
        let (new, order) = with_budget(MAX_OPERATIONS, || {
            let new = reschedule(open, scop, origin, tree)?;
            let order = order_of(&new, scop, origin)?;
            Ok::<_, Error>((new, order))
        })?;
        verify(scop, &Program::new(scop, order), &mut Session::default())?;
        *open = new;
        Ok(())
    }
}

/// Where a region stands, in lines and columns.
fn coordinates(input: &Input, region: &Region) -> Coordinates {
    let place = |offset| {
        let at = input.source.line_column(offset);
        (i64::from(at.line), i64::from(at.column.saturating_sub(1)))
    };
    Coordinates {
        file: input.source.name().to_owned(),
        start: place(region.span.start),
        end: place(region.span.end),
        indent: i64::try_from(region.host.indent.chars().count()).unwrap_or(0),
    }
}
