//go:build ucx && cgo

// Messages as active messages (UCP AM): the handler of arriving ones matches them with receives, in
// the order of arrival.
#include "ucp.h"
#include <string.h>

enum { MESSAGES = 1 }; // the id of the handler

// A posted receive, in the room of its slot. The header of a send lies there, too.
struct posted {
	void *buffer;
	uint64_t size, tag, mask;
	struct tagged_slot *later;
};

static struct posted *posted(struct tagged_slot *s) { return (struct posted *)s->room; }

// A message that no receive waited for. UCX keeps data that are held. The data of a message that is
// still at the sender (away) are a description.
struct gb_ucx_arrived {
	struct gb_ucx_arrived *next;
	uint64_t tag, length;
	int held, away;
	void *data;
};

static int fits(struct posted *r, uint64_t tag) { return !((r->tag ^ tag) & r->mask); }

// deliver copies a message to its receive.
static int deliver(struct posted *r, struct tagged_slot *s, uint64_t tag, const void *data, uint64_t length)
{
	s->tag = tag;
	s->length = length;
	memcpy(r->buffer, data, length < r->size ? length : r->size);
	return length <= r->size ? TAGGED_FINE : TAGGED_TRUNCATED;
}

static void fetched(void *request, ucs_status_t e, size_t length, void *slot)
{
	(void)length;
	ucp.ucp_request_free(request);
	tagged_done(slot, gb_ucx_result(e));
}

// fetch fetches the data of a message that is still at the sender. It leaves those of a message
// that is too long where they are, for the caller to drop.
static int fetch(struct gb_ucx *u, struct posted *r, struct tagged_slot *s, uint64_t tag, void *data, uint64_t length)
{
	s->tag = tag;
	s->length = length;
	if (length > r->size) {
		s->status = TAGGED_TRUNCATED;
		return TAGGED_DONE;
	}
	ucp_request_param_t p = GB_UCX_PARAMETERS(s, .cb.recv_am = fetched);
	int e = gb_ucx_began(ucp.ucp_am_recv_data_nbx(u->worker, data, r->buffer, length, &p), s);
	if (e == TAGGED_DONE)
		s->status = TAGGED_FINE;
	return e;
}

static ucs_status_t arrived(void *ucx, const void *header, size_t header_length, void *data, size_t length,
	const ucp_am_recv_param_t *param)
{
	struct gb_ucx *u = ucx;
	int away = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
	uint64_t tag;
	if (header_length != sizeof tag)
		return UCS_OK;
	memcpy(&tag, header, sizeof tag);
	for (struct tagged_slot **at = &u->posted; *at; at = &posted(*at)->later) {
		struct tagged_slot *s = *at;
		struct posted *r = posted(s);
		if (!fits(r, tag))
			continue;
		if (!(*at = r->later))
			u->last_posted = at;
		if (!away) {
			tagged_done(s, deliver(r, s, tag, data, length));
			return UCS_OK;
		}
		int whole = length <= r->size;
		int e = fetch(u, r, s, tag, data, length);
		if (e != TAGGED_BEGAN)
			tagged_done(s, e == TAGGED_DONE ? s->status : e);
		// With UCS_OK UCX drops what was not fetched. Releasing it here would free it twice.
		return whole ? UCS_INPROGRESS : UCS_OK;
	}
	int held = away || param->recv_attr & UCP_AM_RECV_ATTR_FLAG_DATA;
	struct gb_ucx_arrived *m = malloc(sizeof *m + (held ? 0 : length));
	if (!m)
		return UCS_ERR_NO_MEMORY;
	*m = (struct gb_ucx_arrived){ NULL, tag, length, held, away, held ? data : m + 1 };
	if (!held)
		memcpy(m->data, data, length);
	*u->last_arrived = m;
	u->last_arrived = &m->next;
	return held ? UCS_INPROGRESS : UCS_OK;
}

static int send_message(void *library, int peer, const void *b, uint64_t n, uint64_t tag, struct tagged_slot *s)
{
	struct gb_ucx *u = library;
	if (!u->eps[peer]) // severed
		return UCS_ERR_CONNECTION_RESET;
	ucp_request_param_t p = GB_UCX_PARAMETERS(s, .cb.send = gb_ucx_ended);
	memcpy(s->room, &tag, sizeof tag); // UCX may read it until the send ends
	return gb_ucx_began(ucp.ucp_am_send_nbx(u->eps[peer], MESSAGES, s->room, sizeof tag, b, n, &p), s);
}

static int receive_message(void *library, void *b, uint64_t n, uint64_t tag, uint64_t mask, struct tagged_slot *s)
{
	struct gb_ucx *u = library;
	struct posted *r = posted(s);
	*r = (struct posted){ b, n, tag, mask, NULL };
	for (struct gb_ucx_arrived **at = &u->arrived; *at; at = &(*at)->next) {
		struct gb_ucx_arrived *m = *at;
		if (!fits(r, m->tag))
			continue;
		if (!(*at = m->next))
			u->last_arrived = at;
		int e = TAGGED_DONE;
		if (m->away) {
			e = fetch(u, r, s, m->tag, m->data, m->length);
			if (m->length > r->size)
				ucp.ucp_am_data_release(u->worker, m->data);
		} else {
			s->status = deliver(r, s, m->tag, m->data, m->length);
			if (m->held)
				ucp.ucp_am_data_release(u->worker, m->data);
		}
		free(m);
		return e;
	}
	*u->last_posted = s;
	u->last_posted = &r->later;
	return TAGGED_BEGAN;
}

static int probe_message(void *library, uint64_t tag, uint64_t mask, uint64_t *found, uint64_t *length)
{
	struct gb_ucx *u = library;
	struct posted r = { .tag = tag, .mask = mask };
	for (struct gb_ucx_arrived *m = u->arrived; m; m = m->next)
		if (fits(&r, m->tag)) {
			*found = m->tag;
			*length = m->length;
			return 1;
		}
	return 0;
}

static void cancel_message(void *library, struct tagged_slot *s)
{
	struct gb_ucx *u = library;
	for (struct tagged_slot **at = &u->posted; *at; at = &posted(*at)->later)
		if (*at == s) {
			if (!(*at = posted(s)->later))
				u->last_posted = at;
			tagged_done(s, TAGGED_CANCELLED);
			return;
		}
}

const char *gb_ucx_messages(struct gb_ucx *u, ucs_status_t *e)
{
	ucp_am_handler_param_t p = {
		.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS | UCP_AM_HANDLER_PARAM_FIELD_CB |
		              UCP_AM_HANDLER_PARAM_FIELD_ARG,
		.id = MESSAGES, .flags = UCP_AM_FLAG_WHOLE_MSG, .cb = arrived, .arg = u,
	};
	u->last_posted = &u->posted;
	u->last_arrived = &u->arrived;
	u->ops.send = send_message;
	u->ops.receive = receive_message;
	u->ops.probe = probe_message;
	u->ops.cancel = cancel_message;
	return (*e = ucp.ucp_worker_set_am_recv_handler(u->worker, &p)) ? "ucp_worker_set_am_recv_handler" : NULL;
}

void gb_ucx_discard(struct gb_ucx *u)
{
	for (struct gb_ucx_arrived *m = u->arrived, *next; m; m = next) {
		next = m->next;
		if (m->held)
			ucp.ucp_am_data_release(u->worker, m->data);
		free(m);
	}
	u->arrived = NULL;
}
