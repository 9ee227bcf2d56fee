//! isl's own schedule trees and its scheduler: what AST generation takes, what interchange reads, and an oracle.

use crate::context::Context;
use crate::object::{Object, c_string, kept_string};
use crate::{Error, MultiUnionPwAff, Result, Set, UnionMap, UnionPwMultiAff, UnionSet};
use farkas_isl_sys as sys;

isl_object!(
    /// An isl schedule tree; prints and parses as isl's YAML.
    IslSchedule, isl_schedule, isl_schedule_copy, isl_schedule_free,
    to_str isl_schedule_to_str, from_str isl_schedule_read_from_str
);

isl_methods! { IslSchedule {
    /// The root node.
    keep root() -> IslScheduleNode = isl_schedule_get_root;
    /// The whole schedule as one relation from instances to dates.
    keep map() -> UnionMap = isl_schedule_get_map;
    /// The instances.
    keep domain() -> UnionSet = isl_schedule_get_domain;
    /// Whether both are obviously the same tree.
    keep plain_is_equal(other: &IslSchedule) -> bool = isl_schedule_plain_is_equal;
} }

isl_object!(
    /// A position in an isl schedule tree.
    IslScheduleNode, isl_schedule_node, isl_schedule_node_copy, isl_schedule_node_free,
    to_str isl_schedule_node_to_str
);

isl_methods! { IslScheduleNode {
    /// The tree of one domain node over a leaf; the position is the domain node.
    from from_domain(domain: &UnionSet) -> IslScheduleNode = isl_schedule_node_from_domain;
    /// The tree of one extension node over a leaf, to be grafted.
    from from_extension(extension: &UnionMap) -> IslScheduleNode = isl_schedule_node_from_extension;
    /// The whole tree.
    keep schedule() -> IslSchedule = isl_schedule_node_get_schedule;
    /// Number of children.
    keep n_children() -> u32 = isl_schedule_node_n_children;
    /// A child.
    take child(position: i32) -> IslScheduleNode = isl_schedule_node_child;
    /// The parent.
    take parent() -> IslScheduleNode = isl_schedule_node_parent;
    /// An ancestor.
    take ancestor(generation: i32) -> IslScheduleNode = isl_schedule_node_ancestor;
    /// Inserts a band above the position, which moves to the band.
    take insert_partial_schedule(schedule: &MultiUnionPwAff) -> IslScheduleNode
        = isl_schedule_node_insert_partial_schedule;
    /// Inserts a filter above the position, which moves to the filter.
    take insert_filter(filter: &UnionSet) -> IslScheduleNode = isl_schedule_node_insert_filter;
    /// Inserts a context above the position.
    take insert_context(context: &Set) -> IslScheduleNode = isl_schedule_node_insert_context;
    /// Inserts a guard above the position.
    take insert_guard(guard: &Set) -> IslScheduleNode = isl_schedule_node_insert_guard;
    /// Grafts a tree that starts with an extension before the position.
    take graft_before(graft: &IslScheduleNode) -> IslScheduleNode = isl_schedule_node_graft_before;
    /// Grafts a tree that starts with an extension after the position.
    take graft_after(graft: &IslScheduleNode) -> IslScheduleNode = isl_schedule_node_graft_after;
    /// Number of members of a band.
    keep band_n_member() -> u32 = isl_schedule_node_band_n_member;
    /// The partial schedule of a band.
    keep band_partial_schedule() -> MultiUnionPwAff = isl_schedule_node_band_get_partial_schedule;
    /// Whether a band member is marked coincident.
    keep band_member_coincident(member: i32) -> bool = isl_schedule_node_band_member_get_coincident;
    /// Marks a band member.
    take band_member_set_coincident(member: i32, coincident: i32) -> IslScheduleNode
        = isl_schedule_node_band_member_set_coincident;
    /// Whether a band is marked permutable.
    keep band_permutable() -> bool = isl_schedule_node_band_get_permutable;
    /// Marks a band.
    take band_set_permutable(permutable: i32) -> IslScheduleNode = isl_schedule_node_band_set_permutable;
    /// The options for AST generation of a band.
    keep band_ast_build_options() -> UnionSet = isl_schedule_node_band_get_ast_build_options;
    /// Sets the options for AST generation of a band.
    take band_set_ast_build_options(options: &UnionSet) -> IslScheduleNode
        = isl_schedule_node_band_set_ast_build_options;
    /// The instances of a domain node.
    keep domain_domain() -> UnionSet = isl_schedule_node_domain_get_domain;
    /// The filter of a filter node.
    keep filter_filter() -> UnionSet = isl_schedule_node_filter_get_filter;
    /// The context of a context node.
    keep context_context() -> Set = isl_schedule_node_context_get_context;
    /// The guard of a guard node.
    keep guard_guard() -> Set = isl_schedule_node_guard_get_guard;
    /// The extension of an extension node.
    keep extension_extension() -> UnionMap = isl_schedule_node_extension_get_extension;
    /// The expansion of an expansion node.
    keep expansion_expansion() -> UnionMap = isl_schedule_node_expansion_get_expansion;
    /// The contraction of an expansion node.
    keep expansion_contraction() -> UnionPwMultiAff = isl_schedule_node_expansion_get_contraction;
} }

