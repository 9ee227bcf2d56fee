//! The code of a form, and everything else that came of a region.

use crate::conditions;
use crate::form::Form;
use crate::growth::Added;
use crate::one_thread;
use crate::privatise;
use crate::prove::verify;
use crate::ranking::Ranking;
use crate::refusal::dropped;
use crate::words::{ROUNDED, is_rounded};
use crate::{Error, Options, Session, vector_loops};
use farkas_astgen::{Ast, Work};
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_codegen::{Condition, Device, DeviceRegion, First, Places, Target};
use farkas_deps::Dependences;
use farkas_deps::carried::coincidence;
use farkas_schedule::Scheduled;
use farkas_scop::{
    Array, ArrayId, ArrayScope, Assumption, Expr, Leaves, Outcome, OuterIterator, PRIMARY, Region,
    Scop, print_expr,
};
use farkas_steps::limits;
use farkas_transform::{Error as TransformError, Remark};
use farkas_tree::{NoThreads, Program, ScheduleTree};
use std::collections::BTreeMap;

/// A region and everything that was made of it.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// The dependences of the original program.
    pub deps: Dependences,
    /// What the scheduler returned; none where it was not asked: the original order, or isl's own scheduler.
    pub scheduled: Option<Scheduled>,
    /// The statements that are emitted: those of the region, where operands are packed with buffers and what fills them.
    pub scop: Scop,
    /// The order that is emitted; it went through the legality check.
    pub tree: ScheduleTree,
    /// The statement of the region, by name, for each whose instances were split off it.
    pub origins: BTreeMap<String, String>,
    /// The buffers that have the values of temporaries, as [`Program::in_cells`].
    pub in_cells: BTreeMap<String, String>,
    /// The scop that this was made from where values live elsewhere than in the region's; it was proved to compute the same.
    pub storage: Option<Scop>,
    /// Why none of the loops runs on threads, where that was decided of all of them at once.
    pub no_threads: Option<NoThreads>,
    /// The loops of it.
    pub ast: Ast,
    /// The code, in the place of the region.
    pub code: String,
    /// Its kernels, where the code starts some.
    pub device: Option<DeviceRegion>,
    /// Why the region's text may stay, if so: the loops are its own, in its order and without marks.
    pub stays: Option<Stays>,
    /// What it adds to the file's code where strategy `auto` chose it.
    pub added: Added,
    /// What it takes for granted beside what the region's scop does.
    pub assumptions: Vec<Assumption>,
    /// What was done and why.
    pub remarks: Vec<Remark>,
    /// The forms between which strategy `auto` chose.
    pub ranking: Option<Ranking>,
    /// The options of the form that was emitted, of which strategy `auto` tries many.
    pub options: Box<Options>,
    /// What it took, and what there is to tell.
    pub session: Session,
}

/// Why a region stays as it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stays {
    /// Of the forms that were compared none is much faster.
    NoneIsFaster,
    /// The region's share of the work was used up before there was another form.
    OutOfWork,
    /// What it does cannot be done on the device.
    NotForDevice,
    /// Other regions of the file gain more for the code that they add.
    NoRoom,
    /// It is a call of a function whose loops get the same form.
    InCallee,
}

impl Stays {
    /// What is told of it.
    pub fn told(self) -> &'static str {
        match self {
            Self::NoneIsFaster => "stays as it is: no other form is faster",
            Self::OutOfWork => "stays as it is: its share of the work was used up",
            Self::NotForDevice => "stays on the host",
            Self::InCallee => "stays a call: the function's own loops have the same form",
            Self::NoRoom => {
                "stays as it is: the file's code would become too large, and other regions gain more by it (--growth)"
            }
        }
    }
}

impl Optimized {
    /// The scop whose statements the scheduler ordered and whose dependences these are: the region's, or the one with other storage.
    pub fn basis<'a>(&'a self, region: &'a Region) -> &'a Scop {
        self.storage.as_ref().unwrap_or(&region.scop)
    }

    /// The code in the region's place; nothing where its text may stay.
    pub fn replacement(&self) -> Option<&str> {
        self.stays.is_none().then_some(&*self.code)
    }

