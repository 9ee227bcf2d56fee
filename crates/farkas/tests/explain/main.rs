//! What `explain` says of the loops of all kernels, against what these loops do when they run: sentence by sentence.

#[path = "../common/mod.rs"]
mod common;
mod sentence;
mod trace;

use common::repository;
use farkas::TileSizes;
use farkas::explain::explain;
use farkas::{Input, Options, ReadOptions, Strategy, read};
use farkas::{Optimized, Template, optimize};
use farkas_astgen::{For, Node};
use farkas_codegen::Target;
use farkas_interp::Params;
use farkas_scop::{AccessId, Region, StmtId};
use farkas_tree::OneThread;
use sentence::{Line, Sentence, is_distance, sentences};
use std::collections::{BTreeMap, BTreeSet};
use trace::{Conflict, Seen, traced};

/// How many instances a trace may have.
const MAX_INSTANCES: usize = 3000;

/// Values for all parameters, those that show most first.
const SIZES: [i64; 8] = [7, 6, 5, 4, 3, 9, 12, 2];

/// A region of a kernel with its result and its explanation.
struct Explained<'a> {
    name: &'a str,
    input: &'a Input,
    region: &'a Region,
    optimized: &'a Optimized,
    text: &'a str,
}

/// Calls `check` on every region of every kernel that `wanted` names, under some options.
fn for_each_region(
    options: &Options,
    mut wanted: impl FnMut(&str) -> bool,
    mut check: impl FnMut(&Explained<'_>),
) {
    let folder = repository().join("kernels");
    let entries = std::fs::read_dir(folder).expect("the kernels");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "c"));
    paths.sort();
    assert!(paths.len() >= 60);
    for path in paths {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if !wanted(&name) {
            continue;
        }
        let input: Input = read(&path, &ReadOptions::default()).expect("a readable kernel");
        for region in &input.regions {
            let options = options.clone().of_file(&input.source);
            let optimized = optimize(region, &options).expect("a result");
            let text = explain(&input, region, &options, &optimized).expect("an explanation");
            check(&Explained {
                name: &name,
                input: &input,
                region,
                optimized: &optimized,
                text: &text,
            });
        }
    }
}

