//go:build mxm && cgo

#include "mxm.h"
#include <string.h>

struct mxm_table mxm;

#define NAME(f, result, arguments) #f,
static const char *const names[] = {MXM_FUNCTIONS(NAME) "mxm_empty_mem_key", "?mxm_emulated", NULL};

const char *const *gb_mxm_names(void) { return names; }

_Static_assert(sizeof(mxm_send_req_t) <= sizeof(((struct tagged_slot *)0)->room), "a request does not fit");
_Static_assert(sizeof(mxm_recv_req_t) <= sizeof(((struct tagged_slot *)0)->room), "a request does not fit");

// The tag of package tagged goes into the queue (context), the connection (source) and the 32 bits
// of MXM: the tag, and the bit of synchronous sends as the highest, which no receive asks for.
static uint32_t short_tag(const struct gb_mxm *x, uint64_t tag)
{
	uint64_t sync = tag >> x->sync_shift & 1;
	return (uint32_t)(tag & 0x7fffffff) | (uint32_t)sync << 31;
}

static uint64_t long_tag(const struct gb_mxm *x, uint32_t tag, uint64_t source, uint64_t context)
{
	return (tag & 0x7fffffff) | source << GB_TAG_BITS | context << x->context_shift |
	       (uint64_t)(tag >> 31) << x->sync_shift;
}

static uint32_t context_of(const struct gb_mxm *x, uint64_t tag)
{
	return (uint32_t)(tag >> x->context_shift & ((1ull << (x->sync_shift - x->context_shift)) - 1));
}

static int failure(mxm_error_t e) { return e == MXM_ERR_NO_MEMORY ? TAGGED_LOCAL : e < 0 ? e : -e; }

static int result(mxm_error_t e)
{
	switch (e) {
	case MXM_OK:
		return TAGGED_FINE;
	case MXM_ERR_TRUNCATED:
		return TAGGED_TRUNCATED;
	case MXM_ERR_CANCELED:
		return TAGGED_CANCELLED;
	default:
		return failure(e);
	}
}

// exhausted reports whether the library may have room for a request later.
static int exhausted(mxm_error_t e) { return e == MXM_ERR_WOULD_BLOCK || e == MXM_ERR_BUSY; }

static void sent(void *slot)
{
	struct tagged_slot *s = slot;
	struct gb_mxm *x = s->request;
	int status = result(((mxm_send_req_t *)s->room)->base.error);
	if (x->starting == s) {
		x->starting = NULL;
		s->status = status;
		return;
	}
	tagged_done(s, status);
}

static void received(void *slot)
{
	struct tagged_slot *s = slot;
	struct gb_mxm *x = s->request;
	mxm_recv_req_t *r = (mxm_recv_req_t *)s->room;
	int status = result(r->base.error);
	if (status == TAGGED_FINE || status == TAGGED_TRUNCATED) {
		uint64_t source = (uint64_t)(uintptr_t)mxm.mxm_conn_ctx_get(r->source);
		s->tag = long_tag(x, r->sender_tag, source, s->wanted);
		s->length = r->sender_len;
	}
	if (x->starting == s) {
		x->starting = NULL;
		s->status = status;
		return;
	}
	tagged_done(s, status);
}

// began returns the outcome of a call that starts a request.
static int began(struct gb_mxm *x, struct tagged_slot *s, mxm_error_t e)
{
	int done = x->starting == NULL;
	x->starting = NULL;
	if (exhausted(e))
		return TAGGED_BUSY;
	if (e)
		return failure(e); // also for those that have a meaning as the end of a request
	if (!done)
		return TAGGED_BEGAN;
	return s->status < 0 ? s->status : TAGGED_DONE;
}

// prepare sets the constant fields of the requests of a slot that have a peer.
static mxm_send_req_t *prepare(struct gb_mxm *x, struct tagged_slot *s, mxm_mq_h queue, int peer, void *b, uint64_t n, int opcode)
{
	mxm_send_req_t *r = (mxm_send_req_t *)s->room;
	memset(r, 0, sizeof *r);
	r->base.state = MXM_REQ_NEW;
	r->base.mq = queue;
	r->base.conn = x->conns[peer];
	r->base.data_type = MXM_REQ_DATA_BUFFER;
	r->base.ptr = b;
	r->base.length = n;
	r->base.context = s;
	r->base.completed_cb = sent;
	r->opcode = opcode;
	return r;
}

