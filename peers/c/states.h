/*
 * Samples of two ranks, warmed up, split and reported as gobench does (bench/sampling.go,
 * bench/states.go), so that a comparison treats both alike: blocks of some milliseconds, the
 * distance of the cores between them, and a row for each state of the cores with enough samples.
 */
#ifndef PEERS_STATES_H
#define PEERS_STATES_H

#include <string.h>

#include "line.h"
#include "plan.h"
#include "sample.h"

enum { STATES_ENOUGH = 30, STATES_WINDOW = 30, STATES_BLOCKS = 1 << 14 };

/* Seconds of a block. */
#define STATES_BLOCK 3e-3
/* The warm-up ends when a window is not faster than the one before it by more than this share. */
#define STATES_SETTLED 0.02

enum { NEAR, MIDDLE, FAR, CHANGING, STATES };

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

struct block {
	int first, n; /* its samples */
	double before, after, seconds;
};

/* Both ranks return the number of samples that rank 0 passes, and the distance of the cores. */
static inline int states_agree(const struct cell *c, int n, double *distance)
{
	if (c->rank == 0)
		c->line->next = n;
	*distance = line_look(c->line, c->rank, c->seen);
	n = c->line->next;
	line_round(c->line, c->rank, c->seen); /* rank 1 has read it */
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
	double distance, last = 0;
	int left = c->samples / 2;
	c->event(c->with, c->size, plan_warm_up(c->size));
	for (;;) {
		int n = states_agree(c, left < STATES_WINDOW ? left : STATES_WINDOW, &distance);
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

/* The state of a distance, relative to the least that this program has seen; unknown ones are one state. */
static inline int states_of(double distance, double least)
{
	return distance <= 2 * least ? NEAR : distance < 4 * least ? MIDDLE : FAR;
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
	static double distances[2 * STATES_BLOCKS];
	int n = 0, m = 0;
	for (int b = 0; b < count; b++) {
		if (in[b] != state)
			continue;
		memcpy(kept + n, times + blocks[b].first, (size_t)blocks[b].n * sizeof *kept);
		n += blocks[b].n;
		distances[m++] = blocks[b].before;
		distances[m++] = blocks[b].after;
	}
	double mid = median(kept, n);
	sample_print(c->bench, c->level, c->size, c->ranks, c->metric, kept, n, c->together);
	if (c->window > 0)
		printf(",\"window\":%d,\"message_rate_per_s\":{\"median\":%.12g,\"n\":%d}", c->window, c->window / mid, n);
	if (c->amount > 0)
		printf(",\"amount_B\":%zu,\"bandwidth_Bps\":{\"median\":%.12g,\"n\":%d}", c->amount, (double)c->amount / mid, n);
	printf("%s", c->more);
	if (blocks[0].before > 0) /* ranks that share cores have no distance and no state */
		printf(",\"distance_before_s\":%.4g,\"distance_after_s\":%.4g,\"state_share\":%.4g", blocks[0].before, blocks[count - 1].after, share);
	if (blocks[0].before > 0 && state != CHANGING)
		printf(",\"state_distance_s\":%.4g", median(distances, m));
	if (states_reno())
		printf(",\"found\":{\"congestion\":\"reno\"}");
	printf("}\n");
	fflush(stdout);
}

/* Prints a row for each state with enough samples, or else for the state with most. */
static inline void states_print(const struct cell *c, const double *times, const struct block *blocks, int count)
{
	static double least;
	static int in[STATES_BLOCKS];
	int samples[STATES] = {0}, most = 0, printed = 0;
	double seconds[STATES] = {0}, all = 0, *kept = plan_times(c->samples);
	for (int b = 0; b < count; b++)
		for (int k = 0; k < 2; k++) {
			double d = k ? blocks[b].after : blocks[b].before;
			if (least == 0 || d < least)
				least = d;
		}
	for (int b = 0; b < count; b++) {
		int x = states_of(blocks[b].before, least), y = states_of(blocks[b].after, least);
		in[b] = x == y ? x : CHANGING;
		samples[in[b]] += blocks[b].n;
		seconds[in[b]] += blocks[b].seconds;
		all += blocks[b].seconds;
	}
	for (int s = 0; s < STATES; s++) {
		if (samples[s] > samples[most])
			most = s;
		if (s != CHANGING && samples[s] >= STATES_ENOUGH) {
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
	double *times = plan_times(c->samples > STATES_WINDOW ? c->samples : STATES_WINDOW), cost = clock_cost(), distance;
	int done = 0, count = 0, want = 1;
	states_warm_up(c, times, cost);
	for (;;) {
		int left = c->samples - done;
		int n = states_agree(c, want > left || count == STATES_BLOCKS - 1 ? left : want, &distance);
		if (count > 0)
			blocks[count - 1].after = distance;
		if (n == 0)
			break;
		double start = now();
		states_take(c, times + done, n, cost);
		double took = now() - start;
		blocks[count++] = (struct block){.first = done, .n = n, .before = distance, .seconds = took};
		done += n;
		want = states_block(n, took, c->samples);
	}
	if (c->rank == 0)
		states_print(c, times, blocks, count);
	free(times);
}

#endif
