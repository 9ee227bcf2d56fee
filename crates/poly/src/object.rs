//! The macros and traits that make isl's ownership rules impossible to get wrong.
//!
//! isl marks each pointer argument as taken or kept. A wrapper borrows; `take` operations hand isl a fresh reference of
//! each argument, `keep` operations hand it the pointer itself.

use crate::context::Context;
use crate::{Error, Result};
use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::rc::Rc;

/// A wrapped isl object.
pub(crate) trait Object: Sized {
    /// isl's own type.
    type Raw;
    /// Wraps a reference that isl gave; null means that isl failed.
    fn give(context: &Rc<Context>, raw: *mut Self::Raw) -> Result<Self>;
    /// The pointer, still owned by `self`.
    fn keep(&self) -> *mut Self::Raw;
    /// A fresh reference for isl to take.
    fn take(&self) -> *mut Self::Raw;
    /// The reference of `self` for isl to take.
    fn into_raw(self) -> *mut Self::Raw;
    /// The context that the object lives in.
    fn context(&self) -> &Rc<Context>;
}

/// What an isl function takes as an argument.
pub(crate) trait Argument {
    /// The C type.
    type C;
    /// The value for a function that takes its arguments.
    fn taken(&self) -> Self::C;
    /// The value for a function that keeps its arguments.
    fn kept(&self) -> Self::C;
}

impl<T: Object> Argument for &T {
    type C = *mut T::Raw;
    fn taken(&self) -> Self::C {
        self.take()
    }
    fn kept(&self) -> Self::C {
        self.keep()
    }
}

macro_rules! plain_arguments {
    ($($rust:ty => $c:ty: $convert:expr;)*) => {$(
        impl Argument for $rust {
            type C = $c;
            fn taken(&self) -> $c {
                let convert: fn($rust) -> $c = $convert;
                convert(*self)
            }
            fn kept(&self) -> $c {
                self.taken()
            }
        }
    )*};
}

plain_arguments! {
    u32 => c_uint: |x| x;
    i32 => c_int: |x| x;
    i64 => std::ffi::c_long: |x| x;
    crate::DimType => c_uint: |x| x as c_uint;
}

/// What an isl function returns.
pub(crate) trait Returned: Sized {
    /// The C type.
    type C;
    /// The checked value.
    fn returned(context: &Rc<Context>, value: Self::C) -> Result<Self>;
}

impl<T: Object> Returned for T {
    type C = *mut T::Raw;
    fn returned(context: &Rc<Context>, value: Self::C) -> Result<Self> {
        T::give(context, value)
    }
}

impl Returned for bool {
    type C = c_int;
    fn returned(context: &Rc<Context>, value: c_int) -> Result<Self> {
        if value < 0 { Err(context.take_error()) } else { Ok(value != 0) }
    }
}

impl Returned for u32 {
    type C = c_int;
    fn returned(context: &Rc<Context>, value: c_int) -> Result<Self> {
        Self::try_from(value).map_err(|_| context.take_error())
    }
}

/// A copy of a string that isl owns (`None` for null).
pub(crate) unsafe fn kept_string(ptr: *const c_char) -> Option<String> {
    // SAFETY: isl hands out NUL-terminated strings.
    (!ptr.is_null()).then(|| unsafe { CStr::from_ptr(ptr) }.to_string_lossy().into_owned())
}

/// A string that isl allocated, freed here (`None` for null).
pub(crate) unsafe fn given_string(ptr: *mut c_char) -> Option<String> {
    // SAFETY: as above; the memory came from `malloc`.
    unsafe {
        let text = kept_string(ptr);
        farkas_isl_sys::free(ptr.cast::<c_void>());
        text
    }
}

/// `text` as a C string; interior NULs end it.
pub(crate) fn c_string(text: &str) -> CString {
    let head = text.split('\0').next().unwrap_or("");
    CString::new(head).unwrap_or_default()
}

/// The parse error of `text`, with isl's message.
pub(crate) fn parse_error(context: &Context, text: &str) -> Error {
    match context.take_error() {
        Error::OutOfBudget => Error::OutOfBudget,
        Error::Isl { message, .. } => {
            Error::Parse { text: text.chars().take(120).collect(), message }
        }
        other => other,
    }
}

