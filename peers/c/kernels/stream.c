/*
 * Memory bandwidth as in the STREAM benchmark (McCalpin): reading a, and
 * a = b + s c, with arrays of BYTES in total, each repeated for 0.2 s.
 * usage: stream BYTES THREADS
 * stream bytes=1000000 threads=4 read_Bps=2e10 triad_Bps=2.1e10 copy_Bps=2e10
 * A store is counted once, although a cache may read the line before.
 */
#include "kernel.h"

static double *a, *b, *c;
static long n;

static double sum(void)
{
	double s = 0;
#pragma omp parallel for simd reduction(+ : s) schedule(static)
	for (long i = 0; i < 3 * n; i++)
		s += a[i];
	return s;
}

static double triad(void)
{
#pragma omp parallel for simd schedule(static)
	for (long i = 0; i < n; i++)
		a[i] = b[i] + 3 * c[i];
	return a[n / 2];
}

static double copy(void)
{
#pragma omp parallel for simd schedule(static)
	for (long i = 0; i < n; i++)
		a[i] = b[i];
	return a[n / 2];
}

/* best rate of some repetitions */
static double rate(double (*loop)(void), double bytes)
{
	static volatile double sink;
	double best = 0, begin = now();
	do {
		double t = now();
		sink = loop();
		t = now() - t;
		if (bytes / t > best)
			best = bytes / t;
	} while (now() - begin < 0.2);
	(void)sink;
	return best;
}

int main(int argc, char **argv)
{
	if (argc != 3 || atol(argv[1]) < 1000 || atoi(argv[2]) < 1)
		return fprintf(stderr, "usage: %s BYTES THREADS\n", argv[0]), 2;
	omp_set_num_threads(atoi(argv[2]));
	n = atol(argv[1]) / 24;
	a = array(3 * n * sizeof *a);
	b = a + n;
	c = b + n;
	sum();
	printf("stream bytes=%s threads=%s read_Bps=%.4g", argv[1], argv[2], rate(sum, 24.0 * n));
	printf(" triad_Bps=%.4g", rate(triad, 24.0 * n));
	printf(" copy_Bps=%.4g\n", rate(copy, 16.0 * n));
	return 0;
}
