/* why: a store of characters may change the pointer that the region reads the bound through */
struct bytes { int n; char *at; };
struct bytes *now;
void cleared(void)
{
#pragma scop
    for (int i = 0; i < now->n; i++)
        now->at[i] = 0;
#pragma endscop
}
