//! Why a step does not apply.

use crate::{ArrayAddress, LoopAddress};
use farkas_deps::DepId;
use farkas_scop::NoHalfProduct;
use farkas_tree::Mark;

/// The reason why a step does not apply to a program, in a sentence without capital and full stop.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotApplicable {
    /// No statement is called so.
    #[error("there is no statement `{0}`")]
    NoStatement(String),
    /// A statement stands in fewer such loops.
    #[error("{}", no_loop(.address, *.found))]
    NoLoop {
        /// The loop that was asked for.
        address: LoopAddress,
        /// The loops of this kind around the statement.
        found: usize,
    },
    /// A statement stands in fewer places.
    #[error("`{stmt}` stands in {found} place{}", plural(*.found))]
    NoPart {
        /// The statement.
        stmt: String,
        /// Its places.
        found: usize,
    },
    /// Instances of a statement stand in several places, and the address does not say in which.
    #[error("`{stmt}` stands in {found} places: say in which, as {stmt}#1")]
    Ambiguous {
        /// The statement.
        stmt: String,
        /// Its places.
        found: usize,
    },
    /// Some of the loops are not one right inside the other.
    #[error("`{outer}` and `{inner}` are not right inside each other")]
    NotNested {
        /// One.
        outer: LoopAddress,
        /// The other.
        inner: LoopAddress,
    },
    /// The same loop is named twice.
    #[error("`{0}` is named twice")]
    Twice(LoopAddress),
    /// More loops are needed than the address gives.
    #[error("{wanted} loops are needed")]
    TooFewLoops {
        /// How many.
        wanted: usize,
    },
    /// Tiles have as many sizes as loops, and there are fewer loops in the band.
    #[error("there are {wanted} tile sizes, and {found} loop{} from there in the band", plural(*.found))]
    TooManySizes {
        /// The number of sizes.
        wanted: usize,
        /// The number of loops.
        found: usize,
    },
    /// The band's loops may not be tiled together.
    #[error("its band is not permutable: some dependence runs backward along one of the loops")]
    NotPermutable,
    /// A loop carries dependences, so that its iterations must run in order.
    #[error("the loop carries dependences")]
    Carries(Vec<DepId>),
    /// Copies for iterations that run in order.
    #[error("iterations have copies on threads or in vector lanes alone")]
    InOrder,
    /// There are no loops inside.
    #[error("there is no loop inside")]
    Innermost,
    /// The loop is none over tiles.
    #[error("the loop does not run over tiles")]
    NoTiles,
    /// Full tiles and partial ones share their code.
    #[error("full tiles have no code of their own: mark the loop `full-tiles-apart` before")]
    NotFullTilesApart,
    /// A statement cannot run through whole tiles where they are partial.
    #[error("`{stmt}` cannot run through whole tiles: {why}")]
    NotPadded {
        /// The statement.
        stmt: String,
        /// What is in the way.
        why: &'static str,
    },
    /// There are loops inside that a compiler does not write out.
    #[error("there are loops inside that are not written out")]
    NotWrittenOut,
    /// Iterations of the loop may change something whatever the values are.
    #[error(
        "it is not innermost, or its statements do more than to keep the least or greatest of values and what comes with it"
    )]
    NotRare,
    /// Tensor cores compute other nests.
    #[error("tensor cores compute three loops around one statement")]
    NotThreeLoops,
    /// A statement is no sum of products that tensor cores compute.
    #[error("`{stmt}` is nothing for tensor cores: {why}")]
    NoHalfProduct {
        /// The statement.
        stmt: String,
        /// Why.
        why: NoHalfProduct,
    },
    /// The loop has a mark that a step would make untrue.
    #[error("the loop is marked `{0}`: mark loops at last")]
    Marked(Mark),
    /// The loops are not neighbours in a sequence.
    #[error("`{first}` and `{second}` do not begin what runs one right after the other")]
    NotAdjacent {
        /// One.
        first: LoopAddress,
        /// The other.
        second: LoopAddress,
    },
    /// Updates of an array, by name, may not change their order, and why.
    #[error("the order of the updates of `{0}` is not free: {1}")]
    NotFree(String, &'static str),
    /// A statement's updates cannot be gathered in partial results, and why.
    #[error("`{stmt}` has no partial results: {why}")]
    NoPartials {
        /// The statement.
        stmt: String,
        /// What is in the way.
        why: &'static str,
    },
    /// Loops cannot be one that runs through all of their iterations, and why.
    #[error("the loops do not become one: {0}")]
    NotOneLoop(&'static str),
    /// The loop adds up into no single element, and why.
    #[error("the loop is no sum: {0}")]
    NoSum(&'static str),
    /// The dates of a statement in the loop leave several residues.
    #[error("some statement's dates are no multiples of {0} plus a constant")]
    Uneven(i64),
    /// What is inside of the loop does not fall into such groups.
    #[error("{}", no_group(.0))]
    NoGroup(Vec<String>),
    /// There is no nest that begins with this loop where one is to be divided; none, where nothing is to be.
    #[error("{}", no_nest(.0.as_ref()))]
    NoNest(Option<LoopAddress>),
    /// There is only one thing inside of the loop.
    #[error("there is only one body inside")]
    OneBody,
    /// No array is called so, or the statement writes none.
    #[error("there is no array `{0}`")]
    NoArray(ArrayAddress),
    /// No loop keeps values of an array apart.
    #[error(
        "no loop keeps values of `{0}` apart: each iteration would have to set it, in single assignments, before it reads it"
    )]
    NotApart(ArrayAddress),
    /// The values of a scalar do not end up in an array, or something else needs its elements meanwhile.
    #[error(
        "`{array}` cannot live in `{into}`: its values do not end up there, or something else needs the elements meanwhile"
    )]
    NoHome {
        /// The scalar.
        array: ArrayAddress,
        /// The array.
        into: ArrayAddress,
    },
    /// The iterations of a loop cannot have cells of their own.
    #[error("iterations of the loop get no cells of `{array}`: {why}")]
    NoCells {
        /// The temporary.
        array: ArrayAddress,
        /// What is in the way.
        why: &'static str,
    },
    /// Values are to live in an array's elements, and in cells of a buffer.
    #[error(
        "`{0}` cannot live in an array, `into`, and in a buffer with a cell for each iteration, `loop`"
    )]
    TwoPlaces(ArrayAddress),
    /// No buffers can take the place of an expanded array.
    #[error("`{array}` stays one array: {why}")]
    NotContractible {
        /// The array.
        array: ArrayAddress,
        /// What is in the way.
        why: &'static str,
    },
    /// No buffer can hold what a statement uses of an array in an iteration.
    #[error("`{array}` stays where it is: {why}")]
    NotStageable {
        /// The array.
        array: ArrayAddress,
        /// What is in the way.
        why: &'static str,
    },
    /// Instances of a statement cannot be another one.
    #[error("`{stmt}` stays one statement: {why}")]
    NotDetachable {
        /// The statement.
        stmt: String,
        /// What is in the way.
        why: &'static str,
    },
    /// A statement is not divided into its parts.
    #[error("`{stmt}` stays one statement: {why}")]
    NotDivided {
        /// The statement.
        stmt: String,
        /// What is in the way.
        why: &'static str,
    },
    /// A statement is called so already.
    #[error("there is a statement `{0}` already")]
    NameTaken(String),
    /// How large an array with a place for each value is cannot be told.
    #[error("it cannot be told how many values `{0}` has")]
    NoExtents(ArrayAddress),
    /// Only a program in its own order has what it is for.
    #[error("it comes before `schedule`, for the program in its own order")]
    NotOwnOrder,
    /// Each loop that is divided has an axis, and there are fewer loops in the band.
    #[error("there are {wanted} axes, and {found} loop{} from there in the band", plural(*.found))]
    TooManyAxes {
        /// The number of axes.
        wanted: usize,
        /// The number of loops.
        found: usize,
    },
    /// Neither a loop nor statements say where.
    #[error("it names neither a loop nor statements")]
    NoPlace,
    /// A statement that a loop does not have inside.
    #[error("`{0}` does not run in the loop")]
    NotInside(String),
    /// All that is in a loop would run ahead.
    #[error("nothing of `{0}` stays for statements to run ahead of")]
    NoneBehind(LoopAddress),
    /// Kernels do not become one, and why.
    #[error("the kernels do not become one launch: {0}")]
    NotOneLaunch(&'static str),
    /// A kernel inside of another one.
    #[error("there is a kernel around it, or inside of it")]
    InKernel,
    /// A number that makes no sense, and why.
    #[error("{0}")]
    BadNumber(&'static str),
    /// A text that is no affine function of the parameters, or names a loop that is not there.
    #[error("`{0}` is no affine function of the parameters and the loops around")]
    NotAffine(String),
}

/// The message on a loop that is not there.
fn no_loop(address: &LoopAddress, found: usize) -> String {
    let kind = address.role().map_or(String::new(), |role| format!("{role} "));
    let stmt = address.stmt().unwrap_or_default();
    format!("there is no loop `{address}`: `{stmt}` stands in {found} {kind}loop{}", plural(found))
}

/// The message on a nest that is not divided.
fn no_nest(nest: Option<&LoopAddress>) -> String {
    match nest {
        Some(nest) => format!("no nest to be divided begins with loop {nest}"),
        None => "it cuts no loop".to_owned(),
    }
}

/// The message on groups that bodies do not fall into.
fn no_group(names: &[String]) -> String {
    match names {
        [] => "some of the statements inside are in no group".to_owned(),
        names => format!("no bodies inside run just {}", names.join(", ")),
    }
}

/// The ending of a noun.
fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// What can go wrong with a step.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It does not apply to the program.
    #[error(transparent)]
    NotApplicable(Box<NotApplicable>),
    /// isl could not answer.
    #[error(transparent)]
    Poly(#[from] farkas_poly::Error),
    /// The scop with other storage contradicts itself: a bug of ours.
    #[error("the statements do not fit: {0}")]
    Scop(farkas_scop::Violation),
    /// A path leads nowhere.
    #[error(transparent)]
    Tree(#[from] farkas_tree::Error),
    /// Dependences could not be asked.
    #[error(transparent)]
    Deps(#[from] farkas_deps::Error),
}

impl From<NotApplicable> for Error {
    fn from(reason: NotApplicable) -> Self {
        Self::NotApplicable(Box::new(reason))
    }
}

/// The result of steps.
pub type Result<T> = std::result::Result<T, Error>;
