//go:build verbs && cgo

#define _GNU_SOURCE
#include "rail.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const char *gb_open_device(const char *name, struct ibv_context **context, int *error)
{
	int n = 0;
	struct ibv_device **list = verbs.ibv_get_device_list(&n);
	if (!list) {
		*error = errno;
		return "ibv_get_device_list";
	}
	*context = NULL;
	*error = ENODEV;
	for (int i = 0; i < n && !*context; i++)
		if (!strcmp(verbs.ibv_get_device_name(list[i]), name)) {
			*context = verbs.ibv_open_device(list[i]);
			*error = errno;
		}
	verbs.ibv_free_device_list(list);
	return *context ? NULL : "ibv_open_device";
}

#define FAIL(call)                                                                                  \
	do {                                                                                        \
		*error = errno;                                                                     \
		gb_rail_close(r);                                                                   \
		return call;                                                                        \
	} while (0)

static uint64_t round_up(uint64_t n, uint64_t grain) { return (n + grain - 1) / grain * grain; }

// access returns the access rights to registered memory.
static int access(const struct rail *r)
{
	return IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
	       (r->device.atomic_cap == IBV_ATOMIC_NONE ? 0 : IBV_ACCESS_REMOTE_ATOMIC);
}

static int within(struct shortage *lack, const char *name, uint64_t want, int max)
{
	if (max > 0 && want > (uint64_t)max)
		*lack = (struct shortage){name, want, max};
	return !lack->name;
}

// A completion queue that is too small overruns later and breaks every queue. The device refuses
// the others without a reason.
static int fits(const struct rail *r, uint32_t receives, uint64_t completions, struct shortage *lack)
{
	const struct ibv_device_attr *d = &r->device;
	return within(lack, "queue pairs", r->c.peers * (r->c.service == IBV_QPT_XRC_SEND ? 2 : 1), d->max_qp) && within(lack, "requests in a send queue", r->c.depth, d->max_qp_wr) &&
	       within(lack, "receive buffers of a queue pair", r->c.credits + SPARE, r->c.shared ? 0 : d->max_qp_wr) &&
	       within(lack, "receive buffers in a shared queue", receives, r->c.shared ? d->max_srq_wr : 0) &&
	       within(lack, "places in the completion queue", completions, d->max_cqe);
}

// share makes the shared receive queue. That of XRC belongs to a domain, as the targets do whose
// requests take its buffers.
static const char *share(struct rail *r, uint32_t receives)
{
	struct ibv_srq_attr attr = {.max_wr = receives, .max_sge = 1};
	if (r->c.service != IBV_QPT_XRC_SEND) {
		struct ibv_srq_init_attr init = {.attr = attr};
		return (r->srq = verbs.ibv_create_srq(r->pd, &init)) ? NULL : "ibv_create_srq";
	}
	struct ibv_xrcd_init_attr own = {.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1, .oflags = O_CREAT};
	if (!(r->domain = ibv_open_xrcd(r->context, &own)))
		return "ibv_open_xrcd";
	struct ibv_srq_init_attr_ex init = {
		.attr = attr,
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ,
		.srq_type = IBV_SRQT_XRC,
		.pd = r->pd,
		.xrcd = r->domain,
		.cq = r->cq,
	};
	// As ibv_create_srq_ex, which would have to be linked.
	struct verbs_context *v = verbs_get_ctx_op(r->context, create_srq_ex);
	errno = EOPNOTSUPP;
	return v && (r->srq = v->create_srq_ex(r->context, &init)) ? NULL : "ibv_create_srq_ex";
}

const char *gb_rail_open(struct rail **rail, struct ibv_context *context, int owns, const struct config *c, struct shortage *lack, int *error)
{
	struct rail *r = calloc(1, sizeof *r);
	if (!r) {
		*error = ENOMEM;
		if (owns)
			verbs.ibv_close_device(context);
		return "calloc";
	}
	r->c = *c;
	r->context = context;
	r->owns = owns;
	fcntl(context->async_fd, F_SETFL, fcntl(context->async_fd, F_GETFL) | O_NONBLOCK);
	if ((errno = verbs.ibv_query_device(context, &r->device)))
		FAIL("ibv_query_device");
	if ((errno = verbs.ibv_query_port(context, c->port, (struct _compat_ibv_port_attr *)&r->port)))
		FAIL("ibv_query_port");
	if (!(r->pd = verbs.ibv_alloc_pd(context)))
		FAIL("ibv_alloc_pd");

	uint32_t receives = c->peers * (c->credits + SPARE);
	uint64_t entries = (uint64_t)receives + (uint64_t)c->peers * c->depth;
	if (!fits(r, receives, entries, lack)) {
		errno = EINVAL;
		FAIL("ibv_query_device");
	}
	if (c->events && !(r->channel = verbs.ibv_create_comp_channel(context)))
		FAIL("ibv_create_comp_channel");
	if (!(r->cq = verbs.ibv_create_cq(context, (int)entries, NULL, r->channel, 0)))
		FAIL("ibv_create_cq");
	if (r->channel)
		fcntl(r->channel->fd, F_SETFL, fcntl(r->channel->fd, F_GETFL) | O_NONBLOCK);
	const char *call = c->shared ? share(r, receives) : NULL;
	if (call)
		FAIL(call);

	uint64_t page = 4096;
	uint64_t receive_bytes = round_up((uint64_t)receives * c->buffer, page);
	uint64_t send_bytes = round_up((uint64_t)c->slots * c->buffer, page);
	r->size = receive_bytes + send_bytes + 2 * page;
	r->memory = mmap(NULL, r->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r->memory == MAP_FAILED) {
		r->memory = NULL;
		FAIL("mmap");
	}
	r->send = r->memory + receive_bytes;
	r->inline_buffer = r->send + send_bytes;
	r->landing = r->inline_buffer + page;
	r->mr = verbs.ibv_reg_mr(r->pd, r->memory, r->size, access(r));
	if (!r->mr)
		FAIL("ibv_reg_mr");

	r->mask = 1;
	while (r->mask < 4 * c->peers)
		r->mask *= 2;
	r->by_number = calloc(r->mask--, sizeof *r->by_number);
	r->queues = calloc(c->peers, sizeof *r->queues);
	r->free_slots = calloc(c->slots, sizeof *r->free_slots);
	r->idle = calloc(receives, sizeof *r->idle);
	r->idle_queue = calloc(receives, sizeof *r->idle_queue);
	if (!r->by_number || !r->queues || !r->free_slots || !r->idle || !r->idle_queue)
		FAIL("calloc");
	for (uint32_t i = 0; i < c->slots; i++)
		r->free_slots[r->free_count++] = c->slots - 1 - i;
	// Unsignalled requests keep their slots: together the peers may not keep more than half.
	r->signal = c->slots / (2 * c->peers);
	if (r->signal > c->depth / 4)
		r->signal = c->depth / 4;
	if (r->signal < 1)
		r->signal = 1;
	for (uint32_t i = 0; i < c->peers; i++)
		if (!(r->queues[i].works = calloc(c->depth, sizeof *r->queues[i].works)))
			FAIL("calloc");
	*rail = r;
	return NULL;
}

