//! Quasi-affine functions: single, piecewise, tuples, and over unions of spaces.

use crate::context::Context;
use crate::object::{Object, Visitor, c_string, sort_as_printed};
use crate::{DimType, Map, Result, Set, Space, UnionMap, UnionSet, Val};
use farkas_isl_sys as sys;

isl_object!(
    /// A quasi-affine expression with rational coefficients over a set space.
    Aff, isl_aff, isl_aff_copy, isl_aff_free, to_str isl_aff_to_str, from_str isl_aff_read_from_str
);

isl_methods! { Aff {
    /// Zero on the set space `domain`.
    from zero_on_domain(domain: &Space) -> Aff = isl_aff_zero_on_domain_space;
    /// The space, a map space into one dimension.
    keep space() -> Space = isl_aff_get_space;
    /// The space of the domain.
    keep domain_space() -> Space = isl_aff_get_domain_space;
    /// Sum.
    take add(other: &Aff) -> Aff = isl_aff_add;
    /// Difference.
    take sub(other: &Aff) -> Aff = isl_aff_sub;
    /// Product, one side constant.
    take mul(other: &Aff) -> Aff = isl_aff_mul;
    /// Negation.
    take neg() -> Aff = isl_aff_neg;
    /// Largest integer not above.
    take floor() -> Aff = isl_aff_floor;
    /// Multiplied by a constant.
    take scale_val(factor: &Val) -> Aff = isl_aff_scale_val;
    /// Divided by a constant.
    take scale_down_val(divisor: &Val) -> Aff = isl_aff_scale_down_val;
    /// Remainder of the division by a positive constant, not negative.
    take mod_val(modulus: &Val) -> Aff = isl_aff_mod_val;
    /// With the coefficient of a dimension replaced.
    take set_coefficient_val(kind: DimType, position: i32, value: &Val) -> Aff = isl_aff_set_coefficient_val;
    /// With the constant replaced.
    take set_constant_val(value: &Val) -> Aff = isl_aff_set_constant_val;
    /// With a constant added.
    take add_constant_val(value: &Val) -> Aff = isl_aff_add_constant_val;
    /// The constant.
    keep constant_val() -> Val = isl_aff_get_constant_val;
    /// The coefficient of a dimension.
    keep coefficient_val(kind: DimType, position: i32) -> Val = isl_aff_get_coefficient_val;
    /// The common denominator.
    keep denominator_val() -> Val = isl_aff_get_denominator_val;
    /// Number of dimensions of one kind ([`DimType::In`] for the domain's).
    keep dim(kind: DimType) -> u32 = isl_aff_dim;
    /// An integer division of the expression.
    keep div(position: i32) -> Aff = isl_aff_get_div;
    /// Whether the expression mentions one of the dimensions.
    keep involves_dims(kind: DimType, first: u32, n: u32) -> bool = isl_aff_involves_dims;
    /// Whether the expression is a constant.
    keep is_cst() -> bool = isl_aff_is_cst;
    /// Whether both are obviously the same function.
    keep plain_is_equal(other: &Aff) -> bool = isl_aff_plain_is_equal;
    /// The points where the expression is zero.
    take zero_basic_set() -> crate::BasicSet = isl_aff_zero_basic_set;
    /// As a piecewise expression.
    take to_pw_aff() -> PwAff = isl_pw_aff_from_aff;
} }

impl Aff {
    /// A dimension of the set space `domain` as a function on it.
    ///
    /// # Errors
    /// When there is no such dimension.
    pub fn var_on_domain(domain: &Space, kind: DimType, position: u32) -> Result<Self> {
        // SAFETY: both references are taken.
        let raw = unsafe {
            sys::isl_aff_var_on_domain(
                sys::isl_local_space_from_space(domain.take()),
                kind as u32,
                position,
            )
        };
        Self::give(domain.context(), raw)
    }

