//go:build verbs && cgo

#include "rail.h"
#include <errno.h>
#include <string.h>

static int positive(int e) { return e < 0 ? -e : e; } // siw returns negative numbers

// lends reports whether the memory of a request may still be read after a request behind it has
// completed. Soft-iWARP gives the pages of a request that is not signalled to TCP without a copy
// (Linux, siw_qp_tx.c, siw_qp_prepare_tx), and a completion there means that TCP has the data, not
// that it has sent them. It copies the data of signalled requests, so each such request is
// signalled.
static int lends(const struct rail *r, const struct ibv_send_wr *wr)
{
	return r->context->device->transport_type == IBV_TRANSPORT_IWARP && wr->num_sge && !(wr->send_flags & IBV_SEND_INLINE) &&
	       wr->opcode != IBV_WR_RDMA_READ;
}

// request_id returns the id of a request: of a receive or not, how often the queue pair was made,
// the queue, and low.
static uint64_t request_id(const struct rail *r, uint64_t receive, uint32_t index, uint32_t low)
{
	return receive << 63 | (uint64_t)(r->queues[index].made & 0x7f) << 56 | (uint64_t)index << 32 | low;
}

// post adds one request to a send queue. Only some are signalled; the completion of one stands
// for all before it.
static int post(struct rail *r, uint32_t index, struct ibv_send_wr *wr, struct work w, int signalled)
{
	struct queue *q = &r->queues[index];
	struct ibv_send_wr *bad;
	if (signalled || ++q->quiet >= r->signal || lends(r, wr))
		wr->send_flags |= IBV_SEND_SIGNALED;
	wr->wr_id = request_id(r, 0, index, q->posted);
	wr->qp_type.xrc.remote_srqn = q->remote; // which other services do not read
	int e = ibv_post_send(q->qp, wr, &bad);
	if (e)
		return -positive(e);
	if (wr->send_flags & IBV_SEND_SIGNALED)
		q->quiet = 0;
	q->works[q->posted & (r->c.depth - 1)] = w;
	q->posted++;
	return 0;
}

static int full(struct rail *r, struct queue *q, uint32_t keep) { return q->posted - q->done + keep >= r->c.depth; }

// pack_and_post copies a packet to a buffer and posts it: inline from the one buffer for that,
// which is free again at once, or from a slot of the pool.
static int pack_and_post(struct rail *r, uint32_t index, const struct prefix *p, uint32_t head, const void *data, uint32_t length)
{
	uint32_t size = head + length;
	struct work w = {.slot = -1, .operation = SEND};
	uint8_t *buffer = r->inline_buffer;
	struct ibv_sge sge = {.length = size, .lkey = r->mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND};
	if (size <= r->c.inlined) {
		wr.send_flags = IBV_SEND_INLINE;
	} else {
		if (!r->free_count)
			return 1;
		w.slot = r->free_slots[r->free_count - 1];
		buffer = r->send + (uint64_t)w.slot * r->c.buffer;
	}
	memcpy(buffer, p, head);
	if (length)
		memcpy(buffer + head, data, length);
	sge.addr = (uintptr_t)buffer;
	if (r->queues[index].ah) {
		wr.wr.ud.ah = r->queues[index].ah;
		wr.wr.ud.remote_qpn = r->queues[index].remote;
		wr.wr.ud.remote_qkey = QKEY;
	}
	int e = post(r, index, &wr, w, r->queues[index].leaving);
	if (!e && w.slot >= 0)
		r->free_count--;
	return e;
}

int gb_send(struct rail *r, uint32_t index, uint64_t h0, uint64_t h1, uint64_t h2, const void *data, uint32_t length,
	    int last)
{
	struct queue *q = &r->queues[index];
	// The last place of the queue is reserved for credits, without which both sides could wait for
	// each other.
	if (!q->live || q->sent - q->heard >= r->c.credits || full(r, q, 2))
		return 1;
	struct prefix p = {.freed = q->freed, .number = q->sent + 1, .header = {h0, h1, h2}};
	q->leaving |= last;
	int e = pack_and_post(r, index, &p, sizeof p, data, length);
	if (!e) {
		q->sent++;
		q->told = q->freed;
	}
	return e;
}

