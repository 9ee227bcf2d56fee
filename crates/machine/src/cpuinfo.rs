//! What `/proc/cpuinfo` says.

use crate::system::SystemText;
use std::collections::BTreeSet;

/// Which processor it is, in the numbers of its maker.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CpuId {
    /// `vendor_id` on x86, `CPU implementer` (as in `0x41`) on ARM.
    pub vendor: String,
    /// `cpu family`, or `CPU architecture`.
    pub family: u32,
    /// `model`, or `CPU part`.
    pub model: u32,
}

/// The first processor of the file, and how many there are.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct CpuInfo {
    /// Which one it is, where all numbers are there.
    pub(crate) id: Option<CpuId>,
    /// What its maker calls it.
    pub(crate) model_name: Option<String>,
    /// What it can do.
    pub(crate) flags: BTreeSet<String>,
    /// Pages of its last translation buffer.
    pub(crate) tlb_pages: Option<u32>,
    /// Processors in the file.
    pub(crate) n_processors: u32,
}

impl CpuInfo {
    /// Reads the file; what is not there is left out.
    pub(crate) fn parse(text: &str) -> Self {
        let fields = || text.lines().filter_map(|line| line.split_once(':'));
        let get = |key: &str| {
            let mut of_key = fields().filter(|(k, _)| k.trim() == key).map(|(_, v)| v.trim());
            of_key.find(|value| !value.is_empty())
        };
        let n_processors = fields().filter(|(key, _)| key.trim() == "processor").count();
        Self {
            id: id(&get),
            model_name: get("model name").map(str::to_owned),
            flags: words(get("flags").or_else(|| get("Features"))),
            tlb_pages: get("TLB size")
                .and_then(|v| v.split(' ').next()?.parse().ok())
                .filter(|&pages| pages > 0),
            n_processors: u32::try_from(n_processors).unwrap_or(u32::MAX),
        }
    }

    /// Whether it can do something.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.contains(flag)
    }
}

/// What the maker of the processor calls it, where the system says so.
pub fn processor_name(system: &SystemText) -> Option<String> {
    CpuInfo::parse(system.cpuinfo.as_deref()?).model_name
}

/// The numbers of the processor.
fn id<'t>(get: &impl Fn(&str) -> Option<&'t str>) -> Option<CpuId> {
    let either = |x86: &str, arm: &str| get(x86).or_else(|| get(arm));
    Some(CpuId {
        vendor: either("vendor_id", "CPU implementer")?.to_owned(),
        family: number(either("cpu family", "CPU architecture")?)?,
        model: number(either("model", "CPU part")?)?,
    })
}

/// A number, decimal or after `0x`.
fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Words between blanks.
fn words(text: Option<&str>) -> BTreeSet<String> {
    text.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}
