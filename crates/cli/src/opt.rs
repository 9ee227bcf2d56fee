//! `farkas opt`.

use crate::Status;
use crate::args::{HostCode, OptArgs, OutputFormat};
use crate::bench::progress;
use crate::convert::{bad, read_options};
use crate::formats::{Task, read_task};
use crate::messages::{Messages, folders_exist, note};
use crate::project::chosen;
use crate::regions::{failure, select};
use farkas::constraints::order;
use farkas::loops::{Summary, summary};
use farkas::report::{constraints_report, region_report};
use farkas::{
    Added, Exchange, Input, LeftThere, OnDevice, Optimized, Options, Outcome, PassTimes, Piece,
    Reordered, Session, Stays, WithKernels, affordable, blas_header, check_output, each_region,
    endless, keep_on_device, kernels_of, launches, left_there, left_to_callees, no_room, pieces,
    reorder, splice, write_atomically,
};
use farkas_base::{Diagnostic, SourceFile, Span};
use farkas_codegen::{DeviceRegion, Language, Target, print_kernels};
use farkas_front_isl::Lowered;
use farkas_scop::Region;
use farkas_tree::ScheduleTree;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

/// Reads, transforms every region, writes; nothing is written when anything is refused.
pub(crate) fn run(args: &OptArgs, messages: &Messages) -> Status {
    let choice = chosen(&args.transform, args.deps.deps, args.input.as_deref());
    let (mut choice, project) = match choice {
        Ok(found) => found,
        Err(stop) => return messages.stop(stop),
    };
    if let Some(project) = project.filter(|_| args.report) {
        note(&project);
    }
    match args.to {
        // A document has notes, and a tree marks, on the loops that OpenMP would have pragmas for.
        Some(OutputFormat::Openmp | OutputFormat::Openscop | OutputFormat::Isl) => {
            choice.target = Target::OpenMp;
        }
        Some(OutputFormat::C) => choice.target = Target::C,
        None => {}
    }
    if let (Some(output), Some(input)) = (&args.output, &args.input)
        && is_same_file(output, input)
    {
        let message =
            "the output is the input file, which is never changed: name another one with -o";
        return messages.misuse(&bad(message.into()));
    }
    if let Err(stop) = folders_exist(&[&args.output, &args.kernels]) {
        return messages.stop(stop);
    }
    if args.kernels.is_some() && !matches!(choice.target, Target::Device(_)) {
        return messages.misuse(&bad("--kernels goes with --target cuda or opencl".into()));
    }
    if args.host == HostCode::None && args.kernels.is_none() {
        let message = "--host none goes with --kernels: nothing else would have the kernels";
        return messages.misuse(&bad(message.into()));
    }
    let task = match read_task(args, &choice.grants, messages) {
        Ok(task) => task,
        Err(stop) => return messages.stop(stop),
    };
    if let Err(diagnostic) = check_region(args, &task) {
        return messages.misuse(&diagnostic);
    }
    if choice.blas && !matches!(task, Task::Code { .. }) {
        return messages.misuse(&bad("--blas is for C: other outputs have no calls".into()));
    }
    let choice = choice.of_file(task.source());
    let mut kernels = None;
    let text = match task {
        Task::Code { input, is_bare } => {
            code(args, &input, is_bare, (&choice, &mut kernels), messages)
        }
        Task::Document { input, document: exchange } => {
            document(args, &input, exchange, &choice, messages)
        }
        Task::Trees { input } => trees(args, &input, &choice, messages),
        Task::Constraints { source, lowered } => {
            constraints(args, &source, &lowered, &choice, messages)
        }
    };
    let text = match text {
        Ok(text) => text,
        Err(diagnostics) => return messages.refuse_all(&diagnostics),
    };
    if let (Some(path), Some(text)) = (&args.kernels, &kernels) {
        let status = messages.written(write_atomically(path, text), Some(path));
        if !matches!(status, Status::Success) {
            return status;
        }
    }
    messages.write(&text, args.output.as_deref())
}