    /// What was done to the region, in a few words: the form that was chosen, where several were compared.
    pub fn summary(&self) -> String {
        let left_out = self.ranking.as_ref().is_some_and(Ranking::is_cut_short);
        match self.stays {
            Some(Stays::NoneIsFaster) if left_out => {
                return "stays as it is: no form is faster of those that there was work for"
                    .to_owned();
            }
            Some(Stays::NoneIsFaster) if self.waits_for_rounding() => {
                return format!("stays as it is: {ROUNDED}");
            }
            Some(stays) => return stays.told().to_owned(),
            None => {}
        }
        let Some(ranking) = &self.ranking else {
            return self.scheduled.as_ref().map_or("its own order", |_| "a new order").to_owned();
        };
        let chosen = ranking.forms.iter().find(|form| form.is_chosen);
        let mut text = chosen.map_or("the original", |form| &form.name).to_owned();
        let is_small = !ranking.original_up_to.is_empty() || !ranking.works.is_empty();
        let others = [(is_small, "for small sizes"), (ranking.needs_threads, "on one thread")];
        let others: Vec<&str> = others.iter().filter(|(has, _)| *has).map(|(_, w)| *w).collect();
        if !others.is_empty() {
            text.push_str(&format!(", {} the original", others.join(" or ")));
        }
        text
    }

    /// Whether all of its loops carry dependences, and nothing but floating-point updates.
    fn waits_for_rounding(&self) -> bool {
        let deps = &self.deps.deps;
        let is_own = self.storage.is_none() && !deps.is_empty();
        is_own
            && deps.iter().all(|dep| is_rounded(&self.scop, dep))
            && coincidence(&self.deps, &self.tree)
                .is_ok_and(|loops| loops.iter().all(|report| !report.is_coincident()))
    }

    /// The program that is emitted.
    pub fn program(&self) -> Program {
        let (scop, tree) = (self.scop.clone(), self.tree.clone());
        let (origins, in_cells) = (self.origins.clone(), self.in_cells.clone());
        Program { scop, tree, origins, in_cells, no_threads: self.no_threads.clone() }
    }
}

/// Where the original runs in the place of a form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Small {
    /// Sizes of parameters, by name: where none is larger; if there are such.
    pub(crate) up_to: Vec<(String, i64)>,
    /// Sizes of parameters, by name: where one of them is no larger.
    pub(crate) each: Vec<(String, i64)>,
    /// Where there is nothing of this work, if there is such.
    pub(crate) works: Vec<Work>,
    /// Whether the loops run only where there are several threads.
    pub(crate) needs_threads: bool,
    /// What runs where the original would, and asks for less than the form; the original where there is nothing.
    pub(crate) instead: Option<String>,
}

/// The loops, and the tree with all members marked parallel whose iterations threads share: that these may is proved here, since
/// the tree marks the outermost alone. Where it cannot be proved, threads share that one.
fn proved_to_share(
    (scop, program): (&Scop, &Program),
    ast: Ast,
    session: &mut Session,
) -> Result<(Ast, ScheduleTree), Error> {
    let members = ast.shared_members();
    if members.is_empty() {
        return Ok((ast, program.tree.clone()));
    }
    let tree = program.tree.with_parallel(&members).map_err(TransformError::from)?;
    let shared = Program { tree, ..program.clone() };
    match verify(scop, &shared, session) {
        Ok(()) => return Ok((ast, shared.tree)),
        Err(error) if error.is_bug() => {
            session.bug(&error, "threads share outer loops alone");
        }
        Err(error) if error.has_simpler_form() => {
            session.warn(format!("{error}; threads share outer loops alone"));
        }
        Err(error) => return Err(error),
    }
    Ok((ast.shared_alone(), program.tree.clone()))
}

