// The loops of perftest: messages there and back (ib_send_lat), puts there and back (ib_write_lat),
// puts (ib_write_bw), gets (ib_read_lat, ib_read_bw) and atomics (ib_atomic_lat, ib_atomic_bw).
// They measure the same operations without Go.
#ifndef GOBENCH_LOOP_H
#define GOBENCH_LOOP_H

#include "rail.h"
#include "../../native/stamps/stamps.h"

enum loop_kind { LOOP_SEND, LOOP_PUT_PONG, LOOP_PUT, LOOP_GET, LOOP_FETCH_ADD, LOOP_COMPARE_SWAP };

#define LOOP_TOKEN (~(uint64_t)0) // of the puts and gets of a loop

struct loop {
	uint32_t kind;
	uint32_t left, each;           // rounds, or halves of a ping-pong, still to be done; requests of a round
	uint32_t queue, stride, lanes; // the queues: queue, queue + stride, ...
	uint32_t length, lkey, rkey;
	uint32_t posted, ended, due; // requests of this round; ends that have come, and ends to come in all
	uint32_t number;             // of a ping-pong of puts: the last byte of this round
	uint32_t sending;            // of a ping-pong: this side's half is next
	uint64_t out, in, remote;
	uint64_t header[3]; // of the next packet sent
	uint64_t operand;   // of atomics: what is added, or the value that the next swap expects
	uint64_t credit;    // added to header[1] for each packet received
	uint64_t heard;     // header[1] of the last packet received
	struct stamps stamps;
};

int gb_loop(struct rail *r, struct loop *l, int64_t *at, uint32_t turns, uint32_t steps);

#endif
