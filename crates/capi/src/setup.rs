//! What a library declares when an instance is made.

use crate::abi;
use crate::callback::{self, Buffer};
use crate::error::{Error, Result};
use crate::facts::Facts;
use crate::read;
use farkas_schedule::{CostChoice, UserVariable};
use farkas_scop::StmtId;
use std::ffi::{c_char, c_int};
use std::num::NonZeroU32;

/// Variables that a library may have.
const MAX_VARIABLES: usize = 64;
/// Elements that a line may have.
const MAX_LINE: u32 = 1 << 30;
/// Links that a library may declare.
const MAX_LINKS: usize = 10_000;

/// What `create` is given.
#[repr(C)]
pub(crate) struct Setup {
    raw: abi::Setup,
    facts: Facts,
    links: Vec<Vec<StmtId>>,
    fault: Option<Error>,
    reason: Option<String>,
}

// SAFETY: `repr(C)`, and `raw` is the first field.
unsafe impl Buffer for Setup {
    type Raw = abi::Setup;

    fn fault(&mut self) -> &mut Option<Error> {
        &mut self.fault
    }

    fn reason(&mut self) -> &mut Option<String> {
        &mut self.reason
    }
}

impl Setup {
    /// A setup in which nothing is declared.
    pub(crate) fn new(facts: Facts) -> Self {
        let raw = abi::Setup {
            size: abi::size_of::<abi::Setup>(),
            abi_version: abi::VERSION,
            add_variable,
            add_link,
            fail: callback::fail::<Self>,
            set_line,
        };
        Self { raw, facts, links: Vec::new(), fault: None, reason: None }
    }

    /// What was declared: what the instance may name, its own variables included, and its links.
    pub(crate) fn declared(self) -> (Facts, Vec<Vec<StmtId>>) {
        (self.facts, self.links)
    }

    /// One more variable.
    fn add_variable(&mut self, name: String, is_signed: bool) -> Result<()> {
        let variables = &mut self.facts.variables;
        if variables.len() == MAX_VARIABLES {
            let found = MAX_VARIABLES + 1;
            return Err(Error::TooMany { what: "variables", found, limit: MAX_VARIABLES });
        }
        if !is_identifier(&name) {
            let expected = "an identifier of C";
            return Err(Error::BadName { what: "a variable", name, expected });
        }
        if CostChoice::NAMED.iter().any(|(other, _)| *other == name) {
            let expected = "one that no cost function has";
            return Err(Error::BadName { what: "a variable", name, expected });
        }
        if variables.iter().any(|other| other.name == name) {
            return Err(Error::Twice { what: "variable", name });
        }
        variables.push(UserVariable { name, is_signed });
        Ok(())
    }

    /// How many elements count as one line.
    fn set_line(&mut self, n_elements: i64) -> Result<()> {
        let unknown = Error::UnknownNumber { what: "the elements of a line", found: n_elements };
        let line = u32::try_from(n_elements).ok().filter(|line| *line <= MAX_LINE);
        self.facts.line = Some(line.and_then(NonZeroU32::new).ok_or(unknown)?);
        Ok(())
    }

    /// One more link.
    fn add_link(&mut self, stmts: Vec<StmtId>) -> Result<()> {
        if self.links.len() == MAX_LINKS {
            let found = MAX_LINKS + 1;
            return Err(Error::TooMany { what: "links", found, limit: MAX_LINKS });
        }
        self.links.push(stmts);
        Ok(())
    }
}

/// Whether `name` is an identifier of C.
fn is_identifier(name: &str) -> bool {
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

/// `add_variable` of a setup.
unsafe extern "C" fn add_variable(
    raw: *mut abi::Setup,
    name: *const c_char,
    is_signed: i32,
) -> c_int {
    // SAFETY: the library passes its setup, and a string or null.
    unsafe {
        callback::run::<Setup>(raw, |setup| {
            let name = read::text("the name of a variable", name)?;
            setup.add_variable(name, is_signed != 0)
        })
    }
}

/// `add_link` of a setup.
unsafe extern "C" fn add_link(raw: *mut abi::Setup, stmts: *const u32, n: usize) -> c_int {
    // SAFETY: the library passes its setup, and a list of statements.
    unsafe {
        callback::run::<Setup>(raw, |setup| {
            let limit = setup.facts.n_stmts();
            let stmts = read::list("statements of a link", stmts, n, limit)?;
            let stmts = setup.facts.stmts(stmts)?;
            setup.add_link(stmts)
        })
    }
}

/// `set_line` of a setup.
unsafe extern "C" fn set_line(raw: *mut abi::Setup, n_elements: i64) -> c_int {
    // SAFETY: the library passes its setup.
    unsafe { callback::run::<Setup>(raw, |setup| setup.set_line(n_elements)) }
}
