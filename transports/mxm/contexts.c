//go:build mxm && cgo

// Matching queues of contexts. A context id of MXM has 16 bits and a context 31, and the library
// does not store messages for a queue that does not exist. The lowest contexts and that of messages
// of control have fixed queues, which every rank makes before it connects. For others every rank
// numbers its queues itself: before its first message in such a context, a sender asks the receiver
// for the number of the queue, and the receiver makes one. Questions and answers go through queue
// 0.
#include "mxm.h"
#include <string.h>

enum { QUESTION = 1, ANSWER, SEVERED };
enum { ASKED = -1, NO_QUEUE = -2 };
enum { FIRST_ID = 0x6700, QUEUES = GB_FIXED + 2 + GB_CONTEXTS };

// queue returns the queue of a number, and creates it if necessary.
static mxm_mq_h queue(struct gb_mxm *x, uint32_t number, mxm_error_t *e)
{
	*e = MXM_OK;
	if (!x->queues[number])
		*e = mxm.mxm_mq_create(x->mxm, (uint16_t)(FIRST_ID + number), &x->queues[number]);
	return *e ? NULL : x->queues[number];
}

// fixed returns the number of the queue that a context has on all ranks; 0: it has none.
static uint32_t fixed(const struct gb_mxm *x, uint32_t context)
{
	if (context == x->control)
		return 1;
	return context < GB_FIXED ? context + 2 : 0;
}

// numbered returns the entry of another context. Its queue has the number of its place.
static struct gb_context *numbered(struct gb_mxm *x, uint32_t context)
{
	for (uint32_t i = 0; i < x->n_contexts; i++)
		if (x->contexts[i].context == context)
			return &x->contexts[i];
	if (x->n_contexts == GB_CONTEXTS)
		return NULL;
	struct gb_context *c = &x->contexts[x->n_contexts];
	if (!(c->theirs = calloc((size_t)x->ranks, sizeof *c->theirs)))
		return NULL;
	c->context = context;
	x->n_contexts++;
	return c;
}

static uint32_t number_of(const struct gb_mxm *x, const struct gb_context *c) { return GB_FIXED + 2 + (uint32_t)(c - x->contexts); }

mxm_mq_h gb_queue_here(struct gb_mxm *x, uint32_t context, mxm_error_t *e)
{
	uint32_t n = fixed(x, context);
	if (n)
		return queue(x, n, e);
	struct gb_context *c = numbered(x, context);
	*e = MXM_ERR_NO_MEMORY;
	return c ? queue(x, number_of(x, c), e) : NULL;
}

static void ended(void *request)
{
	struct gb_note *k = request;
	k->done = 1;
	k->ctx->notes_done = 1;
}

static mxm_error_t listen(struct gb_mxm *x, struct gb_note *k)
{
	mxm_recv_req_t *r = &k->receive;
	memset(r, 0, sizeof *r);
	r->base.state = MXM_REQ_NEW;
	r->base.mq = x->queues[0];
	r->base.ptr = k->words;
	r->base.length = sizeof k->words;
	r->base.context = k;
	r->base.completed_cb = ended;
	k->ctx = x;
	k->done = 0;
	return mxm.mxm_req_recv(r);
}

// tell sends a question or an answer. It returns 0 if all notes are in use or the library has no
// room.
static int tell(struct gb_mxm *x, int peer, uint32_t what, uint32_t context, uint32_t id)
{
	for (int i = GB_LISTENING; i < GB_NOTES; i++) {
		struct gb_note *k = &x->note[i];
		if (k->busy)
			continue;
		mxm_send_req_t *r = &k->send;
		memset(r, 0, sizeof *r);
		k->words[0] = what, k->words[1] = context, k->words[2] = id;
		r->base.state = MXM_REQ_NEW;
		r->base.mq = x->queues[0];
		r->base.conn = x->conns[peer];
		r->base.ptr = k->words;
		r->base.length = sizeof k->words;
		r->base.context = k;
		r->base.completed_cb = ended;
		k->ctx = x;
		k->done = 0;
		k->busy = 1;
		if (mxm.mxm_req_send(r)) {
			k->busy = 0;
			return 0;
		}
		return 1;
	}
	return 0;
}

