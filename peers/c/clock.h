/* The monotonic clock in seconds, and the cost of a reading. */
#ifndef PEERS_CLOCK_H
#define PEERS_CLOCK_H

#include <stdio.h>
#include <time.h>

#include "sample.h"

/* The lead of the monotonic clock of this time namespace over that of the machine, in seconds. */
static long clock_ahead;

/* Hosts that are namespaces of one machine have clocks of their own, and their ranks compare times. */
__attribute__((constructor)) static void clock_find(void)
{
	FILE *offsets = fopen("/proc/self/timens_offsets", "r");
	if (offsets && fscanf(offsets, "monotonic %ld", &clock_ahead) != 1)
		clock_ahead = 0;
	if (offsets)
		fclose(offsets);
}

static inline double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)(t.tv_sec - clock_ahead) + 1e-9 * (double)t.tv_nsec;
}

enum { CLOCK_READINGS = 1001 };

/*
 * The median difference of two successive readings: the overhead of the clock in every sample.
 */
static inline double clock_cost(void)
{
	static double cost[CLOCK_READINGS];
	for (int i = 0; i < CLOCK_READINGS; i++) {
		double begin = now();
		cost[i] = now() - begin;
	}
	return median(cost, CLOCK_READINGS);
}

/* The time of one operation of a batch between two readings. */
static inline double clock_each(double span, double cost, int operations)
{
	return span > cost ? (span - cost) / operations : 0;
}

#endif
