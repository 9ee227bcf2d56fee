/* histogram: histogram equalisation of gray images: counts of the 256 values, their running sum,
 * a table from old to new values, the table applied to each pixel.
 * Stresses a[idx[i]] on the left (counts) and on the right (the table), an integer prefix sum, a
 * search that ends with a `while` loop. */
// sizes: 2 700000 | 45 1000000 | 135 1000000
#include <stdint.h>

#include "common.h"

DEFINE_CHECKSUM(checksum_byte, uint8_t)

static void equalize(const uint8_t *in, uint8_t *out, unsigned count, unsigned histogram[256])
{
    unsigned total[256];
    uint8_t table[256];

    for (int v = 0; v < 256; v++)
        histogram[v] = 0;
    for (unsigned i = 0; i < count; i++)
        histogram[in[i]]++;

    unsigned sum = 0;
    for (int v = 0; v < 256; v++) {
        sum += histogram[v];
        total[v] = sum;
    }

    int lowest = 0;
    while (lowest < 255 && histogram[lowest] == 0)
        lowest++;
    unsigned base = total[lowest];

    for (int v = 0; v < 256; v++) {
        table[v] = 0;
        if (v < lowest || count == base)
            continue;
        table[v] = (uint8_t)(((uint64_t)(total[v] - base) * 255 + (count - base) / 2)
                             / (count - base));
    }
    for (unsigned i = 0; i < count; i++)
        out[i] = table[in[i]];
}

int main(int argc, char **argv)
{
    int images = 45, count = 1000000;
    read_sizes(argc, argv, "IMAGES PIXELS", 2, (int *[]){&images, &count});

    uint8_t *in = allocate((size_t)images * count);
    uint8_t *out = allocate((size_t)images * count);
    unsigned *histograms = allocate((size_t)images * 256 * sizeof(unsigned));
    for (size_t p = 0; p < (size_t)images * count; p++) {
        unsigned u = (unsigned)(p * 2654435761u) >> 5;
        in[p] = (uint8_t)(40 + (u % 120 + u / 128 % 60) / 2);
    }

    double start = now();
    for (int m = 0; m < images; m++)
        equalize(in + (size_t)m * count, out + (size_t)m * count, count, histograms + m * 256);
    double seconds = now() - start;

    double counts = 0.0;
    for (int m = 0; m < images * 256; m++)
        counts += weight(m) * histograms[m];
    report(seconds, checksum_byte(out, (size_t)images * count) + counts);
    free(in);
    free(out);
    free(histograms);
    return 0;
}
