//! Footprints of tiles against enumeration of the elements that they touch.

use farkas_analysis::Nest;
use farkas_base::SourceFile;
use farkas_machine::Machine;
use farkas_poly::{Set, UnionPwAff};
use farkas_scop::Scop;
use farkas_transform::choose_tile_sizes;
use farkas_tree::{Band, Member, ScheduleTree};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The scop between braces of `body`, with arrays of known sizes.
fn scop(body: &str) -> Scop {
    let arrays = "double A[400][400], B[400][400], C[400][400], x[4000], T[90][90][90];";
    let text =
        format!("{arrays}\nvoid f(int n, int m)\n{{\n#pragma scop\n{body}\n#pragma endscop\n}}\n");
    let source = Arc::new(SourceFile::new("f.c", text.clone()));
    let preprocessed = format!("# 1 \"f.c\"\n{text}");
    let (regions, found) =
        farkas_front_c::parse(source, &preprocessed, &farkas_front_c::Options::default());
    regions.into_iter().next().unwrap_or_else(|| panic!("{found:?}")).scop
}

/// A permutable band: for each statement its name with iterators, and the loops as expressions of them.
struct Case<'a> {
    body: &'a str,
    stmts: &'a [(&'a str, &'a [&'a str])],
}

/// Where the tiles begin: far enough inside all domains.
const START: u64 = 40;

impl Case<'_> {
    /// The nest of the band.
    fn nest(&self, scop: &Scop) -> Nest {
        let n = self.stmts[0].1.len();
        let member = |k: usize| {
            let part = |(stmt, loops): &(&str, &[&str])| format!("{stmt} -> [({})]", loops[k]);
            let parts: Vec<String> = self.stmts.iter().map(part).collect();
            let schedule: UnionPwAff =
                format!("{{ {} }}", parts.join("; ")).parse().expect("a row");
            Member::new(schedule, true)
        };
        let band = Band { members: (0..n).map(member).collect(), permutable: true };
        let domain = scop.domain().expect("a domain");
        Nest::new(scop, &[], &band, &ScheduleTree::leaf(), &domain).expect("a nest")
    }

    /// The elements of each array that a tile touches.
    fn elements(&self, sizes: &[u64]) -> BTreeMap<String, BTreeSet<Vec<i64>>> {
        // Without parameters, which the points of a set must not have.
        let scop = scop(&self.body.replace("< n", "< 300").replace("< m", "< 300"));
        let mut found: BTreeMap<String, BTreeSet<Vec<i64>>> = BTreeMap::new();
        for (name, loops) in self.stmts {
            let bounds = loops.iter().zip(sizes);
            let bounds: Vec<String> =
                bounds.map(|(l, n)| format!("{START} <= {l} < {}", START + n)).collect();
            let tile: Set =
                format!("{{ {name} : {} }}", bounds.join(" and ")).parse().expect("a set");
            let plain = name.split('[').next().expect("a name");
            let stmt = &scop.stmts()[scop.stmt_by_name(plain).expect("the statement")];
            for access in &stmt.accesses {
                let array = &scop.arrays()[access.array];
                if array.rank() == 0 {
                    continue;
                }
                let touched = tile.apply(&access.relation).expect("elements");
                let points = touched.points().expect("bounded");
                let coordinates = points
                    .iter()
                    .map(|p| p.coordinates(farkas_poly::DimType::SET).expect("integers"));
                found.entry(array.name.clone()).or_default().extend(coordinates);
            }
        }
        found
    }
}

/// The lines of 64 bytes that hold elements of doubles in a cube of this side, on average over where the array begins.
fn mean_lines(elements: &BTreeSet<Vec<i64>>, side: i64) -> f64 {
    let addresses: Vec<i64> =
        elements.iter().map(|e| e.iter().fold(0, |address, c| address * side + c)).collect();
    let lines = |shift: i64| {
        addresses.iter().map(|a| (a + shift) / 8).collect::<BTreeSet<_>>().len() as f64
    };
    (0..8).map(lines).sum::<f64>() / 8.0
}

/// Compares counts with enumeration: elements are at least those touched and at most `factor` times as many, lines are
/// right within a fifth where the count of elements is exact.
fn check(case: &Case<'_>, sizes: &[u64], factor: f64) {
    let scop = scop(case.body);
    let nest = case.nest(&scop);
    for (name, elements) in case.elements(sizes) {
        let array = scop.arrays().iter_enumerated().find(|(_, a)| a.name == name).expect("it").0;
        let groups = nest.groups.iter().filter(|g| g.array == array);
        let (mut counted, mut bytes) = (0, 0);
        for group in groups {
            let footprint = group.footprint(sizes, 64);
            counted += footprint.elements;
            bytes += footprint.line_bytes;
        }
        let real = elements.len() as u64;
        let what =
            format!("{name} in {sizes:?} of {}: {counted} counted, {real} touched", case.body);
        assert!(counted >= real && counted as f64 <= real as f64 * factor, "{what}");
        let side = scop.arrays()[array].extents.len();
        let side = [4000, 400, 90][side - 1];
        let lines = mean_lines(&elements, side);
        let ratio = bytes as f64 / 64.0 / lines;
        let tolerance = 1.25 * factor;
        assert!((0.8..tolerance).contains(&ratio), "{what}; {bytes} bytes for {lines} lines");
    }
}

const GEMM: Case<'_> = Case {
    body: "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j];",
    stmts: &[("S0[i, j, k]", &["i", "k", "j"])],
};

