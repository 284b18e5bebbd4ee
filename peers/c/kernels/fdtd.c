/*
 * FDTD in two dimensions, the scheme and the passes of package kernels/fdtd, as
 * the compiler vectorises it, and the bandwidth of memory in the same run.
 *
 *   fdtd NX NY STEPS single|double THREADS
 *
 * Prints two rows in the form of gobench's records: the rate of the scheme, and as library "memory
 * bound" the rate that the memory bandwidth allows. The bandwidth is that of reading and writing
 * three arrays, as the scheme does: six numbers for each point and step.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../clock.h"
#include "../cores.h"

enum { WARM = 3, TURNS = 6 };

/* Numbers in each array of the bandwidth test: far more than caches hold. */
#ifndef STREAM
#define STREAM ((size_t)8 << 20)
#endif

/* Returns memory on huge pages, as that of gobench, which nobody has touched. */
static void *paged(size_t bytes)
{
	const size_t page = (size_t)2 << 20;
	void *p;
	bytes = (bytes + page - 1) & ~(page - 1);
	if (posix_memalign(&p, page, bytes) != 0) {
		fprintf(stderr, "fdtd: no memory for %zu bytes\n", bytes);
		exit(1);
	}
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

/* A barrier that waits actively. */
struct gate {
	atomic_int waiting, round;
	int threads;
};

static void gate_pass(struct gate *g)
{
	int round = atomic_load(&g->round);
	if (atomic_fetch_add(&g->waiting, 1) == g->threads - 1) {
		atomic_store(&g->waiting, 0);
		atomic_store(&g->round, round + 1);
		return;
	}
	for (long n = 0; atomic_load(&g->round) == round; n++)
		if (n > 100000)
			sched_yield();
}

struct run {
	int nx, ny, steps, threads;
	int single;
	struct gate gate;
	double seconds, sum, update, triad;
	double *arrays[3];
	size_t stream;
};

static double ricker(int n)
{
	double x = M_PI * (0.7 * n / 20 - 1);
	return (1 - 2 * x * x) * exp(-x * x);
}

#define REAL float
#define NAME(x) x##_single
#include "fdtd_step.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(x) x##_double
#include "fdtd_step.h"

struct worker {
	struct run *run;
	int number;
};

static void *work(void *p)
{
	struct worker *w = p;
	pin_rank(w->number);
	if (w->run->single)
		thread_single(w->run, w->number);
	else
		thread_double(w->run, w->number);
	return NULL;
}

/* Reads an integer from 1 to most; exits if s is not one. */
static int number(const char *s, int most)
{
	char *end;
	long n = strtol(s, &end, 10);
	if (end == s || *end || n < 1 || n > most) {
		fprintf(stderr, "fdtd: %s is no number from 1 to %d\n", s, most);
		exit(2);
	}
	return (int)n;
}

static void row(const struct run *r, const char *real, const char *fields, double seconds, double updates)
{
	printf("{\"kind\":\"point\",\"bench\":\"fdtd\",\"grid\":\"%dx%d\",\"steps\":%d,\"real\":\"%s\",\"size_B\":0,\"ranks\":%d,\"threads\":1,"
	       "\"iterations\":1,%s\"run_s\":{\"median\":%.9g,\"n\":1},\"mcells\":{\"median\":%.9g,\"n\":1}}\n",
	       r->nx, r->ny, r->steps, real, r->threads, fields, seconds, updates / seconds / 1e6);
}

int main(int argc, char **argv)
{
	static struct run r;
	static struct worker workers[64];
	static pthread_t threads[64];
	if (argc != 6 || (strcmp(argv[4], "single") && strcmp(argv[4], "double"))) {
		fprintf(stderr, "usage: fdtd NX NY STEPS single|double THREADS\n");
		return 2;
	}
	r.nx = number(argv[1], 1 << 20), r.ny = number(argv[2], 1 << 20), r.steps = number(argv[3], 1 << 20);
	r.single = argv[4][0] == 's';
	r.threads = r.gate.threads = number(argv[5], r.ny < 64 ? r.ny : 64); /* each has a row */
	r.stream = STREAM;
	for (int k = 0; k < 3; k++) {
		r.arrays[k] = paged(r.stream * sizeof(double));
	}
	for (int t = 0; t < r.threads; t++) {
		workers[t] = (struct worker){&r, t};
		if (pthread_create(&threads[t], NULL, work, &workers[t]) != 0) {
			fprintf(stderr, "fdtd: no thread\n");
			return 1;
		}
	}
	for (int t = 0; t < r.threads; t++)
		pthread_join(threads[t], NULL);
	double updates = (double)r.nx * r.ny * r.steps, bytes = 6 * (r.single ? sizeof(float) : sizeof(double));
	if (!(r.sum > 0 && isfinite(r.sum))) {
		fprintf(stderr, "fdtd: the sum of Ez^2 is %g\n", r.sum);
		return 3;
	}
	row(&r, argv[4], "", r.seconds, updates);
	row(&r, argv[4], "\"library\":\"memory bound\",", updates * bytes / r.update, updates);
	fprintf(stderr, "update %.4g B/s, triad %.4g B/s, sum of Ez^2 %.9e\n", r.update, r.triad, r.sum);
	for (int k = 0; k < 3; k++)
		free(r.arrays[k]);
	return 0;
}