/// The sentences of a run over the kernels, by kind, with how many loops had each.
#[derive(Default, Debug)]
struct Told(BTreeMap<&'static str, usize>);

impl Told {
    /// Counts a sentence.
    fn count(&mut self, kind: &'static str) {
        *self.0.entry(kind).or_default() += 1;
    }

    /// Each of these was said of some loop.
    fn has_all(&self, kinds: &[&str]) {
        kinds.iter().for_each(|kind| assert!(self.n(kind) > 0, "{kind}: {self:#?}"));
    }

    /// How many loops had this sentence.
    fn n(&self, kind: &str) -> usize {
        self.0.get(kind).copied().unwrap_or_default()
    }
}

/// Holds every sentence on every `part`-th kernel under `options` against what its loop does.
fn check_every(part: usize, options: &Options) -> Told {
    let (mut told, mut n) = (Told::default(), 0);
    let is_wanted = |_: &str| {
        n += 1;
        n % part == 0
    };
    for_each_region(options, is_wanted, |explained| explained.check(&mut told));
    // Pieces in which a loop is printed have conflicts with one another, too, and some kernels need sizes of their own.
    let (seen, others) = (told.n("lines seen"), told.n("lines not seen"));
    assert!(seen > 0 && others * 20 < seen, "{told:#?}");
    told
}

impl Explained<'_> {
    /// Holds all sentences on the loops against the loops.
    fn check(&self, told: &mut Told) {
        assert!(!self.text.contains("()"), "{}: an empty distance:\n{}", self.name, self.text);
        let sentences = sentences(self.text);
        let mut loops = Vec::new();
        self.optimized.ast.body.iter().for_each(|node| collect(node, &mut Vec::new(), &mut loops));
        assert_eq!(sentences.len(), loops.len(), "{}:\n{}", self.name, self.text);
        let seen = self.seen();
        told.count(if seen.is_empty() { "regions that were not run" } else { "regions" });
        for (at, (sentence, (node, around))) in sentences.iter().zip(&loops).enumerate() {
            assert_eq!(sentence.iterator, node.iterator, "{}", self.name);
            self.check_threads(sentence, node, around, told);
            if let Some(seen) = seen.get(at) {
                self.check_carried(sentence, node, seen, told);
            }
        }
        self.check_lines(&sentences, &loops, &seen, told);
    }

    /// Every line on what a loop carries tells something that happens between its iterations. A loop of the schedule is printed in
    /// several pieces, not all of which have all of it.
    fn check_lines(
        &self,
        sentences: &[Sentence],
        loops: &[(For, Vec<For>)],
        seen: &[Seen],
        told: &mut Told,
    ) {
        let mut pieces: BTreeMap<_, (usize, Vec<&Line>, BTreeSet<&Conflict>)> = BTreeMap::new();
        for ((sentence, (node, _)), seen) in sentences.iter().zip(loops).zip(seen) {
            let Some((cursor, member)) = &node.info.member else { continue };
            let key = (cursor.steps().to_vec(), *member);
            let (iterations, lines, conflicts) = pieces.entry(key).or_default();
            *iterations = seen.iterations.max(*iterations);
            lines.extend(&sentence.carried);
            conflicts.extend(&seen.conflicts);
        }
        for (iterations, lines, conflicts) in pieces.values() {
            for line in lines.iter().filter(|_| *iterations > 1) {
                let found = conflicts.iter().filter(|c| self.counts(c) && self.tells(line, c));
                let found: Vec<_> = found.collect();
                if found.is_empty() {
                    told.count("lines not seen");
                    continue;
                }
                told.count("lines seen");
                for distance in &line.distances {
                    let is_seen = found.iter().any(|found| is_distance(distance, &found.distance));
                    told.count("distances");
                    assert!(is_seen, "{}: {distance:?} of {line:?}\n{}", self.name, self.text);
                }
            }
        }
    }

    /// What the loops do at several sizes together; nothing where no size is small enough.
    fn seen(&self) -> Vec<Seen> {
        let Optimized { scop, ast, .. } = self.optimized;
        let is_valid =
            |params: &Params| params.check(scop).is_ok() && params.check(&self.region.scop).is_ok();
        // Equal sizes, and some of which each is greater or smaller than the one before.
        let runs = [0, 2, -2].into_iter().filter_map(|step| {
            let params = SIZES.iter().map(|size| {
                let names = scop.params().iter().map(|param| param.name.as_str());
                Params::new(names.zip(0i64..).map(|(name, at)| (name, size + step * (at % 3))))
            });
            params.filter(is_valid).find_map(|params| traced(scop, ast, &params, MAX_INSTANCES))
        });
        let mut all: Vec<Seen> = Vec::new();
        for run in runs {
            all.resize(run.len(), Seen::default());
            for (all, seen) in all.iter_mut().zip(run) {
                all.iterations = all.iterations.max(seen.iterations);
                all.conflicts.extend(seen.conflicts);
            }
        }
        all
    }

    /// What a loop is said to carry, against the conflicts of its iterations.
    fn check_carried(&self, sentence: &Sentence, node: &For, seen: &Seen, told: &mut Told) {
        let Explained { name, text, .. } = self;
        let loop_ = &node.iterator;
        if sentence.text.contains("not a loop of the schedule") {
            told.count("not a loop of the schedule");
            assert!(node.info.member.is_none(), "{name}");
            return;
        }
        if sentence.carries_nothing() {
            told.count("carries nothing");
            let found = seen.conflicts.first();
            assert_eq!(found, None, "{name}: a conflict between iterations of {loop_}:\n{text}");
            return;
        }
        told.count("carries something");
        let conflicts: Vec<&Conflict> =
            seen.conflicts.iter().filter(|conflict| self.counts(conflict)).collect();
        for conflict in &conflicts {
            let is_told = sentence.carried.iter().any(|line| self.tells(line, conflict));
            assert!(is_told, "{name}: nothing is said of {conflict:?} in {loop_}:\n{text}");
        }
        let flows = conflicts.iter().any(|c| c.kind == farkas_deps::DependenceKind::Flow);
        if sentence.text.contains("no value flows") {
            told.count("no value flows");
            assert!(!flows, "{name}: a value flows between iterations of {loop_}:\n{text}");
        }
    }

    /// Whether a conflict is a dependence: flow by value where the region's own dependences are told, else by memory.
    fn counts(&self, conflict: &Conflict) -> bool {
        let is_by_value = self.optimized.scop == *self.optimized.basis(self.region);
        conflict.kind != farkas_deps::DependenceKind::Flow || !is_by_value || conflict.is_by_value
    }

    /// Whether a line tells a conflict.
    fn tells(&self, line: &Line, conflict: &Conflict) -> bool {
        let scop = &self.optimized.scop;
        let (stmt, access) = conflict.source;
        let array = &scop.arrays()[scop.stmts()[stmt].accesses[access].array];
        line.kind == conflict.kind.name()
            && line.array == array.source_name
            && line.sources.contains(&self.place(conflict.source))
            && line.sinks.contains(&self.place(conflict.sink))
            && (line.has_more
                || line.distances.is_empty()
                || line.distances.iter().any(|written| is_distance(written, &conflict.distance)))
    }

    /// Where an access is written: its line, or the name of a statement that nobody wrote.
    fn place(&self, (stmt, access): (StmtId, AccessId)) -> String {
        let stmt = &self.optimized.scop.stmts()[stmt];
        let span = stmt.accesses[access].span.or(stmt.span);
        span.map_or(stmt.name.clone(), |span| self.input.source.line(span).to_string())
    }

    /// What is said of a loop's threads, against the loops around and inside it and what was recorded.
    fn check_threads(&self, sentence: &Sentence, node: &For, around: &[For], told: &mut Told) {
        let Explained { name, text, optimized, .. } = self;
        let loop_ = &node.iterator;
        let says = |words: &str| sentence.text.contains(words);
        let context = || format!("{name}: `{loop_}`{}\n{text}", sentence.text);
        assert_eq!(says(": parallel"), node.info.kind.is_parallel(), "{}", context());
        assert_eq!(says("not parallel"), !sentence.carried.is_empty(), "{}", context());
        assert!(!node.info.kind.is_parallel() || sentence.carries_nothing(), "{}", context());
        if node.info.kind.is_parallel() {
            told.count("parallel");
        }
        if sentence.carries_nothing() {
            assert_eq!(says("in vector lanes"), node.info.kind.is_vector(), "{}", context());
            assert_eq!(says("private to each"), !node.info.private.is_empty(), "{}", context());
        }
        let mut inside = Vec::new();
        node.body.iter().for_each(|node| collect(node, &mut Vec::new(), &mut inside));
        for words in [" outside already runs in parallel", " outside runs in parallel"] {
            if says(words) {
                told.count("a loop outside is parallel");
                let outer = around.iter().filter(|outer| outer.info.kind.is_parallel());
                let names: Vec<&str> = outer.map(|outer| outer.iterator.as_str()).collect();
                let told = sentence.name_before(words).expect("a loop");
                assert!(names.contains(&told), "{}", context());
            }
        }
        if says("threads share its iterations") {
            told.count("threads share loops");
            let is_shared = |outer: &For| {
                outer.shared_inside().iter().any(|shared| shared.iterator == node.iterator)
            };
            assert!(around.iter().any(is_shared), "{}", context());
        }
        if says(" inside runs in parallel") {
            told.count("a loop inside is parallel");
            let name = sentence.name_before(" inside runs in parallel").expect("a loop");
            let is_parallel =
                |(inner, _): &(For, _)| inner.info.kind.is_parallel() && inner.iterator == name;
            assert!(inside.iter().any(is_parallel), "{}", context());
        }
        if says("runs on one thread") {
            told.count("one thread");
            assert!(around.iter().all(|outer| !outer.info.kind.is_parallel()), "{}", context());
        }
        let recorded = node.info.member.as_ref().and_then(|(cursor, member)| {
            optimized.tree.member(cursor, *member)?.one_thread.clone()
        });
        if says("too little work") {
            told.count("too little work");
            assert_eq!(recorded, Some(OneThread::Innermost), "{}", context());
            assert!(inside.is_empty() && !around.is_empty(), "{}", context());
        }
        if says("does not know it as parallel") {
            told.count("not coincident");
            assert!(!node.info.coincident, "{}", context());
        }
        if says("fewer than") {
            told.count("few iterations");
            assert!(matches!(recorded, Some(OneThread::Short(_))), "{}", context());
        }
        let is_any_parallel = || {
            let mut loops = Vec::new();
            optimized.ast.body.iter().for_each(|node| collect(node, &mut Vec::new(), &mut loops));
            loops.iter().any(|(node, _)| node.info.kind.is_parallel())
        };
        for (words, kind) in [
            ("of this target starts no threads", "target"),
            ("keeps its own order", "own order"),
            ("must not start threads", "region"),
            ("cost more by the machine model", "dear"),
            ("shaped as a whole", "shaped"),
            ("that has a single iteration", "single iteration"),
            ("were to share a loop around it", "lost around"),
            ("cannot have copies", "no copies"),
            ("would take the data", "streams"),
            ("all others wait for", "waited"),
            ("threads share a loop", "elsewhere"),
        ] {
            if says(words) {
                told.count(kind);
                if matches!(kind, "target" | "own order" | "region" | "dear") {
                    assert!(optimized.no_threads.is_some() && !is_any_parallel(), "{}", context());
                }
            }
        }
    }
}

