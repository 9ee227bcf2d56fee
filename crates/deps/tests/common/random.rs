//! Random small scops and trees, from a seed.

use farkas_poly::{Set, UnionPwAff, UnionSet};
use farkas_scop::Scop;
use farkas_tree::{Band, Mark, Member, Node, ScheduleTree};

/// A generator of numbers (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678))
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % n
    }

    /// One of `items`.
    pub(crate) fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len() as u64) as usize]
    }
}

/// The text of a random scop with one parameter `n`.
pub(crate) fn scop_text(r: &mut Random) -> String {
    let mut text = String::from("params n : n >= 2\n");
    for s in 0..1 + r.below(3) {
        let depth = r.below(3);
        let (tuple, domain) = match depth {
            0 => ("", "true".to_owned()),
            1 => ("i", domain(r, "i", &["0 <= i < n", "1 <= i <= n"])),
            _ => {
                let i = domain(r, "i", &["0 <= i < n", "1 <= i <= n"]);
                let j =
                    domain(r, "j", &["0 <= j < n", "0 <= j <= i", "i <= j < n", "i <= j <= i + 1"]);
                ("i, j", format!("{i} and {j}"))
            }
        };
        let date = date(r, s, depth);
        let accesses: Vec<String> = (0..1 + r.below(3)).map(|_| access(r, depth)).collect();
        text.push_str(&format!("S{s}[{tuple}] : {domain} @ {date} : {}\n", accesses.join(", ")));
    }
    text
}

/// Bounds for an iterator, sometimes with a stride.
fn domain(r: &mut Random, iterator: &str, choices: &[&str]) -> String {
    let bounds = r.pick(choices);
    if r.below(6) == 0 { format!("{bounds} and {iterator} mod 2 = 0") } else { bounds.to_owned() }
}

/// A date that no other statement shares.
fn date(r: &mut Random, s: u64, depth: u64) -> String {
    let dims: &[&str] = match depth {
        0 => &["0", "1"],
        1 => &["i", "i", "i", "-i", "0"],
        _ => &["i"],
    };
    let (a, b) = (r.below(2), r.below(2));
    match depth {
        0 => format!("{a}, {}, {b}, 0, {s}", r.pick(dims)),
        1 => match r.pick(dims) {
            "0" => format!("{a}, 0, {b}, i, {s}"),
            dim => format!("{a}, {dim}, {b}, 0, {s}"),
        },
        _ => {
            let order =
                r.pick(&["i, 0, j", "i, 0, j", "i, 1, j", "j, 0, i", "i + j, 0, -i", "i, 0, -j"]);
            format!("{a}, {order}, {s}")
        }
    }
}

/// A random access.
fn access(r: &mut Random, depth: u64) -> String {
    let kind = r.pick(&["r", "r", "r", "w", "w", "w", "m", "k"]);
    let index: &[&str] = match depth {
        0 => &["0", "1", "n - 1"],
        1 => &["i", "i", "i - 1", "i + 1", "2i", "n - i", "0"],
        _ => &["i", "j", "i + j", "i - j", "i + 1", "j - 1", "2j", "1"],
    };
    match r.below(4) {
        0 => format!("{kind} t[]"),
        1 | 2 => format!("{kind} A[{}]", r.pick(index)),
        _ => format!("{kind} B[{}, {}]", r.pick(index), r.pick(index)),
    }
}

/// The text of a random scop with one parameter `n` whose nests set the scalars `t`, `u` and elements of `T`, and use them
/// again in the same iterations or later ones.
pub(crate) fn nests_text(r: &mut Random) -> String {
    let mut text = String::from("params n : n >= 2\n");
    let mut s = 0;
    for nest in 0..1 + r.below(2) {
        let depth = 1 + r.below(2);
        for place in 0..2 + r.below(3) {
            let is_inner = r.below(3) == 0;
            let mut iterators = vec!["i", "j"];
            iterators.truncate(depth as usize);
            iterators.extend(is_inner.then_some("k"));
            let domain: Vec<String> = iterators
                .iter()
                .map(|x| {
                    let bound = r.pick(&["0 <= X < n", "0 <= X < n", "1 <= X < n", "0 <= X <= i"]);
                    let bound = if *x == "i" { "0 <= X < n" } else { bound };
                    bound.replace('X', x)
                })
                .collect();
            let outer = if depth == 1 { "i, 0" } else { "i, j" };
            let inner = if is_inner { "k" } else { "0" };
            let accesses: Vec<String> =
                (0..2 + r.below(2)).map(|_| temporary_access(r, &iterators)).collect();
            text.push_str(&format!(
                "S{s}[{}] : {} @ {nest}, {outer}, {place}, {inner} : {}\n",
                iterators.join(", "),
                domain.join(" and "),
                accesses.join(", ")
            ));
            s += 1;
        }
    }
    text
}