    /// A constant on the set space `domain`.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn constant_on_domain(domain: &Space, value: i64) -> Result<Self> {
        Self::zero_on_domain(domain)?.set_constant_val(&Val::int(value)?)
    }

    /// `dims . x + params . n + constant` on the set space `domain`, a coefficient for each of its dimensions and of its
    /// parameters.
    ///
    /// # Errors
    /// When there are more coefficients than dimensions or parameters.
    pub fn linear(domain: &Space, dims: &[i64], params: &[i64], constant: i64) -> Result<Self> {
        let mut aff = Self::constant_on_domain(domain, constant)?;
        for (kind, coefficients) in [(DimType::In, dims), (DimType::Param, params)] {
            for (position, &value) in (0..).zip(coefficients).filter(|(_, value)| **value != 0) {
                aff = aff.with_coefficient(kind, position, value)?;
            }
        }
        Ok(aff)
    }

    /// With `value` as the coefficient of a dimension.
    ///
    /// # Errors
    /// When there is no such dimension.
    fn with_coefficient(&self, kind: DimType, position: u32, value: i64) -> Result<Self> {
        self.set_coefficient_val(
            kind,
            i32::try_from(position).unwrap_or(i32::MAX),
            &Val::int(value)?,
        )
    }
}

isl_object!(
    /// A piecewise quasi-affine expression.
    PwAff, isl_pw_aff, isl_pw_aff_copy, isl_pw_aff_free, to_str isl_pw_aff_to_str, from_str isl_pw_aff_read_from_str
);

isl_methods! { PwAff {
    /// The space, a map space into one dimension.
    keep space() -> Space = isl_pw_aff_get_space;
    /// The space of the domain.
    keep domain_space() -> Space = isl_pw_aff_get_domain_space;
    /// Where it is defined.
    take domain() -> Set = isl_pw_aff_domain;
    /// The expression `aff` on the set `domain`.
    from on_set(domain: &Set, aff: &Aff) -> PwAff = isl_pw_aff_alloc;
    /// Sum.
    take add(other: &PwAff) -> PwAff = isl_pw_aff_add;
    /// Difference.
    take sub(other: &PwAff) -> PwAff = isl_pw_aff_sub;
    /// Product, one side constant on each piece.
    take mul(other: &PwAff) -> PwAff = isl_pw_aff_mul;
    /// Negation.
    take neg() -> PwAff = isl_pw_aff_neg;
    /// Largest integer not above.
    take floor() -> PwAff = isl_pw_aff_floor;
    /// Smallest integer not below.
    take ceil() -> PwAff = isl_pw_aff_ceil;
    /// Multiplied by a constant.
    take scale_val(factor: &Val) -> PwAff = isl_pw_aff_scale_val;
    /// Divided by a constant.
    take scale_down_val(divisor: &Val) -> PwAff = isl_pw_aff_scale_down_val;
    /// Remainder of the division by a positive constant, not negative.
    take mod_val(modulus: &Val) -> PwAff = isl_pw_aff_mod_val;
    /// C's division, rounded toward zero, by a constant.
    take tdiv_q(divisor: &PwAff) -> PwAff = isl_pw_aff_tdiv_q;
    /// C's remainder, with the dividend's sign, by a constant.
    take tdiv_r(divisor: &PwAff) -> PwAff = isl_pw_aff_tdiv_r;
    /// The smaller of the two.
    take min(other: &PwAff) -> PwAff = isl_pw_aff_min;
    /// The larger of the two.
    take max(other: &PwAff) -> PwAff = isl_pw_aff_max;
    /// `then` where `self` is not zero, else `otherwise`.
    take cond(then: &PwAff, otherwise: &PwAff) -> PwAff = isl_pw_aff_cond;
    /// `self` where it is defined and `other` elsewhere, on domains that do not overlap.
    take union_add(other: &PwAff) -> PwAff = isl_pw_aff_union_add;
    /// Restriction of the domain.
    take intersect_domain(domain: &Set) -> PwAff = isl_pw_aff_intersect_domain;
    /// Restriction of the parameters.
    take intersect_params(params: &Set) -> PwAff = isl_pw_aff_intersect_params;
    /// Simplified in the knowledge that the argument lies in `context`.
    take gist(context: &Set) -> PwAff = isl_pw_aff_gist;
    /// Simplified in the knowledge that the parameters lie in `context`.
    take gist_params(context: &Set) -> PwAff = isl_pw_aff_gist_params;
    /// The points where `self` equals `other`.
    take eq_set(other: &PwAff) -> Set = isl_pw_aff_eq_set;
    /// The points where they differ.
    take ne_set(other: &PwAff) -> Set = isl_pw_aff_ne_set;
    /// The points where `self` is less.
    take lt_set(other: &PwAff) -> Set = isl_pw_aff_lt_set;
    /// The points where `self` is less or equal.
    take le_set(other: &PwAff) -> Set = isl_pw_aff_le_set;
    /// The points where `self` is greater.
    take gt_set(other: &PwAff) -> Set = isl_pw_aff_gt_set;
    /// The points where `self` is greater or equal.
    take ge_set(other: &PwAff) -> Set = isl_pw_aff_ge_set;
    /// The points where the value is not zero.
    take non_zero_set() -> Set = isl_pw_aff_non_zero_set;
    /// The points where the value is zero.
    take zero_set() -> Set = isl_pw_aff_zero_set;
    /// The points where the value is not negative.
    take nonneg_set() -> Set = isl_pw_aff_nonneg_set;
    /// The graph.
    take to_map() -> Map = isl_map_from_pw_aff;
    /// The value as a function of what `f` is a function of.
    take pullback_pw_multi_aff(f: &PwMultiAff) -> PwAff = isl_pw_aff_pullback_pw_multi_aff;
    /// The value as a function of what `f` is a function of.
    take pullback_multi_aff(f: &MultiAff) -> PwAff = isl_pw_aff_pullback_multi_aff;
    /// As a function over a union of spaces.
    take to_union_pw_aff() -> UnionPwAff = isl_union_pw_aff_from_pw_aff;
    /// Whether both are the same function.
    keep is_equal(other: &PwAff) -> bool = isl_pw_aff_is_equal;
    /// Whether the value is the same constant everywhere on each piece.
    keep is_cst() -> bool = isl_pw_aff_is_cst;
    /// Number of pieces.
    keep n_piece() -> u32 = isl_pw_aff_n_piece;
    /// Whether the expression mentions one of the dimensions.
    keep involves_dims(kind: DimType, first: u32, n: u32) -> bool = isl_pw_aff_involves_dims;
    /// Number of dimensions of one kind.
    keep dim(kind: DimType) -> u32 = isl_pw_aff_dim;
    /// Makes the parameters start with those of `model`.
    take align_params(model: &Space) -> PwAff = isl_pw_aff_align_params;
    /// Moves dimensions from one kind to another.
    take move_dims(to: DimType, to_at: u32, from: DimType, from_at: u32, n: u32) -> PwAff = isl_pw_aff_move_dims;
    /// A function on a zero-dimensional space as a parameter expression.
    take project_domain_on_params() -> PwAff = isl_pw_aff_project_domain_on_params;
    /// A parameter expression as a function on the one point of a zero-dimensional space.
    take from_range() -> PwAff = isl_pw_aff_from_range;
} }

