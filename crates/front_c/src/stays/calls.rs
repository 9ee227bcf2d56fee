//! Functions of the C library that touch no memory of the program's but what their arguments lead to.

use crate::lower::library_function;

/// Such functions, beside those of mathematics. What they are called with are numbers, texts, streams, or addresses of variables.
const HARMLESS: [&str; 26] = [
    "clock",
    "clock_gettime",
    "difftime",
    "fflush",
    "fprintf",
    "fputc",
    "fputs",
    "getrusage",
    "gettimeofday",
    "omp_get_max_threads",
    "omp_get_num_threads",
    "omp_get_thread_num",
    "omp_get_wtime",
    "perror",
    "printf",
    "putc",
    "putchar",
    "puts",
    "rand",
    "random",
    "srand",
    "srandom",
    "time",
    "timespec_get",
    "usleep",
    "sched_yield",
];

/// Variables of the C library that lead to no memory of the program's.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

/// Macros whose text is always the same, or differs in nothing that matters.
const MACROS: [&str; 14] = [
    "NULL",
    "stdin",
    "stdout",
    "stderr",
    "true",
    "false",
    "bool",
    "INFINITY",
    "NAN",
    "CLOCKS_PER_SEC",
    "CLOCK_REALTIME",
    "CLOCK_MONOTONIC",
    "RAND_MAX",
    "TIME_UTC",
];

/// Whether a function of the C library depends on numbers alone, and changes nothing.
pub(super) fn is_of_numbers(name: &str) -> bool {
    library_function(name).is_some()
}

/// Whether a function of the C library touches nothing but what its arguments lead to.
pub(super) fn is_harmless(name: &str) -> bool {
    HARMLESS.contains(&name)
}

/// Whether a name is a stream's.
pub(super) fn is_stream(name: &str) -> bool {
    STREAMS.contains(&name)
}

/// Whether a macro with this text is the same, as far as memory goes, in every compilation.
pub(super) fn is_plain_macro(name: &str, expansion: &str) -> bool {
    let text = expansion.trim_matches([' ', '(', ')', '-', '+']);
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-'));
    is_number || MACROS.contains(&name)
}