/// Checks that `--region` names regions that there are.
fn check_region(args: &OptArgs, task: &Task) -> Result<(), Box<Diagnostic>> {
    match (task, args.region.as_deref()) {
        (_, None) => Ok(()),
        (Task::Code { input, .. }, selector) => select(input, selector).map(|_| ()),
        _ => Err(bad("--region names regions of C files, for code".into())),
    }
}

/// The code in the place of the regions; the text of its kernels, where it starts some.
fn code(
    args: &OptArgs,
    input: &Input,
    is_bare: bool,
    (choice, text_of_kernels): (&Options, &mut Option<String>),
    messages: &Messages,
) -> Result<String, Vec<Diagnostic>> {
    if is_bare
        && let Some(diagnostic) = endless(input).map_err(|error| vec![error.to_diagnostic()])?
    {
        return Err(vec![diagnostic]);
    }
    let chosen = select(input, args.region.as_deref()).map_err(|diagnostic| vec![*diagnostic])?;
    let chosen: Vec<Span> = chosen.into_iter().map(|region| region.span).collect();
    let bar = progress(input.regions.len(), "{bar:20} {pos}/{len} regions");
    let (source, reading) = (&input.source, input.reading.as_ref());
    let done = each_region(input, choice, jobs(args), |region, choice| {
        if !chosen.contains(&region.span) {
            return Vec::new();
        }
        let pieces = pieces(reading, region, choice).into_iter();
        let done = pieces.map(|piece| transformed(args, source, piece, is_bare)).collect();
        bar.inc(1);
        done
    });
    bar.finish_and_clear();
    let done: Vec<Result<Transformed, Vec<Diagnostic>>> =
        done.into_iter().flat_map(Vec::into_iter).collect();
    let mut replacements: Vec<(Span, String)> = Vec::new();
    let mut summaries = Vec::new();
    let mut done: Vec<Transformed> = done.into_iter().collect::<Result<_, _>>()?;
    let room = if is_bare { f64::INFINITY } else { choice.clone().of_file(source).room() };
    leave_to_callees(&mut done);
    let left_out = within_growth(&mut done, room);
    if matches!(choice.target, Target::Device(_)) && args.host == HostCode::C {
        replacements.extend(keep(input, &mut done));
    }
    for done in &done {
        if done.replaced.is_some() {
            messages.tell_dropped(input, done.span);
        }
        messages.tell_session(&done.name, &done.session);
        done.notes.iter().for_each(|text| note(text));
        replacements.extend(done.replaced.clone().map(|code| (done.span, code)));
        let (name, summary) = (done.name.clone(), done.summary.clone());
        summaries.push(Summary { name, span: done.span, done: summary });
    }
    if args.report {
        messages.tell_loops(input, &summaries);
    } else {
        let summary = summary(input.loops());
        summary.iter().for_each(|summary| messages.tell(summary));
        let warning = no_room(source, &left_out, choice.growth);
        warning.iter().for_each(|warning| messages.tell(warning));
    }
    if is_bare {
        return Ok(replacements.into_iter().map(|(_, code)| code).collect());
    }
    replacements.extend(blas_header(&input.source, &replacements));
    if let Target::Device(language) = choice.target {
        let kernels: Vec<DeviceRegion> =
            done.iter().filter_map(|done| done.device.clone()).collect();
        *text_of_kernels = Some(print_kernels(language, &kernels));
        if args.host == HostCode::None {
            let left = left_there(input, &with_kernels(&mut done));
            return launches_of(source, language, (&done, &left));
        }
        replacements.extend(kernels_of(&input.source, language, &kernels));
    }
    let text = splice(&input.source, &replacements);
    if let Some(path) = &args.input {
        check_output(path, input.source.text(), &text, &read_options(&args.read, &choice.grants))
            .map_err(|error| vec![*error])?;
    }
    Ok(text)
}

/// Lets arrays stay on the device between regions; what is written there.
fn keep(input: &Input, done: &mut [Transformed]) -> Vec<(Span, String)> {
    let between = keep_on_device(input, &mut with_kernels(done));
    for done in done.iter_mut().filter(|done| done.replaced.is_some()) {
        done.replaced = done.device.as_ref().map(|d| d.text.clone()).or(done.replaced.take());
    }
    between
}

