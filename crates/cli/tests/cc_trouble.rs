//! `farkas cc` where something goes wrong: killed at any moment, full and read-only disks, several builds at once, changed files.

#[path = "support/project.rs"]
mod project;

use project::{files, project, shell, wrapped};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

/// What builds and runs the project.
const BUILD: &str = "$CC -O2 -c kernel.c -o kernel.o && $CC -O2 main.c kernel.o -o prog && ./prog";

/// What the program of the project prints.
const PRINTED: &str = "30 1004\n";

/// Builds the project and runs it, in strict mode.
fn build(folder: &Path, cache: &Path) {
    let output = shell(BUILD, &wrapped("gcc"), folder, cache);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), PRINTED);
}

/// Starts a compilation in a process group of its own.
fn started(folder: &Path, cache: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_farkas"))
        .args(["cc", "gcc", "-O2", "-c", "kernel.c", "-o", "kernel.o"])
        .current_dir(folder)
        .env("FARKAS_CACHE_DIR", cache)
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .expect("started")
}

/// Sends a signal to a process, or to a group as `-NUMBER`; whether there was one.
fn signal(name: &str, to: &str) -> bool {
    let status = Command::new("kill").args(["-s", name, "--", to]).stderr(Stdio::null()).status();
    status.expect("kill").success()
}

/// How long a compilation takes that finds nothing in a cache.
fn usual_time(folder: &Path) -> Duration {
    let cache = tempfile::tempdir().expect("a folder");
    let begin = Instant::now();
    assert!(started(folder, cache.path()).wait().expect("ended").success());
    begin.elapsed()
}

#[test]
fn killed_at_some_moments_nothing_broken_is_left() {
    check_killed(2);
}

#[test]
#[ignore = "long"]
fn killed_at_any_moment_nothing_broken_is_left() {
    check_killed(8);
}

/// Kills builds at so many moments of the time that one takes.
fn check_killed(moments: u32) {
    let folder = project();
    let object = folder.path().join("kernel.o");
    let time = usual_time(folder.path());
    for moment in 0..=moments {
        // The whole build is told to end, as by Ctrl-C; only the wrapper is, as by make; all die, as with the machine.
        for (name, is_group) in [("INT", true), ("TERM", true), ("TERM", false), ("KILL", true)] {
            let cache = tempfile::tempdir().expect("a folder");
            let _ = fs::remove_file(&object);
            let mut child = started(folder.path(), cache.path());
            let group = format!("-{}", child.id());
            sleep(time * moment / moments);
            signal(name, if is_group { &group } else { group.trim_start_matches('-') });
            child.wait().expect("ended");
            while signal("0", &group) {
                sleep(Duration::from_millis(5));
            }
            // A compiler that is killed leaves what it has written so far, with the wrapper as without.
            if object.exists() && name != "KILL" {
                let output =
                    shell("gcc -O2 main.c kernel.o && ./a.out", "gcc", folder.path(), cache.path());
                let said = String::from_utf8_lossy(&output.stderr);
                assert_eq!(
                    String::from_utf8_lossy(&output.stdout),
                    PRINTED,
                    "{name} {moment}: {said}"
                );
            }
            build(folder.path(), cache.path());
        }
    }
}

#[test]
fn several_builds_at_once_share_a_cache() {
    let cache = tempfile::tempdir().expect("a folder");
    for _ in 0..4 {
        let builds: Vec<_> = (0..6)
            .map(|_| {
                let cache = cache.path().to_owned();
                spawn(move || build(project().path(), &cache))
            })
            .collect();
        for build in builds {
            build.join().expect("built");
        }
        let of_kernel = |path: &&std::path::PathBuf| path.ends_with("kernel.c");
        assert_eq!(files(cache.path()).keys().filter(of_kernel).count(), 1);
        fs::remove_dir_all(cache.path().join("entries")).expect("removed");
    }
}

#[test]
fn what_changes_is_never_taken_from_the_cache() {
    let (cache, folder) = (tempfile::tempdir().expect("a folder"), project());
    let says = |options: &str| {
        let script = format!("$CC -O2 {options} kernel.c main.c -o prog && ./prog");
        let output = shell(&script, &wrapped("gcc"), folder.path(), cache.path());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("written");
    };
    assert_eq!(says(""), PRINTED);
    assert_eq!(says("-DN=200"), "30 404\n");
    let header = fs::read_to_string(folder.path().join("kernel.h")).expect("a header");
    write("kernel.h", &header.replace("500", "300"));
    assert_eq!(says(""), "30 604\n");
    let kernel = fs::read_to_string(folder.path().join("kernel.c")).expect("a source");
    write("kernel.c", &kernel.replace("2 *", "3 *"));
    assert_eq!(says(""), "45 906\n");
    write("kernel.c", &kernel);
    write("kernel.h", &header);
    assert_eq!(says(""), PRINTED);
}

