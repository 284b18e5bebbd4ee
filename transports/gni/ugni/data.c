//go:build gni && cgo

// Messages and one-sided operations.
#include "private.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// MOST_TRIES bounds the posts of one operation, after errors from which the network recovers.
enum { MOST_TRIES = 16 };

void gb_nic_look_into(struct nic *n, uint32_t i, int patience)
{
	struct peer *p = &n->peers[i];
	if (p->patience < patience)
		p->patience = patience;
	if (p->queued || !p->ep)
		return;
	p->queued = 1;
	n->ready[(n->first + n->count++) % (n->c.peers + 1)] = i;
}

// give_up marks a peer as lost. The event comes after the messages that are in its mailbox.
static void give_up(struct nic *n, uint32_t i, const char *what, gni_return_t rc, const char *detail)
{
	struct peer *p = &n->peers[i];
	if (p->broken)
		return;
	p->broken = 1;
	snprintf(p->reason, sizeof p->reason, "%s: %s%s%s", what, gb_gni_code(rc), detail ? ": " : "", detail ? detail : "");
	gb_nic_look_into(n, i, 1);
}

int gb_nic_send(struct nic *n, const struct outgoing *o)
{
	struct peer *p = &n->peers[o->peer];
	if (!n->n_unused || !p->connected)
		return NO_ROOM;
	uint32_t i = n->unused[n->n_unused - 1];
	uint8_t *b = n->buffers + (size_t)i * n->room;
	struct head *h = (struct head *)b;
	memcpy(h->header, o->header, sizeof h->header);
	h->length = o->length, h->word = o->word;
	if (o->length)
		memcpy(b + HEAD, o->data, o->length);
	gni_return_t rc = gni.GNI_SmsgSendWTag(p->ep, NULL, 0, b, HEAD + o->length, i, (uint8_t)o->tag);
	if (rc == GNI_RC_NOT_DONE || rc == GNI_RC_ERROR_RESOURCE)
		return NO_ROOM;
	if (rc)
		return -(int)rc;
	n->n_unused--;
	n->owners[i] = o->peer;
	p->busy++;
	return 0;
}

// found collects events.
struct found {
	struct event *events;
	int n, most;
};

static gni_return_t post(struct nic *n, struct post *x)
{
	gni_ep_handle_t ep = n->peers[x->peer].ep;
	gni_return_t rc = x->bulk ? gni.GNI_PostRdma(ep, &x->d) : gni.GNI_PostFma(ep, &x->d);
	if (rc == GNI_RC_SUCCESS && x->bulk)
		n->n_bulk++;
	return rc;
}

static int begin(struct nic *n, struct post *x)
{
	gni_return_t rc = post(n, x);
	if (rc == GNI_RC_NOT_DONE || rc == GNI_RC_ERROR_RESOURCE)
		return NO_ROOM;
	if (rc)
		return -(int)rc;
	n->n_idle--;
	n->peers[x->peer].busy++;
	n->peers[x->peer].operations++;
	return 0;
}

int gb_nic_post(struct nic *n, const struct piece *p)
{
	if (!n->n_idle)
		return NO_ROOM;
	struct post *x = &n->posts[n->idle[n->n_idle - 1]];
	*x = (struct post){.token = p->token, .peer = p->peer, .bulk = p->bulk};
	x->d.type = p->bulk ? (p->get ? GNI_POST_RDMA_GET : GNI_POST_RDMA_PUT) : (p->get ? GNI_POST_FMA_GET : GNI_POST_FMA_PUT);
	x->d.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
	x->d.dlvr_mode = GNI_DLVMODE_PERFORMANCE;
	x->d.local_addr = p->local;
	x->d.local_mem_hndl = p->mine;
	x->d.remote_addr = p->remote;
	x->d.remote_mem_hndl = p->theirs;
	x->d.length = p->length;
	x->d.src_cq_hndl = p->bulk ? n->bulk : NULL;
	return begin(n, x);
}

int gb_nic_alive(struct nic *n, uint32_t peer, uint64_t remote, const gni_mem_handle_t *theirs)
{
	struct peer *p = &n->peers[peer];
	if (!n->n_idle || p->asked)
		return NO_ROOM;
	struct post *x = &n->posts[n->idle[n->n_idle - 1]];
	*x = (struct post){.peer = peer, .alive = 1};
	x->d.type = GNI_POST_FMA_PUT;
	x->d.cq_mode = GNI_CQMODE_GLOBAL_EVENT;
	x->d.local_addr = (uint64_t)(uintptr_t)n->mailboxes;
	x->d.remote_addr = remote;
	x->d.remote_mem_hndl = *theirs;
	int rc = begin(n, x);
	p->asked = rc == 0;
	return rc;
}

// finish ends an operation, with an event except for an unsuccessful probe of a peer.
static void finish(struct nic *n, struct post *x, bool failed, struct found *f)
{
	struct peer *p = &n->peers[x->peer];
	p->busy--, p->operations--;
	if (x->alive)
		p->asked = 0;
	if (!x->alive || !failed)
		f->events[f->n++] = (struct event){.kind = x->alive ? EVENT_ALIVE : failed ? EVENT_FAILED : EVENT_ENDED, .peer = x->peer, .token = x->token};
	n->idle[n->n_idle++] = (uint32_t)(x - n->posts);
}

