//! `farkas db`.

use crate::Status;
use crate::args::{
    DbAddArgs, DbArg, DbCommand, DbExportArgs, DbFilterArgs, DbImportArgs, DbListArgs, DbMergeArgs,
    DbOrigin, DbPruneArgs, DbShowArgs, DbVerifyArgs,
};
use crate::bench::progress;
use crate::convert::{bad, machine};
use crate::messages::{Messages, Stop, output};
use crate::regions::{failure, read_regions, select, select_one, with_shares};
use crate::tune::{how, stop};
use farkas::database::{
    Filter, Known, compiler_of, damage, describe_inserted, describe_known, describe_pruned,
    entry_of, export, import, insert, list, merge, open, remove_unusable, rules, show, told,
    verify,
};
use farkas::tune::{Setup, Trials, TuneError};
use farkas::{Input, Options, Strategy, extract, read_recipe};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_config::RecipeFile;
use farkas_db::{Access, Compiler, Damage, Database, Entry, Inserted, Origin};
use farkas_scop::Region;
use std::path::Path;

/// What a command has for standard output, and whether all is well.
type Printed = Result<(String, Status), Stop>;

/// Reads or changes a database of recipes.
pub(crate) fn run(command: &DbCommand, messages: &Messages) -> Status {
    let printed = match command {
        DbCommand::List(args) => run_list(args, messages),
        DbCommand::Show(args) => run_show(args, messages),
        DbCommand::Export(args) => match run_export(args, messages) {
            Ok(text) => return messages.write(&text, args.output.as_deref()),
            Err(stop) => Err(stop),
        },
        DbCommand::Add(args) => run_add(args, messages),
        DbCommand::Import(args) => run_import(args),
        DbCommand::Merge(args) => run_merge(args, messages),
        DbCommand::Prune(args) => run_prune(args),
        DbCommand::Verify(args) => run_verify(args, messages),
    };
    match printed {
        Ok((text, status)) => match messages.written(output(&text), None) {
            Status::Success => status,
            unwritten => unwritten,
        },
        Err(stop) => messages.stop(stop),
    }
}

/// Opens the database that flags name.
fn opened(db: &DbArg, access: Access) -> Result<Database, Stop> {
    open(db.db.as_deref(), access).map_err(Stop::refused)
}

/// Tells what is left out of what was read.
fn tell_damage(database: &Database, damaged: &[Damage], messages: &Messages) {
    messages.tell_all(&damage(database.path(), damaged));
}

/// The entries that flags let through.
fn filter(args: &DbFilterArgs) -> Filter {
    Filter {
        nest: args.nest.clone(),
        machine: args.machine.clone(),
        compiler: args.compiler.clone(),
        size_class: args.size_class.clone(),
        origin: args.origin.map(|origin| match origin {
            DbOrigin::Auto => Origin::Auto,
            DbOrigin::Hand => Origin::Hand,
            DbOrigin::Transfer => Origin::Transfer,
            DbOrigin::Tune => Origin::Tune,
        }),
    }
}

/// Lists keys.
fn run_list(args: &DbListArgs, messages: &Messages) -> Printed {
    let database = opened(&args.db, Access::Read)?;
    let listed = list(&database, &filter(&args.filter), args.json);
    let (text, damaged) = listed.map_err(Stop::refused)?;
    tell_damage(&database, &damaged, messages);
    Ok((text, Status::Success))
}

/// Shows a nest. A prefix that names none is misuse, as a region that is not there is.
fn run_show(args: &DbShowArgs, messages: &Messages) -> Printed {
    let database = opened(&args.db, Access::Read)?;
    let (text, damaged) =
        show(&database, &args.nest, args.json).map_err(|diagnostic| match diagnostic.id {
            DiagnosticId::UnknownEntry => Stop::Misuse(diagnostic),
            _ => Stop::refused(diagnostic),
        })?;
    tell_damage(&database, &damaged, messages);
    Ok((text, Status::Success))
}