/// Runs a script where `$DISK` is a disk of its own; nothing where the system lets no program mount one.
fn with_disk(options: &str, script: &str, folder: &Path) -> Option<(bool, String)> {
    let disk = tempfile::tempdir().expect("a folder");
    let mount = format!(
        "mount -t tmpfs -o {options} none \"$DISK\" || exit 99; export FARKAS_CACHE_DIR=\"$DISK\"\n"
    );
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &(mount + script)])
        .current_dir(folder)
        .env("DISK", disk.path())
        .env("CC", wrapped("gcc"))
        .env("FARKAS_CC_STRICT", "1")
        .output()
        .ok()?;
    if output.status.code().is_none_or(|code| code == 99)
        || String::from_utf8_lossy(&output.stderr).contains("unshare:")
    {
        return None;
    }
    Some((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[test]
fn a_full_or_read_only_cache_stops_no_build() {
    let folder = project();
    for pages in [1, 2, 3, 4, 6, 8, 12, 40] {
        let options = format!("size={}k", 4 * pages);
        let Some(found) = with_disk(&options, &format!("{BUILD} && {BUILD}"), folder.path()) else {
            return;
        };
        assert_eq!(found, (true, PRINTED.repeat(2)), "a disk of {pages} pages");
    }
    for n_before in [0, 1] {
        let filled = format!("{BUILD} && ").repeat(n_before);
        let script = format!("{filled} mount -o remount,ro \"$DISK\" && {BUILD}");
        let found = with_disk("size=1m", &script, folder.path());
        assert_eq!(found, Some((true, PRINTED.repeat(n_before + 1))));
    }
}

#[test]
fn where_temporary_files_have_no_room_it_is_as_with_the_bare_compiler() {
    let folder = project();
    for pages in [1, 2, 3, 4, 6, 8, 12, 40] {
        let script = |compiler: &str| {
            let before = "unset FARKAS_CC_STRICT; export FARKAS_CACHE_DIR=$PWD/cache TMPDIR=\"$DISK\"; rm -rf prog kernel.o cache";
            format!("{before}; {}", BUILD.replace("$CC", compiler))
        };
        let options = format!("size={}k", 4 * pages);
        let Some(bare) = with_disk(&options, &script("gcc"), folder.path()) else { return };
        for flags in ["", "--no-cache"] {
            let compiler = wrapped(&format!("{flags} gcc"));
            let found = with_disk(&options, &script(&compiler), folder.path()).expect("a disk");
            assert_eq!(found, bare, "a disk of {pages} pages, {flags}");
        }
    }
}

#[test]
fn a_debugger_stops_at_the_lines_of_the_user() {
    if Command::new("gdb").arg("--version").output().is_err() {
        return;
    }
    let (cache, folder) = (tempfile::tempdir().expect("a folder"), project());
    // gdb 13 forgets a line's place where gcc moves a part of it before the loop: gcc's code is asked for its functions.
    for (compiler, place, line) in [
        ("gcc", "add", "6\t    for (int j = 0; j < n; j++)"),
        ("clang", "kernel.c:8", "8\t            a[i][j] += 2 * b[i][j];"),
    ] {
        if Command::new(compiler).arg("--version").output().is_err() {
            continue;
        }
        let script = format!(
            "$CC -O2 -g kernel.c main.c -o prog && gdb -nx -batch -ex 'break {place}' -ex run -ex bt ./prog"
        );
        let output = shell(&script, &wrapped(compiler), folder.path(), cache.path());
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.lines().any(|said| said == line), "{compiler}: {said}");
        assert!(said.contains("main () at main.c:9"), "{compiler}: {said}");
    }
    assert!(files(cache.path()).keys().any(|path| path.ends_with("kernel.c")));
}

#[test]
fn caches_of_compilers_stand_before_and_behind() {
    if Command::new("ccache").arg("--version").output().is_err() {
        return;
    }
    let (cache, folder) = (tempfile::tempdir().expect("a folder"), project());
    let farkas = env!("CARGO_BIN_EXE_farkas");
    std::os::unix::fs::symlink(farkas, folder.path().join("farkas-cc")).expect("linked");
    let before = "export CCACHE_DIR=$PWD/ccache PATH=$PWD:$PATH; unset FARKAS_CC_STRICT";
    for (compiler, hits) in
        [(format!("{farkas} cc ccache gcc"), 1), ("CCACHE_PREFIX=farkas-cc ccache gcc".into(), 1)]
    {
        let script = format!(
            "{before}; ccache -z -C >/dev/null; for i in 1 2; do eval \"$CC -O2 -c kernel.c -o kernel.o\" || exit 1; done; \
            gcc -O2 main.c kernel.o -o prog && ./prog; ccache --print-stats"
        );
        let output = shell(&script, &compiler, folder.path(), cache.path());
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            said.contains(PRINTED),
            "{compiler}: {said} {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let n_hits: u32 = said
            .lines()
            .filter_map(|line| {
                line.strip_prefix("direct_cache_hit\t")
                    .or(line.strip_prefix("preprocessed_cache_hit\t"))
            })
            .filter_map(|n| n.parse::<u32>().ok())
            .sum();
        assert_eq!(n_hits, hits, "{compiler}: {said}");
    }
}
