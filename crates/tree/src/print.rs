//! The text form: isl's YAML in block style.

use crate::ScheduleTree;
use std::fmt;

impl fmt::Display for ScheduleTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.to_isl().and_then(|schedule| Ok(schedule.to_yaml()?));
        match text {
            Ok(text) => f.write_str(text.trim_end()),
            Err(error) => write!(f, "# not a whole tree: {error}"),
        }
    }
}
