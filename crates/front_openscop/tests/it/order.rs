//! New orders in documents.

use crate::common::{cases, lowered, parsed};
use farkas_base::render;
use farkas_front_openscop::{
    Document, Error, Lowered, OpenScop, document_scop, order_of, reschedule,
};
use farkas_poly::{UnionMap, UnionSet};
use farkas_scop::Scop;
use farkas_tree::{ScheduleTree, original_tree};

/// The accepted files.
fn accepted() -> Vec<(String, Document, Vec<Lowered>)> {
    let read = |(name, source): (String, std::sync::Arc<farkas_base::SourceFile>)| {
        let parsed = farkas_front_openscop::parse(&source).expect("a document");
        let lowered = lowered(&source, &parsed).unwrap_or_else(|e| panic!("{}", render(&e, false)));
        let mut document = parsed.document;
        document.scops.retain(|scop| !scop.statements.is_empty());
        (name, document, lowered)
    };
    cases("accept").into_iter().map(read).collect()
}

/// All pairs of instances of which the first runs before the second, under the dates of `scop`.
fn before(scop: &Scop) -> UnionMap {
    let dates = scop.order().expect("dates");
    dates.lex_lt_union_map(&dates).expect("an order")
}

/// The dates of a tree of bands alone.
fn dates_of(tree: &ScheduleTree) -> UnionMap {
    tree.to_isl().and_then(|isl| Ok(isl.map()?)).expect("the dates of a tree")
}

#[test]
fn the_original_order_stays() {
    for (name, document, scops) in accepted() {
        for (open, Lowered { scop, origin, .. }) in document.scops.iter().zip(scops) {
            let tree = original_tree(&scop).expect("a tree");
            let new = reschedule(open, &scop, &origin, &tree).expect("a document");
            let order = dates_of(&order_of(&new, &scop, &origin).expect("an order"));
            let now = order.lex_lt_union_map(&order).expect("pairs");
            assert!(now.is_equal(&before(&scop)).expect("an answer"), "{name} changes its order");
            assert_eq!(only_dates_differ(open, &new), Ok(()), "{name}");
        }
    }
}

/// That nothing but scatterings and what speaks of them differs.
fn only_dates_differ(old: &OpenScop, new: &OpenScop) -> Result<(), String> {
    let blank = |scop: &OpenScop| {
        let mut scop = scop.clone();
        scop.statements.iter_mut().for_each(|s| s.scattering = None);
        scop.extensions.retain(|e| !["scatnames", "loop"].contains(&e.name()));
        scop
    };
    if blank(old) == blank(new) { Ok(()) } else { Err("something else differs".into()) }
}

#[test]
fn a_scop_becomes_a_document_and_the_same_scop_again() {
    for (name, _, scops) in accepted() {
        for Lowered { scop, .. } in scops {
            let (open, origin) = document_scop(&scop, None).expect("a document");
            let (source, again) = parsed(Document { scops: vec![open] }.to_string());
            let second = lowered(&source, &again).expect("a scop").remove(0);
            // From the instances of the first scop to those of the second, by way of the document.
            let link = |(from, to): (&farkas_poly::Map, &farkas_poly::Map)| {
                from.reverse().and_then(|back| back.apply_range(to)).expect("a map")
            };
            let links = origin.instances.iter().zip(&second.origin.instances).map(link);
            let links = UnionMap::union_all(links.collect::<Vec<_>>()).expect("a union");
            let domain: UnionSet =
                scop.domain().expect("a domain").apply(&links).expect("an image");
            let same = domain.is_equal(&second.scop.domain().expect("a domain"));
            assert!(same.expect("an answer"), "{name}: other instances");
            let first = before(&scop).apply_domain(&links).and_then(|b| b.apply_range(&links));
            let same = first.expect("pairs").is_equal(&before(&second.scop));
            assert!(same.expect("an answer"), "{name}: another order");
            let accesses = |scop: &Scop| -> Vec<usize> {
                scop.stmts().iter().map(|s| s.accesses.len()).collect()
            };
            assert_eq!(accesses(&scop), accesses(&second.scop), "{name}");
        }
    }
}

