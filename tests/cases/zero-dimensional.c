/* why: statements outside all loops have one instance, with no coordinates
 * run: --no-tile
 * show: scop deps tree code
 * at: n=5
 */
#include <stdio.h>

int main(void)
{
    int n = 10;
    double a[10], s, t;
#pragma scop
    s = 1.0;
    t = s * 2.0;
    for (int i = 0; i < n; i++)
        a[i] = s + t;
    a[0] = t - s;
#pragma endscop
    printf("%a %a %a %a\n", a[0], a[9], s, t);
    return 0;
}
