/*
 * Samples of two ranks, warmed up, split and reported as gobench does (bench/sampling.go,
 * bench/states.go), so that a comparison treats both alike: blocks of some milliseconds, the
 * distance and the speed of the cores between them, and a row for each state of the cores with enough
 * samples.
 */
#ifndef PEERS_STATES_H
#define PEERS_STATES_H

#include <string.h>

#include "line.h"
#include "pace.h"
#include "plan.h"
#include "sample.h"

enum { STATES_ENOUGH = 30, STATES_WINDOW = 30, STATES_BLOCKS = 1 << 14 };

/* Seconds of a block. */
#define STATES_BLOCK 3e-3
/* The warm-up ends when a window is not faster than the one before it by more than this share. */
#define STATES_SETTLED 0.02

/* A state in which a core was slowed is SLOW more. */
enum { NEAR, MIDDLE, FAR, CHANGING, SLOW, STATES = 2 * SLOW };

/* A cell that two ranks measure. event runs n events; both ranks call everything. */
struct cell {
	const char *bench, *level, *metric;
	size_t size;
	int samples, together;
	int parts;     /* events in the time of one metric: 2 of a round trip */
	size_t amount; /* bytes that the bandwidth counts for one time; 0 = no bandwidth */
	int window;    /* messages of a stream in one time; 0 = no stream */
	int rank, ranks;
	const char *more; /* further fields of the row, each after a comma; may be empty */
	struct line *line;
	uint64_t *seen;
	void (*event)(void *with, size_t size, int n);
	void *with;
};

/* A look at the cores: the distance of two, and the time of the loop of pace.h on the slowest one. */
struct look {
	double distance, loop;
};

struct block {
	int first, n; /* its samples */
	struct look before, after;
	double seconds;
};

static inline double states_loop(const struct block *b) { return b->before.loop > b->after.loop ? b->before.loop : b->after.loop; }

/* Both ranks return the number of samples that rank 0 passes. Rank 0 looks at the cores. */
static inline int states_agree(const struct cell *c, int n, struct look *look)
{
	if (c->rank == 0)
		c->line->next = n;
	look->distance = line_look(c->line, c->rank, c->seen);
	n = c->line->next;
	look->loop = pace_loop();
	if (c->rank == 1)
		c->line->loop = look->loop;
	line_round(c->line, c->rank, c->seen); /* rank 1 has read the number */
	if (c->rank == 0 && c->line->loop > look->loop)
		look->loop = c->line->loop;
	return n;
}

static inline void states_take(const struct cell *c, double *times, int n, double cost)
{
	c->event(c->with, c->size, c->together); /* brings back what the look has displaced */
	for (int i = 0; i < n; i++) {
		double start = now();
		c->event(c->with, c->size, c->together);
		times[i] = clock_each(now() - start, cost, c->parts * c->together);
	}
}

/* Warms up until times have settled, for half of the samples at most. */
static inline void states_warm_up(const struct cell *c, double *times, double cost)
{
	struct look look;
	double last = 0;
	int left = c->samples / 2;
	c->event(c->with, c->size, plan_warm_up(c->size));
	for (;;) {
		int n = states_agree(c, left < STATES_WINDOW ? left : STATES_WINDOW, &look);
		if (n == 0)
			return;
		states_take(c, times, n, cost);
		if (c->rank == 0) {
			double mid = median(times, n);
			left = last > 0 && mid > (1 - STATES_SETTLED) * last ? 0 : left - n;
			last = mid;
		}
	}
}

/*
 * The state of a block, relative to the least distance and loop that this program has seen. Unknown
 * distances are one state.
 */
static inline int states_of(const struct block *b, const struct look *least)
{
	int in[2];
	for (int k = 0; k < 2; k++) {
		double distance = k ? b->after.distance : b->before.distance;
		in[k] = distance <= 2 * least->distance ? NEAR : distance < 4 * least->distance ? MIDDLE : FAR;
	}
	return (in[0] == in[1] ? in[0] : CHANGING) + (states_loop(b) >= PACE_SLOW * least->loop ? SLOW : 0);
}

/* Reports whether reno.c sets the congestion control of this program. */
static inline int states_reno(void)
{
	extern int reno_preloaded __attribute__((weak));
	return &reno_preloaded != NULL;
}

