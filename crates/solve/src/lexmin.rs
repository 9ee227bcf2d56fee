//! Our own back end: the engine at the narrowest width that holds its numbers, with snapshots.

use farkas_base::{Budget, IdVec};
use num_bigint::BigInt;

use crate::engine::{Checkpoint, Engine, Stats, Stop, Verdict};
use crate::{Outcome, Problem, Row, RowIdx, RowKind, SolveError, Solver, VarIdx};

/// The engine at one of the three widths.
#[derive(Clone, Debug)]
enum AnyEngine {
    Narrow(Engine<i64>),
    Wide(Engine<i128>),
    Big(Box<Engine<BigInt>>),
}

/// A checkpoint of one of the three widths.
#[derive(Clone, Debug)]
enum AnyCheckpoint {
    Narrow(Checkpoint<i64>),
    Wide(Checkpoint<i128>),
    Big(Checkpoint<BigInt>),
}

/// Does the same with the engine, whatever its width.
macro_rules! with_engine {
    ($any:expr, $engine:ident => $body:expr) => {
        match $any {
            AnyEngine::Narrow($engine) => $body,
            AnyEngine::Wide($engine) => $body,
            AnyEngine::Big($engine) => $body,
        }
    };
}

/// A state to come back to.
#[derive(Clone, Debug)]
struct Snapshot {
    n_vars: usize,
    n_rows: usize,
    n_fed: usize,
    /// Which engine made the checkpoint; another one cannot use it.
    generation: u64,
    checkpoint: AnyCheckpoint,
}

/// Exact lexicographic minimisation by the lexicographic dual simplex method with Gomory cuts.
///
/// Adding rows goes on from the last basis; adding variables too. [`Solver::push`] keeps the basis and
/// [`Solver::pop`] brings it back. A clone is independent of its original.
///
/// **Paper** P. Feautrier, *Parametric integer programming*, RAIRO Operations Research 22(3), 1988, without the
/// parameters. Ours differs: rows stay outside the tableau until the current point violates them, numerators have one
/// denominator per row, and the violated row is chosen by how much it is violated.
///
/// **Formulation** the smallest `x` in lexicographic order with `x >= 0` integer, `a.x + b >= 0` for each inequality,
/// `a.x + b = 0` for each equality. Such an `x` exists exactly when the system has any integer point.
///
/// **Shapes** one tableau row per variable that is not at a bound, one column per variable; see
/// [the crate](crate#how-it-works).
///
/// # Example
/// ```
/// use farkas_base::{Budget, Id};
/// use farkas_solve::{Lexmin, Outcome, Row, Solver, VarIdx};
/// let [w, c] = [0, 1].map(VarIdx::from_index);
/// let mut lexmin = Lexmin::new(2);
/// lexmin.add_inequality(Row::new().with(w, 2).with(c, 1).with_constant(-3))?; // 2 w + c >= 3
/// lexmin.add_inequality(Row::new().with(c, -1).with_constant(2))?; //            c <= 2
/// let outcome = lexmin.minimize(&Budget::new(1_000))?;
/// assert_eq!(outcome, Outcome::Solution([1, 1].into_iter().collect()));
/// # Ok::<(), farkas_solve::SolveError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lexmin {
    problem: Problem,
    engine: AnyEngine,
    /// How many rows of `problem` the engine has.
    n_fed: usize,
    generation: u64,
    n_generations: u64,
    snapshots: Vec<Snapshot>,
    n_widenings: u64,
    past: Stats,
}

impl Lexmin {
    /// The system without rows over `n_vars` variables.
    pub fn new(n_vars: usize) -> Self {
        Problem::new(n_vars).into()
    }

    /// The work done so far, by all calls together.
    pub fn stats(&self) -> Stats {
        let now = with_engine!(&self.engine, engine => engine.stats);
        Stats {
            n_pivots: self.past.n_pivots + now.n_pivots,
            n_cuts: self.past.n_cuts + now.n_cuts,
            n_widenings: self.n_widenings,
        }
    }

    /// Replaces the engine by a fresh one.
    fn renew(&mut self, engine: AnyEngine) {
        self.past = self.stats();
        self.engine = engine;
        self.n_fed = 0;
        self.generation = self.n_generations;
        self.n_generations += 1;
    }