void gb_rail_close(struct rail *r)
{
	for (uint32_t i = 0; r->queues && i < r->c.peers; i++) {
		gb_queue_drop(r, i);
		free(r->queues[i].works);
	}
	if (r->srq)
		verbs.ibv_destroy_srq(r->srq);
	if (r->domain)
		ibv_close_xrcd(r->domain);
	if (r->cq)
		verbs.ibv_destroy_cq(r->cq);
	if (r->channel)
		verbs.ibv_destroy_comp_channel(r->channel);
	if (r->mr)
		verbs.ibv_dereg_mr(r->mr);
	if (r->memory)
		munmap(r->memory, r->size);
	if (r->pd)
		verbs.ibv_dealloc_pd(r->pd);
	if (r->owns)
		verbs.ibv_close_device(r->context);
	free(r->by_number);
	free(r->queues);
	free(r->free_slots);
	free(r->idle);
	free(r->idle_queue);
	free(r);
}

const char *gb_register(struct rail *r, uint64_t address, uint64_t length, struct ibv_mr **mr)
{
	*mr = verbs.ibv_reg_mr(r->pd, (void *)(uintptr_t)address, length, access(r));
	r->error = errno;
	return *mr ? NULL : "ibv_reg_mr";
}

int gb_deregister(struct ibv_mr *mr) { return verbs.ibv_dereg_mr(mr); }

// concerns reports whether an event concerns this rail, and its queue, -1 if it concerns none. A
// device may have several ports and, where RDMA CM opened it, queues of others.
static int concerns(struct rail *r, const struct ibv_async_event *e, int32_t *queue)
{
	*queue = -1;
	switch (e->event_type) {
	case IBV_EVENT_PORT_ACTIVE:
	case IBV_EVENT_PORT_ERR:
	case IBV_EVENT_LID_CHANGE:
	case IBV_EVENT_PKEY_CHANGE:
	case IBV_EVENT_GID_CHANGE:
	case IBV_EVENT_SM_CHANGE:
	case IBV_EVENT_CLIENT_REREGISTER:
		return e->element.port_num == (int)r->c.port;
	case IBV_EVENT_CQ_ERR:
		return e->element.cq == r->cq;
	case IBV_EVENT_SRQ_ERR:
	case IBV_EVENT_SRQ_LIMIT_REACHED:
		return e->element.srq == r->srq;
	case IBV_EVENT_QP_FATAL:
	case IBV_EVENT_QP_REQ_ERR:
	case IBV_EVENT_QP_ACCESS_ERR:
	case IBV_EVENT_COMM_EST:
	case IBV_EVENT_SQ_DRAINED:
	case IBV_EVENT_QP_LAST_WQE_REACHED:
		for (uint32_t i = 0; i < r->c.peers; i++)
			if (r->queues[i].qp && (r->queues[i].qp == e->element.qp || r->queues[i].target == e->element.qp))
				*queue = (int32_t)i;
		return *queue >= 0;
	default:
		return 1;
	}
}

// gb_async returns the next asynchronous event, and reports whether there was one. Its type is -1
// if it does not concern this rail. Ranks that are goroutines share the context that RDMA CM
// opened: an event of another rank's rail is lost to that rank, whose completions and time-outs
// show the failure.
int gb_async(struct rail *r, int32_t *queue, int *type)
{
	struct ibv_async_event e;
	if (verbs.ibv_get_async_event(r->context, &e))
		return 0;
	*type = concerns(r, &e, queue) ? (int)e.event_type : -1;
	verbs.ibv_ack_async_event(&e);
	return 1;
}

struct ibv_device **gb_list(int *n) { return verbs.ibv_get_device_list(n); }

void gb_free_list(struct ibv_device **list) { verbs.ibv_free_device_list(list); }

const char *gb_device_name(struct ibv_device *d) { return verbs.ibv_get_device_name(d); }
