/* why: neighbours of a cell in arrays with one subscript, chosen at borders as a whole: what differs at each stride is chosen there */
void heat(int nx, int ny, int nz, float out[restrict nx * ny * nz], const float in[restrict nx * ny * nz])
{
    int c, w, e, n, s, b, t;
#pragma scop
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) {
                c = x + y * nx + z * nx * ny;
                w = x == 0 ? c : c - 1;
                e = x == nx - 1 ? c : c + 1;
                n = y == 0 ? c : c - nx;
                s = y == ny - 1 ? c : c + nx;
                b = z == 0 ? c : c - nx * ny;
                t = z == nz - 1 ? c : c + nx * ny;
                out[c] = in[c] + in[w] + in[e] + in[n] + in[s] + in[b] + in[t];
            }
#pragma endscop
}

void unsigned_sizes(unsigned long n, unsigned long m, double out[restrict n * m], const double in[restrict n * m])
{
#pragma scop
    for (unsigned long i = 0; i < n; i++)
        for (unsigned long j = 0; j < m; j++)
            out[i * m + j] = in[i > 0 && j > 0 ? i * m + j - m - 1 : i * m];
#pragma endscop
}
