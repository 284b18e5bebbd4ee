//go:build cgo && (ucx || ofi || mxm)

#include "core.h"
#include <string.h>

// If synchronous sends are acknowledged, all receives have a mask. One receive of control messages
// is posted at a time, because a library searches all receives with a mask that are older than the
// one that matches a message; further control messages wait. Otherwise the library finds receives
// by their tags, and one is posted for each peer.
enum { ACK = 1, GOODBYE = 2 };

static int begin(struct tagged *t, struct tagged_slot *s)
{
	return t->ops.send(t->ops.library, s->peer, s->buffer, s->size, s->wanted, s);
}

// send begins a send, after those that the library had no room for. It passes its arguments on,
// because loading the values from the slot right after the stores would delay the message.
static inline int send(struct tagged *t, int peer, void *buffer, uint64_t size, uint64_t tag, struct tagged_slot *s)
{
	s->peer = peer;
	s->buffer = buffer;
	s->size = size;
	s->wanted = tag;
	int e = t->core.deferred.first ? TAGGED_BUSY : t->ops.send(t->ops.library, peer, buffer, size, tag, s);
	if (e == TAGGED_BUSY) {
		tagged_append(&t->core.deferred, s);
		e = TAGGED_BEGAN;
	}
	return e;
}

// busy reports whether a request is tried again after e. For a message of control, that includes a
// lack of memory of this rank: no call of the user could return it.
static int busy(struct tagged_slot *s, int e)
{
	return e == TAGGED_BUSY || (e == TAGGED_LOCAL && (s->kind == TAGGED_CONTROL_SEND || s->kind == TAGGED_CONTROL_RECEIVE));
}

// sent ends a control message, or defers it. A sender whose acknowledgement is lost would wait for
// ever.
static void sent(struct tagged *t, struct tagged_slot *s, int e)
{
	if (e == TAGGED_LOCAL && t->core.fates[s->peer] >= 0) {
		s->state = TAGGED_PENDING;
		tagged_append(&t->core.deferred, s);
		return;
	}
	if (e < 0 && s->control[0] == ACK && t->core.fates[s->peer] == 0)
		tagged_failed(&t->core, s->peer, e);
	give(t, s);
}

static int send_control(struct tagged *t, int peer, uint64_t what, uint64_t tag)
{
	struct tagged_slot *s = take(t, TAGGED_CONTROL_SEND);
	if (!s)
		return TAGGED_LOCAL;
	s->control[0] = what;
	s->control[1] = tag;
	int e = send(t, peer, s->control, sizeof s->control, t->control | (uint64_t)t->rank << t->source, s);
	if (e != TAGGED_BEGAN)
		sent(t, s, e);
	return e == TAGGED_LOCAL ? TAGGED_BEGAN : e;
}

static void take_control(struct tagged *t, struct tagged_slot *s)
{
	int from = s->tag >> t->source & t->sources;
	if (from >= t->ranks || s->length != sizeof s->control)
		return;
	if (s->control[0] == GOODBYE) {
		if (t->core.fates[from] == 0)
			t->core.fates[from] = 1;
		t->core.event = 1;
		return;
	}
	// Messages with one tag of one sender are matched in their order.
	for (struct tagged_slot *i = t->core.syncs; i; i = i->later) {
		if (i->peer != from || i->wanted != s->control[1])
			continue;
		tagged_acknowledged(&t->core, i);
		if (i->local) {
			i->state = TAGGED_COMPLETE;
			tagged_append(&t->core.complete, i);
		}
		return;
	}
}

static int post(struct tagged *t, struct tagged_slot *s)
{
	return t->ops.receive(t->ops.library, s->buffer, s->size, s->wanted, s->mask, s);
}

