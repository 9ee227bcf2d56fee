/* A strategy that asks for nothing and writes down all that it is shown. */
#include "farkas_strategy.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static char text[1 << 16];
static size_t used;

FARKAS_EXPORT const char *seen(void) { return text; }

static void put(const char *format, ...)
{
    va_list arguments;
    int n;
    va_start(arguments, format);
    n = vsnprintf(text + used, sizeof(text) - used, format, arguments);
    va_end(arguments);
    used = n < 0 || (size_t)n >= sizeof(text) - used ? sizeof(text) - 1 : used + (size_t)n;
}

static void put_numbers(const int64_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put("%s%" PRId64, i ? " " : "", numbers[i]);
}

static void put_row(const farkas_scop *scop, uint32_t statement, const farkas_row *row)
{
    put(" (");
    put_numbers(row->iterators, scop->statements[statement].depth);
    put(" | ");
    put_numbers(row->params, scop->n_params);
    put(" | %" PRId64 ")", row->constant);
}

static void put_access(const farkas_scop *scop, const farkas_statement *statement, const farkas_access *access)
{
    put("    kind %d of %s, line %u", access->kind, scop->arrays[access->array].name, access->line);
    for (size_t d = 0; d < access->rank; d++) {
        put(" [");
        put_numbers(access->subscripts + d * statement->depth, statement->depth);
        put("]");
    }
    put("%s\n", access->is_affine ? "" : " not affine");
}

static int create(const farkas_scop *scop, farkas_setup *setup, void **instance)
{
    (void)setup;
    *instance = NULL;
    put("scop %s, sizes right: %d\n", scop->name,
        scop->size == sizeof(*scop) && setup->size == sizeof(*setup) && scop->abi_version == FARKAS_ABI_VERSION);
    for (size_t i = 0; i < scop->n_params; i++)
        put("  param %s\n", scop->params[i]);
    for (size_t i = 0; i < scop->n_arrays; i++) {
        const farkas_array *array = &scop->arrays[i];
        put("  array %s, rank %zu, %u bytes\n", array->name, array->rank, array->element_bytes);
    }
    for (size_t i = 0; i < scop->n_statements; i++) {
        const farkas_statement *statement = &scop->statements[i];
        put("  statement %s, label %s, line %u, in", statement->name, statement->label ? statement->label : "none",
            statement->line);
        for (size_t k = 0; k < statement->depth; k++)
            put(" %s", statement->iterators[k]);
        put("\n");
        for (size_t k = 0; k < statement->n_accesses; k++)
            put_access(scop, statement, &statement->accesses[k]);
    }
    return FARKAS_OK;
}

static void put_dependences(const farkas_state *state)
{
    for (size_t i = 0; i < state->n_dependences; i++) {
        const farkas_dependence *d = &state->dependences[i];
        put("d%zu: kind %d, %u.%u -> %u.%u, independent %d, loops", i, d->kind, d->source, d->source_access, d->sink,
            d->sink_access, d->is_loop_independent);
        for (size_t k = 0; k < d->n_loops; k++)
            put(" %u", d->loops[k]);
        put(", distance ");
        put_numbers(d->distance, d->n_distance);
        put("\n");
    }
}

static void put_last(const farkas_state *state, const farkas_last_row *last)
{
    put("  last: dimension %zu, member %zu, parallel %d, carrier %" PRId64 ", fallback %s,", last->dimension,
        last->member, last->is_parallel, last->carrier, last->fallback ? last->fallback : "none");
    for (size_t i = 0; i < last->n_statements; i++)
        put_row(state->scop, last->statements[i].statement, &last->statements[i].row);
    for (size_t i = 0; i < last->n_costs; i++)
        put(", %s = %" PRId64, last->costs[i].name, last->costs[i].value);
    for (size_t i = 0; i < last->n_carried; i++)
        put(", carries d%u", last->carried[i]);
    put("\n");
}

static int plan(void *instance, const farkas_state *state, farkas_plan *plan)
{
    static int is_first = 1;
    (void)instance;
    if (is_first)
        put_dependences(state);
    is_first = 0;
    put("dimension %zu, members %zu, attempt %zu, recomputed %d, sizes right: %d\n", state->dimension,
        state->n_members, state->attempt, state->was_recomputed,
        state->size == sizeof(*state) && plan->size == sizeof(*plan));
    for (size_t i = 0; i < state->n_group; i++) {
        const farkas_member *member = &state->group[i];
        put("  statement %u misses %u:", member->statement, member->n_missing);
        for (size_t k = 0; k < member->n_rows; k++)
            put_row(state->scop, member->statement, &member->rows[k]);
        put("\n");
    }
    for (size_t i = 0; i < state->n_remaining; i++) {
        const farkas_remaining *r = &state->remaining[i];
        put("  left: %u -> %u, kinds %u, validity %d, coincidence %d, carried %d, of", r->source, r->sink, r->kinds,
            r->is_validity, r->is_coincidence, r->is_carried);
        for (size_t k = 0; k < r->n_dependences; k++)
            put(" d%u", r->dependences[k]);
        put("\n");
    }
    if (state->last)
        put_last(state, state->last);
    return FARKAS_OK;
}

const farkas_strategy *farkas_strategy_v1(void)
{
    static const farkas_strategy table = {
        FARKAS_ABI_VERSION, sizeof(farkas_strategy), "spy", create, NULL, plan, 0,
    };
    return &table;
}