/// The text of an export.
fn run_export(args: &DbExportArgs, messages: &Messages) -> Result<String, Stop> {
    let database = opened(&args.db, Access::Read)?;
    let exported = export(&database, &filter(&args.filter));
    let (text, damaged) = exported.map_err(Stop::refused)?;
    tell_damage(&database, &damaged, messages);
    Ok(text)
}

/// Adds recipes for regions, file by file.
fn run_add(args: &DbAddArgs, messages: &Messages) -> Printed {
    let recipe = match &args.recipe {
        Some(path) => Some(read_recipe(path).map_err(Stop::Refused)?),
        None => None,
    };
    let compiler = match args.measure {
        true => known_compiler(crate::convert::compiler(&args.how)?.version())?,
        false => compiler(args.compiler.as_deref())?,
    };
    let machine = machine(&args.machine)?;
    let budget = args.budget.saturating_mul(1000);
    let options = Options { strategy: Strategy::Auto, machine, budget, ..Options::default() };
    let adding = Adding { args, recipe: recipe.as_deref(), compiler, options, messages };
    let (mut inserted, mut status) = (Inserted::default(), Status::Success);
    let bar = progress(args.inputs.len(), "{bar:20} {pos}/{len} files {elapsed} {wide_msg}");
    for path in &args.inputs {
        bar.set_message(path.display().to_string());
        let (entries, is_whole) = adding.entries(path)?;
        inserted += insert(args.db.db.as_deref(), &entries).map_err(Stop::refused)?;
        if !is_whole {
            status = Status::Refused;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok((describe_inserted(&inserted), status))
}

/// How recipes are added.
struct Adding<'a> {
    args: &'a DbAddArgs,
    recipe: Option<&'a RecipeFile>,
    compiler: Compiler,
    options: Options,
    messages: &'a Messages,
}

impl Adding<'_> {
    /// The entries of a file's regions, and whether there is one for each of them. What is wrong with the others is told.
    ///
    /// # Errors
    /// The message on regions that are not there.
    fn entries(&self, path: &Path) -> Result<(Vec<Entry>, bool), Stop> {
        let Some(input) = read_regions(path, &self.args.read, &[], self.messages) else {
            return Ok((Vec::new(), false));
        };
        let region = self.args.region.as_deref();
        let regions = match self.recipe {
            Some(_) => vec![select_one(&input, region).map_err(Stop::Misuse)?],
            None => select(&input, region).map_err(Stop::Misuse)?,
        };
        let mut trials = match self.trials(path, &input) {
            Ok(trials) => trials,
            Err(stop) => {
                self.messages.stop(stop);
                return Ok((Vec::new(), false));
            }
        };
        let mut entries = Vec::new();
        let n_regions = regions.len();
        let options = self.options.clone().of_file(&input.source);
        for (region, options) in with_shares(&input, regions, &options) {
            match self.entry(path, (&input, region), &options, &mut trials) {
                Ok(entry) => entries.push(entry),
                Err(stop) => {
                    self.messages.stop(stop);
                }
            }
        }
        let is_whole = entries.len() == n_regions;
        Ok((entries, is_whole))
    }

    /// What measures the programs of a file, for each number of threads; nothing where nothing is measured.
    fn trials<'i>(&self, path: &Path, input: &'i Input) -> Result<Vec<Trials<'i>>, Stop> {
        if !self.args.measure {
            return Ok(Vec::new());
        }
        let setup = how(path, input, &self.args.how, &self.args.read, self.options.target)?;
        let mut threads = vec![setup.threads];
        if self.args.how.threads.is_none() && setup.threads > 1 {
            threads.insert(0, 1);
        }
        let trials = |threads| Trials::new(input, &Setup { threads, ..setup.clone() });
        let trials: Result<Vec<Trials<'i>>, TuneError> = threads.into_iter().map(trials).collect();
        trials.map_err(|error| stop(path, error, self.messages))
    }

    /// The entry of a region, with what came of measuring it.
    fn entry(
        &self,
        path: &Path,
        (input, region): (&Input, &Region),
        options: &Options,
        trials: &mut [Trials<'_>],
    ) -> Result<Entry, Stop> {
        let entry = entry(input, region, self.recipe, options, &self.compiler);
        let mut entry = entry.map_err(Stop::Refused)?;
        for trials in trials {
            let rounds = self.args.runs.max(1) as usize;
            let measured = trials.measure(&mut entry, region, options, rounds);
            measured.map_err(|error| stop(path, error, self.messages))?;
        }
        Ok(entry)
    }
}

