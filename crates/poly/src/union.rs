//! Sets and relations over several spaces.

use crate::context::Context;
use crate::object::{Object, Visitor, sort_as_printed};
use crate::{DimType, Map, MultiUnionPwAff, Result, Set, Space, UnionPwMultiAff};
use farkas_isl_sys as sys;

isl_object!(
    /// A union of sets in different spaces over the same parameters.
    UnionSet, isl_union_set, isl_union_set_copy, isl_union_set_free,
    to_str isl_union_set_to_str, from_str isl_union_set_read_from_str
);

isl_methods! { UnionSet {
    /// The parameter space.
    keep space() -> Space = isl_union_set_get_space;
    /// Intersection.
    take intersect(other: &UnionSet) -> UnionSet = isl_union_set_intersect;
    /// Restriction of the parameters.
    take intersect_params(params: &Set) -> UnionSet = isl_union_set_intersect_params;
    /// Union.
    take union(other: &UnionSet) -> UnionSet = isl_union_set_union;
    /// Difference.
    take subtract(other: &UnionSet) -> UnionSet = isl_union_set_subtract;
    /// Image under a relation.
    take apply(map: &UnionMap) -> UnionSet = isl_union_set_apply;
    /// Simplified in the knowledge that `context` holds.
    take gist(context: &UnionSet) -> UnionSet = isl_union_set_gist;
    /// Simplified in the knowledge that the parameters lie in `context`.
    take gist_params(context: &Set) -> UnionSet = isl_union_set_gist_params;
    /// Finds implicit equalities.
    take detect_equalities() -> UnionSet = isl_union_set_detect_equalities;
    /// Parameter values for which the set is not empty.
    take params() -> Set = isl_union_set_params;
    /// All points of the spaces that occur.
    take universe() -> UnionSet = isl_union_set_universe;
    /// The relation that a set of wrapped pairs holds.
    take unwrap() -> UnionMap = isl_union_set_unwrap;
    /// The identity.
    take identity() -> UnionMap = isl_union_set_identity;
    /// Whether no point lies inside.
    keep is_empty() -> bool = isl_union_set_is_empty;
    /// Whether both hold the same points.
    keep is_equal(other: &UnionSet) -> bool = isl_union_set_is_equal;
    /// Whether every point lies in `other`.
    keep is_subset(other: &UnionSet) -> bool = isl_union_set_is_subset;
    /// Whether no point lies in both.
    keep is_disjoint(other: &UnionSet) -> bool = isl_union_set_is_disjoint;
    /// Number of spaces that occur.
    keep n_set() -> u32 = isl_union_set_n_set;
} }

impl UnionSet {
    /// The part in one set space.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn extract_set(&self, space: &Space) -> Result<Set> {
        // SAFETY: the union is kept, the space taken.
        Set::give(&self.context, unsafe {
            sys::isl_union_set_extract_set(self.keep(), space.take())
        })
    }

    /// Calls `visit` on the sets, one a space, in isl's own order: for callers whose result does not depend on it.
    ///
    /// # Errors
    /// The first error of `visit`, or when isl refuses.
    pub fn for_each_set(&self, mut visit: impl FnMut(Set) -> Result<()>) -> Result<()> {
        // SAFETY: the visitor lives for the call.
        Visitor::run(&self.context, &mut visit, |f, user| unsafe {
            sys::isl_union_set_foreach_set(self.keep(), Some(f), user)
        })
    }

    /// The sets, one a space, sorted by their printed form.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn sets(&self) -> Result<Vec<Set>> {
        let mut sets = Vec::new();
        let mut push = |set| {
            sets.push(set);
            Ok(())
        };
        // SAFETY: the visitor lives for the call.
        Visitor::run(&self.context, &mut push, |f, user| unsafe {
            sys::isl_union_set_foreach_set(self.keep(), Some(f), user)
        })?;
        sort_as_printed(&mut sets, Set::tuple_name);
        Ok(sets)
    }

    /// The union set without points and parameters.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn none() -> Result<Self> {
        let context = Context::current();
        // SAFETY: plain allocation.
        unsafe {
            let space = sys::isl_space_params_alloc(context.as_ptr(), 0);
            Self::give(&context, sys::isl_union_set_empty(space))
        }
    }

    /// The union of `sets`.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn union_all(sets: impl IntoIterator<Item = Set>) -> Result<Self> {
        let mut all = Self::none()?;
        for set in sets {
            let context = std::rc::Rc::clone(&all.context);
            // SAFETY: both references are handed over.
            all = Self::give(&context, unsafe {
                sys::isl_union_set_union(
                    all.into_raw(),
                    sys::isl_union_set_from_set(set.into_raw()),
                )
            })?;
        }
        Ok(all)
    }
}

