//! The interpreter as an oracle: equal memories for legal orders, a mismatch for illegal ones.

use farkas_astgen::{For, Node, UserKind, generate};
use farkas_base::IdVec;
use farkas_interp::{
    Error, Interleaving, Order, Params, ast_order, execute, original_order, run_grid, tree_order,
};
use farkas_poly::PwAff;
use farkas_scop::{
    Access, AccessKind, Array, ArrayId, ArrayScope, AssignOp, BinaryOp, BodyStmt, ElementKind,
    ElementType, Expr, Iterator, ParamId, Parameter, Scop, ScopBuilder, Statement,
};
use farkas_tree::{ScheduleTree, original_tree};

fn int(name: &str) -> Parameter {
    Parameter::new(name, "int")
}

fn array(name: &str, extent: &str) -> Array {
    Array {
        name: name.into(),
        source_name: name.into(),
        element: ElementType { text: "double".into(), kind: ElementKind::Double },
        extents: vec![Some(extent.parse().expect("isl notation"))],
        scope: ArrayScope::Parameter,
        is_live_in: true,
        is_live_out: true,
        declaration: None,
        reduction: None,
        span: None,
    }
}

/// `i + by`, of the iterator at `position`.
fn shifted(position: u32, by: i64) -> Expr {
    Expr::Binary(BinaryOp::Add, Box::new(Expr::Iterator(position)), Box::new(Expr::int(by)))
}

fn access(array: usize, kind: AccessKind, relation: &str, subscript: Expr) -> Access {
    Access {
        array: farkas_base::Id::from_index(array),
        kind,
        relation: relation.parse().expect("isl notation"),
        subscripts: vec![subscript],
        span: None,
    }
}

/// A statement under loops `t` and `i` that sets its first access to the sum of the others.
fn sum(name: &str, domain: &str, date: &str, accesses: Vec<Access>) -> Statement {
    let value = |dim: &str| -> PwAff {
        format!("{{ {name}[t, i] -> [({dim})] }}").parse().expect("isl notation")
    };
    let iterator =
        |name: &str| Iterator { name: name.into(), ty: "int".into(), value: value(name) };
    let accesses: IdVec<farkas_scop::AccessId, Access> = accesses.into_iter().collect();
    let mut reads = accesses.ids().skip(1).map(Expr::Access);
    let first = reads.next().expect("something is read");
    let value =
        reads.fold(first, |sum, read| Expr::Binary(BinaryOp::Add, Box::new(sum), Box::new(read)));
    let target = accesses.ids().next().expect("something is written");
    Statement {
        name: name.into(),
        label: None,
        domain: domain.parse().expect("isl notation"),
        iterators: vec![iterator("t"), iterator("i")],
        date: date.parse().expect("isl notation"),
        accesses,
        body: vec![BodyStmt::Assign { target, op: AssignOp::Set, read: None, value }],
        span: None,
    }
}

/// `for t: { for i: B[i] = A[i - 1] + A[i] + A[i + 1]; for i: A[i] = B[i]; }` with `A` and `B` of `n` elements and the
/// read of `A[i + 1]` at `A[i + last]`.
fn jacobi(last: i64) -> Scop {
    let domain = |s: &str| format!("[n, m] -> {{ {s}[t, i] : 0 <= t < m and 1 <= i < n - 1 }}");
    let read = |by: i64| {
        access(0, AccessKind::Read, &format!("{{ S[t, i] -> A[i + {by}] }}"), shifted(1, by))
    };
    let s = sum(
        "S",
        &domain("S"),
        "{ S[t, i] -> [t, 0, i] }",
        vec![
            access(1, AccessKind::MustWrite, "{ S[t, i] -> B[i] }", Expr::Iterator(1)),
            read(-1),
            read(0),
            read(last),
        ],
    );
    let t = sum(
        "T",
        &domain("T"),
        "{ T[t, i] -> [t, 1, i] }",
        vec![
            access(0, AccessKind::MustWrite, "{ T[t, i] -> A[i] }", Expr::Iterator(1)),
            access(1, AccessKind::Read, "{ T[t, i] -> B[i] }", Expr::Iterator(1)),
        ],
    );
    let params: IdVec<ParamId, Parameter> = [int("n"), int("m")].into_iter().collect();
    let arrays: IdVec<ArrayId, Array> =
        [array("A", "[n] -> { [(n)] }"), array("B", "[n] -> { [(n)] }")].into_iter().collect();
    let mut builder = ScopBuilder::new("jacobi").expect("isl");
    builder.params = params;
    builder.context = "[n, m] -> { : n >= 3 and m >= 0 }".parse().expect("isl notation");
    builder.arrays = arrays;
    builder.stmts = [s, t].into_iter().collect();
    builder.build().expect("a valid scop")
}

