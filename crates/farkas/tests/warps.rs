//! What warps touch, as the model says, against what a count of all instances finds: sectors of memory and cycles of banks.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use farkas::{Options, ReadOptions, Strategy, optimize, read, usual_gpu};
use farkas_analysis::{MappedStmt, Spot, gpu_kernels, layout};
use farkas_codegen::Language;
use farkas_interp::{Function, Params};
use farkas_machine::Gpu;
use farkas_poly::{DimType, PwAff, Set, Val};
use farkas_scop::{AccessKind, Array, Scop, Statement, StmtId};
use farkas_tree::{Mark, Node, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The most instances of a statement that are looked at.
const MOST_INSTANCES: i64 = 30_000;

/// A loop around a statement, by its marks alone.
struct Around {
    date: PwAff,
    /// Of loops that threads divide: the axis, the size of its tiles, and how many threads there are.
    threads: Option<(usize, i64, i64)>,
}

/// A statement at a place in a kernel: its instances, and the loops around it.
struct Place {
    stmt: StmtId,
    instances: Set,
    around: Vec<Around>,
    threads: [i64; 3],
}

/// The loops around a node, each with the mark that divides it and the size of its tiles.
type Path = Vec<(PwAff, Option<Mark>, i64)>;

/// The places of a statement in the kernels of a tree, in its order.
fn places(
    (scop, stmt): (&Scop, StmtId),
    tree: &ScheduleTree,
    (instances, path): (Set, &mut Path),
    (kernel, marks): (Option<[i64; 3]>, Vec<Mark>),
    found: &mut Vec<Place>,
) {
    if instances.is_empty().expect("an answer") {
        return;
    }
    match tree.node() {
        Node::Leaf => {
            let Some(threads) = kernel else { return };
            let around = path.iter().map(|(date, mark, size)| {
                let axis = match mark {
                    Some(Mark::Threads(axes)) => axes.first().map(|axis| axis.index()),
                    _ => None,
                };
                let threads = axis.map(|axis| (axis, *size, threads[axis]));
                Around { date: date.clone(), threads }
            });
            found.push(Place { stmt, instances, around: around.collect(), threads });
        }
        Node::Mark { mark, child } => {
            let kernel = if let Mark::Kernel(threads) = mark { Some(*threads) } else { kernel };
            let marks = [marks, vec![mark.clone()]].concat();
            places((scop, stmt), child, (instances, path), (kernel, marks), found);
        }
        Node::Filter { filter, child } => {
            let own = filter.extract_set(&instances.space().expect("a space")).expect("a set");
            let inside = instances.intersect(&own).expect("a set");
            places((scop, stmt), child, (inside, path), (kernel, Vec::new()), found);
        }
        Node::Band { band, child } => {
            for (at, member) in band.members.iter().enumerate() {
                let space = instances.space().expect("a space");
                let date = member.schedule.extract_pw_aff(&space).expect("a date");
                let size = marks.iter().rev().find_map(|mark| match mark {
                    Mark::Tile(sizes) => sizes.get(at).copied(),
                    _ => None,
                });
                let threads = marks.iter().find_map(|mark| match mark {
                    Mark::Threads(axes) => Some(Mark::Threads(vec![*axes.get(at)?])),
                    _ => None,
                });
                path.push((date, threads, size.unwrap_or(1)));
            }
            places((scop, stmt), child, (instances, path), (kernel, Vec::new()), found);
            path.truncate(path.len() - band.members.len());
        }
        _ => {
            for child in tree.children() {
                places((scop, stmt), child, (instances.clone(), path), (kernel, Vec::new()), found);
            }
        }
    }
}

/// For each place, which `Lanes` has as `at`, the instance of each thread of the warp.
type Executed = BTreeMap<Vec<i64>, BTreeMap<i64, Vec<i64>>>;

/// An instance, with the loops around it: what all threads of its block share with the warp, its thread of that, and its own dates.
struct Instance {
    common: Vec<i64>,
    lane: i64,
    own: Vec<i64>,
    at: Vec<i64>,
}

/// All instances of a place, by when and where they run.
fn executed(place: &Place, params: &Params, warp: i64) -> Executed {
    let function = |f: &PwAff| Function::new(f, params).expect("a function");
    let dates: Vec<Function> = place.around.iter().map(|around| function(&around.date)).collect();
    let mut all = Vec::new();
    for point in fixed(&place.instances, params).points().expect("points") {
        let at = point.coordinates(DimType::SET).expect("coordinates");
        let (mut common, mut own, mut threads) = (Vec::new(), Vec::new(), [0; 3]);
        let mut in_threads = false;
        for (around, date) in place.around.iter().zip(&dates) {
            let date = date.value(&at).expect("a value").expect("a date");
            match around.threads {
                None if in_threads => own.push(date),
                None => common.push(date),
                Some((axis, size, n)) => {
                    let number = date.div_euclid(size);
                    threads[axis] = number.rem_euclid(n);
                    common.push(number.div_euclid(n));
                    in_threads = true;
                }
            }
        }
        let [x, y, _] = place.threads;
        let thread = threads[0] + x * (threads[1] + y * threads[2]);
        common.push(thread / warp);
        all.push(Instance { common, lane: thread % warp, own, at });
    }
    // The first date of each thread in each iteration of the loops around.
    let mut firsts: BTreeMap<(&[i64], i64, &[i64]), i64> = BTreeMap::new();
    for one in &all {
        for (at, date) in one.own.iter().enumerate() {
            let first = firsts.entry((&one.common, one.lane, &one.own[..at])).or_insert(*date);
            *first = (*first).min(*date);
        }
    }
    let mut executed = Executed::new();
    for one in &all {
        let iterations =
            one.own.iter().enumerate().map(|(at, date)| {
                date - firsts[&(one.common.as_slice(), one.lane, &one.own[..at])]
            });
        let key: Vec<i64> = one.common.iter().copied().chain(iterations).collect();
        let lanes = executed.entry(key).or_default();
        assert!(lanes.insert(one.lane, one.at.clone()).is_none(), "a thread does two things");
    }
    executed
}

/// A set where parameters have their values.
fn fixed(set: &Set, params: &Params) -> Set {
    let mut set = set.clone();
    for (name, value) in params.iter() {
        if let Some(at) = set.find_param(name) {
            let value = Val::int(value).expect("a number");
            set = set.fix_val(DimType::Param, at, &value).expect("a set");
        }
    }
    set.project_out_all_params().expect("a set")
}

/// The bytes at which an element begins, in its row where rows are apart.
fn address(array: &Array, element: &[i64], params: &Params) -> (Vec<i64>, i64) {
    let bytes = i64::from(array.element.kind.size_bytes().unwrap_or(8));
    let sizes: Vec<(String, i64)> = params.iter().map(|(n, v)| (n.to_owned(), v)).collect();
    let inner = layout(array, &sizes).expect("a layout").inner;
    match (element, inner) {
        ([], _) => (Vec::new(), 0),
        (_, Some(inner)) => {
            let at = element
                .iter()
                .enumerate()
                .map(|(dim, at)| at * inner.get(dim..).unwrap_or_default().iter().product::<i64>());
            (Vec::new(), at.sum::<i64>() * bytes)
        }
        ([row @ .., last], None) => (row.to_vec(), last * bytes),
    }
}

/// Sectors, and cycles of banks, that threads touch by an access, and how many of them do: conditions on the iteration may guard it.
fn counted(
    (scop, stmt, access): (&Scop, &Statement, usize),
    lanes: &BTreeMap<i64, Vec<i64>>,
    params: &Params,
    gpu: &Gpu,
) -> (u32, u32, u32) {
    let access = stmt.accesses.iter().nth(access).expect("an access");
    let array = &scop.arrays()[access.array];
    let element = access.relation.to_pw_multi_aff().expect("a function");
    let n = element.dim(DimType::Out).expect("a number");
    let subscripts: Vec<Function> = (0..n)
        .map(|at| element.at(i32::try_from(at).expect("small")).expect("a subscript"))
        .map(|f| Function::new(&f, params).expect("a function"))
        .collect();
    let bytes = i64::from(array.element.kind.size_bytes().unwrap_or(8));
    let (sector, word) = (i64::from(gpu.sector_bytes), i64::from(gpu.shared.bank_bytes));
    let banks = i64::from(gpu.shared.banks);
    let mut sectors = BTreeSet::new();
    let mut conflicts: BTreeMap<(i64, i64), BTreeSet<i64>> = BTreeMap::new();
    let mut n_threads = 0;
    for (lane, instance) in lanes {
        let of = |f: &Function| f.value(instance).expect("a value");
        let element: Option<Vec<i64>> = subscripts.iter().map(of).collect();
        let Some(element) = element else { continue };
        n_threads += 1;
        let (row, first) = address(array, &element, params);
        for byte in first..first + bytes {
            sectors.insert((row.clone(), byte.div_euclid(sector)));
            let number = byte.div_euclid(word);
            let group = lane * bytes / (banks * word);
            conflicts.entry((group, number.rem_euclid(banks))).or_default().insert(number);
        }
    }
    let mut cycles: BTreeMap<i64, usize> = BTreeMap::new();
    for ((group, _), words) in &conflicts {
        let most = cycles.entry(*group).or_default();
        *most = (*most).max(words.len());
    }
    let count = |n: usize| u32::try_from(n).expect("small");
    (count(sectors.len()), count(cycles.values().sum()), n_threads)
}

/// Values of the parameters that are as large as may be for few instances.
fn small(scop: &Scop) -> Option<Params> {
    [40, 20, 12, 8, 6, 5, 4, 3].into_iter().map(|n| Params::all(scop, n)).find(|params| {
        let is_small = |stmt: &Statement| {
            let domain = fixed(&stmt.domain, params);
            let n = i32::try_from(stmt.depth()).expect("small");
            let extents = (0..n).map(|at| {
                let ends = [domain.dim_min_val(at), domain.dim_max_val(at)];
                let ends = ends.map(|end| end.expect("a value").to_small_int().expect("a value"));
                let [Some(first), Some(last)] = ends else { return 1 };
                last - first + 1
            });
            extents.product::<i64>() <= MOST_INSTANCES
        };
        params.check(scop).is_ok() && scop.stmts().iter().all(is_small)
    })
}

/// Compares the model of all accesses of a kernel with what is executed; how many warps and accesses were compared.
fn compared(name: &str, language: Language, strategy: &str) -> usize {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let input = read(&root.join(format!("{name}.c")), &ReadOptions::default()).expect("a file");
    let strategy = Strategy::from_name(strategy).expect("a strategy");
    let gpu = usual_gpu(language);
    let options = Options { strategy, ..Options::default() }.on_device(language, gpu.clone());
    let mut n = 0;
    for region in &input.regions {
        let optimized = optimize(region, &options).expect("a result");
        let scop = &optimized.scop;
        let Some(params) = small(scop) else { continue };
        let sizes: Vec<(String, i64)> = params.iter().map(|(n, v)| (n.to_owned(), v)).collect();
        let mut mapped: BTreeMap<StmtId, Vec<(MappedStmt, [i64; 3])>> = BTreeMap::new();
        for kernel in gpu_kernels(scop, &optimized.tree).expect("kernels") {
            for one in kernel.stmts {
                mapped.entry(one.stmt).or_default().push((one, kernel.threads));
            }
        }
        for (stmt, statement) in scop.stmts().iter_enumerated() {
            let domain = statement.domain.intersect_params(scop.context()).expect("a set");
            let mut found = Vec::new();
            let outside = (None, Vec::new());
            places((scop, stmt), &optimized.tree, (domain, &mut Vec::new()), outside, &mut found);
            let of_model = mapped.get(&stmt).map_or(&[][..], Vec::as_slice);
            assert_eq!(of_model.len(), found.len(), "{name}: {}", statement.name);
            for ((one, threads), place) in of_model.iter().zip(&found) {
                assert_eq!((place.threads, place.stmt), (*threads, stmt));
                n += at_spots((scop, statement), (one, place), (&params, &sizes), &gpu, name);
            }
        }
    }
    n
}

/// Compares at several spots.
fn at_spots(
    (scop, statement): (&Scop, &Statement),
    (one, place): (&MappedStmt, &Place),
    (params, sizes): (&Params, &[(String, i64)]),
    gpu: &Gpu,
    name: &str,
) -> usize {
    let all = executed(place, params, i64::from(gpu.warp_threads));
    let mut n = 0;
    for spot in [Spot::First, Spot::Middle, Spot::Last] {
        let lanes = one.lanes(place.threads, gpu.warp_threads, sizes, spot).expect("lanes");
        assert_eq!(lanes.is_some(), !all.is_empty(), "{name}: {} runs", statement.name);
        let Some(lanes) = lanes else { continue };
        let executed = all.get(&lanes.at);
        let executed = executed.unwrap_or_else(|| panic!("{name}: nothing runs at {:?}", lanes.at));
        assert_eq!(lanes.n, executed.len(), "{name}: {} at {:?}", statement.name, lanes.at);
        for (at, access) in statement.accesses.iter().enumerate() {
            let array = &scop.arrays()[access.array];
            let layout = layout(array, sizes).expect("a layout");
            if access.kind == AccessKind::Kill {
                continue;
            }
            let touched = lanes.touched(access, &layout, sizes, gpu).expect("an answer");
            let Some(touched) = touched else { continue };
            let counted = counted((scop, statement, at), executed, params, gpu);
            let found = (touched.sectors, touched.bank_cycles, touched.threads);
            let what = format!("{name}: {} of {} at {:?}", array.name, statement.name, lanes.at);
            assert_eq!(found, counted, "{what}");
            n += 1;
        }
    }
    n
}

#[test]
fn warps_touch_what_is_predicted() {
    for (name, least) in [("gemm", 20), ("mvt", 12), ("jacobi-2d", 20), ("trmm", 10)] {
        let n = compared(name, Language::Cuda, "locality-gpu");
        assert!(n >= least, "{name}: {n} accesses were compared");
    }
}

#[test]
#[ignore = "long"]
fn warps_of_all_kernels_touch_what_is_predicted() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../kernels");
    let (mut n_kernels, mut n) = (0, 0);
    for entry in std::fs::read_dir(root).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "c") {
            let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
            n += compared(name, Language::OpenCl, "locality-gpu");
            n_kernels += 1;
        }
    }
    assert!(n_kernels >= 64 && n >= 2000, "{n} accesses of {n_kernels} kernels were compared");
}
