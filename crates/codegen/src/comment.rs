//! What is said above each nest.

use farkas_astgen::{For, LoopKind, Node};

/// What was done to the loops of a nest, in sentences: what runs in parallel, tiles, order of loops.
pub(crate) fn facts(nest: &Node) -> Vec<String> {
    let mut chain: Vec<&For> = Vec::new();
    longest_chain(nest, &mut Vec::new(), &mut chain);
    let mut lines = Vec::new();
    if let Some(wave) = chain.iter().find(|l| l.info.wavefront) {
        lines.push(format!("{} runs over wavefronts of tiles.", wave.iterator));
    }
    if let Some(parallel) = chain.iter().find(|l| l.info.kind.is_parallel()) {
        let shared = parallel.shared_inside();
        let iterators: Vec<&str> =
            [*parallel].into_iter().chain(shared).map(|l| l.iterator.as_str()).collect();
        let (iterator, carries) = match iterators.as_slice() {
            [one] => ((*one).to_owned(), "carries"),
            several => (several.join(", "), "carry"),
        };
        let (private, reduced) = (&parallel.info.private, &parallel.info.reduced);
        let mut but = Vec::new();
        if !private.is_empty() {
            but.push(format!("those of {}, private to each iteration", private.join(", ")));
        }
        if !reduced.is_empty() {
            but.push(format!("updates of {}, whose order is free", reduced.join(", ")));
        }
        lines.push(match but.as_slice() {
            [] => format!("{iterator} parallel: {carries} no dependence."),
            but => {
                format!("{iterator} parallel: {carries} no dependence but {}.", but.join(" and "))
            }
        });
        if parallel.info.turns.is_some() {
            lines.push("threads take turns: iterations differ in work.".to_owned());
        }
    }
    let sizes: Vec<String> =
        chain.iter().filter_map(|l| Some(format!("{} {}", l.iterator, l.info.tile?))).collect();
    if !sizes.is_empty() {
        lines.push(format!("tiles: {}.", sizes.join(", ")));
    }
    let points: Vec<&str> = chain
        .iter()
        .filter(|l| l.info.tile.is_none() && !l.info.wavefront)
        .map(|l| l.iterator.as_str())
        .collect();
    if !sizes.is_empty() && points.len() > 1 {
        lines.push(format!("point order {}.", points.join(", ")));
    }
    if let Some(vector) = chain.iter().find(|l| l.info.kind == LoopKind::Vector) {
        lines.push(format!("{} in vector lanes.", vector.iterator));
    }
    lines
}

/// The longest chain of nested loops; the first of equals.
fn longest_chain<'a>(node: &'a Node, here: &mut Vec<&'a For>, longest: &mut Vec<&'a For>) {
    match node {
        Node::For(node) => {
            here.push(node);
            if here.len() > longest.len() {
                longest.clone_from(here);
            }
            node.body.iter().for_each(|n| longest_chain(n, here, longest));
            here.pop();
        }
        Node::If(node) => {
            node.then.iter().chain(&node.otherwise).for_each(|n| longest_chain(n, here, longest));
        }
        Node::Block(node) => node.body.iter().for_each(|n| longest_chain(n, here, longest)),
        Node::User(_) => {}
    }
}
