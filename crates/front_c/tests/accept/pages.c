/* Pages of rows: the rows of all pages lie one after another, or apart from what is written where they are only read. */
void smooth(int n, int m, int k, double ***a, double ***b)
{
#pragma scop
    for (int x = 1; x < n - 1; x++)
        for (int y = 1; y < m - 1; y++)
            for (int z = 1; z < k - 1; z++)
                a[x][y][z] = b[x - 1][y - 1][z] + b[x - 1][y + 1][z] + b[x][y][z] + b[x][y - 1][z - 1] + b[x][y + 1][z + 1]
                    + b[x - 1][y][z] + b[x + 1][y][z] + b[x + 1][y - 1][z] + b[x + 1][y + 1][z];
#pragma endscop
}

void swept(int n, int m, int k, double ***a)
{
#pragma scop
    for (int x = 0; x < n; x++)
        for (int y = 0; y < m; y++)
            for (int z = 1; z < k; z++)
                a[x][y][z] += a[x][y][z - 1];
#pragma endscop
}
