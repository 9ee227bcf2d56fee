//! Which commands are transformed on their way, and why others are handed on as they are.

use crate::arguments::{Argument, CommandLine, Kind};
use std::ffi::OsString;

/// Options under which the compiler does something else than compile, or is asked what it does.
const OTHER_JOBS: [&str; 12] = [
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-###",
    "-v",
    "--version",
    "--help",
    "-dM",
    "-dumpversion",
    "-dumpmachine",
    "-dumpspecs",
];

/// Options, by how they begin, under which the program has to be compiled as it is written, with the reason.
const AS_WRITTEN: [(&str, &str); 26] = [
    ("-fsanitize", "sanitizers look at the program as it is written"),
    ("-fanalyzer", "the analyzer looks at the program as it is written"),
    ("--analyze", "the analyzer looks at the program as it is written"),
    ("--coverage", "coverage counts the lines as they are written"),
    ("-coverage", "coverage counts the lines as they are written"),
    ("-ftest-coverage", "coverage counts the lines as they are written"),
    ("-fprofile-arcs", "coverage counts the lines as they are written"),
    ("-fprofile-instr-generate", "coverage counts the lines as they are written"),
    ("-fwrapv", "signed overflow has a meaning"),
    ("-ftrapv", "signed overflow has a meaning"),
    ("-fno-strict-overflow", "signed overflow has a meaning"),
    ("-ffreestanding", "there may be no C library"),
    ("-fno-hosted", "there may be no C library"),
    ("-fno-builtin", "functions with the names of the C library's may be others"),
    ("-fnon-call-exceptions", "accesses may end a loop"),
    ("-frounding-math", "the rounding mode may change"),
    ("-std=c89", "the loops would need C99"),
    ("-std=c90", "the loops would need C99"),
    ("-std=gnu89", "the loops would need C99"),
    ("-std=gnu90", "the loops would need C99"),
    ("-std=iso9899:199", "the loops would need C99"),
    ("-ansi", "the loops would need C99"),
    ("-traditional", "the loops would need C99"),
    ("-fopenacc", "OpenACC has threads of its own"),
    ("-fplugin", "a plugin looks at the program as it is written"),
    ("--", "its options are spelled out"),
];

/// Long options that change nothing here, by how they begin.
const LONG: [&str; 4] = ["--param", "--sysroot", "--target", "--gcc-toolchain"];

/// Options of the linker, which has no part in what is read and generated.
const OF_LINKER: [&str; 17] = [
    "-l*",
    "-L*",
    "-Wl,*",
    "-Xlinker",
    "-T*",
    "-u",
    "-z",
    "-e",
    "-s",
    "-shared*",
    "-static*",
    "-rdynamic",
    "-nostartfiles",
    "-nodefaultlibs",
    "-nostdlib",
    "-framework",
    "-fuse-ld=*",
];

/// Options of dependency files.
const OF_DEPENDENCIES: [&str; 2] = ["-M*", "-Wp,-M*"];

/// Options that say what becomes of the code.
const OF_OUTPUT: [&str; 6] = ["-o*", "-c", "-S", "-x*", "-pipe", "-save-temps*"];

/// Why a command is handed on as it is; nothing where its files of C are looked at first.
pub(crate) fn handed_on(line: &CommandLine) -> Option<String> {
    if line.is_for_cpp() {
        return Some("it is a compiler of C++".to_owned());
    }
    if line.sources().next().is_none() {
        return Some("there is no file of C".to_owned());
    }
    if let Some((job, _)) = line.options().find(|(text, _)| OTHER_JOBS.contains(&&**text)) {
        return Some(format!("{job} asks for something else than code"));
    }
    let is_long = |text: &str| LONG.iter().any(|known| text.starts_with(known));
    for (option, reason) in AS_WRITTEN {
        let mut options = line.options();
        if let Some((text, _)) =
            options.find(|(text, _)| text.starts_with(option) && (option != "--" || !is_long(text)))
        {
            return Some(format!("{reason} ({text})"));
        }
    }
    unoptimised(line)
}

