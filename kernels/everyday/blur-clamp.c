/* blur-clamp: box blur of a gray image; neighbours outside of it are those on its border.
 * Stresses subscripts clamped by a helper function or by `if`, bytes summed in an int, a division
 * of ints that rounds. */
// sizes: 160 200 2 | 900 1100 2 | 1600 1860 2
#include <stdint.h>

#include "common.h"

DEFINE_CHECKSUM(checksum_byte, uint8_t)

static int clamp(int v, int low, int high)
{
    if (v < low)
        return low;
    if (v > high)
        return high;
    return v;
}

static void blur(const uint8_t *src, uint8_t *dst, int width, int height, int radius)
{
    const int side = 2 * radius + 1;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            int sum = 0;
            for (int dy = -radius; dy <= radius; dy++) {
                int yy = clamp(y + dy, 0, height - 1);
                for (int dx = -radius; dx <= radius; dx++) {
                    int xx = x + dx;
                    if (xx < 0)
                        xx = 0;
                    if (xx >= width)
                        xx = width - 1;
                    sum += src[yy * width + xx];
                }
            }
            dst[y * width + x] = (uint8_t)((sum + side * side / 2) / (side * side));
        }
    }
}

int main(int argc, char **argv)
{
    int height = 900, width = 1100, radius = 2;
    read_sizes(argc, argv, "HEIGHT WIDTH RADIUS", 3, (int *[]){&height, &width, &radius});

    size_t count = (size_t)height * width;
    uint8_t *image = allocate(count);
    uint8_t *once = allocate(count);
    uint8_t *twice = allocate(count);
    for (size_t p = 0; p < count; p++)
        image[p] = (uint8_t)((p * 73 + p / 19) % 256);

    double start = now();
    blur(image, once, width, height, radius);
    blur(once, twice, width, height, radius);
    double seconds = now() - start;

    report(seconds, checksum_byte(once, count) + checksum_byte(twice, count));
    free(image);
    free(once);
    free(twice);
    return 0;
}
