//go:build verbs && cgo

#include "cm.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <string.h>

enum { RESOLVE_MS = 2000 };

static const char BUSY[8] = "gb busy"; // private data of a rejection

static int parse(const char *text, int port, struct sockaddr_storage *to)
{
	struct addrinfo hints = {.ai_flags = AI_NUMERICHOST}, *found; // unlike inet_pton it knows zones
	if (getaddrinfo(text, NULL, &hints, &found))
		return EINVAL;
	memcpy(to, found->ai_addr, found->ai_addrlen);
	((struct sockaddr_in *)to)->sin_port = htons(port); // sin6_port is at the same place
	freeaddrinfo(found);
	return 0;
}

// gb_cm_listen listens at an address, if it is one of that device and port of it (place). ENODEV
// means that it is not.
const char *gb_cm_listen(const char *address, const char *device, int place, struct rdma_event_channel **channel, struct rdma_cm_id **id,
			 int *port, int *error)
{
	const char *what = "rdma_create_event_channel";
	struct sockaddr_storage at;
	*id = NULL;
	if (!(*channel = cm.rdma_create_event_channel())) {
		*error = errno;
		return what;
	}
	fcntl((*channel)->fd, F_SETFL, fcntl((*channel)->fd, F_GETFL) | O_NONBLOCK);
	if ((*error = parse(address, 0, &at))) {
		what = "getaddrinfo";
	} else if (cm.rdma_create_id(*channel, id, NULL, RDMA_PS_TCP)) {
		*error = errno;
		what = "rdma_create_id";
	} else if (cm.rdma_bind_addr(*id, (struct sockaddr *)&at)) {
		*error = errno;
		what = "rdma_bind_addr";
	} else if (!(*id)->verbs || (*id)->port_num != place || strcmp(verbs.ibv_get_device_name((*id)->verbs->device), device)) {
		*error = ENODEV;
		what = "rdma_bind_addr";
	} else if (cm.rdma_listen(*id, 1024)) {
		*error = errno;
		what = "rdma_listen";
	} else {
		*port = ntohs(cm.rdma_get_src_port(*id));
		return NULL;
	}
	gb_cm_close(*channel, *id);
	return what;
}

void gb_cm_close(struct rdma_event_channel *channel, struct rdma_cm_id *id)
{
	if (id)
		cm.rdma_destroy_id(id);
	if (channel)
		cm.rdma_destroy_event_channel(channel);
}

static const char *failed(struct rail *r, const char *what)
{
	r->error = errno;
	return what;
}

// gb_cm_call begins to connect a queue. The id becomes the queue's.
const char *gb_cm_call(struct rail *r, struct rdma_event_channel *channel, uint32_t queue, const char *from, const char *to, int port,
		       int traffic_class, int timeout)
{
	struct sockaddr_storage source, destination;
	struct rdma_cm_id *id;
	if ((r->error = parse(from, 0, &source)) || (r->error = parse(to, port, &destination)))
		return "getaddrinfo";
	if (cm.rdma_create_id(channel, &id, (void *)(uintptr_t)(queue + 1), RDMA_PS_TCP))
		return failed(r, "rdma_create_id");
	r->queues[queue].id = id;
	uint8_t tos = traffic_class, ack = timeout;
	if (tos && cm.rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &tos, sizeof tos))
		return failed(r, "rdma_set_option for the traffic class");
	cm.rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &ack, sizeof ack); // iWARP has none
	if (cm.rdma_resolve_addr(id, (struct sockaddr *)&source, (struct sockaddr *)&destination, RESOLVE_MS))
		return failed(r, "rdma_resolve_addr");
	return NULL;
}

