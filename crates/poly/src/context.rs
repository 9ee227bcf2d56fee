//! The one isl context of each thread.

use crate::Error;
use farkas_isl_sys as sys;
use std::ffi::CStr;
use std::ptr::NonNull;
use std::rc::Rc;

/// Owner of an isl context; freed when the last object of the thread is gone.
pub(crate) struct Context {
    ptr: NonNull<sys::isl_ctx>,
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: `ptr` is a live context and every object that used it held an `Rc` to `self`.
        unsafe { sys::isl_ctx_free(self.ptr.as_ptr()) }
    }
}

thread_local! {
    static CONTEXT: Rc<Context> = Rc::new(Context::new());
}

impl Context {
    /// A context that reports errors to the caller instead of printing or aborting.
    fn new() -> Self {
        // SAFETY: plain allocation; the options calls take a live context.
        unsafe {
            let ptr = sys::isl_ctx_alloc();
            let Some(ptr) = NonNull::new(ptr) else {
                std::alloc::handle_alloc_error(std::alloc::Layout::new::<u8>())
            };
            sys::isl_options_set_on_error(ptr.as_ptr(), sys::ISL_ON_ERROR_CONTINUE);
            Self { ptr }
        }
    }

    /// The context of this thread.
    pub(crate) fn current() -> Rc<Self> {
        CONTEXT.with(Rc::clone)
    }

    /// The raw context.
    pub(crate) fn as_ptr(&self) -> *mut sys::isl_ctx {
        self.ptr.as_ptr()
    }

    /// The error that isl recorded last, which is then cleared.
    pub(crate) fn take_error(&self) -> Error {
        // SAFETY: the strings belong to the context and are copied before it is touched again.
        unsafe {
            let kind = sys::isl_ctx_last_error(self.as_ptr());
            let message = text(sys::isl_ctx_last_error_msg(self.as_ptr()));
            let file = text(sys::isl_ctx_last_error_file(self.as_ptr()));
            let line = sys::isl_ctx_last_error_line(self.as_ptr());
            // What fails because the quota is used up can report something else on its way, such as a syntax error.
            let is_used_up = sys::isl_ctx_next_operation(self.as_ptr()) < 0;
            sys::isl_ctx_reset_error(self.as_ptr());
            if kind == sys::ISL_ERROR_QUOTA || is_used_up {
                return Error::OutOfBudget;
            }
            Error::Isl { message, place: format!("{file}:{line}") }
        }
    }
}

/// A copy of a C string that may be null.
unsafe fn text(ptr: *const std::ffi::c_char) -> String {
    if ptr.is_null() {
        return String::from("unknown error");
    }
    // SAFETY: isl hands out NUL-terminated strings.
    unsafe { CStr::from_ptr(ptr) }.to_string_lossy().into_owned()
}

/// Runs `work` with at most `max_operations` isl operations.
///
/// isl keeps one counter: a nested budget replaces the outer one while it runs, and the outer counts afresh after it.
///
/// # Errors
/// [`Error::OutOfBudget`] when the limit was reached, else whatever `work` returns.
pub fn with_budget<T, E>(
    max_operations: u64,
    work: impl FnOnce() -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    let context = Context::current();
    let ctx = context.as_ptr();
    // SAFETY: `ctx` is live; these calls only set counters.
    let outer = unsafe {
        let outer = sys::isl_ctx_get_max_operations(ctx);
        sys::isl_ctx_set_max_operations(ctx, max_operations);
        sys::isl_ctx_reset_operations(ctx);
        outer
    };
    let result = work();
    // SAFETY: as above.
    unsafe {
        sys::isl_ctx_set_max_operations(ctx, outer);
        sys::isl_ctx_reset_operations(ctx);
        sys::isl_ctx_reset_error(ctx);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Set;

    #[test]
    fn a_text_read_without_budget_is_no_syntax_error() {
        let read = || "{ separate[0] }".parse::<crate::UnionSet>();
        assert!(read().is_ok());
        for budget in 1..20 {
            let read = with_budget(budget, read);
            assert!(matches!(read, Ok(_) | Err(Error::OutOfBudget)), "{read:?} within {budget}");
        }
        assert!(matches!("{ [i] : i = }".parse::<Set>(), Err(Error::Parse { .. })));
    }
}
