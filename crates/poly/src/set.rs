//! Integer sets.

use crate::context::Context;
use crate::object::{Object, Visitor, c_string};
use crate::space::to_u32;
use crate::{Constraints, DimType, Map, MultiAff, PwAff, PwMultiAff, Result, Space, UnionSet, Val};
use farkas_isl_sys as sys;

isl_object!(
    /// A convex integer set with existentially quantified divisions.
    BasicSet, isl_basic_set, isl_basic_set_copy, isl_basic_set_free,
    to_str isl_basic_set_to_str, from_str isl_basic_set_read_from_str
);

isl_methods! { BasicSet {
    /// The space.
    keep space() -> Space = isl_basic_set_get_space;
    /// Number of dimensions of one kind.
    keep dim(kind: DimType) -> u32 = isl_basic_set_dim;
    /// Whether no integer point lies inside.
    keep is_empty() -> bool = isl_basic_set_is_empty;
    /// As a union of one.
    take to_set() -> Set = isl_set_from_basic_set;
    /// Finds implicit equalities.
    take detect_equalities() -> BasicSet = isl_basic_set_detect_equalities;
    /// Removes constraints that others imply.
    take remove_redundancies() -> BasicSet = isl_basic_set_remove_redundancies;
    /// Removes all integer divisions; a superset.
    take remove_divs() -> BasicSet = isl_basic_set_remove_divs;
    /// Intersection.
    take intersect(other: &BasicSet) -> BasicSet = isl_basic_set_intersect;
    /// The smallest affine subspace around the set.
    take affine_hull() -> BasicSet = isl_basic_set_affine_hull;
    /// Projects out dimensions exactly, as a union.
    take project_out(kind: DimType, first: u32, n: u32) -> BasicSet = isl_basic_set_project_out;
    /// All valid constraints `c_0 + c_p p + c_x x >= 0` on the set, as a set over the coefficients
    /// (Farkas' lemma): parameters of the result are none, dimensions are constant, parameters, set dimensions.
    take coefficients() -> BasicSet = isl_basic_set_coefficients;
} }

impl BasicSet {
    /// The constraints as integer rows over parameters, set dimensions and divisions.
    ///
    /// # Errors
    /// When a coefficient does not fit `i64`.
    pub fn constraints(&self) -> Result<Constraints> {
        Constraints::of_basic_set(self)
    }
}

isl_object!(
    /// A union of convex integer sets in one space.
    Set, isl_set, isl_set_copy, isl_set_free, to_str isl_set_to_str, from_str isl_set_read_from_str
);

