/* IS: ranks of integer keys. Each thread puts its keys into buckets, then counts buckets. */
#include "kernel.h"

static const int keys_log[] = {16, 20, 23, 25}, max_log[] = {11, 16, 19, 21}, buckets_log[] = {9, 10, 10, 10};

enum { ITERATIONS = 10, MOST = 64 };

static long n, buckets;
static int shift;
static int32_t *key, *bucketed;
static uint32_t *count, size[MOST][1024], start[1025];

static void rank_keys(int iteration)
{
	key[iteration] = iteration;
	key[iteration + ITERATIONS] = (int32_t)((buckets << shift) - iteration);
#pragma omp parallel
	{
		int me = omp_get_thread_num(), threads = omp_get_num_threads();
		uint32_t *own = size[me];
		memset(own, 0, sizeof size[me]);
#pragma omp for schedule(static)
		for (long i = 0; i < n; i++)
			own[key[i] >> shift]++;
#pragma omp single
		{
			uint32_t at = 0;
			for (long b = 0; b < buckets; b++) {
				start[b] = at;
				for (int t = 0; t < threads; t++) {
					uint32_t k = size[t][b];
					size[t][b] = at;
					at += k;
				}
			}
			start[buckets] = at;
		}
#pragma omp for schedule(static)
		for (long i = 0; i < n; i++)
			bucketed[own[key[i] >> shift]++] = key[i];
#pragma omp for schedule(dynamic, 8)
		for (long b = 0; b < buckets; b++) {
			uint32_t *c = count + (b << shift), sum = start[b];
			memset(c, 0, sizeof *c << shift);
			for (uint32_t i = start[b]; i < start[b + 1]; i++)
				count[bucketed[i]]++;
			for (long k = 0; k < 1L << shift; k++)
				c[k] = sum += c[k];
		}
	}
}

int main(int argc, char **argv)
{
	int class = arguments(argc, argv, "SWAB");
	if (omp_get_max_threads() > MOST)
		return fprintf(stderr, "at most %d threads\n", MOST), 2;
	n = 1L << keys_log[class];
	buckets = 1L << buckets_log[class];
	shift = max_log[class] - buckets_log[class];
	key = array(n * sizeof *key);
	bucketed = array(n * sizeof *key);
	count = array(sizeof *count << max_log[class]);
	uint64_t s = 314159265;
	for (long i = 0; i < n; i++) {
		double r = draw(&s);
		r += draw(&s);
		r += draw(&s);
		r += draw(&s);
		key[i] = (int32_t)((1L << max_log[class]) / 4 * r);
	}
	rank_keys(1);
	double begin = now();
	for (int it = 1; it <= ITERATIONS; it++)
		rank_keys(it);
	double seconds = now() - begin;
	int right = 1; /* each count is the number of keys that are not greater */
	for (long i = 0; i < n; i++)
		bucketed[--count[key[i]]] = key[i];
	for (long i = 1; i < n; i++)
		right &= bucketed[i - 1] <= bucketed[i];
	return report("is", argv, seconds, (double)ITERATIONS * n, right);
}
