#ifndef SMOOTH_H
#define SMOOTH_H

/* A picture of gray values between 0 and 1, row by row. */
struct picture {
    int width, height;
    float *values;
};

/* Each inner value of `to` is the mean of nine neighbours in `from`, which has the same size. */
void smooth(struct picture *to, const struct picture *from);

/* The mean of all values. */
double brightness(const struct picture *picture);

#endif