// post_control posts the receive of a control message. It returns TAGGED_LOCAL if that waits for
// memory.
static int post_control(struct tagged *t, int from)
{
	for (;;) {
		struct tagged_slot *s = take(t, TAGGED_CONTROL_RECEIVE);
		if (!s)
			return TAGGED_LOCAL;
		s->peer = from;
		s->buffer = s->control;
		s->size = sizeof s->control;
		s->wanted = t->control | (uint64_t)from << t->source;
		s->mask = ~(t->sync ? t->sources << t->source : 0);
		int e = post(t, s);
		if (busy(s, e)) {
			tagged_append(&t->core.waiting, s);
			return e == TAGGED_LOCAL ? e : TAGGED_BEGAN;
		}
		if (e == TAGGED_DONE)
			take_control(t, s);
		if (e != TAGGED_BEGAN)
			give(t, s);
		if (e != TAGGED_DONE)
			return e;
	}
}

// post_next posts the receive of the next control message in place of s. Peers whose messages
// cannot be received are lost.
static void post_next(struct tagged *t, struct tagged_slot *s)
{
	int e = post_control(t, s->peer);
	for (int i = 0; e < 0 && e != TAGGED_LOCAL && i < t->ranks; i++)
		if ((t->sync || i == s->peer) && t->core.fates[i] == 0)
			tagged_failed(&t->core, i, e);
}

static void acknowledge(struct tagged *t, uint64_t tag)
{
	int from = tag >> t->source & t->sources;
	if (from < t->ranks && t->core.fates[from] == 0)
		send_control(t, from, ACK, tag);
}

static void fill(struct tagged_op *op, struct tagged_slot *s)
{
	op->found = s->tag;
	op->size = s->length;
	op->status = s->status;
}

int tagged_probe(struct tagged *t, struct tagged_op *op)
{
	return t->ops.probe(t->ops.library, op->tag, op->mask, &op->found, &op->size);
}

// to_acknowledge reports whether a request that has ended is a receive of a synchronous send.
static int to_acknowledge(struct tagged *t, struct tagged_slot *s)
{
	return s->tag & t->sync && s->kind == TAGGED_RECEIVE && s->status <= TAGGED_TRUNCATED && s->status >= 0;
}

// follow handles the requests that the library has ended: it processes control messages and
// acknowledges receives. Then it starts waiting requests. It returns 0 if there was nothing to do.
static int follow(struct tagged *t)
{
	int moved = 0;
	struct tagged_slot *s;
	while ((s = t->core.fresh.first)) {
		tagged_remove(&t->core.fresh, s);
		moved = 1;
		if (to_acknowledge(t, s))
			acknowledge(t, s->tag);
		if (s->kind == TAGGED_ACCESS) {
			t->accesses[s->peer].open--;
			if (!t->accesses[s->peer].status)
				t->accesses[s->peer].status = s->status;
			give(t, s);
			continue;
		}
		if (s->kind == TAGGED_CONTROL_SEND) {
			sent(t, s, s->status);
			continue;
		}
		int again = s->kind == TAGGED_CONTROL_RECEIVE && s->status != TAGGED_CANCELLED;
		if (again && s->status == TAGGED_FINE)
			take_control(t, s);
		if (s->kind == TAGGED_CONTROL_RECEIVE || s->abandoned) {
			give(t, s);
			if (again)
				post_next(t, s);
			continue;
		}
		s->state = TAGGED_COMPLETE;
		tagged_append(&t->core.complete, s);
	}
	while ((s = t->core.waiting.first)) {
		int e = post(t, s);
		if (busy(s, e))
			break;
		tagged_remove(&t->core.waiting, s);
		moved = 1;
		if (e != TAGGED_BEGAN)
			tagged_done(s, e == TAGGED_DONE ? s->status : e);
	}
	while ((s = t->core.deferred.first)) {
		int e = begin(t, s);
		if (busy(s, e))
			break;
		tagged_remove(&t->core.deferred, s);
		moved = 1;
		if (e == TAGGED_BEGAN)
			continue;
		if (s->kind == TAGGED_CONTROL_SEND)
			sent(t, s, e);
		else
			tagged_done(s, e == TAGGED_DONE ? TAGGED_FINE : e);
	}
	return moved;
}

