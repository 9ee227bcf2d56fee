//! Random texts: what is printed and read again is the same, and nothing but a message comes of what is broken.

use crate::common::{constraints, scop, source};
use farkas_front_isl::{
    ConstraintKind, print_constraints, print_scop, read_constraints, read_scop,
};
use farkas_poly::{ScheduleConstraints, SchedulerOptions};
use proptest::prelude::*;

/// The statements that random texts speak of, with their dimensions.
const STATEMENTS: [&str; 3] = ["S[i]", "T[i, j]", "U[]"];

/// A condition on the dimensions of one of [`STATEMENTS`].
fn condition(statement: usize) -> BoxedStrategy<String> {
    let bound = (0_i64..4, 2_i64..9);
    match statement {
        0 => prop_oneof![
            bound.clone().prop_map(|(low, high)| format!("{low} <= i <= {high}")),
            bound.prop_map(|(low, step)| format!("{low} <= i < n and i mod {step} = 0")),
        ]
        .boxed(),
        1 => prop_oneof![
            bound.clone().prop_map(|(low, high)| format!("{low} <= i, j <= {high}")),
            bound.prop_map(|(low, high)| format!("{low} <= j <= i < n and i + j <= 2{high}")),
        ]
        .boxed(),
        _ => Just("n >= 0".to_owned()).boxed(),
    }
}

/// A domain of some statements.
fn domain() -> impl Strategy<Value = String> {
    let part = (0_usize..3).prop_flat_map(|at| {
        condition(at).prop_map(move |condition| format!("{} : {condition}", STATEMENTS[at]))
    });
    prop::collection::vec(part, 1..5).prop_map(|parts| format!("[n] -> {{ {} }}", parts.join("; ")))
}

/// A function of the dimensions of one of [`STATEMENTS`].
fn value(statement: usize) -> BoxedStrategy<String> {
    let factor = -2_i64..3;
    match statement {
        0 => (factor.clone(), -3_i64..4).prop_map(|(a, c)| format!("{a}i + {c}")).boxed(),
        1 => (factor.clone(), factor, -3_i64..4)
            .prop_map(|(a, b, c)| format!("{a}i + {b}j + {c}"))
            .boxed(),
        _ => (-3_i64..4).prop_map(|c| c.to_string()).boxed(),
    }
}

/// A relation between the statements.
fn relation() -> impl Strategy<Value = String> {
    let part = (0_usize..3, 0_usize..3).prop_flat_map(|(from, to)| {
        let sink = (value(from), value(from)).prop_map(move |(a, b)| match to {
            0 => format!("S[{a}]"),
            1 => format!("T[{a}, {b}]"),
            _ => "U[]".to_owned(),
        });
        (sink, condition(from))
            .prop_map(move |(sink, c)| format!("{} -> {sink} : {c}", STATEMENTS[from]))
    });
    prop::collection::vec(part, 0..4).prop_map(|parts| format!("[n] -> {{ {} }}", parts.join("; ")))
}

/// Schedule constraints.
fn constraints_text() -> impl Strategy<Value = String> {
    let kinds = ["validity", "coincidence", "condition", "conditional_validity", "proximity"];
    let some = kinds.map(|kind| {
        prop::option::of(relation().prop_map(move |pairs| format!("{kind}: {pairs}\n")))
    });
    (domain(), some).prop_map(|(domain, some)| {
        let some: String = some.into_iter().flatten().collect();
        format!("domain: {domain}\ncontext: [n] -> {{ : n >= 3 }}\n{some}")
    })
}

/// Constraints between all statements over a full domain, by small shifts.
fn shifts_text() -> impl Strategy<Value = String> {
    let shift = || -1_i64..3;
    let pair = prop_oneof![
        shift().prop_map(|a| format!("S[i] -> S[i + {a}]")),
        (shift(), shift()).prop_map(|(a, b)| format!("S[i] -> T[i + {a}, {b}]")),
        (shift(), shift()).prop_map(|(a, b)| format!("T[i, j] -> T[i + {a}, j + {b}]")),
        (shift(), shift()).prop_map(|(a, b)| format!("T[i, j] -> T[j + {a}, i + {b}]")),
        shift().prop_map(|a| format!("T[i, j] -> S[i + {a}]")),
        shift().prop_map(|a| format!("U[] -> S[{a}]")),
        shift().prop_map(|a| format!("T[{a}, n - 1] -> U[]")),
    ];
    let kinds = ["validity", "coincidence", "proximity"];
    let some = kinds.map(|kind| {
        let pairs = prop::collection::vec(pair.clone(), 0..4);
        pairs.prop_map(move |pairs| format!("{kind}: [n] -> {{ {} }}\n", pairs.join("; ")))
    });
    let head = "domain: [n] -> { S[i] : 0 <= i < n; T[i, j] : 0 <= i, j < n; U[] }\ncontext: [n] -> { : n >= 3 }\n";
    some.prop_map(move |some| format!("{head}{}", some.concat()))
}

