//! Loading a library and its table of functions.

use crate::abi;
use crate::error::{Error, Result};
use crate::kinds::kinds;
use crate::read;
use crate::strategy::PluginStrategy;
use farkas_base::{Diagnostic, SourceFile};
use farkas_deps::DependenceKind;
use farkas_scop::Scop;
use libloading::Library;
use std::path::Path;
use std::sync::Arc;

/// A library with a strategy. It stays loaded as long as this, a copy, or a strategy made from it lives.
#[derive(Clone, Debug)]
pub struct StrategyLibrary {
    loaded: Arc<Loaded>,
}

/// What was loaded.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) path: String,
    pub(crate) name: String,
    pub(crate) create: Option<abi::Create>,
    pub(crate) destroy: Option<abi::Destroy>,
    pub(crate) plan: abi::MakePlan,
    /// The dependences that proximity bounds.
    pub(crate) proximity_kinds: Vec<DependenceKind>,
    _library: Library,
}

/// Whether the value of `--strategy` is the path of a dynamic library rather than of a JSON file or a strategy's name.
pub fn names_a_library(strategy: &str) -> bool {
    let extension = Path::new(strategy).extension().and_then(|extension| extension.to_str());
    match extension {
        Some("so" | "dylib" | "dll") => true,
        Some("json") => false,
        _ => strategy.contains(std::path::is_separator),
    }
}

/// Loads the library at `path`, which runs its initialisers: a library is code that is trusted as the program itself is.
///
/// # Errors
/// The message on a file that does not exist or is no library, and on a library that has no strategy or one for another
/// version of the interface.
pub fn load_strategy(path: &Path) -> std::result::Result<StrategyLibrary, Box<Diagnostic>> {
    let shown = path.display().to_string();
    match load(path, shown.clone()) {
        Ok(loaded) => Ok(StrategyLibrary { loaded: Arc::new(loaded) }),
        Err(error) => Err(Box::new(error.to_diagnostic(&shown))),
    }
}

impl StrategyLibrary {
    /// The strategy's name.
    pub fn name(&self) -> &str {
        &self.loaded.name
    }

    /// The library's path as it was given.
    pub fn path(&self) -> &str {
        &self.loaded.path
    }

    /// Whether the dependences must hold those between reads of the same element.
    pub fn needs_input(&self) -> bool {
        self.loaded.proximity_kinds.contains(&DependenceKind::Input)
    }

    /// An instance of the strategy for one scop. The library learns lines where the scop's source is given.
    ///
    /// # Errors
    /// The message on a library that fails to make an instance or declares what makes no sense.
    pub fn strategy(
        &self,
        scop: &Scop,
        source: Option<&SourceFile>,
    ) -> std::result::Result<PluginStrategy, Box<Diagnostic>> {
        PluginStrategy::new(Arc::clone(&self.loaded), scop, source)
            .map_err(|error| Box::new(error.to_diagnostic(self.path())))
    }
}

/// The same loaded library, not only the same file.
impl PartialEq for StrategyLibrary {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.loaded, &other.loaded)
    }
}

impl Eq for StrategyLibrary {}

/// Loads a library and reads its table.
fn load(path: &Path, shown: String) -> Result<Loaded> {
    let unloadable = |reason: String| Error::Unloadable { reason };
    // A bare name would be looked for in the system's folders.
    let path = path.canonicalize().map_err(|error| unloadable(error.to_string()))?;
    // SAFETY: initialisers of the library run; the user vouches for them by naming it.
    let library = unsafe { Library::new(&path) }.map_err(|error| unloadable(reason(&error)))?;
    // SAFETY: a symbol of this name has the type that the header gives it.
    let entry = unsafe { library.get::<abi::Entry>(abi::SYMBOL) };
    let entry = entry.map_err(|_| Error::NoSymbol)?;
    // SAFETY: as the header says, the function takes nothing and returns a pointer to a table, or null.
    let table = unsafe { entry() };
    // SAFETY: the library is loaded.
    let (name, table) = unsafe { checked(table) }?;
    let plan = table.plan.ok_or(Error::NoPlan)?;
    let (create, destroy) = (table.create, table.destroy);
    let proximity_kinds = kinds(table.proximity_kinds)?;
    Ok(Loaded { path: shown, name, create, destroy, plan, proximity_kinds, _library: library })
}

/// The system's words on what it could not load.
fn reason(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error).map(ToString::to_string);
    source.unwrap_or_else(|| error.to_string())
}

/// The table at `table` with its name, once its version and size are right.
///
/// # Safety
/// `table` is null, not aligned, or readable for the two numbers at its beginning, and as far as these say.
unsafe fn checked(table: *const abi::Strategy) -> Result<(String, abi::Strategy)> {
    if table.is_null() || !table.is_aligned() {
        return Err(Error::NoTable);
    }
    // SAFETY: the first two numbers are there in every version.
    let (version, size) = unsafe { ((*table).abi_version, (*table).size) };
    if version != abi::VERSION {
        return Err(Error::Version { found: version });
    }
    if size < abi::size_of::<abi::Strategy>() {
        let expected = size_of::<abi::Strategy>();
        return Err(Error::Size { found: size, expected });
    }
    // SAFETY: the table is as large as the type; null functions are `None`.
    let table = unsafe { table.read() };
    // SAFETY: the name is null or a string.
    let name = unsafe { read::text("the strategy's name", table.name) }?;
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
    if name.is_empty() || !name.chars().all(is_allowed) {
        let expected = "letters, digits and -_.+";
        return Err(Error::BadName { what: "the strategy", name, expected });
    }
    Ok((name, table))
}
