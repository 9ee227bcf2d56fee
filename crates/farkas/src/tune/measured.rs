//! A recipe that is run in turns with the original, for an entry of a database.

use super::TuneError;
use super::entries::Seen;
use super::local::Local;
use super::setup::Setup;
use super::workshop::made_by;
use super::{commands, now_s};
use crate::{Input, Options};
use farkas_db::{Date, Entry};
use farkas_scop::Region;
use farkas_tune::evolve::{Answer, Broke, Failed, Job};

/// A program that runs in turns with what recipes make of it.
pub struct Trials<'a> {
    input: &'a Input,
    runner: Local,
}

impl<'a> Trials<'a> {
    /// Compiles the program of a file as it is, and runs it once.
    ///
    /// # Errors
    /// When it does not compile, fails, or cannot be started.
    pub fn new(input: &'a Input, setup: &Setup) -> Result<Self, TuneError> {
        Ok(Self { input, runner: Local::new(setup)? })
    }

    /// Runs what the recipe of an entry makes of a region of the file, in turns with the original on one thread, and adds the times to the
    /// entry; where it crashes, runs out of time or prints something else, adds that.
    ///
    /// # Errors
    /// When what the original prints cannot be compared, or a program cannot be started.
    pub fn measure(
        &mut self,
        entry: &mut Entry,
        region: &Region,
        options: &Options,
        rounds: usize,
    ) -> Result<(), TuneError> {
        let answer = match made_by(&entry.recipe, self.input, region, options) {
            Ok(text) => self.runner.answer(&Job { texts: vec![text], rounds })?,
            Err(text) => {
                let failed = Failed { kind: Broke::Refused, text };
                let nothing = String::new;
                let (machine, compiler) = (nothing(), nothing());
                Answer { machine, compiler, original_ns: Vec::new(), results: vec![Err(failed)] }
            }
        };
        let setup = self.runner.setup();
        let environment = commands(setup);
        if let Ok(at) = Date::from_seconds(now_s()) {
            let seen = Seen { environment: &environment, threads: setup.threads, at };
            seen.note(&answer, 0, entry);
        }
        Ok(())
    }
}
