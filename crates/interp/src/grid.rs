//! Executes kernels as a GPU does: the second oracle of what runs at the same time.
//!
//! The blocks of a launch run in any order, the threads of a block in any order between barriers, as a seed says. Iterations of loops that
//! are divided are those of blocks and threads: equal numbers of iterations run on the same one, which block that is is random. What no loop
//! divides along an axis runs on the first block and thread of it. A buffer is shared by the threads among which loops inside of its declaration are
//! divided, else in the registers of each.
//!
//! An order that was lucky shows nothing, so beside results it is looked at what is touched: two threads of a block that touch one element
//! between barriers, two blocks that do so in a launch, one of which writes it, are an error, and so are a barrier that not all threads of a
//! block come to, and a read of a buffer's element that nothing wrote in the iteration that declares it.

use crate::ast::Code;
use crate::execute::{Executor, Touch};
use crate::memory::{Cell, element_text};
use crate::random::Random;
use crate::{Copies, Error, Instance, Memory, Order, Params, Result};
use farkas_astgen::{Ast, Block, BlockKind, Divided, For, Node, User};
use farkas_scop::{ArrayId, ArrayScope, Scop};
use farkas_tree::GpuAxis;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The most blocks along an axis.
const MAX_BLOCKS: usize = 3;

/// How many steps are taken for each instance that is allowed: each thread goes through loops by itself.
const STEPS: usize = 4096;

/// What kernels leave behind.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The contents of all arrays.
    pub memory: Memory,
    /// The instances in the order in which they ran.
    pub order: Order,
}

/// Runs `ast` as a host and a GPU do: what stands in kernels on threads, the rest one after another. The number of blocks, which of them runs
/// what, and the order in which blocks and threads take turns are as `seed` says.
///
/// # Errors
/// [`Error::Race`], [`Error::Divergence`] and [`Error::Unwritten`] where that depends on luck; else as
/// [`ast_order`](crate::ast_order) and [`execute`](crate::execute).
///
/// # Example
/// ```
/// # fn check(scop: &farkas_scop::Scop, ast: &farkas_astgen::Ast) -> farkas_interp::Result<()> {
/// use farkas_interp::{Params, execute, original_order, run_grid};
/// let params = Params::all(scop, 7);
/// let expected = execute(scop, &params, &original_order(scop, &params)?)?;
/// assert_eq!(expected.first_mismatch(&run_grid(scop, ast, &params, 1)?.memory, true), None);
/// # Ok(())
/// # }
/// ```
pub fn run_grid(scop: &Scop, ast: &Ast, params: &Params, seed: u64) -> Result<Ran> {
    let mut device = Device {
        code: Code::of(scop, params, params.max_instances().saturating_mul(STEPS))?,
        executor: Executor::of(scop, params)?,
        random: Random::new(seed),
        ran: Vec::new(),
        written: HashMap::new(),
        n_copies: 0,
    };
    device.host(&ast.body)?;
    let order = Order { instances: device.ran, copies: Copies::default() };
    Ok(Ran { memory: device.executor.memory, order })
}

/// A host with a GPU.
struct Device<'a> {
    code: Code<'a>,
    executor: Executor<'a>,
    random: Random,
    ran: Vec<Instance>,
    /// The elements of buffers that were written, each with the iteration that declared the buffer then.
    written: HashMap<Cell, Option<Rc<[i64]>>>,
    /// How many copies of buffers there are.
    n_copies: usize,
}

/// A buffer as an instance has it.
#[derive(Clone, Debug)]
struct Held {
    number: usize,
    /// The iteration that declares it, where threads share it; `None` where it is in the registers of one.
    declared: Option<Rc<[i64]>>,
}

/// The buffers that an instance has.
type Buffers = Rc<BTreeMap<ArrayId, Held>>;

/// What a thread does.
enum Event {
    /// It runs an instance.
    Run(Rc<Instance>, Buffers),
    /// It waits for the others: at which place, in which iterations of the loops around.
    Wait(usize, Vec<i64>),
}

/// One launch of a kernel.
struct Launch {
    threads: [usize; 3],
    n_blocks: [usize; 3],
    /// What decides which block runs what.
    salt: u64,
    /// What its loops are divided among, where there are several.
    divided: BTreeSet<Divided>,
}