/// The scatterings and extensions that `tree` gives the file `name`.
fn rescheduled(name: &str, tree: &str) -> Result<String, Error> {
    let (_, document, scops) =
        accepted().into_iter().find(|(other, ..)| other == name).expect("the case");
    let tree: ScheduleTree = tree.parse().expect("a tree");
    let Lowered { scop, origin, .. } = &scops[0];
    let new = reschedule(&document.scops[0], scop, origin, &tree)?;
    let text = Document { scops: vec![new] }.to_string();
    let keep = text.split("# ----").filter(|part| part.contains("Scattering\n"));
    let extensions = text.split("Extensions\n").last().unwrap_or_default();
    let relations: Vec<&str> =
        keep.filter_map(|part| part.split_once("Scattering\n")).map(|(_, rest)| rest).collect();
    Ok(format!("{}{extensions}", relations.concat()))
}

#[test]
fn tiles_sequences_and_marks() {
    let tree = r#"
domain: "[n] -> { S1[i, j] : 0 <= i, j < n; S2[i, j, k] : 0 <= i, j, k < n }"
child:
  sequence:
  - filter: "{ S1[i, j] }"
    child:
      mark: "parallel"
      child:
        schedule: "[{ S1[i, j] -> [(j)] }]"
        child:
          schedule: "[{ S1[i, j] -> [(i)] }]"
  - filter: "{ S2[i, j, k] }"
    child:
      mark: "tile 32,16"
      child:
        mark: "parallel"
        child:
          schedule: "[{ S2[i, j, k] -> [(32*floor((i)/32))] }]"
          child:
            schedule: "[{ S2[i, j, k] -> [(16*floor((j)/16))] }, { S2[i, j, k] -> [(i)] }, { S2[i, j, k] -> [(k)] }]"
            child:
              mark: "vector"
              child:
                schedule: "[{ S2[i, j, k] -> [(j)] }]"
"#;
    insta::assert_snapshot!("tiles", rescheduled("product", tree).expect("a document"));
}

#[test]
fn instances_of_one_statement_apart() {
    let tree = r#"
domain: "[n] -> { S1[i] : 0 <= i < n }"
child:
  sequence:
  - filter: "[n] -> { S1[i] : 2i < n }"
    child:
      schedule: "[{ S1[i] -> [(-i)] }]"
  - filter: "[n] -> { S1[i] : 2i >= n }"
    child:
      schedule: "[{ S1[i] -> [(i mod 3)] }, { S1[i] -> [(i)] }]"
"#;
    insta::assert_snapshot!("apart", rescheduled("small", tree).expect("a document"));
}

#[test]
fn a_loop_of_one_iteration_has_no_note() {
    let tree = r#"
domain: "[n] -> { S1[i] : 0 <= i < n }"
child:
  mark: "parallel"
  child:
    schedule: "[{ S1[i] -> [(0)] }]"
    child:
      schedule: "[{ S1[i] -> [(i)] }]"
"#;
    let text = rescheduled("small", tree).expect("a document");
    assert!(!text.contains("<loop>"), "{text}");
}

#[test]
fn nodes_without_means_are_refused() {
    let tree = r#"
domain: "[n] -> { S1[i] : 0 <= i < n }"
child:
  guard: "[n] -> { : n > 3 }"
"#;
    assert_eq!(rescheduled("small", tree), Err(Error::NoMeansFor("guard")));
}

#[test]
fn a_statement_that_never_runs_keeps_a_date() {
    let (_, document, scops) =
        accepted().into_iter().find(|(name, ..)| name == "order").expect("the case");
    let Lowered { scop, origin, .. } = &scops[1];
    let tree = original_tree(scop).expect("a tree");
    let new = reschedule(&document.scops[1], scop, origin, &tree).expect("a document");
    let scattering = new.statements[0].scattering.as_ref().expect("a scattering");
    let [part] = scattering.parts.as_slice() else { panic!("{scattering:?}") };
    assert_eq!(part.rows.len(), part.n_output);
}
