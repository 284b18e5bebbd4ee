//go:build verbs && cgo

#include "move.h"

// look polls until there is something that the caller must see to, whose number it returns, or ends of the move, which it
// counts, or, for somebody who wants to post, room.
static int look(struct rail *r, struct move *m, uint32_t turns, uint32_t queue, int posting)
{
	struct queue *q = &r->queues[queue];
	uint32_t done = q->done, ended = m->ended;
	for (uint32_t i = 0; i < turns && m->ended == ended && !(posting && q->done != done); i++) {
		int n = gb_poll(r, posting ? 1 : turns);
		if (n <= 0) {
			if (n < 0 || !posting)
				return n;
			continue;
		}
		for (int k = 0; k < n; k++)
			if (r->events[k].kind != ENDED || r->events[k].token != MOVE_TOKEN)
				return n; // all of them: the caller counts those of the move, too
		m->ended += n;
	}
	return 0;
}

static int post(struct rail *r, const struct move *m, uint32_t lane, int last)
{
	uint32_t queue = m->queue + lane * m->stride;
	if (m->kind == MOVE_GET)
		return gb_read(r, queue, m->out, m->lkey, m->remote, m->rkey, m->length, MOVE_TOKEN, last);
	return gb_write(r, queue, m->out, m->lkey, m->remote, m->rkey, m->length, MOVE_TOKEN, last, 0, 0);
}

// pong does one half of a round. It returns 1 where nothing can be done now.
static int pong(struct rail *r, struct move *m, int64_t *at, uint32_t turns)
{
	const volatile uint8_t *tail = (const volatile uint8_t *)(uintptr_t)(m->in + m->length - 1);
	if (m->sending) {
		int last = m->rounds == 1;
		((uint8_t *)(uintptr_t)m->out)[m->length - 1] = (uint8_t)m->number;
		int e = post(r, m, 0, last);
		if (e)
			return e;
		m->due += last;
	} else {
		for (uint32_t i = 0; *tail != (uint8_t)m->number; i++)
			if (i == turns)
				return 1;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	}
	if (m->sending != m->first) { // the second half of this side's round
		m->rounds--;
		m->number++;
		round_over(&m->stamps, at);
	}
	m->sending = !m->sending;
	return 0;
}

// gb_move goes on with a move. It returns the number of events that the caller must see to before it goes on, or a negative
// errno; the move is done when it has no rounds left and as many have ended as were due.
int gb_move(struct rail *r, struct move *m, int64_t *at, uint32_t turns)
{
	while (m->rounds) {
		uint32_t lane = m->posted % m->lanes;
		int e = 0, n = 0;
		if (m->kind == MOVE_PONG) {
			if (!(e = pong(r, m, at, turns)))
				continue;
		} else if (m->posted < m->each) {
			int last = m->each - m->posted <= m->lanes;
			if (!(e = post(r, m, lane, last))) {
				m->posted++;
				m->due += last;
				continue;
			}
		} else if (m->ended == m->due) {
			m->rounds--;
			m->posted = 0;
			round_over(&m->stamps, at);
			continue;
		}
		if (e < 0)
			return e;
		uint32_t ended = m->ended, queue = m->queue + lane * m->stride, done = r->queues[queue].done;
		n = look(r, m, m->kind == MOVE_PONG && !m->sending ? 1 : turns, queue, e == 1);
		if (n || (m->ended == ended && r->queues[queue].done == done))
			return n;
	}
	while (m->ended != m->due) {
		uint32_t ended = m->ended;
		int n = look(r, m, turns, m->queue, 0);
		if (n || m->ended == ended)
			return n;
	}
	return 0;
}
