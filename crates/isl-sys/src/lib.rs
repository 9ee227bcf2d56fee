//! Declarations of the isl functions that Farkas calls, as isl 0.25's headers give them; nothing else.
//!
//! Enumerations and isl's `bool`, `stat` and `size` are plain C integers. `farkas-poly` is the only user.
#![allow(missing_docs, non_camel_case_types, reason = "mirrors the C headers of isl")]

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

/// `isl_options_set_on_error`: report to the caller.
pub const ISL_ON_ERROR_CONTINUE: c_int = 1;
/// `isl_ctx_last_error`: the operation quota was reached.
pub const ISL_ERROR_QUOTA: c_int = 6;
/// `isl_printer_set_yaml_style`: one entry a line.
pub const ISL_YAML_STYLE_BLOCK: c_int = 0;

/// Opaque C types.
macro_rules! opaque {
    ($($name:ident)*) => {$(
        #[repr(C)]
        pub struct $name {
            private: [u8; 0],
        }
    )*};
}

opaque! {
    isl_aff
    isl_ast_build
    isl_ast_expr
    isl_ast_node
    isl_ast_node_list
    isl_basic_map
    isl_basic_set
    isl_ctx
    isl_id
    isl_id_list
    isl_local_space
    isl_map
    isl_mat
    isl_multi_aff
    isl_multi_pw_aff
    isl_multi_union_pw_aff
    isl_point
    isl_printer
    isl_pw_aff
    isl_pw_multi_aff
    isl_schedule
    isl_schedule_constraints
    isl_schedule_node
    isl_set
    isl_space
    isl_union_access_info
    isl_union_flow
    isl_union_map
    isl_union_pw_aff
    isl_union_pw_aff_list
    isl_union_pw_multi_aff
    isl_union_set
    isl_union_set_list
    isl_val
}

