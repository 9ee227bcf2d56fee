//! Files of arguments: `@FILE` on a command line.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// How deep files may name files, as in gcc.
const MAX_DEPTH: usize = 200;

/// The words with those of files in the place of their names. A file that cannot be read is a word like any other, as it is for
/// compilers.
pub(crate) fn expanded(words: &[OsString]) -> Vec<OsString> {
    let mut found = Vec::new();
    words.iter().for_each(|word| expand(word, 0, &mut found));
    found
}

/// Adds a word, or those of the file that it names.
fn expand(word: &OsStr, depth: usize, found: &mut Vec<OsString>) {
    let file = word.as_bytes().strip_prefix(b"@").filter(|_| depth < MAX_DEPTH);
    match file.and_then(|name| std::fs::read(OsStr::from_bytes(name)).ok()) {
        Some(text) => split(&text).iter().for_each(|word| expand(word, depth + 1, found)),
        None => found.push(word.to_owned()),
    }
}

/// The words of a text: white space separates, quotes of both kinds keep it, a backslash keeps the next character.
fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (b'\'' | b'"', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, None) if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

/// Words as the text of such a file.
pub(crate) fn joined(words: &[OsString]) -> Vec<u8> {
    let mut text = Vec::new();
    for word in words {
        text.push(b'"');
        for &byte in word.as_bytes() {
            if matches!(byte, b'"' | b'\\') {
                text.push(b'\\');
            }
            text.push(byte);
        }
        text.extend(b"\"\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_gcc_does() {
        let words = split(b"-c  'a b.c'\n-D\"X=\\\"y\\\"\" '' a\\ b");
        assert_eq!(words, ["-c", "a b.c", "-DX=\"y\"", "", "a b"]);
    }

    #[test]
    fn what_is_joined_is_split_again() {
        let words = ["a b", "", "\"", "'", "\\", "-DX='y'"].map(OsString::from);
        assert_eq!(split(&joined(&words)), words);
    }

    #[test]
    fn files_stand_in_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let (inner, outer) = (folder.path().join("inner"), folder.path().join("outer"));
        std::fs::write(&inner, "-c b.c").expect("written");
        std::fs::write(&outer, format!("-O2 @{} -g", inner.display())).expect("written");
        let words = [format!("@{}", outer.display()), "@missing".to_owned()].map(OsString::from);
        assert_eq!(expanded(&words), ["-O2", "-c", "b.c", "-g", "@missing"]);
    }
}