/// A random access, mostly to temporaries.
fn temporary_access(r: &mut Random, iterators: &[&str]) -> String {
    let kind = r.pick(&["r", "r", "w", "w", "w"]);
    let last = iterators[iterators.len() - 1];
    let offset = r.pick(&["", "", "", "- 1", "+ 1"]);
    match r.below(8) {
        0..3 => format!("{kind} t[]"),
        3 => format!("{kind} u[]"),
        4 => format!("{kind} T[{last}]"),
        5 => format!("{kind} A[i {offset}]"),
        6 => format!("{kind} A[{last} {offset}]"),
        _ => format!("{kind} B[i, {last} {offset}]"),
    }
}

/// The text of a random scop with one parameter `n` whose statements share loops and touch the same arrays in much the same
/// way, some elements apart.
pub(crate) fn stencil_text(r: &mut Random) -> String {
    let mut text = String::from("params n : n >= 2\n");
    let depth = 1 + r.below(3) as usize;
    let iterators = &["i", "j", "k"][..depth];
    let bounds: &[&str] =
        &["0 <= X < n", "0 <= X < n", "1 <= X <= n", "0 <= X <= i", "i <= X < n + 2"];
    let nests = r.below(3) as usize;
    for s in 0..1 + r.below(3) as usize {
        let mut domain = Vec::new();
        for (d, x) in iterators.iter().enumerate() {
            let bound = r.pick(&bounds[..if d == 0 { 3 } else { 5 }]).replace('X', x);
            domain.push(if r.below(12) == 0 {
                format!("{bound} and {x} mod 2 = 0")
            } else {
                bound
            });
        }
        // Statements share the loops outside of the one before which a constant tells them apart.
        let apart = nests.min(depth);
        let mut date = Vec::new();
        for (d, x) in iterators.iter().enumerate() {
            date.push(if d == apart { s.to_string() } else { "0".to_owned() });
            date.push((*x).to_owned());
        }
        date.push(s.to_string());
        let n_accesses = 1 + r.below(4);
        let accesses: Vec<String> = (0..n_accesses).map(|_| offset_access(r, iterators)).collect();
        text.push_str(&format!(
            "S{s}[{}] : {} @ {} : {}\n",
            iterators.join(", "),
            domain.join(" and "),
            date.join(", "),
            accesses.join(", ")
        ));
    }
    text
}

/// A random access that is some elements off another one.
fn offset_access(r: &mut Random, iterators: &[&str]) -> String {
    let kind = r.pick(&["r", "r", "r", "w", "m"]);
    let offset = |r: &mut Random| r.pick(&["", "", "- 1", "+ 1", "+ 2", "+ 5"]).to_owned();
    let (last, first) = (iterators[iterators.len() - 1], iterators[0]);
    match r.below(5) {
        0 => format!("{kind} A[{last} {}]", offset(r)),
        1 => format!("{kind} A[{}{last} {}]", r.pick(&["2", "-", "n - "]), offset(r)),
        2 => format!("{kind} B[{first} {}, {last} {}]", offset(r), offset(r)),
        3 => format!("{kind} B[{last}, {first} {}]", offset(r)),
        _ => format!("{kind} B[{first}, {first} + {last} {}]", offset(r)),
    }
}

/// The text of a random scop with one parameter `n` whose statements share all loops and write and read scalars and arrays, most
/// of them local.
pub(crate) fn temporaries_text(r: &mut Random) -> String {
    let mut text = String::from("params n : n >= 2\nlocal t, u, s[9]\n");
    let tuple = r.pick(&["i", "i, j", "i, j"]);
    let domain = tuple.split(", ").map(|x| format!("0 <= {x} < n")).collect::<Vec<_>>();
    for s in 0..2 + r.below(3) {
        let access = |r: &mut Random| {
            let kind = r.pick(&["r", "w"]);
            let index = r.pick(&["i", "i", "i - 1", tuple]);
            match r.below(8) {
                0..=2 => format!("{kind} t[]"),
                3 => format!("{kind} u[]"),
                4 => format!("{kind} s[i]"),
                5 => format!("{kind} v[]"),
                _ => format!("{kind} A{}[{index}]", index.len()),
            }
        };
        let accesses: Vec<String> = (0..1 + r.below(2)).map(|_| access(r)).collect();
        text.push_str(&format!(
            "S{s}[{tuple}] : {} @ {tuple}, {s} : {}\n",
            domain.join(" and "),
            accesses.join(", ")
        ));
    }
    text
}

