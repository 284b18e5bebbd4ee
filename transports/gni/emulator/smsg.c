// Short messages. The mailbox lies in the sender's segment; the buffers that the callers register
// for it are checked, and not used.
#include <string.h>

#include "fabric.h"

#define EARLY_BY 2000 // nanoseconds

static uint32_t rounded(uint32_t n) { return (n + 63) & ~63u; }

static uint32_t needed(const gni_smsg_attr_t *a) { return 128 + a->mbox_maxcredit * rounded(a->msg_maxsize + 32); }

static uint64_t address_of(const gni_smsg_attr_t *a) { return (uint64_t)(uintptr_t)a->msg_buffer + a->mbox_offset; }

static bool valid(const gni_smsg_attr_t *a)
{
	return a && (a->msg_type == GNI_SMSG_TYPE_MBOX || a->msg_type == GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT) &&
	       a->mbox_maxcredit && a->msg_maxsize && a->msg_maxsize <= MOST_MESSAGE;
}

PUBLIC gni_return_t GNI_SmsgBufferSizeNeeded(gni_smsg_attr_t *a, unsigned int *size)
{
	ENTER(NULL);
	if (!valid(a) || !size)
		return GNI_RC_INVALID_PARAM;
	*size = needed(a);
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_SmsgSetMaxRetrans(gni_nic_handle_t nic, uint16_t most)
{
	struct nic *n = object_check(nic, NIC);
	ENTER(n);
	return n && most ? GNI_RC_SUCCESS : GNI_RC_INVALID_PARAM;
}

// outbox returns the ring of messages towards a peer.
static struct mailbox *outbox(struct nic *n, struct lane *l, const gni_smsg_attr_t *a)
{
	uint32_t room = rounded(a->msg_maxsize + sizeof(struct slot));
	uint64_t size = sizeof(struct mailbox) + (uint64_t)room * a->mbox_maxcredit;
	uint64_t at = atomic_load(&l->outbox);
	if (at) {
		struct mailbox *b = (void *)((char *)n->segment + at);
		if (b->room != room || b->credits != a->mbox_maxcredit || b->address != address_of(a))
			return NULL;
		return b;
	}
	if (n->segment->used + size > SEGMENT)
		return NULL;
	at = n->segment->used;
	n->segment->used += (size + 63) & ~63ull;
	struct mailbox *b = (void *)((char *)n->segment + at);
	b->address = address_of(a);
	b->credits = a->mbox_maxcredit, b->most = a->msg_maxsize, b->room = room;
	atomic_store(&l->outbox, at);
	return b;
}

static struct peer *peer(struct endpoint *e)
{
	if (!e->peer)
		e->peer = peer_of(e->nic, e->address, e->instance);
	return e->peer;
}

PUBLIC gni_return_t GNI_SmsgInit(gni_ep_handle_t ep, gni_smsg_attr_t *mine, gni_smsg_attr_t *theirs)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	uint32_t index, generation;
	uint64_t key;
	if (!e || !valid(mine) || !valid(theirs) || mine->msg_type != theirs->msg_type)
		return GNI_RC_INVALID_PARAM;
	if (!e->bound || !e->queue || e->smsg)
		return GNI_RC_INVALID_STATE;
	if (address_of(mine) % 8)
		return GNI_RC_ALIGNMENT_ERROR;
	if (mine->buff_size < needed(mine))
		return GNI_RC_INVALID_PARAM;
	gni_return_t rc = region_check(e->nic->segment, e->nic->key, &mine->mem_hndl,
	                               address_of(mine), needed(mine), true);
	if (rc)
		return rc;
	if (!handle_of(&theirs->mem_hndl, &index, &key, &generation) || key != key_of(e->address, e->instance))
		return GNI_RC_INVALID_PARAM;
	struct lane *l = lane_of(e->nic->segment, key);
	if (!l || !(e->out = outbox(e->nic, l, theirs)))
		return GNI_RC_ERROR_RESOURCE;
	e->mine = *mine, e->theirs = *theirs, e->smsg = true;
	peer(e); // its segment stays mapped when it ends, with the messages that it has sent
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_SmsgSendWTag(gni_ep_handle_t ep, void *header, uint32_t hlen, void *data, uint32_t dlen, uint32_t id, uint8_t tag)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	if (!e || tag == GNI_SMSG_ANY_TAG || (hlen && !header) || (dlen && !data))
		return GNI_RC_INVALID_PARAM;
	if (!e->smsg || atomic_load(&e->nic->segment->gone))
		return GNI_RC_INVALID_STATE;
	struct mailbox *b = e->out;
	if (hlen > b->most || dlen > b->most - hlen)
		return GNI_RC_INVALID_PARAM;
	struct queue *q = e->queue;
	uint32_t tail = atomic_load_explicit(&b->tail, memory_order_relaxed);
	if (tail - atomic_load_explicit(&b->head, memory_order_acquire) >= b->credits)
		return GNI_RC_NOT_DONE;
	struct peer *p = peer(e);
	uint64_t at = timed() ? now() + latency() : 0;
	uint64_t entry = id | (uint64_t)GNI_CQ_EVENT_TYPE_SMSG << TYPE_AT;
	if (lifetime() && ++e->nic->posted > lifetime())
		atomic_store(&e->nic->segment->gone, 1);
	uint32_t index, generation;
	uint64_t key;
	struct region *r = NULL;
	if (p && peer_alive(e->nic, p, false) && handle_of(&e->theirs.mem_hndl, &index, &key, &generation)) {
		r = &p->segment->regions[index];
		if ((uint32_t)atomic_load(&r->generation) != generation)
			r = NULL;
	}
	if (!r) {
		queue_add(q, entry | (uint64_t)GNI_RC_TRANSACTION_ERROR << STATUS_AT, at);
		return GNI_RC_SUCCESS; // the error is an event
	}
	struct slot *s = (void *)(b->slots + (size_t)(tail % b->credits) * b->room);
	s->at = happens(EARLY) ? now() + EARLY_BY + latency() : at;
	s->header = hlen, s->data = dlen, s->tag = tag;
	if (hlen)
		memcpy(s->bytes, header, hlen);
	if (dlen)
		memcpy(s->bytes + hlen, data, dlen);
	atomic_store_explicit(&b->tail, tail + 1, memory_order_release);
	if (r->queue)
		lane_push(p, r->queue - 1, e->remote_event | (uint64_t)GNI_CQ_EVENT_TYPE_SMSG << TYPE_AT, at);
	struct entry *local = queue_add(q, entry, at);
	if (local && hlen + dlen) {
		local->header = header, local->header_length = hlen, local->data = data, local->data_length = dlen;
		local->sum = sum_of(header, hlen, data, dlen);
	}
	return GNI_RC_SUCCESS;
}