/// The loops at and below a node, in the order in which they are printed, each with those around it.
fn collect(node: &Node, around: &mut Vec<For>, found: &mut Vec<(For, Vec<For>)>) {
    match node {
        Node::For(node) => {
            found.push((node.clone(), around.clone()));
            around.push(node.clone());
            node.body.iter().for_each(|inner| collect(inner, around, found));
            around.pop();
        }
        Node::If(node) => {
            node.then.iter().chain(&node.otherwise).for_each(|n| collect(n, around, found));
        }
        Node::Block(node) => node.body.iter().for_each(|inner| collect(inner, around, found)),
        Node::User(_) => {}
    }
}

/// Tiles so small that small sizes fill several.
fn small_tiles() -> TileSizes {
    TileSizes::new(vec![vec![2]]).expect("sizes")
}

/// Tiled loops, and wavefronts of tiles.
#[test]
#[ignore = "long"]
fn sentences_on_plutos_loops_are_true() {
    let told = check_every(
        1,
        &Options { template: Template::default().tiled(small_tiles()), ..Options::default() },
    );
    assert!(told.n("regions") >= 60);
    told.has_all(&["parallel", "a loop outside is parallel", "threads share loops"]);
    told.has_all(&["too little work"]);
    told.has_all(&["carries nothing", "carries something", "distances", "no value flows"]);
}

