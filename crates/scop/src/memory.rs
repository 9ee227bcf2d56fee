//! How much memory generated code may take beside a region's own.

use std::fmt;
use std::str::FromStr;

/// What expanded arrays may take.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MemoryLimit {
    /// This many bytes.
    Bytes(u64),
    /// So many times what the region touches of its own arrays.
    Times(u32),
}

impl Default for MemoryLimit {
    fn default() -> Self {
        Self::Times(4)
    }
}

impl MemoryLimit {
    /// Whether arrays of `expanded` bytes beside own ones of `own` bytes are within the limit.
    pub fn allows(self, expanded: f64, own: f64) -> bool {
        match self {
            Self::Bytes(most) => expanded <= most as f64,
            Self::Times(times) => expanded <= f64::from(times) * own,
        }
    }
}

/// Units of bytes, each with its power of two.
const UNITS: [(char, u32); 3] = [('K', 10), ('M', 20), ('G', 30)];

impl FromStr for MemoryLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is no limit of memory: expected bytes as 512M or 2G, or a multiple as 4x"
            )
        };
        if text.starts_with('+') {
            return Err(wrong());
        }
        if let Some(times) = text.strip_suffix('x') {
            return times.parse().map(Self::Times).map_err(|_| wrong());
        }
        let in_unit = |(letter, power): &(char, u32)| Some((text.strip_suffix(*letter)?, *power));
        let (number, power) = UNITS.iter().find_map(in_unit).unwrap_or((text, 0));
        let number: u64 = number.parse().map_err(|_| wrong())?;
        number.checked_mul(1 << power).map(Self::Bytes).ok_or_else(wrong)
    }
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(most) => {
                let unit =
                    UNITS.iter().rev().find(|(_, p)| *most > 0 && most.is_multiple_of(1 << p));
                match unit {
                    Some((letter, power)) => write!(f, "{}{letter}", most >> power),
                    None => write!(f, "{most}"),
                }
            }
            Self::Times(times) => write!(f, "{times}x"),
        }
    }
}
