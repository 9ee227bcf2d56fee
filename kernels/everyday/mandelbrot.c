/* mandelbrot: how many steps each point of the plane takes to escape under z -> z^2 + c, and the
 * smooth value of it as a gray level.
 * Stresses a `while` loop whose end is data, in two parallel loops with uneven work. */
// sizes: 110 160 200 | 600 900 200 | 1050 1550 200
#include <stdint.h>

#include "common.h"

DEFINE_CHECKSUM(checksum_byte, uint8_t)

static void mandelbrot(int *steps, uint8_t *gray, int h, int w, int limit)
{
    for (int py = 0; py < h; py++) {
        for (int px = 0; px < w; px++) {
            double cx = -2.2 + 3.2 * px / w;
            double cy = -1.2 + 2.4 * py / h;
            double x = 0.0, y = 0.0;
            int n = 0;
            while (n < limit && x * x + y * y <= 4.0) {
                double next = x * x - y * y + cx;
                y = 2.0 * x * y + cy;
                x = next;
                n++;
            }
            steps[py * w + px] = n;
            gray[py * w + px] = (uint8_t)(n == limit ? 0 : 255 - n * 255 / limit);
        }
    }
}

int main(int argc, char **argv)
{
    int h = 600, w = 900, limit = 200;
    read_sizes(argc, argv, "HEIGHT WIDTH LIMIT", 3, (int *[]){&h, &w, &limit});

    size_t count = (size_t)h * w;
    int *steps = allocate(count * sizeof(int));
    uint8_t *gray = allocate(count);

    double start = now();
    mandelbrot(steps, gray, h, w, limit);
    double seconds = now() - start;

    report(seconds, checksum_int(steps, count) + checksum_byte(gray, count));
    free(steps);
    free(gray);
    return 0;
}