/* Prints the row of a state, from the samples of its blocks; kept has room for them. */
static inline void states_row(const struct cell *c, const double *times, const struct block *blocks, const int *in, int count, int state,
			      double share, double *kept)
{
	static double distances[2 * STATES_BLOCKS], loops[STATES_BLOCKS];
	int n = 0, m = 0;
	for (int b = 0; b < count; b++) {
		if (in[b] != state)
			continue;
		memcpy(kept + n, times + blocks[b].first, (size_t)blocks[b].n * sizeof *kept);
		n += blocks[b].n;
		loops[m / 2] = states_loop(&blocks[b]);
		distances[m++] = blocks[b].before.distance;
		distances[m++] = blocks[b].after.distance;
	}
	double mid = median(kept, n);
	sample_print(c->bench, c->level, c->size, c->ranks, c->metric, kept, n, c->together);
	if (c->window > 0)
		printf(",\"window\":%d,\"message_rate_per_s\":{\"median\":%.12g,\"n\":%d}", c->window, c->window / mid, n);
	if (c->amount > 0)
		printf(",\"amount_B\":%zu,\"bandwidth_Bps\":{\"median\":%.12g,\"n\":%d}", c->amount, (double)c->amount / mid, n);
	printf("%s", c->more);
	printf(",\"loop_s\":%.4g", median(loops, m / 2));
	if (blocks[0].before.distance > 0) /* ranks that share cores have no distance and no state */
		printf(",\"distance_before_s\":%.4g,\"distance_after_s\":%.4g,\"state_share\":%.4g", blocks[0].before.distance,
		       blocks[count - 1].after.distance, share);
	if (blocks[0].before.distance > 0 && state % SLOW != CHANGING)
		printf(",\"state_distance_s\":%.4g", median(distances, m));
	if (states_reno())
		printf(",\"found\":{\"congestion\":\"reno\"}");
	printf("}\n");
	fflush(stdout);
}

/* Prints a row for each state with enough samples, or else for the state with most. */
static inline void states_print(const struct cell *c, const double *times, const struct block *blocks, int count)
{
	static struct look least;
	static int in[STATES_BLOCKS];
	int samples[STATES] = {0}, most = 0, printed = 0;
	double seconds[STATES] = {0}, all = 0, *kept = plan_times(c->samples);
	for (int b = 0; b < count; b++)
		for (int k = 0; k < 2; k++) {
			struct look l = k ? blocks[b].after : blocks[b].before;
			if (least.distance == 0 || l.distance < least.distance)
				least.distance = l.distance;
			if (least.loop == 0 || l.loop < least.loop)
				least.loop = l.loop;
		}
	for (int b = 0; b < count; b++) {
		in[b] = states_of(&blocks[b], &least);
		samples[in[b]] += blocks[b].n;
		seconds[in[b]] += blocks[b].seconds;
		all += blocks[b].seconds;
	}
	for (int s = 0; s < STATES; s++) {
		if (samples[s] > samples[most])
			most = s;
		if (s % SLOW != CHANGING && samples[s] >= STATES_ENOUGH) {
			states_row(c, times, blocks, in, count, s, seconds[s] / all, kept);
			printed++;
		}
	}
	if (!printed)
		states_row(c, times, blocks, in, count, most, seconds[most] / all, kept);
	free(kept);
}

/* The number of samples of the next block, if n took a time; at most most. */
static inline int states_block(int n, double took, int most)
{
	double fit = n * STATES_BLOCK / (took > 0 ? took : STATES_BLOCK);
	return fit < 1 ? 1 : fit > most ? most : (int)fit;
}

/* Warms up and measures a cell, and prints it on rank 0. */
static inline void states_measure(const struct cell *c)
{
	static struct block blocks[STATES_BLOCKS];
	double *times = plan_times(c->samples > STATES_WINDOW ? c->samples : STATES_WINDOW), cost = clock_cost();
	struct look look;
	int done = 0, count = 0, want = 1;
	states_warm_up(c, times, cost);
	for (;;) {
		int left = c->samples - done;
		int n = states_agree(c, want > left || count == STATES_BLOCKS - 1 ? left : want, &look);
		if (count > 0)
			blocks[count - 1].after = look;
		if (n == 0)
			break;
		double start = now();
		states_take(c, times + done, n, cost);
		double took = now() - start;
		blocks[count++] = (struct block){.first = done, .n = n, .before = look, .seconds = took};
		done += n;
		want = states_block(n, took, c->samples);
	}
	if (c->rank == 0)
		states_print(c, times, blocks, count);
	free(times);
}

#endif
