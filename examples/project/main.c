#include "smooth.h"
#include <stdio.h>
#include <stdlib.h>

/* Smooths a picture of dots twenty times, and says what is left of it. */
int main(void)
{
    struct picture pictures[2];
    for (int p = 0; p < 2; p++) {
        pictures[p].width = 1600;
        pictures[p].height = 1200;
        pictures[p].values = calloc(1600 * 1200, sizeof(float));
        if (!pictures[p].values) {
            fprintf(stderr, "there is not enough memory\n");
            return 1;
        }
    }
    for (int k = 0; k < 1600 * 1200; k += 97)
        pictures[0].values[k] = 1;
    for (int step = 0; step < 20; step++)
        smooth(&pictures[(step + 1) % 2], &pictures[step % 2]);
    printf("brightness %.6f\n", brightness(&pictures[0]));
    free(pictures[0].values);
    free(pictures[1].values);
    return 0;
}
