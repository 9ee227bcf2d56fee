/* why: PANAMERA's fused program: an addition that feeds a sum of 1024 numbers, and the greatest of 2176, each 128 at a time
 * run: --recipe recipe-add-sum-max.json --reassociate
 * show: code tree
 */
#include <stdio.h>
static float input0[1024], input1[1024], input2[2176], added[1024], output0[1], output1[1];

int main(void)
{
  for (int i = 0; i < 1024; i++) {
    input0[i] = i % 7;
    input1[i] = i % 5;
  }
  for (int i = 0; i < 2176; i++)
    input2[i] = i * 37 % 2176;
#pragma scop
  for (int i = 0; i < 1024; i++)
    added[i] = input0[i] + input1[i];
  for (int i = 0; i < 1024; i++)
    output0[0] += added[i];
  for (int i = 0; i < 2176; i++)
    output1[0] = input2[i] > output1[0] ? input2[i] : output1[0];
#pragma endscop
  printf("%g %g\n", output0[0], output1[0]);
  return 0;
}