impl PwAff {
    /// The pieces: where each expression holds.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn pieces(&self) -> Result<Vec<(Set, Aff)>> {
        struct Collect {
            context: std::rc::Rc<Context>,
            pieces: Result<Vec<(Set, Aff)>>,
        }
        unsafe extern "C" fn call(
            set: *mut sys::isl_set,
            aff: *mut sys::isl_aff,
            user: *mut std::ffi::c_void,
        ) -> std::ffi::c_int {
            // SAFETY: `user` is the collector below.
            let collect = unsafe { &mut *user.cast::<Collect>() };
            let piece = (Set::give(&collect.context, set), Aff::give(&collect.context, aff));
            if let Ok(pieces) = &mut collect.pieces {
                match piece {
                    (Ok(set), Ok(aff)) => pieces.push((set, aff)),
                    (Err(error), _) | (_, Err(error)) => collect.pieces = Err(error),
                }
            }
            0
        }
        let mut collect =
            Collect { context: std::rc::Rc::clone(&self.context), pieces: Ok(Vec::new()) };
        // SAFETY: the collector lives for the call.
        unsafe {
            sys::isl_pw_aff_foreach_piece(
                self.keep(),
                Some(call),
                std::ptr::from_mut(&mut collect).cast(),
            )
        };
        collect.pieces
    }

    /// Renames a dimension.
    ///
    /// # Errors
    /// When there is no such dimension.
    pub fn with_dim_name(&self, kind: DimType, position: u32, name: &str) -> Result<Self> {
        let c = c_string(name);
        // SAFETY: `c` outlives the calls; the id is handed over.
        let raw = unsafe {
            let id = sys::isl_id_alloc(self.context.as_ptr(), c.as_ptr(), std::ptr::null_mut());
            sys::isl_pw_aff_set_dim_id(self.take(), kind as u32, position, id)
        };
        Self::give(&self.context, raw)
    }

    /// A constant on `domain`.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn constant_on(domain: &Set, value: i64) -> Result<Self> {
        Self::on_set(domain, &Aff::constant_on_domain(&domain.space()?, value)?)
    }
}

