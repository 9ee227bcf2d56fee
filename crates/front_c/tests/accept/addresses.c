#include <stdlib.h>

void use(unsigned char **place, int *number);

struct board { unsigned char *cells; int count; };

void show(struct board *board);

/* Nobody knows yet where `bytes`, `count` and `b` lie: writing characters changes none of them. */
void late(int n)
{
    unsigned char *bytes = malloc(n);
    int count = n;
    struct board b = {malloc(n), n};
    unsigned char *other = bytes;
#pragma scop
    for (int i = 0; i < count; i++) {
        bytes[i] = 1;
        b.cells[i] = 2;
    }
#pragma endscop
    use(&bytes, &count);
    show(&b);
    use(&other, &n);
}

/* The first round tells others where `bytes` and `count` lie, and the second runs the region again. */
void again(int n)
{
    unsigned char *bytes = malloc(n);
    int count = n;
    for (int round = 0; round < 2; round++) {
#pragma scop
        for (int i = 0; i < count; i++)
            bytes[i] = 1;
#pragma endscop
        use(&bytes, &count);
    }
}

/* `&bytes[1]` leads to where `bytes` leads, not to `bytes`. */
void part(int n)
{
    unsigned char *bytes = malloc(n), *tail = &bytes[1];
    use(&tail, &n);
#pragma scop
    for (int i = 0; i < 10; i++)
        bytes[i] = 1;
#pragma endscop
    free(bytes);
}

/* The struct lies in the block that is filled: `block` is allocated here, and yet leads to `b->cells`. */
void inside(int n)
{
    unsigned char *block = malloc(1000);
    struct board *b = (struct board *)block;
    b->cells = malloc(n);
#pragma scop
    for (int i = 0; i < n; i++) {
        block[i] = 1;
        b->cells[i] = 2;
    }
#pragma endscop
    show(b);
}
