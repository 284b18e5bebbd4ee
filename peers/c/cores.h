/*
 * Pinning. Every program of the comparison pins its ranks itself, by
 * GOBENCH_CORES=2,3 (the core of rank 0, of rank 1, ...), which gobench sweep sets, because each
 * launcher counts cores in its own way. GOBENCH_DIR is a folder for files that the ranks share.
 */
#ifndef GOBENCH_CORES_H
#define GOBENCH_CORES_H

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

/*
 * The rank as the launchers of Open MPI, MPICH, PMIx and Slurm tell it, -1 if none did: a rank is
 * pinned before MPI_Init, as gobench's are before they open a transport, so that the library's memory
 * is near its core.
 */
static inline int launched_rank(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *text = getenv(names[i]);
		if (text && *text)
			return atoi(text);
	}
	return -1;
}

/* Pins rank to its core of GOBENCH_CORES; without the variable it is not pinned. */
static inline void pin_rank(int rank)
{
	const char *list = getenv("GOBENCH_CORES");
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

/* The path of a file in GOBENCH_DIR, which lives until the next call; exits without the variable. */
static inline const char *shared_file(const char *name)
{
	static char path[4096];
	const char *folder = getenv("GOBENCH_DIR");
	if (!folder || snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) {
		fprintf(stderr, "want GOBENCH_DIR=FOLDER, a short one\n");
		exit(2);
	}
	return path;
}

#endif
