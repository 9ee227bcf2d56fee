//! Whether what a version printed is what the first version prints.

use crate::{
    Agreement, Difference, Error, Executable, Exit, Failure, Measure, Output, RunOptions,
    Tolerance, compare,
};

/// What a program writes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Standard output.
    Output,
    /// The error stream.
    Errors,
}

/// Where two outputs differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Mismatch {
    /// The stream.
    pub stream: Stream,
    /// The place in it.
    pub difference: Difference,
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.stream == Stream::Errors {
            f.write_str("error stream, ")?;
        }
        self.difference.fmt(f)
    }
}

/// What lines of the error stream begin with that are no output: times, and what OpenMP's libraries say of threads.
const NO_OUTPUT: [&str; 3] = ["time_s ", "libgomp: ", "OMP: "];

/// Compares outputs with the first one of the first version.
pub(crate) struct Judge<'a> {
    first: &'a Executable,
    measure: &'a Measure,
    options: RunOptions,
    reference: Option<Printed>,
}

/// What a program printed, as far as it is compared.
#[derive(Clone)]
struct Printed {
    stdout: String,
    /// Empty where it is not compared: nothing was printed, or something else from run to run.
    stderr: String,
}

impl Printed {
    fn of(output: &Output) -> Self {
        Self { stdout: output.stdout.clone(), stderr: compared_errors(&output.stderr) }
    }

    fn is_empty(&self) -> bool {
        self.stdout.is_empty() && self.stderr.is_empty()
    }

    /// How far `other` agrees with it; none where there is nothing to compare.
    fn agreement(&self, other: &Self, tolerance: Tolerance) -> Result<Option<Agreement>, Mismatch> {
        let in_stream = |stream| move |difference| Mismatch { stream, difference };
        let outputs = compare(&self.stdout, &other.stdout, tolerance);
        let outputs = outputs.map_err(in_stream(Stream::Output))?;
        if self.stderr.is_empty() {
            return Ok((!self.stdout.is_empty()).then_some(outputs));
        }
        let errors = compare(&self.stderr, &other.stderr, tolerance);
        let errors = errors.map_err(in_stream(Stream::Errors))?;
        Ok(Some(outputs.and(errors)))
    }
}

/// An error stream without the lines that are no output.
fn compared_errors(stderr: &str) -> String {
    let is_output = |line: &&str| !NO_OUTPUT.iter().any(|prefix| line.starts_with(prefix));
    stderr.split_inclusive('\n').filter(is_output).collect()
}

impl<'a> Judge<'a> {
    /// A judge who has seen nothing yet.
    pub(crate) fn new(first: &'a Executable, measure: &'a Measure) -> Self {
        Self { first, measure, options: measure.options.clone().bound(), reference: None }
    }

    /// How programs are run.
    pub(crate) fn options(&self) -> &RunOptions {
        &self.options
    }

    /// How far an output agrees with the reference, which the first output becomes; none where there is nothing to compare. The
    /// inner error says what is wrong.
    ///
    /// # Errors
    /// When the first version cannot be started once more.
    pub(crate) fn judge(
        &mut self,
        output: &Output,
        is_first: bool,
    ) -> Result<Result<Option<Agreement>, Failure>, Error> {
        if output.exit != Exit::Code(0) {
            let Output { exit, stderr, .. } = output;
            return Ok(Err(Failure::Ended { exit: *exit, stderr: stderr.clone() }));
        }
        let found = Printed::of(output);
        let Measure { tolerance, allows_no_output, .. } = *self.measure;
        let Some(reference) = &mut self.reference else {
            let is_silent = found.is_empty() && !allows_no_output;
            let agreement = (!found.is_empty()).then_some(Agreement::Equal);
            self.reference = Some(found);
            return Ok(if is_silent { Err(Failure::Silent) } else { Ok(agreement) });
        };
        let differs = match reference.agreement(&found, tolerance) {
            Ok(agreement) => return Ok(Ok(agreement)),
            Err(mismatch) => mismatch,
        };
        let again = match is_first {
            true => found.clone(),
            false => Printed::of(&self.first.run(&self.options)?),
        };
        let varies = match reference.agreement(&again, tolerance) {
            Ok(_) => return Ok(Err(Failure::Differs(differs))),
            Err(mismatch) => mismatch,
        };
        let needs_errors = reference.stdout.is_empty() && !allows_no_output;
        if varies.stream == Stream::Output || needs_errors {
            return Ok(Err(Failure::Varies(varies)));
        }
        reference.stderr.clear();
        Ok(reference.agreement(&found, tolerance).map_err(Failure::Differs))
    }
}
