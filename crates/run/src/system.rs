//! What the system says of its processors.

use farkas_machine::{CacheText, CpuText, SystemText, cpu_list};
use std::io::Read;
use std::path::Path;

/// The most that is read of one of the kernel's files: their length is unknown until they end.
const MAX_BYTES: u64 = 4 << 20;

/// The most of a file of which only the beginning counts.
const MAX_HEAD_BYTES: u64 = 16 << 10;

/// Caches of a processor at most.
const MAX_CACHES: u32 = 16;

/// The texts in which Linux describes its processors, below the folder `root`, which is `/` but in tests. On other
/// systems, and where something is hidden, texts are missing.
pub fn read_system(root: &Path) -> SystemText {
    let cpus = root.join("sys/devices/system/cpu");
    let online = read(&cpus.join("online")).and_then(|text| cpu_list(&text)).unwrap_or_default();
    let fast_cpus = read(&root.join("sys/devices/cpu_core/cpus"));
    let fast = fast_cpus.as_deref().and_then(cpu_list).and_then(|cpus| cpus.first().copied());
    let cpu = |number: u32| {
        let folder = cpus.join(format!("cpu{number}"));
        // Cores of a kind have equal caches.
        let is_looked_at = Some(number) == fast.or(online.first().copied());
        CpuText {
            number,
            core: read(&folder.join("topology/core_id")),
            package: read(&folder.join("topology/physical_package_id")),
            caches: if is_looked_at { caches(&folder.join("cache")) } else { Vec::new() },
        }
    };
    SystemText {
        cpuinfo: read(&root.join("proc/cpuinfo")),
        sve_bytes: read(&root.join("proc/sys/abi/sve_default_vector_length")),
        smaps: head(&root.join("proc/self/smaps"), MAX_HEAD_BYTES),
        cpus: online.iter().map(|&number| cpu(number)).collect(),
        fast_cpus,
    }
}

/// The caches in the folder of a processor.
fn caches(folder: &Path) -> Vec<CacheText> {
    let of = |index: u32| {
        let get = |file: &str| read(&folder.join(format!("index{index}/{file}")));
        CacheText {
            level: get("level"),
            kind: get("type"),
            size: get("size"),
            line: get("coherency_line_size"),
            ways: get("ways_of_associativity"),
            shared: get("shared_cpu_list"),
        }
    };
    (0..MAX_CACHES).map(of).take_while(|cache| cache.level.is_some()).collect()
}

/// A file's text, where it can be read.
fn read(path: &Path) -> Option<String> {
    head(path, MAX_BYTES)
}

/// The beginning of a file's text, where it can be read.
fn head(path: &Path, most: u64) -> Option<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes files below a folder.
    fn write(root: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
    }

    #[test]
    fn files_are_read_where_they_are() {
        let root = tempfile::tempdir().expect("a folder");
        let cpu = "sys/devices/system/cpu";
        write(
            root.path(),
            &[
                ("proc/cpuinfo", "processor : 0\n"),
                (&format!("{cpu}/online"), "0,2\n"),
                (&format!("{cpu}/cpu0/topology/core_id"), "7\n"),
                (&format!("{cpu}/cpu2/cache/index0/level"), "9\n"),
                (&format!("{cpu}/cpu0/cache/index0/level"), "1\n"),
                (&format!("{cpu}/cpu0/cache/index0/size"), "32K\n"),
                (&format!("{cpu}/cpu0/cache/index2/level"), "3\n"),
            ],
        );
        let system = read_system(root.path());
        assert_eq!(system.cpuinfo.as_deref(), Some("processor : 0\n"));
        assert_eq!((system.sve_bytes, system.fast_cpus, system.smaps), (None, None, None));
        let [first, second] = system.cpus.as_slice() else { panic!("two processors") };
        assert_eq!((first.number, second.number), (0, 2));
        assert_eq!((first.core.as_deref(), first.package.as_deref()), (Some("7\n"), None));
        let [cache] = first.caches.as_slice() else { panic!("the caches up to the first gap") };
        assert_eq!((cache.size.as_deref(), cache.line.as_deref()), (Some("32K\n"), None));
        assert!(second.caches.is_empty());
    }

    #[test]
    fn nothing_is_there() {
        let root = tempfile::tempdir().expect("a folder");
        assert_eq!(read_system(root.path()), SystemText::default());
    }
}
