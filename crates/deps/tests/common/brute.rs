//! The definitions, spelt out on all instances for one choice of parameters.

use super::random::Random;
use farkas_deps::{Dependence, DependenceKind};
use farkas_poly::{DimType, Map, Set, UnionPwAff, UnionSet, Val};
use farkas_scop::{AccessId, AccessKind, ArrayId, Scop, StmtId};
use farkas_tree::{Cursor, Mark, Node, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};

/// An instance: statement and point.
pub(crate) type Instance = (StmtId, Vec<i64>);

/// A pair of instances with what makes it a dependence.
pub(crate) type Pair = (DependenceKind, AccessId, AccessId, Instance, Instance);

/// One access of an instance: what it does and the element.
type Touch = (AccessId, AccessKind, ArrayId, Vec<i64>);

/// An element.
type Cell = (ArrayId, Vec<i64>);

/// A read of an element, or what comes after the region.
type Reader = (Option<(Instance, AccessId)>, Cell);

/// Writes, one after another.
type Writes = Vec<(Instance, AccessId)>;

/// A scop for fixed parameters.
pub(crate) struct Concrete {
    params: Vec<i64>,
    /// The instances in the original order.
    pub(crate) instances: Vec<Instance>,
    /// What each instance touches, by access.
    touched: BTreeMap<Instance, Vec<Touch>>,
}

/// The points of `set` for these parameters, as they stand in the set's own space.
fn points(set: &Set, params: &[i64]) -> Vec<Vec<i64>> {
    let mut set = set.clone();
    for (i, value) in params.iter().enumerate() {
        set = set.fix_val(DimType::Param, i as u32, &Val::int(*value).unwrap()).unwrap();
    }
    let points = set.points().unwrap();
    points.iter().map(|p| p.coordinates(DimType::SET).unwrap()).collect()
}

/// The pairs of `map` for these parameters.
pub(crate) fn pairs(map: &Map, params: &[i64]) -> Vec<(Vec<i64>, Vec<i64>)> {
    let n = map.dim(DimType::In).unwrap() as usize;
    points(&map.wrap().unwrap(), params)
        .into_iter()
        .map(|point| (point[..n].to_vec(), point[n..].to_vec()))
        .collect()
}

impl Concrete {
    /// `scop` for these parameters, which every set of the scop has.
    pub(crate) fn new(scop: &Scop, params: &[i64]) -> Self {
        let mut dated = Vec::new();
        let mut touched: BTreeMap<Instance, Vec<_>> = BTreeMap::new();
        for (stmt, s) in scop.stmts().iter_enumerated() {
            let domain = scop.domain_of(stmt).unwrap();
            for (point, date) in pairs(&s.date.intersect_domain(&domain).unwrap(), params) {
                dated.push((date, (stmt, point)));
            }
            for (id, access) in s.accesses.iter_enumerated() {
                let relation = access.relation.intersect_domain(&domain).unwrap();
                for (point, element) in pairs(&relation, params) {
                    let list = touched.entry((stmt, point)).or_default();
                    list.push((id, access.kind, access.array, element));
                }
            }
        }
        dated.sort();
        let instances = dated.into_iter().map(|(_, instance)| instance).collect();
        Self { params: params.to_vec(), instances, touched }
    }

    /// All pairs of memory: same element, source first, different instances.
    pub(crate) fn by_memory(&self) -> BTreeSet<Pair> {
        let mut found = BTreeSet::new();
        for (i, source) in self.instances.iter().enumerate() {
            for sink in &self.instances[i + 1..] {
                for (a, ka, array, element) in self.touched(source) {
                    for (b, kb, other_array, other) in self.touched(sink) {
                        if array == other_array
                            && element == other
                            && let Some(kind) = kind(*ka, *kb)
                        {
                            found.insert((kind, *a, *b, source.clone(), sink.clone()));
                        }
                    }
                }
            }
        }
        found
    }

