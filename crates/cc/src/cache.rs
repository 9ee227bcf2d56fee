//! What became of files that were seen before.
//!
//! An entry is a folder with the answer and, where there is one, the text, under the name of the user's file: compilers read it
//! there, so that the same text always has the same path, as caches of compilers behind this one ask for. An entry is made elsewhere
//! and moved to its place in one step. Its parts are checked by their hash whenever it is used: one that is not whole is no entry.

use crate::job::{Answer, hash};
use farkas_base::encode;
use farkas_run::TemporaryFolder;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The most bytes of all entries together. Each of the folders that they are spread over has its share.
const MAX_BYTES: u64 = 1 << 30;

/// Into how many folders entries are spread: by two digits of the key.
const N_FOLDERS: u64 = 256;

/// Entries that were used so recently stay: a compiler may be reading them.
const IN_USE: Duration = Duration::from_secs(3600);

/// The file of an entry with its answer.
const ANSWER: &str = "answer.json";

/// A folder of entries, if there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cache {
    root: Option<PathBuf>,
}

/// An answer, with the file to compile, if the user's is not.
#[derive(Debug)]
pub struct Entry {
    /// What became of the file; its text is in `path`.
    pub answer: Answer,
    /// The file to compile.
    pub path: Option<PathBuf>,
    /// Whether it stays for later builds.
    pub is_kept: bool,
    /// Where the file is in no cache, the folder that goes with it.
    _folder: Option<TemporaryFolder>,
}

/// An answer as it is kept.
#[derive(Serialize, Deserialize)]
struct Kept {
    answer: Answer,
    /// The hash of the file, if there is one.
    text_hash: Option<String>,
    /// The hash of both.
    hash: String,
}

impl Cache {
    /// A cache in `root`; none keeps nothing.
    pub fn new(root: Option<PathBuf>) -> Self {
        Self { root }
    }

    /// What is known of the file called `name` under a key.
    pub fn find(&self, key: &str, name: &OsStr) -> Option<Entry> {
        let folder = self.folder(key)?;
        let entry = whole(&folder, name);
        if entry.is_none() && folder.exists() {
            let _ = fs::remove_dir_all(&folder);
        }
        if entry.is_some() {
            touch(&folder.join(ANSWER));
        }
        entry
    }

    /// Keeps an answer. Where that cannot be, its file is in a folder that goes with the entry.
    ///
    /// # Errors
    /// Where there is no place for temporary files either.
    pub fn keep(&self, key: &str, name: &OsStr, answer: Answer) -> std::io::Result<Entry> {
        if let Some(folder) = self.folder(key)
            && self.store(&folder, name, &answer).is_ok()
            && let Some(entry) = whole(&folder, name)
        {
            return Ok(entry);
        }
        let Some(text) = &answer.text else {
            return Ok(Entry { answer, path: None, is_kept: false, _folder: None });
        };
        let folder = TemporaryFolder::new("farkas-cc-")?;
        let path = folder.path().join(name);
        fs::write(&path, encode(text))?;
        let answer = Answer { text: None, ..answer };
        Ok(Entry { answer, path: Some(path), is_kept: false, _folder: Some(folder) })
    }

    /// Where entries are kept, if anywhere.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Where reproducers of bugs are kept.
    pub fn reproducers(&self) -> Option<PathBuf> {
        Some(self.root.as_ref()?.join("reproducers"))
    }

    /// The folder of an entry.
    fn folder(&self, key: &str) -> Option<PathBuf> {
        let (first, _) = key.split_at_checked(2)?;
        Some(self.root.as_ref()?.join("entries").join(first).join(key))
    }