impl Launch {
    /// Whether one of `size` threads or blocks, at `position` along an axis, runs iteration number `number` of a loop.
    fn runs(&self, divided: Divided, thread: &Thread, number: i64) -> bool {
        match divided {
            Divided::Threads(axis) => {
                let n = i64::try_from(self.threads[axis.index()]).unwrap_or(1);
                usize::try_from(number.rem_euclid(n)).ok() == Some(thread.thread[axis.index()])
            }
            Divided::Blocks(axis) => {
                let seed = self.salt ^ number.cast_unsigned() ^ ((axis.index() as u64) << 60);
                Random::new(seed).below(self.n_blocks[axis.index()]) == thread.block[axis.index()]
            }
        }
    }
}

/// A thread on its way through a kernel.
struct Thread {
    block: [usize; 3],
    thread: [usize; 3],
    /// The numbers of the buffers that threads of its block share: those at one position along some axes.
    shared: BTreeMap<(ArrayId, [Option<usize>; 3]), usize>,
    /// The values of the iterators around.
    path: Vec<i64>,
    events: Vec<Event>,
}

impl Thread {
    /// Whether it is the first one of all of these.
    fn is_first(&self, of: &BTreeSet<Divided>) -> bool {
        of.iter().all(|divided| match divided {
            Divided::Blocks(axis) => self.block[axis.index()] == 0,
            Divided::Threads(axis) => self.thread[axis.index()] == 0,
        })
    }
}

