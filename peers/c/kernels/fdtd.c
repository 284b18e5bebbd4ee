/*
 * FDTD in two dimensions, the scheme and the passes of package kernels/fdtd, as
 * the compiler vectorises it, and the bandwidth of memory in the same run.
 *
 *   fdtd NX NY STEPS single|double THREADS
 *
 * kernel name=fdtd class=4096x4096x200-single threads=4 seconds=1.2 mcells=2700 update_Bps=6e10 triad_Bps=4e10 sum=0.967
 *
 * update reads and writes three arrays, as the scheme does; triad is STREAM's; sum is that of Ez^2.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../clock.h"
#include "../cores.h"

enum { WARM = 3, TURNS = 6 };

/* Numbers in each array of the bandwidth test: far more than caches hold. */
#ifndef STREAM
#define STREAM ((size_t)8 << 20)
#endif

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

/* A whole number from 1 on; ends the program if it is none. */
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
	r.threads = r.gate.threads = number(argv[5], 64);
	r.stream = STREAM;
	for (int k = 0; k < 3; k++) {
		r.arrays[k] = malloc(r.stream * sizeof(double));
		if (!r.arrays[k]) {
			fprintf(stderr, "fdtd: no memory\n");
			return 1;
		}
		for (size_t i = 0; i < r.stream; i++)
			r.arrays[k][i] = 1;
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
	printf("kernel name=fdtd class=%dx%dx%d-%s threads=%d seconds=%.4f mcells=%.1f update_Bps=%.4e triad_Bps=%.4e sum=%.9e\n",
	       r.nx, r.ny, r.steps, argv[4], r.threads, r.seconds, (double)r.nx * r.ny * r.steps / r.seconds / 1e6, r.update, r.triad, r.sum);
	for (int k = 0; k < 3; k++)
		free(r.arrays[k]);
	return 0;
}