fn sizes(n: i64) -> Params {
    Params::new([("n", n), ("m", 3)])
}

/// The mismatch of the orders of the program and of a tree, empty for none.
fn check(tree: &str, interleaving: Interleaving) -> String {
    let (scop, params) = (jacobi(1), sizes(8));
    let tree: ScheduleTree = tree.parse().expect("a tree");
    let original = original_order(&scop, &params).expect("an order");
    let order = tree_order(&scop, &tree, &params, interleaving).expect("an order");
    original.check_same_instances(&order).expect("all instances run once");
    let code = generate(&scop, &tree, &farkas_astgen::Options::default()).expect("code");
    let by_code = ast_order(&scop, &code, &params, interleaving).expect("an order");
    if interleaving == Interleaving::Sequential {
        assert_eq!(order, by_code, "{code}");
    }
    let run = |order: &Order| execute(&scop, &params, order).expect("it runs");
    let expected = run(&original).first_mismatch(&run(&order), true);
    assert_eq!(expected.is_none(), run(&original).first_mismatch(&run(&by_code), true).is_none());
    expected.map_or(String::new(), |m| m.array)
}

const DOMAIN: &str = "domain: \"[n, m] -> { S[t, i] : 0 <= t < m and 1 <= i < n - 1; \
                      T[t, i] : 0 <= t < m and 1 <= i < n - 1 }\"\n";

/// Both statements in one band over `t` and this second member, `S` before `T`.
fn fused(second: &str) -> String {
    format!(
        "{DOMAIN}child:\n  schedule: \"[{{ S[t, i] -> [(t)]; T[t, i] -> [(t)] }}, {{ {second} }}]\"\n  child:\n    \
         sequence:\n    - filter: \"{{ S[t, i] }}\"\n    - filter: \"{{ T[t, i] }}\"\n"
    )
}

#[test]
fn the_original_tree_gives_the_original_order() {
    let (scop, params) = (jacobi(1), sizes(5));
    let original = original_order(&scop, &params).expect("an order");
    let tree = original_tree(&scop).expect("a tree");
    let order = tree_order(&scop, &tree, &params, Interleaving::Sequential).expect("an order");
    assert_eq!(original, order);
    let first: Vec<String> = order.instances.iter().take(7).map(|i| i.to_string()).collect();
    assert_eq!(first.join(" "), "S[0, 1] S[0, 2] S[0, 3] T[0, 1] T[0, 2] T[0, 3] S[1, 1]");
}

#[test]
fn legal_and_illegal_fusions() {
    let sequential = Interleaving::Sequential;
    assert_eq!(check(&fused("S[t, i] -> [(i)]; T[t, i] -> [(i + 1)]"), sequential), "");
    assert_ne!(check(&fused("S[t, i] -> [(i)]; T[t, i] -> [(i)]"), sequential), "");
    assert_ne!(check(&fused("S[t, i] -> [(i)]; T[t, i] -> [(i - 1)]"), sequential), "");
}

