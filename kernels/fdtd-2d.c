/* fdtd-2d: finite-difference time-domain electromagnetics in the plane (Yee's scheme):
 * ey and ex advance by differences of hz, then hz by differences of ex and ey.
 * Stresses time tiling of four statements of different shapes; global arrays with fixed sizes. */
#include "common.h"

#ifndef TSTEPS
#define TSTEPS 80
#endif
#ifndef NX
#define NX 800
#endif
#ifndef NY
#define NY 900
#endif

static double ex[NX][NY], ey[NX][NY], hz[NX][NY];
static double source[TSTEPS];

static void init(int tsteps, int nx, int ny)
{
    for (int t = 0; t < tsteps; t++)
        source[t] = (t % 20) / 20.0;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++) {
            ex[i][j] = ((i + 2 * j) % 15) / 15.0;
            ey[i][j] = ((3 * i + j) % 17) / 17.0;
            hz[i][j] = ((5 * i + 4 * j) % 19) / 19.0;
        }
}

static void kernel_fdtd_2d(int tsteps, int nx, int ny)
{
    int t, i, j;

#pragma scop
    for (t = 0; t < tsteps; t++) {
        for (j = 0; j < ny; j++)
            ey[0][j] = source[t];
        for (i = 1; i < nx; i++)
            for (j = 0; j < ny; j++)
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j]);
        for (i = 0; i < nx; i++)
            for (j = 1; j < ny; j++)
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1]);
        for (i = 0; i < nx - 1; i++)
            for (j = 0; j < ny - 1; j++)
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j]);
    }
#pragma endscop
}

int main(int argc, char **argv)
{
    int tsteps = TSTEPS, nx = NX, ny = NY;
    read_sizes(argc, argv, "TSTEPS NX NY", 3, (int *[]){&tsteps, &nx, &ny});
    if (tsteps > TSTEPS || nx > NX || ny > NY)
        usage(argv[0], "TSTEPS NX NY, each at most its compiled value");
    init(tsteps, nx, ny);

    double start = now();
    kernel_fdtd_2d(tsteps, nx, ny);
    double seconds = now() - start;

    double sum = 0.0;
    for (int i = 0; i < nx; i++)
        sum += (i % 7 + 1) * (checksum_double(hz[i], ny) + 0.5 * checksum_double(ex[i], ny)
                              + 0.25 * checksum_double(ey[i], ny));
    report(seconds, sum);
    return 0;
}
