// Connections by RDMA CM, with one event channel for each rail. No call waits for the network.
#ifndef GOBENCH_CM_H
#define GOBENCH_CM_H

#include "rail.h"

// The private data of a connection request.
struct greeting {
	uint64_t token;
	uint32_t magic;
	uint16_t rank, lane; // of the caller: its rank, and which of its queues
};

struct cm_event {
	int type, status;
	struct rdma_cm_id *id;
	int32_t queue; // of this side's call; -1 for an incoming call
	int greeted, busy; // busy: rejected, because the other side is calling, too
	struct greeting greeting;
	int answers, asks; // of a call: concurrent RDMA reads that this side must answer, and that it may issue
};

const char *gb_cm_listen(const char *address, const char *device, int place, struct rdma_event_channel **channel, struct rdma_cm_id **id,
			 int *port, int *error);
void gb_cm_close(struct rdma_event_channel *channel, struct rdma_cm_id *id);
const char *gb_cm_call(struct rail *r, struct rdma_event_channel *channel, uint32_t queue, const char *from, const char *to, int port,
		       int traffic_class, int timeout);
const char *gb_cm_next(struct rail *r, struct rdma_event_channel *channel, struct cm_event *e);
const char *gb_cm_route(struct rail *r, struct rdma_cm_id *id, uint32_t queue);
const char *gb_cm_connect(struct rail *r, struct rdma_cm_id *id, const struct greeting *g, int reads, int retries);
const char *gb_cm_establish(struct rail *r, struct rdma_cm_id *id, uint32_t queue, int mtu);
const char *gb_cm_accept(struct rail *r, struct rdma_cm_id *id, uint32_t queue, struct limits l, int timeout);
void gb_cm_refuse(struct rdma_cm_id *id, int busy);

#endif