    /// Replaces the engine by a fresh one of the next width.
    fn widen(&mut self) -> Result<(), SolveError> {
        let n_vars = self.problem.n_vars();
        let wider = match &self.engine {
            AnyEngine::Narrow(_) => AnyEngine::Wide(Engine::new(n_vars)),
            AnyEngine::Wide(_) => AnyEngine::Big(Box::new(Engine::new(n_vars))),
            AnyEngine::Big(_) => {
                return Err(SolveError::Internal { what: "arbitrary precision overflowed" });
            }
        };
        self.n_widenings += 1;
        self.renew(wider);
        Ok(())
    }

    /// Feeds the engine the rows that it does not have yet and runs it.
    fn run(&mut self, budget: &Budget) -> Result<Verdict, Stop> {
        with_engine!(&mut self.engine, engine => {
            for (kind, row) in self.problem.rows_from(self.n_fed) {
                engine.add_row(kind, row)?;
                self.n_fed += 1;
            }
            engine.minimize(budget)
        })
    }

    /// The point at which the engine stands.
    fn point(&self) -> Result<IdVec<VarIdx, i64>, SolveError> {
        let value = |var: VarIdx| {
            let value =
                with_engine!(&self.engine, engine => engine.value(farkas_base::Id::index(var)));
            value.ok_or(SolveError::ValueTooLarge { var })
        };
        self.problem
            .vars()
            .map(value)
            .collect::<Result<Vec<_>, _>>()
            .map(|values| values.into_iter().collect())
    }

    /// The re-checked answer.
    fn solution(&self) -> Result<Outcome, SolveError> {
        let point = self.point()?;
        self.problem.check(&point)?;
        Ok(Outcome::Solution(point))
    }
}

impl From<Problem> for Lexmin {
    fn from(problem: Problem) -> Self {
        Self {
            engine: AnyEngine::Narrow(Engine::new(problem.n_vars())),
            problem,
            n_fed: 0,
            generation: 0,
            n_generations: 1,
            snapshots: Vec::new(),
            n_widenings: 0,
            past: Stats::default(),
        }
    }
}

impl Solver for Lexmin {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn add_var(&mut self) -> VarIdx {
        with_engine!(&mut self.engine, engine => engine.add_var());
        self.problem.add_var()
    }

    fn add_row(&mut self, kind: RowKind, row: Row) -> Result<RowIdx, SolveError> {
        self.problem.add_row(kind, row)
    }

    fn push(&mut self) {
        let checkpoint = match &self.engine {
            AnyEngine::Narrow(engine) => AnyCheckpoint::Narrow(engine.checkpoint()),
            AnyEngine::Wide(engine) => AnyCheckpoint::Wide(engine.checkpoint()),
            AnyEngine::Big(engine) => AnyCheckpoint::Big(engine.checkpoint()),
        };
        self.snapshots.push(Snapshot {
            n_vars: self.problem.n_vars(),
            n_rows: self.problem.n_rows(),
            n_fed: self.n_fed,
            generation: self.generation,
            checkpoint,
        });
    }

    fn pop(&mut self) -> Result<(), SolveError> {
        let snapshot = self.snapshots.pop().ok_or(SolveError::NothingPushed)?;
        self.problem.truncate(snapshot.n_vars, snapshot.n_rows);
        match (&mut self.engine, snapshot.checkpoint) {
            _ if snapshot.generation != self.generation => {
                self.renew(AnyEngine::Narrow(Engine::new(snapshot.n_vars)));
                return Ok(());
            }
            (AnyEngine::Narrow(engine), AnyCheckpoint::Narrow(checkpoint)) => {
                engine.restore(checkpoint)
            }
            (AnyEngine::Wide(engine), AnyCheckpoint::Wide(checkpoint)) => {
                engine.restore(checkpoint)
            }
            (AnyEngine::Big(engine), AnyCheckpoint::Big(checkpoint)) => engine.restore(checkpoint),
            _ => {
                return Err(SolveError::Internal {
                    what: "a snapshot has another width than its engine",
                });
            }
        }
        self.n_fed = snapshot.n_fed;
        Ok(())
    }

    fn minimize(&mut self, budget: &Budget) -> Result<Outcome, SolveError> {
        loop {
            match self.run(budget) {
                Ok(Verdict::Optimal) => return self.solution(),
                Ok(Verdict::Infeasible) => return Ok(Outcome::Infeasible),
                Err(Stop::OutOfBudget) => return Ok(Outcome::OutOfBudget),
                Err(Stop::Overflow) => self.widen()?,
            }
        }
    }
}
