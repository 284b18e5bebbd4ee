// Requests of a library that matches tags itself. The library is a struct of functions (ops). This
// header and core.c provide what all such libraries need in addition: numbered requests, the order
// of their completion, synchronous sends, and control messages.
#ifndef GOBENCH_TAGGED_H
#define GOBENCH_TAGGED_H

#include <stdint.h>
#include <stdlib.h>

enum tagged_state { TAGGED_FREE, TAGGED_PENDING, TAGGED_FRESH, TAGGED_COMPLETE };
// Results of a request. Errors are below 0: those of the library, and TAGGED_LOCAL, where this rank
// has no memory for the request or cannot register its buffer: the peer is not to blame.
enum tagged_status { TAGGED_FINE, TAGGED_TRUNCATED, TAGGED_CANCELLED, TAGGED_LOCAL = INT32_MIN };
// Results of the functions of a library, beside errors.
enum tagged_started { TAGGED_BEGAN = 0, TAGGED_DONE = 1, TAGGED_BUSY = 2 };
enum tagged_kind { TAGGED_SEND, TAGGED_RECEIVE, TAGGED_CONTROL_SEND, TAGGED_CONTROL_RECEIVE, TAGGED_ACCESS };
// Operations on memory of a peer. TAGGED_FLUSH ends when all puts before it are in place.
// TAGGED_ADD and TAGGED_SWAP are atomic operations on 8 bytes, and their buffer takes the value
// before: the operand is added, or replaced by itself plus 1 where it is found.
enum tagged_access { TAGGED_PUT, TAGGED_GET, TAGGED_ADD, TAGGED_SWAP, TAGGED_FLUSH };

struct tagged_core;

struct tagged_slot {
	char room[208]; // for the library, aligned like malloc
	void *request;  // of the library
	void *memory;   // of the library, by malloc; freed with the slot
	struct tagged_core *core;
	struct tagged_slot *next, *prev; // in the list of its state
	struct tagged_slot *later;       // in the list of synchronous sends
	uint64_t tag, length;            // of the message received
	void *buffer;                    // of a request that has not begun, as are the next three
	uint64_t size, wanted, mask;
	int32_t peer;
	int32_t state, status, kind, number;
	int32_t matched;   // a send that the library is to end once it is matched
	int32_t sync;      // a synchronous send whose acknowledgement has not come
	int32_t local;     // a synchronous send that is complete but not acknowledged; in receives for use by the library
	int32_t abandoned; // its request was abandoned
	int32_t waited;    // the caller polls for it: it is not put into the list of fresh ones
	uint64_t control[2];
};

struct tagged_list {
	struct tagged_slot *first, *last;
};

struct tagged_core {
	struct tagged_list fresh;    // ended by the library, and not handled yet
	struct tagged_list complete; // for the user, the first one first
	struct tagged_list deferred; // sends that the library had no room for
	struct tagged_list waiting;  // receives, likewise
	struct tagged_slot *syncs, **last_sync; // synchronous sends that are not acknowledged, in order
	int32_t event;  // a peer has failed or said goodbye
	int32_t *fates; // by peer: 0, 1 after a goodbye, or an error of the library
};

// A library. Functions return a tagged_started or an error, and end a request that began by
// tagged_done. They never block.
struct tagged_ops {
	uint64_t size; // of this struct, to compare builds
	void *library;
	int (*send)(void *, int peer, const void *b, uint64_t n, uint64_t tag, struct tagged_slot *);
	// A receive that is done has set the tag, the length and the status.
	int (*receive)(void *, void *b, uint64_t n, uint64_t tag, uint64_t mask, struct tagged_slot *);
	// probe returns 1 and fills tag and length if it finds a message, else 0.
	int (*probe)(void *, uint64_t tag, uint64_t mask, uint64_t *found, uint64_t *length);
	void (*cancel)(void *, struct tagged_slot *);
	// progress returns 0 if nothing happened.
	int (*progress)(void *);
	const char *(*explain)(int error);
	// access starts an operation on memory of a peer, which its slot has: buffer, size, wanted (the
	// address), mask (the operand), peer. NULL if the library is not used for it.
	int (*access)(void *, enum tagged_access, void *key, struct tagged_slot *);
};

static inline void tagged_append(struct tagged_list *l, struct tagged_slot *s)
{
	s->next = NULL;
	s->prev = l->last;
	if (l->last)
		l->last->next = s;
	else
		l->first = s;
	l->last = s;
}

static inline void tagged_remove(struct tagged_list *l, struct tagged_slot *s)
{
	if (s->prev)
		s->prev->next = s->next;
	else
		l->first = s->next;
	if (s->next)
		s->next->prev = s->prev;
	else
		l->last = s->prev;
}

// tagged_acknowledged takes a synchronous send off the list of those that wait.
static inline void tagged_acknowledged(struct tagged_core *c, struct tagged_slot *s)
{
	struct tagged_slot **p = &c->syncs;
	while (*p != s)
		p = &(*p)->later;
	*p = s->later;
	if (c->last_sync == &s->later)
		c->last_sync = p;
	s->sync = 0;
}

// tagged_done ends a request that began. The tag and the length of a receive are set before.
static inline void tagged_done(struct tagged_slot *s, int status)
{
	struct tagged_core *c = s->core;
	s->request = NULL;
	s->status = status;
	if (s->sync && status == TAGGED_FINE) {
		s->local = 1;
		return;
	}
	if (s->sync)
		tagged_acknowledged(c, s);
	s->state = TAGGED_FRESH;
	if (!s->waited)
		tagged_append(&c->fresh, s);
}

// tagged_failed reports that the library has lost a peer.
static inline void tagged_failed(struct tagged_core *c, int peer, int error)
{
	if (c->fates[peer] >= 0)
		c->fates[peer] = error < 0 ? error : -1;
	c->event = 1;
}

#endif