// ended handles the event of a one-sided operation. It returns a code below 0 where the event
// cannot be assigned to an operation.
static int ended(struct nic *n, gni_cq_handle_t cq, gni_cq_entry_t entry, struct found *f)
{
	gni_post_descriptor_t *d = NULL;
	gni_return_t rc = gni.GNI_GetCompleted(cq, entry, &d);
	if ((rc && rc != GNI_RC_TRANSACTION_ERROR) || !d)
		return rc ? -(int)rc : -GNI_RC_DESCRIPTOR_ERROR;
	struct post *x = (struct post *)d;
	if (x->bulk)
		n->n_bulk--;
	if (rc == GNI_RC_SUCCESS) {
		finish(n, x, false, f);
		return 0;
	}
	uint32_t recoverable = 0;
	if (gni.GNI_CqErrorRecoverable(entry, &recoverable))
		recoverable = 0;
	if (recoverable && ++x->tries < MOST_TRIES) {
		n->again[n->n_again++] = (uint32_t)(x - n->posts);
		return 0;
	}
	char text[128] = "";
	if (gni.GNI_CqErrorStr(entry, text, sizeof text))
		snprintf(text, sizeof text, "without a description");
	text[sizeof text - 1] = 0;
	give_up(n, x->peer, x->alive ? "empty FMA PUT that tests whether the peer is alive" : x->bulk ? "BTE transfer" : "FMA transfer", rc, text);
	finish(n, x, true, f);
	return 0;
}

// repost posts failed operations again whose errors are recoverable.
static void repost(struct nic *n, struct found *f)
{
	while (n->n_again && f->n < f->most) {
		struct post *x = &n->posts[n->again[n->n_again - 1]];
		gni_return_t rc = n->peers[x->peer].broken ? GNI_RC_INVALID_STATE : post(n, x);
		if (rc == GNI_RC_ERROR_RESOURCE || rc == GNI_RC_NOT_DONE)
			return;
		n->n_again--;
		if (rc) {
			give_up(n, x->peer, x->bulk ? "GNI_PostRdma" : "GNI_PostFma", rc, NULL);
			finish(n, x, true, f);
		}
	}
}

// local takes events of the rank's own operations.
static int local(struct nic *n, gni_cq_handle_t cq, struct found *f)
{
	while (f->n < f->most) {
		gni_cq_entry_t entry = 0;
		gni_return_t rc = gni.GNI_CqGetEvent(cq, &entry);
		if (rc == GNI_RC_NOT_DONE)
			return 0;
		if (rc && rc != GNI_RC_TRANSACTION_ERROR)
			return -(int)rc;
		if (gni.gni_cq_get_type(entry) == GNI_CQ_EVENT_TYPE_POST) {
			int lost = ended(n, cq, entry, f);
			if (lost)
				return lost;
			continue;
		}
		uint64_t i = gni.gni_cq_get_msg_id(entry);
		if (i >= n->c.buffers)
			return -GNI_RC_DESCRIPTOR_ERROR;
		n->unused[n->n_unused++] = (uint32_t)i;
		n->peers[n->owners[i]].busy--;
		if (rc) {
			char text[128] = "";
			gni.GNI_CqErrorStr(entry, text, sizeof text - 1);
			give_up(n, n->owners[i], "message", rc, text);
		}
	}
	return 0;
}

void gb_nic_sweep(struct nic *n)
{
	for (uint32_t i = 0; i < n->c.peers; i++)
		if (n->peers[i].connected && !n->peers[i].reported)
			gb_nic_look_into(n, i, 1);
}

// arrived handles an event of the receive queue: it queues the mailbox that has a message.
static int arrived(struct nic *n, gni_return_t rc, gni_cq_entry_t entry)
{
	if (rc == GNI_RC_ERROR_RESOURCE) { // overrun: any mailbox may have some
		gb_nic_sweep(n);
		return 0;
	}
	if (rc)
		return -(int)rc;
	uint64_t peer = gni.gni_cq_get_inst_id(entry);
	if (peer < n->c.peers)
		gb_nic_look_into(n, (uint32_t)peer, PATIENCE);
	return 0;
}

// arrivals handles the events of the receive queue.
static int arrivals(struct nic *n)
{
	for (int i = 0; i < 64; i++) {
		gni_cq_entry_t entry = 0;
		gni_return_t rc = gni.GNI_CqGetEvent(n->rx, &entry);
		if (rc == GNI_RC_NOT_DONE)
			return 0;
		if ((rc = (gni_return_t)arrived(n, rc, entry)))
			return (int)rc;
	}
	return 0;
}

void gb_nic_sleep(struct nic *n, uint32_t ms)
{
	gni_cq_entry_t entry = 0;
	if (n->error || n->count || n->n_late || n->n_again || n->n_unused < n->c.buffers || n->n_idle < n->c.posts)
		return;
	gni_return_t rc = gni.GNI_CqWaitEvent(n->rx, ms, &entry);
	if (rc != GNI_RC_TIMEOUT && rc != GNI_RC_NOT_DONE)
		n->error = arrived(n, rc, entry);
}