static int contains(struct tagged_list *l, struct tagged_slot *s)
{
	struct tagged_slot *i = l->first;
	while (i && i != s)
		i = i->next;
	return i != NULL;
}

static void cancel(struct tagged *t, struct tagged_slot *s)
{
	if (contains(&t->core.waiting, s)) {
		tagged_remove(&t->core.waiting, s);
		tagged_done(s, TAGGED_CANCELLED);
	} else {
		t->ops.cancel(t->ops.library, s);
	}
	follow(t);
}

int tagged_progress(struct tagged *t)
{
	int moved = t->ops.progress(t->ops.library);
	if (t->core.fresh.first || t->core.deferred.first || t->core.waiting.first)
		moved |= follow(t);
	return moved;
}

// await is tagged_poll for one request. A request that is waited for is put into neither the list
// of fresh nor that of complete ones; any other is taken from the latter.
static int await(struct tagged *t, struct tagged_op *op, struct tagged_slot *s)
{
	if (t->core.fresh.first)
		follow(t);
	s->waited = s->state == TAGGED_PENDING && !s->sync;
	int end = s->waited ? TAGGED_FRESH : TAGGED_COMPLETE;
	for (int i = 0; s->state < end; i++) {
		if (t->core.event || i == op->turns) {
			s->waited = 0;
			return t->core.event ? TAGGED_EVENT : TAGGED_BEGAN;
		}
		t->ops.progress(t->ops.library);
		if (s->waited && s->state >= TAGGED_FRESH)
			break;
		if (t->core.fresh.first || t->core.deferred.first || t->core.waiting.first)
			follow(t);
	}
	if (!s->waited)
		tagged_remove(&t->core.complete, s);
	else if (to_acknowledge(t, s))
		acknowledge(t, s->tag);
	fill(op, s);
	give(t, s);
	t->busy--;
	return TAGGED_DONE;
}

int tagged_send(struct tagged *t, struct tagged_op *op)
{
	struct tagged_slot *s = take(t, TAGGED_SEND);
	if (!s)
		return TAGGED_LOCAL;
	uint64_t tag = op->tag;
	s->matched = op->sync && !t->sync;
	if (op->sync && t->sync) {
		tag |= t->sync;
		s->sync = 1;
		s->later = NULL;
		*t->core.last_sync = s;
		t->core.last_sync = &s->later;
	}
	int e = send(t, op->peer, (void *)op->buffer, op->length, tag, s);
	op->number = s->number;
	op->status = 0;
	if (e == TAGGED_DONE && s->sync) {
		s->local = 1;
		e = TAGGED_BEGAN;
	}
	if (e != TAGGED_BEGAN) {
		if (s->sync)
			tagged_acknowledged(&t->core, s);
		give(t, s);
		return e;
	}
	t->busy++;
	return op->turns ? await(t, op, s) : e;
}

int tagged_receive(struct tagged *t, struct tagged_op *op)
{
	struct tagged_slot *s = take(t, TAGGED_RECEIVE);
	if (!s)
		return TAGGED_LOCAL;
	op->number = s->number;
	s->buffer = (void *)op->buffer;
	s->size = op->length;
	s->wanted = op->tag;
	s->mask = op->mask;
	int e = t->core.waiting.first ? TAGGED_BUSY : post(t, s);
	if (e == TAGGED_BUSY) {
		tagged_append(&t->core.waiting, s);
		e = TAGGED_BEGAN;
	}
	if (e == TAGGED_DONE) {
		fill(op, s);
		if (s->tag & t->sync)
			acknowledge(t, s->tag);
	}
	if (e != TAGGED_BEGAN) {
		give(t, s);
		return e;
	}
	t->busy++;
	op->status = 0;
	return op->turns ? await(t, op, s) : e;
}

