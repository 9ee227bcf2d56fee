/* embedding: the first step of a language model: rows of a table gathered by token, plus a row for
 * the position, an optional row for the segment; then the gradient of the table, which adds rows
 * back to where they came from.
 * Stresses rows whose place data decides, read and then added to, a test of an optional array,
 * size_t subscripts with four factors. */
// sizes: 4 8 512 64 3000 | 45 8 512 256 3000 | 135 8 512 256 3000
#include "common.h"

typedef struct {
    int batch, tokens, width;
    const int *token;   /* batch x tokens */
    const int *segment; /* batch x tokens, or NULL */
} text;

static void embed(float *out, const text *in, const float *table, const float *position,
                  const float *segments)
{
    for (int b = 0; b < in->batch; b++) {
        for (int t = 0; t < in->tokens; t++) {
            size_t place = (size_t)b * in->tokens + t;
            float *o = out + place * in->width;
            const float *e = table + (size_t)in->token[place] * in->width;
            const float *p = position + (size_t)t * in->width;
            for (int i = 0; i < in->width; i++)
                o[i] = e[i] + p[i];
            if (in->segment != NULL) {
                const float *s = segments + (size_t)in->segment[place] * in->width;
                for (int i = 0; i < in->width; i++)
                    o[i] += s[i];
            }
        }
    }
}

static void embed_backward(float *dtable, float *dposition, const float *dout, const text *in)
{
    for (int b = 0; b < in->batch; b++) {
        for (int t = 0; t < in->tokens; t++) {
            const float *d = dout + ((size_t)b * in->tokens + t) * in->width;
            float *e = dtable + (size_t)in->token[b * in->tokens + t] * in->width;
            float *p = dposition + (size_t)t * in->width;
            for (int i = 0; i < in->width; i++) {
                e[i] += d[i];
                p[i] += d[i];
            }
        }
    }
}

int main(int argc, char **argv)
{
    int rounds = 45, batch = 8, tokens = 512, width = 256, words = 3000;
    read_sizes(argc, argv, "ROUNDS BATCH TOKENS WIDTH WORDS", 5,
               (int *[]){&rounds, &batch, &tokens, &width, &words});

    int places = batch * tokens;
    size_t count = (size_t)places * width;
    int *token = allocate(places * sizeof(int));
    int *segment = allocate(places * sizeof(int));
    float *table = allocate((size_t)words * width * sizeof(float));
    float *dtable = allocate((size_t)words * width * sizeof(float));
    float *position = allocate((size_t)tokens * width * sizeof(float));
    float *dposition = allocate((size_t)tokens * width * sizeof(float));
    float *segments = allocate((size_t)2 * width * sizeof(float));
    float *out = allocate(count * sizeof(float));
    for (int p = 0; p < places; p++) {
        token[p] = (int)((long long)p * p % 7919 % words);
        segment[p] = p % tokens > tokens / 2;
    }
    for (size_t p = 0; p < (size_t)words * width; p++) {
        table[p] = (float)(p * 59 % 307) / 307.0f - 0.5f;
        dtable[p] = 0.0f;
    }
    for (size_t p = 0; p < (size_t)tokens * width; p++) {
        position[p] = (float)(p * 13 % 101) / 101.0f - 0.5f;
        dposition[p] = 0.0f;
    }
    for (int i = 0; i < 2 * width; i++)
        segments[i] = (float)(i % 11) / 44.0f;

    text first = {batch, tokens, width, token, segment};
    text second = {batch, tokens, width, token, NULL};
    double start = now();
    for (int r = 0; r < rounds; r++) {
        embed(out, r % 2 == 0 ? &first : &second, table, position, segments);
        embed_backward(dtable, dposition, out, &first);
    }
    double seconds = now() - start;

    report(seconds, checksum_float(out, count) + checksum_float(dtable, (size_t)words * width)
                    + checksum_float(dposition, (size_t)tokens * width));
    free(token);
    free(segment);
    free(table);
    free(dtable);
    free(position);
    free(dposition);
    free(segments);
    free(out);
    return 0;
}
