/*
 * Scheduling strategies for Farkas as dynamic libraries. C99 and C++; link with nothing.
 *
 * A library exports one function, farkas_strategy_v1, which returns a table of functions. For each scop (a region of the
 * program) the host makes an instance of the strategy and then asks its function `plan` before each row of the schedule:
 * the host shows a farkas_state, the library changes a farkas_plan. The host asks again and again, also while it tries
 * what fusion would give, so a plan should follow from the state alone.
 *
 *   cc -std=c99 -shared -fPIC -I crates/capi/include -o libmine.so mine.c
 *   farkas opt kernel.c --strategy ./libmine.so
 *
 * Rules
 *  - Everything that the host shows is read-only and lives until the function that got it returns; only the scop lives as
 *    long as the instance. What the library passes to a callback is copied before the callback returns: nothing is
 *    allocated on one side and freed on the other.
 *  - Strings are UTF-8 and end in NUL. Lists are a count and a pointer, which may be NULL where the count is 0.
 *  - Functions of the library run on the host's thread, one at a time for an instance, must return, and let no exception
 *    of C++ out. The callbacks of a setup or plan may be called until the function that got it returns.
 *  - Numbers for statements, arrays, parameters, iterators and accesses count from 0. Iterators run upward and the
 *    outermost comes first; a loop that runs downward or by steps has an iterator that counts its iterations.
 *  - What the library asks for is checked. The first thing that makes no sense ends the run with a message that names the
 *    library; callbacks then return FARKAS_REFUSED, which may be ignored.
 *  - Structures that the host shows may grow at their end in later versions; `size` says how many bytes there are.
 *    Another meaning of what is there already is another FARKAS_ABI_VERSION and another symbol.
 */
#ifndef FARKAS_STRATEGY_H
#define FARKAS_STRATEGY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FARKAS_ABI_VERSION 1u

#if defined(_WIN32)
#define FARKAS_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define FARKAS_EXPORT __attribute__((visibility("default")))
#else
#define FARKAS_EXPORT
#endif

/* What callbacks and the library's own functions return; the latter may return any other number for a failure. */
enum { FARKAS_OK = 0, FARKAS_REFUSED = 1 };

/* What an access does; a may-write stands under a condition on data. */
enum { FARKAS_READ = 0, FARKAS_MUST_WRITE = 1, FARKAS_MAY_WRITE = 2, FARKAS_KILL = 3 };

/* Kinds of dependences, one bit each. Dependences of kind input (read, then read) constrain nothing. */
enum { FARKAS_FLOW = 1, FARKAS_ANTI = 2, FARKAS_OUTPUT = 4, FARKAS_INPUT = 8 };

/* What fuses components of the dependence graph: those of one depth that share data where no parallelism and no
   permutable loop is lost; whatever has a legal row in common; nothing; components that were scheduled apart and move as
   wholes to where they share data. */
enum { FARKAS_FUSE_SMART = 0, FARKAS_FUSE_MAX = 1, FARKAS_FUSE_NO = 2, FARKAS_FUSE_CLUSTER = 3 };

/* Terms of a constraint: a coefficient of a statement's row in this dimension, or a variable of the library's own. */
enum { FARKAS_ITERATOR = 0, FARKAS_PARAM = 1, FARKAS_CONSTANT = 2, FARKAS_VARIABLE = 3 };

/* Constraints: the sum of the terms and the constant is zero, or not negative. */
enum { FARKAS_ZERO = 0, FARKAS_NOT_NEGATIVE = 1 };

/* ---- the program ---- */

typedef struct farkas_array {
    const char *name;
    size_t rank;            /* dimensions; 0 for a scalar */
    uint32_t element_bytes; /* 0 where it is not known */
} farkas_array;

typedef struct farkas_access {
    uint32_t array;
    int32_t kind;       /* FARKAS_READ ... */
    uint32_t line;      /* of the source, from 1; 0 where it is not known */
    int32_t is_affine;  /* whether every subscript is one affine expression of the iterators */
    size_t rank;        /* subscripts; 0 for a scalar, and where they are not affine */
    const int64_t *subscripts; /* rank rows, each with one coefficient for each iterator */
} farkas_access;

typedef struct farkas_statement {
    const char *name;
    const char *label; /* of the source; NULL where there is none */
    uint32_t line;     /* of the source, from 1; 0 where it is not known */
    size_t depth;      /* loops around it */
    const char *const *iterators;
    size_t n_accesses;
    const farkas_access *accesses;
} farkas_statement;

