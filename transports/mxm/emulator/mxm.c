// An emulator of Mellanox MXM 3 over shared memory between the processes of one machine: a test tool.
// Matching is here, and the segments, the search for peers and the faults are those of the emulator
// of uGNI. A mistake that the library would not report aborts the process (violation).
//
// A message of up to EAGER bytes is copied into the ring of the pair. A longer or synchronous one is
// announced; the receiver reads it by process_vm_readv when it is matched, and answers.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/uio.h>

#include "../../gni/emulator/fabric.h"
#include "../abi.h"

#define API __attribute__((visibility("default")))

gni_return_t GNI_CdmCreate(uint32_t, uint8_t, uint32_t, uint32_t, gni_cdm_handle_t *);
gni_return_t GNI_CdmAttach(gni_cdm_handle_t, uint32_t, uint32_t *, gni_nic_handle_t *);
gni_return_t GNI_CdmDestroy(gni_cdm_handle_t);

#define VERSION (3ul << 24 | 6ul << 16)

enum { EAGER = 4096, CREDITS = 64, CONTEXT = 0x6d786d01, ENDPOINT_, CONN, MQ };

enum type { MESSAGE = 1, ANNOUNCED, ANSWER };

// message is what a slot of a ring begins with.
struct message {
	uint32_t type, context, tag, imm;
	uint64_t length, address, request; // of an announced message: where it is, and the sender's request
	int32_t error;                     // of an answer
};

struct mxm {
	uint32_t magic;
	struct nic *nic; // of the endpoint
	struct conn *conns;
	struct mq *mqs[65536];
	int in_callback;
	uint64_t turns;
};

// waiting is a send for which its ring had no room.
struct waiting {
	struct message m;
	mxm_send_req_t *request; // NULL: an answer
	struct waiting *next;
};

struct conn {
	uint32_t magic;
	struct mxm *mxm;
	void *user;
	struct peer *peer;
	struct mailbox *out;
	struct waiting *first, **last;
	mxm_send_req_t *announced; // linked by reserved
	bool dead;
	struct conn *next;
};

struct unexpected {
	struct conn *from;
	struct message m;
	struct unexpected *next;
	uint8_t data[];
};

struct mq {
	uint32_t magic;
	struct mxm *mxm;
	uint16_t context;
	mxm_recv_req_t *posted, **last; // linked by reserved
	struct unexpected *first, **end;
};

static void **link_of(void *request, size_t at) { return (void **)((char *)request + at); }
#define NEXT_SEND(r) (*(mxm_send_req_t **)link_of(r, offsetof(mxm_send_req_t, reserved)))
#define NEXT_RECV(r) (*(mxm_recv_req_t **)link_of(r, offsetof(mxm_recv_req_t, reserved)))

#undef ENTER
#define ENTER(m) \
	struct guard guard __attribute__((cleanup(leave))) = enter(__func__, (m) ? ((struct mxm *)(m))->nic : NULL); \
	if (guard.code) \
		return (mxm_error_t)guard.code

API const int mxm_emulated = 1;

API unsigned long mxm_get_version(void) { return version() == GNI_EMULATOR_VERSION ? VERSION : version(); }

API const char *mxm_error_string(mxm_error_t e)
{
	static const char *const names[] = {
		"Success", "No pending message", "No resources are available to initiate the operation", "Input/output error",
		"Out of memory", "Invalid parameter", "Destination is unreachable", "Address not valid",
		"Function not implemented", "Message truncated", "No progress", "Provided buffer is too small",
		"No such element", "Failed to connect some of the requested endpoints", "No such device", "Device is busy",
		"Request canceled",
	};
	return e >= 0 && (size_t)e < sizeof names / sizeof *names ? names[e] : "Unknown error";
}

API mxm_error_t mxm_config_read_opts(mxm_context_opts_t *c, mxm_ep_opts_t *e, const char *prefix, const char *file, unsigned flags)
{
	ENTER(NULL);
	(void)prefix, (void)file;
	if (!c || !e || flags)
		return MXM_ERR_INVALID_PARAM;
	*c = calloc(1, 8), *e = calloc(1, 8);
	return MXM_OK;
}

API void mxm_config_free_context_opts(mxm_context_opts_t o) { free(o); }
API void mxm_config_free_ep_opts(mxm_ep_opts_t o) { free(o); }

