//! One random file for one random program.

use super::names::Names;
use super::{influence, strategy};
use crate::{Program, Random, Shape, generate};
use farkas::{Input, Options, ReadOptions, Strategy, read};
use farkas_damage::{damage_text, damage_value};
use farkas_deps::FlowBy;
use farkas_interp::Params;
use farkas_schedule::FusionHeuristic;
use farkas_scop::Region;
use serde_json::Value;

/// What kind of file a case has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A strategy.
    Strategy,
    /// An influence tree.
    Tree,
    /// AKG's flat form of one.
    Akg,
}

impl Kind {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strategy => "strategy",
            Self::Tree => "tree",
            Self::Akg => "flat form",
        }
    }
}

/// A program with its regions, on which files are tried.
pub struct Setup {
    program: Program,
    input: Input,
}

/// A file and how it is used.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it was made of.
    pub seed: u64,
    /// What kind of file.
    pub kind: Kind,
    /// The file.
    pub text: String,
    /// Whether something was done to it that may make it invalid.
    pub is_damaged: bool,
    /// Whether loops are generated, too.
    pub emits: bool,
    /// Everything but the file.
    pub options: Options,
    /// Which of the program's regions it is tried on.
    pub(super) region: usize,
}

impl Setup {
    /// The program of a case's seed; none where the front end refuses it.
    ///
    /// # Errors
    /// What the system says where no file can be written.
    pub fn of_seed(seed: u64) -> std::io::Result<Option<Self>> {
        let program = generate(seed, &Shape::small());
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("in.c");
        std::fs::write(&path, program.text().unwrap_or_default())?;
        let input = read(&path, &ReadOptions::default());
        let input = input.ok().filter(|input| !input.has_errors() && !input.regions.is_empty());
        Ok(input.map(|input| Self { program, input }))
    }

    /// The C text.
    pub fn text(&self) -> &str {
        self.input.source.text()
    }

    /// The region that a case is for.
    pub(super) fn region(&self, case: &Case) -> &Region {
        &self.input.regions[case.region]
    }

    /// The values that the program's parameters have.
    pub(super) fn params(&self) -> Params {
        Params::new(self.program.params.iter().map(|p| (p.name.as_str(), p.value)))
    }

    /// The case of a seed on this program.
    pub fn case(&self, seed: u64) -> Case {
        let mut random = Random::new(seed ^ 0x05a7_e61e_5000_0001);
        let region = random.below(self.input.regions.len());
        let names = Names::of(&self.input.regions[region].scop, &self.input.source);
        let kind = random.pick(&[
            Kind::Strategy,
            Kind::Strategy,
            Kind::Strategy,
            Kind::Tree,
            Kind::Tree,
            Kind::Akg,
        ]);
        let value = match kind {
            Kind::Strategy => strategy::strategy(&names, &mut random),
            Kind::Tree => influence::tree(&names, &mut random),
            Kind::Akg => influence::akg(&names, &mut random),
        };
        let is_damaged = random.chance(30);
        let text = match is_damaged {
            true => damaged(value, &mut random),
            false => value.to_string(),
        };
        let emits = random.chance(25);
        let options = options(&mut random).of_file(&self.input.source);
        Case { seed, kind, text, is_damaged, emits, options, region }
    }
}

/// The file with one to three changes in its structure and its strings, and sometimes in its bytes.
fn damaged(mut value: Value, random: &mut Random) -> String {
    for _ in 0..=random.below(3) {
        damage_value(&mut value, random);
    }
    let text = value.to_string();
    if random.chance(25) { damage_text(&text, 2, random) } else { text }
}

/// Everything but the file: a shipped strategy, to be influenced. The solver is ours: isl's takes much longer.
fn options(random: &mut Random) -> Options {
    let names = Strategy::names();
    // Neither the original order nor isl's own scheduler, which may fail, is under test.
    let is_ours = |s: &Strategy| !matches!(s, Strategy::Original | Strategy::Libisl);
    let strategy = Strategy::from_name(random.pick(&names)).filter(is_ours);
    Options {
        strategy: strategy.unwrap_or_default(),
        fusion: random.pick(&[
            None,
            None,
            None,
            Some(FusionHeuristic::Max),
            Some(FusionHeuristic::No),
            Some(FusionHeuristic::Cluster),
        ]),
        flow: if random.chance(20) { FlowBy::Memory } else { FlowBy::Value },
        explains_influence: random.chance(30),
        ..Options::default()
    }
}
