//! Damaged files: no panic, and no message without a place; those that are still good can be printed and read again.

use crate::common::{EVERYTHING, Program, json_files, messages, strategy_file};
use farkas_base::{Diagnostic, render};
use farkas_config::print_strategy;
use farkas_damage::{Random, damage_string, damage_text};
use farkas_schedule::Config;

/// How many changes a file has at most.
const MOST_CHANGES: usize = 4;

/// How many files were read, and what came of it.
#[derive(Default, Debug)]
pub(crate) struct Tally {
    /// Accepted.
    pub(crate) good: usize,
    /// Refused with messages that have a place.
    pub(crate) bad: usize,
}

/// Reads `count` damaged files, most of them made from those that have everything, some from those in `reject/`; in
/// half of them the damage is within a string.
pub(crate) fn damage(count: usize, seed: u64) -> Tally {
    let program = Program::new();
    let mut seeds = EVERYTHING.map(|text| (text.to_owned(), text.contains("strategy"))).to_vec();
    let rejected = json_files("tests/reject").into_iter();
    seeds.extend(rejected.map(|(name, text)| (text, !name.starts_with("influence"))));
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for round in 0..count {
        let seed =
            if round % 8 == 0 { random.below(seeds.len()) } else { round % EVERYTHING.len() };
        let (text, is_strategy) = &seeds[seed];
        let text = match round % 2 {
            0 => damage_text(text, MOST_CHANGES, &mut random),
            _ => damage_string(text, MOST_CHANGES, &mut random),
        };
        let errors = match is_strategy {
            true => {
                program.strategy(&text).map(|config| check_printing(&program, &text, config)).err()
            }
            false => program.influence(&text).err(),
        };
        match errors {
            None => tally.good += 1,
            Some(errors) => {
                check(&errors, &text);
                tally.bad += 1;
            }
        }
    }
    tally
}

/// What is printed reads back the same, but for the origins of constraints and directives.
fn check_printing(program: &Program, text: &str, mut config: Config) {
    let file = strategy_file(text).expect("it was read before");
    let printed = print_strategy(&config, file.description(), file.shape());
    let again = program.strategy(&printed);
    let again = again.unwrap_or_else(|errors| panic!("{}\n{printed}", messages(&errors)));
    config.constraints.iter_mut().enumerate().for_each(|(origin, c)| c.origin = origin);
    config.directives.iter_mut().enumerate().for_each(|(origin, d)| d.origin = origin);
    assert_eq!(again, config, "{printed}");
    let file_again = strategy_file(&printed).expect("it was read before");
    assert_eq!((file.shape(), file.description()), (file_again.shape(), file_again.description()));
}

/// There are messages, each says where, and each can be shown.
fn check(errors: &[Diagnostic], text: &str) {
    assert!(!errors.is_empty(), "no message: {text}");
    for error in errors {
        let source =
            error.source.as_ref().unwrap_or_else(|| panic!("no source: {error:?}\n{text}"));
        let primary =
            error.primary.as_ref().unwrap_or_else(|| panic!("no place: {error:?}\n{text}"));
        let range = primary.span.range();
        assert!(range.start <= range.end && range.end <= source.text().len(), "{error:?}\n{text}");
        assert!(render(error, false).contains(&format!("{}:", source.name())), "{error:?}\n{text}");
    }
}

#[test]
fn damaged_files_have_located_errors() {
    let tally = damage(20_000, 7);
    assert!(tally.good > 1000 && tally.bad > 10_000, "{tally:?}");
}
