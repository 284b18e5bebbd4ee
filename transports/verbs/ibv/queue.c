//go:build verbs && cgo

#include "rail.h"
#include <errno.h>
#include <string.h>

static void describe(const struct rail *r, enum ibv_qp_type service, struct ibv_qp_init_attr *init)
{
	*init = (struct ibv_qp_init_attr){
		.send_cq = r->cq,
		.recv_cq = r->cq,
		.srq = service == IBV_QPT_XRC_SEND ? NULL : r->srq, // XRC: only targets have it
		.cap = {.max_send_wr = r->c.depth,
			.max_recv_wr = r->srq ? 0 : r->c.credits + SPARE,
			.max_send_sge = 1,
			.max_recv_sge = r->srq ? 0 : 1,
			.max_inline_data = r->c.inlined},
		.qp_type = service,
	};
}

// try_inline creates a queue pair with an inline limit and destroys it. It returns the limit that
// the device has granted, or -1.
static int64_t try_inline(struct rail *r, uint32_t limit)
{
	struct ibv_qp_init_attr init;
	describe(r, service_of(r, 0), &init);
	init.cap.max_inline_data = limit;
	struct ibv_qp *qp = verbs.ibv_create_qp(r->pd, &init);
	if (!qp)
		return -1;
	verbs.ibv_destroy_qp(qp);
	return init.cap.max_inline_data;
}

// Devices do not report the limit, so it is found by creating queue pairs (thesis, chapter 4), here
// by bisection between accepted and rejected limits.
const char *gb_find_inline(struct rail *r, uint32_t want)
{
	int64_t got = try_inline(r, want);
	if (got >= 0) {
		r->c.inlined = got < want ? (uint32_t)got : want;
		return NULL;
	}
	if (try_inline(r, 0) < 0) {
		r->error = errno;
		return "ibv_create_qp";
	}
	uint32_t works = 0, fails = want;
	while (fails - works > 4) {
		uint32_t middle = (works + fails) / 8 * 4;
		if (middle <= works)
			middle = works + 4;
		if ((got = try_inline(r, middle)) >= 0)
			works = middle;
		else
			fails = middle;
	}
	r->c.inlined = works;
	return NULL;
}

// index_numbers fills the table of numbers anew. Queues that connect again change their numbers, so
// a table that only grew would be full at some time.
static void index_numbers(struct rail *r)
{
	memset(r->by_number, 0, (r->mask + 1) * sizeof *r->by_number);
	for (uint32_t i = 0; i < r->c.peers; i++) {
		if (!r->queues[i].qp)
			continue;
		uint32_t at = receiver(&r->queues[i])->qp_num & r->mask;
		while (r->by_number[at])
			at = (at + 1) & r->mask;
		r->by_number[at] = i + 1;
	}
}

// prepare brings a new queue pair to the state in which its receive queue can be filled.
static const char *prepare(struct rail *r, struct ibv_qp *qp, enum ibv_qp_type service)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = r->c.port, .qkey = QKEY, .qp_access_flags = IBV_ACCESS_LOCAL_WRITE};
	if (service != IBV_QPT_UD)
		attr.qp_access_flags |= IBV_ACCESS_REMOTE_WRITE;
	if (service == IBV_QPT_RC || service == IBV_QPT_XRC_RECV)
		attr.qp_access_flags |= IBV_ACCESS_REMOTE_READ | (r->device.atomic_cap == IBV_ATOMIC_NONE ? 0 : IBV_ACCESS_REMOTE_ATOMIC);
	r->error = verbs.ibv_modify_qp(qp, &attr,
				       IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					       (service == IBV_QPT_UD ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS));
	return r->error ? "ibv_modify_qp to INIT" : NULL;
}

// create_target creates the XRC queue pair that receives the peer's requests.
static const char *create_target(struct rail *r, struct queue *q)
{
	struct ibv_qp_init_attr_ex init = {.qp_type = IBV_QPT_XRC_RECV, .comp_mask = IBV_QP_INIT_ATTR_XRCD, .xrcd = r->domain};
	// As ibv_create_qp_ex, which would have to be linked.
	struct verbs_context *v = verbs_get_ctx_op(r->context, create_qp_ex);
	errno = EOPNOTSUPP;
	if (!v || !(q->target = v->create_qp_ex(r->context, &init))) {
		r->error = errno;
		return "ibv_create_qp_ex";
	}
	return prepare(r, q->target, IBV_QPT_XRC_RECV);
}

const char *gb_queue_create(struct rail *r, uint32_t index)
{
	struct queue *q = &r->queues[index];
	struct ibv_qp_init_attr init;
	describe(r, service_of(r, index), &init);
	if (!(q->qp = verbs.ibv_create_qp(r->pd, &init))) {
		r->error = errno;
		return "ibv_create_qp";
	}
	q->made++;
	const char *failed = prepare(r, q->qp, init.qp_type);
	if (!failed && init.qp_type == IBV_QPT_XRC_SEND)
		failed = create_target(r, q);
	if (failed)
		return failed;
	index_numbers(r);
	if ((r->error = -gb_post_receives(r, index)))
		return "ibv_post_recv";
	return NULL;
}