const char *gb_contexts_open(struct gb_mxm *x, mxm_error_t *e)
{
	for (uint32_t i = 0; i < GB_FIXED + 2; i++)
		if (!queue(x, i, e))
			return "mxm_mq_create";
	for (int i = 0; i < GB_LISTENING; i++)
		if ((*e = listen(x, &x->note[i])))
			return "mxm_req_recv";
	return NULL;
}

// reply answers a question. It returns 0 as long as there is no room for the answer, which a peer
// that has gone never makes.
static int reply(struct gb_mxm *x, int peer, uint32_t context)
{
	mxm_error_t e;
	if (x->core && x->core->fates[peer])
		return 1;
	struct gb_context *c = numbered(x, context);
	// Without a queue the answer is 0, and the send fails.
	return tell(x, peer, ANSWER, context, c && gb_queue_here(x, context, &e) ? number_of(x, c) : 0);
}

int gb_contexts_progress(struct gb_mxm *x)
{
	int moved = 0;
	x->notes_done = 0;
	for (int i = GB_LISTENING; i < GB_NOTES; i++)
		if (x->note[i].busy && x->note[i].done)
			x->note[i].busy = 0;
	for (int i = 0; i < GB_LISTENING; i++) {
		struct gb_note *k = &x->note[i];
		if (!k->done)
			continue;
		if (k->receive.base.error == MXM_OK && k->receive.sender_len == sizeof k->words) {
			int peer = (int)(uintptr_t)mxm.mxm_conn_ctx_get(k->receive.source);
			uint32_t context = k->words[1];
			if (k->words[0] == SEVERED) {
				if (x->core)
					tagged_failed(x->core, peer, -MXM_ERR_UNREACHABLE);
			} else if (k->words[0] == ANSWER) {
				struct gb_context *c = numbered(x, context);
				if (c)
					c->theirs[peer] = k->words[2] ? (int32_t)k->words[2] : NO_QUEUE;
			} else if (!reply(x, peer, context)) {
				x->notes_done = 1; // the question stays in its note until there is room for the answer
				continue;
			}
		}
		moved = 1;
		if (listen(x, k)) // the next call tries again, with an empty note
			k->done = x->notes_done = 1;
	}
	return moved;
}

mxm_mq_h gb_queue_there(struct gb_mxm *x, int peer, uint32_t context, mxm_error_t *e)
{
	uint32_t n = fixed(x, context);
	if (n)
		return queue(x, n, e);
	struct gb_context *c = numbered(x, context);
	*e = c ? MXM_ERR_NO_ELEM : MXM_ERR_NO_MEMORY;
	if (!c || c->theirs[peer] == NO_QUEUE)
		return NULL;
	if (c->theirs[peer] > 0) // the own queue of that number sends to it
		return queue(x, (uint32_t)c->theirs[peer] % QUEUES, e);
	if (!c->theirs[peer] && tell(x, peer, QUESTION, context, 0))
		c->theirs[peer] = ASKED;
	*e = MXM_OK; // later
	return NULL;
}

// gb_mxm_sever notifies a peer that this rank abandons it, in case it is alive.
void gb_mxm_sever(struct gb_mxm *x, int peer)
{
	tell(x, peer, SEVERED, 0, 0);
}

void gb_contexts_close(struct gb_mxm *x)
{
	for (uint32_t i = 0; i < QUEUES; i++)
		if (x->queues[i])
			mxm.mxm_mq_destroy(x->queues[i]);
	for (uint32_t i = 0; i < x->n_contexts; i++)
		free(x->contexts[i].theirs);
}
