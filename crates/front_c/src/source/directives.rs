//! What a pragma means for the statement that it stands before.
//!
//! OpenMP's directives are those of its Application Programming Interface 5.2 and 6.0. What counts of each is whether its
//! statement computes the same without it: a loop under `omp parallel for` does, whose iterations any thread may run; one
//! under `omp for` does not, for without it every thread of the team runs all iterations.

/// What a pragma is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Ours.
    Own,
    /// Tells compilers of a loop what changes nothing that it computes: `GCC ivdep`, `omp unroll`.
    Wish,
    /// The same, and the loops inside are a part of what it is about: `omp simd`, `omp tile`.
    Nest,
    /// Starts threads that share the iterations of a loop out: `omp parallel for`.
    ParallelLoop,
    /// Keeps threads that share a loop out of one another's way: `omp atomic`, `omp critical`.
    Exclusive,
    /// Starts threads that all run the statement: `omp parallel`.
    Parallel,
    /// Says which of the threads around runs what: `omp for`, `omp single`, `omp task`.
    Shared,
    /// Runs by itself, whatever statement follows: `omp barrier`.
    Alone,
    /// Is about another processor, or about copies of a function: `omp target`, `omp declare simd`.
    Device,
    /// Holds from where it stands on: `GCC diagnostic`, `STDC FP_CONTRACT`.
    Standing,
    /// Not known.
    Unknown,
}

/// What the pragma with these words after `pragma` is.
pub(super) fn role(words: &str) -> Role {
    let mut names = directive_names(words);
    let (first, second) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    match (first, second) {
        ("scop" | "farkas", _) => Role::Own,
        ("omp", _) => open_mp(words),
        ("GCC", "ivdep" | "unroll" | "novector") | ("clang", "loop") => Role::Wish,
        (
            "ivdep" | "unroll" | "nounroll" | "unroll_and_jam" | "nounroll_and_jam" | "vector"
            | "novector" | "loop_count" | "nofusion" | "nodistribute",
            _,
        ) => Role::Wish,
        ("simd", _) => Role::Nest,
        ("STDC" | "GCC" | "clang" | "endscop", _) => Role::Standing,
        (
            "pack" | "once" | "message" | "weak" | "region" | "endregion" | "push_macro"
            | "pop_macro" | "redefine_extname" | "warning",
            _,
        ) => Role::Standing,
        _ => Role::Unknown,
    }
}

/// What the OpenMP directive is.
fn open_mp(words: &str) -> Role {
    let mut names = directive_names(words).skip(1);
    let (first, second) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    match (first, second) {
        ("unroll", _) => Role::Wish,
        ("simd" | "tile" | "interchange" | "reverse" | "stripe" | "fuse" | "split", _) => {
            Role::Nest
        }
        ("parallel", "for" | "loop") => Role::ParallelLoop,
        ("parallel", _) => Role::Parallel,
        ("atomic" | "critical" | "ordered", _) => Role::Exclusive,
        ("for" | "sections" | "section" | "single" | "master" | "masked" | "loop", _)
        | ("task" | "taskloop" | "taskgroup" | "scope" | "taskgraph", _) => Role::Shared,
        ("barrier" | "flush" | "taskwait" | "taskyield" | "cancel" | "cancellation", _)
        | ("threadprivate" | "scan" | "depobj" | "error" | "nothing" | "interop", _)
        | ("target", "update" | "enter" | "exit") => Role::Alone,
        ("target" | "teams" | "distribute" | "declare" | "begin" | "end" | "dispatch", _) => {
            Role::Device
        }
        _ => Role::Unknown,
    }
}

/// The words of a pragma up to the first parenthesis.
pub(super) fn directive_names(words: &str) -> impl Iterator<Item = &str> {
    let end = words.find('(').unwrap_or(words.len());
    words[..end].split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}

/// Whether vector lanes are asked for what is inside of the pragma's loop, too.
pub(super) fn has_lanes(words: &str) -> bool {
    directive_names(words).any(|word| word == "simd")
}

/// How many loops, one inside the other, the pragma is about; `None` where it does not say so in digits.
pub(super) fn n_loops(words: &str) -> Option<usize> {
    let counts = ["collapse", "ordered"].into_iter().flat_map(|name| clauses(words, name));
    counts.map(|text| text.trim().parse().ok()).try_fold(1, |n: usize, count| Some(n.max(count?)))
}

/// The variables of which a pragma gives threads copies that are not those of the code around it.
pub(super) fn private_names(words: &str) -> impl Iterator<Item = &str> {
    let lists = ["private", "firstprivate"].into_iter().flat_map(|name| clauses(words, name));
    lists.flat_map(|list| list.split(',')).map(str::trim)
}

/// The variables that `omp threadprivate` names.
pub(super) fn thread_private_names(words: &str) -> impl Iterator<Item = &str> {
    let is_omp = words.trim_start().starts_with("omp");
    let lists = is_omp.then(|| clauses(words, "threadprivate")).into_iter().flatten();
    lists.flat_map(|list| list.split(',')).map(str::trim)
}

/// What stands in the parentheses after each occurrence of `name` as a word.
pub(super) fn clauses<'w>(words: &'w str, name: &str) -> Vec<&'w str> {
    let mut found = Vec::new();
    for (at, _) in words.match_indices(name) {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let rest = words[at + name.len()..].trim_start();
        if !words[..at].ends_with(is_part)
            && let Some(list) = rest.strip_prefix('(')
        {
            found.push(list.split(')').next().unwrap_or_default());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles() {
        for (words, expected) in [
            ("omp parallel for private(i, j)", Role::ParallelLoop),
            ("omp parallel for simd", Role::ParallelLoop),
            ("omp parallel private(i)", Role::Parallel),
            ("omp parallel sections", Role::Parallel),
            ("omp for nowait", Role::Shared),
            ("omp critical(name)", Role::Exclusive),
            ("omp barrier", Role::Alone),
            ("omp target teams distribute parallel for", Role::Device),
            ("omp target update to(x)", Role::Alone),
            ("omp simd", Role::Nest),
            ("GCC ivdep", Role::Wish),
            ("unroll(4)", Role::Wish),
            ("GCC diagnostic push", Role::Standing),
            ("STDC FP_CONTRACT OFF", Role::Standing),
            ("acc kernels", Role::Unknown),
            ("omp metadirective when(x: parallel)", Role::Unknown),
        ] {
            assert_eq!(role(words), expected, "{words}");
        }
    }

    #[test]
    fn clauses_are_whole_words() {
        let words = "omp parallel for lastprivate(z) private (i,j) firstprivate( k ) collapse(2)";
        assert_eq!(private_names(words).collect::<Vec<_>>(), ["i", "j", "k"]);
        assert_eq!(n_loops(words), Some(2));
        assert_eq!(n_loops("omp parallel for collapse(N)"), None);
        assert_eq!(n_loops("omp for ordered"), Some(1));
        assert_eq!(thread_private_names("omp threadprivate(a, b)").collect::<Vec<_>>(), ["a", "b"]);
        assert!(has_lanes("omp for simd") && !has_lanes("omp for reduction(+:simd)"));
    }
}