// start_datagrams brings a UD queue pair, which has no peer, to the state in which it sends, and
// makes the address of the peer.
static const char *start_datagrams(struct rail *r, struct queue *q, uint32_t sequence, const struct address *to,
				   struct ibv_ah_attr *way)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR, .sq_psn = sequence};
	if ((r->error = verbs.ibv_modify_qp(q->qp, &attr, IBV_QP_STATE)))
		return "ibv_modify_qp to RTR";
	if (!(q->ah = verbs.ibv_create_ah(r->pd, way))) {
		r->error = errno;
		return "ibv_create_ah";
	}
	q->remote = to->numbers.receiver;
	attr.qp_state = IBV_QPS_RTS;
	if ((r->error = verbs.ibv_modify_qp(q->qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN)))
		return "ibv_modify_qp to RTS";
	q->live = 1;
	return NULL;
}

// start brings a queue pair to the state in which it sends to, and takes requests from, the queue
// pair of the peer that has that number. The kernel ignores attributes of RC that an initiator or a
// target of XRC lacks.
static const char *start(struct rail *r, struct ibv_qp *qp, enum ibv_qp_type service, uint32_t sequence, uint32_t number,
			 struct ibv_qp_attr attr, const struct path *path)
{
	int receives = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	int sends = IBV_QP_STATE | IBV_QP_SQ_PSN;
	if (service != IBV_QPT_UC) {
		receives |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
		sends |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	}
	attr.dest_qp_num = number;
	if ((r->error = verbs.ibv_modify_qp(qp, &attr, receives)))
		return "ibv_modify_qp to RTR";
	memset(&attr, 0, sizeof attr);
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = path->timeout;
	attr.retry_cnt = path->retries;
	attr.rnr_retry = 7;
	attr.sq_psn = sequence;
	attr.max_rd_atomic = path->reads;
	return (r->error = verbs.ibv_modify_qp(qp, &attr, sends)) ? "ibv_modify_qp to RTS" : NULL;
}

const char *gb_queue_connect(struct rail *r, uint32_t index, uint32_t sequence, const struct address *to, const struct path *path)
{
	struct queue *q = &r->queues[index];
	enum ibv_qp_type service = service_of(r, index);
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = to->mtu,
		.rq_psn = to->sequence,
		.max_dest_rd_atomic = path->reads,
		.min_rnr_timer = 12, // 0.64 ms; flow control keeps it from ever being used
		.ah_attr = {.dlid = to->lid, .sl = path->sl, .port_num = r->c.port, .is_global = to->global},
	};
	if (to->global) {
		memcpy(attr.ah_attr.grh.dgid.raw, to->gid, 16);
		attr.ah_attr.grh.sgid_index = path->gid_index;
		attr.ah_attr.grh.hop_limit = 64;
		attr.ah_attr.grh.traffic_class = path->traffic_class;
	}
	if (service == IBV_QPT_UD)
		return start_datagrams(r, q, sequence, to, &attr.ah_attr);
	const char *failed = start(r, q->qp, service, sequence, to->numbers.receiver, attr, path);
	if (!failed && q->target) {
		q->remote = to->numbers.shared;
		failed = start(r, q->target, service, sequence, to->numbers.sender, attr, path);
	}
	q->live = !failed;
	return failed;
}

// follow brings the queue pair of a connection by RDMA CM to a state, with the attributes that RDMA
// CM has for it, within limits.
static const char *follow(struct rail *r, struct queue *q, enum ibv_qp_state state, struct limits l)
{
	struct ibv_qp_attr attr = {.qp_state = state};
	int mask = 0;
	if (cm.rdma_init_qp_attr(q->id, &attr, &mask)) {
		r->error = errno;
		return "rdma_init_qp_attr";
	}
	if (r->port.link_layer == IBV_LINK_LAYER_INFINIBAND)
		mask &= ~0xe00000; // the kernel sets bits of RoCE there, as librdmacm says
	if (l.mtu && attr.path_mtu > l.mtu)
		attr.path_mtu = l.mtu;
	if (l.answers)
		attr.max_dest_rd_atomic = l.answers;
	if (l.asks)
		attr.max_rd_atomic = l.asks;
	return (r->error = verbs.ibv_modify_qp(q->qp, &attr, mask)) ? "ibv_modify_qp" : NULL;
}

// gb_queue_adopt makes the queue pair of a connection by RDMA CM. It has no receives yet. librdmacm
// does not know it, because it would take the path MTU from the caller's interface: a peer with a
// smaller one could not send packets of that size.
const char *gb_queue_adopt(struct rail *r, uint32_t index, struct rdma_cm_id *id)
{
	struct queue *q = &r->queues[index];
	struct ibv_qp_init_attr init;
	describe(r, IBV_QPT_RC, &init);
	q->id = id; // also after an error
	if (!(q->qp = verbs.ibv_create_qp(r->pd, &init))) {
		r->error = errno;
		return "ibv_create_qp";
	}
	q->made++;
	index_numbers(r);
	return follow(r, q, IBV_QPS_INIT, (struct limits){0});
}