API mxm_error_t mxm_init(mxm_context_opts_t o, mxm_h *out)
{
	ENTER(NULL);
	if (!o || !out)
		return MXM_ERR_INVALID_PARAM;
	struct mxm *m = calloc(1, sizeof *m);
	if (!m)
		return MXM_ERR_NO_MEMORY;
	m->magic = CONTEXT;
	*out = m;
	return MXM_OK;
}

static struct mxm *mxm_of(mxm_h h, const char *function)
{
	struct mxm *m = h;
	if (!m || m->magic != CONTEXT)
		violation(function, "the handle is none of mxm_init");
	return m;
}

API void mxm_cleanup(mxm_h h)
{
	struct mxm *m = mxm_of(h, __func__);
	if (m->nic)
		violation(__func__, "an endpoint is still open");
	m->magic = 0;
	free(m);
}

// An endpoint is its context's handle: there is one.
API mxm_error_t mxm_ep_create(mxm_h h, mxm_ep_opts_t o, mxm_ep_h *out)
{
	struct mxm *m = mxm_of(h, __func__);
	ENTER(NULL);
	if (!o || !out || m->nic)
		return MXM_ERR_INVALID_PARAM;
	gni_cdm_handle_t cdm;
	gni_nic_handle_t nic;
	uint32_t instance, address;
	if (getrandom(&instance, sizeof instance, 0) != sizeof instance || GNI_CdmCreate(instance, 0xee, 0x6d786d, 0, &cdm))
		return MXM_ERR_NO_MEMORY;
	if (GNI_CdmAttach(cdm, 0, &address, &nic)) {
		GNI_CdmDestroy(cdm);
		return MXM_ERR_NO_DEVICE;
	}
	m->nic = nic;
	*out = m;
	return MXM_OK;
}

API mxm_error_t mxm_ep_get_address(mxm_ep_h e, void *buffer, size_t *length)
{
	struct mxm *m = mxm_of(e, __func__);
	ENTER(m);
	if (!length)
		return MXM_ERR_INVALID_PARAM;
	size_t room = *length;
	*length = sizeof m->nic->key;
	if (!buffer || room < *length)
		return MXM_ERR_BUFFER_TOO_SMALL;
	memcpy(buffer, &m->nic->key, *length);
	return MXM_OK;
}

// ring makes the ring of messages to a peer, in the own segment.
static struct mailbox *ring(struct nic *n, struct lane *l)
{
	uint32_t room = (uint32_t)(sizeof(struct slot) + sizeof(struct message) + EAGER + 63) & ~63u;
	uint64_t at = n->segment->used, size = sizeof(struct mailbox) + (uint64_t)room * CREDITS;
	if (at + size > SEGMENT)
		return NULL;
	n->segment->used += (size + 63) & ~63ull;
	struct mailbox *b = (void *)((char *)n->segment + at);
	b->credits = CREDITS, b->room = room;
	atomic_store(&l->outbox, at);
	return b;
}

API mxm_error_t mxm_ep_connect(mxm_ep_h e, void *address, mxm_conn_h *out)
{
	struct mxm *m = mxm_of(e, __func__);
	ENTER(m);
	uint64_t key;
	if (!address || !out)
		return MXM_ERR_INVALID_PARAM;
	memcpy(&key, address, sizeof key);
	struct peer *p = peer_of(m->nic, (uint32_t)(key >> 32), (uint32_t)key);
	if (!p)
		return MXM_ERR_UNREACHABLE;
	struct conn *c = calloc(1, sizeof *c);
	if (!c || !(c->out = ring(m->nic, p->from))) {
		free(c);
		return MXM_ERR_NO_MEMORY;
	}
	c->magic = CONN, c->mxm = m, c->peer = p, c->last = &c->first;
	c->next = m->conns, m->conns = c;
	*out = c;
	return MXM_OK;
}

API mxm_error_t mxm_conn_ctx_set(mxm_conn_h h, void *user)
{
	((struct conn *)h)->user = user;
	return MXM_OK;
}

API void *mxm_conn_ctx_get(mxm_conn_h h) { return ((struct conn *)h)->user; }