#[test]
fn interleaving_exposes_races() {
    let marked = |second: &str| {
        format!(
            "{DOMAIN}child:\n  schedule: \"[{{ S[t, i] -> [(t)]; T[t, i] -> [(t)] }}]\"\n  child:\n    sequence:\n    \
             - filter: \"{{ S[t, i] }}\"\n      child:\n        mark: \"parallel\"\n        child:\n          \
             schedule: \"[{{ S[t, i] -> [(i)] }}]\"\n    - filter: \"{{ T[t, i] }}\"\n      child:\n        \
             mark: \"{second}\"\n        child:\n          schedule: \"[{{ T[t, i] -> [(i)] }}]\"\n"
        )
    };
    for seed in 0..5 {
        assert_eq!(check(&marked("parallel"), Interleaving::Parallel(seed)), "");
    }
    let racy = format!(
        "{DOMAIN}child:\n  mark: \"parallel\"\n  child:\n    schedule: \"[{{ S[t, i] -> [(t)]; T[t, i] -> [(t)] }}]\"\n    \
         child:\n      sequence:\n      - filter: \"{{ S[t, i] }}\"\n        child:\n          \
         schedule: \"[{{ S[t, i] -> [(i)] }}]\"\n      - filter: \"{{ T[t, i] }}\"\n        child:\n          \
         schedule: \"[{{ T[t, i] -> [(i)] }}]\"\n"
    );
    assert_eq!(check(&racy, Interleaving::Sequential), "");
    assert!((0..5).all(|seed| !check(&racy, Interleaving::Parallel(seed)).is_empty()));
}

/// `T` of a time step needs `S` of the same.
#[test]
fn children_of_sets_run_in_any_order() {
    let (scop, params) = (jacobi(1), sizes(8));
    let original = original_order(&scop, &params).expect("an order");
    let expected = execute(&scop, &params, &original).expect("it runs");
    let is_same = |kind: &str, interleaving| {
        let tree: ScheduleTree = format!(
            "{DOMAIN}child:\n  schedule: \"[{{ S[t, i] -> [(t)]; T[t, i] -> [(t)] }}]\"\n  child:\n    {kind}:\n    \
             - filter: \"{{ S[t, i] }}\"\n    - filter: \"{{ T[t, i] }}\"\n"
        )
        .parse()
        .expect("a tree");
        let order = tree_order(&scop, &tree, &params, interleaving).expect("an order");
        original.check_same_instances(&order).expect("all instances run once");
        let memory = execute(&scop, &params, &order).expect("it runs");
        expected.first_mismatch(&memory, true).is_none()
    };
    // In the order of the tree, unless all freedom is used.
    assert!(is_same("set", Interleaving::Sequential) && is_same("set", Interleaving::Parallel(1)));
    for seed in 0..5 {
        assert!(is_same("sequence", Interleaving::Coincident(seed)));
        assert!(!is_same("set", Interleaving::Coincident(seed)));
    }
}

#[test]
fn tiles_run_like_the_original() {
    let tiled = format!(
        "{DOMAIN}child:\n  schedule: \"[{{ S[t, i] -> [(2*floor((2t + i)/4))]; T[t, i] -> [(2*floor((2t + i + 1)/4))] }}]\"\n  \
         child:\n    schedule: \"[{{ S[t, i] -> [(t)]; T[t, i] -> [(t)] }}, \
         {{ S[t, i] -> [(2t + i)]; T[t, i] -> [(2t + i + 1)] }}]\"\n    child:\n      sequence:\n      \
         - filter: \"{{ S[t, i] }}\"\n      - filter: \"{{ T[t, i] }}\"\n"
    );
    assert_eq!(check(&tiled, Interleaving::Sequential), "");
}