typedef struct farkas_scop {
    uint32_t size;
    uint32_t abi_version;
    const char *name;
    size_t n_params;
    const char *const *params;
    size_t n_arrays;
    const farkas_array *arrays;
    size_t n_statements;
    const farkas_statement *statements; /* in the order of the text */
} farkas_scop;

/* Ordered pairs of instances of two statements that touch the same element through one pair of accesses. */
typedef struct farkas_dependence {
    int32_t kind; /* FARKAS_FLOW ... */
    uint32_t source;
    uint32_t sink;
    uint32_t source_access;
    uint32_t sink_access;
    int32_t is_loop_independent; /* whether some pairs lie in the same iteration of every common loop */
    size_t n_loops;
    const uint32_t *loops; /* loops of the original program that carry some pairs, from 0, outermost first */
    size_t n_distance;
    const int64_t *distance; /* in each common loop, where it is the same for every pair; else none */
} farkas_dependence;

/* ---- the schedule so far ---- */

/* One row: iterators . i + params . n + constant. */
typedef struct farkas_row {
    const int64_t *iterators; /* as many as the statement's depth */
    const int64_t *params;    /* as many as the scop has parameters */
    int64_t constant;
} farkas_row;

/* A statement that is scheduled now. */
typedef struct farkas_member {
    uint32_t statement;
    uint32_t n_missing; /* loops that its rows do not yet span */
    size_t n_rows;
    const farkas_row *rows; /* outermost first */
} farkas_member;

/* What is left of one or more dependences with the same statements and constraints. */
typedef struct farkas_remaining {
    uint32_t source;
    uint32_t sink;
    uint32_t kinds;         /* FARKAS_FLOW | ... */
    int32_t is_validity;    /* the source must come before the sink */
    int32_t is_coincidence; /* loops with a distance other than zero are not parallel */
    int32_t is_carried;     /* the rows of the band at hand carry all that outer bands left of it */
    size_t n_dependences;
    const uint32_t *dependences; /* positions in the state's list */
} farkas_remaining;

typedef struct farkas_statement_row {
    uint32_t statement;
    farkas_row row;
} farkas_statement_row;

typedef struct farkas_cost {
    const char *name;
    int64_t value;
} farkas_cost;

/* The row that was found last. */
typedef struct farkas_last_row {
    size_t dimension;
    size_t member;       /* its position in its band */
    int32_t is_parallel; /* the distance of every coincidence relation that outer bands left is zero */
    int64_t carrier;     /* a dependence that keeps it from being parallel; -1 where there is none */
    const char *fallback; /* the fallback that found it; NULL where the plan itself did */
    size_t n_statements;
    const farkas_statement_row *statements;
    size_t n_costs;
    const farkas_cost *costs; /* values of the variables that were minimised first */
    size_t n_carried;
    const uint32_t *carried; /* dependences of which it carries what outer rows left */
} farkas_last_row;

typedef struct farkas_state {
    uint32_t size;
    uint32_t abi_version;
    const farkas_scop *scop;
    size_t n_dependences;
    const farkas_dependence *dependences; /* all of them; a position in the list is the id */
    size_t dimension; /* the row to find, sequences counted, along the path from the root */
    size_t n_members; /* rows of the band at hand so far */
    size_t attempt;   /* plans for this row that had no solution and asked for another (fallback replan) */
    int32_t was_recomputed; /* the last row was found again at the wish of the plan before */
    size_t n_group;
    const farkas_member *group; /* the statements that are scheduled now, ascending */
    size_t n_remaining;
    const farkas_remaining *remaining; /* what outer bands and sequences leave unordered among them */
    const farkas_last_row *last;       /* of these statements, in this band or the ones around it; NULL at first */
} farkas_state;

/* ---- what the library asks for ---- */

/* Given to `create`. */
typedef struct farkas_setup farkas_setup;
struct farkas_setup {
    uint32_t size;
    uint32_t abi_version;
    /* A variable for costs and constraints, a non-negative integer unless it is signed; minimised are magnitudes. Its
       number is that of the variables before it. The name is an identifier of C. */
    int (*add_variable)(farkas_setup *setup, const char *name, int32_t is_signed);
    /* Statements whose rows are found together in every dimension, whether they share loops or not, so that constraints
       can tie them together. */
    int (*add_link)(farkas_setup *setup, const uint32_t *statements, size_t n_statements);
    /* Says why `create` fails and gives a failure to return: return setup->fail(setup, "too many loops"); */
    int (*fail)(farkas_setup *setup, const char *reason);
    /* How many neighbouring elements of an array count as one line, for the costs temporal-spatial and carry-spatial: they
       see what is used again only where this was called. */
    int (*set_line)(farkas_setup *setup, int64_t n_elements);
};

