/* shortest-paths: lengths of all shortest paths by Floyd and Warshall, with the next stop of each
 * path; roads that are missing have a large length. Then one path is walked for each place.
 * Stresses `if (through < best)` with two assignments, an early `continue` for what cannot be
 * reached, unsigned indices, a `while` loop along the stops. */
// sizes: 115 | 360 | 520
#include "common.h"

#define FAR 1000000000

static void all_pairs(int *length, unsigned *next, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        for (unsigned i = 0; i < n; i++) {
            int first = length[i * n + k];
            if (first == FAR)
                continue;
            for (unsigned j = 0; j < n; j++) {
                if (length[k * n + j] == FAR)
                    continue;
                int through = first + length[k * n + j];
                if (through < length[i * n + j]) {
                    length[i * n + j] = through;
                    next[i * n + j] = next[i * n + k];
                }
            }
        }
    }
}

static int stops(const unsigned *next, unsigned n, unsigned from, unsigned to)
{
    int count = 0;
    while (from != to) {
        from = next[from * n + to];
        if (from == n)
            return -1;
        count++;
    }
    return count;
}

int main(int argc, char **argv)
{
    int places = 360;
    read_sizes(argc, argv, "PLACES", 1, (int *[]){&places});

    unsigned n = (unsigned)places;
    size_t count = (size_t)n * n;
    int *length = allocate(count * sizeof(int));
    unsigned *next = allocate(count * sizeof(unsigned));
    int *walked = allocate(n * sizeof(int));
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < n; j++) {
            int road = i != j && (i * 31 + j * 17) % 23 < 2;
            length[i * n + j] = i == j ? 0 : road ? (int)(1 + (i * 13 + j * 7) % 97) : FAR;
            next[i * n + j] = i == j || road ? j : n;
        }
    }

    double start = now();
    all_pairs(length, next, n);
    for (unsigned i = 0; i < n; i++)
        walked[i] = stops(next, n, i, (i * 7 + 3) % n);
    double seconds = now() - start;

    double sum = checksum_int(length, count) + checksum_int(walked, n);
    for (size_t p = 0; p < count; p++)
        sum += weight(p) * next[p];
    report(seconds, sum);
    free(length);
    free(next);
    free(walked);
    return 0;
}
