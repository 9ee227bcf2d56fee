//! What to try where a result is slower than the original.

use crate::Input;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_cost::assumed_values;
use farkas_run::bench::{Outcome, Program, Variant};
use farkas_run::is_faster;
use std::collections::BTreeMap;

/// A result is slower where its speed-up is less: where code lies in memory makes smaller differences.
const SLOWER: f64 = 0.95;

/// Fewer rounds show no spread.
const ROUNDS: usize = 3;

/// The warnings on results that took longer than the original, by more than the times of both differ from round to round.
pub(crate) fn slower(input: &Input, program: &Program) -> Vec<Diagnostic> {
    let warn = |variant: &Variant| {
        let name = format!("{}, {}", program.name, variant.name);
        let message = format!("{name}: the result is slower than the original");
        Diagnostic::new(DiagnosticId::SlowerResult, message).help(what_to_try(input))
    };
    program.variants.iter().filter(|v| is_slower(&program.baseline, v)).map(warn).collect()
}

/// Whether a result is slower beyond the spread.
fn is_slower(original: &Outcome, variant: &Variant) -> bool {
    let times = original.seconds().zip(variant.outcome.seconds());
    times.is_some_and(|(before, after)| before.len() >= ROUNDS && is_faster(before, after))
        && variant.speedup.is_some_and(|speedup| speedup.median < SLOWER)
}

/// What may make a result faster: to say which sizes are meant, where they were assumed.
fn what_to_try(input: &Input) -> String {
    let mut assumed = BTreeMap::new();
    for region in &input.regions {
        let sizes = &region.host.sizes;
        let Ok(values) = assumed_values(&region.scop, sizes) else { continue };
        let unknown = values.iter().filter(|(name, _)| !sizes.contains_key(*name));
        assumed.extend(unknown.map(|(name, value)| (name.to_owned(), value)));
    }
    if assumed.is_empty() {
        return "look for a faster form with `farkas explore`, or keep the order with --strategy original".into();
    }
    let names: Vec<String> = assumed.keys().map(|name| format!("{name}=…")).collect();
    let values: Vec<String> = assumed.iter().map(|(n, value)| format!("{n} = {value}")).collect();
    format!(
        "say with which sizes it runs: --sizes {names}, `#pragma farkas sizes({names})`, or --context; assumed were {}",
        values.join(", "),
        names = names.join(","),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use farkas_run::{Speedup, Summary};

    fn measured(seconds: &[f64]) -> Outcome {
        Outcome::Measured {
            seconds: seconds.to_vec(),
            summary: Summary::of(seconds).expect("times"),
            reported: true,
            outputs: None,
        }
    }

    fn found(before: &[f64], after: &[f64]) -> bool {
        let speedup = Speedup::of(before, after);
        let outcome = measured(after);
        let variant = Variant { name: "pluto".into(), outcome, speedup, tool_s: None };
        is_slower(&measured(before), &variant)
    }

    #[test]
    fn only_what_lies_apart_is_slower() {
        assert!(found(&[1.0, 1.1, 1.0], &[1.5, 1.6, 1.4]));
        assert!(!found(&[1.0, 1.5, 1.0], &[1.2, 1.1, 1.3]));
        // A few per cent are where the code happens to lie, and one round shows no spread.
        assert!(!found(&[1.0, 1.0, 1.0], &[1.02, 1.02, 1.02]));
        assert!(!found(&[1.0], &[2.0]));
        assert!(!found(&[1.5, 1.6, 1.4], &[1.0, 1.1, 1.0]));
    }
}
