// Datagrams: two endpoints that are bound to each other exchange up to 128 bytes, or an endpoint
// that is not bound exchanges them with any.
#include <stdlib.h>
#include <string.h>

#include "fabric.h"

struct datagram {
	struct endpoint *endpoint;
	uint64_t id;
	uint8_t in[GNI_DATAGRAM_MAXSIZE];
	uint16_t length, room;
	void *out;
	uint32_t sent; // number in the peer's lane; 0: it is not sent
	bool done;
	gni_post_state_t state; // once it is done
	uint32_t address, instance; // of the peer that it was exchanged with
	struct datagram *next;
};

// send leaves a datagram in the peer's lane, once it is free.
static bool send(struct nic *n, struct datagram *d, struct peer *p)
{
	struct lane *l = p->to;
	if (d->sent || atomic_load(&l->datagram))
		return d->sent;
	memcpy(l->datagram_data, d->in, d->length);
	l->datagram_length = d->length;
	d->sent = n->last_datagram += 2;
	atomic_store(&l->datagram, d->sent);
	return true;
}

// withdraw takes back a datagram that the peer has not taken.
static bool withdraw(struct datagram *d, struct peer *p)
{
	uint32_t sent = d->sent;
	if (sent && !atomic_compare_exchange_strong(&p->to->datagram, &sent, 0))
		return false;
	d->sent = 0;
	return true;
}

// take takes the peer's datagram. The peer may withdraw it at the same time.
static bool take(struct datagram *d, struct lane *l)
{
	uint32_t there = atomic_load(&l->datagram);
	if (!there || !atomic_compare_exchange_strong(&l->datagram, &there, 1))
		return false;
	memcpy(d->out, l->datagram_data, l->datagram_length < d->room ? l->datagram_length : d->room);
	atomic_store(&l->datagram, 0);
	d->done = true, d->state = GNI_POST_COMPLETED;
	return true;
}

// advance makes all exchanges that are possible, those of bound endpoints first.
static void advance(struct nic *n)
{
	for (struct datagram *d = n->datagrams; d; d = d->next) {
		struct endpoint *e = d->endpoint;
		if (d->done || !e->bound)
			continue;
		struct peer *p = peer_of(n, e->address, e->instance);
		if (!p)
			continue; // it has not started yet
		if (!peer_alive(n, p, true)) {
			d->done = true, d->state = GNI_POST_ERROR;
			continue;
		}
		d->address = e->address, d->instance = e->instance;
		if (!send(n, d, p) || !atomic_load(&p->from->datagram))
			continue;
		if (!happens(CROSS) || !withdraw(d, p)) // else an endpoint that is not bound may answer
			take(d, p->from);
	}
	for (struct datagram *d = n->datagrams; d; d = d->next) {
		if (d->done || d->endpoint->bound)
			continue;
		for (int i = 0; i < LANES && !d->done; i++) {
			struct lane *l = &n->segment->lanes[i];
			uint64_t source = atomic_load(&l->source);
			if (!source)
				break;
			if (!atomic_load(&l->datagram))
				continue;
			struct peer *p = peer_of(n, (uint32_t)((source - 1) >> 32), (uint32_t)(source - 1));
			if (!p || atomic_load(&p->to->datagram) || !take(d, l))
				continue;
			send(n, d, p);
			d->address = (uint32_t)((source - 1) >> 32), d->instance = (uint32_t)(source - 1);
		}
	}
}

static struct datagram **find(struct nic *n, struct endpoint *e, uint64_t id)
{
	struct datagram **at = &n->datagrams;
	while (*at && !((*at)->id == id && (*at)->endpoint == e))
		at = &(*at)->next;
	return at;
}

PUBLIC gni_return_t GNI_EpPostDataWId(gni_ep_handle_t ep, void *in, uint16_t length, void *out, uint16_t room, uint64_t id)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	if (!e || (length && !in) || (room && !out))
		return GNI_RC_INVALID_PARAM;
	if (length > GNI_DATAGRAM_MAXSIZE || room > GNI_DATAGRAM_MAXSIZE)
		return GNI_RC_SIZE_ERROR;
	for (struct datagram *d = e->nic->datagrams; d; d = d->next)
		if (d->endpoint == e)
			return GNI_RC_ERROR_RESOURCE; // one at a time for each endpoint
	struct datagram *d = calloc(1, sizeof *d);
	if (!d)
		return GNI_RC_ERROR_NOMEM;
	d->endpoint = e, d->id = id, d->length = length, d->out = out, d->room = room;
	if (length)
		memcpy(d->in, in, length);
	d->next = e->nic->datagrams;
	e->nic->datagrams = d;
	advance(e->nic);
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_PostDataProbeById(gni_nic_handle_t nic, uint64_t *id)
{
	struct nic *n = object_check(nic, NIC);
	ENTER(n);
	if (!n || !id)
		return GNI_RC_INVALID_PARAM;
	advance(n);
	for (struct datagram *d = n->datagrams; d; d = d->next) {
		if (d->done) {
			*id = d->id;
			return GNI_RC_SUCCESS;
		}
	}
	return GNI_RC_NO_MATCH;
}

PUBLIC gni_return_t GNI_EpPostDataTestById(gni_ep_handle_t ep, uint64_t id, gni_post_state_t *state, uint32_t *address, uint32_t *instance)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	if (!e || !state || !address || !instance)
		return GNI_RC_INVALID_PARAM;
	advance(e->nic);
	struct datagram **at = find(e->nic, e, id), *d = *at;
	if (!d)
		return GNI_RC_NO_MATCH;
	*state = d->done ? d->state : GNI_POST_PENDING;
	if (d->done) {
		*address = d->address, *instance = d->instance;
		*at = d->next;
		free(d);
	}
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_EpPostDataCancelById(gni_ep_handle_t ep, uint64_t id)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	if (!e)
		return GNI_RC_INVALID_PARAM;
	struct datagram *d = *find(e->nic, e, id);
	if (!d || d->done)
		return GNI_RC_NO_MATCH;
	if (!withdraw(d, peer_of(e->nic, d->address, d->instance)))
		return GNI_RC_NO_MATCH; // its end can be probed, or will be
	d->done = true, d->state = GNI_POST_TERMINATED;
	return GNI_RC_SUCCESS;
}
