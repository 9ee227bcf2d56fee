//! Typed marks: what transformations tell code generation.

use std::fmt;
use std::str::FromStr;

/// A mark in a schedule tree. The text form is what isl's YAML shows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// The band below has one member, whose iterations may run at the same time on several threads.
    Parallel,
    /// The band below has one member, the innermost loop, whose iterations may run in vector lanes.
    Vector,
    /// Each iteration of the band below, which is marked parallel or vector and has one member, has its own copy of these
    /// arrays, by name. Copies start undefined and nothing reads them after the iteration.
    Private(Vec<String>),
    /// Each iteration of the band below, which is marked parallel or vector and has one member, updates copies of these arrays, by name,
    /// that begin with the neutral element of the operator; what they hold afterwards is combined with the arrays' elements.
    Reduce(Vec<String>),
    /// The band below iterates over tiles of these sizes, one a member.
    Tile(Vec<i64>),
    /// The band below iterates over the points of a tile.
    Point,
    /// The first member of the band below is the sum of tile loops (a wavefront).
    Wavefront,
    /// The axes of a GPU's threads that run the members of the band below; none for members that each thread runs itself.
    Threads(Vec<Option<ThreadAxis>>),
    /// Full tiles of the band below are generated apart from partial ones.
    SeparateFullTiles,
    /// These statements, by name, run through whole tiles of the band below, also where tiles are partial: beyond their instances they
    /// touch buffers alone, and set to zero what they fill from elsewhere. Full tiles are apart.
    Padded(Vec<String>),
    /// The loops below are as they should be: tiled, in order and marked.
    Shaped,
    /// The band below has one member, of few iterations, which a compiler is to write out one after another.
    Unroll,
}

/// An axis of a GPU's threads. Threads that follow one another along `X` run side by side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ThreadAxis {
    /// The innermost.
    X,
    /// The middle one.
    Y,
    /// The outermost.
    Z,
}

impl ThreadAxis {
    /// All of them with their letters.
    const LETTERS: [(&'static str, Self); 3] = [("x", Self::X), ("y", Self::Y), ("z", Self::Z)];

    /// The letter of an axis; a dash for none.
    fn letter(axis: Option<Self>) -> &'static str {
        let found = Self::LETTERS.iter().find(|(_, known)| Some(*known) == axis);
        found.map_or("-", |(letter, _)| letter)
    }

    /// The axis of a letter, or none for a dash; `None` for other texts.
    fn from_letter(letter: &str) -> Option<Option<Self>> {
        if letter == "-" {
            return Some(None);
        }
        Self::LETTERS.iter().find(|(known, _)| *known == letter).map(|(_, axis)| Some(*axis))
    }
}

/// A mark with a name that is not one of [`Mark`]'s.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "unknown mark `{0}`: expected parallel, vector, private A,B.., reduce A,B.., tile S1,S2.., point, wavefront, threads A1,A2.., separate-full-tiles, padded S1,S2.., shaped or unroll"
)]
pub struct UnknownMark(pub String);

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parallel => f.write_str("parallel"),
            Self::Vector => f.write_str("vector"),
            Self::Private(arrays) => write!(f, "private {}", arrays.join(",")),
            Self::Reduce(arrays) => write!(f, "reduce {}", arrays.join(",")),
            Self::Tile(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
                write!(f, "tile {}", sizes.join(","))
            }
            Self::Point => f.write_str("point"),
            Self::Wavefront => f.write_str("wavefront"),
            Self::Threads(axes) => {
                let axes: Vec<&str> = axes.iter().map(|axis| ThreadAxis::letter(*axis)).collect();
                write!(f, "threads {}", axes.join(","))
            }
            Self::SeparateFullTiles => f.write_str("separate-full-tiles"),
            Self::Padded(stmts) => write!(f, "padded {}", stmts.join(",")),
            Self::Shaped => f.write_str("shaped"),
            Self::Unroll => f.write_str("unroll"),
        }
    }
}

impl FromStr for Mark {
    type Err = UnknownMark;
    fn from_str(text: &str) -> Result<Self, UnknownMark> {
        let unknown = || UnknownMark(text.to_owned());
        match text {
            "parallel" => Ok(Self::Parallel),
            "vector" => Ok(Self::Vector),
            "point" => Ok(Self::Point),
            "wavefront" => Ok(Self::Wavefront),
            "separate-full-tiles" => Ok(Self::SeparateFullTiles),
            "shaped" => Ok(Self::Shaped),
            "unroll" => Ok(Self::Unroll),
            _ if text.starts_with("private ") => {
                Ok(Self::Private(names(&text["private ".len()..]).ok_or_else(unknown)?))
            }
            _ if text.starts_with("reduce ") => {
                Ok(Self::Reduce(names(&text["reduce ".len()..]).ok_or_else(unknown)?))
            }
            _ if text.starts_with("padded ") => {
                Ok(Self::Padded(names(&text["padded ".len()..]).ok_or_else(unknown)?))
            }
            _ if text.starts_with("threads ") => {
                let axes = text["threads ".len()..].split(',').map(str::trim);
                let axes: Option<Vec<_>> = axes.map(ThreadAxis::from_letter).collect();
                Ok(Self::Threads(axes.ok_or_else(unknown)?))
            }
            _ => {
                let sizes = text.strip_prefix("tile ").ok_or_else(unknown)?;
                let sizes: Result<Vec<i64>, _> =
                    sizes.split(',').map(|s| s.trim().parse()).collect();
                Ok(Self::Tile(sizes.map_err(|_| unknown())?))
            }
        }
    }
}

/// Names between commas; `None` where one is empty.
fn names(text: &str) -> Option<Vec<String>> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    (!names.iter().any(String::is_empty)).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        let marks = [
            Mark::Parallel,
            Mark::Vector,
            Mark::Private(vec!["t".into(), "u_1".into()]),
            Mark::Reduce(vec!["s".into()]),
            Mark::Tile(vec![32, 8]),
            Mark::Point,
            Mark::Wavefront,
            Mark::Threads(vec![Some(ThreadAxis::Y), None, Some(ThreadAxis::X)]),
            Mark::SeparateFullTiles,
            Mark::Padded(vec!["S0".into(), "S0_load".into()]),
            Mark::Shaped,
            Mark::Unroll,
        ];
        for mark in marks {
            assert_eq!(mark.to_string().parse(), Ok(mark));
        }
        assert!("tile x".parse::<Mark>().is_err());
        assert!("private ".parse::<Mark>().is_err());
        assert!("private t,".parse::<Mark>().is_err());
        assert!("threads w".parse::<Mark>().is_err());
        assert!("kernel".parse::<Mark>().is_err());
    }
}