int gb_send_outgoing(struct rail *r, const struct outgoing *o)
{
	return gb_send(r, o->queue, o->header[0], o->header[1], o->header[2], (const void *)(uintptr_t)o->data, o->length, (int)o->last);
}

// send_credit sends the number of freed buffers to the peer when no packet is due that would carry
// it.
static int send_credit(struct rail *r, uint32_t index)
{
	struct queue *q = &r->queues[index];
	struct prefix p = {.freed = q->freed, .number = index < r->c.control ? q->sent : r->queues[index - r->c.control].sent};
	if (!q->live || full(r, q, 1))
		return 1;
	int e = pack_and_post(r, index, &p, 8, NULL, 0);
	if (!e)
		q->told = q->freed;
	return e;
}

// gb_census sends, on a control queue, the number of packets that were sent by the data queue, if
// it has grown since the last time, so that the peer detects the loss of the last ones.
int gb_census(struct rail *r, uint32_t control)
{
	struct queue *q = &r->queues[control];
	uint32_t sent = r->queues[control - r->c.control].sent;
	if (q->sent == sent)
		return 0;
	int e = send_credit(r, control);
	if (!e)
		q->sent = sent;
	return e;
}

// gb_greet sends the first packet of a connection, which has no content.
int gb_greet(struct rail *r, uint32_t index) { return send_credit(r, index); }

int gb_write(struct rail *r, uint32_t index, uint64_t from, uint32_t lkey, uint64_t to, uint32_t rkey, uint32_t length,
	     uint64_t token, int last, int notice, uint32_t word)
{
	struct queue *q = &r->queues[index];
	if (!q->live || full(r, q, 2) || (notice && q->sent - q->heard >= r->c.credits))
		return 1;
	struct ibv_sge sge = {.addr = from, .length = length, .lkey = lkey};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = length ? 1 : 0,
		.opcode = notice ? IBV_WR_RDMA_WRITE_WITH_IMM : IBV_WR_RDMA_WRITE,
		.imm_data = word,
		.send_flags = length && length <= r->c.inlined ? IBV_SEND_INLINE : 0,
		.wr.rdma = {.remote_addr = to, .rkey = rkey},
	};
	int e = post(r, index, &wr, (struct work){-1, notice ? WRITE_NOTICE : WRITE, last, token}, last);
	if (!e && notice)
		q->sent++;
	return e;
}

int gb_read(struct rail *r, uint32_t index, uint64_t into, uint32_t lkey, uint64_t from, uint32_t rkey, uint32_t length,
	    uint64_t token, int last)
{
	struct queue *q = &r->queues[index];
	if (!q->live || full(r, q, 2))
		return 1;
	struct ibv_sge sge = {.addr = into, .length = length, .lkey = lkey};
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_READ, .wr.rdma = {.remote_addr = from, .rkey = rkey}};
	return post(r, index, &wr, (struct work){-1, READ, last, token}, last);
}

int gb_atomic(struct rail *r, uint32_t index, uint64_t into, uint32_t lkey, uint64_t at, uint32_t rkey, int swap,
	      uint64_t operand, uint64_t token, int last)
{
	struct queue *q = &r->queues[index];
	if (!q->live || full(r, q, 2))
		return 1;
	struct ibv_sge sge = {.addr = into, .length = 8, .lkey = lkey};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = swap ? IBV_WR_ATOMIC_CMP_AND_SWP : IBV_WR_ATOMIC_FETCH_AND_ADD,
		.wr.atomic = {.remote_addr = at, .compare_add = operand, .swap = operand + 1, .rkey = rkey},
	};
	return post(r, index, &wr, (struct work){-1, ATOMIC, last, token}, last);
}

