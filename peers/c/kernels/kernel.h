/*
 * Common parts of the C twins of the kernels. Each twin is a plain program with
 * OpenMP and without manual vectorisation.
 * usage: NAME CLASS THREADS [COPIES]
 * With COPIES as many processes compute the same at a time, and exchange nothing: the rate of all,
 * which no program of so many ranks can exceed by the same computation.
 * Prints a row in the form of gobench's records.
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/*
 * Zeroed memory on huge pages, never freed. Each thread first touches a part of it, which the kernel
 * then puts near its core.
 */
static inline void *array(size_t bytes)
{
	const size_t block = 2u << 20;
	bytes = (bytes + block) & ~(block - 1);
	char *a = aligned_alloc(block, bytes);
	if (a == NULL) {
		fprintf(stderr, "no memory for %zu bytes\n", bytes);
		exit(1);
	}
	madvise(a, bytes, MADV_HUGEPAGE);
#pragma omp parallel for schedule(static)
	for (size_t at = 0; at < bytes; at += block)
		memset(a + at, 0, block);
	return a;
}

static int copies = 1;

/* Index of the class named on the command line, and its threads and copies. */
static inline int arguments(int argc, char **argv, const char *classes)
{
	const char *at = argc >= 3 && argc <= 4 && argv[1][0] ? strchr(classes, argv[1][0]) : NULL;
	copies = argc == 4 ? atoi(argv[3]) : 1;
	if (at == NULL || argv[1][1] || atoi(argv[2]) < 1 || copies < 1) {
		fprintf(stderr, "usage: %s CLASS THREADS [COPIES], classes %s\n", argv[0], classes);
		exit(2);
	}
	for (int i = 1; i < copies; i++)
		if (fork() == 0) {
			if (freopen("/dev/null", "w", stdout) == NULL)
				exit(3);
			break;
		}
	omp_set_num_threads(atoi(argv[2]));
	return (int)(at - classes);
}

/* Prints the row of a run. fields are further fields of it. */
static inline void print_row(const char *name, char **argv, const char *fields, double seconds, double operations)
{
	printf("{\"kind\":\"point\",\"bench\":\"%s\",\"class\":\"%s\",\"size_B\":0,\"ranks\":%d,\"threads\":1,\"iterations\":1%s,"
	       "\"run_s\":{\"median\":%.9g,\"n\":1},\"mops\":{\"median\":%.9g,\"n\":1}}\n",
	       name, argv[1], atoi(argv[2]) * copies, fields, seconds, operations / seconds / 1e6);
}

static inline int report(const char *name, char **argv, double seconds, double operations, int verified)
{
	if (!verified) {
		fprintf(stderr, "%s of class %s is wrong\n", name, argv[1]);
		return 3;
	}
	for (int status; wait(&status) > 0;)
		if (status != 0)
			return 3;
	print_row(name, argv, copies > 1 ? ",\"library\":\"C copies\"" : "", seconds, copies * operations);
	return 0;
}

#endif