isl_object!(
    /// A tuple of quasi-affine expressions.
    MultiAff, isl_multi_aff, isl_multi_aff_copy, isl_multi_aff_free,
    to_str isl_multi_aff_to_str, from_str isl_multi_aff_read_from_str
);

isl_methods! { MultiAff {
    /// All-zero on a map space.
    from zero(space: &Space) -> MultiAff = isl_multi_aff_zero;
    /// The identity of a map space.
    from identity(space: &Space) -> MultiAff = isl_multi_aff_identity;
    /// The space.
    keep space() -> Space = isl_multi_aff_get_space;
    /// Number of dimensions of one kind.
    keep dim(kind: DimType) -> u32 = isl_multi_aff_dim;
    /// A component.
    keep at(position: i32) -> Aff = isl_multi_aff_get_aff;
    /// With a component replaced.
    take set_at(position: i32, aff: &Aff) -> MultiAff = isl_multi_aff_set_aff;
    /// `self` after `f`.
    take pullback_multi_aff(f: &MultiAff) -> MultiAff = isl_multi_aff_pullback_multi_aff;
    /// As a piecewise function.
    take to_pw_multi_aff() -> PwMultiAff = isl_pw_multi_aff_from_multi_aff;
} }

isl_object!(
    /// A piecewise tuple of quasi-affine expressions.
    PwMultiAff, isl_pw_multi_aff, isl_pw_multi_aff_copy, isl_pw_multi_aff_free,
    to_str isl_pw_multi_aff_to_str, from_str isl_pw_multi_aff_read_from_str
);

isl_methods! { PwMultiAff {
    /// The space.
    keep space() -> Space = isl_pw_multi_aff_get_space;
    /// Number of dimensions of one kind.
    keep dim(kind: DimType) -> u32 = isl_pw_multi_aff_dim;
    /// Where it is defined.
    take domain() -> Set = isl_pw_multi_aff_domain;
    /// A component.
    keep at(position: i32) -> PwAff = isl_pw_multi_aff_get_pw_aff;
    /// Number of pieces.
    keep n_piece() -> u32 = isl_pw_multi_aff_n_piece;
    /// `self` after `f`.
    take pullback_pw_multi_aff(f: &PwMultiAff) -> PwMultiAff = isl_pw_multi_aff_pullback_pw_multi_aff;
    /// Simplified in the knowledge that the argument lies in `context`.
    take gist(context: &Set) -> PwMultiAff = isl_pw_multi_aff_gist;
    /// The graph.
    take to_map() -> Map = isl_map_from_pw_multi_aff;
    /// Restriction of the domain.
    take intersect_domain(domain: &Set) -> PwMultiAff = isl_pw_multi_aff_intersect_domain;
    /// As a tuple of piecewise expressions.
    take to_multi_pw_aff() -> MultiPwAff = isl_multi_pw_aff_from_pw_multi_aff;
} }

isl_object!(
    /// A tuple of piecewise quasi-affine expressions.
    MultiPwAff, isl_multi_pw_aff, isl_multi_pw_aff_copy, isl_multi_pw_aff_free,
    to_str isl_multi_pw_aff_to_str, from_str isl_multi_pw_aff_read_from_str
);

isl_methods! { MultiPwAff {
    /// All-zero on a map space.
    from zero(space: &Space) -> MultiPwAff = isl_multi_pw_aff_zero;
    /// The identity of a map space.
    from identity(space: &Space) -> MultiPwAff = isl_multi_pw_aff_identity;
    /// The space.
    keep space() -> Space = isl_multi_pw_aff_get_space;
    /// Number of dimensions of one kind.
    keep dim(kind: DimType) -> u32 = isl_multi_pw_aff_dim;
    /// A component.
    keep at(position: i32) -> PwAff = isl_multi_pw_aff_get_pw_aff;
    /// With a component replaced.
    take set_at(position: i32, value: &PwAff) -> MultiPwAff = isl_multi_pw_aff_set_pw_aff;
    /// The graph.
    take to_map() -> Map = isl_map_from_multi_pw_aff;
} }

