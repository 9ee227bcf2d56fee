/* PolyTOPS' Listing 2: least distance; a row that is not parallel is found again by Feautrier's cost, and ends its band, so
   that what it carries does not keep the rows inside from being parallel.

   gcc -std=c99 -shared -fPIC -I crates/capi/include -o libisl2.so examples/strategies/listing2.c */
#include "farkas_strategy.h"

static int plan(void *instance, const farkas_state *state, farkas_plan *plan)
{
    int is_sequential = state->n_members > 0 && state->last && !state->last->is_parallel;
    (void)instance;
    if (is_sequential && !state->was_recomputed) {
        plan->recompute_last = 1;
        plan->add_cost(plan, "feautrier");
    } else {
        plan->add_cost(plan, "proximity");
    }
    plan->ends_band = state->was_recomputed;
    return FARKAS_OK;
}

const farkas_strategy *farkas_strategy_v1(void)
{
    static const farkas_strategy table = {
        FARKAS_ABI_VERSION, sizeof(farkas_strategy), "isl-listing-2", NULL, NULL, plan, 0,
    };
    return &table;
}