impl IslScheduleNode {
    /// The kind of the node, as isl's YAML names it: `band`, `context`, `domain`, `expansion`, `extension`, `filter`,
    /// `leaf`, `guard`, `mark`, `sequence`, `set`.
    ///
    /// # Errors
    /// When isl answers none of them.
    pub fn kind(&self) -> Result<&'static str> {
        const KINDS: [&str; 11] = [
            "band",
            "context",
            "domain",
            "expansion",
            "extension",
            "filter",
            "leaf",
            "guard",
            "mark",
            "sequence",
            "set",
        ];
        // SAFETY: the call only reads.
        let kind = unsafe { sys::isl_schedule_node_get_type(self.keep()) };
        let kind = usize::try_from(kind).ok().and_then(|k| KINDS.get(k).copied());
        kind.ok_or_else(|| self.context.take_error())
    }

    /// Inserts a mark above the position, which moves to the mark.
    ///
    /// # Errors
    /// When isl refuses.
    pub fn insert_mark(&self, name: &str) -> Result<Self> {
        let c = c_string(name);
        // SAFETY: `c` outlives the call.
        let raw = unsafe {
            let id = sys::isl_id_alloc(self.context.as_ptr(), c.as_ptr(), std::ptr::null_mut());
            sys::isl_schedule_node_insert_mark(self.take(), id)
        };
        Self::give(&self.context, raw)
    }

    /// The name of a mark node.
    ///
    /// # Errors
    /// When the node is no mark.
    pub fn mark_name(&self) -> Result<String> {
        // SAFETY: the id is freed after its name was copied.
        unsafe {
            let id = sys::isl_schedule_node_mark_get_id(self.keep());
            if id.is_null() {
                return Err(self.context.take_error());
            }
            let name = kept_string(sys::isl_id_get_name(id));
            sys::isl_id_free(id);
            Ok(name.unwrap_or_default())
        }
    }

    /// Inserts a sequence with one child a filter above the position, which moves to the sequence.
    ///
    /// # Errors
    /// When the filters overlap or miss instances.
    pub fn insert_sequence(&self, filters: &[UnionSet]) -> Result<Self> {
        // SAFETY: the list is handed over.
        let raw =
            unsafe { sys::isl_schedule_node_insert_sequence(self.take(), self.list(filters)) };
        Self::give(&self.context, raw)
    }

    /// Inserts a set (children in any order) above the position, which moves to the set node.
    ///
    /// # Errors
    /// When the filters overlap or miss instances.
    pub fn insert_set(&self, filters: &[UnionSet]) -> Result<Self> {
        // SAFETY: the list is handed over.
        let raw = unsafe { sys::isl_schedule_node_insert_set(self.take(), self.list(filters)) };
        Self::give(&self.context, raw)
    }

    /// A fresh list for isl to take.
    unsafe fn list(&self, filters: &[UnionSet]) -> *mut sys::isl_union_set_list {
        let n = i32::try_from(filters.len()).unwrap_or(i32::MAX);
        // SAFETY: each call takes the list and a reference of the filter.
        unsafe {
            let list = sys::isl_union_set_list_alloc(self.context.as_ptr(), n);
            filters
                .iter()
                .fold(list, |list, filter| sys::isl_union_set_list_add(list, filter.take()))
        }
    }
}

