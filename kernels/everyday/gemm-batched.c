/* gemm-batched: many products of small matrices, as for joints of skeletons: chains of 4 x 4
 * transformations, which are then applied to points.
 * Stresses structs that hold small arrays, loops of constant length, a result that is copied over
 * its operand, a parent found through an array of indices. */
// sizes: 260 64 200 | 8000 64 200 | 24000 64 200
#include <string.h>

#include "common.h"

typedef struct {
    float m[4][4];
} mat4;

static void mat4_mul(mat4 *out, const mat4 *a, const mat4 *b)
{
    mat4 r;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            r.m[i][j] = 0.0f;
            for (int k = 0; k < 4; k++)
                r.m[i][j] += a->m[i][k] * b->m[k][j];
        }
    }
    *out = r;
}

static void pose(mat4 *world, const mat4 *local, const int *parent, int joints)
{
    for (int j = 0; j < joints; j++) {
        if (parent[j] < 0)
            world[j] = local[j];
        else
            mat4_mul(&world[j], &world[parent[j]], &local[j]);
    }
}

static void transform(const mat4 *m, const float (*in)[4], float (*out)[4], int points)
{
    for (int p = 0; p < points; p++) {
        for (int i = 0; i < 4; i++) {
            float s = 0.0f;
            for (int k = 0; k < 4; k++)
                s += m->m[i][k] * in[p][k];
            out[p][i] = s;
        }
    }
}

int main(int argc, char **argv)
{
    int frames = 8000, joints = 64, points = 200;
    read_sizes(argc, argv, "FRAMES JOINTS POINTS", 3, (int *[]){&frames, &joints, &points});

    mat4 *local = allocate(joints * sizeof(mat4));
    mat4 *world = allocate(joints * sizeof(mat4));
    int *parent = allocate(joints * sizeof(int));
    float(*in)[4] = allocate(points * sizeof(float[4]));
    float(*out)[4] = allocate((size_t)joints * points * sizeof(float[4]));
    for (int j = 0; j < joints; j++) {
        memset(&local[j], 0, sizeof(mat4));
        local[j].m[0][0] = local[j].m[1][1] = 0.8f;
        local[j].m[0][1] = -0.6f;
        local[j].m[1][0] = 0.6f;
        local[j].m[2][2] = local[j].m[3][3] = 1.0f;
        local[j].m[0][3] = (float)(j % 5);
        parent[j] = (j + 1) / 2 - 1;
    }
    for (int p = 0; p < points; p++) {
        for (int i = 0; i < 3; i++)
            in[p][i] = (float)((p * 3 + i) * 37 % 41) / 41.0f;
        in[p][3] = 1.0f;
    }

    double start = now();
    for (int f = 0; f < frames; f++) {
        for (int j = 0; j < joints; j++)
            local[j].m[2][3] = 0.01f * (float)(f % 100);
        pose(world, local, parent, joints);
        for (int j = 0; j < joints; j++)
            transform(&world[j], (const float(*)[4])in, out + j * points, points);
    }
    double seconds = now() - start;

    report(seconds, checksum_float(&out[0][0], (size_t)joints * points * 4)
                    + checksum_float(&world[0].m[0][0], (size_t)joints * 16));
    free(local);
    free(world);
    free(parent);
    free(in);
    free(out);
    return 0;
}
