//! Strategies by name and from files.

use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_capi::{StrategyLibrary, load_strategy, names_a_library};
use farkas_config::{InfluenceFile, RecipeFile, StrategyFile};
use farkas_run::read_source;
use std::path::Path;
use std::sync::Arc;

/// Who decides the order of a region.
#[derive(Clone, Debug, Default)]
pub enum Strategy {
    /// The form of those that several strategies give for which the machine model says that it is fastest; where no code is
    /// generated or an influence tree is given, Pluto's.
    Auto,
    /// Pluto's: least dependence distance, permutable bands.
    #[default]
    Pluto,
    /// Pluto's, whose statements in fewer loops than others share those of the others, at one iteration each.
    PlutoDeep,
    /// PolyTOPS' Listing 2: Feautrier's cost for each row that is not parallel.
    IslListing2,
    /// isl's: Feautrier's cost where a band would have no row.
    Isl,
    /// For GPUs: parallel loops along which accesses coalesce.
    LocalityGpu,
    /// isl's own scheduler, to compare ours with.
    Libisl,
    /// A strategy file, one of ours or the user's.
    File(Arc<StrategyFile>),
    /// A strategy of the user's in a dynamic library.
    Library(StrategyLibrary),
    /// The order of the original program.
    Original,
}

/// The strategies that are files, by name.
const FILES: [(&str, &str); 5] = [
    ("pluto-plus", include_str!("../../../strategies/pluto-plus.json")),
    ("tensor", include_str!("../../../strategies/tensor.json")),
    ("feautrier", include_str!("../../../strategies/feautrier.json")),
    ("locality-cpu", include_str!("../../../strategies/locality-cpu.json")),
    ("npu-vectorize", include_str!("../../../strategies/npu-vectorize.json")),
];

impl Strategy {
    /// The names of all strategies.
    pub fn names() -> Vec<&'static str> {
        let files = FILES.iter().map(|(name, _)| *name);
        ["auto", "pluto", "pluto-deep"]
            .into_iter()
            .chain(files)
            .chain(["locality-gpu", "isl-listing-2", "isl", "libisl", "original"])
            .collect()
    }

    /// The strategy called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "auto" => Self::Auto,
            "pluto" => Self::Pluto,
            "pluto-deep" => Self::PlutoDeep,
            "isl-listing-2" => Self::IslListing2,
            "isl" => Self::Isl,
            "locality-gpu" => Self::LocalityGpu,
            "libisl" => Self::Libisl,
            "original" => Self::Original,
            _ => {
                let (_, text) = FILES.iter().find(|(known, _)| *known == name)?;
                let source = Arc::new(SourceFile::new(format!("{name}.json"), *text));
                Self::File(Arc::new(StrategyFile::parse(source).ok()?))
            }
        })
    }

    /// The strategy in the file at `path`.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn from_file(path: &Path) -> Result<Self, Vec<Diagnostic>> {
        Self::from_source(read_source(path).map_err(|diagnostic| vec![*diagnostic])?)
    }

    /// The strategy that the text of a file describes, or that it stands for.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn from_source(source: Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let file = StrategyFile::parse(source)?;
        let Some((name, place)) = file.shipped() else { return Ok(Self::File(Arc::new(file))) };
        Self::from_name(name).ok_or_else(|| {
            let message = format!("there is no strategy `{name}`");
            let diagnostic = Diagnostic::new(DiagnosticId::UnknownWord, message);
            let known = format!("known here: {}", Self::names().join(", "));
            vec![diagnostic.at(file.source(), place, "").note(known)]
        })
    }

    /// The strategy whose order a recipe begins with: the program's own where it names none.
    ///
    /// # Errors
    /// That there is none of the name, at its place, or what is wrong with its file.
    pub fn of_recipe(recipe: &RecipeFile) -> Result<Self, Vec<Diagnostic>> {
        let Some(word) = recipe.strategy() else { return Ok(Self::Original) };
        let place = recipe.strategy_place();
        let located = |diagnostic: Diagnostic| match place {
            Some(place) if diagnostic.id == DiagnosticId::BadOption => {
                let message = diagnostic.message;
                Diagnostic::new(DiagnosticId::UnknownWord, message).at(recipe.source(), place, "")
            }
            _ => diagnostic,
        };
        let named = Self::named(word);
        named.map_err(|diagnostics| diagnostics.into_iter().map(located).collect())
    }

    /// The strategy that `word` names: by its name, as a file that ends in `.json`, or as the path of a dynamic library, which
    /// has a slash or ends as such names do.
    ///
    /// # Errors
    /// That there is none, or what is wrong with the file or library.
    pub fn named(word: &str) -> Result<Self, Vec<Diagnostic>> {
        if let Some(strategy) = Self::from_name(word) {
            return Ok(strategy);
        }
        if word.ends_with(".json") {
            return Self::from_file(Path::new(word));
        }
        if names_a_library(word) {
            let library = load_strategy(Path::new(word));
            return library.map(Self::Library).map_err(|diagnostic| vec![*diagnostic]);
        }
        let message = format!(
            "unknown strategy `{word}`: expected one of {}, a file that ends in .json, or a dynamic library",
            Self::names().join(", ")
        );
        Err(vec![Diagnostic::new(DiagnosticId::BadOption, message)])
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Auto => "auto",
            Self::Pluto => "pluto",
            Self::PlutoDeep => "pluto-deep",
            Self::IslListing2 => "isl-listing-2",
            Self::Isl => "isl",
            Self::LocalityGpu => "locality-gpu",
            Self::Libisl => "libisl",
            Self::File(file) => file.name(),
            Self::Library(library) => library.name(),
            Self::Original => "original",
        }
    }

    /// Whether it is the order of the original program.
    pub fn is_original(&self) -> bool {
        matches!(self, Self::Original)
    }

    /// Whether it looks at pairs of reads of the same element.
    pub(crate) fn needs_input(&self) -> bool {
        match self {
            Self::File(file) => file.needs_input(),
            Self::Library(library) => library.needs_input(),
            _ => false,
        }
    }
}

/// The influence file at `path`.
///
/// # Errors
/// What is wrong with the file.
pub fn read_influence(path: &Path) -> Result<Arc<InfluenceFile>, Vec<Diagnostic>> {
    let source = read_source(path).map_err(|diagnostic| vec![*diagnostic])?;
    Ok(Arc::new(InfluenceFile::parse(source)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_strategy() {
        for name in Strategy::names() {
            assert_eq!(Strategy::from_name(name).expect(name).name(), name);
        }
        assert!(Strategy::from_name("plut").is_none());
    }

    #[test]
    fn a_file_may_stand_for_a_shipped_strategy() {
        let of = |name: &str| {
            let text = format!(r#"{{ "scheduling_strategy": {{ "shipped": "{name}" }} }}"#);
            Strategy::from_source(Arc::new(SourceFile::new("best.json", text)))
        };
        for name in Strategy::names() {
            assert_eq!(of(name).expect(name).name(), name);
        }
        let errors = of("plut").expect_err("no strategy");
        assert_eq!(errors[0].message, "there is no strategy `plut`");
        assert!(errors[0].primary.is_some());
    }
}
