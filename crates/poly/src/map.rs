//! Integer relations.

use crate::object::{Object, Visitor, c_string};
use crate::{
    Aff, BasicSet, Constraints, DimType, LinearRow, MultiAff, MultiPwAff, PwMultiAff, Result, Set,
    Space, UnionMap, Val,
};
use farkas_isl_sys as sys;

isl_object!(
    /// A convex integer relation.
    BasicMap, isl_basic_map, isl_basic_map_copy, isl_basic_map_free,
    to_str isl_basic_map_to_str, from_str isl_basic_map_read_from_str
);

isl_methods! { BasicMap {
    /// The space.
    keep space() -> Space = isl_basic_map_get_space;
    /// The wrapped set `[x -> y]`.
    take wrap() -> BasicSet = isl_basic_map_wrap;
    /// As a union of one.
    take to_map() -> Map = isl_map_from_basic_map;
    /// The differences `y - x`.
    take deltas() -> BasicSet = isl_basic_map_deltas;
    /// The smallest affine subspace around the relation.
    take affine_hull() -> BasicMap = isl_basic_map_affine_hull;
} }

impl BasicMap {
    /// The pairs in the map space `space` that satisfy `constraints`, whose dimensions are those of the domain, then those
    /// of the range; divisions are existentially quantified. Missing coefficients are zero.
    ///
    /// # Errors
    /// When isl refuses.
    ///
    /// # Example
    /// ```
    /// use farkas_poly::{BasicMap, Map};
    /// let pairs: Map = "[n] -> { S[i] -> T[j] : j = i + 1 and 2 * floor(i/2) = i and i < n }".parse()?;
    /// let piece = &pairs.basic_maps()?[0];
    /// let again = BasicMap::of_constraints(&pairs.space()?, &piece.constraints()?)?;
    /// assert!(again.to_map()?.is_equal(&pairs)?);
    /// # Ok::<(), farkas_poly::Error>(())
    /// ```
    pub fn of_constraints(space: &Space, constraints: &Constraints) -> Result<Self> {
        constraints.to_basic_map(space)
    }

    /// The constraints as integer rows over parameters, input, output and divisions.
    ///
    /// # Errors
    /// When a coefficient does not fit `i64`.
    pub fn constraints(&self) -> Result<Constraints> {
        Constraints::of_basic_set(&self.wrap()?)
    }

    /// The explicit equalities alone, as [`BasicMap::constraints`] gives them.
    ///
    /// # Errors
    /// When a coefficient does not fit `i64`.
    pub fn equalities(&self) -> Result<Vec<LinearRow>> {
        Constraints::equalities_of(&self.wrap()?)
    }
}

isl_object!(
    /// A union of convex integer relations in one space.
    Map, isl_map, isl_map_copy, isl_map_free, to_str isl_map_to_str, from_str isl_map_read_from_str
);