unsafe extern "C" {
    pub fn free(memory: *mut c_void);
    pub fn isl_aff_add(aff1: *mut isl_aff, aff2: *mut isl_aff) -> *mut isl_aff;
    pub fn isl_aff_add_constant_val(aff: *mut isl_aff, v: *mut isl_val) -> *mut isl_aff;
    pub fn isl_aff_copy(aff: *mut isl_aff) -> *mut isl_aff;
    pub fn isl_aff_dim(aff: *mut isl_aff, kind: c_uint) -> c_int;
    pub fn isl_aff_floor(aff: *mut isl_aff) -> *mut isl_aff;
    pub fn isl_aff_free(aff: *mut isl_aff) -> *mut isl_aff;
    pub fn isl_aff_get_coefficient_val(aff: *mut isl_aff, kind: c_uint, pos: c_int)
    -> *mut isl_val;
    pub fn isl_aff_get_constant_val(aff: *mut isl_aff) -> *mut isl_val;
    pub fn isl_aff_get_denominator_val(aff: *mut isl_aff) -> *mut isl_val;
    pub fn isl_aff_get_div(aff: *mut isl_aff, pos: c_int) -> *mut isl_aff;
    pub fn isl_aff_get_domain_space(aff: *mut isl_aff) -> *mut isl_space;
    pub fn isl_aff_get_space(aff: *mut isl_aff) -> *mut isl_space;
    pub fn isl_aff_involves_dims(
        aff: *mut isl_aff,
        kind: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> c_int;
    pub fn isl_aff_is_cst(aff: *mut isl_aff) -> c_int;
    pub fn isl_aff_mod_val(aff: *mut isl_aff, modulus: *mut isl_val) -> *mut isl_aff;
    pub fn isl_aff_mul(aff1: *mut isl_aff, aff2: *mut isl_aff) -> *mut isl_aff;
    pub fn isl_aff_neg(aff: *mut isl_aff) -> *mut isl_aff;
    pub fn isl_aff_plain_is_equal(aff1: *mut isl_aff, aff2: *mut isl_aff) -> c_int;
    pub fn isl_aff_read_from_str(ctx: *mut isl_ctx, str: *const c_char) -> *mut isl_aff;
    pub fn isl_aff_scale_down_val(aff: *mut isl_aff, v: *mut isl_val) -> *mut isl_aff;
    pub fn isl_aff_scale_val(aff: *mut isl_aff, v: *mut isl_val) -> *mut isl_aff;
    pub fn isl_aff_set_coefficient_val(
        aff: *mut isl_aff,
        kind: c_uint,
        pos: c_int,
        v: *mut isl_val,
    ) -> *mut isl_aff;
    pub fn isl_aff_set_constant_val(aff: *mut isl_aff, v: *mut isl_val) -> *mut isl_aff;
    pub fn isl_aff_sub(aff1: *mut isl_aff, aff2: *mut isl_aff) -> *mut isl_aff;
    pub fn isl_aff_to_str(aff: *mut isl_aff) -> *mut c_char;
    pub fn isl_aff_var_on_domain(
        ls: *mut isl_local_space,
        kind: c_uint,
        pos: c_uint,
    ) -> *mut isl_aff;
    pub fn isl_aff_zero_basic_set(aff: *mut isl_aff) -> *mut isl_basic_set;
    pub fn isl_aff_zero_on_domain_space(space: *mut isl_space) -> *mut isl_aff;
    pub fn isl_ast_build_alloc(ctx: *mut isl_ctx) -> *mut isl_ast_build;
    pub fn isl_ast_build_copy(build: *mut isl_ast_build) -> *mut isl_ast_build;
    pub fn isl_ast_build_expr_from_pw_aff(
        build: *mut isl_ast_build,
        pa: *mut isl_pw_aff,
    ) -> *mut isl_ast_expr;
    pub fn isl_ast_build_expr_from_set(
        build: *mut isl_ast_build,
        set: *mut isl_set,
    ) -> *mut isl_ast_expr;
    pub fn isl_ast_build_free(build: *mut isl_ast_build) -> *mut isl_ast_build;
    pub fn isl_ast_build_from_context(set: *mut isl_set) -> *mut isl_ast_build;
    pub fn isl_ast_build_node_from_schedule(
        build: *mut isl_ast_build,
        schedule: *mut isl_schedule,
    ) -> *mut isl_ast_node;
    pub fn isl_ast_build_set_iterators(
        build: *mut isl_ast_build,
        iterators: *mut isl_id_list,
    ) -> *mut isl_ast_build;
    pub fn isl_ast_expr_copy(expr: *mut isl_ast_expr) -> *mut isl_ast_expr;
    pub fn isl_ast_expr_free(expr: *mut isl_ast_expr) -> *mut isl_ast_expr;
    pub fn isl_ast_expr_get_type(expr: *mut isl_ast_expr) -> c_int;
    pub fn isl_ast_expr_id_get_id(expr: *mut isl_ast_expr) -> *mut isl_id;
    pub fn isl_ast_expr_int_get_val(expr: *mut isl_ast_expr) -> *mut isl_val;
    pub fn isl_ast_expr_op_get_arg(expr: *mut isl_ast_expr, pos: c_int) -> *mut isl_ast_expr;
    pub fn isl_ast_expr_op_get_n_arg(expr: *mut isl_ast_expr) -> c_int;
    pub fn isl_ast_expr_op_get_type(expr: *mut isl_ast_expr) -> c_int;
    pub fn isl_ast_expr_to_C_str(expr: *mut isl_ast_expr) -> *mut c_char;
    pub fn isl_ast_node_block_get_children(node: *mut isl_ast_node) -> *mut isl_ast_node_list;
    pub fn isl_ast_node_copy(node: *mut isl_ast_node) -> *mut isl_ast_node;
    pub fn isl_ast_node_for_get_body(node: *mut isl_ast_node) -> *mut isl_ast_node;
    pub fn isl_ast_node_for_get_cond(node: *mut isl_ast_node) -> *mut isl_ast_expr;
    pub fn isl_ast_node_for_get_inc(node: *mut isl_ast_node) -> *mut isl_ast_expr;
    pub fn isl_ast_node_for_get_init(node: *mut isl_ast_node) -> *mut isl_ast_expr;
    pub fn isl_ast_node_for_get_iterator(node: *mut isl_ast_node) -> *mut isl_ast_expr;
    pub fn isl_ast_node_for_is_degenerate(node: *mut isl_ast_node) -> c_int;
    pub fn isl_ast_node_free(node: *mut isl_ast_node) -> *mut isl_ast_node;
    pub fn isl_ast_node_get_type(node: *mut isl_ast_node) -> c_int;
    pub fn isl_ast_node_if_get_cond(node: *mut isl_ast_node) -> *mut isl_ast_expr;
    pub fn isl_ast_node_if_get_else_node(node: *mut isl_ast_node) -> *mut isl_ast_node;
    pub fn isl_ast_node_if_get_then_node(node: *mut isl_ast_node) -> *mut isl_ast_node;
    pub fn isl_ast_node_if_has_else_node(node: *mut isl_ast_node) -> c_int;
    pub fn isl_ast_node_list_free(list: *mut isl_ast_node_list) -> *mut isl_ast_node_list;
    pub fn isl_ast_node_list_get_ast_node(
        list: *mut isl_ast_node_list,
        index: c_int,
    ) -> *mut isl_ast_node;
    pub fn isl_ast_node_list_n_ast_node(list: *mut isl_ast_node_list) -> c_int;
    pub fn isl_ast_node_mark_get_id(node: *mut isl_ast_node) -> *mut isl_id;
    pub fn isl_ast_node_mark_get_node(node: *mut isl_ast_node) -> *mut isl_ast_node;
    pub fn isl_ast_node_to_C_str(node: *mut isl_ast_node) -> *mut c_char;
    pub fn isl_ast_node_user_get_expr(node: *mut isl_ast_node) -> *mut isl_ast_expr;
    pub fn isl_basic_map_affine_hull(bmap: *mut isl_basic_map) -> *mut isl_basic_map;
    pub fn isl_basic_map_copy(bmap: *mut isl_basic_map) -> *mut isl_basic_map;
    pub fn isl_basic_map_deltas(bmap: *mut isl_basic_map) -> *mut isl_basic_set;
    pub fn isl_basic_map_free(bmap: *mut isl_basic_map) -> *mut isl_basic_map;
    pub fn isl_basic_map_from_constraint_matrices(
        space: *mut isl_space,
        eq: *mut isl_mat,
        ineq: *mut isl_mat,
        c1: c_uint,
        c2: c_uint,
        c3: c_uint,
        c4: c_uint,
        c5: c_uint,
    ) -> *mut isl_basic_map;
    pub fn isl_basic_map_get_space(bmap: *mut isl_basic_map) -> *mut isl_space;
    pub fn isl_basic_map_read_from_str(ctx: *mut isl_ctx, str: *const c_char)
    -> *mut isl_basic_map;
    pub fn isl_basic_map_to_str(bmap: *mut isl_basic_map) -> *mut c_char;
    pub fn isl_basic_map_wrap(bmap: *mut isl_basic_map) -> *mut isl_basic_set;
    pub fn isl_basic_set_affine_hull(bset: *mut isl_basic_set) -> *mut isl_basic_set;
    pub fn isl_basic_set_coefficients(bset: *mut isl_basic_set) -> *mut isl_basic_set;
    pub fn isl_basic_set_copy(bset: *mut isl_basic_set) -> *mut isl_basic_set;
    pub fn isl_basic_set_detect_equalities(bset: *mut isl_basic_set) -> *mut isl_basic_set;
    pub fn isl_basic_set_dim(bset: *mut isl_basic_set, kind: c_uint) -> c_int;
    pub fn isl_basic_set_equalities_matrix(
        bset: *mut isl_basic_set,
        c1: c_uint,
        c2: c_uint,
        c3: c_uint,
        c4: c_uint,
    ) -> *mut isl_mat;
    pub fn isl_basic_set_free(bset: *mut isl_basic_set) -> *mut isl_basic_set;
    pub fn isl_basic_set_get_space(bset: *mut isl_basic_set) -> *mut isl_space;
    pub fn isl_basic_set_inequalities_matrix(
        bset: *mut isl_basic_set,
        c1: c_uint,
        c2: c_uint,
        c3: c_uint,
        c4: c_uint,
    ) -> *mut isl_mat;
    pub fn isl_basic_set_intersect(
        bset1: *mut isl_basic_set,
        bset2: *mut isl_basic_set,
    ) -> *mut isl_basic_set;
    pub fn isl_basic_set_is_empty(bset: *mut isl_basic_set) -> c_int;
    pub fn isl_basic_set_project_out(
        bset: *mut isl_basic_set,
        kind: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> *mut isl_basic_set;
    pub fn isl_basic_set_read_from_str(ctx: *mut isl_ctx, str: *const c_char)
    -> *mut isl_basic_set;
    pub fn isl_basic_set_remove_divs(bset: *mut isl_basic_set) -> *mut isl_basic_set;
    pub fn isl_basic_set_remove_redundancies(bset: *mut isl_basic_set) -> *mut isl_basic_set;
    pub fn isl_basic_set_to_str(bset: *mut isl_basic_set) -> *mut c_char;
    pub fn isl_ctx_alloc() -> *mut isl_ctx;
    pub fn isl_ctx_free(ctx: *mut isl_ctx);
    pub fn isl_ctx_get_max_operations(ctx: *mut isl_ctx) -> c_ulong;
    pub fn isl_ctx_last_error(ctx: *mut isl_ctx) -> c_int;
    pub fn isl_ctx_last_error_file(ctx: *mut isl_ctx) -> *const c_char;
    pub fn isl_ctx_last_error_line(ctx: *mut isl_ctx) -> c_int;
    pub fn isl_ctx_last_error_msg(ctx: *mut isl_ctx) -> *const c_char;
    pub fn isl_ctx_next_operation(ctx: *mut isl_ctx) -> c_int;
    pub fn isl_ctx_reset_error(ctx: *mut isl_ctx);
    pub fn isl_ctx_reset_operations(ctx: *mut isl_ctx);
    pub fn isl_ctx_set_max_operations(ctx: *mut isl_ctx, max_operations: c_ulong);
    pub fn isl_id_alloc(ctx: *mut isl_ctx, name: *const c_char, user: *mut c_void) -> *mut isl_id;
    pub fn isl_id_free(id: *mut isl_id) -> *mut isl_id;
    pub fn isl_id_get_name(id: *mut isl_id) -> *const c_char;
    pub fn isl_id_list_add(list: *mut isl_id_list, el: *mut isl_id) -> *mut isl_id_list;
    pub fn isl_id_list_alloc(ctx: *mut isl_ctx, n: c_int) -> *mut isl_id_list;
    pub fn isl_local_space_from_space(space: *mut isl_space) -> *mut isl_local_space;
    pub fn isl_map_add_dims(map: *mut isl_map, kind: c_uint, n: c_uint) -> *mut isl_map;
    pub fn isl_map_affine_hull(map: *mut isl_map) -> *mut isl_basic_map;
    pub fn isl_map_align_params(map: *mut isl_map, model: *mut isl_space) -> *mut isl_map;
    pub fn isl_map_apply_domain(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_apply_range(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_coalesce(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_compute_divs(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_copy(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_curry(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_deltas(map: *mut isl_map) -> *mut isl_set;
    pub fn isl_map_deltas_map(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_detect_equalities(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_dim(map: *mut isl_map, kind: c_uint) -> c_int;
    pub fn isl_map_domain(bmap: *mut isl_map) -> *mut isl_set;
    pub fn isl_map_domain_factor_domain(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_domain_factor_range(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_domain_map(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_eliminate(
        map: *mut isl_map,
        kind: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> *mut isl_map;
    pub fn isl_map_empty(space: *mut isl_space) -> *mut isl_map;
    pub fn isl_map_equate(
        map: *mut isl_map,
        type1: c_uint,
        pos1: c_int,
        type2: c_uint,
        pos2: c_int,
    ) -> *mut isl_map;
    pub fn isl_map_fix_si(
        map: *mut isl_map,
        kind: c_uint,
        pos: c_uint,
        value: c_int,
    ) -> *mut isl_map;
    pub fn isl_map_fix_val(
        map: *mut isl_map,
        kind: c_uint,
        pos: c_uint,
        v: *mut isl_val,
    ) -> *mut isl_map;
    pub fn isl_map_flat_range_product(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_flatten_domain(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_flatten_range(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_foreach_basic_map(
        map: *mut isl_map,
        f: Option<unsafe extern "C" fn(*mut isl_basic_map, *mut c_void) -> c_int>,
        user: *mut c_void,
    ) -> c_int;
    pub fn isl_map_free(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_from_aff(aff: *mut isl_aff) -> *mut isl_map;
    pub fn isl_map_from_basic_map(bmap: *mut isl_basic_map) -> *mut isl_map;
    pub fn isl_map_from_domain_and_range(domain: *mut isl_set, range: *mut isl_set)
    -> *mut isl_map;
    pub fn isl_map_from_multi_aff(maff: *mut isl_multi_aff) -> *mut isl_map;
    pub fn isl_map_from_multi_pw_aff(mpa: *mut isl_multi_pw_aff) -> *mut isl_map;
    pub fn isl_map_from_pw_aff(pwaff: *mut isl_pw_aff) -> *mut isl_map;
    pub fn isl_map_from_pw_multi_aff(pma: *mut isl_pw_multi_aff) -> *mut isl_map;
    pub fn isl_map_get_space(map: *mut isl_map) -> *mut isl_space;
    pub fn isl_map_gist(map: *mut isl_map, context: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_gist_domain(map: *mut isl_map, context: *mut isl_set) -> *mut isl_map;
    pub fn isl_map_gist_params(map: *mut isl_map, context: *mut isl_set) -> *mut isl_map;
    pub fn isl_map_identity(space: *mut isl_space) -> *mut isl_map;
    pub fn isl_map_insert_dims(
        map: *mut isl_map,
        kind: c_uint,
        pos: c_uint,
        n: c_uint,
    ) -> *mut isl_map;
    pub fn isl_map_intersect(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_intersect_domain(map: *mut isl_map, set: *mut isl_set) -> *mut isl_map;
    pub fn isl_map_intersect_params(map: *mut isl_map, params: *mut isl_set) -> *mut isl_map;
    pub fn isl_map_intersect_range(map: *mut isl_map, set: *mut isl_set) -> *mut isl_map;
    pub fn isl_map_involves_dims(
        map: *mut isl_map,
        kind: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> c_int;
    pub fn isl_map_is_bijective(map: *mut isl_map) -> c_int;
    pub fn isl_map_is_disjoint(map1: *mut isl_map, map2: *mut isl_map) -> c_int;
    pub fn isl_map_is_empty(map: *mut isl_map) -> c_int;
    pub fn isl_map_is_equal(map1: *mut isl_map, map2: *mut isl_map) -> c_int;
    pub fn isl_map_is_injective(map: *mut isl_map) -> c_int;
    pub fn isl_map_is_single_valued(map: *mut isl_map) -> c_int;
    pub fn isl_map_is_subset(map1: *mut isl_map, map2: *mut isl_map) -> c_int;
    pub fn isl_map_lex_le(set_space: *mut isl_space) -> *mut isl_map;
    pub fn isl_map_lex_lt(set_space: *mut isl_space) -> *mut isl_map;
    pub fn isl_map_lex_lt_first(space: *mut isl_space, n: c_uint) -> *mut isl_map;
    pub fn isl_map_lexmax(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_lexmin(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_lower_bound_si(
        map: *mut isl_map,
        kind: c_uint,
        pos: c_uint,
        value: c_int,
    ) -> *mut isl_map;
    pub fn isl_map_make_disjoint(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_move_dims(
        map: *mut isl_map,
        dst_type: c_uint,
        dst_pos: c_uint,
        src_type: c_uint,
        src_pos: c_uint,
        n: c_uint,
    ) -> *mut isl_map;
    pub fn isl_map_n_basic_map(map: *mut isl_map) -> c_int;
    pub fn isl_map_order_gt(
        map: *mut isl_map,
        type1: c_uint,
        pos1: c_int,
        type2: c_uint,
        pos2: c_int,
    ) -> *mut isl_map;
    pub fn isl_map_order_le(
        map: *mut isl_map,
        type1: c_uint,
        pos1: c_int,
        type2: c_uint,
        pos2: c_int,
    ) -> *mut isl_map;
    pub fn isl_map_order_lt(
        map: *mut isl_map,
        type1: c_uint,
        pos1: c_int,
        type2: c_uint,
        pos2: c_int,
    ) -> *mut isl_map;
    pub fn isl_map_params(map: *mut isl_map) -> *mut isl_set;
    pub fn isl_map_plain_is_empty(map: *mut isl_map) -> c_int;
    pub fn isl_map_plain_is_equal(map1: *mut isl_map, map2: *mut isl_map) -> c_int;
    pub fn isl_map_preimage_domain_pw_multi_aff(
        map: *mut isl_map,
        pma: *mut isl_pw_multi_aff,
    ) -> *mut isl_map;
    pub fn isl_map_preimage_range_pw_multi_aff(
        map: *mut isl_map,
        pma: *mut isl_pw_multi_aff,
    ) -> *mut isl_map;
    pub fn isl_map_product(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_project_out(
        map: *mut isl_map,
        kind: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> *mut isl_map;
    pub fn isl_map_range(map: *mut isl_map) -> *mut isl_set;
    pub fn isl_map_range_factor_domain(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_range_factor_range(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_range_map(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_range_product(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_read_from_str(ctx: *mut isl_ctx, str: *const c_char) -> *mut isl_map;
    pub fn isl_map_remove_divs(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_remove_redundancies(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_reset_tuple_id(map: *mut isl_map, kind: c_uint) -> *mut isl_map;
    pub fn isl_map_reverse(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_set_dim_name(
        map: *mut isl_map,
        kind: c_uint,
        pos: c_uint,
        s: *const c_char,
    ) -> *mut isl_map;
    pub fn isl_map_set_tuple_name(
        map: *mut isl_map,
        kind: c_uint,
        s: *const c_char,
    ) -> *mut isl_map;
    pub fn isl_map_simple_hull(map: *mut isl_map) -> *mut isl_basic_map;
    pub fn isl_map_subtract(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_subtract_domain(map: *mut isl_map, dom: *mut isl_set) -> *mut isl_map;
    pub fn isl_map_subtract_range(map: *mut isl_map, dom: *mut isl_set) -> *mut isl_map;
    pub fn isl_map_to_str(map: *mut isl_map) -> *mut c_char;
    pub fn isl_map_uncurry(map: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_union(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_union_disjoint(map1: *mut isl_map, map2: *mut isl_map) -> *mut isl_map;
    pub fn isl_map_universe(space: *mut isl_space) -> *mut isl_map;
    pub fn isl_map_unshifted_simple_hull(map: *mut isl_map) -> *mut isl_basic_map;
    pub fn isl_map_upper_bound_si(
        map: *mut isl_map,
        kind: c_uint,
        pos: c_uint,
        value: c_int,
    ) -> *mut isl_map;
    pub fn isl_map_wrap(map: *mut isl_map) -> *mut isl_set;
    pub fn isl_mat_alloc(ctx: *mut isl_ctx, n_row: c_uint, n_col: c_uint) -> *mut isl_mat;
    pub fn isl_mat_free(mat: *mut isl_mat) -> *mut isl_mat;
    pub fn isl_mat_get_element_val(mat: *mut isl_mat, row: c_int, col: c_int) -> *mut isl_val;
    pub fn isl_mat_rows(mat: *mut isl_mat) -> c_int;
    pub fn isl_mat_set_element_si(
        mat: *mut isl_mat,
        row: c_int,
        col: c_int,
        v: c_int,
    ) -> *mut isl_mat;
    pub fn isl_mat_set_element_val(
        mat: *mut isl_mat,
        row: c_int,
        col: c_int,
        v: *mut isl_val,
    ) -> *mut isl_mat;
    pub fn isl_multi_aff_copy(multi: *mut isl_multi_aff) -> *mut isl_multi_aff;
    pub fn isl_multi_aff_dim(multi: *mut isl_multi_aff, kind: c_uint) -> c_int;
    pub fn isl_multi_aff_free(multi: *mut isl_multi_aff) -> *mut isl_multi_aff;
    pub fn isl_multi_aff_get_aff(multi: *mut isl_multi_aff, pos: c_int) -> *mut isl_aff;
    pub fn isl_multi_aff_get_space(multi: *mut isl_multi_aff) -> *mut isl_space;
    pub fn isl_multi_aff_identity(space: *mut isl_space) -> *mut isl_multi_aff;
    pub fn isl_multi_aff_pullback_multi_aff(
        ma1: *mut isl_multi_aff,
        ma2: *mut isl_multi_aff,
    ) -> *mut isl_multi_aff;
    pub fn isl_multi_aff_read_from_str(ctx: *mut isl_ctx, str: *const c_char)
    -> *mut isl_multi_aff;
    pub fn isl_multi_aff_set_aff(
        multi: *mut isl_multi_aff,
        pos: c_int,
        el: *mut isl_aff,
    ) -> *mut isl_multi_aff;
    pub fn isl_multi_aff_to_str(ma: *mut isl_multi_aff) -> *mut c_char;
    pub fn isl_multi_aff_zero(space: *mut isl_space) -> *mut isl_multi_aff;
    pub fn isl_multi_pw_aff_copy(multi: *mut isl_multi_pw_aff) -> *mut isl_multi_pw_aff;
    pub fn isl_multi_pw_aff_dim(multi: *mut isl_multi_pw_aff, kind: c_uint) -> c_int;
    pub fn isl_multi_pw_aff_free(multi: *mut isl_multi_pw_aff) -> *mut isl_multi_pw_aff;
    pub fn isl_multi_pw_aff_from_pw_multi_aff(pma: *mut isl_pw_multi_aff) -> *mut isl_multi_pw_aff;
    pub fn isl_multi_pw_aff_get_pw_aff(multi: *mut isl_multi_pw_aff, pos: c_int)
    -> *mut isl_pw_aff;
    pub fn isl_multi_pw_aff_get_space(multi: *mut isl_multi_pw_aff) -> *mut isl_space;
    pub fn isl_multi_pw_aff_identity(space: *mut isl_space) -> *mut isl_multi_pw_aff;
    pub fn isl_multi_pw_aff_read_from_str(
        ctx: *mut isl_ctx,
        str: *const c_char,
    ) -> *mut isl_multi_pw_aff;
    pub fn isl_multi_pw_aff_set_pw_aff(
        multi: *mut isl_multi_pw_aff,
        pos: c_int,
        el: *mut isl_pw_aff,
    ) -> *mut isl_multi_pw_aff;
    pub fn isl_multi_pw_aff_to_str(mpa: *mut isl_multi_pw_aff) -> *mut c_char;
    pub fn isl_multi_pw_aff_zero(space: *mut isl_space) -> *mut isl_multi_pw_aff;
    pub fn isl_multi_union_pw_aff_align_params(
        multi: *mut isl_multi_union_pw_aff,
        model: *mut isl_space,
    ) -> *mut isl_multi_union_pw_aff;
    pub fn isl_multi_union_pw_aff_copy(
        multi: *mut isl_multi_union_pw_aff,
    ) -> *mut isl_multi_union_pw_aff;
    pub fn isl_multi_union_pw_aff_dim(multi: *mut isl_multi_union_pw_aff, kind: c_uint) -> c_int;
    pub fn isl_multi_union_pw_aff_domain(mupa: *mut isl_multi_union_pw_aff) -> *mut isl_union_set;
    pub fn isl_multi_union_pw_aff_flat_range_product(
        multi1: *mut isl_multi_union_pw_aff,
        multi2: *mut isl_multi_union_pw_aff,
    ) -> *mut isl_multi_union_pw_aff;
    pub fn isl_multi_union_pw_aff_floor(
        mupa: *mut isl_multi_union_pw_aff,
    ) -> *mut isl_multi_union_pw_aff;
    pub fn isl_multi_union_pw_aff_free(
        multi: *mut isl_multi_union_pw_aff,
    ) -> *mut isl_multi_union_pw_aff;
    pub fn isl_multi_union_pw_aff_get_space(multi: *mut isl_multi_union_pw_aff) -> *mut isl_space;
    pub fn isl_multi_union_pw_aff_get_union_pw_aff(
        multi: *mut isl_multi_union_pw_aff,
        pos: c_int,
    ) -> *mut isl_union_pw_aff;
    pub fn isl_multi_union_pw_aff_intersect_domain(
        mupa: *mut isl_multi_union_pw_aff,
        uset: *mut isl_union_set,
    ) -> *mut isl_multi_union_pw_aff;
    pub fn isl_multi_union_pw_aff_read_from_str(
        ctx: *mut isl_ctx,
        str: *const c_char,
    ) -> *mut isl_multi_union_pw_aff;
    pub fn isl_multi_union_pw_aff_set_tuple_name(
        multi: *mut isl_multi_union_pw_aff,
        kind: c_uint,
        s: *const c_char,
    ) -> *mut isl_multi_union_pw_aff;
    pub fn isl_multi_union_pw_aff_set_union_pw_aff(
        multi: *mut isl_multi_union_pw_aff,
        pos: c_int,
        el: *mut isl_union_pw_aff,
    ) -> *mut isl_multi_union_pw_aff;
    pub fn isl_multi_union_pw_aff_to_str(mupa: *mut isl_multi_union_pw_aff) -> *mut c_char;
    pub fn isl_multi_union_pw_aff_from_union_pw_aff_list(
        space: *mut isl_space,
        list: *mut isl_union_pw_aff_list,
    ) -> *mut isl_multi_union_pw_aff;
    pub fn isl_multi_union_pw_aff_zero(space: *mut isl_space) -> *mut isl_multi_union_pw_aff;
    pub fn isl_options_set_ast_build_allow_else(ctx: *mut isl_ctx, val: c_int) -> c_int;
    pub fn isl_options_set_ast_build_allow_or(ctx: *mut isl_ctx, val: c_int) -> c_int;
    pub fn isl_options_set_ast_build_atomic_upper_bound(ctx: *mut isl_ctx, val: c_int) -> c_int;
    pub fn isl_options_set_ast_build_group_coscheduled(ctx: *mut isl_ctx, val: c_int) -> c_int;
    pub fn isl_options_set_ast_build_detect_min_max(ctx: *mut isl_ctx, val: c_int) -> c_int;
    pub fn isl_options_set_ast_build_exploit_nested_bounds(ctx: *mut isl_ctx, val: c_int) -> c_int;
    pub fn isl_options_set_ast_build_scale_strides(ctx: *mut isl_ctx, val: c_int) -> c_int;
    pub fn isl_options_set_on_error(ctx: *mut isl_ctx, val: c_int) -> c_int;
    pub fn isl_options_set_schedule_maximize_coincidence(ctx: *mut isl_ctx, val: c_int) -> c_int;
    pub fn isl_options_set_schedule_outer_coincidence(ctx: *mut isl_ctx, val: c_int) -> c_int;
    pub fn isl_options_set_schedule_serialize_sccs(ctx: *mut isl_ctx, val: c_int) -> c_int;
    pub fn isl_options_set_schedule_whole_component(ctx: *mut isl_ctx, val: c_int) -> c_int;
    pub fn isl_point_copy(pnt: *mut isl_point) -> *mut isl_point;
    pub fn isl_point_free(pnt: *mut isl_point) -> *mut isl_point;
    pub fn isl_point_get_coordinate_val(
        pnt: *mut isl_point,
        kind: c_uint,
        pos: c_int,
    ) -> *mut isl_val;
    pub fn isl_point_get_space(pnt: *mut isl_point) -> *mut isl_space;
    pub fn isl_point_is_void(pnt: *mut isl_point) -> c_int;
    pub fn isl_point_to_str(pnt: *mut isl_point) -> *mut c_char;
    pub fn isl_printer_free(printer: *mut isl_printer) -> *mut isl_printer;
    pub fn isl_printer_get_str(printer: *mut isl_printer) -> *mut c_char;
    pub fn isl_printer_print_schedule(
        p: *mut isl_printer,
        schedule: *mut isl_schedule,
    ) -> *mut isl_printer;
    pub fn isl_printer_set_yaml_style(p: *mut isl_printer, yaml_style: c_int) -> *mut isl_printer;
    pub fn isl_printer_to_str(ctx: *mut isl_ctx) -> *mut isl_printer;
    pub fn isl_pw_aff_add(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_align_params(
        pwaff: *mut isl_pw_aff,
        model: *mut isl_space,
    ) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_alloc(set: *mut isl_set, aff: *mut isl_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_ceil(pwaff: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_cond(
        cond: *mut isl_pw_aff,
        pwaff_true: *mut isl_pw_aff,
        pwaff_false: *mut isl_pw_aff,
    ) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_copy(pwaff: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_dim(pwaff: *mut isl_pw_aff, kind: c_uint) -> c_int;
    pub fn isl_pw_aff_domain(pwaff: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_eq_set(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_floor(pwaff: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_foreach_piece(
        pwaff: *mut isl_pw_aff,
        f: Option<unsafe extern "C" fn(*mut isl_set, *mut isl_aff, *mut c_void) -> c_int>,
        user: *mut c_void,
    ) -> c_int;
    pub fn isl_pw_aff_free(pwaff: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_from_aff(aff: *mut isl_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_from_range(pwa: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_ge_set(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_get_domain_space(pwaff: *mut isl_pw_aff) -> *mut isl_space;
    pub fn isl_pw_aff_get_space(pwaff: *mut isl_pw_aff) -> *mut isl_space;
    pub fn isl_pw_aff_gist(pwaff: *mut isl_pw_aff, context: *mut isl_set) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_gist_params(pwaff: *mut isl_pw_aff, context: *mut isl_set)
    -> *mut isl_pw_aff;
    pub fn isl_pw_aff_gt_set(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_intersect_domain(pa: *mut isl_pw_aff, set: *mut isl_set) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_intersect_params(pa: *mut isl_pw_aff, set: *mut isl_set) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_involves_dims(
        pwaff: *mut isl_pw_aff,
        kind: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> c_int;
    pub fn isl_pw_aff_is_cst(pwaff: *mut isl_pw_aff) -> c_int;
    pub fn isl_pw_aff_is_equal(pa1: *mut isl_pw_aff, pa2: *mut isl_pw_aff) -> c_int;
    pub fn isl_pw_aff_le_set(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_lt_set(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_max(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_min(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_mod_val(pa: *mut isl_pw_aff, modulus: *mut isl_val) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_mul(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_n_piece(pwaff: *mut isl_pw_aff) -> c_int;
    pub fn isl_pw_aff_ne_set(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_move_dims(
        pa: *mut isl_pw_aff,
        dst_type: c_uint,
        dst_pos: c_uint,
        src_type: c_uint,
        src_pos: c_uint,
        n: c_uint,
    ) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_neg(pwaff: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_non_zero_set(pwaff: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_nonneg_set(pwaff: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_aff_pullback_multi_aff(
        pa: *mut isl_pw_aff,
        ma: *mut isl_multi_aff,
    ) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_pullback_pw_multi_aff(
        pa: *mut isl_pw_aff,
        pma: *mut isl_pw_multi_aff,
    ) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_read_from_str(ctx: *mut isl_ctx, str: *const c_char) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_scale_down_val(pa: *mut isl_pw_aff, f: *mut isl_val) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_project_domain_on_params(pa: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_scale_val(pa: *mut isl_pw_aff, v: *mut isl_val) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_set_dim_id(
        pma: *mut isl_pw_aff,
        kind: c_uint,
        pos: c_uint,
        id: *mut isl_id,
    ) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_sub(pwaff1: *mut isl_pw_aff, pwaff2: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_tdiv_q(pa1: *mut isl_pw_aff, pa2: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_tdiv_r(pa1: *mut isl_pw_aff, pa2: *mut isl_pw_aff) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_to_str(pa: *mut isl_pw_aff) -> *mut c_char;
    pub fn isl_pw_aff_union_add(
        pwaff1: *mut isl_pw_aff,
        pwaff2: *mut isl_pw_aff,
    ) -> *mut isl_pw_aff;
    pub fn isl_pw_aff_zero_set(pwaff: *mut isl_pw_aff) -> *mut isl_set;
    pub fn isl_pw_multi_aff_copy(pma: *mut isl_pw_multi_aff) -> *mut isl_pw_multi_aff;
    pub fn isl_pw_multi_aff_dim(pma: *mut isl_pw_multi_aff, kind: c_uint) -> c_int;
    pub fn isl_pw_multi_aff_domain(pma: *mut isl_pw_multi_aff) -> *mut isl_set;
    pub fn isl_pw_multi_aff_free(pma: *mut isl_pw_multi_aff) -> *mut isl_pw_multi_aff;
    pub fn isl_pw_multi_aff_from_map(map: *mut isl_map) -> *mut isl_pw_multi_aff;
    pub fn isl_pw_multi_aff_from_multi_aff(ma: *mut isl_multi_aff) -> *mut isl_pw_multi_aff;
    pub fn isl_pw_multi_aff_get_pw_aff(pma: *mut isl_pw_multi_aff, pos: c_int) -> *mut isl_pw_aff;
    pub fn isl_pw_multi_aff_get_space(pma: *mut isl_pw_multi_aff) -> *mut isl_space;
    pub fn isl_pw_multi_aff_gist(
        pma: *mut isl_pw_multi_aff,
        set: *mut isl_set,
    ) -> *mut isl_pw_multi_aff;
    pub fn isl_pw_multi_aff_intersect_domain(
        pma: *mut isl_pw_multi_aff,
        set: *mut isl_set,
    ) -> *mut isl_pw_multi_aff;
    pub fn isl_pw_multi_aff_n_piece(pma: *mut isl_pw_multi_aff) -> c_int;
    pub fn isl_pw_multi_aff_pullback_pw_multi_aff(
        pma1: *mut isl_pw_multi_aff,
        pma2: *mut isl_pw_multi_aff,
    ) -> *mut isl_pw_multi_aff;
    pub fn isl_pw_multi_aff_read_from_str(
        ctx: *mut isl_ctx,
        str: *const c_char,
    ) -> *mut isl_pw_multi_aff;
    pub fn isl_pw_multi_aff_to_str(pma: *mut isl_pw_multi_aff) -> *mut c_char;
    pub fn isl_schedule_constraints_compute_schedule(
        sc: *mut isl_schedule_constraints,
    ) -> *mut isl_schedule;
    pub fn isl_schedule_constraints_copy(
        sc: *mut isl_schedule_constraints,
    ) -> *mut isl_schedule_constraints;
    pub fn isl_schedule_constraints_free(
        sc: *mut isl_schedule_constraints,
    ) -> *mut isl_schedule_constraints;
    pub fn isl_schedule_constraints_get_coincidence(
        sc: *mut isl_schedule_constraints,
    ) -> *mut isl_union_map;
    pub fn isl_schedule_constraints_get_conditional_validity(
        sc: *mut isl_schedule_constraints,
    ) -> *mut isl_union_map;
    pub fn isl_schedule_constraints_get_conditional_validity_condition(
        sc: *mut isl_schedule_constraints,
    ) -> *mut isl_union_map;
    pub fn isl_schedule_constraints_get_context(sc: *mut isl_schedule_constraints) -> *mut isl_set;
    pub fn isl_schedule_constraints_get_domain(
        sc: *mut isl_schedule_constraints,
    ) -> *mut isl_union_set;
    pub fn isl_schedule_constraints_get_proximity(
        sc: *mut isl_schedule_constraints,
    ) -> *mut isl_union_map;
    pub fn isl_schedule_constraints_get_validity(
        sc: *mut isl_schedule_constraints,
    ) -> *mut isl_union_map;
    pub fn isl_schedule_constraints_on_domain(
        domain: *mut isl_union_set,
    ) -> *mut isl_schedule_constraints;
    pub fn isl_schedule_constraints_read_from_str(
        ctx: *mut isl_ctx,
        str: *const c_char,
    ) -> *mut isl_schedule_constraints;
    pub fn isl_schedule_constraints_set_coincidence(
        sc: *mut isl_schedule_constraints,
        coincidence: *mut isl_union_map,
    ) -> *mut isl_schedule_constraints;
    pub fn isl_schedule_constraints_set_context(
        sc: *mut isl_schedule_constraints,
        context: *mut isl_set,
    ) -> *mut isl_schedule_constraints;
    pub fn isl_schedule_constraints_set_proximity(
        sc: *mut isl_schedule_constraints,
        proximity: *mut isl_union_map,
    ) -> *mut isl_schedule_constraints;
    pub fn isl_schedule_constraints_set_validity(
        sc: *mut isl_schedule_constraints,
        validity: *mut isl_union_map,
    ) -> *mut isl_schedule_constraints;
    pub fn isl_schedule_constraints_to_str(sc: *mut isl_schedule_constraints) -> *mut c_char;
    pub fn isl_schedule_copy(sched: *mut isl_schedule) -> *mut isl_schedule;
    pub fn isl_schedule_free(sched: *mut isl_schedule) -> *mut isl_schedule;
    pub fn isl_schedule_get_domain(schedule: *mut isl_schedule) -> *mut isl_union_set;
    pub fn isl_schedule_get_map(sched: *mut isl_schedule) -> *mut isl_union_map;
    pub fn isl_schedule_get_root(schedule: *mut isl_schedule) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_ancestor(
        node: *mut isl_schedule_node,
        generation: c_int,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_band_get_ast_build_options(
        node: *mut isl_schedule_node,
    ) -> *mut isl_union_set;
    pub fn isl_schedule_node_band_get_partial_schedule(
        node: *mut isl_schedule_node,
    ) -> *mut isl_multi_union_pw_aff;
    pub fn isl_schedule_node_band_get_permutable(node: *mut isl_schedule_node) -> c_int;
    pub fn isl_schedule_node_band_member_get_coincident(
        node: *mut isl_schedule_node,
        pos: c_int,
    ) -> c_int;
    pub fn isl_schedule_node_band_member_set_coincident(
        node: *mut isl_schedule_node,
        pos: c_int,
        coincident: c_int,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_band_n_member(node: *mut isl_schedule_node) -> c_int;
    pub fn isl_schedule_node_band_set_ast_build_options(
        node: *mut isl_schedule_node,
        options: *mut isl_union_set,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_band_set_permutable(
        node: *mut isl_schedule_node,
        permutable: c_int,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_child(
        node: *mut isl_schedule_node,
        pos: c_int,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_context_get_context(node: *mut isl_schedule_node) -> *mut isl_set;
    pub fn isl_schedule_node_copy(node: *mut isl_schedule_node) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_domain_get_domain(node: *mut isl_schedule_node) -> *mut isl_union_set;
    pub fn isl_schedule_node_expansion_get_contraction(
        node: *mut isl_schedule_node,
    ) -> *mut isl_union_pw_multi_aff;
    pub fn isl_schedule_node_expansion_get_expansion(
        node: *mut isl_schedule_node,
    ) -> *mut isl_union_map;
    pub fn isl_schedule_node_extension_get_extension(
        node: *mut isl_schedule_node,
    ) -> *mut isl_union_map;
    pub fn isl_schedule_node_filter_get_filter(node: *mut isl_schedule_node) -> *mut isl_union_set;
    pub fn isl_schedule_node_free(node: *mut isl_schedule_node) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_from_domain(domain: *mut isl_union_set) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_from_extension(
        extension: *mut isl_union_map,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_get_schedule(node: *mut isl_schedule_node) -> *mut isl_schedule;
    pub fn isl_schedule_node_get_type(node: *mut isl_schedule_node) -> c_int;
    pub fn isl_schedule_node_graft_after(
        node: *mut isl_schedule_node,
        graft: *mut isl_schedule_node,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_graft_before(
        node: *mut isl_schedule_node,
        graft: *mut isl_schedule_node,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_guard_get_guard(node: *mut isl_schedule_node) -> *mut isl_set;
    pub fn isl_schedule_node_insert_context(
        node: *mut isl_schedule_node,
        context: *mut isl_set,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_insert_filter(
        node: *mut isl_schedule_node,
        filter: *mut isl_union_set,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_insert_guard(
        node: *mut isl_schedule_node,
        context: *mut isl_set,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_insert_mark(
        node: *mut isl_schedule_node,
        mark: *mut isl_id,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_insert_partial_schedule(
        node: *mut isl_schedule_node,
        schedule: *mut isl_multi_union_pw_aff,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_insert_sequence(
        node: *mut isl_schedule_node,
        filters: *mut isl_union_set_list,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_insert_set(
        node: *mut isl_schedule_node,
        filters: *mut isl_union_set_list,
    ) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_mark_get_id(node: *mut isl_schedule_node) -> *mut isl_id;
    pub fn isl_schedule_node_n_children(node: *mut isl_schedule_node) -> c_int;
    pub fn isl_schedule_node_parent(node: *mut isl_schedule_node) -> *mut isl_schedule_node;
    pub fn isl_schedule_node_to_str(node: *mut isl_schedule_node) -> *mut c_char;
    pub fn isl_schedule_plain_is_equal(a: *mut isl_schedule, b: *mut isl_schedule) -> c_int;
    pub fn isl_schedule_read_from_str(ctx: *mut isl_ctx, str: *const c_char) -> *mut isl_schedule;
    pub fn isl_schedule_to_str(schedule: *mut isl_schedule) -> *mut c_char;
    pub fn isl_set_add_dims(set: *mut isl_set, kind: c_uint, n: c_uint) -> *mut isl_set;
    pub fn isl_set_affine_hull(set: *mut isl_set) -> *mut isl_basic_set;
    pub fn isl_set_align_params(set: *mut isl_set, model: *mut isl_space) -> *mut isl_set;
    pub fn isl_set_apply(set: *mut isl_set, map: *mut isl_map) -> *mut isl_set;
    pub fn isl_set_coalesce(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_coefficients(set: *mut isl_set) -> *mut isl_basic_set;
    pub fn isl_set_complement(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_compute_divs(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_copy(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_detect_equalities(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_dim(set: *mut isl_set, kind: c_uint) -> c_int;
    pub fn isl_set_dim_has_lower_bound(set: *mut isl_set, kind: c_uint, pos: c_uint) -> c_int;
    pub fn isl_set_dim_has_upper_bound(set: *mut isl_set, kind: c_uint, pos: c_uint) -> c_int;
    pub fn isl_set_dim_max(set: *mut isl_set, pos: c_int) -> *mut isl_pw_aff;
    pub fn isl_set_dim_max_val(set: *mut isl_set, pos: c_int) -> *mut isl_val;
    pub fn isl_set_dim_min(set: *mut isl_set, pos: c_int) -> *mut isl_pw_aff;
    pub fn isl_set_dim_min_val(set: *mut isl_set, pos: c_int) -> *mut isl_val;
    pub fn isl_set_eliminate(
        set: *mut isl_set,
        kind: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> *mut isl_set;
    pub fn isl_set_empty(space: *mut isl_space) -> *mut isl_set;
    pub fn isl_set_find_dim_by_name(set: *mut isl_set, kind: c_uint, name: *const c_char) -> c_int;
    pub fn isl_set_fix_si(
        set: *mut isl_set,
        kind: c_uint,
        pos: c_uint,
        value: c_int,
    ) -> *mut isl_set;
    pub fn isl_set_fix_val(
        set: *mut isl_set,
        kind: c_uint,
        pos: c_uint,
        v: *mut isl_val,
    ) -> *mut isl_set;
    pub fn isl_set_flat_product(set1: *mut isl_set, set2: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_flatten(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_foreach_basic_set(
        set: *mut isl_set,
        f: Option<unsafe extern "C" fn(*mut isl_basic_set, *mut c_void) -> c_int>,
        user: *mut c_void,
    ) -> c_int;
    pub fn isl_set_foreach_point(
        set: *mut isl_set,
        f: Option<unsafe extern "C" fn(*mut isl_point, *mut c_void) -> c_int>,
        user: *mut c_void,
    ) -> c_int;
    pub fn isl_set_free(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_from_basic_set(bset: *mut isl_basic_set) -> *mut isl_set;
    pub fn isl_set_from_params(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_from_point(pnt: *mut isl_point) -> *mut isl_set;
    pub fn isl_set_get_space(set: *mut isl_set) -> *mut isl_space;
    pub fn isl_set_gist(set: *mut isl_set, context: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_gist_params(set: *mut isl_set, context: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_identity(set: *mut isl_set) -> *mut isl_map;
    pub fn isl_set_indicator_function(set: *mut isl_set) -> *mut isl_pw_aff;
    pub fn isl_set_insert_dims(
        set: *mut isl_set,
        kind: c_uint,
        pos: c_uint,
        n: c_uint,
    ) -> *mut isl_set;
    pub fn isl_set_intersect(set1: *mut isl_set, set2: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_intersect_params(set: *mut isl_set, params: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_involves_dims(
        set: *mut isl_set,
        kind: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> c_int;
    pub fn isl_set_get_stride(set: *mut isl_set, pos: c_int) -> *mut isl_val;
    pub fn isl_set_involves_locals(set: *mut isl_set) -> c_int;
    pub fn isl_set_is_bounded(set: *mut isl_set) -> c_int;
    pub fn isl_set_is_disjoint(set1: *mut isl_set, set2: *mut isl_set) -> c_int;
    pub fn isl_set_is_empty(set: *mut isl_set) -> c_int;
    pub fn isl_set_is_equal(set1: *mut isl_set, set2: *mut isl_set) -> c_int;
    pub fn isl_set_is_singleton(set: *mut isl_set) -> c_int;
    pub fn isl_set_is_subset(set1: *mut isl_set, set2: *mut isl_set) -> c_int;
    pub fn isl_set_lex_le_set(set1: *mut isl_set, set2: *mut isl_set) -> *mut isl_map;
    pub fn isl_set_lex_lt_set(set1: *mut isl_set, set2: *mut isl_set) -> *mut isl_map;
    pub fn isl_set_lexmax(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_lexmin(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_lexmin_pw_multi_aff(set: *mut isl_set) -> *mut isl_pw_multi_aff;
    pub fn isl_set_lower_bound_si(
        set: *mut isl_set,
        kind: c_uint,
        pos: c_uint,
        value: c_int,
    ) -> *mut isl_set;
    pub fn isl_set_lower_bound_val(
        set: *mut isl_set,
        kind: c_uint,
        pos: c_uint,
        value: *mut isl_val,
    ) -> *mut isl_set;
    pub fn isl_set_make_disjoint(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_move_dims(
        set: *mut isl_set,
        dst_type: c_uint,
        dst_pos: c_uint,
        src_type: c_uint,
        src_pos: c_uint,
        n: c_uint,
    ) -> *mut isl_set;
    pub fn isl_set_n_basic_set(set: *mut isl_set) -> c_int;
    pub fn isl_set_params(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_plain_is_empty(set: *mut isl_set) -> c_int;
    pub fn isl_set_plain_is_universe(set: *mut isl_set) -> c_int;
    pub fn isl_set_preimage_multi_aff(set: *mut isl_set, ma: *mut isl_multi_aff) -> *mut isl_set;
    pub fn isl_set_preimage_pw_multi_aff(
        set: *mut isl_set,
        pma: *mut isl_pw_multi_aff,
    ) -> *mut isl_set;
    pub fn isl_set_product(set1: *mut isl_set, set2: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_project_out(
        set: *mut isl_set,
        kind: c_uint,
        first: c_uint,
        n: c_uint,
    ) -> *mut isl_set;
    pub fn isl_set_project_out_all_params(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_read_from_str(ctx: *mut isl_ctx, str: *const c_char) -> *mut isl_set;
    pub fn isl_set_remove_divs(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_remove_redundancies(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_reset_tuple_id(set: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_sample_point(set: *mut isl_set) -> *mut isl_point;
    pub fn isl_set_set_dim_name(
        set: *mut isl_set,
        kind: c_uint,
        pos: c_uint,
        s: *const c_char,
    ) -> *mut isl_set;
    pub fn isl_set_set_tuple_name(set: *mut isl_set, s: *const c_char) -> *mut isl_set;
    pub fn isl_set_simple_hull(set: *mut isl_set) -> *mut isl_basic_set;
    pub fn isl_set_subtract(set1: *mut isl_set, set2: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_to_str(set: *mut isl_set) -> *mut c_char;
    pub fn isl_set_union(set1: *mut isl_set, set2: *mut isl_set) -> *mut isl_set;
    pub fn isl_set_universe(space: *mut isl_space) -> *mut isl_set;
    pub fn isl_set_unshifted_simple_hull(set: *mut isl_set) -> *mut isl_basic_set;
    pub fn isl_set_unwrap(set: *mut isl_set) -> *mut isl_map;
    pub fn isl_set_upper_bound_si(
        set: *mut isl_set,
        kind: c_uint,
        pos: c_uint,
        value: c_int,
    ) -> *mut isl_set;
    pub fn isl_set_upper_bound_val(
        set: *mut isl_set,
        kind: c_uint,
        pos: c_uint,
        value: *mut isl_val,
    ) -> *mut isl_set;
    pub fn isl_space_add_dims(space: *mut isl_space, kind: c_uint, n: c_uint) -> *mut isl_space;
    pub fn isl_space_align_params(space1: *mut isl_space, space2: *mut isl_space)
    -> *mut isl_space;
    pub fn isl_space_copy(space: *mut isl_space) -> *mut isl_space;
    pub fn isl_space_dim(space: *mut isl_space, kind: c_uint) -> c_int;
    pub fn isl_space_domain(space: *mut isl_space) -> *mut isl_space;
    pub fn isl_space_drop_dims(
        space: *mut isl_space,
        kind: c_uint,
        first: c_uint,
        num: c_uint,
    ) -> *mut isl_space;
    pub fn isl_space_free(space: *mut isl_space) -> *mut isl_space;
    pub fn isl_space_get_dim_name(
        space: *mut isl_space,
        kind: c_uint,
        pos: c_uint,
    ) -> *const c_char;
    pub fn isl_space_get_tuple_name(space: *mut isl_space, kind: c_uint) -> *const c_char;
    pub fn isl_space_has_dim_name(space: *mut isl_space, kind: c_uint, pos: c_uint) -> c_int;
    pub fn isl_space_has_tuple_name(space: *mut isl_space, kind: c_uint) -> c_int;
    pub fn isl_space_is_equal(space1: *mut isl_space, space2: *mut isl_space) -> c_int;
    pub fn isl_space_is_params(space: *mut isl_space) -> c_int;
    pub fn isl_space_is_wrapping(space: *mut isl_space) -> c_int;
    pub fn isl_space_map_from_domain_and_range(
        domain: *mut isl_space,
        range: *mut isl_space,
    ) -> *mut isl_space;
    pub fn isl_space_map_from_set(space: *mut isl_space) -> *mut isl_space;
    pub fn isl_space_params(space: *mut isl_space) -> *mut isl_space;
    pub fn isl_space_params_alloc(ctx: *mut isl_ctx, nparam: c_uint) -> *mut isl_space;
    pub fn isl_space_range(space: *mut isl_space) -> *mut isl_space;
    pub fn isl_space_reverse(space: *mut isl_space) -> *mut isl_space;
    pub fn isl_space_set_alloc(ctx: *mut isl_ctx, nparam: c_uint, dim: c_uint) -> *mut isl_space;
    pub fn isl_space_set_dim_name(
        space: *mut isl_space,
        kind: c_uint,
        pos: c_uint,
        name: *const c_char,
    ) -> *mut isl_space;
    pub fn isl_space_set_from_params(space: *mut isl_space) -> *mut isl_space;
    pub fn isl_space_set_tuple_name(
        space: *mut isl_space,
        kind: c_uint,
        s: *const c_char,
    ) -> *mut isl_space;
    pub fn isl_space_to_str(space: *mut isl_space) -> *mut c_char;
    pub fn isl_space_unwrap(space: *mut isl_space) -> *mut isl_space;
    pub fn isl_space_wrap(space: *mut isl_space) -> *mut isl_space;
    pub fn isl_union_access_info_compute_flow(
        access: *mut isl_union_access_info,
    ) -> *mut isl_union_flow;
    pub fn isl_union_access_info_copy(
        access: *mut isl_union_access_info,
    ) -> *mut isl_union_access_info;
    pub fn isl_union_access_info_free(
        access: *mut isl_union_access_info,
    ) -> *mut isl_union_access_info;
    pub fn isl_union_access_info_from_sink(sink: *mut isl_union_map) -> *mut isl_union_access_info;
    pub fn isl_union_access_info_set_kill(
        access: *mut isl_union_access_info,
        kill: *mut isl_union_map,
    ) -> *mut isl_union_access_info;
    pub fn isl_union_access_info_set_may_source(
        access: *mut isl_union_access_info,
        may_source: *mut isl_union_map,
    ) -> *mut isl_union_access_info;
    pub fn isl_union_access_info_set_must_source(
        access: *mut isl_union_access_info,
        must_source: *mut isl_union_map,
    ) -> *mut isl_union_access_info;
    pub fn isl_union_access_info_set_schedule(
        access: *mut isl_union_access_info,
        schedule: *mut isl_schedule,
    ) -> *mut isl_union_access_info;
    pub fn isl_union_access_info_set_schedule_map(
        access: *mut isl_union_access_info,
        schedule_map: *mut isl_union_map,
    ) -> *mut isl_union_access_info;
    pub fn isl_union_flow_copy(flow: *mut isl_union_flow) -> *mut isl_union_flow;
    pub fn isl_union_flow_free(flow: *mut isl_union_flow) -> *mut isl_union_flow;
    pub fn isl_union_flow_get_may_dependence(flow: *mut isl_union_flow) -> *mut isl_union_map;
    pub fn isl_union_flow_get_may_no_source(flow: *mut isl_union_flow) -> *mut isl_union_map;
    pub fn isl_union_flow_get_must_dependence(flow: *mut isl_union_flow) -> *mut isl_union_map;
    pub fn isl_union_flow_get_must_no_source(flow: *mut isl_union_flow) -> *mut isl_union_map;
    pub fn isl_union_map_apply_domain(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_apply_range(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_copy(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_curry(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_deltas(umap: *mut isl_union_map) -> *mut isl_union_set;
    pub fn isl_union_map_detect_equalities(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_domain(umap: *mut isl_union_map) -> *mut isl_union_set;
    pub fn isl_union_map_domain_factor_domain(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_domain_map(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_empty(space: *mut isl_space) -> *mut isl_union_map;
    pub fn isl_union_map_eq_at_multi_union_pw_aff(
        umap: *mut isl_union_map,
        mupa: *mut isl_multi_union_pw_aff,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_extract_map(
        umap: *mut isl_union_map,
        space: *mut isl_space,
    ) -> *mut isl_map;
    pub fn isl_union_map_flat_range_product(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_foreach_map(
        umap: *mut isl_union_map,
        f: Option<unsafe extern "C" fn(*mut isl_map, *mut c_void) -> c_int>,
        user: *mut c_void,
    ) -> c_int;
    pub fn isl_union_map_free(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_from_domain_and_range(
        domain: *mut isl_union_set,
        range: *mut isl_union_set,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_from_map(map: *mut isl_map) -> *mut isl_union_map;
    pub fn isl_union_map_from_multi_union_pw_aff(
        mupa: *mut isl_multi_union_pw_aff,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_from_union_pw_multi_aff(
        upma: *mut isl_union_pw_multi_aff,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_get_space(umap: *mut isl_union_map) -> *mut isl_space;
    pub fn isl_union_map_gist(
        umap: *mut isl_union_map,
        context: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_gist_domain(
        umap: *mut isl_union_map,
        uset: *mut isl_union_set,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_gist_params(
        umap: *mut isl_union_map,
        set: *mut isl_set,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_intersect(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_intersect_domain(
        umap: *mut isl_union_map,
        uset: *mut isl_union_set,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_intersect_params(
        umap: *mut isl_union_map,
        set: *mut isl_set,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_intersect_range(
        umap: *mut isl_union_map,
        uset: *mut isl_union_set,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_is_bijective(umap: *mut isl_union_map) -> c_int;
    pub fn isl_union_map_is_empty(umap: *mut isl_union_map) -> c_int;
    pub fn isl_union_map_is_equal(umap1: *mut isl_union_map, umap2: *mut isl_union_map) -> c_int;
    pub fn isl_union_map_is_injective(umap: *mut isl_union_map) -> c_int;
    pub fn isl_union_map_is_single_valued(umap: *mut isl_union_map) -> c_int;
    pub fn isl_union_map_is_subset(umap1: *mut isl_union_map, umap2: *mut isl_union_map) -> c_int;
    pub fn isl_union_map_lex_gt_at_multi_union_pw_aff(
        umap: *mut isl_union_map,
        mupa: *mut isl_multi_union_pw_aff,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_lex_le_union_map(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_lex_lt_at_multi_union_pw_aff(
        umap: *mut isl_union_map,
        mupa: *mut isl_multi_union_pw_aff,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_lex_lt_union_map(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_lexmax(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_lexmin(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_n_map(umap: *mut isl_union_map) -> c_int;
    pub fn isl_union_map_range(umap: *mut isl_union_map) -> *mut isl_union_set;
    pub fn isl_union_map_range_factor_domain(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_range_map(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_range_product(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_read_from_str(ctx: *mut isl_ctx, str: *const c_char)
    -> *mut isl_union_map;
    pub fn isl_union_map_reverse(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_subtract(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_to_str(umap: *mut isl_union_map) -> *mut c_char;
    pub fn isl_union_map_uncurry(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_map_union(
        umap1: *mut isl_union_map,
        umap2: *mut isl_union_map,
    ) -> *mut isl_union_map;
    pub fn isl_union_map_wrap(umap: *mut isl_union_map) -> *mut isl_union_set;
    pub fn isl_union_map_zip(umap: *mut isl_union_map) -> *mut isl_union_map;
    pub fn isl_union_pw_aff_add(
        upa1: *mut isl_union_pw_aff,
        upa2: *mut isl_union_pw_aff,
    ) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_aff_copy(upa: *mut isl_union_pw_aff) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_aff_domain(upa: *mut isl_union_pw_aff) -> *mut isl_union_set;
    pub fn isl_union_pw_aff_empty(space: *mut isl_space) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_aff_extract_pw_aff(
        upa: *mut isl_union_pw_aff,
        space: *mut isl_space,
    ) -> *mut isl_pw_aff;
    pub fn isl_union_pw_aff_floor(upa: *mut isl_union_pw_aff) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_aff_foreach_pw_aff(
        upa: *mut isl_union_pw_aff,
        f: Option<unsafe extern "C" fn(*mut isl_pw_aff, *mut c_void) -> c_int>,
        user: *mut c_void,
    ) -> c_int;
    pub fn isl_union_pw_aff_free(upa: *mut isl_union_pw_aff) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_aff_from_pw_aff(pa: *mut isl_pw_aff) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_aff_get_space(upa: *mut isl_union_pw_aff) -> *mut isl_space;
    pub fn isl_union_pw_aff_intersect_domain(
        upa: *mut isl_union_pw_aff,
        uset: *mut isl_union_set,
    ) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_aff_neg(upa: *mut isl_union_pw_aff) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_aff_read_from_str(
        ctx: *mut isl_ctx,
        str: *const c_char,
    ) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_aff_scale_down_val(
        upa: *mut isl_union_pw_aff,
        v: *mut isl_val,
    ) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_aff_scale_val(
        upa: *mut isl_union_pw_aff,
        v: *mut isl_val,
    ) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_aff_sub(
        upa1: *mut isl_union_pw_aff,
        upa2: *mut isl_union_pw_aff,
    ) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_aff_to_str(upa: *mut isl_union_pw_aff) -> *mut c_char;
    pub fn isl_union_pw_aff_union_add(
        upa1: *mut isl_union_pw_aff,
        upa2: *mut isl_union_pw_aff,
    ) -> *mut isl_union_pw_aff;
    pub fn isl_union_pw_multi_aff_copy(
        upma: *mut isl_union_pw_multi_aff,
    ) -> *mut isl_union_pw_multi_aff;
    pub fn isl_union_pw_multi_aff_domain(upma: *mut isl_union_pw_multi_aff) -> *mut isl_union_set;
    pub fn isl_union_pw_multi_aff_free(
        upma: *mut isl_union_pw_multi_aff,
    ) -> *mut isl_union_pw_multi_aff;
    pub fn isl_union_pw_multi_aff_from_union_map(
        umap: *mut isl_union_map,
    ) -> *mut isl_union_pw_multi_aff;
    pub fn isl_union_pw_multi_aff_get_space(upma: *mut isl_union_pw_multi_aff) -> *mut isl_space;
    pub fn isl_union_pw_multi_aff_read_from_str(
        ctx: *mut isl_ctx,
        str: *const c_char,
    ) -> *mut isl_union_pw_multi_aff;
    pub fn isl_union_pw_multi_aff_to_str(upma: *mut isl_union_pw_multi_aff) -> *mut c_char;
    pub fn isl_union_set_apply(
        uset: *mut isl_union_set,
        umap: *mut isl_union_map,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_copy(uset: *mut isl_union_set) -> *mut isl_union_set;
    pub fn isl_union_set_detect_equalities(uset: *mut isl_union_set) -> *mut isl_union_set;
    pub fn isl_union_set_empty(space: *mut isl_space) -> *mut isl_union_set;
    pub fn isl_union_set_extract_set(
        uset: *mut isl_union_set,
        space: *mut isl_space,
    ) -> *mut isl_set;
    pub fn isl_union_set_foreach_set(
        uset: *mut isl_union_set,
        f: Option<unsafe extern "C" fn(*mut isl_set, *mut c_void) -> c_int>,
        user: *mut c_void,
    ) -> c_int;
    pub fn isl_union_set_free(uset: *mut isl_union_set) -> *mut isl_union_set;
    pub fn isl_union_set_from_set(set: *mut isl_set) -> *mut isl_union_set;
    pub fn isl_union_set_get_space(uset: *mut isl_union_set) -> *mut isl_space;
    pub fn isl_union_set_gist(
        uset: *mut isl_union_set,
        context: *mut isl_union_set,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_gist_params(
        uset: *mut isl_union_set,
        set: *mut isl_set,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_identity(uset: *mut isl_union_set) -> *mut isl_union_map;
    pub fn isl_union_set_intersect(
        uset1: *mut isl_union_set,
        uset2: *mut isl_union_set,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_intersect_params(
        uset: *mut isl_union_set,
        set: *mut isl_set,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_is_disjoint(uset1: *mut isl_union_set, uset2: *mut isl_union_set)
    -> c_int;
    pub fn isl_union_set_is_empty(uset: *mut isl_union_set) -> c_int;
    pub fn isl_union_set_is_equal(uset1: *mut isl_union_set, uset2: *mut isl_union_set) -> c_int;
    pub fn isl_union_set_is_subset(uset1: *mut isl_union_set, uset2: *mut isl_union_set) -> c_int;
    pub fn isl_union_pw_aff_list_add(
        list: *mut isl_union_pw_aff_list,
        el: *mut isl_union_pw_aff,
    ) -> *mut isl_union_pw_aff_list;
    pub fn isl_union_pw_aff_list_alloc(ctx: *mut isl_ctx, n: c_int) -> *mut isl_union_pw_aff_list;
    pub fn isl_union_set_list_add(
        list: *mut isl_union_set_list,
        el: *mut isl_union_set,
    ) -> *mut isl_union_set_list;
    pub fn isl_union_set_list_alloc(ctx: *mut isl_ctx, n: c_int) -> *mut isl_union_set_list;
    pub fn isl_union_set_n_set(uset: *mut isl_union_set) -> c_int;
    pub fn isl_union_set_params(uset: *mut isl_union_set) -> *mut isl_set;
    pub fn isl_union_set_read_from_str(ctx: *mut isl_ctx, str: *const c_char)
    -> *mut isl_union_set;
    pub fn isl_union_set_subtract(
        uset1: *mut isl_union_set,
        uset2: *mut isl_union_set,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_to_str(uset: *mut isl_union_set) -> *mut c_char;
    pub fn isl_union_set_union(
        uset1: *mut isl_union_set,
        uset2: *mut isl_union_set,
    ) -> *mut isl_union_set;
    pub fn isl_union_set_universe(uset: *mut isl_union_set) -> *mut isl_union_set;
    pub fn isl_union_set_unwrap(uset: *mut isl_union_set) -> *mut isl_union_map;
    pub fn isl_val_add(v1: *mut isl_val, v2: *mut isl_val) -> *mut isl_val;
    pub fn isl_val_cmp_si(v: *mut isl_val, i: c_long) -> c_int;
    pub fn isl_val_copy(v: *mut isl_val) -> *mut isl_val;
    pub fn isl_val_eq(v1: *mut isl_val, v2: *mut isl_val) -> c_int;
    pub fn isl_val_floor(v: *mut isl_val) -> *mut isl_val;
    pub fn isl_val_free(v: *mut isl_val) -> *mut isl_val;
    pub fn isl_val_get_num_si(v: *mut isl_val) -> c_long;
    pub fn isl_val_int_from_si(ctx: *mut isl_ctx, i: c_long) -> *mut isl_val;
    pub fn isl_val_is_infty(v: *mut isl_val) -> c_int;
    pub fn isl_val_is_int(v: *mut isl_val) -> c_int;
    pub fn isl_val_is_nan(v: *mut isl_val) -> c_int;
    pub fn isl_val_is_neg(v: *mut isl_val) -> c_int;
    pub fn isl_val_is_neginfty(v: *mut isl_val) -> c_int;
    pub fn isl_val_is_zero(v: *mut isl_val) -> c_int;
    pub fn isl_val_mul(v1: *mut isl_val, v2: *mut isl_val) -> *mut isl_val;
    pub fn isl_val_neg(v: *mut isl_val) -> *mut isl_val;
    pub fn isl_val_read_from_str(ctx: *mut isl_ctx, str: *const c_char) -> *mut isl_val;
    pub fn isl_val_sub(v1: *mut isl_val, v2: *mut isl_val) -> *mut isl_val;
    pub fn isl_val_to_str(v: *mut isl_val) -> *mut c_char;
}