// start submits a request that is prepared.
static int start(struct gb_mxm *x, struct tagged_slot *s)
{
	s->request = x;
	x->starting = s;
	return began(x, s, mxm.mxm_req_send((mxm_send_req_t *)s->room));
}

static int send_tagged(void *library, int peer, const void *b, uint64_t n, uint64_t tag, struct tagged_slot *s)
{
	struct gb_mxm *x = library;
	mxm_error_t e;
	mxm_mq_h queue = gb_queue_there(x, peer, context_of(x, tag), &e);
	if (!queue)
		return e ? failure(e) : TAGGED_BUSY;
	prepare(x, s, queue, peer, (void *)b, n, MXM_REQ_OP_SEND)->tag = short_tag(x, tag);
	return start(x, s);
}

// access_memory starts a put or a get, or an empty put that ends when all before it are in place.
static int access_memory(void *library, enum tagged_access kind, void *key, struct tagged_slot *s)
{
	struct gb_mxm *x = library;
	mxm_error_t e;
	mxm_mq_h queue = gb_queue_here(x, 0, &e); // each request needs one
	if (!queue)
		return failure(e);
	mxm_send_req_t *r = prepare(x, s, queue, s->peer, s->buffer, s->size, kind == TAGGED_GET ? MXM_REQ_OP_GET : MXM_REQ_OP_PUT);
	r->remote_vaddr = s->wanted;
	r->remote_mkey = key;
	switch (kind) {
	case TAGGED_PUT:
	case TAGGED_GET:
		return start(x, s);
	case TAGGED_FLUSH:
		r = prepare(x, s, queue, s->peer, NULL, 0, MXM_REQ_OP_PUT_SYNC);
		r->flags = MXM_REQ_SEND_FLAG_FENCE;
		r->remote_mkey = mxm.empty_key;
		return start(x, s);
	default:
		return -MXM_ERR_NOT_IMPL;
	}
}

static mxm_error_t receive_into(struct gb_mxm *x, mxm_recv_req_t *r, uint64_t tag, uint64_t mask)
{
	mxm_error_t e;
	mxm_mq_h queue = gb_queue_here(x, context_of(x, tag), &e);
	memset(r, 0, sizeof *r);
	uint64_t sources = (1ull << (x->context_shift - GB_TAG_BITS)) - 1;
	r->base.state = MXM_REQ_NEW;
	r->base.mq = queue;
	r->base.conn = mask >> GB_TAG_BITS & sources ? x->conns[tag >> GB_TAG_BITS & sources] : NULL;
	r->base.data_type = MXM_REQ_DATA_BUFFER;
	r->tag = (uint32_t)tag & 0x7fffffff;
	r->tag_mask = (uint32_t)mask & 0x7fffffff;
	return e;
}

static int receive(void *library, void *b, uint64_t n, uint64_t tag, uint64_t mask, struct tagged_slot *s)
{
	struct gb_mxm *x = library;
	mxm_recv_req_t *r = (mxm_recv_req_t *)s->room;
	mxm_error_t e = receive_into(x, r, tag, mask);
	if (e)
		return failure(e);
	r->base.ptr = b;
	r->base.length = n;
	r->base.context = s;
	r->base.completed_cb = received;
	s->request = x;
	s->wanted = context_of(x, tag);
	x->starting = s;
	int status = began(x, s, mxm.mxm_req_recv(r));
	if (status != TAGGED_BEGAN)
		s->wanted = tag; // for the next attempt
	return status;
}

static int probe(void *library, uint64_t tag, uint64_t mask, uint64_t *found, uint64_t *length)
{
	struct gb_mxm *x = library;
	mxm_recv_req_t *r = &x->probe;
	if (receive_into(x, r, tag, mask) || mxm.mxm_req_probe(r))
		return 0;
	*found = long_tag(x, r->sender_tag, (uint64_t)(uintptr_t)mxm.mxm_conn_ctx_get(r->source), context_of(x, tag));
	*length = r->sender_len;
	return 1;
}

