/*
 * The ping-pong that all rivals run: for each size warm up, time, and check the data of one more
 * round trip. The program defines how a message is sent and received.
 */
#ifndef PEERS_PINGPONG_H
#define PEERS_PINGPONG_H

#include <stdlib.h>
#include <string.h>

#include "states.h"

/* Moves size bytes; exits on any error. */
typedef void transfer(void *buffer, size_t size);

struct pingpong {
	int rank;          /* 0 times, 1 answers */
	const char *level; /* of gobench with which it is to be compared: "comm" with matching, "raw" without */
	transfer *send, *receive;
	struct line *line;
	uint64_t seen; /* state of the line, 0 at the start */
	unsigned char *out, *in;
};

/* Page-aligned memory, touched by the caller so that it lies near its core. */
static inline unsigned char *pingpong_buffer(size_t size)
{
	void *p;
	size = (size + 4096) / 4096 * 4096;
	if (posix_memalign(&p, 4096, size) != 0) {
		fprintf(stderr, "no memory for a message of %zu bytes\n", size);
		exit(1);
	}
	memset(p, 1, size);
	return p;
}

static inline void pingpong_trips(struct pingpong *p, size_t size, int n)
{
	for (int i = 0; i < n; i++) {
		if (p->rank == 0) {
			p->send(p->out, size);
			p->receive(p->in, size);
		} else {
			p->receive(p->in, size);
			p->send(p->out, size);
		}
	}
}

static inline unsigned char pingpong_pattern(int rank, size_t i)
{
	return (unsigned char)(rank + 1 + i * 7 + (i >> 8));
}

/* One more round trip whose bytes are compared; exits with 3 if they differ. */
static inline void pingpong_check(struct pingpong *p, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		p->out[i] = pingpong_pattern(p->rank, i);
		p->in[i] = 0;
	}
	pingpong_trips(p, size, 1);
	for (size_t i = 0; i < size; i++) {
		if (p->in[i] != pingpong_pattern(1 - p->rank, i)) {
			fprintf(stderr, "wrong byte %zu of %zu\n", i, size);
			exit(3);
		}
	}
}

static inline void pingpong_event(void *p, size_t size, int n) { pingpong_trips(p, size, n); }

static inline void pingpong_size(struct pingpong *p, const struct plan_cell *cell)
{
	struct cell c = {.bench = "pingpong", .level = p->level, .metric = "half_rtt_s", .size = cell->size, .samples = cell->samples,
			 .together = cell->together, .parts = 2, .amount = cell->size, .rank = p->rank, .ranks = 2, .more = "", .line = p->line, .seen = &p->seen,
			 .event = pingpong_event, .with = p};
	states_measure(&c);
	pingpong_check(p, cell->size);
}

static inline void pingpong_run(struct pingpong *p, const struct plan *plan)
{
	size_t largest = plan_largest(plan);
	p->out = pingpong_buffer(largest);
	p->in = pingpong_buffer(largest);
	for (int i = 0; i < plan->cells; i++)
		pingpong_size(p, &plan->cell[i]);
	free(p->out);
	free(p->in);
}

#endif