/// The code of a form that was proved; its first comment names the strategy. What is small is left to the original.
///
/// # Errors
/// When isl refuses.
pub(crate) fn printed(
    region: &Region,
    form: Form,
    strategy: &str,
    (options, small): (&Options, Small),
    session: &mut Session,
) -> Result<Optimized, Error> {
    let Form { basis, scheduled, program, remarks: shaped, ast } = form;
    let missing = vector_loops::missing(&basis.scop, &program, scheduled.as_ref(), options)?;
    let (ast, on_threads) = proved_to_share((&basis.scop, &program), ast, session)?;
    let Program { scop, tree, origins, in_cells, no_threads } = program;
    let ast = session.run("astgen", || ast.padded(&scop).with_rows(&scop, &tree))?;
    let mut remarks = basis.remarks.clone();
    remarks.extend(shaped);
    remarks.extend(privatise::told(&scop, &ast));
    remarks.extend(one_thread::told(&basis.scop, no_threads.as_ref()));
    let storage = basis.is_expanded().then(|| basis.scop.clone());
    // Buffers in the place of expanded arrays are as large as these are for some parameters.
    let is_limited = scop.context() != basis.scop.context();
    let limits = if is_limited { limits(&basis.scop)? } else { Vec::new() };
    let guards = session
        .run("guards", || conditions::guards(region, &scop, (&on_threads, &ast), options))?;
    let sizes = session.run("print", || farkas_codegen::largest_sizes(&scop, &ast));
    let limits = limits.iter().map(|(name, most)| format!("{name} <= {most}"));
    let fits = sizes.iter().flat_map(|sizes| sizes.conditions.clone());
    let Small { up_to, each, works, needs_threads, instead } = small;
    let is_large = (!up_to.is_empty()).then(|| conditions::is_large(&up_to));
    let each = each.iter().map(|size| conditions::is_large(std::slice::from_ref(size)));
    let limits = is_large.into_iter().chain(each).chain(limits).chain(fits).collect();
    let otherwise = instead.unwrap_or_else(|| conditions::otherwise(region));
    let memory = conditions::memory(region, (&scop, &ast), &basis.own, options.memory);
    let tested = memory.as_ref().filter(|assumption| assumption.outcome == Outcome::Tested);
    let tested = tested.map(|_| (options.memory, basis.own.clone()));
    let assumptions: Vec<Assumption> = memory.into_iter().collect();
    let most = sizes.map(|sizes| sizes.most);
    let condition =
        Condition { guards, limits, works, needs_threads, memory: tested, most, otherwise };
    let mut needed = conditions::needed(region, options);
    needed.extend(&assumptions);
    let comments = headlines(region, strategy, &needed);
    let mut diagnostics = dropped(scheduled.as_ref(), &basis.scop, &basis.deps, options);
    let printed =
        session.run("print", || print(region, &scop, &ast, (comments, condition), options))?;
    let (code, device, stays) = match printed {
        Printed::Code(code) => (code, None, None),
        Printed::Device(device) => (device.text.clone(), Some(*device), None),
        Printed::NotForDevice(reason) => {
            let message = format!("{} stays on the host: {reason}", region.scop.name());
            let warning = Diagnostic::new(DiagnosticId::NotForDevice, message);
            let at = options.source.as_ref();
            diagnostics.push(match at {
                Some(source) => warning.at(source, region.span, "this region"),
                None => warning,
            });
            (region.host.original.clone(), None, Some(Stays::NotForDevice))
        }
    };
    diagnostics.extend(missing);
    Ok(Optimized {
        deps: basis.deps.clone(),
        scheduled,
        scop,
        tree,
        origins,
        in_cells,
        storage,
        no_threads,
        ast,
        code,
        device,
        stays,
        added: Added::default(),
        assumptions,
        remarks,
        ranking: None,
        options: Box::new(options.clone()),
        session: Session { diagnostics, ..Session::default() },
    })
}

/// The first lines of the first nest's comment: what was done, and what is taken for granted.
fn headlines(region: &Region, strategy: &str, needed: &[&Assumption]) -> Vec<String> {
    let n = region.scop.stmts().len();
    let mut lines =
        vec![format!("strategy {strategy}, {n} statement{}", if n == 1 { "" } else { "s" })];
    lines.extend(conditions::told(needed));
    let untested = region.host.macro_guards.iter().filter(|g| g.testable.is_none());
    lines.extend(untested.map(|g| format!("holds for {} = {} alone.", g.name, g.value)));
    lines
}
/// What came of printing a region.
enum Printed {
    /// C.
    Code(String),
    /// C that starts kernels.
    Device(Box<DeviceRegion>),
    /// Nothing, and why.
    NotForDevice(String),
}

