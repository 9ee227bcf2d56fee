/* why: an iterator of type unsigned char never reaches 300 */
void f(int n, double A[n])
{
#pragma scop
    for (unsigned char i = 0; i < 300; i++)
        A[i] = 0;
#pragma endscop
}