isl_methods! { Map {
    /// All pairs of `space`.
    from universe(space: &Space) -> Map = isl_map_universe;
    /// No pairs.
    from empty(space: &Space) -> Map = isl_map_empty;
    /// The identity of a map space whose domain and range agree.
    from identity(space: &Space) -> Map = isl_map_identity;
    /// All pairs of points of two sets.
    from from_domain_and_range(domain: &Set, range: &Set) -> Map = isl_map_from_domain_and_range;
    /// Pairs whose first `n` dimensions agree.
    from lex_lt_first(space: &Space, n: u32) -> Map = isl_map_lex_lt_first;
    /// Pairs `x -> y` of a set space with `x` lexicographically before `y`.
    from lex_lt(space: &Space) -> Map = isl_map_lex_lt;
    /// Pairs `x -> y` of a set space with `x` lexicographically not after `y`.
    from lex_le(space: &Space) -> Map = isl_map_lex_le;
    /// The graph of a function.
    from from_multi_aff(f: &MultiAff) -> Map = isl_map_from_multi_aff;
    /// The graph of a function.
    from from_pw_multi_aff(f: &PwMultiAff) -> Map = isl_map_from_pw_multi_aff;
    /// The graph of a function.
    from from_multi_pw_aff(f: &MultiPwAff) -> Map = isl_map_from_multi_pw_aff;
    /// The graph of a function.
    from from_aff(f: &Aff) -> Map = isl_map_from_aff;
    /// The space.
    keep space() -> Space = isl_map_get_space;
    /// Number of dimensions of one kind.
    keep dim(kind: DimType) -> u32 = isl_map_dim;
    /// Intersection.
    take intersect(other: &Map) -> Map = isl_map_intersect;
    /// Union.
    take union(other: &Map) -> Map = isl_map_union;
    /// Union of relations that the caller knows to be disjoint; cheaper.
    take union_disjoint(other: &Map) -> Map = isl_map_union_disjoint;
    /// Difference.
    take subtract(other: &Map) -> Map = isl_map_subtract;
    /// Restriction of the domain.
    take intersect_domain(domain: &Set) -> Map = isl_map_intersect_domain;
    /// Restriction of the range.
    take intersect_range(range: &Set) -> Map = isl_map_intersect_range;
    /// Restriction of the parameters.
    take intersect_params(params: &Set) -> Map = isl_map_intersect_params;
    /// Pairs whose domain element is not in `domain`.
    take subtract_domain(domain: &Set) -> Map = isl_map_subtract_domain;
    /// Pairs whose range element is not in `range`.
    take subtract_range(range: &Set) -> Map = isl_map_subtract_range;
    /// Simplified in the knowledge that `context` holds.
    take gist(context: &Map) -> Map = isl_map_gist;
    /// Simplified in the knowledge that the domain lies in `context`.
    take gist_domain(context: &Set) -> Map = isl_map_gist_domain;
    /// Simplified in the knowledge that the parameters lie in `context`.
    take gist_params(context: &Set) -> Map = isl_map_gist_params;
    /// The inverse.
    take reverse() -> Map = isl_map_reverse;
    /// `self` then `other`: `x -> z` with `x -> y` in self and `y -> z` in other.
    take apply_range(other: &Map) -> Map = isl_map_apply_range;
    /// Replaces the domain through `other`.
    take apply_domain(other: &Map) -> Map = isl_map_apply_domain;
    /// The domain.
    take domain() -> Set = isl_map_domain;
    /// The range.
    take range() -> Set = isl_map_range;
    /// Parameter values for which the relation is not empty.
    take params() -> Set = isl_map_params;
    /// The differences `y - x` of equal spaces.
    take deltas() -> Set = isl_map_deltas;
    /// The map from pairs to differences.
    take deltas_map() -> Map = isl_map_deltas_map;
    /// The wrapped set `[x -> y]`.
    take wrap() -> Set = isl_map_wrap;
    /// `[x -> y] -> x`.
    take domain_map() -> Map = isl_map_domain_map;
    /// `[x -> y] -> y`.
    take range_map() -> Map = isl_map_range_map;
    /// `x -> [y -> z]`.
    take range_product(other: &Map) -> Map = isl_map_range_product;
    /// `x -> [y, z]` as one flat tuple.
    take flat_range_product(other: &Map) -> Map = isl_map_flat_range_product;
    /// `[x -> a] -> [y -> b]`.
    take product(other: &Map) -> Map = isl_map_product;
    /// From `[x -> y] -> z` to `x -> [y -> z]`.
    take curry() -> Map = isl_map_curry;
    /// From `x -> [y -> z]` to `[x -> y] -> z`.
    take uncurry() -> Map = isl_map_uncurry;
    /// From `[x -> a] -> y` to `x -> y`.
    take domain_factor_domain() -> Map = isl_map_domain_factor_domain;
    /// From `[x -> a] -> y` to `a -> y`.
    take domain_factor_range() -> Map = isl_map_domain_factor_range;
    /// From `x -> [y -> b]` to `x -> y`.
    take range_factor_domain() -> Map = isl_map_range_factor_domain;
    /// From `x -> [y -> b]` to `x -> b`.
    take range_factor_range() -> Map = isl_map_range_factor_range;
    /// Removes structure of the range.
    take flatten_range() -> Map = isl_map_flatten_range;
    /// Removes structure of the domain.
    take flatten_domain() -> Map = isl_map_flatten_domain;
    /// Finds implicit equalities.
    take detect_equalities() -> Map = isl_map_detect_equalities;
    /// Removes constraints that others imply.
    take remove_redundancies() -> Map = isl_map_remove_redundancies;
    /// Removes all integer divisions; a superset.
    take remove_divs() -> Map = isl_map_remove_divs;
    /// Makes the divisions of all pieces explicit and equal.
    take compute_divs() -> Map = isl_map_compute_divs;
    /// Splits into pieces that do not overlap.
    take make_disjoint() -> Map = isl_map_make_disjoint;
    /// Projects out dimensions.
    take project_out(kind: DimType, first: u32, n: u32) -> Map = isl_map_project_out;
    /// Forgets what is known of dimensions without removing them.
    take eliminate(kind: DimType, first: u32, n: u32) -> Map = isl_map_eliminate;
    /// Adds dimensions at the end.
    take add_dims(kind: DimType, n: u32) -> Map = isl_map_add_dims;
    /// Inserts dimensions.
    take insert_dims(kind: DimType, at: u32, n: u32) -> Map = isl_map_insert_dims;
    /// Fixes a dimension.
    take fix_si(kind: DimType, position: u32, value: i32) -> Map = isl_map_fix_si;
    /// Fixes a dimension to a value of any size.
    take fix_val(kind: DimType, position: u32, value: &Val) -> Map = isl_map_fix_val;
    /// Adds that two dimensions are equal.
    take equate(a: DimType, a_at: i32, b: DimType, b_at: i32) -> Map = isl_map_equate;
    /// Adds that the first dimension is less than the second.
    take order_lt(a: DimType, a_at: i32, b: DimType, b_at: i32) -> Map = isl_map_order_lt;
    /// Adds that the first dimension is not above the second.
    take order_le(a: DimType, a_at: i32, b: DimType, b_at: i32) -> Map = isl_map_order_le;
    /// Adds that the first dimension is greater than the second.
    take order_gt(a: DimType, a_at: i32, b: DimType, b_at: i32) -> Map = isl_map_order_gt;
    /// Restricts a dimension from below.
    take lower_bound_si(kind: DimType, position: u32, value: i32) -> Map = isl_map_lower_bound_si;
    /// Restricts a dimension from above.
    take upper_bound_si(kind: DimType, position: u32, value: i32) -> Map = isl_map_upper_bound_si;
    /// For each domain element, the lexicographically least image.
    take lexmin() -> Map = isl_map_lexmin;
    /// For each domain element, the lexicographically greatest image.
    take lexmax() -> Map = isl_map_lexmax;
    /// Makes the parameters start with those of `model`.
    take align_params(model: &Space) -> Map = isl_map_align_params;
    /// Removes one tuple name.
    take reset_tuple_id(kind: DimType) -> Map = isl_map_reset_tuple_id;
    /// Moves dimensions from one kind to another.
    take move_dims(to: DimType, to_at: u32, from: DimType, from_at: u32, n: u32) -> Map = isl_map_move_dims;
    /// As a union map.
    take to_union_map() -> UnionMap = isl_union_map_from_map;
    /// The function that a single-valued relation is.
    take to_pw_multi_aff() -> PwMultiAff = isl_pw_multi_aff_from_map;
    /// The smallest affine subspace around the relation.
    take affine_hull() -> BasicMap = isl_map_affine_hull;
    /// Convex superset made of the pieces' own constraints.
    take simple_hull() -> BasicMap = isl_map_simple_hull;
    /// Convex superset made of the pieces' own constraints, unshifted.
    take unshifted_simple_hull() -> BasicMap = isl_map_unshifted_simple_hull;
    /// Replaces the domain by its preimage under `f`.
    take preimage_domain_pw_multi_aff(f: &PwMultiAff) -> Map = isl_map_preimage_domain_pw_multi_aff;
    /// Replaces the range by its preimage under `f`.
    take preimage_range_pw_multi_aff(f: &PwMultiAff) -> Map = isl_map_preimage_range_pw_multi_aff;
    /// Whether there is no pair.
    keep is_empty() -> bool = isl_map_is_empty;
    /// Whether there is obviously no pair.
    keep plain_is_empty() -> bool = isl_map_plain_is_empty;
    /// Whether both hold the same pairs.
    keep is_equal(other: &Map) -> bool = isl_map_is_equal;
    /// Whether both obviously hold the same pairs.
    keep plain_is_equal(other: &Map) -> bool = isl_map_plain_is_equal;
    /// Whether every pair lies in `other`.
    keep is_subset(other: &Map) -> bool = isl_map_is_subset;
    /// Whether no pair lies in both.
    keep is_disjoint(other: &Map) -> bool = isl_map_is_disjoint;
    /// Whether each domain element has at most one image.
    keep is_single_valued() -> bool = isl_map_is_single_valued;
    /// Whether each range element has at most one preimage.
    keep is_injective() -> bool = isl_map_is_injective;
    /// Whether single-valued and injective.
    keep is_bijective() -> bool = isl_map_is_bijective;
    /// Whether constraints mention one of the dimensions.
    keep involves_dims(kind: DimType, first: u32, n: u32) -> bool = isl_map_involves_dims;
    /// Number of convex pieces.
    keep n_basic_map() -> u32 = isl_map_n_basic_map;
} }

