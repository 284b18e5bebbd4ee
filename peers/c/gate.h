/*
 * Synchronises the ranks of one machine through a page of shared memory, so that
 * neither the start of a sample nor the exchange of its times uses the MPI under
 * test.
 */
#ifndef PEERS_GATE_H
#define PEERS_GATE_H

#include <fcntl.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"

enum { GATE_RANKS = 16, GATE_PATIENCE = 1 << 14, GATE_TRIALS = 31 };

/* The longest lead of an announcement: a rank that is later was not running. */
#define GATE_MOST_LEAD 200e-6
/* The share of late samples up to which the lead is not increased. */
#define GATE_MOST_LATE 0.1

/* Start and end of a rank, in a cache line of its own. */
struct gate_times {
	alignas(64) double begin;
	double end;
	int late; /* it saw the announcement after the start */
	double loop; /* time of the loop of pace.h before the last gate */
};

struct gate {
	alignas(64) _Atomic uint64_t arrived;
	alignas(64) _Atomic uint64_t opened; /* how often */
	alignas(64) double at;               /* when the sample starts, from the last to arrive */
	double lead;                         /* seconds from the announcement to the start */
	int announced;                       /* whether to start at that time */
	alignas(64) int samples;             /* set by rank 0, valid after a gate */
	struct gate_times times[GATE_RANKS];
};

/* Maps the gate that all ranks share; the file is empty or does not exist yet. */
static inline struct gate *gate_map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, sizeof(struct gate)) != 0) {
		perror(path);
		exit(1);
	}
	void *page = mmap(NULL, sizeof(struct gate), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		perror("mmap of the gate");
		exit(1);
	}
	close(fd);
	return page;
}

/* Reports whether ranks share cores. */
static inline int gate_crowded(int ranks)
{
	static long cores;
	if (cores == 0)
		cores = sysconf(_SC_NPROCESSORS_ONLN);
	return ranks > cores;
}

/*
 * A barrier. While it waits it calls idle, unless that is NULL: a rank whose
 * operation has completed may still have to progress its library for others.
 */
static inline void gate_pass(struct gate *g, int ranks, void (*idle)(void))
{
	uint64_t turn = atomic_load_explicit(&g->opened, memory_order_acquire);
	if (atomic_fetch_add_explicit(&g->arrived, 1, memory_order_acq_rel) + 1 == (uint64_t)ranks) {
		atomic_store_explicit(&g->arrived, 0, memory_order_relaxed);
		g->at = now() + g->lead;
		atomic_store_explicit(&g->opened, turn + 1, memory_order_release);
		return;
	}
	int patience = gate_crowded(ranks) ? 0 : GATE_PATIENCE;
	for (int looks = 0; atomic_load_explicit(&g->opened, memory_order_acquire) == turn; looks++) {
		if (idle)
			idle();
		if (looks >= patience)
			sched_yield(); /* more ranks than free cores: let the others run */
	}
}

/*
 * Starts all ranks at the time that the last one to arrive announces, and records the start of this
 * rank and whether it was late, as gobench does with --start=time. Samples for which a rank was late do
 * not count. Ranks that share cores would be late for most samples: they start when they see the gate
 * open, and are never late.
 */
static inline void gate_begin(struct gate *g, int rank, int ranks)
{
	gate_pass(g, ranks, NULL);
	double at = g->at;
	g->times[rank].late = g->announced && now() > at;
	while (g->announced && now() < at)
		;
	g->times[rank].begin = now();
}

/* Sets the lead to twice the longest delay of some announcements, as gobench does. */
static inline void gate_calibrate(struct gate *g, int rank, int ranks)
{
	double longest = 0;
	for (int i = 0; i < GATE_TRIALS; i++) {
		gate_pass(g, ranks, NULL);
		double heard = now() - g->at + g->lead;
		if (heard > longest)
			longest = heard;
	}
	g->times[rank].end = longest;
	gate_pass(g, ranks, NULL);
	for (int i = 0; i < ranks; i++)
		if (g->times[i].end > longest)
			longest = g->times[i].end;
	if (rank == 0) {
		g->announced = !gate_crowded(ranks);
		g->lead = 2 * longest < GATE_MOST_LEAD ? 2 * longest : GATE_MOST_LEAD;
	}
	gate_pass(g, ranks, NULL);
}

/* Doubles the lead if ranks were late for many starts, as gobench does. Rank 0 calls it. */
static inline void gate_adapt(struct gate *g, int late, int tried)
{
	if (late > GATE_MOST_LATE * tried)
		g->lead = 2 * g->lead < GATE_MOST_LEAD ? 2 * g->lead : GATE_MOST_LEAD;
}

/* Reports whether a rank was late for the sample. */
static inline int gate_late(const struct gate *g, int ranks)
{
	for (int i = 0; i < ranks; i++)
		if (g->times[i].late)
			return 1;
	return 0;
}

/* The time from the first start to the last end over all ranks. */
static inline double gate_span(const struct gate *g, int ranks)
{
	double first = g->times[0].begin, last = g->times[0].end;
	for (int i = 1; i < ranks; i++) {
		if (g->times[i].begin < first)
			first = g->times[i].begin;
		if (g->times[i].end > last)
			last = g->times[i].end;
	}
	return last - first;
}

#endif
