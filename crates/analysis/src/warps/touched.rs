//! Sectors and banks.

use super::lanes::{Lanes, at_params};
use crate::Result;
use farkas_machine::Gpu;
use farkas_poly::{DimType, Set};
use farkas_scop::{Access, Array};
use std::collections::{BTreeMap, BTreeSet};

/// How the elements of an array lie in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Bytes of an element.
    pub element_bytes: u32,
    /// The elements of each dimension but the first, where they are known for all: the array is one piece then. Else each row is.
    pub inner: Option<Vec<i64>>,
}

/// How an array lies in memory, for these values of the parameters.
///
/// # Errors
/// When isl refuses.
pub fn layout(array: &Array, params: &[(String, i64)]) -> Result<Layout> {
    let mut inner = Some(Vec::new());
    for extent in array.extents.iter().skip(1) {
        let value = match extent {
            None => None,
            Some(extent) => {
                let is_params = extent.domain()?.space()?.is_params()?;
                let on_point = if is_params { extent.from_range()? } else { extent.clone() };
                let values = at_params(&on_point.to_map()?.range()?, params)?;
                let (least, most) = (values.dim_min_val(0)?, values.dim_max_val(0)?);
                least.to_small_int()?.filter(|n| most.to_small_int() == Ok(Some(*n)))
            }
        };
        inner = inner.zip(value).map(|(mut known, value)| {
            known.push(value);
            known
        });
    }
    let element_bytes = array.element.kind.size_bytes().unwrap_or(8);
    Ok(Layout { element_bytes, inner })
}

impl Layout {
    /// The piece of memory that an element lies in, and at which of its bytes.
    fn address<'e>(&self, element: &'e [i64]) -> (&'e [i64], i64) {
        let bytes = i64::from(self.element_bytes);
        match (&self.inner, element.split_last()) {
            (_, None) => (&[], 0),
            (Some(inner), _) if inner.len() + 1 == element.len() => {
                let at = element[1..].iter().zip(inner).fold(element[0], |at, (next, extent)| {
                    at.saturating_mul(*extent).saturating_add(*next)
                });
                (&[], at.saturating_mul(bytes))
            }
            (_, Some((last, row))) => (row, last.saturating_mul(bytes)),
        }
    }
}

/// What a warp touches at once by one access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Touched {
    /// Threads that do.
    pub threads: u32,
    /// Distinct elements.
    pub elements: u32,
    /// Distinct sectors of memory.
    pub sectors: u32,
    /// Cycles that the banks of shared memory take for it.
    pub bank_cycles: u32,
    /// The cycles without conflicts: several words in one bank.
    pub least_bank_cycles: u32,
}

impl Touched {
    /// The fewest sectors that hold so many elements of so many bytes.
    pub fn least_sectors(&self, element_bytes: u32, gpu: &Gpu) -> u32 {
        (self.elements * element_bytes).div_ceil(gpu.sector_bytes.max(1))
    }

    /// Cycles that banks take beyond those without conflicts.
    pub fn bank_conflicts(&self) -> u32 {
        self.bank_cycles.saturating_sub(self.least_bank_cycles)
    }

    /// What threads of a warp touch, each an element.
    ///
    /// Banks serve threads in groups for which all of them are enough: 32 of up to four bytes each, 16 of eight. Of one word several threads may
    /// read at a time; each further word of a bank takes another cycle.
    ///
    /// **Source** NVIDIA, *CUDA C++ programming guide*, "Device memory accesses" and "Shared memory".
    pub fn of(elements: &BTreeMap<i64, Vec<i64>>, layout: &Layout, gpu: &Gpu) -> Self {
        let (sector, word) =
            (i64::from(gpu.sector_bytes.max(1)), i64::from(gpu.shared.bank_bytes.max(1)));
        let banks = i64::from(gpu.shared.banks.max(1));
        let bytes = i64::from(layout.element_bytes.max(1));
        let in_group = (banks * word / bytes).max(1);
        let mut sectors: BTreeSet<(&[i64], i64)> = BTreeSet::new();
        // Words of each bank, for each group of threads.
        let mut words: BTreeMap<i64, BTreeMap<i64, BTreeSet<i64>>> = BTreeMap::new();
        for (thread, element) in elements {
            let (piece, at) = layout.address(element);
            let last = at.saturating_add(bytes - 1);
            sectors.extend((at.div_euclid(sector)..=last.div_euclid(sector)).map(|s| (piece, s)));
            let group = words.entry(thread.div_euclid(in_group)).or_default();
            for word in at.div_euclid(word)..=last.div_euclid(word) {
                group.entry(word.rem_euclid(banks)).or_default().insert(word);
            }
        }
        let distinct: BTreeSet<&Vec<i64>> = elements.values().collect();
        let cycles =
            words.values().map(|banks| banks.values().map(BTreeSet::len).max().unwrap_or(0));
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self {
            threads: count(elements.len()),
            elements: count(distinct.len()),
            sectors: count(sectors.len()),
            bank_cycles: count(cycles.sum()),
            least_bank_cycles: count(words.len()),
        }
    }
}

impl Lanes {
    /// The element that each thread touches by an access; `None` where data choose it.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn elements(
        &self,
        access: &Access,
        params: &[(String, i64)],
    ) -> Result<Option<BTreeMap<i64, Vec<i64>>>> {
        if !access.relation.is_single_valued()? {
            return Ok(None);
        }
        let relation = at_params(&access.relation.wrap()?, params)?.unwrap()?;
        let pairs: Set = self.thread.reverse()?.apply_range(&relation)?.wrap()?.flatten()?;
        let mut elements = BTreeMap::new();
        for point in pairs.points()? {
            let at = point.coordinates(DimType::SET)?;
            if let Some((thread, element)) = at.split_first() {
                elements.insert(*thread, element.to_vec());
            }
        }
        Ok(Some(elements))
    }

    /// What the warp touches by an access; `None` where data choose that.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn touched(
        &self,
        access: &Access,
        layout: &Layout,
        params: &[(String, i64)],
        gpu: &Gpu,
    ) -> Result<Option<Touched>> {
        Ok(self.elements(access, params)?.map(|all| Touched::of(&all, layout, gpu)))
    }
}
