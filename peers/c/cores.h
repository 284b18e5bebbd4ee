/*
 * Pinning. Every program of the comparison pins its ranks itself, by
 * PEERS_CORES=2,3 (the core of rank 0, of rank 1, ...), because each launcher
 * counts cores in its own way.
 */
#ifndef PEERS_CORES_H
#define PEERS_CORES_H

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* Pins the calling process to one core; exits on failure. */
static inline void pin_to(int core)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(core, &set);
	if (sched_setaffinity(0, sizeof set, &set) != 0) {
		perror("sched_setaffinity");
		exit(1);
	}
}

/* Pins rank to its core of PEERS_CORES; without the variable it is not pinned. */
static inline void pin_rank(int rank)
{
	const char *list = getenv("PEERS_CORES");
	for (int i = 0; list && *list; i++) {
		char *end;
		long core = strtol(list, &end, 10);
		if (end == list)
			return;
		if (i == rank) {
			pin_to((int)core);
			return;
		}
		list = *end == ',' ? end + 1 : end;
	}
}

#endif
