//go:build verbs && cgo

#include "perf.h"
#include <errno.h>

enum { PATIENCE = 1 << 28 }; // looks before the other side counts as gone

// settle polls until there is room, or one event of a kind if that is asked for.
static int settle(struct rail *r, uint32_t kind)
{
	int n = gb_poll(r, kind ? PATIENCE : 1);
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++)
		if (r->events[i].kind == BROKEN)
			return -EIO;
	return kind && n == 0 ? -ETIMEDOUT : n;
}

static int post(struct rail *r, const struct perf *p, uint32_t queue, int last)
{
	int e;
	do {
		switch (p->operation) {
		case SEND:
			e = gb_send(r, queue, 1, 0, 0, (const void *)(uintptr_t)p->out, p->length, 0);
			break;
		case WRITE:
			e = gb_write(r, queue, p->out, p->lkey, p->remote, p->rkey, p->length, 1, last, 0, 0);
			break;
		default:
			e = gb_read(r, queue, p->out, p->lkey, p->remote, p->rkey, p->length, 1, last);
		}
		if (e == 1) {
			int n = settle(r, 0);
			if (n < 0)
				return n;
		}
	} while (e == 1);
	return e;
}

// seen waits for a message: a packet, or for a write its last byte, which counts the rounds.
static int seen(struct rail *r, const struct perf *p, uint8_t round)
{
	if (p->operation == SEND)
		return settle(r, PACKET);
	const volatile uint8_t *tail = (const volatile uint8_t *)(uintptr_t)(p->in + p->length - 1);
	for (uint32_t i = 0; *tail != round; i++)
		if (i == PATIENCE)
			return -ETIMEDOUT;
	return 0;
}

// gb_perf_latency is ib_send_lat, ib_write_lat or ib_read_lat: rounds messages there and back, or rounds reads
// one after the other by the side that is first.
int gb_perf_latency(struct rail *r, const struct perf *p, uint32_t rounds, int first)
{
	int e = 0;
	if (p->operation == READ) {
		for (uint32_t i = 0; first && i < rounds && e >= 0; i++)
			if ((e = post(r, p, 0, 1)) >= 0)
				e = settle(r, ENDED);
		return e < 0 ? e : 0;
	}
	for (uint32_t i = 1; i <= rounds && e >= 0; i++) {
		if (!first && (e = seen(r, p, (uint8_t)i)) < 0)
			break;
		if (p->operation == WRITE)
			((uint8_t *)(uintptr_t)p->out)[p->length - 1] = (uint8_t)i;
		e = post(r, p, 0, 0);
		if (e >= 0 && first)
			e = seen(r, p, (uint8_t)i);
	}
	return e < 0 ? e : 0;
}

// gb_perf_stream is the sending side of ib_send_bw, ib_write_bw or ib_read_bw: as many messages as fit the
// queues, in turn, until the last of each is complete.
int gb_perf_stream(struct rail *r, const struct perf *p, uint32_t messages)
{
	for (uint32_t i = 0; i < messages; i++) {
		int e = post(r, p, i % p->queues, messages - i <= p->queues);
		if (e < 0)
			return e;
	}
	for (uint32_t q = 0; q < p->queues; q++)
		while (p->operation != SEND && r->queues[q].posted != r->queues[q].done) {
			int e = settle(r, 0);
			if (e < 0)
				return e;
		}
	return 0;
}

// gb_perf_sink takes packets.
int gb_perf_sink(struct rail *r, uint32_t messages)
{
	while (messages > 0) {
		int n = settle(r, PACKET);
		if (n < 0)
			return n;
		for (int i = 0; i < n; i++)
			messages -= r->events[i].kind == PACKET;
	}
	return 0;
}