isl_object!(
    /// A piecewise expression on several spaces.
    UnionPwAff, isl_union_pw_aff, isl_union_pw_aff_copy, isl_union_pw_aff_free,
    to_str isl_union_pw_aff_to_str, from_str isl_union_pw_aff_read_from_str
);

isl_methods! { UnionPwAff {
    /// The parameter space.
    keep space() -> Space = isl_union_pw_aff_get_space;
    /// Where it is defined.
    take domain() -> UnionSet = isl_union_pw_aff_domain;
    /// Sum where both are defined.
    take add(other: &UnionPwAff) -> UnionPwAff = isl_union_pw_aff_add;
    /// Difference where both are defined.
    take sub(other: &UnionPwAff) -> UnionPwAff = isl_union_pw_aff_sub;
    /// `self` and `other` on domains that do not overlap.
    take union_add(other: &UnionPwAff) -> UnionPwAff = isl_union_pw_aff_union_add;
    /// Negation.
    take neg() -> UnionPwAff = isl_union_pw_aff_neg;
    /// Largest integer not above.
    take floor() -> UnionPwAff = isl_union_pw_aff_floor;
    /// Multiplied by a constant.
    take scale_val(factor: &Val) -> UnionPwAff = isl_union_pw_aff_scale_val;
    /// Divided by a constant.
    take scale_down_val(divisor: &Val) -> UnionPwAff = isl_union_pw_aff_scale_down_val;
    /// Restriction of the domain.
    take intersect_domain(domain: &UnionSet) -> UnionPwAff = isl_union_pw_aff_intersect_domain;
} }

impl UnionPwAff {
    /// The part on one set space.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn extract_pw_aff(&self, domain: &Space) -> Result<PwAff> {
        let range = domain.params()?.set_space("", 1)?;
        let space = domain.map_from_domain_and_range(&range)?;
        // SAFETY: the union is kept, the space taken.
        PwAff::give(&self.context, unsafe {
            sys::isl_union_pw_aff_extract_pw_aff(self.keep(), space.take())
        })
    }

    /// The parts, one a space, sorted by their printed form.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn pw_affs(&self) -> Result<Vec<PwAff>> {
        let mut parts: Vec<PwAff> = Vec::new();
        let mut push = |part| {
            parts.push(part);
            Ok(())
        };
        // SAFETY: the visitor lives for the call.
        Visitor::run(&self.context, &mut push, |f, user| unsafe {
            sys::isl_union_pw_aff_foreach_pw_aff(self.keep(), Some(f), user)
        })?;
        sort_as_printed(&mut parts, |part| part.domain_space().ok()?.tuple_name(DimType::SET));
        Ok(parts)
    }

    /// The function that is defined nowhere.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn none() -> Result<Self> {
        let context = Context::current();
        // SAFETY: plain allocation.
        unsafe {
            let space = sys::isl_space_params_alloc(context.as_ptr(), 0);
            Self::give(&context, sys::isl_union_pw_aff_empty(space))
        }
    }

    /// The function made of `parts`, whose domains do not overlap.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn union_all(parts: impl IntoIterator<Item = PwAff>) -> Result<Self> {
        let mut all = Self::none()?;
        for part in parts {
            let context = std::rc::Rc::clone(&all.context);
            // SAFETY: both references are handed over.
            all = Self::give(&context, unsafe {
                sys::isl_union_pw_aff_union_add(
                    all.into_raw(),
                    sys::isl_union_pw_aff_from_pw_aff(part.into_raw()),
                )
            })?;
        }
        Ok(all)
    }
}

isl_object!(
    /// A tuple of piecewise expressions on several spaces; what a band of a schedule tree holds.
    MultiUnionPwAff, isl_multi_union_pw_aff, isl_multi_union_pw_aff_copy, isl_multi_union_pw_aff_free,
    to_str isl_multi_union_pw_aff_to_str, from_str isl_multi_union_pw_aff_read_from_str
);