impl Map {
    /// A number that clones share, and no other map while one of them is kept.
    pub fn address(&self) -> usize {
        self.keep() as usize
    }

    /// The convex pieces.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn basic_maps(&self) -> Result<Vec<BasicMap>> {
        let mut pieces = Vec::new();
        let mut push = |piece| {
            pieces.push(piece);
            Ok(())
        };
        // SAFETY: the visitor lives for the call.
        Visitor::run(&self.context, &mut push, |f, user| unsafe {
            sys::isl_map_foreach_basic_map(self.keep(), Some(f), user)
        })?;
        Ok(pieces)
    }

    /// Joins pieces that are together convex; see [`Set::coalesce`].
    ///
    /// # Errors
    /// When isl refuses.
    pub fn coalesce(&self) -> Result<Self> {
        // SAFETY: isl takes the copy that it is given.
        let joined = Self::give(&self.context, unsafe { sys::isl_map_coalesce(self.take()) })?;
        let is_right = !self.wrap()?.involves_locals()? || joined.is_equal(self)?;
        Ok(if is_right { joined } else { self.clone() })
    }

    /// The name of a tuple, if it has one.
    pub fn tuple_name(&self, kind: DimType) -> Option<String> {
        self.space().ok()?.tuple_name(kind)
    }

    /// Renames a tuple.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn with_tuple_name(&self, kind: DimType, name: &str) -> Result<Self> {
        let c = c_string(name);
        // SAFETY: `c` outlives the call.
        let raw = unsafe { sys::isl_map_set_tuple_name(self.take(), kind as u32, c.as_ptr()) };
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
            unsafe { sys::isl_map_set_dim_name(self.take(), kind as u32, position, c.as_ptr()) };
        Self::give(&self.context, raw)
    }
}