    /// Flow by value: from each read backward up to the first sure write or kill.
    pub(crate) fn by_value(&self) -> BTreeSet<Pair> {
        let mut found = BTreeSet::new();
        for (i, sink) in self.instances.iter().enumerate() {
            for (b, kb, array, element) in self.touched(sink) {
                if *kb != AccessKind::Read {
                    continue;
                }
                'back: for source in self.instances[..i].iter().rev() {
                    for (a, ka, other_array, other) in self.touched(source).iter().rev() {
                        if (array, element) != (other_array, other) {
                            continue;
                        }
                        if ka.is_write() {
                            let pair = (source.clone(), sink.clone());
                            found.insert((DependenceKind::Flow, *a, *b, pair.0, pair.1));
                        }
                        if matches!(ka, AccessKind::MustWrite | AccessKind::Kill) {
                            break 'back;
                        }
                    }
                }
            }
        }
        found
    }

    /// The accesses of an instance.
    fn touched(&self, instance: &Instance) -> &[Touch] {
        self.touched.get(instance).map_or(&[], Vec::as_slice)
    }

    /// Whether reads and code after the region find the same writes as in the original order when the instances run in
    /// an order that `tree`, which runs each once, leaves open, with copies of private arrays.
    pub(crate) fn runs_alike(&self, scop: &Scop, tree: &ScheduleTree, r: &mut Random) -> bool {
        let by_instance = self.places(scop, tree);
        let places: Vec<&[Step]> = self.instances.iter().map(|i| &by_instance[i][..]).collect();
        let mut left: Vec<usize> = (0..places.len()).collect();
        let mut order = Vec::new();
        while !left.is_empty() {
            let is_first = |i: &&usize| left.iter().all(|j| !in_order(places[*j], places[**i]));
            let ready: Vec<usize> = left.iter().filter(is_first).copied().collect();
            let next = ready[r.below(ready.len() as u64) as usize];
            left.retain(|i| *i != next);
            order.push((&self.instances[next], places[next]));
        }
        let original: Vec<_> = self.instances.iter().map(|i| (i, &[][..])).collect();
        self.sources(scop, &order) == self.sources(scop, &original)
    }

    /// For each read, and for each element at the end where code after the region may read it, the write whose value
    /// is found.
    fn sources(&self, scop: &Scop, order: &[(&Instance, &[Step])]) -> BTreeSet<Source> {
        let mut memory: BTreeMap<(ArrayId, Vec<i64>, Vec<Step>), Instance> = BTreeMap::new();
        let mut found = BTreeSet::new();
        for (instance, place) in order {
            let cell = |t: &Touch| {
                let inside = place.iter().rposition(|step| step.has_copies(t.2));
                (t.2, t.3.clone(), inside.map_or(Vec::new(), |at| place[..=at].to_vec()))
            };
            let touched = self.touched(instance);
            for touch in touched.iter().filter(|t| t.1 == AccessKind::Read) {
                let key = cell(touch);
                // A copy starts without a value that anybody knows.
                let written = memory.get(&key).cloned();
                let source = if written.is_none() && !key.2.is_empty() {
                    Some((*instance).clone())
                } else {
                    written
                };
                found.insert((Some((*instance).clone()), touch.2, touch.3.clone(), source));
            }
            for touch in touched.iter().filter(|t| t.1.is_write()) {
                memory.insert(cell(touch), (*instance).clone());
            }
        }
        let last = memory
            .into_iter()
            .filter(|((array, _, copy), _)| scop.arrays()[*array].is_live_out && copy.is_empty());
        found.extend(last.map(|((array, element, _), write)| (None, array, element, Some(write))));
        found
    }

    /// Whether `tree`, which runs each instance once, keeps every conflicting pair in order.
    pub(crate) fn keeps_order(&self, scop: &Scop, tree: &ScheduleTree) -> bool {
        let places = self.places(scop, tree);
        self.by_memory().iter().all(|(kind, _, _, source, sink)| {
            !kind.is_validity() || in_order(&places[source], &places[sink])
        })
    }

    /// Where `tree`, which runs each instance once, puts them.
    fn places(&self, scop: &Scop, tree: &ScheduleTree) -> Places<'_> {
        let place = |instance| {
            let mut paths = Vec::new();
            self.paths(scop, tree, instance, &Above::default(), Vec::new(), &mut paths);
            (instance, paths.swap_remove(0))
        };
        self.instances.iter().map(place).collect()
    }

    /// Whether `tree` runs every instance once and keeps for each array every conflicting pair in order, or its dataflow.
    pub(crate) fn is_legal(&self, scop: &Scop, tree: &ScheduleTree) -> bool {
        let places: Option<Places<'_>> = self
            .instances
            .iter()
            .map(|instance| {
                let mut paths = Vec::new();
                self.paths(scop, tree, instance, &Above::default(), Vec::new(), &mut paths);
                (paths.len() == 1).then(|| (instance, paths.swap_remove(0)))
            })
            .collect();
        let Some(places) = places else { return false };
        let memory = self.by_memory();
        scop.arrays().ids().all(|array| {
            let name = &scop.arrays()[array].name;
            let is_private = tree.cursors().iter().any(|cursor| {
                let Node::Mark { mark: Mark::Private(names), .. } = tree.at(cursor).unwrap().node()
                else {
                    return false;
                };
                names.contains(name)
            });
            let is_kept = memory.iter().all(|(kind, access, _, source, sink)| {
                scop.stmts()[source.0].accesses[*access].array != array
                    || !kind.is_validity()
                    || relation(array, &places[source], &places[sink]) == Relation::Before
            });
            !is_private && is_kept || self.keeps_dataflow(scop, array, &places, is_private)
        })
    }

    /// Whether every read of `array` gets its value from the same write as in the original order, code after the
    /// region finds the same, and nothing races.
    fn keeps_dataflow(
        &self,
        scop: &Scop,
        array: ArrayId,
        places: &Places<'_>,
        is_private: bool,
    ) -> bool {
        let accesses = || scop.stmts().iter().flat_map(|s| s.accesses.iter());
        let has_possible_writes =
            accesses().any(|a| a.array == array && a.kind == AccessKind::MayWrite);
        let declared = &scop.arrays()[array];
        if has_possible_writes || is_private && !declared.may_be_private() {
            return false;
        }
        let elements: BTreeSet<&Vec<i64>> =
            self.touched.values().flatten().filter(|t| t.2 == array).map(|t| &t.3).collect();
        elements.into_iter().all(|element| {
            let who = |wanted: AccessKind| -> Vec<&Instance> {
                let does = |i: &&Instance| {
                    let touched = self.touched(i).iter();
                    let mut here = touched.filter(|t| t.2 == array && t.3 == *element);
                    here.any(|t| t.1 == wanted)
                };
                self.instances.iter().filter(does).collect()
            };
            let (writes, reads) = (who(AccessKind::MustWrite), who(AccessKind::Read));
            let position = |i: &Instance| self.instances.iter().position(|other| other == i);
            let related = |a: &Instance, b: &Instance| relation(array, &places[a], &places[b]);
            let before = |a: &Instance, b: &Instance| related(a, b) == Relation::Before;
            let apart = |a: &Instance, b: &Instance| related(a, b) == Relation::Apart;
            let races = writes.iter().any(|w| {
                let mut others = reads.iter().chain(&writes);
                others.any(|other| other != w && related(w, other) == Relation::Unordered)
            });
            let reads_are_fine = reads.iter().all(|read| {
                let source = writes.iter().rfind(|w| position(w) < position(read));
                let others = || writes.iter().filter(|w| *w != read && Some(*w) != source);
                match source {
                    None => others().all(|w| before(read, w)) && has_no_copy(array, &places[*read]),
                    Some(source) => {
                        before(source, read)
                            && stay_together(array, &places[*source], &places[*read])
                            && others()
                                .all(|w| before(w, source) || before(read, w) || apart(w, source))
                    }
                }
            });
            let is_last_kept = writes.last().is_none_or(|last| {
                !declared.is_live_out || writes.iter().all(|w| w == last || before(w, last))
            });
            !races && reads_are_fine && is_last_kept
        })
    }

    /// Whether each read sees the same writes under `tree` as in the original order, and so does what comes after the
    /// region. Says what does not. Kills are not looked at.
    pub(crate) fn lost_value(&self, scop: &Scop, tree: &ScheduleTree) -> Option<String> {
        let mut order = Vec::new();
        for instance in &self.instances {
            let mut paths = Vec::new();
            self.paths(scop, tree, instance, &Above::default(), Vec::new(), &mut paths);
            if paths.len() != 1 {
                return Some(format!("{instance:?} runs {} times", paths.len()));
            }
            order.push((paths.swap_remove(0), instance));
        }
        // Nothing says in which order the children of set nodes run: in their order will do.
        order.sort_by_key(|(path, _)| {
            let step = |step: &Step| match step {
                Step::Date { date, .. } => *date,
                Step::Child { position, .. } => *position as i64,
            };
            path.iter().map(step).collect::<Vec<i64>>()
        });
        let expected = self.seen(scop, self.instances.iter());
        let found = self.seen(scop, order.into_iter().map(|(_, instance)| instance));
        let lost = expected.into_iter().find(|(reader, writes)| found.get(reader) != Some(writes));
        lost.map(|(reader, writes)| {
            format!("{reader:?} sees {:?} instead of {writes:?}", found.get(&reader))
        })
    }

    /// What each read and what comes after the region may see of each element: the last sure write and possible ones since.
    fn seen<'a>(
        &'a self,
        scop: &Scop,
        order: impl std::iter::Iterator<Item = &'a Instance>,
    ) -> BTreeMap<Reader, Writes> {
        let mut memory: BTreeMap<Cell, Writes> = BTreeMap::new();
        let mut seen = BTreeMap::new();
        for instance in order {
            let (reads, writes): (Vec<_>, Vec<_>) =
                self.touched(instance).iter().partition(|touch| touch.1 == AccessKind::Read);
            for (access, _, array, element) in reads {
                let key = (*array, element.clone());
                let writes = memory.get(&key).cloned().unwrap_or_default();
                seen.insert((Some((instance.clone(), *access)), key), writes);
            }
            for (access, kind, array, element) in writes {
                let entry = memory.entry((*array, element.clone())).or_default();
                if *kind == AccessKind::MustWrite {
                    entry.clear();
                }
                entry.push((instance.clone(), *access));
            }
        }
        memory.retain(|(array, _), _| scop.arrays()[*array].is_live_out);
        seen.extend(memory.into_iter().map(|(key, writes)| ((None, key), writes)));
        seen
    }

    /// Whether some pair of `dep` reaches the band at `cursor` and has different dates in its member `member`: with the
    /// same dates in the earlier members, and whatever those.
    pub(crate) fn is_carried(
        &self,
        scop: &Scop,
        tree: &ScheduleTree,
        dep: &Dependence,
        cursor: &Cursor,
        member: usize,
    ) -> [bool; 2] {
        let mut seen = [false; 2];
        'pairs: for (source, sink) in pairs(&dep.relation, &self.params) {
            let (source, sink) = ((dep.source, source), (dep.sink, sink));
            let mut here = tree;
            for &step in cursor.steps().iter().chain([&usize::MAX]) {
                match here.node() {
                    Node::Domain { domain: set, .. } | Node::Filter { filter: set, .. }
                        if !self.holds(scop, set, &source) || !self.holds(scop, set, &sink) =>
                    {
                        continue 'pairs;
                    }
                    Node::Band { band, .. } => {
                        let dates = band
                            .members
                            .iter()
                            .map(|m| [&source, &sink].map(|end| self.date(scop, &m.schedule, end)));
                        let same: Vec<bool> = dates.map(|[a, b]| a == b).collect();
                        if step == usize::MAX {
                            seen[1] |= !same[member];
                            seen[0] |= !same[member] && same[..member].iter().all(|s| *s);
                        } else if same.contains(&false) {
                            continue 'pairs;
                        }
                    }
                    _ => {}
                }
                if step != usize::MAX {
                    here = &here.children()[step];
                }
            }
        }
        seen
    }

    /// The ways of `instance` through `tree` to leaves.
    fn paths(
        &self,
        scop: &Scop,
        tree: &ScheduleTree,
        instance: &Instance,
        above: &Above,
        path: Vec<Step>,
        found: &mut Vec<Vec<Step>>,
    ) {
        let nothing = &Above::default();
        match tree.node() {
            Node::Leaf => found.push(path),
            Node::Band { band, child } => {
                let mut path = path;
                for member in &band.members {
                    let Some(date) = self.date(scop, &member.schedule, instance) else { return };
                    let Above { is_concurrent, private } = above.clone();
                    path.push(Step::Date { date, is_concurrent, private });
                }
                self.paths(scop, child, instance, nothing, path, found);
            }
            Node::Mark { mark, child } => {
                let mut above = above.clone();
                above.is_concurrent |= matches!(mark, Mark::Parallel | Mark::Vector);
                if let Mark::Private(names) = mark {
                    let arrays = scop.arrays().iter_enumerated();
                    above
                        .private
                        .extend(arrays.filter(|(_, a)| names.contains(&a.name)).map(|(id, _)| id));
                }
                self.paths(scop, child, instance, &above, path, found);
            }
            Node::Domain { domain: set, child } | Node::Filter { filter: set, child } => {
                if self.holds(scop, set, instance) {
                    self.paths(scop, child, instance, nothing, path, found);
                }
            }
            Node::Sequence(children) | Node::Set(children) => {
                let before = found.len();
                for (position, child) in children.iter().enumerate() {
                    let mut path = path.clone();
                    let is_ordered = matches!(tree.node(), Node::Sequence(_));
                    path.push(Step::Child { position, is_ordered });
                    self.paths(scop, child, instance, nothing, path, found);
                }
                // What one child takes and loses is a fault even where another child runs it: no single way.
                if found.len() == before {
                    found.extend([Vec::new(), Vec::new()]);
                }
            }
            other => panic!("unexpected node {other:?}"),
        }
    }

    /// The date of an instance.
    fn date(&self, scop: &Scop, schedule: &UnionPwAff, instance: &Instance) -> Option<i64> {
        let here = self.point_set(scop, instance);
        let date = schedule.extract_pw_aff(&here.space().unwrap()).unwrap().to_map().unwrap();
        let image = here.apply(&date).unwrap();
        (!image.is_empty().unwrap()).then(|| image.dim_min_val(0).unwrap().to_i64().unwrap())
    }

    /// Whether `set` holds an instance.
    fn holds(&self, scop: &Scop, set: &UnionSet, instance: &Instance) -> bool {
        let here = self.point_set(scop, instance);
        let there = set.extract_set(&here.space().unwrap()).unwrap();
        !here.is_disjoint(&there).unwrap()
    }

    /// The set of one instance.
    fn point_set(&self, scop: &Scop, instance: &Instance) -> Set {
        let (stmt, point) = instance;
        let mut set = Set::universe(&scop.stmts()[*stmt].domain.space().unwrap()).unwrap();
        for (kind, values) in [(DimType::Param, &self.params), (DimType::SET, point)] {
            for (i, value) in values.iter().enumerate() {
                set = set.fix_val(kind, i as u32, &Val::int(*value).unwrap()).unwrap();
            }
        }
        set
    }
}