// gb_cm_next returns the next event; EAGAIN in r->error: there is none now.
const char *gb_cm_next(struct rail *r, struct rdma_event_channel *channel, struct cm_event *e)
{
	struct rdma_cm_event *event;
	if (cm.rdma_get_cm_event(channel, &event))
		return failed(r, "rdma_get_cm_event");
	*e = (struct cm_event){.type = event->event, .status = event->status, .id = event->id};
	e->queue = (int32_t)(uintptr_t)event->id->context - 1;
	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
		e->queue = -1;
		event->id->context = NULL;
		e->answers = event->param.conn.responder_resources;
		e->asks = event->param.conn.initiator_depth;
		if (event->param.conn.private_data_len >= sizeof e->greeting) {
			memcpy(&e->greeting, event->param.conn.private_data, sizeof e->greeting);
			e->greeted = 1;
		}
	}
	if (event->event == RDMA_CM_EVENT_REJECTED && event->param.conn.private_data_len >= sizeof BUSY)
		e->busy = !memcmp(event->param.conn.private_data, BUSY, sizeof BUSY);
	cm.rdma_ack_cm_event(event);
	return NULL;
}

// gb_cm_route continues once the address, and so the device, is resolved.
const char *gb_cm_route(struct rail *r, struct rdma_cm_id *id, uint32_t queue)
{
	if (id->verbs != r->context) {
		r->error = EXDEV;
		return "rdma_resolve_addr";
	}
	const char *what = gb_queue_adopt(r, queue, id);
	if (what)
		return what;
	if (cm.rdma_resolve_route(id, RESOLVE_MS))
		return failed(r, "rdma_resolve_route");
	return NULL;
}

static struct rdma_conn_param parameters(const struct rail *r, uint32_t queue, int answers, int asks, int retries)
{
	return (struct rdma_conn_param){.responder_resources = answers,
					.initiator_depth = asks,
					.retry_count = retries,
					.rnr_retry_count = 7,
					.flow_control = 1,
					.srq = r->srq != NULL,
					.qp_num = r->queues[queue].qp->qp_num};
}

static const char *feed(struct rail *r, uint32_t queue)
{
	return (r->error = -gb_post_receives(r, queue)) ? "ibv_post_recv" : NULL;
}

// The receives of a call are posted after it has been sent: those of abandoned calls would fill the
// completion queue, which has room for one call at a time. The peer sends nothing before the
// greeting of the caller.
const char *gb_cm_connect(struct rail *r, struct rdma_cm_id *id, const struct greeting *g, int reads, int retries)
{
	uint32_t queue = (uint32_t)(uintptr_t)id->context - 1;
	struct rdma_conn_param p = parameters(r, queue, reads, reads, retries);
	p.private_data = g;
	p.private_data_len = sizeof *g;
	if (cm.rdma_connect(id, &p))
		return failed(r, "rdma_connect");
	return feed(r, queue);
}

// gb_cm_establish completes a call that the peer has accepted.
const char *gb_cm_establish(struct rail *r, struct rdma_cm_id *id, uint32_t queue, int mtu)
{
	const char *what = gb_queue_start(r, queue, (struct limits){.mtu = mtu});
	if (what)
		return what;
	return cm.rdma_establish(id) ? failed(r, "rdma_establish") : NULL;
}

const char *gb_cm_accept(struct rail *r, struct rdma_cm_id *id, uint32_t queue, struct limits l, int timeout)
{
	uint8_t ack = timeout;
	cm.rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_ACK_TIMEOUT, &ack, sizeof ack);
	id->context = (void *)(uintptr_t)(queue + 1);
	const char *what = gb_queue_adopt(r, queue, id);
	if (!what)
		what = feed(r, queue);
	if (!what)
		what = gb_queue_start(r, queue, l);
	if (what)
		return what;
	struct rdma_conn_param p = parameters(r, queue, l.answers, l.asks, 0);
	if (cm.rdma_accept(id, &p))
		return failed(r, "rdma_accept");
	return NULL;
}

void gb_cm_refuse(struct rdma_cm_id *id, int busy)
{
	cm.rdma_reject(id, busy ? BUSY : NULL, busy ? sizeof BUSY : 0);
	cm.rdma_destroy_id(id);
}
