//! What the callbacks of setups and plans have in common.

use crate::abi;
use crate::error::{Error, Result};
use crate::read;
use std::ffi::{c_char, c_int};

/// What a callback writes to: a structure that begins with what the library sees.
///
/// # Safety
/// The type is `repr(C)` and its first field is of type `Self::Raw`.
pub(crate) unsafe trait Buffer {
    /// What the library sees.
    type Raw;

    /// The first thing that made no sense.
    fn fault(&mut self) -> &mut Option<Error>;

    /// Where the library's own reason for a failure goes.
    fn reason(&mut self) -> &mut Option<String>;
}

/// Does what a callback is for, unless something made no sense before; notes what makes none.
///
/// # Safety
/// `raw` is null, or the pointer that [`call`] gave to the library, whose function has not returned.
pub(crate) unsafe fn run<B: Buffer>(
    raw: *mut B::Raw,
    work: impl FnOnce(&mut B) -> Result<()>,
) -> c_int {
    if raw.is_null() {
        return abi::REFUSED;
    }
    // SAFETY: the pointer is to the whole buffer, of which `raw` is the first field, and only this thread, which is
    // inside the library's function, has it.
    let buffer = unsafe { &mut *raw.cast::<B>() };
    if buffer.fault().is_some() {
        return abi::REFUSED;
    }
    match work(buffer) {
        Ok(()) => abi::OK,
        Err(error) => {
            *buffer.fault() = Some(error);
            abi::REFUSED
        }
    }
}

/// The callback `fail`, which returns a failure for the library to return.
///
/// # Safety
/// As [`run`]; `text` is null or a string.
pub(crate) unsafe extern "C" fn fail<B: Buffer>(raw: *mut B::Raw, text: *const c_char) -> c_int {
    // SAFETY: the caller's promises.
    unsafe {
        run::<B>(raw, |buffer| {
            *buffer.reason() = read::reason(text);
            Ok(())
        });
    }
    abi::REFUSED
}

/// Lets `function` of the library fill `buffer`.
///
/// # Errors
/// The first thing that made no sense, else the failure that the library reports.
pub(crate) fn call<B: Buffer>(
    function: &'static str,
    buffer: &mut B,
    enter: impl FnOnce(*mut B::Raw) -> c_int,
) -> Result<()> {
    let code = enter(std::ptr::from_mut(buffer).cast());
    if let Some(fault) = buffer.fault().take() {
        return Err(fault);
    }
    let reason = buffer.reason().take();
    if code == abi::OK { Ok(()) } else { Err(Error::Failed { function, code, reason }) }
}