/// A random tree over the instances of `scop`, whose statements all have the same iterators: loops that all share, some of
/// them concurrent, and the statements one after another inside.
pub(crate) fn shared_tree(r: &mut Random, scop: &Scop) -> ScheduleTree {
    let parts: Vec<Set> = scop.stmts().ids().map(|s| scop.domain_of(s).unwrap()).collect();
    let dims = parts[0].dim(farkas_poly::DimType::SET).unwrap() as usize;
    let mut order: Vec<&Set> = parts.iter().collect();
    if r.below(4) == 0 {
        let at = r.below(order.len() as u64 - 1) as usize;
        order.swap(at, at + 1);
    }
    let child = |part: &&Set| (universe(part), ScheduleTree::leaf());
    let mut tree = ScheduleTree::sequence(order.iter().map(child).collect());
    let rows: &[&[&str]] = match dims {
        1 => &[&["i"], &["-i"], &["2*floor(i/2)", "i"]],
        _ => &[&["i", "j"], &["j", "i"], &["i + j", "j"], &["floor(i/2)", "j", "i"], &["-i", "j"]],
    };
    for row in rows[r.below(rows.len() as u64) as usize].iter().rev() {
        let tuple = ["i", "i, j"][dims - 1];
        let dates = parts.iter().fold(UnionPwAff::none().unwrap(), |all, part| {
            let name = part.tuple_name().unwrap();
            let text = format!("[n] -> {{ {name}[{tuple}] -> [({row})] }}");
            all.union_add(&text.parse().unwrap()).unwrap()
        });
        let band = Band { members: vec![Member::new(dates, false)], permutable: false };
        tree = ScheduleTree::band(band, tree);
        if r.below(3) == 0 {
            let names = r.pick(&["t", "t,u", "u", "t,u,s", "s"]);
            let names = names.split(',').map(str::to_owned).collect();
            let private = ScheduleTree::mark(Mark::Private(names), tree.clone());
            let inner = if r.below(3) == 0 { tree } else { private };
            tree = ScheduleTree::mark(Mark::Parallel, inner);
        }
    }
    ScheduleTree::domain(scop.domain().unwrap(), tree)
}

/// A random tree over the instances of `scop`; mostly partial orders, sometimes with faults.
pub(crate) fn tree(r: &mut Random, scop: &Scop) -> ScheduleTree {
    let parts: Vec<Set> = scop.stmts().ids().map(|s| scop.domain_of(s).unwrap()).collect();
    let child = subtree(r, &parts, 3);
    let mut domain = scop.domain().unwrap();
    if r.below(20) == 0 {
        domain = domain.subtract(&"{ S0[i] : i = 1 }".parse().unwrap()).unwrap();
    }
    let tree = ScheduleTree::domain(domain, child);
    tree.map_bottom_up(&mut |tree| Ok::<_, ()>(without_unknown(scop, tree))).unwrap()
}

/// What is below a private mark that names an array which `scop` does not have; else the tree.
fn without_unknown(scop: &Scop, tree: ScheduleTree) -> ScheduleTree {
    let is_known = |name: &String| scop.arrays().iter().any(|a| a.name == *name);
    match tree.node() {
        Node::Mark { mark: Mark::Private(names), child } if !names.iter().all(is_known) => {
            child.clone()
        }
        _ => tree,
    }
}

