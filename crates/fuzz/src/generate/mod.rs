//! Making random programs.
//!
//! Every subscript stays inside its array by construction: the ranges of iterators are known, a subscript that may be
//! negative is shifted, and the extents follow from the subscripts. Integers stay far from overflow, divisors are never
//! zero, and floating-point values mostly stay near one.

mod bodies;
mod bounds;
mod lanes;
mod narrow;
mod nests;
mod reductions;
mod scattered;
mod updates;
mod values;

use crate::Random;
use crate::program::{
    Array, Expr, Fill, Linear, Param, Place, Program, Range, Ranges, Scalar, Storage, Type,
};
use reductions::{Cell, Operator, Role};

/// What programs look like. Percentages are of the choices where the feature is possible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Loops around a statement, at most.
    pub max_depth: usize,
    /// Statements of a program, at most.
    pub max_stmts: usize,
    /// Arrays, at most.
    pub max_arrays: usize,
    /// Instances of one statement, at most (estimated from the ranges).
    pub max_instances: i64,
    /// Values of parameters, at most.
    pub max_param: i64,
    /// Percentage of affine guards among nodes.
    pub guards: usize,
    /// Percentage of conditions on data among statements.
    pub data_conditions: usize,
    /// Percentage of subscripts with `/` or `%`.
    pub quasi: usize,
    /// Percentage of loops with steps.
    pub strides: usize,
    /// Percentage of loops that count down.
    pub down: usize,
    /// Percentage of bounds with `min` or `max`.
    pub min_max: usize,
    /// Percentage of local declarations among statements.
    pub locals: usize,
    /// Percentage of blocks that begin with a temporary, where the program has some.
    pub temporaries: usize,
    /// Percentage of blocks in loops that begin with a body: variables, and several elements that are computed from them.
    pub bodies: usize,
    /// Percentage of programs with two regions.
    pub regions: usize,
    /// Percentage of sums of products among nests.
    pub products: usize,
    /// Whether programs are of reductions, in exact arithmetic: any order of the updates has the same result.
    pub reductions: bool,
    /// Percentage of nests, in programs of reductions, that data chooses elements in, or conditions, or selections.
    pub scattered: usize,
    /// Percentage of nests, in programs of reductions, that are long loops around recurrences.
    pub lanes: usize,
    /// Whether many types are half precision or truth values in the place of others.
    pub narrow: bool,
    /// Whether half precision is `__bf16` in some of these programs.
    pub bf16: bool,
}

impl Default for Shape {
    /// A bit of everything.
    fn default() -> Self {
        Self {
            max_depth: 4,
            max_stmts: 6,
            max_arrays: 4,
            max_instances: 6000,
            max_param: 13,
            guards: 14,
            data_conditions: 8,
            quasi: 6,
            strides: 12,
            down: 12,
            min_max: 12,
            locals: 8,
            temporaries: 45,
            bodies: 0,
            regions: 6,
            products: 40,
            reductions: false,
            scattered: 0,
            lanes: 0,
            narrow: false,
            bf16: false,
        }
    }
}

impl Shape {
    /// Reductions of all kinds.
    pub fn reductions() -> Self {
        let of_all = Self::default();
        Self { max_instances: 12_000, max_param: 24, reductions: true, scattered: 60, ..of_all }
    }

    /// Long loops around recurrences, which run in vector lanes.
    pub fn lanes() -> Self {
        let of_all = Self::reductions();
        Self { max_instances: 24_000, max_stmts: 8, scattered: 10, lanes: 85, ..of_all }
    }

    /// Bodies that set several elements by temporaries.
    pub fn bodies() -> Self {
        let of_all = Self::default();
        let (max_depth, max_stmts) = (3, 12);
        Self {
            max_depth,
            max_stmts,
            temporaries: 40,
            bodies: 75,
            data_conditions: 15,
            products: 0,
            ..of_all
        }
    }

    /// Programs that are analysed in a moment: for tests that everyone waits for.
    pub fn small() -> Self {
        Self { max_depth: 3, max_stmts: 4, max_arrays: 3, quasi: 3, ..Self::default() }
    }
}

/// The program of `seed`; the same on every machine.
///
/// ```
/// use farkas_fuzz::{Shape, generate};
/// let program = generate(7, &Shape::default());
/// assert_eq!(program, generate(7, &Shape::default()));
/// assert!(program.text().is_some_and(|text| text.contains("#pragma scop")));
/// ```
pub fn generate(seed: u64, shape: &Shape) -> Program {
    let mut attempt = seed;
    loop {
        let mut generator = if shape.reductions {
            Generator::of_reductions(attempt, shape)
        } else {
            Generator::new(attempt, shape)
        };
        generator.fill();
        let program = Program { seed, ..generator.program };
        let program = match shape.narrow {
            true => narrow::narrowed(program, attempt, shape.bf16),
            false => program,
        };
        // Products of extents stay small and the program has a meaning almost always; else another one is made.
        let small = |extents: &Vec<i64>| extents.iter().product::<i64>() <= 60_000;
        if program.n_stmts() > 0 && program.extents().is_some_and(|e| e.iter().all(small)) {
            return program;
        }
        attempt = attempt.wrapping_add(0x5851_f42d_4c95_7f2d);
    }
}

/// Names for arrays.
const ARRAYS: [&str; 7] = ["A", "B", "C", "D", "E", "F", "G"];

/// How many arrays a body sets elements of, at most.
const MAX_OF_BODY: usize = 3;

/// Names for the arrays that such nests have beside, in programs of reductions.
const MORE_ARRAYS: [&str; 8] = ["H", "K", "L", "P", "Q", "U", "V", "W"];

