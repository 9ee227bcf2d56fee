//! The loop AST.

use crate::expr::{Cond, Expr};
use crate::work::Work;
use farkas_scop::{ArrayId, Scop, StmtId};
use farkas_tree::{Cursor, GpuAxis, MAX_WRITTEN_OUT, Mark};
use std::collections::BTreeMap;
use std::fmt;

/// The code of a scop.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ast {
    /// What runs, one after another.
    pub body: Vec<Node>,
    /// The buffers that are declared before it.
    pub buffers: Vec<ArrayId>,
    /// How many rows of buffers are used, for each of which not all are at all sizes, where that was asked ([`Ast::with_rows`]).
    pub rows: BTreeMap<ArrayId, Expr>,
    /// The expanded arrays that are allocated before it, and the buffers whose extents depend on parameters, with their extents.
    pub expanded: Vec<(ArrayId, Vec<Expr>)>,
    /// Whether its loops are those of the source, which compilers see as they were written.
    pub is_original: bool,
    /// The names of the statements, for `Display`.
    pub(crate) stmt_names: Vec<String>,
    /// The names of the arrays, for `Display`.
    pub(crate) array_names: Vec<String>,
}

/// One piece of code.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A loop.
    For(For),
    /// A guard.
    If(If),
    /// An instance of a statement.
    User(User),
    /// What runs together on a GPU.
    Block(Block),
}

/// What runs together on a GPU.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Block {
    /// In which way.
    pub kind: BlockKind,
    /// The buffers that each block of a kernel has from its beginning to its end.
    pub buffers: Vec<ArrayId>,
    /// What runs.
    pub body: Vec<Node>,
}

/// What is said of a block of code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BlockKind {
    /// It is one launch of a kernel, whose blocks have so many threads along x, y and z.
    Kernel([i64; 3]),
    /// All threads of a block wait for one another before it begins.
    Barrier,
}

/// What runs the iterations of a loop in a kernel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Divided {
    /// The blocks along an axis of the grid.
    Blocks(GpuAxis),
    /// The threads along an axis of a block: the iteration with value `v` runs on thread `v` modulo their number.
    Threads(GpuAxis),
}

/// `for (iterator = first; iterator < end; iterator += step) body`, or `iterator > end` where `step` is negative.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct For {
    /// The name of the iterator, unique among the surrounding loops, parameters and other names of the scop.
    pub iterator: String,
    /// The first value.
    pub first: Expr,
    /// The value not to be reached, invariant in the loop.
    pub end: Expr,
    /// What is added after each iteration; not zero.
    pub step: i64,
    /// What runs in each iteration.
    pub body: Vec<Node>,
    /// What is known of the loop.
    pub info: Box<LoopInfo>,
}

/// How the iterations of a loop run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum LoopKind {
    /// One after another.
    #[default]
    Sequential,
    /// One after another, which compilers are to write out so.
    Unrolled,
    /// One after another, where a block of them would change anything.
    Rare,
    /// One after another, or, with the loops inside, as products that a warp of a GPU computes at once.
    Tensor,
    /// On several threads.
    Parallel,
    /// In vector lanes.
    Vector,
    /// On several threads, in the lanes of each.
    ParallelVector,
}

impl LoopKind {
    /// Whether iterations may run on several threads.
    pub fn is_parallel(self) -> bool {
        matches!(self, Self::Parallel | Self::ParallelVector)
    }

    /// Whether iterations may run in vector lanes.
    pub fn is_vector(self) -> bool {
        matches!(self, Self::Vector | Self::ParallelVector)
    }

    /// The kind of a loop of this kind that a mark further inside is for, too. Threads and lanes go before what compilers do to
    /// iterations that run one after another.
    pub(crate) fn marked(self, mark: &Mark) -> Self {
        match (mark, self) {
            (Mark::Parallel, Self::Vector) => Self::ParallelVector,
            (Mark::Vector, Self::Parallel) => Self::ParallelVector,
            (Mark::Parallel, _) => Self::Parallel,
            (Mark::Vector, _) => Self::Vector,
            (Mark::Unroll, Self::Sequential) => Self::Unrolled,
            (Mark::Rare, Self::Sequential) => Self::Rare,
            (Mark::Tensor, Self::Sequential) => Self::Tensor,
            _ => self,
        }
    }

    /// The same without threads.
    pub(crate) fn without_threads(self) -> Self {
        match self {
            Self::Parallel => Self::Sequential,
            Self::ParallelVector => Self::Vector,
            _ => self,
        }
    }

    /// The same without vector lanes.
    pub(crate) fn without_lanes(self) -> Self {
        match self {
            Self::Vector => Self::Sequential,
            Self::ParallelVector => Self::Parallel,
            _ => self,
        }
    }
}