/// Why nothing is done for speed, if so: the last `-O` counts.
fn unoptimised(line: &CommandLine) -> Option<String> {
    let levels = line.options().filter(|(text, _)| text.starts_with("-O"));
    match levels.last() {
        None => Some("no optimization is asked for".to_owned()),
        Some((level, _)) if ["-O0", "-Og"].contains(&&*level) => {
            Some(format!("the code is for debuggers ({level})"))
        }
        Some((level, _)) if ["-Os", "-Oz"].contains(&&*level) => {
            Some(format!("the code is to be small ({level})"))
        }
        Some(_) => None,
    }
}

/// The options that decide how a source is read.
pub(crate) fn of_reading(line: &CommandLine) -> Vec<OsString> {
    let others = [&OF_DEPENDENCIES[..], &OF_LINKER, &OF_OUTPUT];
    let is_of_reading = |argument: &&Argument| {
        argument.kind == Kind::Option && !others.iter().any(|options| is_one_of(argument, options))
    };
    words(line.arguments.iter().filter(is_of_reading))
}

/// The arguments with which the compiler looks at the sources as they are written: it tells what it has to say of them, and writes
/// the dependency files, but generates nothing.
pub(crate) fn of_check(line: &CommandLine) -> Vec<OsString> {
    let is_of_check = |argument: &&Argument| {
        argument.kind != Kind::OtherInput && !is_one_of(argument, &OF_LINKER)
    };
    let mut words = words(line.arguments.iter().filter(is_of_check));
    words.push("-fsyntax-only".into());
    words
}

/// The options for one of several sources, but for where its code goes.
pub(crate) fn options_of_one(line: &CommandLine) -> impl Iterator<Item = &Argument> {
    let others = [&OF_DEPENDENCIES[..], &OF_LINKER, &["-o*"]];
    line.arguments.iter().filter(move |argument| {
        argument.kind == Kind::Option && !others.iter().any(|options| is_one_of(argument, options))
    })
}

/// Whether such a look is needed: for dependency files, or for warnings.
pub(crate) fn needs_check(line: &CommandLine) -> bool {
    line.options().any(|(_, argument)| is_one_of(argument, &OF_DEPENDENCIES))
        || std::env::var_os(DEPENDENCIES_OUTPUT).is_some()
        || std::env::var_os(SUNPRO_DEPENDENCIES).is_some()
        || asks_for_warnings(line)
}

/// Variables of the environment that ask for dependency files.
pub(crate) const DEPENDENCIES_OUTPUT: &str = "DEPENDENCIES_OUTPUT";
/// See [`DEPENDENCIES_OUTPUT`].
pub(crate) const SUNPRO_DEPENDENCIES: &str = "SUNPRO_DEPENDENCIES";

/// Whether warnings are asked for.
fn asks_for_warnings(line: &CommandLine) -> bool {
    let is_warning = |text: &str| {
        text.starts_with("-pedantic")
            || text.starts_with("-W")
                && !["-Wl,", "-Wa,", "-Wp,"].iter().any(|other| text.starts_with(other))
    };
    !line.has("-w") && line.options().any(|(text, _)| is_warning(&text))
}

/// Whether a warning may be an error. Those that compilers find while they optimize are known only once they did.
pub(crate) fn has_fatal_warnings(line: &CommandLine) -> bool {
    line.has_prefix("-Werror") && !line.has("-w")
}

/// Whether the arguments of a dependency file are among these.
pub(crate) fn is_of_dependencies(argument: &Argument) -> bool {
    is_one_of(argument, &OF_DEPENDENCIES)
}

/// Whether the command links.
pub(crate) fn links(line: &CommandLine) -> bool {
    !line.has("-c") && !line.has("-S")
}

/// The words of arguments.
fn words<'a>(arguments: impl Iterator<Item = &'a Argument>) -> Vec<OsString> {
    arguments.flat_map(|argument| argument.words.iter().cloned()).collect()
}

