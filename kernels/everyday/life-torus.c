/* life-torus: Conway's game of life on a torus, one byte a cell, two boards.
 * Stresses subscripts `(y + dy + h) % h`, a loop over neighbours that skips the cell itself by
 * `continue`, rules by if and else, boards exchanged by pointers between generations. */
// sizes: 10 160 160 | 30 500 500 | 90 500 500
#include <stdint.h>

#include "common.h"

DEFINE_CHECKSUM(checksum_byte, uint8_t)

struct board {
    int w, h;
    uint8_t *cells, *next;
};

static int neighbours(const struct board *b, int y, int x)
{
    int count = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            if (dy == 0 && dx == 0)
                continue;
            int yy = (y + dy + b->h) % b->h;
            int xx = (x + dx + b->w) % b->w;
            count += b->cells[yy * b->w + xx];
        }
    }
    return count;
}

static void generation(struct board *b)
{
    for (int y = 0; y < b->h; y++) {
        for (int x = 0; x < b->w; x++) {
            int n = neighbours(b, y, x);
            uint8_t alive = b->cells[y * b->w + x];
            if (alive && (n < 2 || n > 3))
                alive = 0;
            else if (!alive && n == 3)
                alive = 1;
            b->next[y * b->w + x] = alive;
        }
    }
    uint8_t *t = b->cells;
    b->cells = b->next;
    b->next = t;
}

int main(int argc, char **argv)
{
    int steps = 30, h = 500, w = 500;
    read_sizes(argc, argv, "STEPS HEIGHT WIDTH", 3, (int *[]){&steps, &h, &w});

    size_t count = (size_t)h * w;
    struct board b = {w, h, allocate(count), allocate(count)};
    for (size_t p = 0; p < count; p++)
        b.cells[p] = (p * 2654435761u >> 7) % 3 == 0;

    double start = now();
    for (int s = 0; s < steps; s++)
        generation(&b);
    double seconds = now() - start;

    report(seconds, checksum_byte(b.cells, count));
    free(b.cells);
    free(b.next);
    return 0;
}