/// The regions that start kernels.
fn with_kernels(done: &mut [Transformed]) -> Vec<WithKernels<'_>> {
    let started = done.iter_mut().filter(|done| done.replaced.is_some());
    let with = started.filter_map(|Transformed { name, span, device, .. }| {
        Some(WithKernels { name, span: *span, device: device.as_mut()? })
    });
    with.collect()
}

/// What a host has to do for the regions, as JSON.
fn launches_of(
    source: &SourceFile,
    language: Language,
    (done, left): (&[Transformed], &[LeftThere]),
) -> Result<String, Vec<Diagnostic>> {
    let regions: Vec<OnDevice<'_>> = done
        .iter()
        .map(|done| {
            let told = done.session.diagnostics.last().map(|told| told.message.clone());
            let reason = || told.unwrap_or_else(|| "nothing runs on the device".to_owned());
            let device = done.device.as_ref().ok_or_else(reason);
            OnDevice { name: &done.name, line: source.line(done.span), device }
        })
        .collect();
    launches(language, &regions, left).map_err(|error| vec![*bad(format!("no JSON: {error}"))])
}

/// How many regions are worked on at a time.
fn jobs(args: &OptArgs) -> usize {
    args.jobs
        .map_or_else(|| available_parallelism().map_or(1, NonZeroUsize::get), NonZeroUsize::get)
}

/// What became of a region, as text.
struct Transformed {
    name: String,
    span: Span,
    /// The function that it is in.
    function: String,
    /// Its text.
    original: String,
    /// What was done, in a few words.
    summary: String,
    /// Whether that was chosen among several forms.
    is_chosen: bool,
    /// The code in its place; none where it stays.
    replaced: Option<String>,
    /// The kernels that it starts.
    device: Option<DeviceRegion>,
    /// What that adds to the file's code.
    added: Added,
    session: Session,
    /// What was asked for: the report, the times.
    notes: Vec<String>,
}

impl Transformed {
    /// What became of it, for comparing.
    fn outcome(&self) -> Outcome<'_> {
        let is_new = self.replaced.is_some() && self.is_chosen;
        Outcome {
            function: &self.function,
            text: &self.original,
            form: is_new.then_some(self.summary.as_str()),
        }
    }
}

/// Leaves calls of functions that get the same form.
fn leave_to_callees(done: &mut [Transformed]) {
    let outcomes: Vec<Outcome<'_>> = done.iter().map(Transformed::outcome).collect();
    let left = left_to_callees(&outcomes);
    for (done, is_left) in done.iter_mut().zip(left) {
        if is_left {
            (done.replaced, done.summary) = (None, Stays::InCallee.told().to_owned());
            (done.device, done.added) = (None, Added::default());
            done.notes
                .extend(done.notes.first().map(|_| format!("  {}\n", Stays::InCallee.told())));
        }
    }
}

/// Leaves regions as they are for whose code there is no room in the file; which ones.
fn within_growth(done: &mut [Transformed], room: f64) -> Vec<Span> {
    let added: Vec<Added> = done.iter().map(|done| done.added).collect();
    let mut left_out = Vec::new();
    for (done, fits) in done.iter_mut().zip(affordable(&added, room)) {
        if !fits {
            (done.replaced, done.summary) = (None, Stays::NoRoom.told().to_owned());
            left_out.push(done.span);
        }
    }
    left_out
}