impl Device<'_> {
    /// What runs on the host, one after another.
    fn host(&mut self, nodes: &[Node]) -> Result<()> {
        for node in nodes {
            match node {
                Node::For(node) => {
                    let outer = self.code.value_of(&node.iterator);
                    for at in self.code.iterations(node)? {
                        self.code.step()?;
                        self.code.set(&node.iterator, Some(at));
                        self.host(&node.body)?;
                    }
                    self.code.set(&node.iterator, outer);
                }
                Node::If(node) => {
                    let holds = self.code.holds(&node.condition)?;
                    self.host(if holds { &node.then } else { &node.otherwise })?;
                }
                Node::Block(kernel @ Block { kind: BlockKind::Kernel(threads), .. }) => {
                    self.launch(*threads, kernel)?;
                }
                Node::Block(Block { kind: BlockKind::Barrier, .. }) => {
                    return Err(Error::Ast("a barrier stands outside of kernels".to_owned()));
                }
                Node::User(user) => {
                    let instance = Rc::new(self.code.instance(user)?);
                    let mut alone = Owners::default();
                    self.run(&instance, &Buffers::default(), [(&mut alone, 0); 0])?;
                }
            }
        }
        Ok(())
    }

    /// One launch.
    fn launch(&mut self, threads: [i64; 3], kernel: &Block) -> Result<()> {
        let mut divided = BTreeSet::new();
        for node in &kernel.body {
            node.for_each_loop(&mut |inner| divided.extend(inner.info.divided));
        }
        let threads = threads.map(|n| usize::try_from(n).unwrap_or(0).max(1));
        let n_blocks = GpuAxis::ALL.map(|axis| match divided.contains(&Divided::Blocks(axis)) {
            true => 1 + self.random.below(MAX_BLOCKS),
            false => 1,
        });
        divided.extend(GpuAxis::ALL.map(Divided::Threads));
        divided.retain(|one| match one {
            Divided::Threads(axis) => threads[axis.index()] > 1,
            Divided::Blocks(_) => true,
        });
        let launch = Launch { threads, n_blocks, salt: self.random.next(), divided };
        let mut blocks = all_below(n_blocks);
        self.random.shuffle(&mut blocks);
        let mut owners = Owners::default();
        for (number, block) in blocks.into_iter().enumerate() {
            self.block(&launch, kernel, block, (&mut owners, number))?;
        }
        Ok(())
    }

    /// One block of a launch, which has a number among those that own elements.
    fn block(
        &mut self,
        launch: &Launch,
        kernel: &Block,
        block: [usize; 3],
        (of_launch, number): (&mut Owners, usize),
    ) -> Result<()> {
        let mut shared = BTreeMap::new();
        let mut traces = Vec::new();
        for thread in all_below(launch.threads) {
            let mut own = Thread { block, thread, shared, path: Vec::new(), events: Vec::new() };
            let (divided, none) = (&launch.divided, Buffers::default());
            let new = (&kernel.buffers[..], &kernel.body[..]);
            let buffers = self.declared(new, divided, &none, &mut own);
            self.nodes(launch, &kernel.body, divided, &buffers, &mut own)?;
            shared = own.shared;
            traces.push(between_barriers(own.events));
        }
        let [first, others @ ..] = traces.as_slice() else { return Ok(()) };
        if others.iter().any(|(places, _)| *places != first.0) {
            return Err(Error::Divergence);
        }
        let mut parts: Vec<_> = traces.into_iter().map(|(_, parts)| parts.into_iter()).collect();
        loop {
            let all: Vec<_> = parts.iter_mut().map(std::iter::Iterator::next).collect();
            let Some(now) = all.into_iter().collect::<Option<Vec<_>>>() else { return Ok(()) };
            let own = |(thread, part): (usize, Part)| part.into_iter().map(move |e| (thread, e));
            let now = now.into_iter().enumerate().map(|part| own(part).collect()).collect();
            let mut owners = Owners::default();
            for (thread, (instance, buffers)) in self.random.interleave(now) {
                let of = [(&mut owners, thread), (&mut *of_launch, number)];
                self.run(&instance, &buffers, of)?;
            }
        }
    }

    /// What a thread does in several nodes; `left` are those among which no loop around is divided.
    fn nodes(
        &mut self,
        launch: &Launch,
        nodes: &[Node],
        left: &BTreeSet<Divided>,
        buffers: &Buffers,
        own: &mut Thread,
    ) -> Result<()> {
        for node in nodes {
            match node {
                Node::For(node) => self.repeat(launch, node, left, buffers, own)?,
                Node::If(node) => {
                    let holds = self.code.holds(&node.condition)?;
                    let branch = if holds { &node.then } else { &node.otherwise };
                    self.nodes(launch, branch, left, buffers, own)?;
                }
                Node::Block(node) => {
                    if node.kind == BlockKind::Barrier {
                        let place = std::ptr::from_ref(node).addr();
                        own.events.push(Event::Wait(place, own.path.clone()));
                    }
                    self.nodes(launch, &node.body, left, buffers, own)?;
                }
                Node::User(user) if own.is_first(left) => self.user(user, buffers, own)?,
                Node::User(_) => {}
            }
        }
        Ok(())
    }

    /// What a thread does in a loop.
    fn repeat(
        &mut self,
        launch: &Launch,
        node: &For,
        left: &BTreeSet<Divided>,
        buffers: &Buffers,
        own: &mut Thread,
    ) -> Result<()> {
        let mut inside = left.clone();
        let divided = node.info.divided.filter(|divided| inside.remove(divided));
        let size = node.info.tile.unwrap_or(1).max(1);
        let outer = self.code.value_of(&node.iterator);
        for at in self.code.iterations(node)? {
            self.code.step()?;
            if divided.is_some_and(|divided| !launch.runs(divided, own, at.div_euclid(size))) {
                continue;
            }
            self.code.set(&node.iterator, Some(at));
            own.path.push(at);
            let new = (&node.info.buffers[..], &node.body[..]);
            let buffers = self.declared(new, &inside, buffers, own);
            self.nodes(launch, &node.body, &inside, &buffers, own)?;
            own.path.pop();
        }
        self.code.set(&node.iterator, outer);
        Ok(())
    }

    /// The buffers that a thread has where some more are declared for a body: in its registers, or shared by the threads among which loops of
    /// the body are divided.
    fn declared(
        &mut self,
        (new, body): (&[ArrayId], &[Node]),
        left: &BTreeSet<Divided>,
        around: &Buffers,
        own: &mut Thread,
    ) -> Buffers {
        if new.is_empty() {
            return Rc::clone(around);
        }
        let mut is_own = true;
        for node in body {
            node.for_each_loop(&mut |inner| {
                let is_left = |divided| left.contains(&divided);
                let of_threads = |divided: &Divided| matches!(divided, Divided::Threads(_));
                is_own &= !inner.info.divided.filter(of_threads).is_some_and(is_left);
            });
        }
        // Threads that loops around tell apart share nothing.
        let sharing = GpuAxis::ALL.map(|axis| match left.contains(&Divided::Threads(axis)) {
            true => None,
            false => Some(own.thread[axis.index()]),
        });
        let mut all = (**around).clone();
        for array in new {
            let mut fresh = || {
                self.n_copies += 1;
                self.n_copies
            };
            let held = match is_own {
                true => Held { number: fresh(), declared: None },
                false => Held {
                    number: *own.shared.entry((*array, sharing)).or_insert_with(fresh),
                    declared: Some(own.path.as_slice().into()),
                },
            };
            all.insert(*array, held);
        }
        Rc::new(all)
    }

    /// A statement.
    fn user(&mut self, user: &User, buffers: &Buffers, own: &mut Thread) -> Result<()> {
        self.code.step()?;
        let instance = Rc::new(self.code.instance(user)?);
        own.events.push(Event::Run(instance, Rc::clone(buffers)));
        Ok(())
    }

    /// Runs an instance for some owners of what it touches: the thread among those of its block, the block among those of its launch.
    fn run<const N: usize>(
        &mut self,
        instance: &Rc<Instance>,
        buffers: &Buffers,
        mut owners: [(&mut Owners, usize); N],
    ) -> Result<()> {
        let touched = RefCell::new(Vec::new());
        let copies = |array| buffers.get(&array).map(|copy| copy.number);
        self.executor.run(instance, &copies, Some(&touched))?;
        for touch in touched.into_inner() {
            let array = touch.cell.array;
            let copy = buffers.get(&array);
            if self.code.scop.arrays()[array].scope == ArrayScope::Buffer {
                self.fill(&touch, copy, instance)?;
            }
            // Blocks have buffers of their own, threads registers.
            let n = match copy {
                None => N,
                Some(Held { declared: Some(_), .. }) => 1,
                Some(_) => 0,
            };
            for (owners, owner) in owners.iter_mut().take(n) {
                if let Some(other) = owners.conflict(*owner, &touch, instance) {
                    let (first, second) = ((*other).clone(), (**instance).clone());
                    let element = self.named(&touch.cell);
                    return Err(Error::Race { element, first, second });
                }
            }
        }
        self.ran.push((**instance).clone());
        Ok(())
    }

    /// Notes that an element of a buffer is written, or finds out whether it was, where it is read.
    fn fill(&mut self, touch: &Touch, copy: Option<&Held>, instance: &Instance) -> Result<()> {
        let declared = copy.and_then(|copy| copy.declared.clone());
        if touch.is_write {
            self.written.insert(touch.cell.clone(), declared);
        } else if self.written.get(&touch.cell) != Some(&declared) {
            let (element, instance) = (self.named(&touch.cell), instance.clone());
            return Err(Error::Unwritten { element, instance });
        }
        Ok(())
    }

    /// An element in words.
    fn named(&self, cell: &Cell) -> String {
        element_text(&self.code.scop.arrays()[cell.array].name, &cell.at)
    }
}