isl_object!(
    /// A union of relations between different spaces over the same parameters.
    UnionMap, isl_union_map, isl_union_map_copy, isl_union_map_free,
    to_str isl_union_map_to_str, from_str isl_union_map_read_from_str
);

isl_methods! { UnionMap {
    /// The parameter space.
    keep space() -> Space = isl_union_map_get_space;
    /// All pairs of two union sets.
    from from_domain_and_range(domain: &UnionSet, range: &UnionSet) -> UnionMap = isl_union_map_from_domain_and_range;
    /// The graph of a function.
    from from_multi_union_pw_aff(f: &MultiUnionPwAff) -> UnionMap = isl_union_map_from_multi_union_pw_aff;
    /// The graph of a function.
    from from_union_pw_multi_aff(f: &UnionPwMultiAff) -> UnionMap = isl_union_map_from_union_pw_multi_aff;
    /// Intersection.
    take intersect(other: &UnionMap) -> UnionMap = isl_union_map_intersect;
    /// Restriction of the parameters.
    take intersect_params(params: &Set) -> UnionMap = isl_union_map_intersect_params;
    /// Restriction of the domain.
    take intersect_domain(domain: &UnionSet) -> UnionMap = isl_union_map_intersect_domain;
    /// Restriction of the range.
    take intersect_range(range: &UnionSet) -> UnionMap = isl_union_map_intersect_range;
    /// Union.
    take union(other: &UnionMap) -> UnionMap = isl_union_map_union;
    /// Difference.
    take subtract(other: &UnionMap) -> UnionMap = isl_union_map_subtract;
    /// Simplified in the knowledge that `context` holds.
    take gist(context: &UnionMap) -> UnionMap = isl_union_map_gist;
    /// Simplified in the knowledge that the domain lies in `context`.
    take gist_domain(context: &UnionSet) -> UnionMap = isl_union_map_gist_domain;
    /// Simplified in the knowledge that the parameters lie in `context`.
    take gist_params(context: &Set) -> UnionMap = isl_union_map_gist_params;
    /// The inverse.
    take reverse() -> UnionMap = isl_union_map_reverse;
    /// `self` then `other`.
    take apply_range(other: &UnionMap) -> UnionMap = isl_union_map_apply_range;
    /// Replaces the domain through `other`.
    take apply_domain(other: &UnionMap) -> UnionMap = isl_union_map_apply_domain;
    /// The domain.
    take domain() -> UnionSet = isl_union_map_domain;
    /// The range.
    take range() -> UnionSet = isl_union_map_range;
    /// The differences.
    take deltas() -> UnionSet = isl_union_map_deltas;
    /// The wrapped pairs.
    take wrap() -> UnionSet = isl_union_map_wrap;
    /// `[x -> y] -> x`.
    take domain_map() -> UnionMap = isl_union_map_domain_map;
    /// `[x -> y] -> y`.
    take range_map() -> UnionMap = isl_union_map_range_map;
    /// `x -> [y -> z]`.
    take range_product(other: &UnionMap) -> UnionMap = isl_union_map_range_product;
    /// `x -> [y, z]`, flat.
    take flat_range_product(other: &UnionMap) -> UnionMap = isl_union_map_flat_range_product;
    /// From `[x -> y] -> z` to `x -> [y -> z]`.
    take curry() -> UnionMap = isl_union_map_curry;
    /// From `x -> [y -> z]` to `[x -> y] -> z`.
    take uncurry() -> UnionMap = isl_union_map_uncurry;
    /// From `[x -> y]` pairs swapped crosswise: `[a -> b] -> [c -> d]` to `[a -> c] -> [b -> d]`.
    take zip() -> UnionMap = isl_union_map_zip;
    /// From `[x -> a] -> y` to `x -> y`.
    take domain_factor_domain() -> UnionMap = isl_union_map_domain_factor_domain;
    /// From `x -> [y -> b]` to `x -> y`.
    take range_factor_domain() -> UnionMap = isl_union_map_range_factor_domain;
    /// Finds implicit equalities.
    take detect_equalities() -> UnionMap = isl_union_map_detect_equalities;
    /// For each domain element, the lexicographically least image.
    take lexmin() -> UnionMap = isl_union_map_lexmin;
    /// For each domain element, the lexicographically greatest image.
    take lexmax() -> UnionMap = isl_union_map_lexmax;
    /// Pairs `x -> y` of domain elements whose image under `self` is lexicographically before that under `other`.
    take lex_lt_union_map(other: &UnionMap) -> UnionMap = isl_union_map_lex_lt_union_map;
    /// Pairs of domain elements whose image under `self` is lexicographically not after that under `other`.
    take lex_le_union_map(other: &UnionMap) -> UnionMap = isl_union_map_lex_le_union_map;
    /// Pairs that `f` maps to equal values.
    take eq_at_multi_union_pw_aff(f: &MultiUnionPwAff) -> UnionMap = isl_union_map_eq_at_multi_union_pw_aff;
    /// Pairs of which the first has the lexicographically smaller value.
    take lex_lt_at_multi_union_pw_aff(f: &MultiUnionPwAff) -> UnionMap = isl_union_map_lex_lt_at_multi_union_pw_aff;
    /// Pairs of which the first has the lexicographically greater value.
    take lex_gt_at_multi_union_pw_aff(f: &MultiUnionPwAff) -> UnionMap = isl_union_map_lex_gt_at_multi_union_pw_aff;
    /// Whether there is no pair.
    keep is_empty() -> bool = isl_union_map_is_empty;
    /// Whether both hold the same pairs.
    keep is_equal(other: &UnionMap) -> bool = isl_union_map_is_equal;
    /// Whether every pair lies in `other`.
    keep is_subset(other: &UnionMap) -> bool = isl_union_map_is_subset;
    /// Whether each domain element has at most one image.
    keep is_single_valued() -> bool = isl_union_map_is_single_valued;
    /// Whether each range element has at most one preimage.
    keep is_injective() -> bool = isl_union_map_is_injective;
    /// Whether single-valued and injective.
    keep is_bijective() -> bool = isl_union_map_is_bijective;
    /// Number of spaces that occur.
    keep n_map() -> u32 = isl_union_map_n_map;
} }

