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
    /// What is below is one launch on a GPU, whose blocks have so many threads along x, y and z.
    Kernel([i64; 3]),
    /// The iterations of the members of the band below are divided among the blocks of the kernel around it, each along an axis of
    /// the grid. Which block runs which iteration is not known.
    Blocks(Vec<GpuAxis>),
    /// The iterations of the members of the band below are divided among the threads of a block, each along an axis: the one with
    /// value `v` runs on thread `v mod n` of the `n` that there are; of loops over tiles, the tile with number `v`. What is in no such band runs on thread 0 of the axis.
    Threads(Vec<GpuAxis>),
    /// All threads of a block wait for one another before what is below begins, in each iteration of the loops around it.
    Barrier,
    /// Full tiles of the band below are generated apart from partial ones.
    SeparateFullTiles,
    /// These statements, by name, run through whole tiles of the band below, also where tiles are partial: beyond their instances they
    /// touch buffers alone, and set to zero what they fill from elsewhere. Full tiles are apart.
    Padded(Vec<String>),
    /// The loops below are as they should be: tiled, in order and marked.
    Shaped,
    /// The band below has one member, of few iterations, which a compiler is to write out one after another.
    Unroll,
    /// The band below has one member, the innermost loop, whose iterations rarely change anything: code may ask of a block of them at once whether any
    /// does.
    Rare,
    /// The band below has one member, which with the two loops in it sums up products of numbers of 16 bits: a warp may compute its iterations, so many at
    /// once, with those of the loops inside, in any order. What does not know how runs one after another.
    Tensor,
}

/// The most iterations of a loop that are written out one after another.
pub const MAX_WRITTEN_OUT: i64 = 16;

/// An axis of a GPU's grid of blocks, or of a block's threads. Threads that follow one another along `X` run side by side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum GpuAxis {
    /// The innermost.
    X,
    /// The middle one.
    Y,
    /// The outermost.
    Z,
}

impl GpuAxis {
    /// All of them, the innermost first.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// The position among all.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The letter, as CUDA has it.
    pub fn letter(self) -> &'static str {
        ["x", "y", "z"][self.index()]
    }

    /// The axis of a letter.
    fn from_letter(letter: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|axis| axis.letter() == letter)
    }
}

/// A mark with a name that is not one of [`Mark`]'s.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "unknown mark `{0}`: expected parallel, vector, private A,B.., reduce A,B.., tile S1,S2.., point, wavefront, kernel X,Y,Z, blocks A1,A2.., threads A1,A2.., barrier, separate-full-tiles, padded S1,S2.., shaped, unroll, rare or tensor"
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
            Self::Kernel([x, y, z]) => write!(f, "kernel {x},{y},{z}"),
            Self::Blocks(axes) => write!(f, "blocks {}", letters(axes)),
            Self::Threads(axes) => write!(f, "threads {}", letters(axes)),
            Self::Barrier => f.write_str("barrier"),
            Self::SeparateFullTiles => f.write_str("separate-full-tiles"),
            Self::Padded(stmts) => write!(f, "padded {}", stmts.join(",")),
            Self::Shaped => f.write_str("shaped"),
            Self::Unroll => f.write_str("unroll"),
            Self::Rare => f.write_str("rare"),
            Self::Tensor => f.write_str("tensor"),
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
            "rare" => Ok(Self::Rare),
            "tensor" => Ok(Self::Tensor),
            "barrier" => Ok(Self::Barrier),
            _ if text.starts_with("private ") => {
                Ok(Self::Private(names(&text["private ".len()..]).ok_or_else(unknown)?))
            }
            _ if text.starts_with("reduce ") => {
                Ok(Self::Reduce(names(&text["reduce ".len()..]).ok_or_else(unknown)?))
            }
            _ if text.starts_with("padded ") => {
                Ok(Self::Padded(names(&text["padded ".len()..]).ok_or_else(unknown)?))
            }
            _ if text.starts_with("blocks ") => {
                Ok(Self::Blocks(axes(&text["blocks ".len()..]).ok_or_else(unknown)?))
            }
            _ if text.starts_with("threads ") => {
                Ok(Self::Threads(axes(&text["threads ".len()..]).ok_or_else(unknown)?))
            }
            _ if text.starts_with("kernel ") => {
                let sizes = numbers(&text["kernel ".len()..]).ok_or_else(unknown)?;
                Ok(Self::Kernel(sizes.try_into().map_err(|_| unknown())?))
            }
            _ => {
                let sizes = text.strip_prefix("tile ").ok_or_else(unknown)?;
                Ok(Self::Tile(numbers(sizes).ok_or_else(unknown)?))
            }
        }
    }
}

/// Names between commas; `None` where one is empty.
fn names(text: &str) -> Option<Vec<String>> {
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    (!names.iter().any(String::is_empty)).then_some(names)
}

/// The letters of axes, with commas between them.
fn letters(axes: &[GpuAxis]) -> String {
    let letters: Vec<&str> = axes.iter().map(|axis| axis.letter()).collect();
    letters.join(",")
}

/// Axes between commas; `None` where one has another letter.
fn axes(text: &str) -> Option<Vec<GpuAxis>> {
    text.split(',').map(|letter| GpuAxis::from_letter(letter.trim())).collect()
}

/// Numbers between commas; `None` where one is none.
fn numbers(text: &str) -> Option<Vec<i64>> {
    text.split(',').map(|number| number.trim().parse().ok()).collect()
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
            Mark::Kernel([32, 8, 1]),
            Mark::Blocks(vec![GpuAxis::Y, GpuAxis::X]),
            Mark::Threads(vec![GpuAxis::X]),
            Mark::Barrier,
            Mark::SeparateFullTiles,
            Mark::Padded(vec!["S0".into(), "S0_load".into()]),
            Mark::Shaped,
            Mark::Unroll,
            Mark::Rare,
            Mark::Tensor,
        ];
        for mark in marks {
            assert_eq!(mark.to_string().parse(), Ok(mark));
        }
        assert!("tile x".parse::<Mark>().is_err());
        assert!("private ".parse::<Mark>().is_err());
        assert!("private t,".parse::<Mark>().is_err());
        assert!("threads w".parse::<Mark>().is_err());
        assert!("threads x,-".parse::<Mark>().is_err());
        assert!("kernel".parse::<Mark>().is_err());
        assert!("kernel 32,8".parse::<Mark>().is_err());
    }
}