/// Where a loop goes.
struct Walk {
    lower: Vec<Linear>,
    upper: Vec<Linear>,
    range: Range,
    step: i64,
    down: bool,
}

/// Names for iterators, by depth.
const NAMES: [&[&str]; 4] = [&["i", "t", "c"], &["j", "i2", "k"], &["k2", "l"], &["m2", "j3"]];

/// The state of making one program.
struct Generator<'a> {
    random: Random,
    shape: &'a Shape,
    program: Program,
    ranges: Ranges,
    /// The loops around the current place, outermost first, by id.
    scope: Vec<usize>,
    /// The local variables in scope.
    locals: Vec<(usize, Type)>,
    /// The temporaries that blocks around the current place have set.
    recent: Vec<(Place, Type)>,
    next_id: usize,
    stmts_left: usize,
    /// Instances of a statement at the current place, at most.
    instances: i64,
    /// The type that most arrays have.
    main_type: Type,
    /// In programs of reductions, what the arrays are for.
    array_roles: Vec<Role>,
    /// How the scalars are updated there; none for those that selections keep.
    scalar_operators: Vec<Option<Operator>>,
    /// The results that are begun around the current place.
    open: Vec<Cell>,
    /// What was updated last.
    last: Option<Cell>,
    /// Whether the nest is plain: its updates have the operators of their cells, and read nothing but data.
    is_plain: bool,
    /// Whether a nest that data chooses elements in has nothing but such updates, or nothing but selections.
    is_pure: bool,
    /// The long loop around the current place whose iterations mostly have elements of their own.
    lane: Option<usize>,
    /// How many nests of long loops there are so far.
    n_lanes: usize,
    /// How far subscripts of one or two dimensions go.
    widest: i64,
    /// Percentage of updates of elements that data chooses, where it can.
    chosen_percent: usize,
}

impl<'a> Generator<'a> {
    /// Chooses parameters, arrays and scalars.
    fn new(seed: u64, shape: &'a Shape) -> Self {
        let mut random = Random::new(seed);
        let names = ["n", "m", "p"];
        let n_params = random.weighted(&[20, 45, 30, 5]);
        let params: Vec<Param> = names[..n_params]
            .iter()
            .map(|name| Param { name: (*name).into(), value: random.between(4, shape.max_param) })
            .collect();
        let main_type = random.pick(&[
            Type::Double,
            Type::Double,
            Type::Double,
            Type::Double,
            Type::Float,
            Type::Int,
            Type::Unsigned,
        ]);
        let all_types = [Type::Double, Type::Float, Type::Int, Type::Unsigned];
        let storage = if random.chance(60) { Storage::Argument } else { Storage::Global };
        // Bodies set elements of several arrays of one type.
        let least = if shape.bodies > 0 { MAX_OF_BODY.min(shape.max_arrays) } else { 1 };
        let n_arrays = least + random.below(shape.max_arrays - least + 1);
        let mut arrays = Vec::new();
        for at in 0..n_arrays {
            let rank = 1 + random.weighted(&[35, 50, 15]);
            let storage = match random.weighted(&[78, 10, 12]) {
                2 if at > 0 => Storage::Local,
                1 => Storage::Global,
                _ => storage,
            };
            let extent_params = (0..rank)
                .map(|_| (n_params > 0 && random.chance(70)).then(|| random.below(n_params)))
                .collect();
            arrays.push(Array {
                name: ARRAYS.get(at).unwrap_or(&"G").to_string(),
                ty: if at < least - 1 || random.chance(85) {
                    main_type
                } else {
                    random.pick(&all_types)
                },
                rank,
                storage,
                extent_params,
                fill: Fill::Any,
            });
        }
        arrays.truncate(7);
        let n_scalars = random.weighted(&[55, 30, 15]);
        let scalars = (0..n_scalars)
            .map(|at| Scalar {
                name: format!("s{at}"),
                ty: if random.chance(85) { main_type } else { random.pick(&all_types) },
                is_printed: random.chance(40),
            })
            .collect();
        let program = Program { seed, params, arrays, scalars, regions: Vec::new() };
        let mut generator = Self::of_program(random, shape, program, main_type);
        generator.stmts_left = 1 + generator.random.below(shape.max_stmts);
        generator
    }

    /// At the beginning of a program without regions.
    fn of_program(random: Random, shape: &'a Shape, program: Program, main_type: Type) -> Self {
        Self {
            ranges: program.ranges(),
            random,
            shape,
            program,
            scope: Vec::new(),
            locals: Vec::new(),
            recent: Vec::new(),
            next_id: 0,
            stmts_left: 0,
            instances: 1,
            main_type,
            array_roles: Vec::new(),
            scalar_operators: Vec::new(),
            open: Vec::new(),
            last: None,
            is_plain: false,
            is_pure: false,
            lane: None,
            n_lanes: 0,
            widest: 40,
            chosen_percent: 0,
        }
    }

    /// Makes the regions.
    fn fill(&mut self) {
        if self.shape.reductions {
            return self.fill_with_reductions();
        }
        let n_regions = 1 + usize::from(self.random.chance(self.shape.regions));
        for region in 0..n_regions {
            if region > 0 {
                self.stmts_left += 1 + self.random.below(2);
            }
            let mut nodes = Vec::new();
            while self.stmts_left > 0 && nodes.len() < 5 {
                nodes.push(self.node(0));
            }
            self.program.regions.push(nodes);
            self.stmts_left = 0;
        }
    }
}

/// A constant as written.
fn literal(text: &str) -> Expr {
    Expr::Literal(text.to_owned())
}

/// A binary operation.
fn binary(op: &'static str, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}
