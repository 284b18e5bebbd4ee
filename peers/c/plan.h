/*
 * The cells to measure, from the command line: BENCHMARK:SIZE:SAMPLES:TOGETHER[,...], such as
 * pingpong:8:10000:16,pingpong:1048576:300:1. SAMPLES and TOGETHER, the number of operations timed
 * together, are those of gobench's last launch: gobench sweep replaces {plan} by them.
 */
#ifndef PEERS_PLAN_H
#define PEERS_PLAN_H

#include <stdio.h>
#include <stdlib.h>

enum { PLAN_CELLS = 64, PLAN_MOST = 1 << 24, PLAN_NAME = 24 };

struct plan_cell {
	char name[PLAN_NAME];
	size_t size;
	int samples, together;
};

struct plan {
	struct plan_cell cell[PLAN_CELLS];
	int cells;
};

/* Reads the plan; exits with 2 if the text is invalid. */
static inline void plan_read(struct plan *p, int argc, char **argv)
{
	if (argc != 2 || !*argv[1]) {
		fprintf(stderr, "want a plan: BENCHMARK:SIZE:SAMPLES:TOGETHER[,...]\n");
		exit(2);
	}
	p->cells = 0;
	for (char *s = argv[1]; *s;) {
		int length = 0, name = 0;
		struct plan_cell *c = &p->cell[p->cells++];
		if (p->cells > PLAN_CELLS || sscanf(s, "%23[a-z_]:%n%zu:%d:%d%n", c->name, &name, &c->size, &c->samples, &c->together, &length) != 4 ||
		    s[name] < '0' || s[name] > '9' || c->samples < 1 || c->samples > PLAN_MOST || c->together < 1 ||
		    (s[length] != ',' && s[length] != '\0')) {
			fprintf(stderr, "not a plan BENCHMARK:SIZE:SAMPLES:TOGETHER[,...], or too long: %s\n", argv[1]);
			exit(2);
		}
		s += length + (s[length] == ',');
	}
}

/* Bytes of the largest message. */
static inline size_t plan_largest(const struct plan *p)
{
	size_t largest = 0;
	for (int i = 0; i < p->cells; i++)
		if (p->cell[i].size > largest)
			largest = p->cell[i].size;
	return largest;
}

/* Memory for a sample. */
static inline double *plan_times(int samples)
{
	double *times = malloc((size_t)samples * sizeof *times);
	if (!times) {
		fprintf(stderr, "no memory for %d samples\n", samples);
		exit(1);
	}
	return times;
}

/* Round trips before anything is timed: about as long for all sizes. */
static inline int plan_warm_up(size_t size)
{
	return 20 + (int)(((size_t)1 << 19) / (size + 512));
}

#endif