// gb_queue_start brings an adopted queue pair to the state in which it sends, once RDMA CM knows
// that of the peer. INIT comes again, because the access that the peer has depends on it.
const char *gb_queue_start(struct rail *r, uint32_t index, struct limits l)
{
	struct queue *q = &r->queues[index];
	const char *failed = follow(r, q, IBV_QPS_INIT, l);
	if (!failed)
		failed = follow(r, q, IBV_QPS_RTR, l);
	return failed ? failed : follow(r, q, IBV_QPS_RTS, l);
}

// disconnect ends a connection by RDMA CM. What was sent over iWARP still arrives.
static void disconnect(struct rail *r, struct queue *q)
{
	struct ibv_qp_attr attr = {.qp_state = r->context->device->transport_type == IBV_TRANSPORT_IWARP ? IBV_QPS_SQD : IBV_QPS_ERR};
	verbs.ibv_modify_qp(q->qp, &attr, IBV_QP_STATE);
	cm.rdma_disconnect(q->id);
}

// gb_queue_break ends all traffic of a queue: outstanding requests are flushed, and the peer gets
// an error.
void gb_queue_break(struct rail *r, uint32_t index)
{
	struct queue *q = &r->queues[index];
	if (!q->qp)
		return;
	q->live = q->awaiting = 0;
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
	verbs.ibv_modify_qp(q->qp, &attr, IBV_QP_STATE);
	if (q->target)
		verbs.ibv_modify_qp(q->target, &attr, IBV_QP_STATE);
	if (q->id)
		cm.rdma_disconnect(q->id);
}

// gb_queue_discard abandons a call that the peer's call replaces. Its queue pair is kept until the
// queue is dropped: the connection manager of the peer's host would take a number that is reused
// soon for a stale connection.
void gb_queue_discard(struct rail *r, uint32_t index)
{
	struct queue *q = &r->queues[index];
	gb_retire_all(r, index);
	q->id->context = NULL; // its events are ignored
	q->old = q->id;
	q->old_qp = q->qp;
	q->id = NULL;
	q->qp = NULL;
}

static void end_call(struct rdma_cm_id *id, struct ibv_qp *qp)
{
	if (qp)
		verbs.ibv_destroy_qp(qp);
	cm.rdma_destroy_id(id);
}

// gb_queue_withdraw ends a call that never left this host.
void gb_queue_withdraw(struct rail *r, uint32_t index)
{
	struct queue *q = &r->queues[index];
	gb_retire_all(r, index);
	end_call(q->id, q->qp);
	q->id = NULL;
	q->qp = NULL;
}

void gb_queue_drop(struct rail *r, uint32_t index)
{
	struct queue *q = &r->queues[index];
	gb_retire_all(r, index);
	if (q->old)
		end_call(q->old, q->old_qp);
	q->old = NULL;
	q->old_qp = NULL;
	if (q->id) {
		if (q->qp)
			disconnect(r, q);
		end_call(q->id, q->qp);
	} else if (q->qp) {
		verbs.ibv_destroy_qp(q->qp);
	}
	if (q->target)
		verbs.ibv_destroy_qp(q->target);
	if (q->ah)
		verbs.ibv_destroy_ah(q->ah);
	q->ah = NULL;
	q->qp = q->target = NULL;
	q->id = NULL;
	q->live = q->awaiting = 0;
}

const char *gb_queue_numbers(struct rail *r, uint32_t index, struct numbers *n)
{
	struct queue *q = &r->queues[index];
	*n = (struct numbers){.sender = q->qp->qp_num, .receiver = receiver(q)->qp_num};
	r->error = q->target ? ibv_get_srq_num(r->srq, &n->shared) : 0;
	return r->error ? "ibv_get_srq_num" : NULL;
}

// gb_queue_path returns the path MTU in bytes and the traffic class of a connected queue pair, as
// far as its driver reports them; the traffic class is -1 without a GRH. It returns 0 if the queue
// is not connected or the driver reports nothing.
int gb_queue_path(struct rail *r, uint32_t index, int *mtu, int *traffic_class)
{
	struct ibv_qp_attr attr = {0};
	struct ibv_qp_init_attr init;
	struct queue *q = &r->queues[index];
	if (!q->live || verbs.ibv_query_qp(q->qp, &attr, IBV_QP_AV | IBV_QP_PATH_MTU, &init))
		return 0;
	*mtu = attr.path_mtu ? 128 << attr.path_mtu : 0;
	*traffic_class = attr.ah_attr.is_global ? attr.ah_attr.grh.traffic_class : -1;
	return 1;
}
