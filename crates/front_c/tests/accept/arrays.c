/* why: where arrays live, and what the file says of their extents */
enum { SIZE = 30 };
struct S { double x, a[10]; };
double global[SIZE][2 * SIZE];
static const long constant[10];
static struct S s;
void f(int n, double (*matrix)[20], double (*rows)[10], double **pointers, float q[static 10])
{
    int i;
    double local[10];
    unsigned char bytes[n];
    double unused;
    for (i = 0; i < 10; i++)
        local[i] = bytes[i] = 0;
#pragma scop
    for (i = 0; i < 10; i++) {
        global[i][0] = local[i] + constant[i];
        (*rows)[i] = matrix[i][1] + s.a[i] * s.x;
        pointers[0][i] = q[i];
        unused = bytes[i];
    }
#pragma endscop
}
