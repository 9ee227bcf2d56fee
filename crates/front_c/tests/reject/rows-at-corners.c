/* why: the rows at the corners are not read, so that a test that looks at each from the first to the last could read what is not there */
void smooth(int n, int m, int k, double ***a, double ***b)
{
#pragma scop
    for (int x = 1; x < n - 1; x++)
        for (int y = 1; y < m - 1; y++)
            for (int z = 0; z < k; z++)
                a[x][y][z] = b[x - 1][y][z] + b[x][y - 1][z] + b[x + 1][y][z] + b[x][y + 1][z];
#pragma endscop
}