isl_object!(
    /// The input of isl's scheduler.
    ScheduleConstraints, isl_schedule_constraints, isl_schedule_constraints_copy, isl_schedule_constraints_free,
    to_str isl_schedule_constraints_to_str, from_str isl_schedule_constraints_read_from_str
);

isl_methods! { ScheduleConstraints {
    /// Constraints on instances of `domain`, none so far.
    from on_domain(domain: &UnionSet) -> ScheduleConstraints = isl_schedule_constraints_on_domain;
    /// The parameter values to consider.
    take set_context(context: &Set) -> ScheduleConstraints = isl_schedule_constraints_set_context;
    /// Pairs to keep in order.
    take set_validity(pairs: &UnionMap) -> ScheduleConstraints = isl_schedule_constraints_set_validity;
    /// Pairs to bring close.
    take set_proximity(pairs: &UnionMap) -> ScheduleConstraints = isl_schedule_constraints_set_proximity;
    /// Pairs to date equally for a member to be coincident.
    take set_coincidence(pairs: &UnionMap) -> ScheduleConstraints = isl_schedule_constraints_set_coincidence;
    /// The instances.
    keep domain() -> UnionSet = isl_schedule_constraints_get_domain;
    /// The parameter values to consider.
    keep context() -> Set = isl_schedule_constraints_get_context;
    /// Pairs to keep in order.
    keep validity() -> UnionMap = isl_schedule_constraints_get_validity;
    /// Pairs to bring close.
    keep proximity() -> UnionMap = isl_schedule_constraints_get_proximity;
    /// Pairs to date equally for a member to be coincident.
    keep coincidence() -> UnionMap = isl_schedule_constraints_get_coincidence;
    /// Pairs that make pairs of conditional validity matter where they are not dated equally.
    keep condition() -> UnionMap = isl_schedule_constraints_get_conditional_validity_condition;
    /// Pairs to keep in order where an adjacent condition is not dated equally.
    keep conditional_validity() -> UnionMap = isl_schedule_constraints_get_conditional_validity;
} }

/// Options of isl's scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SchedulerOptions {
    /// Schedule strongly connected components apart.
    pub serialize_sccs: bool,
    /// Demand a coincident outermost member.
    pub outer_coincidence: bool,
    /// Fuse nothing that would have fewer coincident outer members together than alone.
    pub maximize_coincidence: bool,
    /// Fuse whole components.
    pub whole_component: bool,
}

impl ScheduleConstraints {
    /// The schedule that isl computes.
    ///
    /// # Errors
    /// When isl finds none or its quota is reached.
    pub fn compute_schedule(&self, options: SchedulerOptions) -> Result<IslSchedule> {
        let ctx = self.context.as_ptr();
        // SAFETY: options belong to the live context; the constraints are taken.
        let raw = unsafe {
            sys::isl_options_set_schedule_serialize_sccs(ctx, options.serialize_sccs.into());
            sys::isl_options_set_schedule_outer_coincidence(ctx, options.outer_coincidence.into());
            sys::isl_options_set_schedule_maximize_coincidence(
                ctx,
                options.maximize_coincidence.into(),
            );
            sys::isl_options_set_schedule_whole_component(ctx, options.whole_component.into());
            sys::isl_schedule_constraints_compute_schedule(self.take())
        };
        IslSchedule::give(&self.context, raw)
    }
}

impl IslSchedule {
    /// The tree in isl's YAML block style, one node a line.
    ///
    /// # Errors
    /// When isl cannot print it.
    pub fn to_yaml(&self) -> Result<String> {
        // SAFETY: the printer is threaded through and freed; the string is ours.
        let text = unsafe {
            let printer = sys::isl_printer_to_str(Context::current().as_ptr());
            let printer = sys::isl_printer_set_yaml_style(printer, sys::ISL_YAML_STYLE_BLOCK);
            let printer = sys::isl_printer_print_schedule(printer, self.keep());
            let text = crate::object::given_string(sys::isl_printer_get_str(printer));
            sys::isl_printer_free(printer);
            text
        };
        text.ok_or_else(|| Error::Isl {
            message: "the schedule cannot be printed".into(),
            place: String::new(),
        })
    }
}