/// A random subtree over `parts`.
fn subtree(r: &mut Random, parts: &[Set], depth: u32) -> ScheduleTree {
    if depth == 0 {
        return finish(parts);
    }
    match r.below(8) {
        0..=3 => {
            let members: Vec<Member> = (0..1 + r.below(2)).map(|_| member(r, parts)).collect();
            let is_one = members.len() == 1;
            let band = Band { members, permutable: false };
            let tree = ScheduleTree::band(band, subtree(r, parts, depth - 1));
            match r.below(8) {
                0 if is_one && r.below(2) == 0 => {
                    ScheduleTree::mark(Mark::Parallel, ScheduleTree::mark(private(r), tree))
                }
                0 => ScheduleTree::mark(Mark::Parallel, tree),
                1 => ScheduleTree::mark(Mark::Vector, ScheduleTree::mark(Mark::Point, tree)),
                _ => tree,
            }
        }
        4 | 5 => {
            let mut order: Vec<&Set> = parts.iter().collect();
            if r.below(2) == 0 {
                order.reverse();
            }
            let children = order
                .into_iter()
                .map(|p| {
                    ScheduleTree::filter(
                        universe(p),
                        subtree(r, std::slice::from_ref(p), depth - 1),
                    )
                })
                .collect();
            if r.below(6) == 0 {
                Node::Set(children).into()
            } else {
                Node::Sequence(children).into()
            }
        }
        6 => split(r, parts, depth),
        _ => finish(parts),
    }
}

/// A mark that names some of the arrays.
fn private(r: &mut Random) -> Mark {
    let names = r.pick(&["t", "t", "A", "t,A"]);
    Mark::Private(names.split(',').map(str::to_owned).collect())
}

/// A sequence that splits each statement's instances in two.
fn split(r: &mut Random, parts: &[Set], depth: u32) -> ScheduleTree {
    let (low, high) = match r.below(12) {
        0 => ("i <= 1", "i >= 1"),
        1 => ("i <= 0", "i >= 2"),
        2..=5 => ("i mod 2 = 0", "i mod 2 = 1"),
        _ => ("i <= 1", "i >= 2"),
    };
    let filter = |condition: &str| {
        parts.iter().fold(UnionSet::none().unwrap(), |all, part| {
            let name = part.tuple_name().unwrap();
            let text = match part.dim(farkas_poly::DimType::SET).unwrap() {
                0 if condition == low => format!("{{ {name}[] }}"),
                0 => format!("{{ {name}[] : false }}"),
                1 => format!("{{ {name}[i] : {condition} }}"),
                _ => format!("{{ {name}[i, j] : {condition} }}"),
            };
            all.union(&text.parse().unwrap()).unwrap()
        })
    };
    let children =
        [low, high].map(|c| ScheduleTree::filter(filter(c), subtree(r, parts, depth - 1))).to_vec();
    Node::Sequence(children).into()
}

/// The statements one after another, each in the order of its iterators.
fn finish(parts: &[Set]) -> ScheduleTree {
    let children = parts.iter().map(|part| {
        let dims = part.dim(farkas_poly::DimType::SET).unwrap() as usize;
        let name = part.tuple_name().unwrap();
        let members = (0..dims).map(|d| {
            let tuple = ["i", "j"][..dims].join(", ");
            let text = format!("{{ {name}[{tuple}] -> [({})] }}", ["i", "j"][d]);
            Member::new(text.parse().unwrap(), false)
        });
        let band = Band { members: members.collect(), permutable: false };
        (universe(part), ScheduleTree::band(band, ScheduleTree::leaf()))
    });
    ScheduleTree::sequence(children.collect())
}

/// A random loop: affine, tiled, or a sum of tiles.
fn member(r: &mut Random, parts: &[Set]) -> Member {
    let mut all = UnionPwAff::none().unwrap();
    let shape = r.below(6);
    for part in parts {
        let name = part.tuple_name().unwrap();
        let (tuple, terms): (&str, &[&str]) = match part.dim(farkas_poly::DimType::SET).unwrap() {
            0 => ("", &["0", "1", "n"]),
            1 => ("i", &["i", "i", "i + 1", "2i", "-i", "0"]),
            _ => ("i, j", &["i", "j", "i + j", "2i + j", "i - j", "i", "j + 1", "-j"]),
        };
        let (x, y) = (r.pick(terms), r.pick(terms));
        let value = match shape {
            0 => format!("2*floor(({x})/2)"),
            1 => format!("floor(({x})/2) + floor(({y})/3)"),
            2 => format!("floor(({x})/3)"),
            _ => x.to_owned(),
        };
        let text = format!("[n] -> {{ {name}[{tuple}] -> [({value})] }}");
        all = all.union_add(&text.parse().unwrap()).unwrap();
    }
    Member::new(all, false)
}

/// All instances of a statement.
fn universe(part: &Set) -> UnionSet {
    Set::universe(&part.space().unwrap()).unwrap().to_union_set().unwrap()
}