/// A reader, an element, and the write whose value it finds there; no reader for code after the region.
type Source = (Option<Instance>, ArrayId, Vec<i64>, Option<Instance>);

/// Where a tree puts the instances.
type Places<'a> = BTreeMap<&'a Instance, Vec<Step>>;

/// The marks above a node that hold for a band there.
#[derive(Clone, Default)]
struct Above {
    is_concurrent: bool,
    private: Vec<ArrayId>,
}

/// One decision of a tree about an instance.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Step {
    Date { date: i64, is_concurrent: bool, private: Vec<ArrayId> },
    Child { position: usize, is_ordered: bool },
}

impl Step {
    /// Whether it is a loop with copies of `array`.
    fn has_copies(&self, array: ArrayId) -> bool {
        matches!(self, Self::Date { private, .. } if private.contains(&array))
    }
}

/// How two instances run that touch the same element of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Before,
    After,
    Unordered,
    /// They touch different copies.
    Apart,
}

/// Whether the first surely runs before the second.
fn in_order(source: &[Step], sink: &[Step]) -> bool {
    for (a, b) in source.iter().zip(sink) {
        match (a, b) {
            (Step::Date { date: x, is_concurrent, .. }, Step::Date { date: y, .. }) if x != y => {
                return x < y && !is_concurrent;
            }
            (Step::Child { position: x, is_ordered }, Step::Child { position: y, .. })
                if x != y =>
            {
                return x < y && *is_ordered;
            }
            _ => {}
        }
    }
    false
}

