/* Variables that a condition sets: the iteration of the row that gives them a first value has them to itself. */
void maxima(int m, int n, const float x[m][n], float top[m], int at[m], int above[m])
{
#pragma scop
    for (int i = 0; i < m; i++) {
        float most = x[i][0];
        int where = 0, count = 0;
        for (int j = 1; j < n; j++)
            if (x[i][j] > most) {
                most = x[i][j];
                where = j;
            }
        for (int j = 0; j < n; j++)
            if (x[i][j] > 0.5 * most)
                count++;
            else if (x[i][j] < 0)
                count -= 2;
        top[i] = most;
        at[i] = where;
        above[i] = count;
    }
#pragma endscop
}
