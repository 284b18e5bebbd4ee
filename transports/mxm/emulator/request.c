// Queues of messages and requests: their matching, by context, connection and tag.
#define _GNU_SOURCE
#include <stdlib.h>

#include "mxm.h"

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
void complete(struct mxm *m, mxm_req_base_t *r, mxm_error_t e)
{
	r->error = e;
	r->state = MXM_REQ_COMPLETED;
	if (r->completed_cb) {
		m->in_callback++;
		r->completed_cb(r->context);
		m->in_callback--;
	}
}

bool fits(const mxm_recv_req_t *r, struct conn *from, uint32_t tag)
{
	return (!r->base.conn || r->base.conn == from) && !((r->tag ^ tag) & r->tag_mask);
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
	if (r->opcode > MXM_REQ_OP_GET)
		return MXM_ERR_NOT_IMPL;
	if (c->dead)
		return MXM_ERR_UNREACHABLE;
	if (r->opcode >= MXM_REQ_OP_PUT)
		return submit(c, r);
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
