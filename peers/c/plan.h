/*
 * What to measure, from the command line: SIZES ITERATIONS BATCHES, such as
 * 8,1024,1048576 100 51. A batch is that many round trips timed together, fewer
 * for messages so large that one alone is long against the clock.
 */
#ifndef PEERS_PLAN_H
#define PEERS_PLAN_H

#include <stdio.h>
#include <stdlib.h>

enum { PLAN_SIZES = 64 };

struct plan {
	size_t size[PLAN_SIZES];
	int sizes;
	int iterations;
	int batches;
};

static inline void plan_read(struct plan *p, int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "want: SIZES ITERATIONS BATCHES\n");
		exit(2);
	}
	p->sizes = 0;
	for (char *s = argv[1], *end; *s && p->sizes < PLAN_SIZES; s = *end ? end + 1 : end) {
		p->size[p->sizes++] = strtoull(s, &end, 10);
		if (end == s) {
			fprintf(stderr, "not a list of sizes: %s\n", argv[1]);
			exit(2);
		}
	}
	p->iterations = atoi(argv[2]);
	p->batches = atoi(argv[3]);
	if (p->iterations < 1 || p->batches < 1) {
		fprintf(stderr, "iterations and batches are whole numbers above 0\n");
		exit(2);
	}
}

/* Round trips of one batch for messages of size bytes. */
static inline int plan_iterations(const struct plan *p, size_t size)
{
	size_t most = ((size_t)1 << 18) / (size + 1) + 1;
	return most < (size_t)p->iterations ? (int)most : p->iterations;
}

#endif