/// What became of a region as text. One that is too large even for its own order stays as it is, unless there is no C around it.
fn transformed(
    args: &OptArgs,
    source: &Arc<SourceFile>,
    piece: Piece,
    is_bare: bool,
) -> Result<Transformed, Vec<Diagnostic>> {
    let (summary, added) = (piece.summary(), piece.added());
    let Piece { region, result, .. } = piece;
    let (name, span) = (region.scop.name().to_owned(), region.span);
    let (function, original) = (region.function.clone(), region.host.original.clone());
    let optimized = match result {
        Err(error) if error.is_spent() && !is_bare => {
            let mut session = Session::default();
            session.warn(format!("{error}; the region stays as it is"));
            return Ok(Transformed {
                name,
                span,
                function,
                original,
                summary,
                is_chosen: false,
                replaced: None,
                device: None,
                added: Added::default(),
                session,
                notes: Vec::new(),
            });
        }
        result => result.map_err(|error| failure(source, &region, &error))?,
    };
    let basis = optimized.basis(&region).clone();
    let (stays, is_chosen) = (optimized.stays.is_some(), optimized.ranking.is_some());
    let Optimized { deps, scheduled, assumptions, remarks, code, device, ranking, session, .. } =
        optimized;
    let mut notes = Vec::new();
    if args.report {
        let basis = (&basis, &deps);
        notes.push(region_report(
            source,
            &region,
            basis,
            scheduled.as_ref(),
            (&assumptions, &remarks),
        ));
        notes.extend(ranking.iter().map(|ranking| match args.verbose {
            true => format!("{ranking:#}"),
            false => ranking.to_string(),
        }));
    }
    notes.extend(args.time_passes.then(|| format!("{name}:\n{}", session.times)));
    let replaced = (is_bare || !stays).then_some(code);
    Ok(Transformed {
        name,
        span,
        function,
        original,
        summary,
        is_chosen,
        replaced,
        device,
        added,
        session,
        notes,
    })
}

/// The document with the new order of the regions.
fn document(
    args: &OptArgs,
    input: &Input,
    mut exchange: Exchange,
    choice: &Options,
    messages: &Messages,
) -> Result<String, Vec<Diagnostic>> {
    for (at, region) in input.regions.iter().enumerate() {
        let tree = reordered(args, input, region, choice, messages)?;
        exchange
            .reschedule(at, &region.scop, &tree)
            .map_err(|error| failure(&input.source, region, &error))?;
    }
    Ok(exchange.document.to_string())
}

/// The new orders of the regions as trees; where there are several, each has its region's name above it.
fn trees(
    args: &OptArgs,
    input: &Input,
    choice: &Options,
    messages: &Messages,
) -> Result<String, Vec<Diagnostic>> {
    let mut text = String::new();
    for region in &input.regions {
        let tree = reordered(args, input, region, choice, messages)?;
        if input.regions.len() > 1 {
            text.push_str(&format!("# {}\n", region.scop.name()));
        }
        text.push_str(&format!("{tree}\n"));
    }
    Ok(text)
}

/// The new, verified order of a region.
fn reordered(
    args: &OptArgs,
    input: &Input,
    region: &Region,
    choice: &Options,
    messages: &Messages,
) -> Result<ScheduleTree, Vec<Diagnostic>> {
    let Reordered { deps, scheduled, tree, remarks, session } =
        reorder(&region.scop, &choice.for_region(region))
            .map_err(|error| failure(&input.source, region, &error))?;
    messages.tell_session(region.scop.name(), &session);
    if args.report {
        let basis = (&region.scop, &deps);
        note(&region_report(&input.source, region, basis, scheduled.as_ref(), (&[], &remarks)));
    }
    tell_times(args, region.scop.name(), &session.times);
    Ok(tree)
}

/// The order of schedule constraints as a tree.
fn constraints(
    args: &OptArgs,
    source: &Arc<SourceFile>,
    lowered: &Lowered,
    choice: &Options,
    messages: &Messages,
) -> Result<String, Vec<Diagnostic>> {
    let Lowered { scop, constraints, .. } = lowered;
    let ordered = order(scop, constraints, choice).map_err(|error| match error {
        farkas::Error::Refused(diagnostics) => diagnostics,
        other => {
            let whole = Span::new(0..source.text().trim_end().len());
            vec![other.to_diagnostic().at(source, whole, "these constraints")]
        }
    })?;
    messages.tell_session(scop.name(), &ordered.session);
    if args.report {
        note(&constraints_report(scop, constraints, ordered.scheduled.as_ref()));
    }
    tell_times(args, scop.name(), &ordered.session.times);
    Ok(format!("{}\n", ordered.tree))
}

/// How long it took, where asked for.
fn tell_times(args: &OptArgs, name: &str, times: &PassTimes) {
    if args.time_passes {
        note(&format!("{name}:\n{times}"));
    }
}

/// Whether both paths name the same existing file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
