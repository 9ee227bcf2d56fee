/* why: the erosion nest of a cloud scheme (own transcription): its statement sets tp and q twice by way of eight temporaries, and calls exp; in strips,
 * with a loop for each part and buffers for the temporaries, compilers make vectors of all parts but those that call exp
 * run: --recipe recipe-part-strips.json
 * show: code
 * at: klev=2 n=130
 */
#include <math.h>
#define RTT 273.16
#define RTWAT 273.16
#define RTICE 250.16
#define R2ES 379.90516
#define R3LES 17.502
#define R3IES 22.587
#define R4LES 32.19
#define R4IES -0.7
#define RETV 0.6077667
#define R5ALVCP 10497584.68169531
#define R5ALSCP 17451123.253362577
#define RALVDCP 2489.0
#define RALSDCP 2821.0
void erosion(int klev, int n, double tp[restrict klev][n], double q[restrict klev][n], const double p[restrict klev][n])
{
#pragma scop
  for (int k = 0; k < klev; k++)
    for (int l = 0; l < n; l++) {
      double a, w, qp, qsat, cor, cond, cond1, t;
      qp = 1.0 / p[k][l];
      t = fmax(RTICE, fmin(RTWAT, tp[k][l])) - RTICE;
      a = fmin(1.0, (t / (RTWAT - RTICE)) * (t / (RTWAT - RTICE)));
      w = R2ES * (a * exp(R3LES * (tp[k][l] - RTT) / (tp[k][l] - R4LES)) + (1 - a) * exp(R3IES * (tp[k][l] - RTT) / (tp[k][l] - R4IES)));
      qsat = fmin(0.5, w * qp);
      cor = 1.0 / (1.0 - RETV * qsat);
      qsat = qsat * cor;
      cond = (q[k][l] - qsat) / (1.0 + qsat * cor * (a * R5ALVCP / ((tp[k][l] - R4LES) * (tp[k][l] - R4LES)) + (1 - a) * R5ALSCP / ((tp[k][l] - R4IES) * (tp[k][l] - R4IES))));
      tp[k][l] = tp[k][l] + (a * RALVDCP + (1 - a) * RALSDCP) * cond;
      q[k][l] = q[k][l] - cond;
      t = fmax(RTICE, fmin(RTWAT, tp[k][l])) - RTICE;
      a = fmin(1.0, (t / (RTWAT - RTICE)) * (t / (RTWAT - RTICE)));
      w = R2ES * (a * exp(R3LES * (tp[k][l] - RTT) / (tp[k][l] - R4LES)) + (1 - a) * exp(R3IES * (tp[k][l] - RTT) / (tp[k][l] - R4IES)));
      qsat = fmin(0.5, w * qp);
      cor = 1.0 / (1.0 - RETV * qsat);
      qsat = qsat * cor;
      cond1 = (q[k][l] - qsat) / (1.0 + qsat * cor * (a * R5ALVCP / ((tp[k][l] - R4LES) * (tp[k][l] - R4LES)) + (1 - a) * R5ALSCP / ((tp[k][l] - R4IES) * (tp[k][l] - R4IES))));
      tp[k][l] = tp[k][l] + (a * RALVDCP + (1 - a) * RALSDCP) * cond1;
      q[k][l] = q[k][l] - cond1;
    }
#pragma endscop
}
