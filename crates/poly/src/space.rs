//! Spaces: the names and numbers of dimensions of a set or map.

use crate::Result;
use crate::context::Context;
use crate::object::{Object, c_string, kept_string};
use farkas_isl_sys as sys;

/// The kinds of dimensions of a space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum DimType {
    /// Parameters.
    Param = 1,
    /// Input of a map.
    In = 2,
    /// Output of a map, or the dimensions of a set.
    Out = 3,
    /// Integer divisions (existentially quantified).
    Div = 4,
}

impl DimType {
    /// The dimensions of a set; isl's name for [`DimType::Out`].
    pub const SET: Self = Self::Out;
}

isl_object!(
    /// The space of a set or map: parameters, tuples, and their names.
    Space, isl_space, isl_space_copy, isl_space_free, to_str isl_space_to_str
);

isl_methods! { Space {
    /// Number of dimensions of one kind.
    keep dim(kind: DimType) -> u32 = isl_space_dim;
    /// The space of the domain of a map space.
    take domain() -> Space = isl_space_domain;
    /// The space of the range of a map space.
    take range() -> Space = isl_space_range;
    /// The parameter space.
    take params() -> Space = isl_space_params;
    /// Swaps domain and range.
    take reverse() -> Space = isl_space_reverse;
    /// The map space from `self` to itself.
    take map_from_set() -> Space = isl_space_map_from_set;
    /// The map space from `self` to `range`, both set spaces.
    take map_from_domain_and_range(range: &Space) -> Space = isl_space_map_from_domain_and_range;
    /// The wrapped set space of a map space.
    take wrap() -> Space = isl_space_wrap;
    /// The map space that a wrapped set space holds.
    take unwrap() -> Space = isl_space_unwrap;
    /// Adds `n` unnamed dimensions at the end.
    take add_dims(kind: DimType, n: u32) -> Space = isl_space_add_dims;
    /// Removes dimensions.
    take drop_dims(kind: DimType, first: u32, n: u32) -> Space = isl_space_drop_dims;
    /// Makes the parameters start with those of `model`, in its order.
    take align_params(model: &Space) -> Space = isl_space_align_params;
    /// Whether both are the same space.
    keep is_equal(other: &Space) -> bool = isl_space_is_equal;
    /// Whether this is the space of a parameter set.
    keep is_params() -> bool = isl_space_is_params;
    /// Whether this is a set space that wraps a map space.
    keep is_wrapping() -> bool = isl_space_is_wrapping;
    /// Whether one kind of dimensions has a tuple name.
    keep has_tuple_name(kind: DimType) -> bool = isl_space_has_tuple_name;
    /// Whether a dimension has a name.
    keep has_dim_name(kind: DimType, position: u32) -> bool = isl_space_has_dim_name;
} }

impl Space {
    /// The parameter space with the parameters `names`, in this order.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn params_named<S: AsRef<str>>(names: &[S]) -> Result<Self> {
        let context = Context::current();
        // SAFETY: plain allocation.
        let raw = unsafe { sys::isl_space_params_alloc(context.as_ptr(), to_u32(names.len())) };
        let mut space = Self::give(&context, raw)?;
        for (i, name) in names.iter().enumerate() {
            space = space.with_dim_name(DimType::Param, to_u32(i), name.as_ref())?;
        }
        Ok(space)
    }

    /// The set space `name[dim_0, .., dim_(n-1)]` over the parameters of `self`.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn set_space(&self, name: &str, dims: u32) -> Result<Self> {
        // SAFETY: the parameter space is taken.
        let raw = unsafe { sys::isl_space_set_from_params(self.params()?.into_raw()) };
        let space = Self::give(&self.context, raw)?.add_dims(DimType::SET, dims)?;
        if name.is_empty() { Ok(space) } else { space.with_tuple_name(DimType::SET, name) }
    }

    /// The name of a tuple, if it has one.
    pub fn tuple_name(&self, kind: DimType) -> Option<String> {
        if !self.has_tuple_name(kind).ok()? {
            return None;
        }
        // SAFETY: the string belongs to the space and is copied.
        unsafe { kept_string(sys::isl_space_get_tuple_name(self.keep(), kind as u32)) }
    }

    /// The name of a dimension, if it has one.
    pub fn dim_name(&self, kind: DimType, position: u32) -> Option<String> {
        if !self.has_dim_name(kind, position).ok()? {
            return None;
        }
        // SAFETY: as above.
        unsafe { kept_string(sys::isl_space_get_dim_name(self.keep(), kind as u32, position)) }
    }

    /// Renames a tuple.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn with_tuple_name(&self, kind: DimType, name: &str) -> Result<Self> {
        let c = c_string(name);
        // SAFETY: `c` outlives the call.
        let raw = unsafe { sys::isl_space_set_tuple_name(self.take(), kind as u32, c.as_ptr()) };
        Self::give(&self.context, raw)
    }

    /// Renames a dimension.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn with_dim_name(&self, kind: DimType, position: u32, name: &str) -> Result<Self> {
        let c = c_string(name);
        // SAFETY: `c` outlives the call.
        let raw =
            unsafe { sys::isl_space_set_dim_name(self.take(), kind as u32, position, c.as_ptr()) };
        Self::give(&self.context, raw)
    }

    /// The names of the parameters.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn param_names(&self) -> Result<Vec<String>> {
        let n = self.dim(DimType::Param)?;
        Ok((0..n).map(|i| self.dim_name(DimType::Param, i).unwrap_or_default()).collect())
    }
}

/// A count as isl takes it.
pub(crate) fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