    /// Makes an entry and moves it to its place. Another process may have made it meanwhile.
    fn store(&self, folder: &Path, name: &OsStr, answer: &Answer) -> std::io::Result<()> {
        let Some(shelf) = folder.parent() else { return Ok(()) };
        fs::create_dir_all(shelf)?;
        make_room(shelf);
        let new = TemporaryFolder::within(shelf, ".new-")?;
        if let Some(text) = &answer.text {
            fs::write(new.path().join(name), encode(text))?;
        }
        let text_hash = answer.text.as_ref().map(|text| hash(&encode(text)));
        let answer = Answer { text: None, ..answer.clone() };
        let hash = hash(&serde_json::to_vec(&(&answer, &text_hash))?);
        let kept = Kept { answer, text_hash, hash };
        fs::write(new.path().join(ANSWER), serde_json::to_vec(&kept)?)?;
        match fs::rename(new.path(), folder) {
            Ok(()) => {
                // It has moved: there is nothing left to remove.
                let _ = new.keep();
                Ok(())
            }
            Err(_) if folder.exists() => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// The entry in a folder, if all of it is there.
fn whole(folder: &Path, name: &OsStr) -> Option<Entry> {
    let kept: Kept = serde_json::from_slice(&fs::read(folder.join(ANSWER)).ok()?).ok()?;
    if hash(&serde_json::to_vec(&(&kept.answer, &kept.text_hash)).ok()?) != kept.hash {
        return None;
    }
    let path = match kept.text_hash {
        None => None,
        Some(expected) => {
            let path = folder.join(name);
            let is_whole = fs::read(&path).is_ok_and(|text| hash(&text) == expected);
            Some(path).filter(|_| is_whole).map(Some)?
        }
    };
    Some(Entry { answer: kept.answer, path, is_kept: true, _folder: None })
}

/// Marks a file as used now.
fn touch(path: &Path) {
    let file = fs::File::options().append(true).open(path);
    // In a cache that cannot be written to, nothing is removed either.
    let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
}

/// Removes what was used least recently from a shelf that is full, and what killed processes left.
fn make_room(shelf: &Path) {
    let Ok(entries) = fs::read_dir(shelf) else { return };
    let mut known: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in entries.filter_map(Result::ok) {
        let folder = entry.path();
        let answer = fs::metadata(folder.join(ANSWER)).or_else(|_| fs::metadata(&folder));
        let Some(used) = answer.ok().and_then(|data| data.modified().ok()) else { continue };
        known.push((used, size(&folder), folder));
    }
    known.sort();
    let mut total: u64 = known.iter().map(|(_, size, _)| size).sum();
    for (used, size, folder) in known {
        let is_old = used.elapsed().is_ok_and(|age| age > IN_USE);
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let is_left = name.starts_with('.');
        if is_old && (is_left || total > MAX_BYTES / N_FOLDERS) {
            let _ = fs::remove_dir_all(&folder);
            total -= size;
        }
    }
}

/// The bytes of the files in a folder.
fn size(folder: &Path) -> u64 {
    let Ok(files) = fs::read_dir(folder) else { return 0 };
    files
        .filter_map(Result::ok)
        .filter_map(|file| file.metadata().ok())
        .map(|data| data.len())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "ab12";

    fn answer(text: Option<&str>) -> Answer {
        Answer { text: text.map(str::to_owned), summary: "done".into(), bugs: Vec::new() }
    }

    fn text(entry: &Entry) -> String {
        fs::read_to_string(entry.path.as_ref().expect("a file")).expect("readable")
    }

    #[test]
    fn what_is_kept_is_found() {
        let root = tempfile::tempdir().expect("a folder");
        let cache = Cache::new(Some(root.path().to_owned()));
        let name = OsStr::new("a.c");
        assert!(cache.find(KEY, name).is_none());
        let kept = cache.keep(KEY, name, answer(Some("int x;"))).expect("kept");
        let found = cache.find(KEY, name).expect("found");
        assert_eq!((text(&kept), kept.path), (text(&found), found.path));
        assert_eq!(found.answer.summary, "done");
        cache.keep("cd34", name, answer(None)).expect("kept");
        assert_eq!(cache.find("cd34", name).expect("found").path, None);
    }

    #[test]
    fn an_entry_cut_off_anywhere_or_changed_is_none() {
        let root = tempfile::tempdir().expect("a folder");
        let cache = Cache::new(Some(root.path().to_owned()));
        let name = OsStr::new("a.c");
        for file in ["a.c", ANSWER] {
            let path = cache.folder(KEY).expect("a folder").join(file);
            cache.keep(KEY, name, answer(Some("int x;"))).expect("kept");
            let whole = fs::read(&path).expect("readable");
            for end in 0..whole.len() {
                cache.keep(KEY, name, answer(Some("int x;"))).expect("kept");
                fs::write(&path, &whole[..end]).expect("written");
                assert!(cache.find(KEY, name).is_none(), "{file} cut off at {end}");
            }
            for at in 0..whole.len() {
                cache.keep(KEY, name, answer(Some("int x;"))).expect("kept");
                let mut damaged = whole.clone();
                damaged[at] ^= 1;
                fs::write(&path, damaged).expect("written");
                let found = cache.find(KEY, name);
                assert!(
                    found.is_none_or(|found| text(&found) == "int x;"),
                    "{file} changed at {at}"
                );
            }
        }
    }

    #[test]
    fn without_a_place_of_its_own_a_file_is_elsewhere() {
        let root = tempfile::tempdir().expect("a folder");
        let file = root.path().join("file");
        fs::write(&file, "").expect("written");
        for cache in [Cache::new(None), Cache::new(Some(file))] {
            let entry = cache.keep(KEY, OsStr::new("a.c"), answer(Some("int x;"))).expect("kept");
            assert_eq!(text(&entry), "int x;");
            let path = entry.path.clone().expect("a file");
            drop(entry);
            assert!(!path.exists());
            assert!(cache.find(KEY, OsStr::new("a.c")).is_none());
        }
    }
}