/// Who touches which elements: threads between two barriers, or blocks of a launch.
#[derive(Default)]
struct Owners {
    of: HashMap<Cell, Owned>,
}

/// Who writes an element, and two of those who read it.
#[derive(Default)]
struct Owned {
    written: Option<(usize, Rc<Instance>)>,
    read: [Option<(usize, Rc<Instance>)>; 2],
}

impl Owners {
    /// Notes that one touches an element; the instance of another one by which that is a race, if any.
    fn conflict(
        &mut self,
        owner: usize,
        touch: &Touch,
        instance: &Rc<Instance>,
    ) -> Option<Rc<Instance>> {
        let owned = self.of.entry(touch.cell.clone()).or_default();
        let read = owned.read.iter().filter(|_| touch.is_write).flatten();
        let other = owned.written.iter().chain(read).find(|(other, _)| *other != owner);
        if let Some((_, other)) = other {
            return Some(Rc::clone(other));
        }
        let own = Some((owner, Rc::clone(instance)));
        match &mut owned.read {
            _ if touch.is_write => owned.written = own,
            [first @ None, _] => *first = own,
            [Some((reader, _)), second] if *reader != owner => *second = own,
            _ => {}
        }
        None
    }
}

/// What a thread runs from one barrier to the next.
type Part = Vec<(Rc<Instance>, Buffers)>;

/// The barriers that a thread comes to, and what it runs before, between and after them.
fn between_barriers(events: Vec<Event>) -> (Vec<(usize, Vec<i64>)>, Vec<Part>) {
    let (mut places, mut parts) = (Vec::new(), vec![Vec::new()]);
    for event in events {
        match event {
            Event::Wait(place, path) => {
                places.push((place, path));
                parts.push(Vec::new());
            }
            Event::Run(instance, buffers) => {
                if let Some(part) = parts.last_mut() {
                    part.push((instance, buffers));
                }
            }
        }
    }
    (places, parts)
}

/// All positions below these numbers along three axes.
fn all_below([x, y, z]: [usize; 3]) -> Vec<[usize; 3]> {
    let along = |z| (0..y).flat_map(move |y| (0..x).map(move |x| [x, y, z]));
    (0..z).flat_map(along).collect()
}