/// What is known of a loop.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct LoopInfo {
    /// How its iterations run, as it is marked.
    pub kind: LoopKind,
    /// When threads are started for it, where it is parallel and that depends on sizes; else always.
    pub threads: Option<Work>,
    /// How many iterations a thread runs before the next one's turn, where threads take turns because the work of iterations differs;
    /// else each thread runs one block of them.
    pub turns: Option<u64>,
    /// How many instances run in it, where it was marked for threads and these are too little work for them.
    pub too_few: Option<i64>,
    /// The arrays, by name, that each iteration has a copy of where iterations run at the same time.
    pub private: Vec<String>,
    /// The arrays, by name, that each iteration updates a copy of where iterations run at the same time.
    pub reduced: Vec<String>,
    /// The loop carries no dependence that outer loops leave.
    pub coincident: bool,
    /// The loop belongs to a permutable band.
    pub permutable: bool,
    /// The tile size, if this is a tile loop.
    pub tile: Option<i64>,
    /// The loop runs over the points of a tile.
    pub point: bool,
    /// Marked: full tiles have code of their own.
    pub separate: bool,
    /// Marked: the statements, by name, that run through whole tiles.
    pub padded: Vec<String>,
    /// The buffers that are declared at the start of the body: each iteration has its own.
    pub buffers: Vec<ArrayId>,
    /// What runs its iterations in a kernel, where that is not each thread by itself.
    pub divided: Option<Divided>,
    /// The loop runs over wavefronts: the sum of tile loops.
    pub wavefront: bool,
    /// The band in the schedule tree and the position of the member in it.
    pub member: Option<(Cursor, usize)>,
    /// The statements inside, in the order of the scop.
    pub stmts: Vec<StmtId>,
    /// What the iterator is still to be multiplied with; zero once that is done.
    pub(crate) scale: i64,
    /// Whether the iterator is the user's, for every statement inside that depends on it.
    pub is_users: bool,
}

impl LoopInfo {
    /// The same with other expressions in the place of names.
    fn substitute(&self, by: &impl Fn(&str) -> Option<Expr>) -> Box<Self> {
        let threads = self.threads.as_ref().map(|work| work.substitute(by));
        Box::new(Self { threads, ..self.clone() })
    }
}

/// `if (condition) then else otherwise`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct If {
    /// The condition.
    pub condition: Cond,
    /// When it holds.
    pub then: Vec<Node>,
    /// When it does not; may be empty.
    pub otherwise: Vec<Node>,
}

/// What a place where a statement runs does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum UserKind {
    /// One of the statement's instances runs.
    #[default]
    Instance,
    /// The same, or what would run beyond the statement's instances: it touches buffers alone, and writes cells that no instance
    /// touches.
    Padded,
    /// What the statement would write there, in a buffer, is set to zero instead.
    Cleared,
}

/// One instance of a statement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct User {
    /// The statement.
    pub stmt: StmtId,
    /// The values of the domain's dimensions.
    pub args: Vec<Expr>,
    /// The values of the user's iterators.
    pub values: Vec<Expr>,
    /// What is done here.
    pub kind: UserKind,
}

impl Node {
    /// The node with other expressions in the place of names.
    pub fn substitute(&self, by: &impl Fn(&str) -> Option<Expr>) -> Self {
        let all = |nodes: &[Self]| nodes.iter().map(|n| n.substitute(by)).collect();
        let each = |es: &[Expr]| es.iter().map(|e| e.substitute(by)).collect();
        match self {
            Self::For(node) => Self::For(For {
                iterator: node.iterator.clone(),
                first: node.first.substitute(by),
                end: node.end.substitute(by),
                step: node.step,
                body: all(&node.body),
                info: node.info.substitute(by),
            }),
            Self::If(node) => Self::If(If {
                condition: node.condition.substitute(by),
                then: all(&node.then),
                otherwise: all(&node.otherwise),
            }),
            Self::User(user) => {
                let (args, values) = (each(&user.args), each(&user.values));
                Self::User(User { args, values, ..user.clone() })
            }
            Self::Block(node) => {
                let buffers = node.buffers.clone();
                Self::Block(Block { kind: node.kind, buffers, body: all(&node.body) })
            }
        }
    }

    /// Calls `visit` on every statement instance below, in order.
    pub fn for_each_user<'a>(&'a self, visit: &mut impl FnMut(&'a User)) {
        match self {
            Self::For(node) => node.body.iter().for_each(|n| n.for_each_user(visit)),
            Self::If(node) => {
                node.then.iter().chain(&node.otherwise).for_each(|n| n.for_each_user(visit));
            }
            Self::User(user) => visit(user),
            Self::Block(node) => node.body.iter().for_each(|n| n.for_each_user(visit)),
        }
    }

