/*
 * Windows of 64 messages from rank 0 to rank 1, which answers with one byte when all have arrived
 * (IMB's Uniband; osu_bw's answer is longer). As in those, all messages have the same buffer. The
 * program defines how n windows are exchanged.
 */
#ifndef PEERS_UNIBAND_H
#define PEERS_UNIBAND_H

#include "pingpong.h"

enum { WINDOW = 64 }; /* the default of gobench, IMB and OSU */

struct uniband {
	int rank;
	struct line *line;
	uint64_t seen; /* state of the line, 0 at the start */
	unsigned char *data;
	void (*windows)(void *uniband, size_t size, int n);
};

/* Measures a cell, and compares the bytes of one more window; exits with 3 if they differ. A plan
 * counts the messages of a stream, not its windows. */
static inline void uniband_measure(struct uniband *u, const struct plan_cell *cell)
{
	size_t size = cell->size;
	struct cell c = {.bench = "uniband", .level = "comm", .metric = "t_s", .size = size, .samples = (cell->samples + WINDOW - 1) / WINDOW,
			 .together = cell->together, .parts = 1, .amount = WINDOW * size, .window = WINDOW, .rank = u->rank, .ranks = 2, .more = "",
			 .line = u->line, .seen = &u->seen, .event = u->windows, .with = u};
	states_measure(&c);
	for (size_t i = 0; i < size; i++)
		u->data[i] = u->rank == 0 ? pingpong_pattern(0, i) : 0;
	u->windows(u, size, 1);
	for (size_t i = 0; i < size; i++) {
		if (u->data[i] != pingpong_pattern(0, i)) {
			fprintf(stderr, "wrong byte %zu of %zu\n", i, size);
			exit(3);
		}
	}
}

static inline void uniband_run(struct uniband *u, const struct plan *plan)
{
	u->data = pingpong_buffer(plan_largest(plan));
	for (int i = 0; i < plan->cells; i++)
		uniband_measure(u, &plan->cell[i]);
	free(u->data);
}

#endif
