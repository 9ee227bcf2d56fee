//! The one isl context of each thread.

use crate::Error;
use farkas_isl_sys as sys;
use std::cell::Cell;
use std::ffi::CStr;
use std::ptr::NonNull;
use std::rc::Rc;

/// Owner of an isl context; freed when the last object of the thread is gone.
pub(crate) struct Context {
    ptr: NonNull<sys::isl_ctx>,
    /// What an operation counts in budgets.
    weight: Cell<u64>,
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
            Self { ptr, weight: Cell::new(1) }
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

    /// Lets isl do so many operations from now on; without a number any.
    fn allow(&self, operations: Option<u64>) {
        let ctx = self.as_ptr();
        // SAFETY: `ctx` is live; these calls only set counters.
        unsafe {
            sys::isl_ctx_reset_operations(ctx);
            // To isl, no limit is zero: where nothing is left, the one operation that is allowed is taken here.
            sys::isl_ctx_set_max_operations(ctx, operations.map_or(0, |n| n.max(1)));
            if operations == Some(0) {
                sys::isl_ctx_next_operation(ctx);
            }
            sys::isl_ctx_reset_error(ctx);
        }
    }

    /// Operations that isl may still do; none where there is no limit. Afterwards [`Context::allow`] has to be called.
    ///
    /// isl does not tell how many it did, only whether a limit is reached: the count is found by bisection.
    fn left(&self) -> Option<u64> {
        let ctx = self.as_ptr();
        // SAFETY: `ctx` is live; these calls only read and set counters.
        unsafe {
            let max = sys::isl_ctx_get_max_operations(ctx);
            if max == 0 {
                return None;
            }
            let (mut least, mut most, mut asked) = (0, max, 0);
            while least < most {
                let middle = least + (most - least) / 2;
                // Each question that isl answers with yes is one operation more.
                sys::isl_ctx_set_max_operations(ctx, middle + asked + 1);
                if sys::isl_ctx_next_operation(ctx) < 0 {
                    least = middle + 1;
                } else {
                    most = middle;
                    asked += 1;
                }
            }
            Some(max - least)
        }
    }

    /// Runs `work` without a limit: what cannot say that a budget is used up, as printing.
    pub(crate) fn without_budget<T>(&self, work: impl FnOnce() -> T) -> T {
        let left = self.left();
        self.allow(None);
        let result = work();
        self.allow(left);
        result
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

/// Runs `work` with at most `max_operations` isl operations, or with what an outer budget has left where that is less; what
/// `work` takes counts in the outer budget, too.
///
/// # Errors
/// [`Error::OutOfBudget`] when the limit was reached, else whatever `work` returns.
pub fn with_budget<T, E>(
    max_operations: u64,
    work: impl FnOnce() -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    counted(max_operations, work).0
}

/// [`with_budget`], with the number of isl operations that `work` took, each counted as [`weighted`] says.
pub fn counted<T>(max_operations: u64, work: impl FnOnce() -> T) -> (T, u64) {
    let context = Context::current();
    let weight = context.weight.get();
    let outer = context.left();
    let most = max_operations.div_ceil(weight);
    let limit = outer.map_or(most, |left| left.min(most));
    context.allow(Some(limit));
    let result = work();
    let taken = limit - context.left().unwrap_or(limit).min(limit);
    context.allow(outer.map(|left| left - taken));
    (result, taken.saturating_mul(weight))
}

/// isl operations that budgets around have left, each counted as [`weighted`] says; none where there is no budget.
pub fn left() -> Option<u64> {
    let context = Context::current();
    let left = context.left();
    context.allow(left);
    left.map(|left| left.saturating_mul(context.weight.get()))
}

/// Runs `work`, in whose budgets each isl operation counts as `weight` of them.
///
/// An operation of isl's is an allocation; what happens between two of them, above all the pivots of a tableau, is the more
/// the more dimensions sets have. Budgets that are set outside of `work` count what happens inside as before.
pub fn weighted<T>(weight: u64, work: impl FnOnce() -> T) -> T {
    let context = Context::current();
    let before = context.weight.replace(weight.max(1));
    let result = work();
    context.weight.set(before);
    result
}

/// Counts `operations`, as [`counted`] gives them, in the budgets around, as if isl had done them now: what is found once and
/// used again then takes as much of a budget as what is computed each time.
pub fn spend(operations: u64) {
    let context = Context::current();
    if let Some(left) = context.left() {
        let spent = operations.div_ceil(context.weight.get());
        context.allow(Some(left.saturating_sub(spent)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Set;

    fn operations(n: u64) -> std::result::Result<(), Error> {
        let context = Context::current();
        // SAFETY: the context is live.
        let next = |_| unsafe { sys::isl_ctx_next_operation(context.as_ptr()) } >= 0;
        if (0..n).all(next) { Ok(()) } else { Err(context.take_error()) }
    }

    #[test]
    fn what_is_spent_counts() {
        for (spent, after, enough) in [(60, 39, true), (60, 41, false), (200, 1, false)] {
            let result = with_budget(100, || {
                spend(spent);
                operations(after)
            });
            assert_eq!(result.is_ok(), enough, "{spent} {after}");
        }
        spend(1);
        assert!(operations(10).is_ok());
    }

    #[test]
    fn what_is_left_can_be_asked() {
        assert_eq!(left(), None);
        let found = with_budget(100, || {
            operations(30)?;
            assert_eq!(left(), Some(70));
            assert_eq!(left(), Some(70), "asking takes nothing");
            assert_eq!(weighted(2, left), Some(140));
            operations(70)
        });
        assert!(found.is_ok(), "{found:?}");
    }

    #[test]
    fn budgets_nest() {
        // What is inside counts outside.
        for (inner, after, enough) in [(60, 39, true), (60, 41, false), (0, 99, true)] {
            let found = with_budget(100, || {
                with_budget(80, || operations(inner))?;
                operations(after)
            });
            assert_eq!(found.is_ok(), enough, "{inner} and {after} of 100: {found:?}");
        }
        // What is left outside limits the inside.
        let found = with_budget(100, || {
            operations(50)?;
            with_budget(80, || operations(60))
        });
        assert!(matches!(found, Err(Error::OutOfBudget)), "{found:?}");
        // An inner budget that is used up leaves the rest of the outer one.
        let found = with_budget(100, || {
            assert!(with_budget(40, || operations(41)).is_err());
            operations(55)
        });
        assert!(found.is_ok(), "{found:?}");
        assert!(operations(1000).is_ok());
    }

    #[test]
    fn heavy_operations_use_budgets_up_sooner() {
        for (n, enough) in [(25, true), (26, false)] {
            let found = weighted(4, || with_budget(100, || operations(n)));
            assert_eq!(found.is_ok(), enough, "{n} operations of weight 4: {found:?}");
        }
        assert_eq!(weighted(4, || counted(1000, || operations(7))).1, 28);
        assert_eq!(counted(1000, || operations(7)).1, 7);
    }

    #[test]
    fn what_is_printed_needs_no_budget() {
        let set: Set = "{ A[i] : 0 <= i < 10 }".parse().expect("a set");
        let text = with_budget(0, || {
            let text = set.to_string();
            assert_eq!(left(), Some(0), "what is printed leaves the budget as it was");
            Ok::<_, Error>(text)
        });
        assert_eq!(text, Ok(set.to_string()));
    }

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