/// Calls `f` on each element that an isl `foreach` hands out; errors of `f` stop the walk.
pub(crate) struct Visitor<'a, T: Object> {
    pub(crate) context: Rc<Context>,
    pub(crate) visit: &'a mut dyn FnMut(T) -> Result<()>,
    pub(crate) result: Result<()>,
}

impl<'a, T: Object> Visitor<'a, T> {
    /// Runs `walk` with the callback and user pointer that isl expects.
    pub(crate) fn run(
        context: &Rc<Context>,
        visit: &'a mut dyn FnMut(T) -> Result<()>,
        walk: impl FnOnce(unsafe extern "C" fn(*mut T::Raw, *mut c_void) -> c_int, *mut c_void) -> c_int,
    ) -> Result<()> {
        let mut visitor = Self { context: Rc::clone(context), visit, result: Ok(()) };
        let status = walk(Self::call, std::ptr::from_mut(&mut visitor).cast());
        visitor.result?;
        if status < 0 { Err(context.take_error()) } else { Ok(()) }
    }

    unsafe extern "C" fn call(raw: *mut T::Raw, user: *mut c_void) -> c_int {
        // SAFETY: `user` is the visitor that `run` passed, alive for the whole walk.
        let visitor = unsafe { &mut *user.cast::<Self>() };
        let step = T::give(&visitor.context, raw).and_then(|item| (visitor.visit)(item));
        match step {
            Ok(()) => 0,
            Err(error) => {
                visitor.result = Err(error);
                -1
            }
        }
    }
}

