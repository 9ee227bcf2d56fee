//! Reading what a library points to, within limits.

use crate::error::{Error, Result};
use std::ffi::c_char;

/// Bytes that a name may have.
pub(crate) const MAX_NAME_BYTES: usize = 64;
/// Bytes of a reason that are shown.
const MAX_REASON_BYTES: usize = 500;

/// The bytes of a string before its NUL, at most `limit` of them; `None` where there is no NUL among so many.
///
/// # Safety
/// `text` is null, or readable up to its NUL or for `limit + 1` bytes.
unsafe fn bytes<'a>(text: *const c_char, limit: usize) -> Option<&'a [u8]> {
    let start = text.cast::<u8>();
    // SAFETY: every byte before this one was not NUL, and it is not behind the limit.
    let n = (0..=limit).find(|&at| unsafe { start.add(at).read() } == 0)?;
    // SAFETY: these bytes were just read.
    Some(unsafe { std::slice::from_raw_parts(start, n) })
}

/// A string of a library, which is `what`: not longer than a name.
///
/// # Errors
/// When there is none, or it is too long, or no UTF-8.
///
/// # Safety
/// `text` is null, or readable up to its NUL.
pub(crate) unsafe fn text(what: &'static str, text: *const c_char) -> Result<String> {
    if text.is_null() {
        return Err(Error::BadPointer { what });
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { bytes(text, MAX_NAME_BYTES) };
    let bytes = bytes.ok_or(Error::BadText { what, problem: "has more than 64 bytes" })?;
    let text = std::str::from_utf8(bytes);
    let text = text.map_err(|_| Error::BadText { what, problem: "is not UTF-8" })?;
    Ok(text.to_owned())
}

/// A reason in a library's own words, made fit for one line; `None` where there is nothing to read.
///
/// # Safety
/// `text` is null, or readable up to its NUL.
pub(crate) unsafe fn reason(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller's promise; without a NUL so far, the first bytes are there to be read.
    let bytes = unsafe {
        bytes(text, MAX_REASON_BYTES)
            .unwrap_or_else(|| std::slice::from_raw_parts(text.cast(), MAX_REASON_BYTES))
    };
    let line = String::from_utf8_lossy(bytes).replace(char::is_control, " ");
    Some(line.trim().to_owned()).filter(|line| !line.is_empty())
}

/// A list of a library, which holds `what`: not longer than `limit`.
///
/// # Errors
/// When it is longer, or its pointer is null or not aligned where the list is not empty.
///
/// # Safety
/// `items` is null, not aligned, or readable for `n` items.
pub(crate) unsafe fn list<'a, T>(
    what: &'static str,
    items: *const T,
    n: usize,
    limit: usize,
) -> Result<&'a [T]> {
    if n > limit {
        return Err(Error::TooMany { what, found: n, limit });
    }
    if n == 0 {
        return Ok(&[]);
    }
    if items.is_null() || !items.is_aligned() {
        return Err(Error::BadPointer { what });
    }
    // SAFETY: not null, aligned, and readable by the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(items, n) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_short_utf8() {
        // SAFETY: each ends in NUL.
        let read = |bytes: &[u8]| unsafe { text("a name", bytes.as_ptr().cast()) };
        assert_eq!(read(b"feautrier\0rest").as_deref(), Ok("feautrier"));
        assert_eq!(read(b"\0").as_deref(), Ok(""));
        assert_eq!(read(&[&[b'x'; 64][..], b"\0"].concat()).map(|name| name.len()), Ok(64));
        let long = read(&[&[b'x'; 65][..], b"\0"].concat());
        assert!(matches!(long, Err(Error::BadText { problem: "has more than 64 bytes", .. })));
        assert!(matches!(read(b"\xff\0"), Err(Error::BadText { problem: "is not UTF-8", .. })));
        // SAFETY: null is allowed.
        let none = unsafe { text("a name", std::ptr::null()) };
        assert_eq!(none, Err(Error::BadPointer { what: "a name" }));
    }

    #[test]
    fn reasons_fit_one_line() {
        // SAFETY: each ends in NUL.
        let read = |bytes: &[u8]| unsafe { reason(bytes.as_ptr().cast()) };
        assert_eq!(read(b" no\nidea\x1b[31m \0").as_deref(), Some("no idea [31m"));
        assert_eq!(read(b"\n\0"), None);
        assert_eq!(read(b"\xff\0").as_deref(), Some("\u{fffd}"));
        let long = read(&[&[b'x'; 9000][..], b"\0"].concat());
        assert_eq!(long.map(|line| line.len()), Some(500));
    }

    #[test]
    fn lists_have_limits() {
        let items = [1_u32, 2, 3];
        // SAFETY: the pointers are null, not aligned, or to three items.
        unsafe {
            assert_eq!(list("ids", items.as_ptr(), 3, 3), Ok(&items[..]));
            assert_eq!(list("ids", std::ptr::null::<u32>(), 0, 3), Ok(&[][..]));
            let bad = Err(Error::BadPointer { what: "ids" });
            assert_eq!(list("ids", std::ptr::null::<u32>(), 1, 3), bad);
            assert_eq!(list("ids", items.as_ptr().byte_add(1), 1, 3), bad);
            let many = Error::TooMany { what: "ids", found: usize::MAX, limit: 3 };
            assert_eq!(list("ids", items.as_ptr(), usize::MAX, 3), Err(many));
        }
    }
}
