// Completion queues. A queue is local, for operations of endpoints, or remote, for registered
// memory.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fabric.h"


uint64_t sum_of(const void *header, uint32_t hlen, const void *data, uint32_t dlen)
{
	uint64_t h = 14695981039346656037ull; // FNV-1a
	for (uint32_t i = 0; i < hlen; i++)
		h = (h ^ ((const uint8_t *)header)[i]) * 1099511628211ull;
	for (uint32_t i = 0; i < dlen; i++)
		h = (h ^ ((const uint8_t *)data)[i]) * 1099511628211ull;
	return h;
}

gni_return_t queue_use(struct queue *q, enum side side)
{
	if (q->side != UNDECIDED && q->side != side)
		return GNI_RC_INVALID_PARAM;
	q->side = side;
	if (side == REMOTE)
		q->entries = most_entries(q->entries);
	return GNI_RC_SUCCESS;
}

struct entry *queue_add(struct queue *q, gni_cq_entry_t entry, uint64_t at)
{
	if (q->tail - q->head == q->entries) {
		q->overrun = true;
		return NULL;
	}
	struct entry *e = &q->ring[q->tail++ % q->entries];
	*e = (struct entry){.entry = entry | BIT(VALID_AT), .at = at};
	return e;
}

// queues_drain moves the events of all peers to the queues.
void queues_drain(struct nic *n)
{
	for (uint32_t i = 0; i < LANES; i++) {
		struct lane *l = &n->segment->lanes[i];
		if (!atomic_load_explicit(&l->source, memory_order_acquire))
			return;
		uint64_t lost = atomic_load_explicit(&l->lost, memory_order_relaxed);
		if (lost)
			lost = atomic_exchange(&l->lost, 0);
		for (uint32_t j = 0; lost; j++, lost >>= 1)
			if ((lost & 1) && n->queues[j])
				n->queues[j]->overrun = true;
		uint32_t head = atomic_load_explicit(&l->head, memory_order_relaxed);
		uint32_t tail = atomic_load_explicit(&l->tail, memory_order_acquire);
		if (head == tail)
			continue;
		for (; head != tail; head++) {
			struct event *e = &l->events[head % LANE_EVENTS];
			if (e->queue < QUEUES && n->queues[e->queue])
				queue_add(n->queues[e->queue], e->entry, e->at);
		}
		atomic_store_explicit(&l->head, head, memory_order_release);
	}
}

PUBLIC gni_return_t GNI_CqCreate(gni_nic_handle_t nic, uint32_t entries, uint32_t delay, gni_cq_mode_t mode,
                                 void (*handler)(gni_cq_entry_t *, void *), void *context, gni_cq_handle_t *out)
{
	struct nic *n = object_check(nic, NIC);
	(void)context;
	ENTER(n);
	if (!n || !entries || delay || handler || !out || mode > GNI_CQ_BLOCKING)
		return GNI_RC_INVALID_PARAM;
	uint32_t i = 0;
	while (i < QUEUES && n->queues[i])
		i++;
	if (i == QUEUES)
		return GNI_RC_ERROR_RESOURCE;
	struct queue *q = object_new(QUEUE, sizeof *q);
	if (!q)
		return GNI_RC_ERROR_NOMEM;
	q->nic = n, q->number = i, q->entries = entries, q->mode = mode;
	q->ring = calloc(q->entries, sizeof *q->ring);
	if (!q->ring) {
		object_free(q);
		return GNI_RC_ERROR_NOMEM;
	}
	n->queues[i] = q;
	*out = q;
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_CqDestroy(gni_cq_handle_t handle)
{
	struct queue *q = object_check(handle, QUEUE);
	ENTER(q ? q->nic : NULL);
	if (!q)
		return GNI_RC_INVALID_PARAM;
	if (q->users)
		return GNI_RC_ERROR_RESOURCE; // endpoints or memory use it
	q->nic->queues[q->number] = NULL;
	free(q->ring);
	q->ring = NULL;
	object_free(q);
	return GNI_RC_SUCCESS;
}

// event takes the next event that can be seen.
static gni_return_t event(struct queue *q, gni_cq_entry_t *out)
{
	queues_drain(q->nic);
	if (q->overrun) {
		q->overrun = false;
		*out = BIT(OVERRUN_AT) | BIT(VALID_AT) | (uint64_t)GNI_RC_ERROR_RESOURCE << STATUS_AT;
		return GNI_RC_ERROR_RESOURCE;
	}
	if (q->head == q->tail)
		return GNI_RC_NOT_DONE;
	struct entry *e = &q->ring[q->head % q->entries];
	if (e->at && e->at > now())
		return GNI_RC_NOT_DONE;
	q->head++;
	*out = e->entry | transaction_run(q->nic, e->entry);
	if (e->sum && e->sum != sum_of(e->header, e->header_length, e->data, e->data_length))
		violation("GNI_SmsgSendWTag", "the buffer of a message was changed before its local event");
	return *out >> STATUS_AT & 15 ? GNI_RC_TRANSACTION_ERROR : GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_CqGetEvent(gni_cq_handle_t handle, gni_cq_entry_t *out)
{
	struct queue *q = object_check(handle, QUEUE);
	ENTER(q ? q->nic : NULL);
	if (!q || !out)
		return GNI_RC_INVALID_PARAM;
	return event(q, out);
}

PUBLIC gni_return_t GNI_CqWaitEvent(gni_cq_handle_t handle, uint64_t ms, gni_cq_entry_t *out)
{
	struct queue *q = object_check(handle, QUEUE);
	ENTER(q ? q->nic : NULL);
	if (!q || !out || q->mode != GNI_CQ_BLOCKING)
		return GNI_RC_INVALID_PARAM;
	const struct timespec step = {.tv_nsec = 50000};
	for (uint64_t turns = 0; turns / 20 <= ms; turns++) {
		gni_return_t rc = event(q, out);
		if (rc != GNI_RC_NOT_DONE)
			return rc;
		nanosleep(&step, NULL);
	}
	return GNI_RC_TIMEOUT;
}

PUBLIC gni_return_t GNI_CqErrorStr(gni_cq_entry_t e, void *text, uint32_t room)
{
	ENTER(NULL);
	if (!text || !room)
		return GNI_RC_INVALID_PARAM;
	snprintf(text, room, "emulated %s transaction error", e >> RECOVERABLE_AT & 1 ? "recoverable" : "unrecoverable");
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_CqErrorRecoverable(gni_cq_entry_t e, uint32_t *recoverable)
{
	ENTER(NULL);
	if (!recoverable)
		return GNI_RC_INVALID_PARAM;
	*recoverable = e >> RECOVERABLE_AT & 1;
	return GNI_RC_SUCCESS;
}

// Accessors of events.
PUBLIC uint64_t gni_cq_get_inst_id(gni_cq_entry_t e) { return (uint32_t)e; }
PUBLIC uint64_t gni_cq_get_msg_id(gni_cq_entry_t e) { return (uint32_t)e; }
PUBLIC uint64_t gni_cq_get_type(gni_cq_entry_t e) { return e >> TYPE_AT & 3; }
