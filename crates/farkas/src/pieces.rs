//! Regions in pieces: where nothing is gained from a region as a whole, or it is too large for its share of the work, its loops
//! are worked on by themselves, from outside in.
//!
//! A region that `--auto` finds is as large as it can be. The model then weighs all of it at once: what one loop of sixty gains
//! may be less than what a change is worth, and the dependences of sixty loops may take all the work that there is.

use crate::callees::{Outcome, left_to_callees};
use crate::growth::{Added, affordable};
use crate::{Error, Optimized, Options, Stays, Strategy, WithKernels, optimize, shares};
use farkas_base::Span;
use farkas_codegen::DeviceRegion;
use farkas_front_c::{Place, Reading};
use farkas_poly::counted;
use farkas_scop::Region;

/// What became of a region, or of a part of one.
#[derive(Debug)]
pub struct Piece {
    /// The region.
    pub region: Region,
    /// What it became.
    pub result: Result<Optimized, Error>,
    /// Whether its parts come after it: then its own text stays, but for theirs.
    pub is_split: bool,
}

/// [`optimize`], with the parts of the region by themselves where strategy `auto` finds that it stays as it is. First comes the
/// region, then its parts in the order of the file, each in the same way. The parts have half of the region's effort once more, of which
/// it is taken what lowering them takes.
///
/// Without `reading`, from which the parts are lowered, there is the region alone.
pub fn pieces(reading: Option<&Reading>, region: &Region, options: &Options) -> Vec<Piece> {
    let is_auto = matches!(options.strategy, Strategy::Auto) && options.rank.is_none();
    let reading = reading.filter(|_| is_auto);
    let parts = reading.and_then(|reading| Some((reading, reading.place_of(region.span)?)));
    let mut found = Vec::new();
    add(parts, region.clone(), options, &mut found);
    found
}

/// Leaves regions of a file as they are: calls of functions that get the same form ([`left_to_callees`]), and those for whose code there is
/// no room in it ([`Options::growth`]).
pub fn leave_out(pieces: &mut [Piece], options: &Options) {
    leave_to_callees(pieces);
    within_growth(pieces, options);
}

/// Leaves calls of functions that get the same form.
fn leave_to_callees(pieces: &mut [Piece]) {
    let summaries: Vec<String> = pieces.iter().map(Piece::summary).collect();
    let outcomes: Vec<Outcome<'_>> =
        pieces.iter().zip(&summaries).map(|(piece, summary)| piece.outcome(summary)).collect();
    let left = left_to_callees(&outcomes);
    for (piece, is_left) in pieces.iter_mut().zip(left) {
        if let (true, Ok(optimized)) = (is_left, &mut piece.result) {
            (optimized.stays, optimized.added) = (Some(Stays::InCallee), Added::default());
        }
    }
}

/// Leaves regions for whose code there is no room, those first that save least for what they add.
fn within_growth(pieces: &mut [Piece], options: &Options) {
    let added: Vec<Added> = pieces.iter().map(Piece::added).collect();
    for (piece, fits) in pieces.iter_mut().zip(affordable(&added, options.room())) {
        if let (false, Ok(optimized)) = (fits, &mut piece.result) {
            optimized.stays = Some(Stays::NoRoom);
        }
    }
}

/// Adds a region and what comes after it.
fn add(
    from: Option<(&Reading, &Place)>,
    region: Region,
    options: &Options,
    found: &mut Vec<Piece>,
) {
    let result = optimize(&region, options);
    let from = from.filter(|_| stays(&result));
    let places = from.map_or_else(Vec::new, |(reading, place)| reading.parts(place));
    let effort = options.effort / 2;
    let lower = || from.map_or_else(Vec::new, |(reading, _)| reading.lower_all(&places));
    let (parts, taken) = counted(effort, lower);
    found.push(Piece { region, result, is_split: !parts.is_empty() });
    let Some((reading, _)) = from else { return };
    let (places, regions): (Vec<&Place>, Vec<Region>) = parts.into_iter().unzip();
    let shares = shares(&regions, effort.saturating_sub(taken));
    for ((place, region), effort) in places.into_iter().zip(regions).zip(shares) {
        add(Some((reading, place)), region, &Options { effort, ..options.clone() }, found);
    }
}

/// Whether nothing is done to a region.
fn stays(result: &Result<Optimized, Error>) -> bool {
    match result {
        Ok(optimized) => optimized.stays.is_some(),
        Err(error) => error.is_spent(),
    }
}

impl Piece {
    /// The kernels of its code.
    pub fn device(&self) -> Option<&DeviceRegion> {
        let optimized = self.result.as_ref().ok()?;
        optimized.device.as_ref().filter(|_| optimized.stays.is_none())
    }

    /// The same, with its place, so that others may stay on the device around it.
    pub fn with_kernels(&mut self) -> Option<WithKernels<'_>> {
        let optimized = self.result.as_mut().ok().filter(|optimized| optimized.stays.is_none())?;
        Some(WithKernels {
            name: self.region.scop.name(),
            span: self.region.span,
            device: optimized.device.as_mut()?,
        })
    }

    /// What was done, in a few words.
    pub fn summary(&self) -> String {
        let done = match &self.result {
            Ok(optimized) => optimized.summary(),
            Err(error) => format!("left as it is: {error}"),
        };
        if self.is_split { done + "; its parts follow by themselves" } else { done }
    }

    /// What it adds to the file's code.
    pub fn added(&self) -> Added {
        self.result.as_ref().map_or_else(|_| Added::default(), |optimized| optimized.added)
    }

    /// What became of it, in the words of [`Piece::summary`].
    fn outcome<'a>(&'a self, summary: &'a str) -> Outcome<'a> {
        let is_chosen =
            |optimized: &Optimized| optimized.ranking.is_some() && optimized.stays.is_none();
        let form = self.result.as_ref().is_ok_and(is_chosen).then_some(summary);
        Outcome { function: &self.region.function, text: &self.region.host.original, form }
    }

    /// The code with what it replaces; nothing where the region's text stays, also because it is too large for any work.
    ///
    /// # Errors
    /// What stopped even the region's own order.
    pub fn replacement(self) -> Result<Option<(Span, String)>, Error> {
        match self.result {
            Err(error) if self.is_split && error.is_spent() => Ok(None),
            Err(error) => Err(error),
            Ok(optimized) => {
                let code = optimized.device.map_or(optimized.code, |device| device.text);
                Ok(optimized.stays.is_none().then_some((self.region.span, code)))
            }
        }
    }
}
