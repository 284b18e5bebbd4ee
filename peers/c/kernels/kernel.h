/*
 * Common parts of the C twins of the kernels. Each twin is a plain program with
 * OpenMP and without manual vectorisation.
 * usage: NAME CLASS THREADS
 * kernel name=cg class=A threads=4 seconds=0.25 mops=5900 verified=1
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static inline double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* The generator of NPB: s' = 5^13 s mod 2^46, r = s' 2^-46. */
static const uint64_t mask46 = (UINT64_C(1) << 46) - 1;
static const uint64_t multiplier = 1220703125;

static inline double draw(uint64_t *s)
{
	*s = *s * multiplier & mask46;
	return (double)(int64_t)*s * 0x1p-46;
}

static inline uint64_t ahead(uint64_t seed, uint64_t n)
{
	uint64_t a = multiplier, p = 1;
	for (; n > 0; n >>= 1, a = a * a & mask46)
		if (n & 1)
			p = p * a & mask46;
	return p * seed & mask46;
}

/* Zeroed memory on huge pages, never freed. */
static inline void *array(size_t bytes)
{
	bytes = (bytes + (2u << 20)) & ~((size_t)(2u << 20) - 1);
	void *a = aligned_alloc(2u << 20, bytes);
	if (a == NULL) {
		fprintf(stderr, "no memory for %zu bytes\n", bytes);
		exit(1);
	}
	madvise(a, bytes, MADV_HUGEPAGE);
	memset(a, 0, bytes);
	return a;
}

/* Index of the class named on the command line, and its threads. */
static inline int arguments(int argc, char **argv, const char *classes)
{
	const char *at = argc == 3 && argv[1][0] ? strchr(classes, argv[1][0]) : NULL;
	if (at == NULL || argv[1][1] || atoi(argv[2]) < 1) {
		fprintf(stderr, "usage: %s CLASS THREADS, classes %s\n", argv[0], classes);
		exit(2);
	}
	omp_set_num_threads(atoi(argv[2]));
	return (int)(at - classes);
}

static inline int report(const char *name, char **argv, double seconds, double operations, int verified)
{
	printf("kernel name=%s class=%s threads=%s seconds=%.6g mops=%.6g verified=%d\n",
	       name, argv[1], argv[2], seconds, operations / seconds / 1e6, verified);
	return verified ? 0 : 3;
}

#endif