/// The C text of the loops, with what the rest of the function still needs of the user's iterators.
fn print(
    region: &Region,
    scop: &Scop,
    ast: &Ast,
    (headlines, condition): (Vec<String>, Condition),
    options: &Options,
) -> Result<Printed, Error> {
    let guards = region.host.macro_guards.iter().filter_map(|g| {
        Some(farkas_codegen::MacroGuard { name: g.name.clone(), value: g.testable?.to_string() })
    });
    let mut comments = vec![Vec::new(); ast.body.len()];
    if let Some(first) = comments.first_mut() {
        *first = headlines;
    }
    let unused = region
        .host
        .outer_iterators
        .iter()
        .filter(|i| !i.is_used_elsewhere && i.final_value.is_none());
    let choice = farkas_codegen::Options {
        target: options.target,
        margin: region.host.indent.clone(),
        nest_comments: comments,
        macro_guards: guards.collect(),
        first: first(region, scop)?,
        condition,
        reserved: region.host.reserved_names.clone(),
        stack_bytes: options.machine.stack_bytes,
        unused: unused
            .map(|i| &i.name)
            .chain(&region.host.dropped)
            .cloned()
            .chain(replaced(&region.scop, scop))
            .collect(),
        kept: region
            .host
            .kept
            .iter()
            .chain(region.host.taken.iter().map(|taken| &taken.name))
            .cloned()
            .collect(),
        last: region.host.outer_iterators.iter().filter_map(|i| final_value(region, i)).collect(),
        is_marked: options.marks,
        places: options.source.clone().filter(|_| options.keeps_lines).map(|source| {
            let first = source.line(region.span);
            Places { source, first }
        }),
        ..farkas_codegen::Options::default()
    };
    if let Target::Device(language) = options.target {
        let shapes = farkas_astgen::shapes(scop)?;
        let prefix = kernel_name(region.scop.name());
        let device = Device { language, shapes: &shapes, prefix: &prefix };
        return Ok(match farkas_codegen::print_device(scop, ast, &choice, device) {
            Ok(printed) => Printed::Device(Box::new(printed)),
            Err(reason) => Printed::NotForDevice(reason),
        });
    }
    let text = farkas_codegen::print_region(scop, ast, &choice);
    if region.host.needs_braces {
        let margin = &region.host.indent;
        return Ok(Printed::Code(format!("{margin}{{\n{text}{margin}}}\n")));
    }
    Ok(Printed::Code(text))
}

/// What the names of a region's kernels begin with.
fn kernel_name(region: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let plain: String = region.chars().map(|c| if is_part(c) { c } else { '_' }).collect();
    format!("farkas_{plain}")
}

/// What is computed before the region.
fn first(region: &Region, scop: &Scop) -> Result<Vec<First>, Error> {
    let is_used = |name: &str| {
        scop.params().iter().any(|param| param.name == name)
            || scop.arrays().iter().any(|array| array.source_name == name)
    };
    let used = region.host.taken.iter().filter(|taken| is_used(&taken.name));
    let first = used.map(|taken| {
        let condition = |set| farkas_astgen::condition(&region.scop, set);
        let when = taken.within.as_ref().map(condition).transpose()?;
        let when = when.filter(|cond| cond.as_bool() != Some(true));
        let declaration = format!("{}{}", taken.ty, taken.name);
        Ok(First { declaration, value: taken.home.clone(), when })
    });
    first.collect()
}

/// The local variables of a region that other arrays stand for everywhere.
fn replaced(region: &Scop, scop: &Scop) -> Vec<String> {
    let uses = |scop: &Scop, array: ArrayId| {
        scop.stmts().iter().any(|stmt| stmt.accesses.iter().any(|access| access.array == array))
    };
    let arrays = region.arrays().iter_enumerated();
    let is_variable = |array: &Array| !array.source_name.contains(['.', '[']);
    let local = arrays.filter(|(_, a)| a.scope == ArrayScope::Local && is_variable(a));
    let replaced = local.filter(|(id, _)| uses(region, *id) && !uses(scop, *id));
    replaced.map(|(_, array)| array.source_name.clone()).collect()
}

/// The statement that gives an iterator of the user's the value that it has after the region, where that is read.
fn final_value(region: &Region, iterator: &OuterIterator) -> Option<String> {
    let value = print_expr(iterator.final_value.as_ref()?, &ParamLeaves(&region.scop));
    Some(format!("{} = {value};", iterator.name))
}

/// Leaves of expressions over the parameters alone.
struct ParamLeaves<'a>(&'a Scop);

impl Leaves for ParamLeaves<'_> {
    fn leaf(&self, leaf: &Expr) -> (String, u8) {
        let text = match leaf {
            Expr::Param(param) => self.0.params()[*param].name.clone(),
            Expr::Int { text, .. }
            | Expr::Float(text)
            | Expr::Verbatim(text)
            | Expr::Local(text) => text.clone(),
            _ => String::new(),
        };
        (text, PRIMARY)
    }
}
