/* why: an array of pointers behind a pointer, and what the elements of an array of structs point to */
struct S { int n; double *rows[8]; double *row; };
void f(struct S *s)
{
#pragma scop
    for (int i = 0; i < s->n; i++) {
        s->rows[i][0] = 0;
        s[i].row[0] = 1;
    }
#pragma endscop
}
