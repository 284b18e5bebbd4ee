/* The monotonic clock in seconds, and the cost of a reading. */
#ifndef PEERS_CLOCK_H
#define PEERS_CLOCK_H

#include <time.h>

#include "sample.h"

static inline double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