typedef struct farkas_term {
    int32_t kind;       /* FARKAS_ITERATOR ... */
    uint32_t statement; /* one of the state's group; not looked at for a variable */
    uint32_t index;     /* the iterator, parameter or variable; not looked at for a constant */
    int64_t factor;
} farkas_term;

/* Given to `plan`, filled with what is asked for where nothing is said. What is a switch is on where it is not 0. */
typedef struct farkas_plan farkas_plan;
struct farkas_plan {
    uint32_t size;
    uint32_t abi_version;
    int32_t fusion;                /* FARKAS_FUSE_SMART ...; at first FARKAS_FUSE_SMART */
    int32_t total_distribution;    /* switch: each strongly connected component has loops of its own; not with groups */
    int32_t parametric_shift;      /* switch: rows may use parameters */
    int32_t negative_coefficients; /* switch: coefficients of iterators may be negative */
    int32_t demands_parallel;      /* switch: no row but a parallel one */
    int32_t ends_band;             /* switch: end the band, if it has a row, before this row */
    int32_t distributes;           /* switch: this dimension is one of distribution: the band ends, parts run in turn */
    int32_t recompute_last; /* switch: forget the last row of the band, look for it again under this plan; without effect
                               where the band has none; not with ends_band or distributes */
    int64_t max_coefficient; /* bound on coefficients of iterators and parameters; 0 for none; at first 0 */
    /* One more thing to minimise, behind those before it: proximity, flow-proximity, memory-proximity, feautrier,
       contiguity, bigLoopsFirst, longStridesFirst, coefficient-sums, temporal-spatial, carry-spatial, or a variable of the
       setup. Where none is named: proximity. Sums of coefficients come last where they are not named. */
    int (*add_cost)(farkas_plan *plan, const char *name);
    /* One more constraint, FARKAS_ZERO or FARKAS_NOT_NEGATIVE, on this row. */
    int (*add_constraint)(farkas_plan *plan, int32_t kind, const farkas_term *terms, size_t n_terms, int64_t constant);
    /* Statements that share their loops, and not with other groups; those of no group stay free. Statements that are not
       scheduled now are not looked at. */
    int (*add_group)(farkas_plan *plan, const uint32_t *statements, size_t n_statements);
    /* What to do without a solution, in this order, instead of other-signs, new-band, separate-components, defer-shallow,
       parametric-shift; also replan and drop-constraints. Where nothing helps, the original order stays, with a warning. */
    int (*set_fallbacks)(farkas_plan *plan, const char *const *names, size_t n_names);
    /* Says why `plan` fails and gives a failure to return: return plan->fail(plan, "too many loops"); */
    int (*fail)(farkas_plan *plan, const char *reason);
};

/* ---- the library ---- */

typedef struct farkas_strategy {
    uint32_t abi_version; /* FARKAS_ABI_VERSION */
    uint32_t size;        /* sizeof(farkas_strategy) */
    /* Letters, digits and -_.+, at most 64 of them. */
    const char *name;
    /* Makes *instance for a scop; FARKAS_OK or a failure, after which there is no instance to destroy. NULL where the
       strategy needs no memory, variables or links: then the instance is NULL. */
    int (*create)(const farkas_scop *scop, farkas_setup *setup, void **instance);
    /* Frees what `create` made. May be NULL. */
    void (*destroy)(void *instance);
    /* What to look for in the next row; FARKAS_OK or a failure. */
    int (*plan)(void *instance, const farkas_state *state, farkas_plan *plan);
    /* The dependences that the cost function proximity bounds and that make statements related in the eyes of the fusion
       heuristic; 0 for FARKAS_FLOW | FARKAS_ANTI | FARKAS_OUTPUT. Those of kind input are found only for strategies that
       name them here. */
    uint32_t proximity_kinds;
} farkas_strategy;

/* The one symbol that a library exports. The table lives as long as the library is loaded. */
FARKAS_EXPORT const farkas_strategy *farkas_strategy_v1(void);

#ifdef __cplusplus
}
#endif

#endif
