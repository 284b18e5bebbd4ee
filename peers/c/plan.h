/*
 * The sizes to measure, from the command line: SIZE:SAMPLES:TOGETHER[,...], such as
 * 8:10000:16,1048576:300:1. SAMPLES and TOGETHER, the number of operations timed together,
 * are those of gobench's last run.
 */
#ifndef PEERS_PLAN_H
#define PEERS_PLAN_H

#include <stdio.h>
#include <stdlib.h>

enum { PLAN_CELLS = 64, PLAN_MOST = 1 << 20 };

struct plan_cell {
	size_t size;
	int samples, together;
};

struct plan {
	struct plan_cell cell[PLAN_CELLS];
	int cells;
};

/* Reports whether the numbers of samples and operations are valid. */
static inline int plan_sound(int samples, int together)
{
	return samples >= 1 && samples <= PLAN_MOST && together >= 1;
}

/* Reads the plan; exits with 2 if the text is invalid. */
static inline void plan_read(struct plan *p, int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "want: SIZE:SAMPLES:TOGETHER[,...]\n");
		exit(2);
	}
	if (!*argv[1]) {
		fprintf(stderr, "the list of SIZE:SAMPLES:TOGETHER is empty\n");
		exit(2);
	}
	p->cells = 0;
	for (char *s = argv[1]; *s;) {
		struct plan_cell *c = &p->cell[p->cells++];
		int length = 0;
		if (p->cells > PLAN_CELLS || *s < '0' || *s > '9' ||
		    sscanf(s, "%zu:%d:%d%n", &c->size, &c->samples, &c->together, &length) != 3 ||
		    !plan_sound(c->samples, c->together) || (s[length] != ',' && s[length] != '\0')) {
			fprintf(stderr, "not a list of SIZE:SAMPLES:TOGETHER, or too long: %s\n", argv[1]);
			exit(2);
		}
		s += length + (s[length] == ',');
	}
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