API mxm_error_t mxm_mq_create(mxm_h h, uint16_t context, mxm_mq_h *out)
{
	struct mxm *m = mxm_of(h, __func__);
	ENTER(m);
	if (!out || m->mqs[context])
		return MXM_ERR_INVALID_PARAM;
	struct mq *q = calloc(1, sizeof *q);
	if (!q)
		return MXM_ERR_NO_MEMORY;
	q->magic = MQ, q->mxm = m, q->context = context, q->last = &q->posted, q->end = &q->first;
	m->mqs[context] = q;
	*out = q;
	return MXM_OK;
}

API void mxm_mq_destroy(mxm_mq_h h)
{
	struct mq *q = h;
	if (!q || q->magic != MQ)
		violation(__func__, "the handle is none of mxm_mq_create");
	while (q->first) {
		struct unexpected *u = q->first;
		q->first = u->next;
		free(u);
	}
	q->mxm->mqs[q->context] = NULL;
	q->magic = 0;
	free(q);
}

// complete ends a request. The callback may submit others.
static void complete(struct mxm *m, mxm_req_base_t *r, mxm_error_t e)
{
	r->error = e;
	r->state = MXM_REQ_COMPLETED;
	if (r->completed_cb) {
		m->in_callback++;
		r->completed_cb(r->context);
		m->in_callback--;
	}
}

// put puts a message into the ring of a connection, if there is room.
static bool put(struct conn *c, const struct message *k, const void *data)
{
	struct mailbox *b = c->out;
	uint32_t tail = atomic_load_explicit(&b->tail, memory_order_relaxed);
	if (tail - atomic_load_explicit(&b->head, memory_order_acquire) >= b->credits)
		return false;
	struct slot *s = (void *)(b->slots + (size_t)(tail % b->credits) * b->room);
	s->at = timed() ? now() + latency() : 0;
	memcpy(s->bytes, k, sizeof *k);
	if (k->type == MESSAGE && k->length)
		memcpy(s->bytes + sizeof *k, data, k->length);
	atomic_store_explicit(&b->tail, tail + 1, memory_order_release);
	return true;
}

static bool went(struct conn *c, const struct message *k, mxm_send_req_t *r)
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

static mxm_error_t transmit(struct conn *c, const struct message *k, mxm_send_req_t *r)
{
	if (!c->first && went(c, k, r))
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
static void deliver(struct mxm *m, mxm_recv_req_t *r, struct conn *from, const struct message *k, const void *data)
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

static bool fits(const mxm_recv_req_t *r, struct conn *from, uint32_t tag)
{
	return (!r->base.conn || r->base.conn == from) && !((r->tag ^ tag) & r->tag_mask);
}

static void take_in(struct mxm *m, struct conn *c, const struct message *k, const void *data)
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

// bury ends what a dead peer will not end.
static void bury(struct mxm *m, struct conn *c)
{
	c->dead = true;
	while (c->announced) {
		mxm_send_req_t *r = c->announced;
		c->announced = NEXT_SEND(r);
		complete(m, &r->base, MXM_ERR_UNREACHABLE);
	}
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
		uint64_t at = atomic_load_explicit(&c->peer->to->outbox, memory_order_acquire);
		struct mailbox *b = at ? (void *)((char *)c->peer->segment + at) : NULL;
		uint32_t head = b ? atomic_load_explicit(&b->head, memory_order_relaxed) : 0;
		for (int i = 0; b && i < 16 && head != atomic_load_explicit(&b->tail, memory_order_acquire); i++) {
			struct slot *s = (void *)(b->slots + (size_t)(head % b->credits) * b->room);
			if (s->at && s->at > now())
				break;
			struct message k;
			memcpy(&k, s->bytes, sizeof k);
			take_in(m, c, &k, s->bytes + sizeof k);
			atomic_store_explicit(&b->head, ++head, memory_order_release);
			moved = true;
		}
		while (c->first && went(c, &c->first->m, c->first->request)) {
			struct waiting *w = c->first;
			if (!(c->first = w->next))
				c->last = &c->first;
			free(w);
			moved = true;
		}
		if (!c->dead && m->turns % 64 == 0 && !peer_alive(m->nic, c->peer, false))
			bury(m, c);
	}
	return moved ? MXM_OK : MXM_ERR_NO_PROGRESS;
}

static struct mq *queue(mxm_req_base_t *r, const char *function)
{
	struct mq *q = r ? r->mq : NULL;
	if (!q || q->magic != MQ || r->data_type != MXM_REQ_DATA_BUFFER || (r->length && !r->ptr))
		return NULL;
	if (r->state != MXM_REQ_NEW)
		violation(function, "the request is not new");
	return q;
}