// gb_alive tests whether the peer's queue pair still exists. The peer's adapter, not its program,
// acknowledges an empty write like any other. On iWARP a write is complete when it has left (RFC
// 5040, section 5), so there a byte is read.
int gb_alive(struct rail *r, uint32_t index, uint64_t to, uint32_t rkey)
{
	struct queue *q = &r->queues[index];
	if (!q->live || full(r, q, 2))
		return 1;
	struct ibv_sge sge = {.addr = (uintptr_t)r->landing, .length = 1, .lkey = r->mr->lkey};
	struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE, .wr.rdma = {.remote_addr = to, .rkey = rkey}};
	if (r->context->device->transport_type == IBV_TRANSPORT_IWARP) {
		wr.opcode = IBV_WR_RDMA_READ;
		wr.sg_list = &sge;
		wr.num_sge = 1;
	}
	int e = post(r, index, &wr, (struct work){.slot = -1, .operation = ALIVE}, 1);
	if (!e)
		q->alive++;
	return e;
}

static struct ibv_recv_wr *receive_request(struct rail *r, int32_t slot, uint32_t index, struct ibv_recv_wr *wr, struct ibv_sge *sge)
{
	*sge = (struct ibv_sge){(uintptr_t)(r->memory + (uint64_t)slot * r->c.buffer), r->c.buffer, r->mr->lkey};
	*wr = (struct ibv_recv_wr){.wr_id = request_id(r, 1, index, (uint32_t)slot), .sg_list = sge, .num_sge = 1};
	return wr;
}

static int post_receive(struct rail *r, uint32_t index, struct ibv_recv_wr *wr)
{
	struct ibv_recv_wr *bad;
	return positive(r->srq ? ibv_post_srq_recv(r->srq, wr, &bad) : ibv_post_recv(r->queues[index].qp, wr, &bad));
}

// gb_post_receives posts the buffers of a new queue. In a shared receive queue they serve all
// queues.
int gb_post_receives(struct rail *r, uint32_t index)
{
	uint32_t each = r->c.credits + SPARE;
	if (r->srq && r->queues[index].fed)
		return 0;
	r->queues[index].fed = 1;
	for (uint32_t i = 0; i < each; i++) {
		struct ibv_recv_wr wr;
		struct ibv_sge sge;
		int e = post_receive(r, index, receive_request(r, (int32_t)(index * each + i), index, &wr, &sge));
		if (e)
			return -e;
	}
	return 0;
}

// gb_repost posts one buffer again.
void gb_repost(struct rail *r, int32_t slot, uint32_t index)
{
	struct ibv_recv_wr wr;
	struct ibv_sge sge;
	post_receive(r, index, receive_request(r, slot, index, &wr, &sge));
}

// gb_recycle posts again the buffers that have been read. It sends a credit to each peer of whose
// buffers at least half are freed and not reported yet. Consecutive buffers of one queue are posted
// as one list.
void gb_recycle(struct rail *r)
{
	struct ibv_recv_wr wrs[BATCH];
	struct ibv_sge sges[BATCH];
	for (uint32_t i = 0; i < r->idle_count;) {
		uint32_t index = r->idle_queue[i], n = 0;
		while (i < r->idle_count && r->idle_queue[i] == index && n < BATCH) {
			receive_request(r, r->idle[i++], index, &wrs[n], &sges[n]);
			if (n > 0)
				wrs[n - 1].next = &wrs[n];
			n++;
		}
		if (r->queues[index].qp && !r->queues[index].broken && !post_receive(r, index, wrs))
			r->queues[index].freed += n;
	}
	r->idle_count = r->owing = 0;
	for (uint32_t i = 0; i < r->c.peers; i++) {
		struct queue *q = &r->queues[i];
		if (q->qp && !q->broken && (q->freed - q->told) * 2 >= r->c.credits && send_credit(r, i) == 1)
			r->owing = 1;
	}
}
