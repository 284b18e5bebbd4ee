// A ping-pong that stays in C, as perftest's does: it shows what the same exchange costs without Go.
#ifndef GOBENCH_LOOP_H
#define GOBENCH_LOOP_H

#include "rail.h"
#include "stamps.h"

struct loop {
	uint64_t header[3];    // of the next packet sent
	uint64_t credit;       // added to header[1] for each packet received
	uint64_t heard;        // header[1] of the last packet received
	uint32_t queue, length;
	uint32_t sends, receives; // still to be done
	uint32_t sending;         // whose turn it is
	uint32_t spare;
	struct stamps stamps;     // a round is over when as many sends as receives are left
};

int gb_loop(struct rail *r, struct loop *l, const void *out, void *in, int64_t *at, uint32_t turns);

#endif