impl UnionMap {
    /// The part in one map space.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn extract_map(&self, space: &Space) -> Result<Map> {
        // SAFETY: the union is kept, the space taken.
        Map::give(&self.context, unsafe {
            sys::isl_union_map_extract_map(self.keep(), space.take())
        })
    }

    /// The maps, one a space, sorted by their printed form.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn maps(&self) -> Result<Vec<Map>> {
        let mut maps: Vec<Map> = Vec::new();
        let mut push = |map| {
            maps.push(map);
            Ok(())
        };
        // SAFETY: the visitor lives for the call.
        Visitor::run(&self.context, &mut push, |f, user| unsafe {
            sys::isl_union_map_foreach_map(self.keep(), Some(f), user)
        })?;
        sort_as_printed(&mut maps, |map| map.tuple_name(DimType::In));
        Ok(maps)
    }

    /// The union map without pairs and parameters.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn none() -> Result<Self> {
        let context = Context::current();
        // SAFETY: plain allocation.
        unsafe {
            let space = sys::isl_space_params_alloc(context.as_ptr(), 0);
            Self::give(&context, sys::isl_union_map_empty(space))
        }
    }

    /// The union of `maps`.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn union_all(maps: impl IntoIterator<Item = Map>) -> Result<Self> {
        let mut all = Self::none()?;
        for map in maps {
            let context = std::rc::Rc::clone(&all.context);
            // SAFETY: both references are handed over.
            all = Self::give(&context, unsafe {
                sys::isl_union_map_union(
                    all.into_raw(),
                    sys::isl_union_map_from_map(map.into_raw()),
                )
            })?;
        }
        Ok(all)
    }
}
