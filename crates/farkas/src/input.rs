//! Files as regions: C, and scops as sets and maps.

use farkas_base::{Diagnostic, SourceFile, Span};
use farkas_front_c::{FileLoop, Reading};
use farkas_scop::{Region, Size, unknown_sizes};
use std::sync::Arc;

/// A C file and the regions found in it.
#[derive(Debug)]
pub struct Input {
    /// The file as the user wrote it.
    pub source: Arc<SourceFile>,
    /// The regions, in the order of the file.
    pub regions: Vec<Region>,
    /// The parsed C, from which other threads lower the regions again; none for what is no C.
    pub reading: Option<Reading>,
    /// Errors, warnings and remarks of the front end.
    pub diagnostics: Vec<Diagnostic>,
}

impl Input {
    /// Every loop of the C file, in its order, where regions were looked for (`--auto`); else none.
    pub fn loops(&self) -> &[FileLoop] {
        self.reading.as_ref().map_or(&[], Reading::loops)
    }

    /// Whether the front end refused something.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Tells the regions of what is no C for which sizes they are to be fast; returns the warnings on those that nothing has.
    pub fn tell_sizes(&mut self, sizes: &[Size]) -> Vec<Diagnostic> {
        let told = || sizes.iter().map(|size| (size.name.clone(), size.value));
        let params =
            |region: &Region| region.scop.params().iter().map(|p| p.name.clone()).collect();
        let params: Vec<Vec<String>> = self.regions.iter().map(params).collect();
        self.regions.iter_mut().for_each(|region| region.host.sizes.extend(told()));
        unknown_sizes(sizes, &params.into_iter().flatten().collect())
    }

    /// The regions that `selector` names: all for `None`, those of `FUNCTION`, or the N-th from 1 for `FUNCTION:N`.
    pub fn select(&self, selector: Option<&str>) -> Vec<&Region> {
        let Some(selector) = selector else { return self.regions.iter().collect() };
        let (function, number) = match selector.rsplit_once(':') {
            Some((function, number)) => (function, number.parse::<usize>().ok()),
            None => (selector, None),
        };
        let of_function = self.regions.iter().filter(|r| r.function == function);
        match number {
            Some(number) => of_function.skip(number.saturating_sub(1)).take(1).collect(),
            None => of_function.collect(),
        }
    }
}

/// Reads a scop as sets and maps: the one region, called `scop`, of a file. Without statements there is no region.
///
/// # Errors
/// The diagnostic of a text that is not of this form, or of what makes no scop.
pub fn parse_isl(source: &Arc<SourceFile>) -> Result<Input, Box<Diagnostic>> {
    let read = farkas_front_isl::read_scop(source, "scop")?;
    let region = Region::bare(read.scop, Span::new(0..source.text().trim_end().len()));
    let regions = if region.scop.stmts().is_empty() { Vec::new() } else { vec![region] };
    Ok(Input { source: Arc::clone(source), regions, reading: None, diagnostics: read.warnings })
}

/// Parses preprocessed text of `source`.
pub fn parse(
    source: Arc<SourceFile>,
    preprocessed: &str,
    options: &farkas_front_c::Options,
) -> Input {
    let read = farkas_front_c::read(Arc::clone(&source), preprocessed, options);
    let (regions, diagnostics, reading) = read;
    Input { source, regions, reading, diagnostics }
}