#[test]
fn what_cannot_be_executed_is_named() {
    let message = |scop: &Scop, params: &Params| {
        let order = original_order(scop, params);
        order.and_then(|order| execute(scop, params, &order)).map(|_| ()).expect_err("it stops")
    };
    let error = message(&jacobi(2), &sizes(4)).to_string();
    assert_eq!(error, "S[0, 2] accesses A[4], outside A[4]");
    assert_eq!(message(&jacobi(1), &Params::new([("n", 4)])), Error::NoValue("m".into()));
    assert!(matches!(message(&jacobi(1), &sizes(2)), Error::OutsideContext(_)));
    let few = sizes(8).with_max_instances(10);
    assert_eq!(message(&jacobi(1), &few), Error::TooManyInstances(10));

    let mut builder = jacobi(1).to_builder();
    let stmt = builder.stmts.iter_mut().next().expect("two statements");
    let read = stmt.accesses.iter_mut().nth(1).expect("four accesses");
    read.relation = "{ S[t, i] -> A[i] }".parse().expect("isl notation");
    let error = message(&builder.build().expect("a valid scop"), &sizes(4)).to_string();
    assert_eq!(error, "S[0, 1]: the subscripts give A[0], the access relation A[1]");
}

#[test]
fn text_is_not_executed() {
    let mut builder = jacobi(1).to_builder();
    for stmt in builder.stmts.iter_mut() {
        stmt.body = vec![BodyStmt::Text(vec![farkas_scop::TextPiece::Text("A[i] = B[i];".into())])];
    }
    let (scop, params) = (builder.build().expect("a valid scop"), sizes(8));
    let order = original_order(&scop, &params).expect("an order");
    let error = execute(&scop, &params, &order).expect_err("text");
    assert_eq!(error.to_string(), "cannot execute a body that is text in S[0, 1]");
}

/// `B[0] = A[i] + A[i]; C[i] = B[0] + B[0];` in a loop over `i` inside of one over `t`, where the first statement runs where `first`
/// says.
fn temporary(first: &str) -> Scop {
    let domain = |s: &str, when: &str| {
        format!("[n, m] -> {{ {s}[t, i] : 0 <= t < m and 1 <= i < n - 1 and {when} }}")
    };
    let read = |array, relation| access(array, AccessKind::Read, relation, Expr::Iterator(1));
    let in_b = |kind, s: &str| access(1, kind, &format!("{{ {s}[t, i] -> B[0] }}"), Expr::int(0));
    let a = || read(0, "{ S[t, i] -> A[i] }");
    let s = sum(
        "S",
        &domain("S", first),
        "{ S[t, i] -> [t, i, 0] }",
        vec![in_b(AccessKind::MustWrite, "S"), a(), a()],
    );
    let c = access(2, AccessKind::MustWrite, "{ T[t, i] -> C[i] }", Expr::Iterator(1));
    let b = || in_b(AccessKind::Read, "T");
    let t = sum("T", &domain("T", "true"), "{ T[t, i] -> [t, i, 1] }", vec![c, b(), b()]);
    let mut builder = jacobi(1).to_builder();
    builder.arrays.push(array("C", "[n] -> { [(n)] }"));
    if let Some(b) = builder.arrays.iter_mut().nth(1) {
        b.is_live_out = false;
    }
    builder.stmts = [s, t].into_iter().collect();
    builder.build().expect("a valid scop")
}

