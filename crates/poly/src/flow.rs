//! Dataflow analysis.

use crate::{IslSchedule, UnionMap};

isl_object!(
    /// What dataflow analysis starts from: sinks, sources, kills and an order.
    UnionAccessInfo, isl_union_access_info, isl_union_access_info_copy, isl_union_access_info_free
);

isl_methods! { UnionAccessInfo {
    /// Analysis for the accesses `sink` (instances to elements).
    from from_sink(sink: &UnionMap) -> UnionAccessInfo = isl_union_access_info_from_sink;
    /// Accesses that surely write: the last before a sink is its source.
    take set_must_source(source: &UnionMap) -> UnionAccessInfo = isl_union_access_info_set_must_source;
    /// Accesses that may write: every one after the last sure write is a possible source.
    take set_may_source(source: &UnionMap) -> UnionAccessInfo = isl_union_access_info_set_may_source;
    /// Accesses that end the life of a value.
    take set_kill(kill: &UnionMap) -> UnionAccessInfo = isl_union_access_info_set_kill;
    /// The order as a relation from instances to dates.
    take set_schedule_map(schedule: &UnionMap) -> UnionAccessInfo = isl_union_access_info_set_schedule_map;
    /// The order as a schedule tree.
    take set_schedule(schedule: &IslSchedule) -> UnionAccessInfo = isl_union_access_info_set_schedule;
    /// The analysis.
    take compute_flow() -> Flow = isl_union_access_info_compute_flow;
} }

isl_object!(
    /// The result of dataflow analysis.
    Flow, isl_union_flow, isl_union_flow_copy, isl_union_flow_free
);

isl_methods! { Flow {
    /// Source to sink instances, where the source surely wrote the value.
    keep must_dependence() -> UnionMap = isl_union_flow_get_must_dependence;
    /// Source to sink instances, sure or possible.
    keep may_dependence() -> UnionMap = isl_union_flow_get_may_dependence;
    /// Sink accesses without a sure source.
    keep may_no_source() -> UnionMap = isl_union_flow_get_may_no_source;
    /// Sink accesses without any source.
    keep must_no_source() -> UnionMap = isl_union_flow_get_must_no_source;
} }