/// Defines the wrapper of one isl type: ownership, and a text form where `text` is given.
macro_rules! isl_object {
    ($(#[$doc:meta])* $name:ident, $raw:ident, $copy:ident, $free:ident) => {
        $(#[$doc])*
        pub struct $name {
            raw: std::ptr::NonNull<farkas_isl_sys::$raw>,
            context: std::rc::Rc<crate::context::Context>,
        }

        impl crate::object::Object for $name {
            type Raw = farkas_isl_sys::$raw;
            fn give(context: &std::rc::Rc<crate::context::Context>, raw: *mut Self::Raw) -> crate::Result<Self> {
                match std::ptr::NonNull::new(raw) {
                    Some(raw) => Ok(Self { raw, context: std::rc::Rc::clone(context) }),
                    None => Err(context.take_error()),
                }
            }
            fn keep(&self) -> *mut Self::Raw {
                self.raw.as_ptr()
            }
            fn take(&self) -> *mut Self::Raw {
                // SAFETY: `raw` is live; copying counts a reference.
                unsafe { farkas_isl_sys::$copy(self.raw.as_ptr()) }
            }
            fn into_raw(self) -> *mut Self::Raw {
                let this = std::mem::ManuallyDrop::new(self);
                // SAFETY: `this` is not dropped; its context reference is released here, the isl reference handed on.
                unsafe { std::ptr::drop_in_place(std::ptr::from_ref(&this.context).cast_mut()) };
                this.raw.as_ptr()
            }
            fn context(&self) -> &std::rc::Rc<crate::context::Context> {
                &self.context
            }
        }

        impl Clone for $name {
            fn clone(&self) -> Self {
                let raw = crate::object::Object::take(self);
                Self {
                    raw: std::ptr::NonNull::new(raw).unwrap_or(self.raw),
                    context: std::rc::Rc::clone(&self.context),
                }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: `raw` is a reference owned by `self`.
                unsafe { farkas_isl_sys::$free(self.raw.as_ptr()) };
            }
        }
    };
    ($(#[$doc:meta])* $name:ident, $raw:ident, $copy:ident, $free:ident, to_str $to_str:ident) => {
        isl_object!($(#[$doc])* $name, $raw, $copy, $free);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let text = || {
                    // SAFETY: `raw` is live and the string is ours to free.
                    unsafe { crate::object::given_string(farkas_isl_sys::$to_str(self.raw.as_ptr())) }
                };
                let text = text().or_else(|| self.context.without_budget(text));
                f.write_str(text.as_deref().unwrap_or("?").trim_end())
            }
        }
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.raw == other.raw || self.to_string() == other.to_string()
            }
        }
        impl Eq for $name {}
        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.to_string().hash(state);
            }
        }
    };
    ($(#[$doc:meta])* $name:ident, $raw:ident, $copy:ident, $free:ident, to_str $to_str:ident, from_str $read:ident) => {
        isl_object!($(#[$doc])* $name, $raw, $copy, $free, to_str $to_str);

        impl std::str::FromStr for $name {
            type Err = crate::Error;
            fn from_str(text: &str) -> crate::Result<Self> {
                let context = crate::context::Context::current();
                let c = crate::object::c_string(text);
                // SAFETY: `c` outlives the call, which copies what it needs.
                let raw = unsafe { farkas_isl_sys::$read(context.as_ptr(), c.as_ptr()) };
                match std::ptr::NonNull::new(raw) {
                    Some(raw) => Ok(Self { raw, context }),
                    None => Err(crate::object::parse_error(&context, text)),
                }
            }
        }
    };
}

/// Defines methods that call one isl function each. `take` and `keep` say what isl does with its pointer arguments;
/// `static` methods have no receiver.
macro_rules! isl_methods {
    ($name:ident { $($(#[$doc:meta])* $kind:ident $method:ident($($arg:ident: $ty:ty),*) -> $ret:ty = $func:ident;)* }) => {
        impl $name { $(isl_methods!(@ $kind $(#[$doc])* $method($($arg: $ty),*) -> $ret = $func);)* }
    };
    (@ take $(#[$doc:meta])* $method:ident($($arg:ident: $ty:ty),*) -> $ret:ty = $func:ident) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// When isl refuses, for instance for spaces that do not match, or its operation quota is reached.
        pub fn $method(&self $(, $arg: $ty)*) -> crate::Result<$ret> {
            // SAFETY: every pointer is live and isl takes a reference of its own.
            let value = unsafe { farkas_isl_sys::$func(crate::object::Object::take(self) $(, crate::object::Argument::taken(&$arg))*) };
            <$ret as crate::object::Returned>::returned(&self.context, value)
        }
    };
    (@ keep $(#[$doc:meta])* $method:ident($($arg:ident: $ty:ty),*) -> $ret:ty = $func:ident) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// When isl refuses, for instance for spaces that do not match, or its operation quota is reached.
        pub fn $method(&self $(, $arg: $ty)*) -> crate::Result<$ret> {
            // SAFETY: every pointer is live for the call.
            let value = unsafe { farkas_isl_sys::$func(crate::object::Object::keep(self) $(, crate::object::Argument::kept(&$arg))*) };
            <$ret as crate::object::Returned>::returned(&self.context, value)
        }
    };
    (@ from $(#[$doc:meta])* $method:ident($first:ident: $first_ty:ty $(, $arg:ident: $ty:ty)*) -> $ret:ty = $func:ident) => {
        $(#[$doc])*
        ///
        /// # Errors
        /// When isl refuses, for instance for spaces that do not match, or its operation quota is reached.
        pub fn $method($first: $first_ty $(, $arg: $ty)*) -> crate::Result<$ret> {
            // SAFETY: every pointer is live and isl takes a reference of its own.
            let value = unsafe { farkas_isl_sys::$func(crate::object::Argument::taken(&$first) $(, crate::object::Argument::taken(&$arg))*) };
            <$ret as crate::object::Returned>::returned(crate::object::Object::context($first), value)
        }
    };
}

/// Sorts objects by their printed form, which begins with the name of a tuple. Where all names differ they decide, and nothing is
/// printed: that takes isl long.
pub(crate) fn sort_as_printed<T: ToString>(objects: &mut [T], name: impl Fn(&T) -> Option<String>) {
    let printed = |object: &T| name(object).map(|name| name + "[");
    let mut names: Vec<Option<String>> = objects.iter().map(printed).collect();
    names.sort();
    let is_clear = names.iter().all(Option::is_some) && names.windows(2).all(|w| w[0] != w[1]);
    match is_clear {
        true => objects.sort_by_cached_key(printed),
        false => objects.sort_by_cached_key(T::to_string),
    }
}
