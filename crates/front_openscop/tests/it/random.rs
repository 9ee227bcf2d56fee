//! Random documents: printed and read again they are the same.

use crate::common::{cases, lowered, parsed};
use farkas_base::SourceFile;
use farkas_front_openscop::{
    BasicRelation, Body, Coordinates, Directive, Document, ExtBody, Extension, LoopNote, Lowered,
    OpenScop, OpenStatement, Relation, RelationKind, Row, RowKind, order_of, reschedule,
};
use farkas_poly::with_budget;
use farkas_tree::original_tree;
use proptest::prelude::*;
use std::sync::Arc;

/// A part of a relation of a given shape.
fn part(shape: [usize; 3]) -> impl Strategy<Value = BasicRelation> {
    let [n_output, n_input, n_params] = shape;
    (0_usize..3).prop_flat_map(move |n_local| {
        let n = n_output + n_input + n_local + n_params + 1;
        let kind = prop_oneof![Just(RowKind::Equality), Just(RowKind::Inequality)];
        let coefficient = prop_oneof![4 => -3_i64..4, 1 => any::<i64>()];
        let row = (kind, prop::collection::vec(coefficient, n))
            .prop_map(|(kind, coefficients)| Row { kind, coefficients });
        prop::collection::vec(row, 0..4).prop_map(move |rows| BasicRelation {
            n_output,
            n_input,
            n_local,
            n_params,
            rows,
        })
    })
}

/// A relation of one of some kinds.
fn relation(kinds: &'static [RelationKind]) -> impl Strategy<Value = Relation> {
    let shape = (0_usize..4, 0_usize..3, 0_usize..3).prop_map(|(o, i, p)| [o, i, p]);
    (prop::sample::select(kinds), shape)
        .prop_flat_map(|(kind, shape)| (Just(kind), prop::collection::vec(part(shape), 1..4)))
        .prop_map(|(kind, parts)| Relation { kind, parts })
}

/// A word.
fn word() -> impl Strategy<Value = String> {
    "[A-Za-z_][A-Za-z0-9_.]{0,5}"
}

/// A line of text without comments and without blanks at its ends.
fn line() -> impl Strategy<Value = String> {
    "[A-Za-z*(=;)][ -\"$-~]{0,12}[A-Za-z*(=;)]"
}

/// A body.
fn body() -> impl Strategy<Value = Body> {
    (prop::collection::vec(word(), 0..4), line())
        .prop_map(|(iterators, text)| Body { iterators, text })
}

/// A note on a loop.
fn note() -> impl Strategy<Value = LoopNote> {
    let user = prop::option::of(line());
    (word(), prop::collection::vec(0_i64..9, 0..3), prop::option::of(line()), 0_i64..16, user)
        .prop_map(|(iterator, statements, private, bits, user)| {
            let user = user.filter(|_| bits & Directive::USER != 0);
            LoopNote { iterator, statements, private, directive: Directive { bits, user } }
        })
}

/// An extension of a statement.
fn of_statement() -> impl Strategy<Value = Vec<Extension>> {
    let places = prop::collection::vec((-1_i64..50, -1_i64..9), 0..3);
    (prop::option::of(body()), prop::option::of((places, body()))).prop_map(|(plain, extended)| {
        let extended = extended.map(|(places, body)| Extension::ExtBody(ExtBody { places, body }));
        plain.map(Extension::Body).into_iter().chain(extended).collect()
    })
}

/// Extensions of a scop.
fn of_scop() -> impl Strategy<Value = Vec<Extension>> {
    let at = || (0_i64..99, 0_i64..99);
    let coordinates = (line(), at(), at(), 0_i64..9)
        .prop_map(|(file, start, end, indent)| Coordinates { file, start, end, indent });
    let other = "[ -;=-~\n]{0,30}".prop_map(|text| Extension::Other { name: "x_y".into(), text });
    (
        prop::option::of(prop::collection::vec(word(), 1..4).prop_map(Extension::ScatNames)),
        prop::option::of(
            prop::collection::vec((any::<i64>(), word()), 0..4).prop_map(Extension::Arrays),
        ),
        prop::option::of(coordinates.prop_map(Extension::Coordinates)),
        prop::option::of(prop::collection::vec(note(), 0..3).prop_map(Extension::Loops)),
        prop::option::of(other),
    )
        .prop_map(|(a, b, c, d, e)| [a, b, c, d, e].into_iter().flatten().collect())
}

/// A statement.
fn statement() -> impl Strategy<Value = OpenStatement> {
    use RelationKind::{Domain, MayWrite, Read, ReadWrite, Scattering, Write};
    let accesses = prop::collection::vec(relation(&[Read, Write, MayWrite, ReadWrite]), 0..3);
    (
        prop::option::of(relation(&[Domain])),
        prop::option::of(relation(&[Scattering])),
        accesses,
        of_statement(),
    )
        .prop_map(|(domain, scattering, accesses, extensions)| OpenStatement {
            domain,
            scattering,
            accesses,
            extensions,
        })
}

/// A scop.
fn scop() -> impl Strategy<Value = OpenScop> {
    let names = prop::collection::vec(word(), 0..3).prop_map(Extension::Strings);
    let context = relation(&[RelationKind::Context, RelationKind::Undefined]);
    (word(), context, prop::option::of(names), prop::collection::vec(statement(), 0..3), of_scop())
        .prop_map(|(language, context, parameters, statements, extensions)| OpenScop {
            language,
            context,
            parameters,
            statements,
            extensions,
        })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn documents_round_trip(scops in prop::collection::vec(scop(), 1..3)) {
        let document = Document { scops };
        let printed = document.to_string();
        prop_assert_eq!(&parsed(printed.as_str()).1.document, &document, "{}", printed);
    }

    #[test]
    fn no_text_makes_the_parser_fail_otherwise_than_with_a_message(
        scop in scop(),
        at in any::<prop::sample::Index>(),
        with in "[ -~\n]{0,3}",
    ) {
        let printed = Document { scops: vec![scop] }.to_string();
        let at = at.index(printed.len());
        let text = format!("{}{with}{}", &printed[..at], &printed[(at + 1).min(printed.len())..]);
        let source = Arc::new(SourceFile::new("random.scop", text));
        if let Err(diagnostic) = farkas_front_openscop::parse(&source) {
            prop_assert!(diagnostic.primary.is_some() || diagnostic.message.contains("holds no"));
        }
    }

    #[test]
    fn changed_numbers_make_another_program_or_a_message(
        case in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        number in -3_i64..5,
    ) {
        let files = cases("accept");
        let (_, source) = case.get(&files);
        let is_number = |word: &&str| word.parse::<i64>().is_ok();
        let numbers: Vec<&str> = source.text().split_whitespace().filter(is_number).collect();
        let old = at.get(&numbers);
        let start = old.as_ptr() as usize - source.text().as_ptr() as usize;
        let (before, after) = (&source.text()[..start], &source.text()[start + old.len()..]);
        let changed = Arc::new(SourceFile::new("changed.scop", format!("{before}{number}{after}")));
        let Ok(parsed) = farkas_front_openscop::parse(&changed) else { return Ok(()) };
        let Ok(scops) = with_budget(1_000_000, || lowered(&changed, &parsed)) else { return Ok(()) };
        let full = parsed.document.scops.iter().filter(|scop| !scop.statements.is_empty());
        for (open, Lowered { scop, origin, .. }) in full.zip(scops) {
            let tree = original_tree(&scop).expect("a tree");
            let new = reschedule(open, &scop, &origin, &tree).expect("scatterings");
            order_of(&new, &scop, &origin).expect("an order");
        }
    }
}
