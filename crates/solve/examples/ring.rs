//! Times the solver on the scheduler's systems for a ring of stencil statements inside a time loop.
//!
//! `for t in 0..T { for k in 0..n { S_k: for i in 1..N-1 { A_k[i] = f(A_(k-1)[i - radius .. i + radius]) } } }`, where
//! `S_0` reads `A_(n-1)` of the step before. The first band member asks for a non-trivial row for each statement; the
//! second, on the same basis, for one that has a part along `i`.
//!
//! `cargo run --release -p farkas-solve --example ring [n=160] [radius=1] [isl=0] [seed=0] [signed=0] [open=0]
//! [fixed=0]`: the largest `n`, the largest one for isl, a seed to shuffle the rows; `open=1` leaves out what closes the
//! ring, `fixed=1` has numbers for `T` and `N`.
//!
//! For isl, the time of `isl_set_lexmin` on the first band member's set is printed, without the parsing of the set, and
//! the time of isl's whole scheduler on the same statements and dependences.

use std::io::Write;
use std::time::Instant;

use farkas_base::{Budget, Id};
use farkas_solve::{Lexmin, Outcome, Problem, Row, SolveError, Solver, VarIdx};

/// Columns: `sum u, w, sum d, sum c, u_T, u_N`, then for each statement `c_t, c_i, d_T, d_N, d_1`, and, where
/// coefficients are signed, the negative parts of `c_t` and `c_i`.
const N_LEADING: usize = 6;
/// Unknowns of a statement.
const N_OWN: usize = 5;
/// Unknowns of a statement with signed iterator coefficients.
const N_OWN_SIGNED: usize = 7;

/// Which system to make.
#[derive(Clone, Copy)]
struct Shape {
    /// Statements.
    n: usize,
    /// How far a statement reads to each side.
    radius: i64,
    /// Whether iterator coefficients may be negative.
    signed: bool,
    /// Whether the ring is a chain instead, without a time loop that carries values around.
    open: bool,
    /// Whether `T` and `N` are numbers instead of parameters.
    fixed: bool,
    /// How the rows are shuffled.
    seed: u64,
}

impl Shape {
    /// The unknown `index` of `statement`.
    fn own(self, statement: usize, index: usize) -> VarIdx {
        let n_own = if self.signed { N_OWN_SIGNED } else { N_OWN };
        VarIdx::from_index(N_LEADING + n_own * statement + index)
    }

    /// Adds `coefficient` times the schedule coefficient `index` of `statement`.
    fn add(self, row: &mut Row, statement: usize, index: usize, coefficient: i64) {
        row.add(self.own(statement, index), coefficient);
        if self.signed && index < 2 {
            row.add(self.own(statement, N_OWN + index), -coefficient);
        }
    }
}

/// Generators of the cone over a dependence's instances, as `(t, i, T, N, 1)`: four rays and a vertex. A form is
/// non-negative on the instances exactly when it is so on these, which is what Farkas' lemma comes to here.
const RAYS: [[i64; 5]; 4] = [[0, 0, 1, 0, 0], [1, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 1, 0, 1, 0]];

/// `T` where it is no parameter.
const FIXED_T: i64 = 100;
/// `N` where it is no parameter.
const FIXED_N: i64 = 1000;

/// A uniform dependence between two statements of the ring.
struct Dependence {
    source: usize,
    target: usize,
    step_t: i64,
    step_i: i64,
}

/// The leading unknown at `index`.
fn leading(index: usize) -> VarIdx {
    VarIdx::from_index(index)
}

/// Flow, anti and output dependences of the ring.
fn dependences(Shape { n, radius, open, .. }: Shape) -> Vec<Dependence> {
    let mut all = Vec::new();
    for k in 0..n {
        let previous = (k + n - 1) % n;
        let wraps = i64::from(k == 0);
        for step in -radius..=radius {
            all.push(Dependence { source: previous, target: k, step_t: wraps, step_i: step });
            all.push(Dependence { source: k, target: previous, step_t: 1 - wraps, step_i: step });
        }
        all.push(Dependence { source: k, target: k, step_t: 1, step_i: 0 });
    }
    all.retain(|d| !open || d.step_t == 0);
    all
}

/// `phi_target(y) - phi_source(x)` at the generator `g` of the pairs `(x, y)`.
fn difference(shape: Shape, dependence: &Dependence, g: [i64; 5]) -> Row {
    let [t, i, size_t, size_n, one] = g;
    let target = [t + dependence.step_t * one, i + dependence.step_i * one, size_t, size_n, one];
    let mut row = Row::new();
    for (index, (at_target, at_source)) in target.into_iter().zip(g).enumerate() {
        shape.add(&mut row, dependence.target, index, at_target);
        shape.add(&mut row, dependence.source, index, -at_source);
    }
    row
}