/// How the first instance runs to the second one, where both touch `array`.
fn relation(array: ArrayId, source: &[Step], sink: &[Step]) -> Relation {
    let ordered = |is_before| if is_before { Relation::Before } else { Relation::After };
    for (a, b) in source.iter().zip(sink) {
        match (a, b) {
            (Step::Date { date: x, is_concurrent, private }, Step::Date { date: y, .. })
                if x != y =>
            {
                return match () {
                    () if private.contains(&array) => Relation::Apart,
                    () if *is_concurrent => Relation::Unordered,
                    () => ordered(x < y),
                };
            }
            (Step::Child { position: x, is_ordered }, Step::Child { position: y, .. })
                if x != y =>
            {
                return if *is_ordered { ordered(x < y) } else { Relation::Unordered };
            }
            _ => {}
        }
    }
    Relation::Unordered
}

/// Whether no loop around the instance has copies of `array`.
fn has_no_copy(array: ArrayId, place: &[Step]) -> bool {
    !place.iter().any(|step| step.has_copies(array))
}

/// Whether both instances use the same copies of `array`.
fn stay_together(array: ArrayId, first: &[Step], second: &[Step]) -> bool {
    let inside = |path: &[Step]| path.iter().rposition(|step| step.has_copies(array));
    match (inside(first), inside(second)) {
        (None, None) => true,
        (Some(a), Some(b)) => a == b && first[..=a] == second[..=b],
        _ => false,
    }
}

/// What such accesses make.
fn kind(source: AccessKind, sink: AccessKind) -> Option<DependenceKind> {
    match (source, sink) {
        (AccessKind::Kill, _) | (_, AccessKind::Kill) => None,
        (AccessKind::Read, AccessKind::Read) => Some(DependenceKind::Input),
        (AccessKind::Read, _) => Some(DependenceKind::Anti),
        (_, AccessKind::Read) => Some(DependenceKind::Flow),
        _ => Some(DependenceKind::Output),
    }
}

/// The pairs of a dependence.
pub(crate) fn concrete(
    deps: &farkas_deps::Dependences,
    params: &[i64],
    keep: impl Fn(DependenceKind) -> bool,
) -> BTreeSet<Pair> {
    let mut found = BTreeSet::new();
    for dep in deps.deps.iter().filter(|d| keep(d.kind)) {
        for (a, b) in pairs(&dep.relation, params) {
            let (source, sink) = ((dep.source, a), (dep.sink, b));
            let (from, to) = (dep.source_access, dep.sink_access);
            found.insert((dep.kind, from, to, source, sink));
        }
    }
    found
}
