/* why: a parameter that is a number shares no memory with the array whose element it is set to; that was refused */
void last(int n, float A[n][n], float b[n], float s)
{
#pragma scop
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            s = A[i][j];
    for (int i = 0; i < n; i++)
        b[i] = s;
#pragma endscop
}
