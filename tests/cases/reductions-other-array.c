/* why: one variable is combined with an element of an array that another statement of the loop updates: that reading is no update of the array
 * run: --recipe reductions-other-array.json
 * show: code
 * at:
 */
void other(long A[9], long C[2], long out[1])
{
  long s = 3;
#pragma scop
  for (int k = 0; k < 9; k++) {
    C[1] = C[1] > A[k] ? A[k] : C[1];
    s = C[0] | s;
  }
#pragma endscop
  out[0] = s;
}