int tagged_poll(struct tagged *t, struct tagged_op *op)
{
	if (op->number >= 0)
		return await(t, op, t->slots[op->number]);
	if (t->core.fresh.first)
		follow(t);
	for (int i = 0;; i++) {
		struct tagged_slot *s = t->core.complete.first;
		if (s && op->number == TAGGED_ANY) {
			op->number = s->number;
			return TAGGED_DONE;
		}
		if (t->core.event)
			return TAGGED_EVENT;
		if (i == op->turns)
			return TAGGED_BEGAN;
		tagged_progress(t);
	}
}

int tagged_access(struct tagged *t, struct tagged_op *op)
{
	struct tagged_slot *s = take(t, TAGGED_ACCESS);
	if (!s)
		return TAGGED_LOCAL;
	s->peer = op->peer;
	s->buffer = (void *)op->buffer;
	s->size = op->length;
	s->wanted = op->found;
	s->mask = op->tag;
	int e = t->ops.access(t->ops.library, op->sync, (void *)op->mask, s);
	if (e == TAGGED_BEGAN)
		t->accesses[op->peer].open++;
	else
		give(t, s);
	return e;
}

int tagged_start(struct tagged *t)
{
	int e = 0;
	for (int from = 0; from < (t->sync ? 1 : t->ranks) && e >= 0; from++)
		e = post_control(t, from);
	return e < 0 ? e : 0;
}

int tagged_finished(struct tagged *t, struct tagged_op *op)
{
	struct tagged_slot *s = take(t, TAGGED_SEND);
	if (!s)
		abort();
	s->tag = op->found;
	s->length = op->size;
	t->busy++;
	s->status = op->status;
	s->state = TAGGED_COMPLETE;
	tagged_append(&t->core.complete, s);
	return s->number;
}

int tagged_ended(struct tagged *t, int number) { return t->slots[number]->state >= TAGGED_FRESH; }

void tagged_cancel(struct tagged *t, int number)
{
	struct tagged_slot *s = t->slots[number];
	if (s->state == TAGGED_PENDING && s->kind == TAGGED_RECEIVE)
		cancel(t, s);
}

void tagged_abandon(struct tagged *t, int number)
{
	struct tagged_slot *s = t->slots[number];
	t->busy--;
	if (s->state == TAGGED_COMPLETE) {
		tagged_remove(&t->core.complete, s);
		give(t, s);
		return;
	}
	s->abandoned = 1;
	if (s->state == TAGGED_FRESH)
		return;
	if (s->sync) {
		tagged_acknowledged(&t->core, s);
		if (s->local) {
			give(t, s);
			return;
		}
	}
	if (contains(&t->core.deferred, s)) {
		tagged_remove(&t->core.deferred, s);
		give(t, s);
		return;
	}
	if (s->kind == TAGGED_RECEIVE)
		cancel(t, s);
}

int tagged_goodbye(struct tagged *t, int peer) { return send_control(t, peer, GOODBYE, 0); }

int tagged_controls(struct tagged *t)
{
	int n = 0;
	for (int i = 0; i < t->count; i++)
		n += t->slots[i]->state == TAGGED_PENDING && t->slots[i]->kind == TAGGED_CONTROL_SEND &&
		     t->core.fates[t->slots[i]->peer] == 0;
	return n;
}

int tagged_fate(struct tagged *t, int peer)
{
	t->core.event = 0;
	return t->core.fates[peer];
}

void tagged_forget(struct tagged *t, int peer)
{
	if (t->core.fates[peer] >= 0)
		t->core.fates[peer] = -1;
}

void tagged_drop(struct tagged *t, int peer)
{
	for (struct tagged_slot *next, *s = t->core.deferred.first; s; s = next) {
		next = s->next;
		if (s->peer == peer) {
			tagged_remove(&t->core.deferred, s);
			s->kind == TAGGED_CONTROL_SEND ? give(t, s) : tagged_done(s, -1); // the peer's error is known
		}
	}
}
