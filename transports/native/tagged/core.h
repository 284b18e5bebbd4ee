#ifndef GOBENCH_TAGGED_CORE_H
#define GOBENCH_TAGGED_CORE_H

#include "tagged.h"
#include "../stamps/stamps.h"

// The arguments and results of a call from Go.
struct tagged_op {
	uint64_t buffer, length, tag, mask;
	uint64_t found, size; // of the message received or probed
	int32_t peer, number, sync, status;
	// bound of the polls of a call; where it is 0, a call that begins a request does not wait for
	// it
	int32_t turns, pad;
};

struct tagged {
	struct tagged_core core;
	struct tagged_ops ops;
	struct tagged_slot **slots; // by number
	int32_t count, room;
	struct tagged_slot *unused; // linked by next
	int32_t rank, ranks;
	int32_t source; // shift of the source in a tag
	uint64_t sources, sync, control;
	int32_t busy; // requests of the user
	struct tagged_accesses { int32_t open, status; } *accesses; // on memory of each peer; the first error of one
};

// tagged_new returns the requests of a library. sync is the bit of synchronous sends in a tag,
// which their receivers acknowledge, or 0 where the library has synchronous sends.
struct tagged *tagged_new(struct tagged_ops *ops, int rank, int ranks, int source, uint64_t sync, uint64_t control);
// tagged_free frees everything, once the library touches no slot any more.
void tagged_free(struct tagged *t);
struct tagged_core *tagged_core(struct tagged *t);

// tagged_grow allocates slots. It returns 0 if there is no memory.
int tagged_grow(struct tagged *t);

// take returns an unused slot, or NULL if there is no memory. give makes it unused.
static inline struct tagged_slot *take(struct tagged *t, int kind)
{
	if (!t->unused && !tagged_grow(t))
		return NULL;
	struct tagged_slot *s = t->unused;
	t->unused = s->next;
	s->request = NULL;
	s->state = TAGGED_PENDING;
	s->status = s->sync = s->matched = s->local = s->abandoned = s->waited = 0;
	s->kind = kind;
	return s;
}

static inline void give(struct tagged *t, struct tagged_slot *s)
{
	s->state = TAGGED_FREE;
	s->next = t->unused;
	t->unused = s;
}

// tagged_progress polls the library once, and handles completed requests. The result is 0 if
// nothing happened.
int tagged_progress(struct tagged *t);

// tagged_start posts the receives of control messages. The result is 0 or an error.
int tagged_start(struct tagged *t);

// The calls of the data path. Results are TAGGED_BEGAN or TAGGED_EVENT with the number of the
// request, TAGGED_DONE with its status in op, which is complete and taken, or an error.
int tagged_send(struct tagged *t, struct tagged_op *op);
int tagged_receive(struct tagged *t, struct tagged_op *op);
int tagged_probe(struct tagged *t, struct tagged_op *op);
// tagged_poll polls at most op->turns times, until the request op->number is complete, and takes
// it. With TAGGED_ANY it waits for any request and sets op->number, without taking it. With
// TAGGED_NONE it waits for an event only. The result is TAGGED_DONE, TAGGED_BEGAN or TAGGED_EVENT.
int tagged_poll(struct tagged *t, struct tagged_op *op);
enum { TAGGED_ANY = -1, TAGGED_NONE = -2, TAGGED_EVENT = 3 };
// tagged_access starts the operation op->sync on memory of a peer: found is its address, mask the
// key, tag the operand. tagged_settle polls at most op->turns times until all operations on memory
// of the peer have ended.
// tagged_watch does so until the byte of the buffer has the value of tag.
int tagged_access(struct tagged *t, struct tagged_op *op);
int tagged_settle(struct tagged *t, struct tagged_op *op);
int tagged_watch(struct tagged *t, struct tagged_op *op);

// A ping-pong in C: the arguments of its sends and receives, and its state.
struct tagged_loop {
	struct tagged_op send, receive;
	int64_t *at; // the times of stamps
	int32_t left;    // halves of rounds
	int32_t sending; // the next half is a send
	int32_t taken;   // the caller has waited for the request of the half
	int32_t pad;
	struct stamps stamps;
};

// tagged_pingpong runs a bounded number of halves. The result is TAGGED_DONE when none is left,
// TAGGED_BUSY if some are, TAGGED_BEGAN if the caller has to wait for the request of the present
// half, or an error.
int tagged_pingpong(struct tagged *t, struct tagged_loop *l);

// tagged_finished makes a complete request with the result in op, and returns its number.
int tagged_finished(struct tagged *t, struct tagged_op *op);
int tagged_ended(struct tagged *t, int number);
void tagged_cancel(struct tagged *t, int number);
// tagged_abandon abandons a request. Its number is free when the library has ended it.
void tagged_abandon(struct tagged *t, int number);
// tagged_goodbye starts a message to a peer that this rank closes; the result is that of
// tagged_send.
int tagged_goodbye(struct tagged *t, int peer);
// tagged_controls returns the number of control messages under way.
int tagged_controls(struct tagged *t);
// tagged_forget marks a peer as dead, so that nothing is sent to it any more.
void tagged_forget(struct tagged *t, int peer);
// tagged_drop ends the sends to a peer that has died or closed and that the library had no room
// for: all later sends wait for them.
void tagged_drop(struct tagged *t, int peer);
// tagged_fate returns the fate of a peer (0 alive, 1 goodbye, below 0 an error), and clears the
// event.
int tagged_fate(struct tagged *t, int peer);

#endif
