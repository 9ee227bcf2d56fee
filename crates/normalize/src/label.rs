//! Names that do not depend on how things were called, nor on where they stood.
//!
//! Names are told apart by what stands around them: two have one colour as long as the lines in which they occur are the same, colours in
//! the place of names. Where that leaves a choice, each of the names of the first such colour is tried as the first, and the one is
//! taken with which the text is the least. (Colour refinement with individualisation, as in B. D. McKay, A. Piperno,
//! *Practical graph isomorphism, II*, JSC 2014, without its automorphisms: of names after which the text is the same any is taken.)

use crate::term::{NameId, Part, Term};
use farkas_base::IdVec;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};

/// How many of the names that nothing tells apart are tried as the first of them.
const MAX_TRIED: usize = 12;

/// What a name is for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Sort {
    /// Arrays and scalars.
    Array,
    /// Parameters.
    Param,
}

/// What is to be named.
#[derive(Clone, Debug)]
pub(crate) struct Named {
    pub(crate) sort: Sort,
    /// What the program calls it.
    pub(crate) own: String,
}

/// A text with names.
pub(crate) struct Labelled {
    pub(crate) text: String,
    /// What the program calls that which has each name.
    pub(crate) own_names: BTreeMap<String, String>,
}

/// A text to be named.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    /// How many loops are around the statements.
    pub(crate) depth: usize,
    /// The statements.
    pub(crate) body: Part,
    /// What is said of arrays, in any order.
    pub(crate) declarations: Vec<Term>,
    /// What the names are for.
    pub(crate) names: IdVec<NameId, Named>,
}

/// A colour for each name.
type Colours = IdVec<NameId, usize>;

/// A line in which names occur.
struct Line<'a> {
    term: &'a Term,
    /// How many loops are around it, if it is a statement.
    place: String,
    names: BTreeSet<NameId>,
}

impl Sheet {
    /// The text with names by first occurrence, declarations in the order of their names.
    pub(crate) fn labelled(&self) -> Labelled {
        let lines = self.all_lines();
        let mut colours = self.names.iter().map(|named| named.sort as usize).collect();
        colours = refined(&lines, colours);
        while let Some(alike) = first_alike(&colours) {
            let tries = alike.into_iter().take(MAX_TRIED);
            let tries = tries.map(|first| refined(&lines, with_first(&colours, first)));
            let least = tries.min_by_key(|colours| self.coloured(colours));
            let Some(least) = least else { break };
            colours = least;
        }
        let Labelled { text, own_names } = self.named(&self.coloured(&colours), &colours);
        let mut lines: Vec<&str> = text.lines().collect();
        let n_stmts = lines.len().saturating_sub(self.declarations.len());
        lines[n_stmts..].sort_unstable();
        Labelled { text: lines.join("\n"), own_names }
    }

    /// The lines of statements and declarations.
    fn all_lines(&self) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        for term in &self.declarations {
            lines.push(Line { term, place: String::new(), names: term.names() });
        }
        collect(&self.body, self.depth, &mut lines);
        lines
    }

    /// The text with colours in the place of names.
    fn coloured(&self, colours: &Colours) -> String {
        let colour = |name: NameId| marked(colours[name]);
        let mut lines = self.body.lines(self.depth, &colour);
        let mut declarations: Vec<String> =
            self.declarations.iter().map(|term| term.print(&colour)).collect();
        declarations.sort_unstable();
        lines.extend(declarations);
        lines.join("\n")
    }

    /// A text with names in the place of colours, of which no two are the same.
    fn named(&self, text: &str, colours: &Colours) -> Labelled {
        let by_colour: BTreeMap<usize, NameId> =
            colours.iter_enumerated().map(|(name, colour)| (*colour, name)).collect();
        let (mut given, mut counts) = (BTreeMap::new(), BTreeMap::new());
        let mut own_names = BTreeMap::new();
        let mut pieces = text.split(MARK);
        let mut written = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (colour, rest) = piece.split_at_checked(WIDTH).unwrap_or((piece, ""));
            let name = colour.parse().ok().and_then(|colour: usize| by_colour.get(&colour));
            let named = name.map(|name| &self.names[*name]);
            let sort = named.map_or(Sort::Array, |named| named.sort);
            let number = *given.entry(name).or_insert_with(|| {
                let count: &mut usize = counts.entry(sort).or_default();
                *count += 1;
                *count - 1
            });
            let letter = if sort == Sort::Array { 'a' } else { 'n' };
            let label = format!("{letter}{number}");
            written.push_str(&format!("{label}{rest}"));
            own_names.extend(named.map(|named| (label, named.own.clone())));
        }
        Labelled { text: written, own_names }
    }
}

/// What stands in front of a colour, and in no text of a program.
const MARK: char = '\u{1}';
/// How many digits a colour has.
const WIDTH: usize = 6;

/// A colour as text.
fn marked(colour: usize) -> String {
    format!("{MARK}{colour:0WIDTH$}")
}

/// The lines of the statements of a part.
fn collect<'a>(part: &'a Part, depth: usize, lines: &mut Vec<Line<'a>>) {
    match part {
        Part::Stmt(term) => {
            lines.push(Line { term, place: format!("{depth} "), names: term.names() });
        }
        Part::Loop(inner) => collect(inner, depth + 1, lines),
        Part::Sequence(parts) => parts.iter().for_each(|(part, _)| collect(part, depth, lines)),
    }
}

/// Colours that tell names apart by the lines in which they occur, with the others' colours in them, until that tells no more apart.
fn refined(lines: &[Line<'_>], mut colours: Colours) -> Colours {
    loop {
        let mut around: IdVec<NameId, Vec<[u8; 32]>> = colours.iter().map(|_| Vec::new()).collect();
        for line in lines {
            for own in &line.names {
                let mark = |name: NameId| match name == *own {
                    true => format!("{MARK}own"),
                    false => marked(colours[name]),
                };
                let text = format!("{}{}", line.place, line.term.print(&mark));
                around[*own].push(Sha256::digest(text).into());
            }
        }
        around.iter_mut().for_each(|places| places.sort_unstable());
        let keys: Vec<_> = colours.iter().zip(around.iter()).collect();
        let ranks: BTreeSet<_> = keys.iter().copied().collect();
        let ranks: BTreeMap<_, usize> =
            ranks.into_iter().enumerate().map(|(rank, key)| (key, rank)).collect();
        let next: Colours = keys.iter().map(|key| ranks[key]).collect();
        if count(&next) == count(&colours) {
            return next;
        }
        colours = next;
    }
}

/// How many colours there are.
fn count(colours: &Colours) -> usize {
    colours.iter().collect::<BTreeSet<_>>().len()
}

/// The names of the first colour that several have.
fn first_alike(colours: &Colours) -> Option<Vec<NameId>> {
    let mut by_colour: BTreeMap<usize, Vec<NameId>> = BTreeMap::new();
    for (name, colour) in colours.iter_enumerated() {
        by_colour.entry(*colour).or_default().push(name);
    }
    by_colour.into_values().find(|names| names.len() > 1)
}

/// Colours of which that of one name comes before those that were the same.
fn with_first(colours: &Colours, first: NameId) -> Colours {
    let is_first = |name: NameId| usize::from(name != first);
    colours.iter_enumerated().map(|(name, colour)| 2 * colour + is_first(name)).collect()
}
