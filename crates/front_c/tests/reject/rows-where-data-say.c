/* why: a row that data skip may not be there, so that no test can read the pointer to it */
void raised(int n, int m, const int *has_row, double **a)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            if (has_row[i])
                a[i][j] += 1.0;
#pragma endscop
}
