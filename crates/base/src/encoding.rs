//! Files whose bytes are not all UTF-8, as text and back.
//!
//! Old sources have comments in Latin-1 and the like. A byte that is part of no UTF-8 becomes a character of its own: 0x80 to
//! 0xff are U+EF80 to U+EFFF, which are for private use. Where a file has one of these itself, its bytes are taken one by one, too.
//! So every file is a text that gives the same bytes back, and what is ASCII, which is all of C but comments and literals, is itself.

use std::borrow::Cow;

/// The character of a byte is this much more than the byte.
const OFFSET: u32 = 0xef00;

/// The first byte in UTF-8 of all characters that stand for bytes.
const LEAD: u8 = 0xee;

/// The text of a file with these bytes.
pub fn decode(bytes: Vec<u8>) -> String {
    let has_lead = bytes.contains(&LEAD);
    match String::from_utf8(bytes) {
        Ok(text) if !has_lead => text,
        Ok(text) => escaped(text.as_bytes()),
        Err(error) => escaped(error.as_bytes()),
    }
}

/// The bytes that are the file of a text: the inverse of [`decode`].
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if !text.as_bytes().contains(&LEAD) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        match byte_of(c) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    Cow::Owned(bytes)
}

/// A text for people to read: what stands for a byte is shown as in Latin-1, if that has something to show.
pub fn shown(text: &str) -> Cow<'_, str> {
    if !text.as_bytes().contains(&LEAD) {
        return Cow::Borrowed(text);
    }
    let shown = |c| match byte_of(c) {
        Some(byte) if byte < 0xa0 => char::REPLACEMENT_CHARACTER,
        Some(byte) => char::from(byte),
        None => c,
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// How many bytes of a file a text is.
pub(crate) fn file_bytes(text: &str) -> usize {
    text.chars().map(|c| byte_of(c).map_or(c.len_utf8(), |_| 1)).sum()
}

/// The byte that a character stands for.
fn byte_of(c: char) -> Option<u8> {
    let byte = u8::try_from(u32::from(c).checked_sub(OFFSET)?).ok()?;
    (byte >= 0x80).then_some(byte)
}

/// The character that stands for a byte, which is no ASCII.
fn char_of(byte: u8) -> char {
    char::from_u32(OFFSET + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The text of bytes of which some are to be told apart.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match byte_of(c) {
                Some(_) => text.extend(c.encode_utf8(&mut [0; 4]).bytes().map(char_of)),
                None => text.push(c),
            }
        }
        text.extend(chunk.invalid().iter().copied().map(char_of));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_come_back() {
        let all: Vec<u8> = (0..=255).collect();
        let pairs: Vec<u8> = (0..=255u8).flat_map(|a| [a, 0xc3, a, 0xa9, 0xee, 0xbe, a]).collect();
        for bytes in [&all[..], &pairs, b"", b"\xe9", "é\u{ef80}\u{efff}\u{f000}".as_bytes()] {
            let text = decode(bytes.to_vec());
            assert_eq!(*encode(&text), *bytes, "{text:?}");
            assert_eq!(file_bytes(&text), bytes.len());
        }
    }

    #[test]
    fn what_is_utf8_stays() {
        assert_eq!(decode("caf\u{e9} \u{e000}".into()), "caf\u{e9} \u{e000}");
        assert_eq!(decode(b"caf\xe9 \xc3\xa9".to_vec()), "caf\u{efe9} \u{e9}");
    }

    #[test]
    fn people_see_latin_1() {
        assert_eq!(
            shown(&decode(b"caf\xe9 \x93x\x94 \xc3\xa9".to_vec())),
            "café \u{fffd}x\u{fffd} é"
        );
        assert_eq!(shown("plain"), "plain");
    }
}