isl_methods! { MultiUnionPwAff {
    /// The space of the range.
    keep space() -> Space = isl_multi_union_pw_aff_get_space;
    /// Number of dimensions of one kind.
    keep dim(kind: DimType) -> u32 = isl_multi_union_pw_aff_dim;
    /// A component.
    keep at(position: i32) -> UnionPwAff = isl_multi_union_pw_aff_get_union_pw_aff;
    /// With a component replaced.
    take set_at(position: i32, value: &UnionPwAff) -> MultiUnionPwAff = isl_multi_union_pw_aff_set_union_pw_aff;
    /// Where it is defined.
    take domain() -> UnionSet = isl_multi_union_pw_aff_domain;
    /// The concatenation of two tuples.
    take flat_range_product(other: &MultiUnionPwAff) -> MultiUnionPwAff = isl_multi_union_pw_aff_flat_range_product;
    /// Largest integers not above.
    take floor() -> MultiUnionPwAff = isl_multi_union_pw_aff_floor;
    /// Restriction of the domain.
    take intersect_domain(domain: &UnionSet) -> MultiUnionPwAff = isl_multi_union_pw_aff_intersect_domain;
    /// The graph.
    take to_union_map() -> UnionMap = isl_union_map_from_multi_union_pw_aff;
    /// Makes the parameters start with those of `model`.
    take align_params(model: &Space) -> MultiUnionPwAff = isl_multi_union_pw_aff_align_params;
} }

impl MultiUnionPwAff {
    /// The tuple of `members` with an unnamed range; at least one.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn from_members(members: &[UnionPwAff]) -> Result<Self> {
        let context = Context::current();
        let params: Vec<Space> = members.iter().map(UnionPwAff::space).collect::<Result<_>>()?;
        let mut aligned = match params.first() {
            Some(space) => space.clone(),
            None => Space::params_named::<&str>(&[])?,
        };
        for space in &params {
            aligned = aligned.align_params(space)?;
        }
        let range = aligned.set_space("", crate::space::to_u32(members.len()))?;
        if members.is_empty() {
            // SAFETY: the space is taken.
            let raw = unsafe { sys::isl_multi_union_pw_aff_zero(range.into_raw()) };
            return Self::give(&context, raw);
        }
        let n = i32::try_from(members.len()).unwrap_or(i32::MAX);
        // SAFETY: each call takes the list and a reference of the member; the space and the list are taken at last.
        let raw = unsafe {
            let list = sys::isl_union_pw_aff_list_alloc(context.as_ptr(), n);
            let list = members
                .iter()
                .fold(list, |list, member| sys::isl_union_pw_aff_list_add(list, member.take()));
            sys::isl_multi_union_pw_aff_from_union_pw_aff_list(range.into_raw(), list)
        };
        Self::give(&context, raw)
    }

    /// The components.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn members(&self) -> Result<Vec<UnionPwAff>> {
        let n = i32::try_from(self.dim(DimType::Out)?).unwrap_or(i32::MAX);
        (0..n).map(|i| self.at(i)).collect()
    }

    /// The name of the range tuple, renamed.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn with_tuple_name(&self, name: &str) -> Result<Self> {
        let c = c_string(name);
        // SAFETY: `c` outlives the call.
        let raw = unsafe {
            sys::isl_multi_union_pw_aff_set_tuple_name(self.take(), DimType::Out as u32, c.as_ptr())
        };
        Self::give(&self.context, raw)
    }
}

isl_object!(
    /// A piecewise tuple of expressions on several spaces.
    UnionPwMultiAff, isl_union_pw_multi_aff, isl_union_pw_multi_aff_copy, isl_union_pw_multi_aff_free,
    to_str isl_union_pw_multi_aff_to_str, from_str isl_union_pw_multi_aff_read_from_str
);

isl_methods! { UnionPwMultiAff {
    /// The parameter space.
    keep space() -> Space = isl_union_pw_multi_aff_get_space;
    /// Where it is defined.
    take domain() -> UnionSet = isl_union_pw_multi_aff_domain;
    /// The graph.
    take to_union_map() -> UnionMap = isl_union_map_from_union_pw_multi_aff;
    /// The function that a single-valued relation is.
    from from_union_map(map: &UnionMap) -> UnionPwMultiAff = isl_union_pw_multi_aff_from_union_map;
} }
