//! Dates, to the second.

use humantime::{format_rfc3339_seconds, parse_rfc3339};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A point in time between 1970 and 9999, in whole seconds; as text `2026-11-27T18:55:50Z`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Date(u64);

/// Why something is no date.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no date between 1970 and 9999, as in 2026-11-27T18:55:50Z")]
pub struct NoDate;

impl Date {
    /// The last second of the year 9999.
    const LAST: u64 = 253_402_300_799;

    /// So many seconds after the beginning of 1970.
    ///
    /// # Errors
    /// When that is after 9999.
    pub fn from_seconds(seconds: u64) -> Result<Self, NoDate> {
        if seconds <= Self::LAST { Ok(Self(seconds)) } else { Err(NoDate) }
    }

    /// The second that `time` lies in.
    ///
    /// # Errors
    /// When that is before 1970 or after 9999.
    pub fn from_time(time: SystemTime) -> Result<Self, NoDate> {
        let since = time.duration_since(UNIX_EPOCH).map_err(|_| NoDate)?;
        Self::from_seconds(since.as_secs())
    }

    /// The seconds since the beginning of 1970.
    pub fn seconds(self) -> u64 {
        self.0
    }

    /// The date so much earlier, or the first one.
    #[must_use]
    pub fn before(self, time: Duration) -> Self {
        Self(self.0.saturating_sub(time.as_secs()))
    }
}

impl std::fmt::Display for Date {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let time = UNIX_EPOCH + Duration::from_secs(self.0);
        write!(f, "{}", format_rfc3339_seconds(time))
    }
}

impl std::str::FromStr for Date {
    type Err = NoDate;

    fn from_str(text: &str) -> Result<Self, NoDate> {
        Self::from_time(parse_rfc3339(text).map_err(|_| NoDate)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_printed_and_read() {
        for text in ["1970-01-01T00:00:00Z", "2026-11-27T18:55:50Z", "9999-12-31T23:59:59Z"] {
            assert_eq!(text.parse::<Date>().map(|date| date.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "yesterday", "2026-13-01T00:00:00Z", "2026-11-27"] {
            assert_eq!(text.parse::<Date>(), Err(NoDate), "{text}");
        }
        assert_eq!(Date::from_seconds(Date::LAST + 1), Err(NoDate));
        assert_eq!(Date(9).before(Duration::from_secs(99)), Date(0));
    }
}
