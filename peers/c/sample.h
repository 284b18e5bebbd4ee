/* A sample of times: its order statistics, and its row in the form of gobench's records. */
#ifndef PEERS_SAMPLE_H
#define PEERS_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>

static inline int sample_order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Returns the median, and sorts x. */
static inline double median(double *x, int n)
{
	qsort(x, (size_t)n, sizeof *x, sample_order);
	return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/*
 * Prints the row of a cell of a benchmark, without its closing brace: times in seconds under the
 * name of a metric, of which n were taken with batch operations each. Sorts times.
 */
static inline void sample_print(const char *bench, const char *level, size_t size, int ranks, const char *metric, double *times, int n,
				int batch)
{
	double mid = median(times, n);
	printf("{\"kind\":\"point\",\"bench\":\"%s\",\"level\":\"%s\",\"size_B\":%zu,\"ranks\":%d,\"iterations\":%d,\"batched\":%d,"
	       "\"%s\":{\"median\":%.12g,\"n\":%d,\"min\":%.12g,\"max\":%.12g}",
	       bench, level, size, ranks, n, batch, metric, mid, n, times[0], times[n - 1]);
}

#endif