static void cancel(void *library, struct tagged_slot *s)
{
	(void)library;
	if (s->request)
		mxm.mxm_req_cancel_recv((mxm_recv_req_t *)s->room);
}

static int progress(void *library)
{
	struct gb_mxm *x = library;
	int moved = mxm.mxm_progress(x->mxm) == MXM_OK;
	if (x->notes_done)
		moved |= gb_contexts_progress(x);
	return moved;
}

static const char *explain(int e) { return mxm.mxm_error_string(e < 0 ? -e : e); }

#define TRY(call, what)      \
	do {                 \
		*e = (call); \
		if (*e)      \
			return what; \
	} while (0)

const char *gb_mxm_open(struct gb_mxm **out, int ranks, int context_shift, int sync_shift, mxm_error_t *e)
{
	struct gb_mxm *x = calloc(1, sizeof *x);
	*out = x;
	*e = MXM_ERR_NO_MEMORY;
	if (!x || !(x->conns = calloc((size_t)ranks, sizeof *x->conns)))
		return "calloc";
	x->ops = (struct tagged_ops){sizeof x->ops, x, send_tagged, receive, probe, cancel, progress, explain, access_memory};
	x->ranks = ranks;
	x->context_shift = context_shift;
	x->sync_shift = sync_shift;
	x->control = (uint32_t)((1ull << (sync_shift - context_shift)) - 1);
	mxm_context_opts_t context;
	mxm_ep_opts_t ep;
	TRY(mxm.mxm_config_read_opts(&context, &ep, NULL, NULL, 0), "mxm_config_read_opts");
	const char *name = "mxm_init";
	*e = mxm.mxm_init(context, &x->mxm);
	if (!*e) {
		name = "mxm_ep_create";
		*e = mxm.mxm_ep_create(x->mxm, ep, &x->ep);
	}
	mxm.mxm_config_free_context_opts(context);
	mxm.mxm_config_free_ep_opts(ep);
	if (*e)
		return name;
	name = gb_contexts_open(x, e);
	if (name)
		return name;
	x->address_length = sizeof x->address;
	TRY(mxm.mxm_ep_get_address(x->ep, x->address, &x->address_length), "mxm_ep_get_address");
	return NULL;
}

const char *gb_mxm_connect(struct gb_mxm *x, int rank, void *address, mxm_error_t *e)
{
	TRY(mxm.mxm_ep_connect(x->ep, address, &x->conns[rank]), "mxm_ep_connect");
	TRY(mxm.mxm_conn_ctx_set(x->conns[rank], (void *)(uintptr_t)rank), "mxm_conn_ctx_set");
	return NULL;
}

const char *gb_mxm_expose(struct gb_mxm *x, void *b, size_t n, struct gb_region **out, mxm_error_t *e)
{
	struct gb_region *r = calloc(1, sizeof *r);
	*e = MXM_ERR_NO_MEMORY;
	if (!r)
		return "calloc";
	r->address = b;
	r->length = n;
	const char *name = "mxm_mem_map";
	*e = mxm.mxm_mem_map(x->mxm, &r->address, &r->length, 0, NULL, 0);
	if (!*e) {
		*e = mxm.mxm_mem_get_key(x->mxm, b, &r->key);
		if (!*e) {
			*out = r;
			return NULL;
		}
		name = "mxm_mem_get_key";
		mxm.mxm_mem_unmap(x->mxm, r->address, r->length, 0);
	}
	free(r);
	return name;
}

void gb_mxm_conceal(struct gb_mxm *x, struct gb_region *r)
{
	mxm.mxm_mem_unmap(x->mxm, r->address, r->length, 0);
	free(r);
}

void gb_mxm_close(struct gb_mxm *x)
{
	if (!x)
		return;
	for (int i = 0; x->conns && i < x->ranks; i++)
		if (x->conns[i])
			mxm.mxm_ep_disconnect(x->conns[i]);
	gb_contexts_close(x);
	if (x->ep)
		mxm.mxm_ep_destroy(x->ep);
	if (x->mxm)
		mxm.mxm_cleanup(x->mxm);
	free(x->conns);
	free(x);
}