isl_methods! { Set {
    /// The set of all points of `space`.
    from universe(space: &Space) -> Set = isl_set_universe;
    /// The empty set of `space`.
    from empty(space: &Space) -> Set = isl_set_empty;
    /// The space.
    keep space() -> Space = isl_set_get_space;
    /// Number of dimensions of one kind.
    keep dim(kind: DimType) -> u32 = isl_set_dim;
    /// Intersection.
    take intersect(other: &Set) -> Set = isl_set_intersect;
    /// Intersection with a set of parameter values.
    take intersect_params(params: &Set) -> Set = isl_set_intersect_params;
    /// Union.
    take union(other: &Set) -> Set = isl_set_union;
    /// Difference.
    take subtract(other: &Set) -> Set = isl_set_subtract;
    /// Everything else.
    take complement() -> Set = isl_set_complement;
    /// Image under a map.
    take apply(map: &Map) -> Set = isl_set_apply;
    /// Simplified in the knowledge that `context` holds.
    take gist(context: &Set) -> Set = isl_set_gist;
    /// Simplified in the knowledge that the parameters lie in `context`.
    take gist_params(context: &Set) -> Set = isl_set_gist_params;
    /// Parameter values for which the set is not empty.
    take params() -> Set = isl_set_params;
    /// A parameter set as the one point of a zero-dimensional set space.
    take from_params() -> Set = isl_set_from_params;
    /// Finds implicit equalities.
    take detect_equalities() -> Set = isl_set_detect_equalities;
    /// Removes constraints that others imply.
    take remove_redundancies() -> Set = isl_set_remove_redundancies;
    /// Removes all integer divisions; a superset.
    take remove_divs() -> Set = isl_set_remove_divs;
    /// Makes the divisions of all pieces explicit and equal.
    take compute_divs() -> Set = isl_set_compute_divs;
    /// Splits into pieces that do not overlap.
    take make_disjoint() -> Set = isl_set_make_disjoint;
    /// Projects out dimensions.
    take project_out(kind: DimType, first: u32, n: u32) -> Set = isl_set_project_out;
    /// Projects out all parameters.
    take project_out_all_params() -> Set = isl_set_project_out_all_params;
    /// Forgets what is known of dimensions without removing them.
    take eliminate(kind: DimType, first: u32, n: u32) -> Set = isl_set_eliminate;
    /// Adds dimensions at the end.
    take add_dims(kind: DimType, n: u32) -> Set = isl_set_add_dims;
    /// Inserts dimensions.
    take insert_dims(kind: DimType, at: u32, n: u32) -> Set = isl_set_insert_dims;
    /// Fixes a dimension.
    take fix_si(kind: DimType, position: u32, value: i32) -> Set = isl_set_fix_si;
    /// Fixes a dimension to a value of any size.
    take fix_val(kind: DimType, position: u32, value: &Val) -> Set = isl_set_fix_val;
    /// Restricts a dimension from below.
    take lower_bound_si(kind: DimType, position: u32, value: i32) -> Set = isl_set_lower_bound_si;
    /// Restricts a dimension from above.
    take upper_bound_si(kind: DimType, position: u32, value: i32) -> Set = isl_set_upper_bound_si;
    /// Restricts a dimension from below to a value of any size.
    take lower_bound_val(kind: DimType, position: u32, value: &Val) -> Set = isl_set_lower_bound_val;
    /// Restricts a dimension from above to a value of any size.
    take upper_bound_val(kind: DimType, position: u32, value: &Val) -> Set = isl_set_upper_bound_val;
    /// Lexicographically least point for each parameter value.
    take lexmin() -> Set = isl_set_lexmin;
    /// Lexicographically greatest point for each parameter value.
    take lexmax() -> Set = isl_set_lexmax;
    /// Lexicographically least point as a function of the parameters.
    take lexmin_pw_multi_aff() -> PwMultiAff = isl_set_lexmin_pw_multi_aff;
    /// Least value of a dimension as a function of the parameters.
    take dim_min(position: i32) -> PwAff = isl_set_dim_min;
    /// Greatest value of a dimension as a function of the parameters.
    take dim_max(position: i32) -> PwAff = isl_set_dim_max;
    /// Some integer point, parameters included; the void point for the empty set.
    take sample_point() -> Point = isl_set_sample_point;
    /// Convex superset made of the pieces' own constraints.
    take simple_hull() -> BasicSet = isl_set_simple_hull;
    /// Convex superset made of the pieces' own constraints, unshifted.
    take unshifted_simple_hull() -> BasicSet = isl_set_unshifted_simple_hull;
    /// The smallest affine subspace around the set.
    take affine_hull() -> BasicSet = isl_set_affine_hull;
    /// Valid constraints on the set over their coefficients; see [`BasicSet::coefficients`].
    take coefficients() -> BasicSet = isl_set_coefficients;
    /// The map that a wrapped set holds.
    take unwrap() -> Map = isl_set_unwrap;
    /// The identity on the set.
    take identity() -> Map = isl_set_identity;
    /// Removes tuple structure and name.
    take flatten() -> Set = isl_set_flatten;
    /// Removes the tuple name.
    take reset_tuple_id() -> Set = isl_set_reset_tuple_id;
    /// Makes the parameters start with those of `model`.
    take align_params(model: &Space) -> Set = isl_set_align_params;
    /// As a union set.
    take to_union_set() -> UnionSet = isl_union_set_from_set;
    /// Whether no integer point lies inside.
    keep is_empty() -> bool = isl_set_is_empty;
    /// Whether the set is obviously empty.
    keep plain_is_empty() -> bool = isl_set_plain_is_empty;
    /// Whether the set is obviously everything.
    keep plain_is_universe() -> bool = isl_set_plain_is_universe;
    /// Whether both hold the same points.
    keep is_equal(other: &Set) -> bool = isl_set_is_equal;
    /// Whether every point lies in `other`.
    keep is_subset(other: &Set) -> bool = isl_set_is_subset;
    /// Whether no point lies in both.
    keep is_disjoint(other: &Set) -> bool = isl_set_is_disjoint;
    /// Whether each parameter value has at most one point.
    keep is_singleton() -> bool = isl_set_is_singleton;
    /// Whether every dimension is bounded (parameters included).
    keep is_bounded() -> bool = isl_set_is_bounded;
    /// Whether a dimension has a lower bound.
    keep dim_has_lower_bound(kind: DimType, position: u32) -> bool = isl_set_dim_has_lower_bound;
    /// Whether a dimension has an upper bound.
    keep dim_has_upper_bound(kind: DimType, position: u32) -> bool = isl_set_dim_has_upper_bound;
    /// Whether constraints mention one of the dimensions.
    keep involves_dims(kind: DimType, first: u32, n: u32) -> bool = isl_set_involves_dims;
    /// Whether any piece has existentially quantified variables.
    keep involves_locals() -> bool = isl_set_involves_locals;
    /// Number of convex pieces.
    keep n_basic_set() -> u32 = isl_set_n_basic_set;
    /// Pairs `x -> y` of the set's points (with those of `other`) with `x` lexicographically before `y`.
    take lex_lt_set(other: &Set) -> Map = isl_set_lex_lt_set;
    /// Pairs `x -> y` with `x` lexicographically not after `y`.
    take lex_le_set(other: &Set) -> Map = isl_set_lex_le_set;
    /// The wrapped product `[self -> other]`.
    take product(other: &Set) -> Set = isl_set_product;
    /// The product as one flat tuple.
    take flat_product(other: &Set) -> Set = isl_set_flat_product;
    /// The points for which `f` is defined and which it maps into `self`.
    take preimage_multi_aff(f: &MultiAff) -> Set = isl_set_preimage_multi_aff;
    /// The points for which `f` is defined and which it maps into `self`.
    take preimage_pw_multi_aff(f: &PwMultiAff) -> Set = isl_set_preimage_pw_multi_aff;
    /// The function that is one on the set and zero elsewhere.
    take indicator_function() -> PwAff = isl_set_indicator_function;
    /// Moves dimensions from one kind to another.
    take move_dims(to: DimType, to_at: u32, from: DimType, from_at: u32, n: u32) -> Set = isl_set_move_dims;
} }