/// Whether an argument is one of these options; a star stands for whatever follows.
fn is_one_of(argument: &Argument, options: &[&str]) -> bool {
    let Some(first) = argument.words.first().map(|word| word.to_string_lossy()) else {
        return false;
    };
    let is = |option: &str| match option.strip_suffix('*') {
        Some(begin) => first.starts_with(begin),
        None => first == option,
    };
    argument.kind == Kind::Option && options.iter().any(|option| is(option))
}

/// Whether the compiler takes it that what is stored as one type changes nothing of another: gcc does so from `-O2` on.
pub(crate) fn has_strict_aliasing(line: &CommandLine) -> bool {
    let asked = line.options().filter(|(text, _)| text.ends_with("strict-aliasing")).last();
    let level = line.options().filter(|(text, _)| text.starts_with("-O")).last();
    match asked {
        Some((text, _)) => text == "-fstrict-aliasing",
        None => !level.is_some_and(|(text, _)| ["-O", "-O1"].contains(&&*text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> CommandLine {
        let words: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
        CommandLine::parse(&words).expect("a compiler")
    }

    #[test]
    fn what_asks_for_fast_code_of_c_is_looked_at() {
        for text in [
            "gcc -O2 -c a.c",
            "cc -O0 -O3 a.c b.o -o p -lm",
            "clang -O -S a.c",
            "gcc -Ofast -std=c99 -c a.c",
        ] {
            assert_eq!(handed_on(&line(text)), None, "{text}");
        }
    }

    #[test]
    fn everything_else_is_handed_on() {
        let reasons = [
            ("gcc -c a.c", "no optimization is asked for"),
            ("gcc -O3 -O0 -c a.c", "the code is for debuggers (-O0)"),
            ("gcc -Os -c a.c", "the code is to be small (-Os)"),
            ("gcc -O2 -E a.c", "-E asks for something else than code"),
            ("gcc -O2 a.o -o p", "there is no file of C"),
            ("g++ -O2 -c a.c", "it is a compiler of C++"),
            (
                "gcc -O2 -fsanitize=address -c a.c",
                "sanitizers look at the program as it is written (-fsanitize=address)",
            ),
            ("gcc -O2 -std=gnu89 -c a.c", "the loops would need C99 (-std=gnu89)"),
            ("gcc --version", "there is no file of C"),
        ];
        for (text, reason) in reasons {
            assert_eq!(handed_on(&line(text)).as_deref(), Some(reason), "{text}");
        }
    }

    #[test]
    fn types_say_what_shares_memory_from_the_second_level_on() {
        let cases = [
            ("gcc -O1 -c a.c", false),
            ("gcc -O -O2 -c a.c", true),
            ("gcc -Ofast -c a.c", true),
            ("gcc -O1 -fstrict-aliasing -c a.c", true),
            ("gcc -fno-strict-aliasing -O3 -c a.c", false),
            ("gcc -fno-strict-aliasing -fstrict-aliasing -O3 -c a.c", true),
        ];
        for (text, expected) in cases {
            assert_eq!(has_strict_aliasing(&line(text)), expected, "{text}");
        }
    }

    #[test]
    fn options_have_their_stages() {
        let line = line(
            "gcc -O3 -std=c99 -Ia -D X -MMD -MF a.d -Wall -shared -s a.c b.o -lm -o p.so -Wl,-x",
        );
        assert_eq!(of_reading(&line), ["-O3", "-std=c99", "-Ia", "-D", "X", "-Wall"]);
        let check = [
            "-O3",
            "-std=c99",
            "-Ia",
            "-D",
            "X",
            "-MMD",
            "-MF",
            "a.d",
            "-Wall",
            "a.c",
            "-o",
            "p.so",
            "-fsyntax-only",
        ];
        assert_eq!(of_check(&line), check);
        assert!(needs_check(&line) && links(&line) && !has_fatal_warnings(&line));
    }
}