// inbox returns the peer's ring of messages to this endpoint, NULL as long as there is none.
static struct mailbox *inbox(struct endpoint *e)
{
	struct peer *p = peer(e);
	if (!p)
		return NULL;
	uint64_t at = atomic_load_explicit(&p->to->outbox, memory_order_acquire);
	return at ? (void *)((char *)p->segment + at) : NULL;
}

PUBLIC gni_return_t GNI_SmsgGetNextWTag(gni_ep_handle_t ep, void **header, uint8_t *tag)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	if (!e || !header || !tag)
		return GNI_RC_INVALID_PARAM;
	if (!e->smsg)
		return GNI_RC_INVALID_STATE;
	if (e->taken)
		violation(__func__, "the message before is not released");
	struct mailbox *b = inbox(e);
	if (!b)
		return GNI_RC_NOT_DONE;
	if (b->address != address_of(&e->mine) || b->credits != e->mine.mbox_maxcredit || b->most != e->mine.msg_maxsize)
		violation(__func__, "the peer writes its messages to another mailbox than this one");
	uint32_t head = atomic_load_explicit(&b->head, memory_order_relaxed);
	if (head == atomic_load_explicit(&b->tail, memory_order_acquire))
		return GNI_RC_NOT_DONE;
	struct slot *s = (void *)(b->slots + (size_t)(head % b->credits) * b->room);
	if (s->at && s->at > now())
		return GNI_RC_NOT_DONE;
	if (*tag != GNI_SMSG_ANY_TAG && *tag != s->tag)
		return GNI_RC_NO_MATCH;
	*tag = s->tag;
	*header = s->bytes;
	e->taken = true;
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_SmsgRelease(gni_ep_handle_t ep)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	if (!e)
		return GNI_RC_INVALID_PARAM;
	if (!e->taken)
		return GNI_RC_INVALID_STATE;
	struct mailbox *b = inbox(e);
	e->taken = false;
	atomic_fetch_add_explicit(&b->head, 1, memory_order_release);
	return GNI_RC_SUCCESS;
}
