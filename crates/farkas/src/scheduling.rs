//! The scheduler's strategy for one scop, as the options say.

use crate::{Error, Options, Strategy};
use farkas_base::{Diagnostic, DiagnosticId, Span};
use farkas_config::InfluenceFile;
use farkas_schedule::{
    Config, Configured, FusionHeuristic, Influenced, Isl, IslListing2, IslOptions, LocalityGpu,
    Pluto, Strategy as Scheduling,
};
use farkas_scop::{Scop, Statement};

/// The lines of statements, by which files name them.
pub(crate) fn lines(options: &Options) -> impl Fn(&Statement) -> Option<u32> + Copy + '_ {
    |stmt| Some(options.source.as_ref()?.line(stmt.span?))
}

/// The scheduler's strategy for one scop; none where our scheduler is not asked.
///
/// # Errors
/// [`Error::Refused`] when a file names what the scop does not have.
pub(crate) fn scheduling(
    scop: &Scop,
    options: &Options,
) -> Result<Option<Box<dyn Scheduling>>, Error> {
    let lines = lines(options);
    let fusion = options.fusion.unwrap_or_default();
    let strategy: Box<dyn Scheduling> = match &options.strategy {
        Strategy::Original | Strategy::Libisl => return Ok(None),
        Strategy::Auto | Strategy::Pluto => Box::new(Pluto::new(fusion)),
        Strategy::PlutoDeep => Box::new(Pluto::new(fusion).with_deep_bands()),
        Strategy::IslListing2 => Box::new(IslListing2::new(fusion)),
        Strategy::Isl => {
            let defaults = IslOptions::default();
            let fusion = options.fusion.unwrap_or(defaults.fusion);
            Box::new(Isl::new(IslOptions {
                fusion,
                maximize_coincidence: true,
                live_range_reordering: true,
                ..defaults
            }))
        }
        Strategy::LocalityGpu => {
            let line = farkas_deps::LocalityOptions::default().line_elems;
            let fusion = options.fusion.unwrap_or(FusionHeuristic::Cluster);
            Box::new(LocalityGpu::new(scop, fusion, line)?)
        }
        Strategy::File(file) => {
            let config = file.resolve(scop, lines).map_err(Error::Refused)?;
            let heuristic = options.fusion.unwrap_or(config.heuristic);
            Box::new(Configured::new(Config { heuristic, ..config }, scop)?)
        }
        Strategy::Library(library) => {
            let strategy = library.strategy(scop, options.source.as_deref());
            let strategy = strategy.map_err(|diagnostic| Error::Refused(vec![*diagnostic]))?;
            Box::new(strategy.with_fusion(options.fusion))
        }
    };
    let Some(file) = &options.influence else { return Ok(Some(strategy)) };
    let influence = file.resolve(scop, lines).map_err(Error::Refused)?;
    if !influence.tiles.is_empty() {
        return Err(Error::Refused(
            file.strips().into_iter().map(|at| unsplit(file, at)).collect(),
        ));
    }
    Ok(Some(Box::new(Influenced::new(strategy, influence.tree))))
}

/// The refusal of a row of which only a part is asked for.
fn unsplit(file: &InfluenceFile, row: Span) -> Diagnostic {
    let message = "a schedule row is affine, and quotients `(/4)` and remainders `(%4)` are not";
    Diagnostic::new(DiagnosticId::SplitRow, message)
        .at(file.source(), row, "a part of a loop")
        .help("ask for the whole row once, without the suffix, and for tiles with `--tile-sizes`")
}
