#include "smooth.h"

void smooth(struct picture *to, const struct picture *from)
{
    int width = from->width, height = from->height;
    for (int x = 1; x < width - 1; x++)
        for (int y = 1; y < height - 1; y++) {
            float sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += from->values[(y + dy) * width + x + dx];
            to->values[y * width + x] = sum / 9;
        }
}

double brightness(const struct picture *picture)
{
    double sum = 0;
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++)
            sum += picture->values[y * picture->width + x];
    return sum / ((double)picture->width * picture->height);
}