/// Iterations with copies share nothing, and see nothing of other copies.
#[test]
fn iterations_have_copies_of_private_arrays() {
    let params = sizes(8);
    let is_same = |scop: &Scop, mark: &str, interleaving| {
        let tree = format!(
            "domain: \"{}\"\nchild:\n  schedule: \"[{{ S[t, i] -> [(t)]; T[t, i] -> [(t)] }}]\"\n  child:\n    mark: \"parallel\"\n    \
             child:\n      mark: \"{mark}\"\n      child:\n        schedule: \"[{{ S[t, i] -> [(i)]; T[t, i] -> [(i)] }}]\"\n        \
             child:\n          sequence:\n          - filter: \"{{ S[t, i] }}\"\n          - filter: \"{{ T[t, i] }}\"\n",
            scop.domain().expect("a domain")
        );
        let tree: ScheduleTree = tree.parse().expect("a tree");
        let code = generate(scop, &tree, &farkas_astgen::Options::default()).expect("code");
        let run = |order: Order| execute(scop, &params, &order).expect("it runs");
        let by_tree = run(tree_order(scop, &tree, &params, interleaving).expect("an order"));
        let by_code = run(ast_order(scop, &code, &params, interleaving).expect("an order"));
        let expected = run(original_order(scop, &params).expect("an order"));
        let is_same = expected.first_mismatch(&by_tree, true).is_none();
        assert_eq!(expected.first_mismatch(&by_code, true).is_none(), is_same, "{code}");
        is_same
    };
    let scop = temporary("true");
    assert!(is_same(&scop, "point", Interleaving::Sequential));
    assert!((0..5).all(|seed| !is_same(&scop, "point", Interleaving::Parallel(seed))));
    assert!((0..5).all(|seed| is_same(&scop, "private B", Interleaving::Parallel(seed))));
    // The other iterations read what the first one wrote.
    let scop = temporary("i = 1");
    assert!(is_same(&scop, "point", Interleaving::Sequential));
    assert!(!is_same(&scop, "private B", Interleaving::Sequential));
    let tree: ScheduleTree = "{ domain: \"{ S[t, i] : false }\", child: { mark: \"private X\", child: { schedule: \"[{ S[t, i] -> [(i)] }]\" } } }"
        .parse()
        .expect("a tree");
    let error = tree_order(&scop, &tree, &params, Interleaving::Sequential);
    assert_eq!(error, Err(Error::NoArray("X".into())));
}

/// `for i: for t: { A[t] = A[t] + B[i]; B[i] = B[i] + A[t]; }`, the inner loop in vector lanes and written out.
fn transposed() -> (Scop, ScheduleTree) {
    let domain = |s: &str| format!("[n, m] -> {{ {s}[t, i] : 0 <= t < 3 and 0 <= i < n }}");
    let of = |s: &str, array: usize, kind| match array {
        0 => access(0, kind, &format!("{{ {s}[t, i] -> A[t] }}"), Expr::Iterator(0)),
        _ => access(1, kind, &format!("{{ {s}[t, i] -> B[i] }}"), Expr::Iterator(1)),
    };
    let stmt = |s: &str, last: i64, [written, read]: [usize; 2]| {
        let date = format!("{{ {s}[t, i] -> [i, t, {last}] }}");
        let reads = [of(s, written, AccessKind::Read), of(s, read, AccessKind::Read)];
        let write = of(s, written, AccessKind::MustWrite);
        sum(s, &domain(s), &date, std::iter::once(write).chain(reads).collect())
    };
    let mut builder = jacobi(1).to_builder();
    builder.stmts = [stmt("S", 0, [0, 1]), stmt("T", 1, [1, 0])].into_iter().collect();
    let scop = builder.build().expect("a valid scop");
    let band =
        |dim: &str| format!("schedule: \"[{{ S[t, i] -> [({dim})]; T[t, i] -> [({dim})] }}]\"");
    let tree = format!(
        "domain: \"{}\"\nchild:\n  mark: \"vector\"\n  child:\n    {}\n    child:\n      mark: \"unroll\"\n      child:\n        {}\n        \
         child:\n          sequence:\n          - filter: \"{{ S[t, i] }}\"\n          - filter: \"{{ T[t, i] }}\"\n",
        scop.domain().expect("a domain"),
        band("i"),
        band("t")
    );
    (scop, tree.parse().expect("a tree"))
}

