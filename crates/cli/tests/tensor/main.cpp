// Behind the kernel: compares what it computes with sums in double, at sizes of which all tiles are full, some, or none. BF16 says which type the operands
// have, A and B where the element of a row or column and a step of the sum lies, WARPS how many a block has, MEMORY
// what the kernel is called with first.
static float value_of(unsigned short bits) {
  return BF16 ? of_bf16(bits) : farkas_from_half(bits);
}

// A number between 1/4 and 4, with either sign.
static unsigned short number(unsigned *seed) {
  *seed = *seed * 1664525 + 1013904223;
  const unsigned bits = *seed >> 8, sign = bits >> 15 & 1, exponent = bits % 4;
  return BF16 ? sign << 15 | (125 + exponent) << 7 | (bits >> 4 & 127)
              : sign << 15 | (13 + exponent) << 10 | (bits >> 4 & 1023);
}

int main() {
  const int sizes[][3] = {{256, 128, 64}, {257, 67, 97}, {83, 109, 37}, {31, 7, 13}, {1, 1, 1}, {64, 64, 32}, {128, 64, 0}};
  unsigned seed = 1;
  for (auto [n, m, p] : sizes) {
    std::vector<unsigned short> a(n * p + 1), b(p * m + 1);
    std::vector<float> c(n * m);
    std::vector<double> expected(n * m), bound(n * m);
    for (auto &x : a) x = number(&seed);
    for (auto &x : b) x = number(&seed);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++) {
        const int at = i * m + j;
        c[at] = (at % 17 - 8) / 4.0f;
        expected[at] = c[at];
        bound[at] = c[at] < 0 ? -c[at] : c[at];
        for (int k = 0; k < p; k++) {
          const double x = (double)value_of(a[A]) * value_of(b[B]);
          expected[at] += x;
          bound[at] += x < 0 ? -x : x;
        }
        // Each of p additions rounds a partial sum, which is no larger than that of all absolute values.
        bound[at] *= (p + 1) / 16777216.0;
      }
    n_products = 0;
    launch({2, 3, 1}, {4, 8, WARPS}, [&] { farkas_f_0(MEMORY, n, m, p); });
    for (int at = 0; at < n * m; at++) {
      const double error = c[at] - expected[at];
      if (!((error < 0 ? -error : error) <= bound[at])) {
        printf("%d x %d x %d: %g is %g at %d\n", n, m, p, expected[at], c[at], at);
        return 1;
      }
    }
    printf("%d x %d x %d: %u products\n", n, m, p, n_products);
  }
}
