/* Conversions to `__bf16` that compilers call and libgcc has from version 13 on, for older ones. */

typedef union {
    float value;
    unsigned bits;
} single;

/* The nearest one, the even one of two; a NaN stays one. */
__attribute__((weak)) __bf16 __truncsfbf2(float x)
{
    const single from = {x};
    const unsigned rounded = from.bits + 0x7fff + (from.bits >> 16 & 1);
    const unsigned short to = (x != x ? from.bits | 0x400000 : rounded) >> 16;
    __bf16 result;
    __builtin_memcpy(&result, &to, 2);
    return result;
}

/* The same of a `double`, of which a `float` stands on the same side of the middle: where it differs, its last bit is set, and it is the one next
   to the `double` that has it. */
__attribute__((weak)) __bf16 __truncdfbf2(double x)
{
    single near = {(float)x};
    if (near.value != x && x == x && !(near.bits & 1))
        near.bits += __builtin_fabs((double)near.value) > __builtin_fabs(x) ? -1 : 1;
    return __truncsfbf2(near.value);
}