const JACOBI: Case<'_> = Case {
    body: "for (int t = 0; t < m; t++) for (int i = 1; i < n; i++) for (int j = 1; j < n; j++) B[i][j] = A[i][j] + A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1];",
    stmts: &[("S0[t, i, j]", &["t", "t + i", "t + j"])],
};

#[test]
fn products_are_exact() {
    for sizes in [[1, 1, 1], [4, 5, 16], [8, 3, 20]] {
        check(&GEMM, &sizes, 1.0);
    }
}

#[test]
fn one_reference_in_skewed_tiles_is_exact() {
    let case = Case {
        body: "for (int t = 0; t < m; t++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] = A[i][j] + 1.0;",
        ..JACOBI
    };
    for sizes in [[4, 6, 16], [3, 3, 3], [5, 2, 9], [1, 8, 16]] {
        check(&case, &sizes, 1.0);
    }
}

#[test]
fn neighbours_are_counted_once() {
    for sizes in [[4, 8, 16], [1, 16, 16], [8, 8, 32]] {
        check(&JACOBI, &sizes, 1.15);
    }
}

#[test]
fn sums_and_strides_of_loops() {
    let sum = Case {
        body: "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x[i + j] = x[i + j] + 1.0;",
        stmts: &[("S0[i, j]", &["i", "j"])],
    };
    check(&sum, &[8, 16], 1.0);
    let stride = Case {
        body: "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) x[16 * i] = A[2 * i][j] + B[j][3 * i];",
        stmts: &[("S0[i, j]", &["i", "j"])],
    };
    check(&stride, &[12, 16], 1.0);
}

#[test]
fn loops_that_count_twice_as_fast() {
    let case = Case {
        body: "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] = A[i][j] + 1.0;",
        stmts: &[("S0[i, j]", &["2 i", "i + j"])],
    };
    check(&case, &[8, 16], 1.6);
}

#[test]
fn statements_that_share_loops_share_elements() {
    // The second statement runs one iteration later, on the row before.
    let case = Case {
        body: "for (int i = 1; i < n; i++) for (int j = 0; j < n; j++) { A[i][j] = B[i][j]; C[i][j] = A[i - 1][j]; }",
        stmts: &[("S0[i, j]", &["i", "j"]), ("S1[i, j]", &["i", "j"])],
    };
    let scop = scop(case.body);
    assert_eq!(case.nest(&scop).groups.len(), 3);
    check(&case, &[8, 16], 1.0);
    let shifted =
        Case { stmts: &[("S0[i, j]", &["i", "j"]), ("S1[i, j]", &["i + 1", "j"])], ..case };
    let nest = shifted.nest(&scop);
    let array = nest.groups.iter().find(|g| g.n_references == 2).expect("A moves apart");
    assert_eq!(array.footprint(&[8, 16], 64).elements, 10 * 16);
    check(&shifted, &[8, 16], 1.0);
}

#[test]
fn three_dimensions() {
    let case = Case {
        body: "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) T[i][j][k] = T[i][j][k] + A[i][j] + x[k] + B[j + k][i];",
        stmts: &[("S0[i, j, k]", &["i", "j", "k"])],
    };
    check(&case, &[3, 5, 16], 1.0);
}

#[test]
fn subscripts_that_are_not_affine_count_by_iterations() {
    let case = Case {
        body: "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i % 3][j] = B[i][j];",
        stmts: &[("S0[i, j]", &["i", "j"])],
    };
    let scop = scop(case.body);
    let nest = case.nest(&scop);
    let footprints = nest.groups.iter().map(|g| g.footprint(&[6, 16], 64));
    let lines: Vec<u64> = footprints.map(|f| f.line_bytes / 64).collect();
    assert_eq!(lines.iter().max(), Some(&96));
}

/// The sizes for a case on a machine.
fn sizes(case: &Case<'_>, machine: &Machine) -> Vec<Vec<i64>> {
    let scop = scop(case.body);
    choose_tile_sizes(&case.nest(&scop), machine).levels
}

#[test]
fn sizes_fill_vectors_and_fit_caches() {
    let machine = Machine { cores: 1, ..Machine::generic() };
    let scop = scop(GEMM.body);
    let nest = GEMM.nest(&scop);
    let choice = choose_tile_sizes(&nest, &machine);
    let innermost = choice.levels.last().expect("tiles");
    assert_eq!(innermost[2] % i64::from(machine.lanes(8)), 0, "{choice:?}");
    assert!(choice.tile_bytes.iter().all(|&b| b <= machine.caches[2].size_bytes), "{choice:?}");
    assert!(choice.cycles.0 < choice.cycles.1, "{choice:?}");
}

#[test]
fn larger_caches_have_larger_inner_tiles() {
    let small = Machine { cores: 1, ..Machine::generic() };
    let mut large = small.clone();
    large.caches.iter_mut().for_each(|cache| cache.size_bytes *= 16);
    let cycles = |machine: &Machine| {
        let scop = scop(GEMM.body);
        let choice = choose_tile_sizes(&GEMM.nest(&scop), machine);
        (choice.cycles.0, choice.tile_bytes.last().copied())
    };
    let ((cost, tile), (less, larger)) = (cycles(&small), cycles(&large));
    assert!(less < cost && tile < larger, "{tile:?} and {larger:?}");
}

#[test]
fn nothing_is_gained_where_nothing_is_used_again() {
    let case = Case {
        body: "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] = B[i][j];",
        stmts: &[("S0[i, j]", &["i", "j"])],
    };
    assert_eq!(sizes(&case, &Machine::generic()), Vec::<Vec<i64>>::new());
}
