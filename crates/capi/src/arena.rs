//! Memory that a library reads: lists whose addresses stay while the arena lives.

use std::any::Any;
use std::ffi::c_char;

/// Keeps lists alive. Their elements are on the heap and never touched again, so that pointers to them stay valid when the
/// arena moves.
#[derive(Default)]
pub(crate) struct Arena {
    kept: Vec<Box<dyn Any>>,
}

impl Arena {
    /// A pointer to the first of `items`, null where there is none.
    pub(crate) fn list<T: 'static>(&mut self, items: Vec<T>) -> *const T {
        if items.is_empty() {
            return std::ptr::null();
        }
        let first = items.as_ptr();
        self.kept.push(Box::new(items));
        first
    }

    /// A pointer to `item`.
    pub(crate) fn item<T: 'static>(&mut self, item: T) -> *const T {
        self.list(vec![item])
    }

    /// `text` as a string of C.
    pub(crate) fn text(&mut self, text: &str) -> *const c_char {
        let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).chain([0]).collect();
        self.list(bytes).cast()
    }

    /// Strings of C.
    pub(crate) fn texts<'a>(
        &mut self,
        texts: impl IntoIterator<Item = &'a str>,
    ) -> *const *const c_char {
        let texts: Vec<*const c_char> = texts.into_iter().map(|text| self.text(text)).collect();
        self.list(texts)
    }
}
