/*
 * Memory bandwidth as in the STREAM benchmark (McCalpin): reading a, and
 * a = b + s c, with arrays of BYTES in total, each repeated for 0.2 s.
 * A store is counted once, although a cache may read the line before.
 * usage: stream KERNEL CLASS THREADS
 * Prints, as library "memory bound", the rate at which the kernel would run if it took as long as
 * its least memory traffic, with as much memory as it uses.
 */
#include "kernel.h"
#include "traffic.h"

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
	struct traffic t;
	if (argc != 4 || atoi(argv[3]) < 1 || !traffic_of(&t, argv[1], argv[2], atoi(argv[3])))
		return fprintf(stderr, "usage: %s cg|ft|is|mg CLASS THREADS, classes SWAB\n", argv[0]), 2;
	omp_set_num_threads(atoi(argv[3]));
	n = (long)(t.size / 24);
	a = array(3 * n * sizeof *a);
	b = a + n;
	c = b + n;
	sum();
	print_row(argv[1], argv + 1, ",\"library\":\"memory bound\"", t.bytes / fmax(rate(sum, 24.0 * n), rate(triad, 24.0 * n)), t.operations);
	return 0;
}