/// The entry of a region: with a recipe of the user's, or with that of strategy auto.
fn entry(
    input: &Input,
    region: &Region,
    recipe: Option<&RecipeFile>,
    options: &Options,
    compiler: &Compiler,
) -> Result<Entry, Vec<Diagnostic>> {
    match recipe {
        Some(recipe) => entry_of(region, recipe.source().text(), options, compiler, Origin::Hand),
        None => {
            let found = extract(region, options);
            let text = found.map_err(|error| failure(&input.source, region, &error))?;
            entry_of(region, &text, options, compiler, Origin::Auto)
        }
    }
}

/// The compiler of a flag, else the usual one.
fn compiler(named: Option<&str>) -> Result<Compiler, Stop> {
    let named = match named {
        Some(text) => Some(text.to_owned()),
        None => farkas_run::Compiler::usual(&[]).ok().and_then(|usual| usual.version()),
    };
    known_compiler(named)
}

/// The compiler that a text names.
fn known_compiler(named: Option<String>) -> Result<Compiler, Stop> {
    let known = named.as_deref().and_then(compiler_of);
    known.ok_or_else(|| {
        let message = "no compiler is known by name and version: say which with --compiler";
        Stop::from(bad(message.into()))
    })
}

/// Adds the entries of files.
fn run_import(args: &DbImportArgs) -> Printed {
    let inserted = import(args.db.db.as_deref(), &args.files).map_err(Stop::Refused)?;
    Ok((describe_inserted(&inserted), Status::Success))
}

/// Adds the entries of databases.
fn run_merge(args: &DbMergeArgs, messages: &Messages) -> Printed {
    let into = args.into.as_deref().or(args.db.db.as_deref());
    let (inserted, warnings) = merge(&args.files, into).map_err(Stop::refused)?;
    messages.tell_all(&warnings);
    Ok((describe_inserted(&inserted), Status::Success))
}

/// Forgets, or says what would be forgotten.
fn run_prune(args: &DbPruneArgs) -> Printed {
    let rules = rules(args.machine.clone(), args.older_than, args.keep, args.failures)?;
    let pruned = if args.dry_run {
        opened(&args.db, Access::Read)?.prunable(&rules)
    } else {
        opened_existing(&args.db)?.prune(&rules)
    };
    let pruned = pruned.map_err(|error| Stop::refused(told(&error)))?;
    Ok((describe_pruned(&pruned, args.dry_run), Status::Success))
}

/// Opens a database to change what is in it: none is made for that.
fn opened_existing(db: &DbArg) -> Result<Database, Stop> {
    opened(db, Access::Read)?;
    opened(db, Access::Write)
}

/// Replays all entries; refused where one cannot be used.
fn run_verify(args: &DbVerifyArgs, messages: &Messages) -> Printed {
    let access = if args.remove { Access::Write } else { Access::Read };
    let mut database = match access {
        Access::Read => opened(&args.db, access)?,
        Access::Write => opened_existing(&args.db)?,
    };
    let bar = progress(0, "{bar:20} {pos}/{len} nests {elapsed}");
    let known = verify(&database, &mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    let known = known.map_err(Stop::refused)?;
    tell_known(&database, &known, messages);
    if args.remove {
        remove_unusable(&mut database, &known).map_err(Stop::refused)?;
    }
    let status = if known.is_good() { Status::Success } else { Status::Refused };
    Ok((describe_known(&known, args.remove), status))
}

/// Tells what is wrong with a database.
fn tell_known(database: &Database, known: &Known, messages: &Messages) {
    for fault in &known.faults {
        let message = format!("the database `{}` is damaged: {fault}", database.path().display());
        messages.tell(&Diagnostic::new(DiagnosticId::BadDatabase, message));
    }
    tell_damage(database, &known.damaged, messages);
    known.unusable.iter().for_each(|unusable| messages.tell(&unusable.reason));
}
