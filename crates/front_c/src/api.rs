//! What the crate offers: a file in, regions out.

use crate::again::{Place, Reading};
use crate::auto;
use crate::loops::FileLoop;
use crate::lower::{self, Context};
use crate::source::{FileFacts, TranslationUnit, marked_regions};
use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_scop::{Grant, Reassociation, Size};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the user may tell the front end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Also find regions in functions without pragmas.
    pub auto: bool,
    /// Functions that depend on their arguments alone and change nothing.
    pub pure_functions: Vec<String>,
    /// What is known of the parameters, as C conditions: `n >= 4 && m == 2 * n`.
    pub context: Option<String>,
    /// What the user grants: `--assume no-overlap`.
    pub grants: Vec<Grant>,
    /// Whether what is stored as one type may change what is declared with another, as under `-fno-strict-aliasing`.
    pub no_strict_aliasing: bool,
    /// Which updates of one element may run in another order: `--reassociate`.
    pub reassociation: Reassociation,
    /// Values of parameters for which regions are to be fast: `--sizes n=2000`.
    pub sizes: Vec<Size>,
    /// isl operations that the search for regions in one file may take.
    pub effort: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            auto: false,
            pure_functions: Vec::new(),
            context: None,
            grants: Vec::new(),
            no_strict_aliasing: false,
            reassociation: Reassociation::Exact,
            sizes: Vec::new(),
            effort: 40_000_000,
        }
    }
}

/// Finds the regions of `original` and lowers them; `preprocessed` is what `cc -E -dD` printed for it.
///
/// A region with an error yields no scop; the diagnostics tell all that is wrong, in the order of the file.
pub fn parse(
    original: Arc<SourceFile>,
    preprocessed: &str,
    options: &Options,
) -> (Vec<farkas_scop::Region>, Vec<Diagnostic>) {
    let (regions, diagnostics, _) = read(original, preprocessed, options);
    (regions, diagnostics)
}

/// [`parse`], with the parsed file, from which the regions can be lowered again.
pub fn read(
    original: Arc<SourceFile>,
    preprocessed: &str,
    options: &Options,
) -> (Vec<farkas_scop::Region>, Vec<Diagnostic>, Option<Reading>) {
    let unit = match TranslationUnit::parse(original, preprocessed.to_owned()) {
        Ok(unit) => unit,
        Err(diagnostic) => return (Vec::new(), vec![*diagnostic], None),
    };
    let unit = match unit.with_calls_inlined(&options.pure_functions) {
        Ok(unit) => unit,
        Err(diagnostic) => return (Vec::new(), vec![*diagnostic], None),
    };
    let context = match options.context.as_deref().map(Context::parse).transpose() {
        Ok(context) => context.unwrap_or_default(),
        Err(diagnostic) => return (Vec::new(), vec![*diagnostic], None),
    };
    let (found, loops, diagnostics) = regions(&unit, options, &context);
    let (places, scops) = found.into_iter().unzip();
    (scops, diagnostics, Some(Reading { unit, options: options.clone(), places, loops }))
}

/// The regions of a file with their places, in its order, and what became of its loops.
fn regions(
    unit: &TranslationUnit,
    options: &Options,
    context: &Context,
) -> (Vec<(Place, farkas_scop::Region)>, Vec<FileLoop>, Vec<Diagnostic>) {
    let (marked, mut diagnostics) = marked_regions(unit);
    let facts = FileFacts::new(unit);
    let (mut found, mut loops) = (Vec::new(), Vec::new());
    for region in &marked {
        match lower::lower(&facts, region, options, context) {
            Ok(scop) => found.push((Place::of(region), scop)),
            Err(errors) => diagnostics.extend(errors),
        }
    }
    if options.auto {
        let search = auto::find(&facts, &marked, options, context);
        found.extend(search.found.into_iter().map(|(region, scop)| (Place::of(&region), scop)));
        diagnostics.extend(search.remarks);
        loops = search.loops;
        found.sort_by_key(|(_, r)| r.span);
    }
    diagnostics.extend(found.iter().filter_map(|(_, region)| one_thread(facts.unit(), region)));
    let names = |r: &farkas_scop::Region| {
        r.scop.params().iter().map(|p| p.name.clone()).collect::<Vec<_>>()
    };
    let params = found.iter().flat_map(|(_, r)| names(r)).collect();
    diagnostics.extend(context.unused(&params));
    diagnostics.extend(lower::unknown_pragmas(unit));
    diagnostics.extend(lower::unused_sizes(unit, &options.sizes, found.iter().map(|(_, r)| r)));
    // A region that is refused for a pragma has no updates that it could name.
    if diagnostics.iter().all(|told| told.id != DiagnosticId::BadReduction) {
        diagnostics.extend(lower::unused_reductions(unit, found.iter().map(|(_, r)| r)));
    }
    (found, loops, diagnostics)
}

/// The remark on a region that must not start threads.
fn one_thread(unit: &TranslationUnit, region: &farkas_scop::Region) -> Option<Diagnostic> {
    let why = region.host.one_thread.as_ref()?;
    let message = format!("region `{}` starts no threads: {why}", region.scop.name());
    Some(Diagnostic::new(DiagnosticId::OneThread, message).at(unit.source(), region.span, ""))
}

/// The names of the functions of a file in which there are no syntax errors; `preprocessed` as in [`parse`].
///
/// # Errors
/// `internal-error` when the parser itself refuses to work.
pub fn functions_without_errors(
    original: Arc<SourceFile>,
    preprocessed: String,
) -> Result<BTreeSet<String>, Box<Diagnostic>> {
    let unit = TranslationUnit::parse(original, preprocessed)?;
    let plain = unit.functions().filter(|(_, node)| !node.has_error());
    Ok(plain.map(|(name, _)| name.to_owned()).collect())
}
