/*
 * What to measure, from the command line: SIZES MILLISECONDS, such as
 * 8,1024,1048576 30. The time is that of the timed part of one size.
 */
#ifndef PEERS_PLAN_H
#define PEERS_PLAN_H

#include <stdio.h>
#include <stdlib.h>

enum { PLAN_SIZES = 64, PLAN_FEWEST = 31, PLAN_MOST = 4001 };

struct plan {
	size_t size[PLAN_SIZES];
	int sizes;
	int fewest; /* samples of one size */
	double seconds;
};

/* The time of the timed part; ends with 2 where the text is none. */
static inline double plan_seconds(const char *text)
{
	double seconds = atof(text) / 1000;
	if (!(seconds > 0)) {
		fprintf(stderr, "not a time above 0: %s\n", text);
		exit(2);
	}
	return seconds;
}

static inline void plan_read(struct plan *p, int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "want: SIZES MILLISECONDS\n");
		exit(2);
	}
	p->sizes = 0;
	p->fewest = PLAN_FEWEST;
	for (char *s = argv[1], *end; *s && p->sizes < PLAN_SIZES; s = *end ? end + 1 : end) {
		p->size[p->sizes++] = strtoull(s, &end, 10);
		if (end == s) {
			fprintf(stderr, "not a list of sizes: %s\n", argv[1]);
			exit(2);
		}
	}
	p->seconds = plan_seconds(argv[2]);
}

/* Round trips before anything is timed: about as long for all sizes. */
static inline int plan_warm_up(size_t size)
{
	return 20 + (int)(((size_t)1 << 19) / (size + 512));
}

/*
 * Round trips that are timed together, 1 wherever reading the clock (about
 * 30 ns) is at most 5 % of one: the median of single events is less than that
 * of their means, and gobench times single events by the same rule.
 */
static inline int plan_batch(double trip)
{
	return trip >= 0.6e-6 ? 1 : (int)(0.6e-6 / trip) + 1;
}

/* Samples of one size. */
static inline int plan_samples(const struct plan *p, double sample)
{
	double n = p->seconds / sample;
	return n < p->fewest ? p->fewest : n > PLAN_MOST ? PLAN_MOST : (int)n;
}

#endif
