//! The command line of a C compiler, as gcc and clang read it.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A compiler with its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandLine {
    /// What stands before the compiler and runs it, such as `ccache`.
    pub launchers: Vec<OsString>,
    /// The compiler.
    pub compiler: OsString,
    /// Its arguments, in their order.
    pub arguments: Vec<Argument>,
}

/// An argument, with the word that belongs to it: `-c`, `-o main.o`, `main.c`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// One word or two.
    pub words: Vec<OsString>,
    /// What it is.
    pub kind: Kind,
}

/// What an argument is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A file of C.
    Source,
    /// Another input: an object, a library, a file of another language, standard input.
    OtherInput,
    /// An option.
    Option,
}

/// Programs that run the compiler that follows them.
const LAUNCHERS: [&str; 6] = ["ccache", "sccache", "distcc", "icecc", "buildcache", "pump"];

/// Options whose value is the next word.
const WITH_VALUE: [&str; 51] = [
    "-o",
    "-x",
    "-I",
    "-D",
    "-U",
    "-L",
    "-l",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-iframework",
    "-iwithsysroot",
    "-ivfsoverlay",
    "-include-pch",
    "-F",
    "-framework",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-u",
    "-z",
    "-e",
    "-A",
    "-B",
    "-V",
    "-b",
    "-G",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-mllvm",
    "-arch",
    "-target",
    "--param",
    "--sysroot",
    "-aux-info",
    "-dumpbase",
    "-wrapper",
];

/// Where a file of C is one by its name.
const EXTENSION: &str = "c";

impl CommandLine {
    /// Reads words, of which the first is a launcher or the compiler; nothing where there is none.
    pub fn parse(words: &[OsString]) -> Option<Self> {
        let is_launcher =
            |word: &&OsString| file_name(word).is_some_and(|name| LAUNCHERS.contains(&&*name));
        let n = words.iter().take_while(is_launcher).count();
        // `ccache -s` is a call of ccache itself.
        let n = if words.get(n).is_none_or(|word| is_option(word)) { 0 } else { n };
        let (launchers, rest) = words.split_at(n);
        let (compiler, rest) = rest.split_first()?;
        Some(Self {
            launchers: launchers.to_vec(),
            compiler: compiler.clone(),
            arguments: arguments(rest),
        })
    }

    /// The files of C.
    pub fn sources(&self) -> impl Iterator<Item = &Path> {
        let sources = self.arguments.iter().filter(|argument| argument.kind == Kind::Source);
        sources.filter_map(|argument| argument.words.first()).map(Path::new)
    }

    /// The options, each with its first word as text.
    pub fn options(&self) -> impl Iterator<Item = (Cow<'_, str>, &Argument)> {
        let options = self.arguments.iter().filter(|argument| argument.kind == Kind::Option);
        options.filter_map(|argument| Some((argument.words.first()?.to_string_lossy(), argument)))
    }

    /// Whether an option is there, spelled so.
    pub fn has(&self, option: &str) -> bool {
        self.options().any(|(text, _)| text == option)
    }

    /// Whether an option begins so.
    pub fn has_prefix(&self, prefix: &str) -> bool {
        self.options().any(|(text, _)| text.starts_with(prefix))
    }

    /// Whether it is a compiler of C++ that takes files of C for its own language.
    pub fn is_for_cpp(&self) -> bool {
        file_name(&self.compiler).is_some_and(|name| {
            let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || "-.".contains(c));
            name.ends_with("++")
        })
    }
}

impl Argument {
    /// An option of one word.
    pub fn option(word: impl Into<OsString>) -> Self {
        Self { words: vec![word.into()], kind: Kind::Option }
    }
}

/// Words after the compiler as arguments.
fn arguments(words: &[OsString]) -> Vec<Argument> {
    let mut found = Vec::new();
    let mut language: Option<String> = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        if !is_option(word) {
            let is_c = match language.as_deref() {
                Some(language) => language == "c",
                None => Path::new(word).extension() == Some(OsStr::new(EXTENSION)),
            };
            let kind = if is_c && text != "-" { Kind::Source } else { Kind::OtherInput };
            found.push(Argument { words: vec![word.clone()], kind });
            continue;
        }
        let mut words = vec![word.clone()];
        if WITH_VALUE.contains(&&*text) {
            words.extend(rest.next().cloned());
        }
        if let Some(joined) = text.strip_prefix("-x") {
            let named = words.get(1).map_or(joined.into(), |word| word.to_string_lossy());
            language = Some(named.into_owned()).filter(|name| name != "none");
        }
        found.push(Argument { words, kind: Kind::Option });
    }
    found
}

/// Whether a word is an option. A lone `-` is standard input.
fn is_option(word: &OsStr) -> bool {
    word.to_string_lossy().starts_with('-') && word != "-"
}

/// The name of a program without its folder.
fn file_name(program: &OsStr) -> Option<Cow<'_, str>> {
    Path::new(program).file_name().map(OsStr::to_string_lossy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> CommandLine {
        let words: Vec<OsString> = text.split_whitespace().map(OsString::from).collect();
        CommandLine::parse(&words).expect("a compiler")
    }

    fn sources(text: &str) -> Vec<String> {
        parsed(text).sources().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn inputs_are_told_from_values() {
        assert_eq!(sources("gcc -O2 -c a.c -o b.c"), ["a.c"]);
        assert_eq!(sources("gcc -include c.c -MF d.c a.c lib.a x.o y.s z.cc -lm"), ["a.c"]);
        assert_eq!(sources("gcc -Dx.c a.c b.c"), ["a.c", "b.c"]);
        assert!(sources("gcc -c -").is_empty());
    }

    #[test]
    fn a_language_holds_for_what_follows() {
        assert_eq!(sources("gcc a.inc -x c b.inc -x none c.inc d.c"), ["b.inc", "d.c"]);
        assert_eq!(sources("gcc -xc++ a.c -xc b.cc"), ["b.cc"]);
        assert!(sources("gcc -x c -").is_empty());
    }

    #[test]
    fn launchers_stand_before_the_compiler() {
        let line = parsed("/usr/bin/ccache clang-14 -c a.c");
        assert_eq!((line.launchers.len(), line.compiler.to_str()), (1, Some("clang-14")));
        let own = parsed("ccache -s");
        assert_eq!((own.launchers.len(), own.compiler.to_str()), (0, Some("ccache")));
    }

    #[test]
    fn compilers_of_other_languages_are_known() {
        for name in ["g++", "clang++-14", "/usr/bin/x86_64-linux-gnu-g++-12"] {
            assert!(parsed(name).is_for_cpp(), "{name}");
        }
        assert!(!parsed("gcc-12").is_for_cpp());
    }
}
