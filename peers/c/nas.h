/* What the NAS kernels in C have in common: arguments, random numbers, arrays. */
#ifndef NAS_H
#define NAS_H

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "clock.h"

static const uint64_t nas_seed = 314159265;

/* The next number of the official sequence: s' = 5^13 s mod 2^46. */
static inline double nas_next(uint64_t *s)
{
	*s = *s * 1220703125u & (((uint64_t)1 << 46) - 1);
	return (double)*s * 0x1p-46;
}

/* Moves a sequence on by n numbers. */
static inline void nas_skip(uint64_t *s, uint64_t n)
{
	for (uint64_t a = 1220703125u; n > 0; n >>= 1, a = a * a & (((uint64_t)1 << 46) - 1))
		if (n & 1)
			*s = *s * a & (((uint64_t)1 << 46) - 1);
}

/* Reads CLASS THREADS; returns the number of the class. Ends the program if they are wrong. */
static inline int nas_class(int argc, char **argv, const char *classes)
{
	const char *c = argc == 3 && strlen(argv[1]) == 1 ? strchr(classes, argv[1][0]) : NULL;
	int threads = argc == 3 ? atoi(argv[2]) : 0;
	if (!c || threads < 1 || threads > 1024) {
		fprintf(stderr, "usage: %s CLASS THREADS, where CLASS is one of %s\n", argv[0], classes);
		exit(2);
	}
	omp_set_num_threads(threads);
	return (int)(c - classes);
}

/* n zeros in huge pages where the system gives them. */
static inline double *nas_array(size_t n)
{
	size_t page = (size_t)2 << 20, bytes = (n * sizeof(double) + page - 1) / page * page;
	double *a = aligned_alloc(page, bytes);
	if (!a) {
		fprintf(stderr, "no memory\n");
		exit(1);
	}
	madvise(a, bytes, MADV_HUGEPAGE);
	memset(a, 0, bytes);
	return a;
}

/* Numbers in each array of the bandwidth test: far more than caches hold. */
#ifndef STREAM
#define STREAM ((size_t)8 << 20)
#endif

/* The bandwidth of memory in B/s: a = b + 3 c moves four numbers, of which one is the line read before it is written. */
static inline double nas_triad(void)
{
	double *a = nas_array(STREAM), *b = nas_array(STREAM), *c = nas_array(STREAM), best = 1e9;
	for (int turn = 0; turn < 5; turn++) {
		double t = now();
#pragma omp parallel for simd
		for (size_t i = 0; i < STREAM; i++)
			a[i] = b[i] + 3 * c[i];
		t = now() - t;
		best = t < best ? t : best;
	}
	double check = a[STREAM / 2];
	free(a), free(b), free(c);
	return check == 0 ? 4.0 * 8 * STREAM / best : 0;
}

#endif
