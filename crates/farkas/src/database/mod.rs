//! Databases of recipes: where they are, what goes in and out as lines, what of them still holds, what they say to people.

mod add;
mod assign;
mod exchange;
mod key;
mod list;
mod prune;
mod recipes;
mod replay;
mod seed;
mod show;
mod subject;
mod transfer;
mod verify;

pub use add::{entry_of, insert};
pub use exchange::{describe_inserted, export, import, merge};
pub use key::{Keyed, compiler_of, key_of};
pub use list::{Filter, list};
pub use prune::{age, describe_pruned, rules};
pub use recipes::Recipes;
pub use replay::{Replayed, replay};
pub use seed::{SEED, is_seed};
pub use show::show;
pub use subject::Subject;
pub use verify::{Known, Unusable, describe_known, remove_unusable, verify};

pub(crate) use key::{Described, KnownForm, described};
pub(crate) use recipes::{Asked, Hit, Most, Wanted, hits};
pub(crate) use transfer::{Proposal, Proposed, proposal};

use directories::ProjectDirs;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_db::{Access, Damage, Database};
use std::path::{Path, PathBuf};

/// The variable that names another folder for what is kept.
const DATA: &str = "FARKAS_DATA_DIR";

/// The name of the file.
const NAME: &str = "recipes.db";

/// The user's own database: in `$FARKAS_DATA_DIR`, else in the user's folder for data; none where there is no such folder.
pub fn default_path() -> Option<PathBuf> {
    let named = std::env::var_os(DATA).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = || Some(ProjectDirs::from("", "", "farkas")?.data_dir().to_owned());
    Some(named.or_else(own)?.join(NAME))
}

/// Opens the database at `path`, or the user's own; [`SEED`] is the shipped one. To be written to, the user's own is made where there is none,
/// with its folder.
///
/// # Errors
/// The message on one that cannot be used.
pub fn open(path: Option<&Path>, access: Access) -> Result<Database, Box<Diagnostic>> {
    if path.is_some_and(is_seed) {
        return match access {
            Access::Read => seed::seed(),
            Access::Write => Err(seed::only_read()),
        };
    }
    let Some(own) = path.map(Path::to_owned).or_else(default_path) else {
        let message = "there is no folder for the data of users here";
        let diagnostic = Diagnostic::new(DiagnosticId::UnreadableFile, message);
        return Err(Box::new(diagnostic.help("name a database with --db")));
    };
    if path.is_none() && access == Access::Write {
        let folder = own.parent().unwrap_or(&own);
        std::fs::create_dir_all(folder).map_err(|error| {
            let message = format!("cannot make the folder `{}`: {error}", folder.display());
            Box::new(Diagnostic::new(DiagnosticId::UnwritableOutput, message))
        })?;
    }
    Database::open(&own, access).map_err(|error| told(&error))
}

/// The message on what a database failed with.
pub fn told(error: &farkas_db::Error) -> Box<Diagnostic> {
    Box::new(error.to_diagnostic())
}

/// The warnings on what is damaged in a database, and left out.
pub fn damage(path: &Path, damaged: &[Damage]) -> Vec<Diagnostic> {
    let path = path.display();
    let warning = |damage: &Damage| {
        let message = format!("part of the database `{path}` is damaged and left out: {damage}");
        Diagnostic::new(DiagnosticId::DamagedEntry, message)
            .help("`farkas db verify --remove` takes it out")
    };
    damaged.iter().map(warning).collect()
}

/// A number of things.
fn counted(n: usize, what: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{n} {what}{ending}")
}
