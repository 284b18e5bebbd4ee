/* A sample of times: its order statistics, and its output line. */
#ifndef PEERS_SAMPLE_H
#define PEERS_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>

static inline int sample_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sorts x. */
static inline double median(double *x, int n)
{
	qsort(x, (size_t)n, sizeof *x, sample_order);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* Prints one size: times in seconds, per half round trip; distances as measured. */
static inline void sample_print(size_t size, double *half_rtt, int n, int batch,
				double before, double after)
{
	double mid = median(half_rtt, n);
	printf("point size_B=%zu half_rtt_s=%.6g min=%.6g max=%.6g n=%d batch=%d before_s=%.4g after_s=%.4g\n",
	       size, mid, half_rtt[0], half_rtt[n - 1], n, batch, before, after);
	fflush(stdout);
}

#endif