/// What a form has to be non-negative on for one dependence.
fn generators(shape: Shape, dependence: &Dependence) -> Vec<[i64; 5]> {
    if !shape.fixed {
        return RAYS.into_iter().chain([[0, 2, 2 + dependence.step_t, 5, 1]]).collect();
    }
    let (last_t, last_i) = (FIXED_T - 1 - dependence.step_t, FIXED_N - 3);
    [[0, 2], [last_t, 2], [0, last_i], [last_t, last_i]].map(|[t, i]| [t, i, 0, 0, 1]).into()
}

/// The rows of one dependence: not negative, and bounded by `u_T T + u_N N + w`.
fn dependence_rows(shape: Shape, dependence: &Dependence) -> Vec<Row> {
    let mut rows = Vec::new();
    for g in generators(shape, dependence) {
        let distance = difference(shape, dependence, g);
        let mut bound =
            Row::new().with(leading(4), g[2]).with(leading(5), g[3]).with(leading(1), g[4]);
        bound.add_scaled(-1, &distance);
        rows.extend([distance, bound]);
    }
    rows
}

/// `sum = total of the unknowns at `indices` of all statements`.
fn sum_row(shape: Shape, sum: usize, indices: &[usize]) -> Row {
    let terms =
        (0..shape.n).flat_map(|k| indices.iter().map(move |&index| (shape.own(k, index), -1)));
    Row::from_terms(terms.chain([(leading(sum), 1)]), 0)
}

/// Brings the rows into an order that depends on `seed`; zero leaves them.
fn shuffle(rows: &mut [Row], seed: u64) {
    let mut state = seed;
    for last in (1..rows.len()).rev().filter(|_| seed != 0) {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        rows.swap(last, usize::try_from((state >> 33) % (last as u64 + 1)).unwrap_or(0));
    }
}

/// The system of the first band member.
fn ring(shape: Shape) -> Result<Lexmin, SolveError> {
    let n_own = if shape.signed { N_OWN_SIGNED } else { N_OWN };
    let mut lexmin = Lexmin::new(N_LEADING + n_own * shape.n);
    lexmin
        .add_equality(Row::new().with(leading(0), 1).with(leading(4), -1).with(leading(5), -1))?;
    lexmin.add_equality(sum_row(shape, 2, &[2, 3]))?;
    lexmin.add_equality(sum_row(shape, 3, if shape.signed { &[0, 1, 5, 6] } else { &[0, 1] }))?;
    let mut rows: Vec<Row> = Vec::new();
    for dependence in dependences(shape) {
        rows.extend(dependence_rows(shape, &dependence));
    }
    shuffle(&mut rows, shape.seed);
    for row in rows {
        lexmin.add_inequality(row)?;
    }
    Ok(lexmin)
}

/// Asks each statement for a row in which the coefficients at `indices` do not all vanish, and solves.
fn solve(
    lexmin: &mut Lexmin,
    shape: Shape,
    indices: std::ops::Range<usize>,
) -> Result<Outcome, SolveError> {
    for k in 0..shape.n {
        let mut row = Row::new().with_constant(-1);
        for index in indices.clone() {
            shape.add(&mut row, k, index, 1);
        }
        lexmin.add_inequality(row)?;
    }
    lexmin.minimize(&Budget::unlimited())
}

/// How long isl takes for the minimum, in milliseconds.
fn time_isl(problem: &Problem) -> Result<String, farkas_poly::Error> {
    let set: farkas_poly::Set = problem.to_isl().parse()?;
    let start = Instant::now();
    set.lexmin()?;
    Ok(format!("{:.3}", start.elapsed().as_secs_f64() * 1e3))
}