API mxm_error_t mxm_req_send(mxm_send_req_t *r)
{
	struct mq *q = queue(&r->base, __func__);
	struct conn *c = r->base.conn;
	if (!q || !c || c->magic != CONN)
		return MXM_ERR_INVALID_PARAM;
	ENTER(q->mxm->in_callback ? NULL : q->mxm);
	if (r->opcode > MXM_REQ_OP_SEND_SYNC)
		return MXM_ERR_NOT_IMPL;
	if (c->dead)
		return MXM_ERR_UNREACHABLE;
	struct message k = {.type = MESSAGE, .context = q->context, .tag = r->tag, .imm = r->imm, .length = r->base.length,
	                    .address = (uint64_t)(uintptr_t)r->base.ptr, .request = (uint64_t)(uintptr_t)r};
	if (k.length > EAGER || r->opcode == MXM_REQ_OP_SEND_SYNC)
		k.type = ANNOUNCED;
	r->base.state = MXM_REQ_INPROGRESS;
	return transmit(c, &k, r);
}

static struct unexpected **find(struct mq *q, const mxm_recv_req_t *r)
{
	struct unexpected **at = &q->first;
	while (*at && !fits(r, (*at)->from, (*at)->m.tag))
		at = &(*at)->next;
	return at;
}

API mxm_error_t mxm_req_recv(mxm_recv_req_t *r)
{
	struct mq *q = queue(&r->base, __func__);
	if (!q)
		return MXM_ERR_INVALID_PARAM;
	ENTER(q->mxm->in_callback ? NULL : q->mxm);
	struct unexpected **at = find(q, r), *u = *at;
	if (!u) {
		r->base.state = MXM_REQ_EXPECTED;
		NEXT_RECV(r) = NULL;
		*q->last = r;
		q->last = &NEXT_RECV(r);
		return MXM_OK;
	}
	if (!(*at = u->next))
		q->end = at;
	r->base.state = MXM_REQ_INPROGRESS;
	deliver(q->mxm, r, u->from, &u->m, u->data);
	free(u);
	return MXM_OK;
}

API mxm_error_t mxm_req_probe(mxm_recv_req_t *r)
{
	struct mq *q = queue(&r->base, __func__);
	if (!q)
		return MXM_ERR_INVALID_PARAM;
	ENTER(q->mxm);
	struct unexpected *u = *find(q, r);
	if (!u)
		return MXM_ERR_NO_MESSAGE;
	r->source = u->from;
	r->sender_tag = u->m.tag, r->sender_imm = u->m.imm, r->sender_len = u->m.length;
	return MXM_OK;
}

API mxm_error_t mxm_req_cancel_recv(mxm_recv_req_t *r)
{
	struct mq *q = r ? r->base.mq : NULL;
	if (!q || q->magic != MQ)
		return MXM_ERR_INVALID_PARAM;
	ENTER(q->mxm->in_callback ? NULL : q->mxm);
	for (mxm_recv_req_t **at = &q->posted; *at; at = &NEXT_RECV(*at)) {
		if (*at != r)
			continue;
		if (!(*at = NEXT_RECV(r)))
			q->last = at;
		complete(q->mxm, &r->base, MXM_ERR_CANCELED);
		return MXM_OK;
	}
	return MXM_ERR_NO_ELEM; // it is matched
}

API mxm_error_t mxm_ep_disconnect(mxm_conn_h h)
{
	struct conn *c = h;
	if (!c || c->magic != CONN)
		return MXM_ERR_INVALID_PARAM;
	struct mxm *m = c->mxm;
	ENTER(m);
	if (c->announced || c->first)
		bury(m, c);
	struct conn **at = &m->conns;
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	c->magic = 0;
	free(c);
	return MXM_OK;
}

API void mxm_ep_destroy(mxm_ep_h e)
{
	struct mxm *m = mxm_of(e, __func__);
	while (m->conns) { // whose disconnecting has failed
		struct conn *c = m->conns;
		bury(m, c);
		m->conns = c->next;
		c->magic = 0;
		free(c);
	}
	struct cdm *cdm = m->nic->cdm;
	m->nic = NULL;
	GNI_CdmDestroy(cdm);
}
