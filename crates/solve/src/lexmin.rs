//! Our own back end: the engine at the narrowest width that holds its numbers, with snapshots.

use farkas_base::{Budget, Id, IdVec};
use num_bigint::BigInt;

use crate::engine::{Checkpoint, Engine, Stats, Stop, Verdict};
use crate::merge::Merge;
use crate::number::Overflow;
use crate::{Outcome, Problem, Row, RowIdx, RowKind, SolveError, Solver, VarIdx};

/// Integer cuts with a large divisor for each unknown before fractions are allowed, in 64 bits, where a pivot costs microseconds.
const NARROW_LARGE_CUTS_PER_VAR: u64 = 16;
/// The same for the other widths: what overflowed 64 bits has mostly been through the cuts already.
const WIDE_LARGE_CUTS_PER_VAR: u64 = 1;

/// The engine at one of the three widths.
#[derive(Clone, Debug)]
enum AnyEngine {
    Narrow(Engine<i64>),
    Wide(Engine<i128>),
    Big(Box<Engine<BigInt>>),
}

/// One of the three widths.
#[derive(Clone, Copy, Debug)]
enum Width {
    Narrow,
    Wide,
    Big,
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
    /// Which engine made the checkpoint; another one cannot use it.
    generation: u64,
    /// Where the engine was; `None` when there was none.
    checkpoint: Option<AnyCheckpoint>,
}

/// Exact lexicographic minimisation by the lexicographic dual simplex method with Gomory cuts.
///
/// Adding rows goes on from the last basis; adding variables too. [`Solver::push`] keeps the basis and
/// [`Solver::pop`] brings it back. A clone is independent of its original.
///
/// **Paper** P. Feautrier, *Parametric integer programming*, RAIRO Operations Research 22(3), 1988, without the
/// parameters. Ours differs: rows stay outside the tableau until the current point violates them, numerators have one
/// denominator per row, the violated row is chosen by its number of positive terms, and Gomory's all-integer cuts come
/// before rational pivots.
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
    /// Absent until there are rows: the first ones decide which unknowns are merged.
    engine: Option<AnyEngine>,
    /// How many rows of `problem` the engine has.
    n_fed: usize,
    /// Which engine this is.
    generation: u64,
    snapshots: Vec<Snapshot>,
    /// The work of former engines.
    past: Stats,
}

impl Lexmin {
    /// The system without rows over `n_vars` variables.
    pub fn new(n_vars: usize) -> Self {
        Problem::new(n_vars).into()
    }

    /// The work done so far, by all calls together.
    pub fn stats(&self) -> Stats {
        let mut sum = self.past;
        if let Some(any) = &self.engine {
            let now = with_engine!(any, engine => engine.stats);
            sum.n_pivots += now.n_pivots;
            sum.n_cuts += now.n_cuts;
        }
        sum
    }

    /// Forgets the engine.
    fn drop_engine(&mut self) {
        self.past = self.stats();
        self.engine = None;
        self.n_fed = 0;
        self.generation += 1;
    }

    /// The engine; a new one merges what the rows at hand allow.
    fn engine(&mut self, width: Width) -> &mut AnyEngine {
        let problem = &self.problem;
        self.engine.get_or_insert_with(|| {
            let merge = Merge::of_rows(problem.n_vars(), problem.rows_from(0));
            match width {
                Width::Narrow => AnyEngine::Narrow(Engine::new(merge, NARROW_LARGE_CUTS_PER_VAR)),
                Width::Wide => AnyEngine::Wide(Engine::new(merge, WIDE_LARGE_CUTS_PER_VAR)),
                Width::Big => AnyEngine::Big(Box::new(Engine::new(merge, WIDE_LARGE_CUTS_PER_VAR))),
            }
        })
    }

    /// Drops the engine, whose numbers overflowed; says which width comes next.
    fn widen(&mut self) -> Result<Width, SolveError> {
        let next = match &self.engine {
            None => Width::Narrow,
            Some(AnyEngine::Narrow(_)) => Width::Wide,
            Some(AnyEngine::Wide(_)) => Width::Big,
            Some(AnyEngine::Big(_)) => {
                return Err(SolveError::Internal { what: "arbitrary precision overflowed" });
            }
        };
        self.drop_engine();
        self.past.n_widenings += 1;
        Ok(next)
    }

    /// Feeds the engine the rows that it does not have yet, widening as needed.
    fn feed(&mut self) -> Result<(), SolveError> {
        let mut width = Width::Narrow;
        while self.try_feed(width).is_err() {
            width = self.widen()?;
        }
        Ok(())
    }

