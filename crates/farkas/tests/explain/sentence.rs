//! What an explanation says, read from its text.

/// What is said of one loop.
#[derive(Clone, Debug)]
pub(crate) struct Sentence {
    pub(crate) iterator: String,
    /// All that follows the loop's name.
    pub(crate) text: String,
    /// What it carries, as the lines below it say.
    pub(crate) carried: Vec<Line>,
}

/// `flow of C: line 12 writes, lines 14, 15 read, distances (0,1) (1,0) and 3 more`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    pub(crate) kind: String,
    pub(crate) array: String,
    pub(crate) sources: Vec<String>,
    pub(crate) sinks: Vec<String>,
    pub(crate) distances: Vec<Vec<String>>,
    /// Whether there are more distances than are written out.
    pub(crate) has_more: bool,
}

impl Sentence {
    /// Whether the loop is said to carry nothing.
    pub(crate) fn carries_nothing(&self) -> bool {
        self.text.contains("carries no")
    }

    /// The name between backticks right before `words`.
    pub(crate) fn name_before(&self, words: &str) -> Option<&str> {
        let before = self.text.split(words).next().filter(|_| self.text.contains(words))?;
        before.trim_end().strip_suffix('`')?.rsplit('`').next()
    }
}

/// The sentences on the loops of an explanation, in its order.
pub(crate) fn sentences(explanation: &str) -> Vec<Sentence> {
    let mut found: Vec<Sentence> = Vec::new();
    for line in explanation.lines().map(str::trim_start) {
        if let Some(rest) = line.strip_prefix("for `") {
            let (iterator, text) = rest.split_once('`').expect("a loop's name");
            let mut sentence =
                Sentence { iterator: iterator.into(), text: text.into(), carried: Vec::new() };
            if sentence.text.contains("carries the same as") {
                let other = sentence.name_before(" above").expect("another loop");
                let told =
                    found.iter().rev().find(|s| s.iterator == other && !s.carried.is_empty());
                sentence.carried.clone_from(&told.expect("a list above").carried);
            }
            found.push(sentence);
        } else if let Some(rest) = line.strip_prefix("- ") {
            found.last_mut().expect("a loop").carried.push(carried(rest));
        }
    }
    found
}

/// One line of what a loop carries.
fn carried(text: &str) -> Line {
    let (kind, rest) = text.split_once(" of ").expect("a kind");
    let (array, rest) = rest.split_once(": ").expect("an array");
    let words: Vec<&str> = rest.split(' ').map(|word| word.trim_end_matches(',')).collect();
    let is_verb = |word: &&str| matches!(*word, "read" | "reads" | "write" | "writes");
    let mut parts = words.split(is_verb);
    let mut places = || {
        let part = parts.next().expect("places");
        let places = part.iter().filter(|word| !matches!(**word, "line" | "lines"));
        places.map(|word| (*word).to_owned()).collect()
    };
    let (sources, sinks) = (places(), places());
    let rest = parts.next().unwrap_or_default();
    let distances = rest.iter().filter_map(|word| word.strip_prefix('(')?.strip_suffix(')'));
    Line {
        kind: kind.into(),
        array: array.into(),
        sources,
        sinks,
        distances: distances.map(|d| d.split(',').map(str::to_owned).collect()).collect(),
        has_more: rest.contains(&"more"),
    }
}

/// Whether a distance is one of those that are written as `written`.
pub(crate) fn is_distance(written: &[String], distance: &[i64]) -> bool {
    let fits = |(written, found): (&String, &i64)| match written.as_str() {
        "+" => *found > 0,
        "-" => *found < 0,
        "0+" => *found >= 0,
        "0-" => *found <= 0,
        "*" => true,
        number => number.parse() == Ok(*found),
    };
    written.len() <= distance.len() && written.iter().zip(distance).all(fits)
}
