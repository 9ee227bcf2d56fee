/* Runs each function and its original at every shape and compares the results. In front of this stand `T`, the element type, `EPSILON`, the
   distance from 1 to the next number, `value` and `before`, what is combined and what elements are at first, `cases`, and `run_original` and
   `run_result`, which call the function of a case. */

enum { MOST = 100000, BEYOND = 8, N_SHAPES = 10 };

static const int shapes[N_SHAPES][3] = {
    {1, 1, 1},     {0, 5, 3},     {5, 0, 2},    {7, 11, 13},  {64, 64, 16},
    {1, 997, 31},  {997, 1, 3},   {4096, 4, 2}, {3, 4, 4999}, {31, 37, 61},
};

static T a[MOST], expected[MOST + BEYOND], found[MOST + BEYOND];

/* What is combined into each result: how many values, and the sum of their magnitudes. */
static long count[MOST + BEYOND];
static long double magnitude[MOST + BEYOND];

static unsigned long mixed(unsigned long q)
{
    q = (q + 1) * 0x9e3779b97f4a7c15ul;
    q = (q ^ q >> 29) * 0xbf58476d1ce4e5b9ul;
    return (q ^ q >> 32) >> 3;
}

/* The result that an element is combined into. */
static long cell(enum Form form, const int at[3], const int shape[3])
{
    switch (form) {
    case ALL: return 0;
    case X: return at[0];
    case BETWEEN: return (long)at[0] * shape[2] + at[2];
    default: return at[1];
    }
}

/* How many results a case has. */
static long n_results(enum Form form, const int shape[3])
{
    switch (form) {
    case ALL: return 1;
    case X: return shape[0];
    case BETWEEN: return (long)shape[0] * shape[2];
    default: return shape[1];
    }
}

static long double absolute(T x)
{
    return x < 0 ? -(long double)x : (long double)x;
}

/* Sets what a case reads, and counts what is combined. */
static void set(const struct Case *c, const int shape[3])
{
    long n = n_results(c->form, shape);
    for (long q = 0; q < n + BEYOND; q++) {
        expected[q] = found[q] = before(c->op, mixed(q + 7 * MOST));
        count[q] = 0;
        magnitude[q] = absolute(expected[q]);
    }
    long q = 0;
    int at[3];
    for (at[0] = 0; at[0] < shape[0]; at[0]++)
        for (at[1] = 0; at[1] < shape[1]; at[1]++)
            for (at[2] = 0; at[2] < shape[2]; at[2]++, q++) {
                int sign = (at[0] + at[1] + at[2]) % 2 ? -1 : 1;
                a[q] = value(c->op, mixed(q), q, sign);
                long result = cell(c->form, at, shape);
                count[result]++;
                magnitude[result] += absolute(a[q]);
            }
}

/* Whether a result is right; those beyond the last one are to stay as they are. */
static int is_right(enum Compared compared, long at)
{
    T x = expected[at], y = found[at];
    long double difference = (long double)x - y;
    long double bound = count[at] * EPSILON / (1 - count[at] * EPSILON / 2);
    switch (compared) {
    case BY_VALUE: return x == y || (x != x && y != y);
    case AS_SUM: return fabsl(difference) <= bound * magnitude[at];
    case AS_PRODUCT: return fabsl(difference) <= bound * fabsl(x);
    default: return memcmp(&x, &y, sizeof x) == 0;
    }
}

/* A hash of all results so far, which shows each of their bits. */
static unsigned long shown(unsigned long hash, T x)
{
    unsigned char bytes[sizeof x];
    memcpy(bytes, &x, sizeof x);
    for (unsigned long at = 0; at < sizeof x; at++)
        hash = (hash ^ bytes[at]) * 0x100000001b3ul;
    return hash;
}

int main(void)
{
    long compared = 0;
    unsigned long hash = 0;
    for (int at = 0; at < N_CASES; at++)
        for (int s = 0; s < N_SHAPES; s++) {
            const struct Case *c = &cases[at];
            int shape[3] = {shapes[s][0], shapes[s][1], shapes[s][2]};
            if (!c->is_deep) {
                shape[1] *= shape[2];
                shape[2] = 1;
            }
            set(c, shape);
            run_original(at, shape[0], shape[1], shape[2], expected);
            run_result(at, shape[0], shape[1], shape[2], found);
            compared++;
            for (long q = 0; q < n_results(c->form, shape) + BEYOND; q++)
                hash = shown(hash, found[q]);
            for (long q = 0; q < n_results(c->form, shape) + BEYOND; q++)
                if (!is_right(c->compared, q)) {
                    printf("%s at %d, %d, %d: result %ld is %a, not %a\n", c->name, shape[0], shape[1], shape[2],
                           q, (double)found[q], (double)expected[q]);
                    break;
                }
        }
    printf("%ld compared\n%016lx\n", compared, hash);
    return 0;
}