    /// Feeds the engine, which is made at `width` if there is none.
    fn try_feed(&mut self, width: Width) -> Result<(), Overflow> {
        self.engine(width);
        let rows = self.problem.rows_from(self.n_fed);
        if let Some(any) = &mut self.engine {
            with_engine!(any, engine => for (kind, row) in rows {
                engine.add_row(kind, row)?;
                self.n_fed += 1;
            });
        }
        Ok(())
    }

    /// Feeds and runs the engine.
    fn run(&mut self, width: Width, budget: &Budget) -> Result<Verdict, Stop> {
        self.try_feed(width)?;
        with_engine!(self.engine(width), engine => engine.minimize(budget))
    }

    /// The point at which the engine stands.
    fn point(&self) -> Result<IdVec<VarIdx, i64>, SolveError> {
        let any = self
            .engine
            .as_ref()
            .ok_or(SolveError::Internal { what: "an answer without an engine" })?;
        let value = |var: VarIdx| {
            let value = with_engine!(any, engine => engine.value(var.index()));
            value.ok_or(SolveError::ValueTooLarge { var })
        };
        let values: Vec<i64> = self.problem.vars().map(value).collect::<Result<_, _>>()?;
        Ok(values.into_iter().collect())
    }

    /// The re-checked answer.
    fn solution(&self) -> Result<Outcome, SolveError> {
        let point = self.point()?;
        self.problem.check(&point)?;
        Ok(Outcome::Solution(point))
    }

    /// The state of the engine, if there are rows.
    fn checkpoint(&mut self) -> Option<AnyCheckpoint> {
        if self.problem.n_rows() == 0 || self.feed().is_err() {
            return None;
        }
        self.engine.as_mut().map(|any| match any {
            AnyEngine::Narrow(engine) => AnyCheckpoint::Narrow(engine.checkpoint()),
            AnyEngine::Wide(engine) => AnyCheckpoint::Wide(engine.checkpoint()),
            AnyEngine::Big(engine) => AnyCheckpoint::Big(engine.checkpoint()),
        })
    }
}

impl From<Problem> for Lexmin {
    fn from(problem: Problem) -> Self {
        Self {
            problem,
            engine: None,
            n_fed: 0,
            generation: 0,
            snapshots: Vec::new(),
            past: Stats::default(),
        }
    }
}

impl Solver for Lexmin {
    fn problem(&self) -> &Problem {
        &self.problem
    }

    fn add_var(&mut self) -> VarIdx {
        if let Some(any) = &mut self.engine {
            with_engine!(any, engine => engine.add_var());
        }
        self.problem.add_var()
    }

    fn add_row(&mut self, kind: RowKind, row: Row) -> Result<RowIdx, SolveError> {
        self.problem.add_row(kind, row)
    }

    fn push(&mut self) {
        let checkpoint = self.checkpoint();
        self.snapshots.push(Snapshot {
            n_vars: self.problem.n_vars(),
            n_rows: self.problem.n_rows(),
            generation: self.generation,
            checkpoint,
        });
    }

    fn pop(&mut self) -> Result<(), SolveError> {
        let snapshot = self.snapshots.pop().ok_or(SolveError::NothingPushed)?;
        self.problem.truncate(snapshot.n_vars, snapshot.n_rows);
        let checkpoint = snapshot.checkpoint.filter(|_| snapshot.generation == self.generation);
        match (&mut self.engine, checkpoint) {
            (Some(AnyEngine::Narrow(engine)), Some(AnyCheckpoint::Narrow(checkpoint))) => {
                engine.restore(checkpoint)
            }
            (Some(AnyEngine::Wide(engine)), Some(AnyCheckpoint::Wide(checkpoint))) => {
                engine.restore(checkpoint)
            }
            (Some(AnyEngine::Big(engine)), Some(AnyCheckpoint::Big(checkpoint))) => {
                engine.restore(checkpoint)
            }
            _ => {
                self.drop_engine();
                return Ok(());
            }
        }
        self.n_fed = snapshot.n_rows;
        Ok(())
    }

    fn minimize(&mut self, budget: &Budget) -> Result<Outcome, SolveError> {
        let mut width = Width::Narrow;
        loop {
            match self.run(width, budget) {
                Ok(Verdict::Optimal) => return self.solution(),
                Ok(Verdict::Infeasible) => return Ok(Outcome::Infeasible),
                Err(Stop::OutOfBudget) => return Ok(Outcome::OutOfBudget),
                Err(Stop::Overflow) => width = self.widen()?,
            }
        }
    }
}
