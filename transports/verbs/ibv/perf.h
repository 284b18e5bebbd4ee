// The measurements of perftest as loops in C: what the same takes without Go.
#ifndef GOBENCH_PERF_H
#define GOBENCH_PERF_H

#include "rail.h"

struct perf {
	uint32_t operation; // SEND, WRITE or READ
	uint32_t queues;    // used in turn; latency takes the first
	uint32_t length;    // of each message
	uint32_t lkey, rkey;
	uint32_t zero;
	uint64_t out, in; // memory of this side, registered under lkey
	uint64_t remote;  // memory of the other side
};

int gb_perf_latency(struct rail *r, const struct perf *p, uint32_t rounds, int first);
int gb_perf_stream(struct rail *r, const struct perf *p, uint32_t messages);
int gb_perf_sink(struct rail *r, uint32_t messages);

#endif
