//go:build verbs && cgo

#include "rail.h"
#include <errno.h>
#include <poll.h>
#include <string.h>

static int has_number(const struct ibv_qp *qp, uint32_t number) { return qp && qp->qp_num == number; }

// queue_of finds the queue of a completion. With a shared receive queue the id of the request does
// not contain it.
static struct queue *queue_of(struct rail *r, const struct ibv_wc *wc, uint32_t *index)
{
	*index = wc->wr_id >> 32 & 0xffffff;
	int receive = wc->wr_id >> 63;
	if (r->srq && receive) {
		uint32_t at = wc->qp_num & r->mask;
		while (r->by_number[at] && !has_number(receiver(&r->queues[r->by_number[at] - 1]), wc->qp_num))
			at = (at + 1) & r->mask;
		if (!r->by_number[at])
			return NULL;
		*index = r->by_number[at] - 1;
		return &r->queues[*index];
	}
	struct queue *q = &r->queues[*index];
	return q->qp && (wc->wr_id >> 56 & 0x7f) == (q->made & 0x7f) ? q : NULL; // else of an abandoned call
}

// retire takes work requests off the send queue, up to but not including position.
static void retire(struct rail *r, struct queue *q, uint32_t index, uint32_t position, int report)
{
	for (; q->done != position; q->done++) {
		struct work *w = &q->works[q->done & (r->c.depth - 1)];
		if (w->slot >= 0)
			r->free_slots[r->free_count++] = w->slot;
		if (w->operation == ALIVE)
			q->alive--;
		if (w->last && report)
			r->events[r->count++] = (struct event){.kind = ENDED, .queue = index, .token = w->token, .slot = -1};
	}
}

void gb_retire_all(struct rail *r, uint32_t index)
{
	struct queue *q = &r->queues[index];
	retire(r, q, index, q->posted, 0);
}

static void broken(struct rail *r, struct queue *q, uint32_t index, uint32_t status, uint32_t operation, uint32_t vendor)
{
	// What is flushed before the connection stands, or after its end, says nothing: the event of
	// RDMA CM has the reason.
	if (q->id && !q->live && !q->awaiting)
		return;
	q->live = 0;
	if (q->broken)
		return;
	q->broken = 1;
	r->events[r->count++] = (struct event){
		.kind = BROKEN, .queue = index, .status = status, .opcode = operation, .vendor = vendor, .slot = -1};
}

static void keep_idle(struct rail *r, int32_t slot, uint32_t index)
{
	r->idle[r->idle_count] = slot;
	r->idle_queue[r->idle_count++] = index;
}

// lost compares the number of a packet with that of the packet before it: UC and UD do not
// retransmit. A control queue carries the number for its data queue.
static int lost(struct rail *r, struct queue *q, uint32_t index, const struct prefix *p, uint32_t length)
{
	if (index >= r->c.control) {
		r->queues[index - r->c.control].claimed = p->number;
		return 0;
	}
	if (r->c.control == r->c.peers) // the service is reliable
		return 0;
	if (length >= sizeof *p)
		q->received++;
	return p->number != q->received;
}

static void received(struct rail *r, struct queue *q, uint32_t index, const struct ibv_wc *wc)
{
	int32_t slot = (int32_t)wc->wr_id;
	uint32_t skip = q->ah ? GRH : 0, length = wc->byte_len - skip;
	const struct prefix *p = (const struct prefix *)(r->memory + (uint64_t)slot * r->c.buffer + skip);
	struct event *e = &r->events[r->count];
	*e = (struct event){.queue = index, .slot = slot};
	if (wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM) {
		e->kind = NOTICE;
		e->word = wc->imm_data;
		r->count++;
		return;
	}
	if (length >= 8 && lost(r, q, index, p, length)) {
		keep_idle(r, slot, index);
		broken(r, q, index, LOST, RECEIVE, 0);
		return;
	}
	if (length >= 8)
		q->heard = p->freed;
	if (length < sizeof *p) { // a credit, whose buffer is not counted
		q->live |= q->awaiting;
		q->awaiting = 0;
		gb_repost(r, slot, index);
		return;
	}
	e->kind = PACKET;
	e->length = length - sizeof *p;
	memcpy(e->header, p->header, sizeof e->header);
	e->data = (const uint8_t *)(p + 1);
	r->count++;
}

static void completed(struct rail *r, const struct ibv_wc *wc)
{
	uint32_t index;
	struct queue *q = queue_of(r, wc, &index);
	if (!q)
		return; // the queue has been abandoned
	if (wc->wr_id >> 63) {
		if (wc->status == IBV_WC_SUCCESS)
			received(r, q, index, wc);
		else
			broken(r, q, index, wc->status, RECEIVE, wc->vendor_err);
		return;
	}
	uint32_t position = (uint32_t)wc->wr_id;
	uint32_t operation = q->works[position & (r->c.depth - 1)].operation;
	// False if the error of a later request has already retired this one.
	int ahead = position - q->done < q->posted - q->done;
	if (wc->status == IBV_WC_SUCCESS) {
		if (ahead)
			retire(r, q, index, position + 1, 1);
		return;
	}
	if (ahead)
		retire(r, q, index, position + 1, 0);
	broken(r, q, index, wc->status, operation, wc->vendor_err);
}

// gb_poll polls the completion queue, at most turns times, until there are events for the caller.
// It returns their number, or a negative errno. It releases the receive buffers of the previous
// events.
int gb_poll(struct rail *r, uint32_t turns)
{
	struct ibv_wc wc[BATCH];
	for (int i = 0; i < r->count; i++)
		if (r->events[i].slot >= 0)
			keep_idle(r, r->events[i].slot, r->events[i].queue);
	r->count = 0;
	if (r->idle_count * 4 >= r->c.credits || r->owing)
		gb_recycle(r);
	for (uint32_t turn = 0; turn < turns; turn++) {
		int n = ibv_poll_cq(r->cq, BATCH, wc);
		if (n < 0)
			return -EIO;
		r->polled += (uint64_t)n;
		for (int i = 0; i < n; i++)
			completed(r, &wc[i]);
		if (r->count)
			return r->count;
		if (r->idle_count || r->owing) // there is time for it now
			gb_recycle(r);
	}
	return 0;
}

// gb_sleep waits until there is a completion, for ms milliseconds at most. It returns at once if
// one arrived before the queue was armed, also if it is no event: a credit, or room in a queue.
int gb_sleep(struct rail *r, int ms)
{
	struct ibv_cq *cq;
	void *context;
	int e = ibv_req_notify_cq(r->cq, 0);
	if (e)
		return -e;
	uint64_t before = r->polled;
	int n = gb_poll(r, 1);
	if (n || r->polled != before)
		return n;
	struct pollfd fd = {.fd = r->channel->fd, .events = POLLIN};
	poll(&fd, 1, ms);
	unsigned int events = 0;
	while (!verbs.ibv_get_cq_event(r->channel, &cq, &context))
		events++;
	if (events)
		verbs.ibv_ack_cq_events(r->cq, events);
	return 0;
}
