// Messages between processes: rings, announcements and answers, and their progress.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "mxm.h"

// put puts a message into the ring of a connection, if there is room.
static bool put(struct conn *c, const struct message *k, const void *data)
{
	struct mailbox *b = c->out;
	uint32_t tail = atomic_load_explicit(&b->tail, memory_order_relaxed);
	if (tail - atomic_load_explicit(&b->head, memory_order_acquire) >= b->credits)
		return false;
	struct slot *s = (void *)(b->slots + (size_t)(tail % b->credits) * b->room);
	s->at = c->arrived = timed() ? now() + latency() : 0;
	memcpy(s->bytes, k, sizeof *k);
	if (k->type == MESSAGE && k->length)
		memcpy(s->bytes + sizeof *k, data, k->length);
	atomic_store_explicit(&b->tail, tail + 1, memory_order_release);
	return true;
}

static bool sent(struct conn *c, const struct message *k, mxm_send_req_t *r)
{
	if (!put(c, k, r ? r->base.ptr : NULL))
		return false;
	if (r && k->type == MESSAGE) {
		complete(c->mxm, &r->base, MXM_OK);
	} else if (r) {
		r->base.state = MXM_REQ_SENT;
		NEXT_SEND(r) = c->announced;
		c->announced = r;
	}
	return true;
}

mxm_error_t transmit(struct conn *c, const struct message *k, mxm_send_req_t *r)
{
	if (!c->first && sent(c, k, r))
		return MXM_OK;
	struct waiting *w = malloc(sizeof *w);
	if (!w)
		return MXM_ERR_NO_MEMORY;
	*w = (struct waiting){.m = *k, .request = r};
	*c->last = w;
	c->last = &w->next;
	return MXM_OK;
}

static void answer(struct conn *c, const struct message *k, mxm_error_t e)
{
	struct message a = {.type = ANSWER, .request = k->request, .error = e};
	if (!c->dead)
		transmit(c, &a, NULL);
}

// deliver ends a receive with its message.
void deliver(struct mxm *m, mxm_recv_req_t *r, struct conn *from, const struct message *k, const void *data)
{
	uint64_t n = k->length < r->base.length ? k->length : r->base.length;
	mxm_error_t e = k->length > r->base.length ? MXM_ERR_TRUNCATED : MXM_OK;
	if (k->type == MESSAGE && n)
		memcpy(r->base.ptr, data, n);
	for (uint64_t done = 0; k->type == ANNOUNCED && done < n;) {
		struct iovec local = {(char *)r->base.ptr + done, n - done}, remote = {(void *)(uintptr_t)(k->address + done), n - done};
		ssize_t got = process_vm_readv(from->peer->pid, &local, 1, &remote, 1, 0);
		if (got <= 0) {
			e = MXM_ERR_IO;
			break;
		}
		done += (uint64_t)got;
	}
	if (k->type == ANNOUNCED)
		answer(from, k, MXM_OK);
	r->source = from;
	r->sender_tag = k->tag, r->sender_imm = k->imm, r->sender_len = k->length, r->actual_len = n;
	complete(m, &r->base, e);
}

static void receive(struct mxm *m, struct conn *c, const struct message *k, const void *data)
{
	if (k->type == ANSWER) {
		for (mxm_send_req_t **at = &c->announced; *at; at = &NEXT_SEND(*at)) {
			mxm_send_req_t *r = *at;
			if ((uint64_t)(uintptr_t)r != k->request)
				continue;
			*at = NEXT_SEND(r);
			complete(m, &r->base, k->error);
			return;
		}
		return;
	}
	struct mq *q = m->mqs[k->context & 0xffff];
	if (!q)
		violation("mxm_progress", "a message has a context id that this process has no queue for");
	for (mxm_recv_req_t **at = &q->posted; *at; at = &NEXT_RECV(*at)) {
		mxm_recv_req_t *r = *at;
		if (!fits(r, c, k->tag))
			continue;
		if (!(*at = NEXT_RECV(r)))
			q->last = at;
		deliver(m, r, c, k, data);
		return;
	}
	uint64_t n = k->type == MESSAGE ? k->length : 0;
	struct unexpected *u = malloc(sizeof *u + n);
	if (!u)
		violation("mxm_progress", "out of memory");
	u->from = c, u->m = *k, u->next = NULL;
	memcpy(u->data, data, n);
	*q->end = u;
	q->end = &u->next;
}

// fail ends the requests that wait for a dead peer.
void fail(struct mxm *m, struct conn *c)
{
	c->dead = true;
	while (c->announced) {
		mxm_send_req_t *r = c->announced;
		c->announced = NEXT_SEND(r);
		complete(m, &r->base, MXM_ERR_UNREACHABLE);
	}
	while (c->accesses)
		complete(m, &next_access(c)->base, MXM_ERR_UNREACHABLE);
	while (c->first) {
		struct waiting *w = c->first;
		if (!(c->first = w->next))
			c->last = &c->first;
		if (w->request)
			complete(m, &w->request->base, MXM_ERR_UNREACHABLE);
		free(w);
	}
}

API mxm_error_t mxm_progress(mxm_h h)
{
	struct mxm *m = mxm_of(h, __func__);
	if (m->in_callback)
		violation(__func__, "it is called in a callback");
	if (!m->nic)
		return MXM_ERR_NO_PROGRESS;
	ENTER(m);
	bool moved = false;
	m->turns++;
	for (struct conn *c = m->conns; c; c = c->next) {
		// What has arrived is received before the peer is lost. With latency, a peer that was
		// killed is lost before the rest arrives; one that has disconnected has waited for it.
		bool lost = !c->dead && (m->turns % 64 == 0 || timed()) && !peer_alive(m->nic, c->peer, false);
		uint64_t at = atomic_load_explicit(&c->peer->to->outbox, memory_order_acquire);
		struct mailbox *b = at ? (void *)((char *)c->peer->segment + at) : NULL;
		uint32_t head = b ? atomic_load_explicit(&b->head, memory_order_relaxed) : 0;
		for (int i = 0; b && (i < 16 || lost) && head != atomic_load_explicit(&b->tail, memory_order_acquire); i++) {
			struct slot *s = (void *)(b->slots + (size_t)(head % b->credits) * b->room);
			if (s->at && s->at > now())
				break;
			struct message k;
			memcpy(&k, s->bytes, sizeof k);
			receive(m, c, &k, s->bytes + sizeof k);
			atomic_store_explicit(&b->head, ++head, memory_order_release);
			moved = true;
		}
		if (lost)
			fail(m, c);
		while (c->first && sent(c, &c->first->m, c->first->request)) {
			struct waiting *w = c->first;
			if (!(c->first = w->next))
				c->last = &c->first;
			free(w);
			moved = true;
		}
		while (access_due(c))
			moved = true;
	}
	return moved ? MXM_OK : MXM_ERR_NO_PROGRESS;
}