    /// Calls `visit` on every loop at or below this node, outer before inner.
    pub fn for_each_loop<'a>(&'a self, visit: &mut impl FnMut(&'a For)) {
        match self {
            Self::For(node) => {
                visit(node);
                node.body.iter().for_each(|n| n.for_each_loop(visit));
            }
            Self::If(node) => {
                node.then.iter().chain(&node.otherwise).for_each(|n| n.for_each_loop(visit));
            }
            Self::User(_) => {}
            Self::Block(node) => node.body.iter().for_each(|n| n.for_each_loop(visit)),
        }
    }
}

impl For {
    /// How many iterations it has that compilers are to write out one after another; `None` for other loops, and where it has too
    /// many or their number is not known.
    pub fn n_written_out(&self) -> Option<i64> {
        let n = self.end.minus(&self.first).as_int()?;
        let is_unrolled = self.info.kind == LoopKind::Unrolled && self.step == 1;
        (is_unrolled && (2..=MAX_WRITTEN_OUT).contains(&n)).then_some(n)
    }
}

impl Ast {
    /// Number of statement instances in the text: the measure of code size.
    pub fn n_users(&self) -> usize {
        let mut n = 0;
        self.body.iter().for_each(|node| node.for_each_user(&mut |_| n += 1));
        n
    }

    /// The AST of `body`, for `scop`.
    pub(crate) fn new(scop: &Scop, body: Vec<Node>) -> Self {
        let stmt_names = scop.stmts().iter().map(|s| s.name.clone()).collect();
        let array_names = scop.arrays().iter().map(|a| a.name.clone()).collect();
        let (buffers, expanded, rows) = (Vec::new(), Vec::new(), BTreeMap::new());
        Self { body, buffers, rows, expanded, is_original: false, stmt_names, array_names }
    }

    /// Whether any loop is to run on threads.
    pub fn has_threads(&self) -> bool {
        let mut has_threads = false;
        let mut look = |node: &For| has_threads |= node.info.kind.is_parallel();
        self.body.iter().for_each(|node| node.for_each_loop(&mut look));
        has_threads
    }

    /// Writes `nodes` at a depth.
    fn write(&self, f: &mut fmt::Formatter<'_>, nodes: &[Node], depth: usize) -> fmt::Result {
        let pad = "  ".repeat(depth);
        for node in nodes {
            match node {
                Node::For(node) => {
                    let relation = if node.step > 0 { '<' } else { '>' };
                    write!(
                        f,
                        "{pad}for {i} = {}; {i} {relation} {}; {i} += {}",
                        node.first,
                        node.end,
                        node.step,
                        i = node.iterator
                    )?;
                    writeln!(f, "{}", node.info)?;
                    self.write(f, &node.body, depth + 1)?;
                }
                Node::If(node) => {
                    writeln!(f, "{pad}if {}", node.condition)?;
                    self.write(f, &node.then, depth + 1)?;
                    if !node.otherwise.is_empty() {
                        writeln!(f, "{pad}else")?;
                        self.write(f, &node.otherwise, depth + 1)?;
                    }
                }
                Node::User(user) => {
                    let args: Vec<String> = user.args.iter().map(Expr::to_string).collect();
                    let name = self.stmt_names.get(farkas_base::Id::index(user.stmt));
                    let name = name.map_or("?", String::as_str);
                    let kind = match user.kind {
                        UserKind::Instance => "",
                        UserKind::Padded => " [padded]",
                        UserKind::Cleared => " [cleared]",
                    };
                    writeln!(f, "{pad}{name}({}){kind}", args.join(", "))?;
                }
                Node::Block(node) => {
                    match node.kind {
                        BlockKind::Kernel([x, y, z]) => {
                            writeln!(f, "{pad}kernel of {x} x {y} x {z} threads")?;
                        }
                        BlockKind::Barrier => writeln!(f, "{pad}barrier, then")?,
                    }
                    self.write(f, &node.body, depth + 1)?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Display for Ast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, &self.body, 0)
    }
}

impl fmt::Display for LoopInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.threads {
            Some(work) => write!(f, " [parallel if {work}]")?,
            None if self.kind.is_parallel() => f.write_str(" [parallel]")?,
            None => {}
        }
        let words = [
            (self.kind.is_vector(), "vector"),
            (self.kind == LoopKind::Tensor, "tensor"),
            (self.wavefront, "wavefront"),
            (self.coincident, "coincident"),
        ];
        for (_, word) in words.iter().filter(|(holds, _)| *holds) {
            write!(f, " [{word}]")?;
        }
        if !self.private.is_empty() {
            write!(f, " [private {}]", self.private.join(","))?;
        }
        if !self.reduced.is_empty() {
            write!(f, " [reduce {}]", self.reduced.join(","))?;
        }
        match self.divided {
            Some(Divided::Blocks(axis)) => write!(f, " [blocks {}]", axis.letter())?,
            Some(Divided::Threads(axis)) => write!(f, " [threads {}]", axis.letter())?,
            None => {}
        }
        match self.tile {
            Some(size) => write!(f, " [tile {size}]"),
            None => Ok(()),
        }
    }
}
