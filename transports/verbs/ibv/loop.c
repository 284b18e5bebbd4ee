//go:build verbs && cgo

#include "loop.h"
#include <string.h>

// Steps of a loop return 0 if something has advanced, WAIT if nothing did for the given number of
// polls, WAIT plus the number of events that the caller must handle first, or a negative errno.
enum { WAIT = 1 };

// look polls until there are events that the caller must handle, or ends of the loop's own
// requests, which it counts, or, if posting, room in the queue.
static int look(struct rail *r, struct loop *l, uint32_t turns, uint32_t queue, int posting)
{
	struct queue *q = &r->queues[queue];
	uint32_t done = q->done, heard = q->heard, ended = l->ended;
	for (uint32_t i = 0; i < turns; i++) {
		int n = gb_poll(r, posting ? 1 : turns);
		if (n < 0)
			return n;
		for (int k = 0; k < n; k++)
			if (r->events[k].kind != ENDED || r->events[k].token != LOOP_TOKEN)
				return WAIT + n; // all of them: the caller counts those of the loop, too
		l->ended += n;
		if (l->ended != ended || (posting && (q->done != done || q->heard != heard)))
			return 0;
		if (!posting)
			break;
	}
	return WAIT;
}

// post posts one request. It returns 0, 1 where there is no room, or a negative errno.
static int post(struct rail *r, struct loop *l, uint32_t queue, int last)
{
	int e;
	if (l->kind == LOOP_SEND)
		e = gb_send(r, queue, l->header[0], l->header[1], l->header[2], (const void *)(uintptr_t)l->out, l->length, 0);
	else if (l->kind >= LOOP_FETCH_ADD)
		e = gb_atomic(r, queue, l->out, l->lkey, l->remote, l->rkey, l->kind == LOOP_COMPARE_SWAP, l->operand, LOOP_TOKEN, last);
	else if (l->kind == LOOP_GET)
		e = gb_read(r, queue, l->out, l->lkey, l->remote, l->rkey, l->length, LOOP_TOKEN, last);
	else
		e = gb_write(r, queue, l->out, l->lkey, l->remote, l->rkey, l->length, LOOP_TOKEN, last, 0, 0);
	if (!e) {
		l->due += last;
		l->operand += l->kind == LOOP_COMPARE_SWAP;
	}
	return e;
}

// receive handles the packet of the peer's half.
static int receive(struct rail *r, struct loop *l, uint32_t turns)
{
	int n = gb_poll(r, turns);
	if (n < 0)
		return n;
	const struct event *e = &r->events[0];
	if (n != 1 || e->kind != PACKET || e->queue != l->queue || e->length != l->length || e->header[0] != l->header[0] ||
	    e->header[2] != l->header[2])
		return WAIT + n;
	memcpy((void *)(uintptr_t)l->in, e->data, l->length);
	l->heard = e->header[1];
	l->header[1] += l->credit;
	return 0;
}

// arrived polls the last byte of the put of the peer's half.
static int arrived(const struct loop *l, uint32_t turns)
{
	const volatile uint8_t *tail = (const volatile uint8_t *)(uintptr_t)(l->in + l->length - 1);
	for (uint32_t i = 0; i < turns; i++) {
		if (*tail == (uint8_t)l->number) {
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
			return 1;
		}
	}
	return 0;
}

// half does one half of a round of a ping-pong.
static int half(struct rail *r, struct loop *l, int64_t *at, uint32_t turns)
{
	int puts = l->kind == LOOP_PUT_PONG, e;
	if (l->sending) {
		if (puts)
			((uint8_t *)(uintptr_t)l->out)[l->length - 1] = (uint8_t)l->number;
		if ((e = post(r, l, l->queue, puts && l->left <= 2))) // the end of this side's last put is waited for
			return e < 0 ? e : look(r, l, turns, l->queue, 1);
	} else if (puts) {
		if (!arrived(l, turns))
			return look(r, l, 1, l->queue, 0);
	} else if ((e = receive(r, l, turns))) {
		return e;
	}
	l->sending = !l->sending;
	if (--l->left % 2 == 0) {
		l->number++;
		round_over(&l->stamps, at);
	}
	return 0;
}

// request posts the next put or get of a round, or waits until all of the round have ended.
static int request(struct rail *r, struct loop *l, int64_t *at, uint32_t turns)
{
	uint32_t queue = l->queue + l->posted % l->lanes * l->stride;
	if (l->posted < l->each) {
		int e = post(r, l, queue, l->each - l->posted <= l->lanes);
		if (e)
			return e < 0 ? e : look(r, l, turns, queue, 1);
		l->posted++;
		return 0;
	}
	if (l->ended != l->due)
		return look(r, l, turns, l->queue, 0);
	l->left--;
	l->posted = 0;
	round_over(&l->stamps, at);
	return 0;
}

// gb_loop continues a loop for at most steps steps, or until turns polls have found nothing. It
// returns the number of events that the caller must handle before it continues, or a negative
// errno. The loop is done when nothing is left and as many requests have ended as were due.
int gb_loop(struct rail *r, struct loop *l, int64_t *at, uint32_t turns, uint32_t steps)
{
	for (; steps && (l->left || l->ended != l->due); steps--) {
		int e = !l->left		    ? look(r, l, turns, l->queue, 0)
			: l->kind <= LOOP_PUT_PONG ? half(r, l, at, turns)
						   : request(r, l, at, turns);
		if (e)
			return e < 0 ? e : e - WAIT;
	}
	return 0;
}