/// A scop.
fn scop_text() -> impl Strategy<Value = String> {
    let access = (0_usize..3).prop_flat_map(|at| {
        value(at).prop_map(move |subscript| format!("{} -> A[{subscript}]", STATEMENTS[at]))
    });
    let accesses =
        prop::collection::vec(access, 1..4).prop_map(|parts| format!("{{ {} }}", parts.join("; ")));
    let dates = (value(0), value(1)).prop_map(|(of_s, of_t)| {
        format!("{{ S[i] -> [0, {of_s}, i]; T[i, j] -> [{of_t}, i, j]; U[] -> [1, 0, 0] }}")
    });
    (domain(), dates, accesses.clone(), accesses).prop_map(|(domain, dates, reads, writes)| {
        // Only dates of statements that are there.
        let has = |name: &str| domain.contains(&format!("{name}["));
        let parts = dates.trim_matches(['{', '}', ' ']).split("; ").filter(|p| has(&p[..1]));
        let dates: Vec<&str> = parts.collect();
        format!(
            "domain: {domain}\nschedule: {{ {} }}\nreads: {reads}\nmust_writes: {writes}\n",
            dates.join("; ")
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(120) })]

    #[test]
    fn constraints_round_trip(text in constraints_text()) {
        let first = constraints(&text);
        let printed = print_constraints(&first.scop, &first.constraints).expect("a text");
        let second = constraints(&printed);
        prop_assert_eq!(first.constraints.len(), second.constraints.len(), "{}", printed);
        for (a, b) in first.constraints.iter().zip(&second.constraints) {
            prop_assert_eq!((a.kind, a.source, a.sink), (b.kind, b.source, b.sink));
            prop_assert_eq!(a.pairs.is_equal(&b.pairs), Ok(true), "{} and {}", a.pairs, b.pairs);
        }
        let domains = |scop: &farkas_scop::Scop| scop.domain();
        prop_assert_eq!(domains(&first.scop).and_then(|a| a.is_equal(&domains(&second.scop)?)), Ok(true));
    }

    #[test]
    fn orders_respect_constraints(text in shifts_text()) {
        let lowered = constraints(&text);
        let choice = farkas::Options { strategy: farkas::Strategy::Isl, ..farkas::Options::default() };
        let ordered = match farkas::constraints::order(&lowered.scop, &lowered.constraints, &choice) {
            Ok(ordered) => ordered,
            // Random constraints may go round in circles; then isl finds nothing either.
            Err(farkas::Error::Constraints { .. }) => {
                let theirs: ScheduleConstraints = text.parse().expect("isl reads it");
                let theirs = theirs.compute_schedule(SchedulerOptions::default());
                prop_assert!(theirs.is_err(), "isl finds an order: {}", text);
                return Ok(());
            }
            Err(error) => return Err(TestCaseError::fail(format!("{error}: {text}"))),
        };
        // By dates alone, another way than the check.
        let dates = ordered.tree.to_isl().expect("a tree").map().expect("dates");
        let before = dates.lex_lt_union_map(&dates).expect("an order");
        for constraint in lowered.constraints.iter().filter(|c| c.kind == ConstraintKind::Validity) {
            let pairs = constraint.pairs.to_union_map().expect("a union");
            prop_assert_eq!(pairs.is_subset(&before), Ok(true), "{}\n{}", text, ordered.tree);
        }
    }

    #[test]
    fn scops_round_trip(text in scop_text()) {
        let first = scop(&text).scop;
        let printed = print_scop(&first).expect("a text");
        let second = scop(&printed).scop;
        prop_assert_eq!(first.stmts().len(), second.stmts().len());
        let order = |scop: &farkas_scop::Scop| scop.order();
        prop_assert_eq!(order(&first).and_then(|a| a.is_equal(&order(&second)?)), Ok(true), "{}", printed);
        for (a, b) in first.stmts().iter().zip(second.stmts()) {
            prop_assert_eq!(a.accesses.len(), b.accesses.len(), "{}", printed);
            for (a, b) in a.accesses.iter().zip(&b.accesses) {
                prop_assert_eq!((a.kind, a.array), (b.kind, b.array));
                prop_assert_eq!(a.relation.is_equal(&b.relation), Ok(true));
            }
        }
    }

    #[test]
    fn broken_texts_have_messages(
        text in prop_oneof![constraints_text(), scop_text()],
        at in any::<prop::sample::Index>(),
        length in 0_usize..4,
        with in "[ -~\n]{0,3}",
    ) {
        let at = at.index(text.len());
        let text = format!("{}{with}{}", &text[..at], &text[(at + length).min(text.len())..]);
        let source = source("random.isl", &text);
        let errors = [read_constraints(&source, "test").err(), read_scop(&source, "test").err()];
        for error in errors.into_iter().flatten() {
            let has_place = error.primary.is_some() || error.message.contains("no key");
            prop_assert!(has_place, "{}", error.message);
        }
    }
}