/// What is no instance does not count as one, and touches buffers alone.
#[test]
fn ghosts_touch_buffers_alone() {
    fn padded(node: &Node) -> Node {
        match node {
            Node::For(node) => {
                let body = node.body.iter().map(padded).collect();
                Node::For(For { end: node.end.offset(1), body, ..node.clone() })
            }
            Node::User(user) => {
                let kind = UserKind::Padded;
                Node::User(farkas_astgen::User { kind, ..user.clone() })
            }
            Node::If(_) | Node::Block(_) => node.clone(),
        }
    }
    let ((scop, tree), params) = (transposed(), sizes(8));
    let mut code = generate(&scop, &tree, &farkas_astgen::Options::default()).expect("code");
    code.body = code.body.iter().map(padded).collect();
    let order = ast_order(&scop, &code, &params, Interleaving::Sequential).expect("an order");
    let original = original_order(&scop, &params).expect("an order");
    original.check_same_instances(&order).expect("all instances run once");
    let ghost = execute(&scop, &params, &order).err();
    assert!(matches!(ghost, Some(Error::Ghost { .. })), "{ghost:?}");
}

/// Both statements in a kernel of four threads, in each step of `t` with `first` before the first one and `second` before the second.
fn in_kernel(first: &str, second: &str) -> ScheduleTree {
    in_kernel_with(first, second, "threads x", "point")
}

/// The same, with loops over `i` under one mark and what they repeat under another.
fn in_kernel_with(first: &str, second: &str, around: &str, inside: &str) -> ScheduleTree {
    let part = |name: &str, mark: &str| {
        format!(
            "{{ filter: \"{{ {name}[t, i] }}\", child: {{ mark: \"{mark}\", child: {{ mark: \"{around}\", \
             child: {{ schedule: \"[{{ {name}[t, i] -> [(i)] }}]\", child: {{ mark: \"{inside}\", \
             child: {{ schedule: \"[{{ {name}[t, i] -> [(t)] }}]\" }} }} }} }} }} }}"
        )
    };
    format!(
        "{DOMAIN}child:\n  mark: \"kernel 4,1,1\"\n  child:\n    schedule: \"[{{ S[t, i] -> [(t)]; T[t, i] -> [(t)] }}]\"\n    \
         child: {{ sequence: [ {}, {} ] }}\n",
        part("S", first),
        part("T", second)
    )
    .parse()
    .expect("a tree")
}

/// What becomes of the loops of a tree on a GPU: nothing to complain of, or the error, or the array that is wrong.
fn on_grid(tree: &ScheduleTree, seed: u64) -> Result<(), String> {
    let (scop, params) = (jacobi(1), sizes(11));
    let code = generate(&scop, tree, &farkas_astgen::Options::default()).expect("code");
    let original = original_order(&scop, &params).expect("an order");
    let ran = run_grid(&scop, &code, &params, seed).map_err(|error| error.to_string())?;
    original.check_same_instances(&ran.order).expect("all instances run once");
    let expected = execute(&scop, &params, &original).expect("it runs");
    expected.first_mismatch(&ran.memory, true).map_or(Ok(()), |m| Err(m.array))
}

#[test]
fn threads_wait_at_barriers_alone() {
    for seed in 0..5 {
        assert_eq!(on_grid(&in_kernel("barrier", "barrier"), seed), Ok(()));
        for missing in [in_kernel("point", "barrier"), in_kernel("barrier", "point")] {
            let found = on_grid(&missing, seed).expect_err("a race");
            assert!(found.ends_with("at the same time"), "{found}");
        }
    }
}

#[test]
fn all_threads_come_to_a_barrier() {
    // Nine iterations for four threads: one of them comes there once more, and the others in other iterations.
    let tree = in_kernel_with("barrier", "barrier", "threads x", "barrier");
    assert_eq!(on_grid(&tree, 1), Err(Error::Divergence.to_string()));
}

#[test]
fn blocks_share_nothing_in_a_launch() {
    let tree = in_kernel_with("point", "point", "blocks x", "point");
    // Some seeds have one block.
    let found = (0..8).filter_map(|seed| on_grid(&tree, seed).err());
    assert!(found.filter(|found| found.ends_with("at the same time")).count() > 2);
}