/// Loops without tiles, in plain C.
#[test]
#[ignore = "long"]
fn sentences_on_isls_loops_are_true() {
    let options = Options {
        strategy: Strategy::Isl,
        target: Target::C,
        template: Template::default().tiled(TileSizes::none()),
        ..Options::default()
    };
    check_every(1, &options).has_all(&["target"]);
}

/// The program's own order.
#[test]
fn sentences_on_original_loops_are_true() {
    let options = Options { strategy: Strategy::Original, ..Options::default() };
    check_every(1, &options).has_all(&["own order"]);
}

/// Register tiles, whose loops over tiles of sums carry what their buffers and stores do; these take long.
#[test]
#[ignore = "long"]
fn sentences_on_register_tiles_are_true() {
    let options = Options {
        template: Template::default().tiled(small_tiles()).with_register_tiles(),
        ..Options::default()
    };
    check_every(4, &options).has_all(&["a loop inside is parallel", "carries something"]);
}

/// The form that the machine model chooses, which takes longer.
#[test]
#[ignore = "long"]
fn sentences_on_chosen_loops_are_true() {
    let options = Options {
        strategy: Strategy::Auto,
        template: Template::default().with_register_tiles(),
        ..Options::default()
    };
    check_every(8, &options).has_all(&["parallel", "carries something"]);
}

/// A sum whose operands are packed: what its loops over the summed dimension carry goes through the buffer of its results.
#[test]
fn sums_under_register_tiles_are_not_parallel() {
    let options = Options {
        strategy: Strategy::Pluto,
        template: Template::default().with_register_tiles(),
        ..Options::default()
    };
    for_each_region(
        &options,
        |name| name == "gemm",
        |Explained { optimized, text, .. }| {
            let of = |loop_: &str| {
                let found =
                    text.lines().find(|l| l.trim_start().starts_with(&format!("for `{loop_}`")));
                found.expect("a loop").to_owned()
            };
            assert!(optimized.scop.stmts().len() > 2, "operands are packed");
            assert!(of("kt").contains("not parallel, it carries"), "{text}");
            assert!(of("j_block").contains("`jt` inside runs in parallel"), "{text}");
        },
    );
}