/// How long isl's scheduler takes for the whole ring (its own Farkas systems and both band members), in milliseconds.
fn time_isl_scheduler(shape: Shape) -> Result<String, farkas_poly::Error> {
    let bounds = "0 <= t < T and 1 <= i <= N - 2";
    let domains: Vec<String> = (0..shape.n).map(|k| format!("S{k}[t, i] : {bounds}")).collect();
    let pairs: Vec<String> = dependences(shape)
        .iter()
        .map(|d| {
            let Dependence { source, target, step_t, step_i } = d;
            format!(
                "S{source}[t, i] -> S{target}[t + {step_t}, i + {step_i}] : \
                 {bounds} and t + {step_t} < T and 1 <= i + {step_i} <= N - 2"
            )
        })
        .collect();
    let domain: farkas_poly::UnionSet =
        format!("[T, N] -> {{ {} }}", domains.join("; ")).parse()?;
    let pairs: farkas_poly::UnionMap = format!("[T, N] -> {{ {} }}", pairs.join("; ")).parse()?;
    let constraints = farkas_poly::ScheduleConstraints::on_domain(&domain)?
        .set_validity(&pairs)?
        .set_proximity(&pairs)?;
    let options = farkas_poly::SchedulerOptions { whole_component: true, ..Default::default() };
    let start = Instant::now();
    Ok(match constraints.compute_schedule(options) {
        Ok(_) => format!("{:.3}", start.elapsed().as_secs_f64() * 1e3),
        Err(_) => String::from("fails"),
    })
}

/// One line of the table.
fn measure(shape: Shape, with_isl: bool) -> Result<String, Box<dyn std::error::Error>> {
    let mut lexmin = ring(shape)?;
    let start = Instant::now();
    lexmin.push();
    let first = solve(&mut lexmin, shape, 0..2)?;
    let (time_first, stats_first) = (start.elapsed(), lexmin.stats());
    let none = || Ok(String::from("-"));
    let isl = if with_isl && argument("scheduler_only") != Some(1) {
        time_isl(lexmin.problem())
    } else {
        none()
    }?;
    let isl_scheduler = if with_isl { time_isl_scheduler(shape) } else { none() }?;
    let start = Instant::now();
    let second = solve(&mut lexmin, shape, 1..2)?;
    let (time_second, stats_second) = (start.elapsed(), lexmin.stats());
    let head = |outcome: &Outcome| {
        outcome.solution().map_or(vec![], |p| p.iter().take(N_LEADING).copied().collect())
    };
    Ok(format!(
        "{:4} {:6} {:7} | {:7} {:5} {:5} {:10.3} | {:7} {:5} {:5} {:10.3} | {isl:>10} {isl_scheduler:>10} | {:?} {:?}",
        shape.n,
        lexmin.problem().n_vars(),
        lexmin.problem().n_rows(),
        stats_first.n_pivots,
        stats_first.n_cuts,
        stats_first.n_widenings,
        time_first.as_secs_f64() * 1e3,
        stats_second.n_pivots - stats_first.n_pivots,
        stats_second.n_cuts - stats_first.n_cuts,
        stats_second.n_widenings - stats_first.n_widenings,
        time_second.as_secs_f64() * 1e3,
        head(&first),
        head(&second),
    ))
}

/// The value of the argument `name=value`.
fn argument(name: &str) -> Option<u64> {
    let mut values = std::env::args().filter_map(|argument| {
        argument
            .split_once('=')
            .filter(|(key, _)| *key == name)
            .and_then(|(_, value)| value.parse().ok())
    });
    values.next_back()
}

/// The mean time of a whole small solve, from the finished problem to the answer, in microseconds.
fn time_small(shape: Shape) -> Result<f64, SolveError> {
    const REPEATS: u32 = 2_000;
    let mut lexmin = ring(shape)?;
    solve(&mut lexmin, shape, 0..2)?;
    let problems = vec![lexmin.problem().clone(); REPEATS as usize];
    let start = Instant::now();
    for problem in problems {
        Lexmin::from(problem).minimize(&Budget::unlimited())?;
    }
    Ok(start.elapsed().as_secs_f64() * 1e6 / f64::from(REPEATS))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let largest = usize::try_from(argument("n").unwrap_or(160))?;
    let largest_isl = usize::try_from(argument("isl").unwrap_or(0))?;
    let shape = Shape {
        n: 0,
        radius: i64::try_from(argument("radius").unwrap_or(1))?,
        signed: argument("signed") == Some(1),
        open: argument("open") == Some(1),
        fixed: argument("fixed") == Some(1),
        seed: argument("seed").unwrap_or(0),
    };
    let mut out = std::io::stdout();
    let head = "   n   vars    rows |  pivots  cuts wider         ms | +pivots +cuts wider         ms |     isl ms  scheduler | leading values";
    writeln!(out, "{head}")?;
    for n in [1, 2, 5, 10, 20, 40, 80, 160, 320].into_iter().filter(|&n| n <= largest) {
        writeln!(out, "{}", measure(Shape { n, ..shape }, n <= largest_isl)?)?;
    }
    for n in [1, 2, 3] {
        writeln!(
            out,
            "n = {n}: {:.1} us for one solve, warmed up",
            time_small(Shape { n, ..shape })?
        )?;
    }
    Ok(())
}
