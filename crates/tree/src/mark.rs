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
    /// The band below iterates over tiles of these sizes, one a member.
    Tile(Vec<i64>),
    /// The band below iterates over the points of a tile.
    Point,
    /// The first member of the band below is the sum of tile loops (a wavefront).
    Wavefront,
    /// Full tiles of the band below are generated apart from partial ones.
    SeparateFullTiles,
}

/// A mark with a name that is not one of [`Mark`]'s.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "unknown mark `{0}`: expected parallel, vector, tile S1,S2.., point, wavefront or separate-full-tiles"
)]
pub struct UnknownMark(pub String);

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parallel => f.write_str("parallel"),
            Self::Vector => f.write_str("vector"),
            Self::Tile(sizes) => {
                let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
                write!(f, "tile {}", sizes.join(","))
            }
            Self::Point => f.write_str("point"),
            Self::Wavefront => f.write_str("wavefront"),
            Self::SeparateFullTiles => f.write_str("separate-full-tiles"),
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
            _ => {
                let sizes = text.strip_prefix("tile ").ok_or_else(unknown)?;
                let sizes: Result<Vec<i64>, _> =
                    sizes.split(',').map(|s| s.trim().parse()).collect();
                Ok(Self::Tile(sizes.map_err(|_| unknown())?))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        let marks = [
            Mark::Parallel,
            Mark::Vector,
            Mark::Tile(vec![32, 8]),
            Mark::Point,
            Mark::Wavefront,
            Mark::SeparateFullTiles,
        ];
        for mark in marks {
            assert_eq!(mark.to_string().parse(), Ok(mark));
        }
        assert!("tile x".parse::<Mark>().is_err());
        assert!("kernel".parse::<Mark>().is_err());
    }
}