impl Set {
    /// The parameter set (or unnamed set) that `text` denotes, as [`std::str::FromStr`].
    ///
    /// # Errors
    /// When the text is not in isl notation.
    pub fn parse(text: &str) -> Result<Self> {
        text.parse()
    }

    /// Joins pieces that are together convex; the set as it is where isl gets that wrong.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn coalesce(&self) -> Result<Self> {
        Ok(self.checked_coalesce()?.unwrap_or_else(|| self.clone()))
    }

    /// As [`Set::coalesce`], but `None` where isl gets it wrong: isl 0.25 sometimes joins strided pieces to more than is
    /// in them (see the test), so what it makes of sets with existentially quantified variables is compared with them.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn checked_coalesce(&self) -> Result<Option<Self>> {
        // SAFETY: isl takes the copy that it is given.
        let joined = Self::give(&self.context, unsafe { sys::isl_set_coalesce(self.take()) })?;
        let is_right = !self.involves_locals()? || joined.is_equal(self)?;
        Ok(is_right.then_some(joined))
    }

    /// Least value of a dimension over all parameters: an integer, minus infinity, or NaN for the empty set.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn dim_min_val(&self, position: i32) -> Result<Val> {
        let set = self.without_empty_pieces()?;
        // SAFETY: isl takes the copy that it is given.
        Val::give(&set.context, unsafe { sys::isl_set_dim_min_val(set.take(), position) })
    }

    /// Greatest value of a dimension over all parameters: an integer, infinity, or NaN for the empty set.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn dim_max_val(&self, position: i32) -> Result<Val> {
        let set = self.without_empty_pieces()?;
        // SAFETY: isl takes the copy that it is given.
        Val::give(&set.context, unsafe { sys::isl_set_dim_max_val(set.take(), position) })
    }

    /// The greatest number of which all values of a dimension are multiples, but for an offset that depends on the
    /// dimensions before it and on parameters alone; one where isl sees none.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn stride(&self, position: i32) -> Result<Val> {
        // SAFETY: isl keeps the set.
        Val::give(&self.context, unsafe { sys::isl_set_get_stride(self.keep(), position) })
    }

    /// The set of those of its pieces that hold a point. isl 0.25 takes zero for a value of the first piece even where that
    /// piece is empty (see the test).
    fn without_empty_pieces(&self) -> Result<Self> {
        if self.n_basic_set()? < 2 {
            return Ok(self.clone());
        }
        let mut kept = Vec::new();
        for piece in self.basic_sets()? {
            if !piece.is_empty()? {
                kept.push(piece.to_set()?);
            }
        }
        Ok(Self::union_all(kept)?.unwrap_or_else(|| self.clone()))
    }

    /// The convex pieces.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn basic_sets(&self) -> Result<Vec<BasicSet>> {
        let mut pieces = Vec::new();
        let mut push = |piece| {
            pieces.push(piece);
            Ok(())
        };
        // SAFETY: the visitor lives for the call.
        Visitor::run(&self.context, &mut push, |f, user| unsafe {
            sys::isl_set_foreach_basic_set(self.keep(), Some(f), user)
        })?;
        Ok(pieces)
    }

    /// Every point of a bounded set without parameters; the caller makes sure that there are few.
    ///
    /// # Errors
    /// When the set is unbounded.
    pub fn points(&self) -> Result<Vec<Point>> {
        let mut points = Vec::new();
        let mut push = |point| {
            points.push(point);
            Ok(())
        };
        // SAFETY: the visitor lives for the call.
        Visitor::run(&self.context, &mut push, |f, user| unsafe {
            sys::isl_set_foreach_point(self.keep(), Some(f), user)
        })?;
        Ok(points)
    }

    /// The name of the tuple, if it has one.
    pub fn tuple_name(&self) -> Option<String> {
        self.space().ok()?.tuple_name(DimType::SET)
    }

    /// Renames the tuple.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn with_tuple_name(&self, name: &str) -> Result<Self> {
        let c = c_string(name);
        // SAFETY: `c` outlives the call.
        let raw = unsafe { sys::isl_set_set_tuple_name(self.take(), c.as_ptr()) };
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
            unsafe { sys::isl_set_set_dim_name(self.take(), kind as u32, position, c.as_ptr()) };
        Self::give(&self.context, raw)
    }

    /// The position of the parameter called `name`.
    pub fn find_param(&self, name: &str) -> Option<u32> {
        let c = c_string(name);
        // SAFETY: `c` outlives the call; a miss is -1.
        let at = unsafe {
            sys::isl_set_find_dim_by_name(self.keep(), DimType::Param as u32, c.as_ptr())
        };
        u32::try_from(at).ok()
    }

    /// The union of `sets`; `None` when there are none.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn union_all(sets: impl IntoIterator<Item = Self>) -> Result<Option<Self>> {
        let mut all: Option<Self> = None;
        for set in sets {
            all = Some(match all {
                None => set,
                // SAFETY: both references are handed over.
                Some(all) => {
                    let context = std::rc::Rc::clone(&all.context);
                    Self::give(&context, unsafe {
                        sys::isl_set_union(all.into_raw(), set.into_raw())
                    })?
                }
            });
        }
        Ok(all)
    }

    /// All points of the unnamed space with `dims` dimensions and no parameters.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn unnamed_universe(dims: usize) -> Result<Self> {
        let context = Context::current();
        // SAFETY: plain allocation.
        let space = unsafe { sys::isl_space_set_alloc(context.as_ptr(), 0, to_u32(dims)) };
        Self::universe(&Space::give(&context, space)?)
    }
}