// mailboxes adds the next message of the queued mailboxes to the events. A mailbox that had one
// goes to the end of the queue, so that a stream of messages leaves room for other peers.
static void mailboxes(struct nic *n, struct found *f)
{
	for (uint32_t looks = n->count; looks > 0 && n->count > 0; looks--) {
		uint32_t i = n->ready[n->first];
		struct peer *p = &n->peers[i];
		void *message = NULL;
		uint8_t tag = GNI_SMSG_ANY_TAG;
		gni_return_t rc = p->connected && !p->reported && !p->unreadable ? gni.GNI_SmsgGetNextWTag(p->ep, &message, &tag) : GNI_RC_NOT_DONE;
		n->first = (n->first + 1) % (n->c.peers + 1);
		n->count--;
		p->queued = 0;
		if (rc == GNI_RC_SUCCESS) {
			const struct head *h = message;
			struct event *e = &f->events[f->n++];
			*e = (struct event){.peer = i, .header = {h->header[0], h->header[1], h->header[2]}, .length = h->length,
			                    .word = h->word, .data = (const char *)message + HEAD};
			e->kind = tag == TAG_PACKET ? EVENT_PACKET : tag == TAG_NOTICE ? EVENT_NOTICE : EVENT_SEVERED;
			if (h->length > n->c.mailbox - HEAD) // no rank of ours sends it
				*e = (struct event){.kind = EVENT_SEVERED, .peer = i};
			n->taken = i;
			gb_nic_look_into(n, i, 1);
			return;
		}
		if (rc != GNI_RC_NOT_DONE) {
			if (!p->broken)
				give_up(n, i, "GNI_SmsgGetNextWTag", rc, NULL);
			p->unreadable = 1;
		} else if (!p->broken && --p->patience > 0) {
			gb_nic_look_into(n, i, 0);
			continue;
		}
		if (p->broken && p->operations) { // whose events come first
			gb_nic_look_into(n, i, 1);
		} else if (p->broken && !p->reported) {
			p->reported = 1;
			f->events[f->n++] = (struct event){.kind = EVENT_BROKEN, .peer = i};
			return;
		}
	}
}

int gb_nic_poll(struct nic *n, int turns)
{
	struct found f = {n->events, 0, EVENTS - 1}; // one place is for a mailbox
	if (n->taken != NONE) {
		gni_return_t rc = gni.GNI_SmsgRelease(n->peers[n->taken].ep);
		if (rc) {
			n->peers[n->taken].unreadable = 1;
			give_up(n, n->taken, "GNI_SmsgRelease", rc, NULL);
		}
		n->taken = NONE;
	}
	while (n->n_late && f.n < f.most)
		f.events[f.n++] = n->late[--n->n_late];
	if (n->error)
		return f.n ? f.n : n->error;
	for (int i = 0; i < turns && (!f.n || !i); i++) {
		int rc = arrivals(n);
		if (!rc && n->n_again)
			repost(n, &f);
		if (!rc && (n->n_unused < n->c.buffers || n->n_idle < n->c.posts))
			rc = local(n, n->tx, &f);
		if (!rc && n->n_bulk)
			rc = local(n, n->bulk, &f);
		if (!rc && n->count)
			mailboxes(n, &f);
		if (rc) {
			n->error = rc;
			return f.n ? f.n : rc;
		}
	}
	return f.n;
}

int gb_nic_settle(struct nic *n, uint32_t peer)
{
	struct peer *p = &n->peers[peer];
	struct found f = {n->late, (int)n->n_late, (int)n->c.posts};
	p->broken = p->reported = 1;
	if (n->n_again)
		repost(n, &f);
	if (!n->error && p->operations)
		n->error = local(n, n->tx, &f);
	if (!n->error && n->n_bulk && p->operations)
		n->error = local(n, n->bulk, &f);
	n->n_late = (uint32_t)f.n;
	return p->operations && !n->error;
}

uint32_t gb_nic_busy(struct nic *n, uint32_t peer) { return n->peers[peer].busy; }

const char *gb_gni_code(gni_return_t rc)
{
	static const char *const names[] = {
		"GNI_RC_SUCCESS", "GNI_RC_NOT_DONE", "GNI_RC_INVALID_PARAM", "GNI_RC_ERROR_RESOURCE", "GNI_RC_TIMEOUT",
		"GNI_RC_PERMISSION_ERROR", "GNI_RC_DESCRIPTOR_ERROR", "GNI_RC_ALIGNMENT_ERROR", "GNI_RC_INVALID_STATE",
		"GNI_RC_NO_MATCH", "GNI_RC_SIZE_ERROR", "GNI_RC_TRANSACTION_ERROR", "GNI_RC_ILLEGAL_OP", "GNI_RC_ERROR_NOMEM",
	};
	return (unsigned)rc < sizeof names / sizeof *names ? names[rc] : "an unknown return code";
}
