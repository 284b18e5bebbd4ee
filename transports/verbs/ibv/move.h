// Puts and gets as perftest measures them: the loops of ib_write_lat, ib_write_bw, ib_read_lat and ib_read_bw.
#ifndef GOBENCH_MOVE_H
#define GOBENCH_MOVE_H

#include "rail.h"
#include "stamps.h"

enum move_kind { MOVE_PUT, MOVE_GET, MOVE_PONG };

#define MOVE_TOKEN (~(uint64_t)0) // of the requests of a move

struct move {
	uint32_t kind, rounds, each; // rounds still to be done
	uint32_t queue, stride, lanes; // the queues: queue, queue + stride, ...
	uint32_t length, lkey, rkey;
	uint32_t posted, ended, due; // of this round; due: ends to come in all
	uint32_t number;             // of a pong: the last byte of this round
	uint32_t sending, first;
	uint32_t spare;
	uint64_t out, in, remote;
	struct stamps stamps;
};

int gb_move(struct rail *r, struct move *m, int64_t *at, uint32_t turns);

#endif