isl_object!(
    /// An integer point of a space, with values for its parameters.
    Point, isl_point, isl_point_copy, isl_point_free, to_str isl_point_to_str
);

isl_methods! { Point {
    /// Whether this is no point at all (the sample of an empty set).
    keep is_void() -> bool = isl_point_is_void;
    /// The space.
    keep space() -> Space = isl_point_get_space;
    /// The set that holds just this point.
    take to_set() -> Set = isl_set_from_point;
} }

impl Point {
    /// A coordinate.
    ///
    /// # Errors
    /// When there is no such coordinate.
    pub fn coordinate(&self, kind: DimType, position: u32) -> Result<Val> {
        let at = i32::try_from(position).unwrap_or(i32::MAX);
        // SAFETY: the call only reads.
        Val::give(&self.context, unsafe {
            sys::isl_point_get_coordinate_val(self.keep(), kind as u32, at)
        })
    }

    /// All coordinates of one kind.
    ///
    /// # Errors
    /// When a coordinate does not fit `i64`.
    pub fn coordinates(&self, kind: DimType) -> Result<Vec<i64>> {
        let n = self.space()?.dim(kind)?;
        (0..n).map(|i| self.coordinate(kind, i)?.to_i64()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// isl 0.25 alone makes `2 <= t <= 7` of the first.
    #[test]
    fn coalescing_strided_pieces_adds_nothing() -> Result<()> {
        for text in [
            "{ [t] : 2 <= t <= 6 and (t <= 3 or t mod 2 = 0) }",
            "{ [t] : 0 <= t <= 6 and (t <= 3 or t mod 2 = 0) }",
            "[n] -> { [t] : 2 <= t <= n and (t <= 3 or t mod 2 = 0) }",
        ] {
            let set = Set::parse(text)?;
            assert!(set.coalesce()?.is_equal(&set)?, "{text}");
            let map = set.product(&set)?.unwrap()?;
            assert!(map.coalesce()?.is_equal(&map)?, "{text}");
        }
        Ok(())
    }

    /// isl 0.25 alone finds zero.
    #[test]
    fn empty_pieces_have_no_least_value() -> Result<()> {
        let nothing = "0 <= i <= 1 and 0 <= j <= 1 and j <= -2 + i";
        let set = Set::parse(&format!("{{ [i, j] : {nothing}; [i, j] : 2 < i <= 5 and j = 0 }}"))?;
        assert_eq!((set.dim_min_val(0)?.to_i64()?, set.dim_max_val(0)?.to_i64()?), (3, 5));
        let below =
            Set::parse(&format!("{{ [i, j] : {nothing}; [i, j] : -5 < i < -2 and j = 0 }}"))?;
        assert_eq!((below.dim_min_val(0)?.to_i64()?, below.dim_max_val(0)?.to_i64()?), (-4, -3));
        let none = Set::parse(&format!("{{ [i, j] : {nothing}; [i, j] : {nothing} and i = j }}"))?;
        assert!(!none.dim_min_val(0)?.is_int()?);
        Ok(())
    }
}
