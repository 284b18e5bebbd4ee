// XRC for tests: a libibverbs that wraps the real one (build.sh) and emulates XRC by reliable
// connections of the soft-RoCE device rxe0, which lacks it. An initiator is a queue pair of RC that
// receives nothing, a target one that receives into the shared receive queue of its domain. It
// checks what drivers, the kernel (drivers/infiniband/core/verbs.c, qp_state_table) and adapters
// check: the fields that are set, the attributes of each state, and that the number of the shared
// receive queue in each request is one of the target's domain. An adapter would answer such a
// request; here posting it is EINVAL.
//
// Differences from XRC: each target has one initiator, and a domain has one shared receive queue,
// made before its targets. GOBENCH_XRC_WITHOUT=domain, queue, target or number removes the function
// that opens, makes or returns it, as in a driver without the function.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

API const int gobench_emulated = 1; // marks this library: records of measurements name it

enum { NUMBERS = 1 << 18, UNKNOWN = 0 }; // soft-RoCE numbers its queue pairs up to 2^17

// State that all adapters share, in memory of all processes: the domains of shared receive queues
// and of targets, by their numbers.
static struct fabric {
	atomic_uint domains, shared;
	atomic_uint of_shared[NUMBERS], of_target[NUMBERS];
} *fabric;

struct domain {
	struct ibv_xrcd xrcd; // the caller's
	uint32_t number;
	struct shared *shared;
	int users;
};

struct shared {
	struct shared *next;
	struct ibv_srq *srq;
	struct domain *domain;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	uint32_t number;
};

struct pair {
	struct pair *next;
	struct ibv_qp *qp;
	struct domain *domain; // of a target; NULL: an initiator
	uint32_t to;	       // of an initiator: the number of its target
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; // of the lists
static struct shared *all_shared;
static struct pair *all_pairs;

// The functions of the real library, and of the driver.
static struct {
	__typeof__(&ibv_open_device) open_device;
	__typeof__(&ibv_query_device) query_device;
	__typeof__(&ibv_create_srq) create_srq;
	__typeof__(&ibv_destroy_srq) destroy_srq;
	__typeof__(&ibv_create_qp) create_qp;
	__typeof__(&ibv_modify_qp) modify_qp;
	__typeof__(&ibv_destroy_qp) destroy_qp;
	__typeof__(((struct verbs_context *)0)->query_device_ex) query_device_ex;
	__typeof__(((struct verbs_context *)0)->create_qp_ex) create_qp_ex;
	__typeof__(((struct ibv_context_ops *)0)->post_send) post_send;
	__typeof__(((struct ibv_context_ops *)0)->post_recv) post_recv;
} real;

__attribute__((constructor)) static void begin(void)
{
	void *library = dlopen(REAL, RTLD_NOW);
	int fd = shm_open("/gobench-xrc", O_RDWR | O_CREAT, 0600);
	if (!library || fd < 0 || ftruncate(fd, sizeof *fabric))
		abort();
	fabric = mmap(NULL, sizeof *fabric, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (fabric == MAP_FAILED)
		abort();
#define REAL_OF(f) real.f = (__typeof__(real.f))dlsym(library, "ibv_" #f)
	REAL_OF(open_device), REAL_OF(query_device), REAL_OF(create_srq), REAL_OF(destroy_srq), REAL_OF(create_qp), REAL_OF(modify_qp),
		REAL_OF(destroy_qp);
}

static void *refuse(int e)
{
	errno = e;
	return NULL;
}

static int is_ours(struct ibv_context *c) { return !strcmp(c->device->name, "rxe0"); }

static struct pair *find(struct ibv_qp *qp)
{
	pthread_mutex_lock(&mutex);
	struct pair *p = all_pairs;
	while (p && p->qp != qp)
		p = p->next;
	pthread_mutex_unlock(&mutex);
	return p;
}

static struct shared *find_shared(struct ibv_srq *srq)
{
	pthread_mutex_lock(&mutex);
	struct shared *s = all_shared;
	while (s && s->srq != srq)
		s = s->next;
	pthread_mutex_unlock(&mutex);
	return s;
}

static struct ibv_xrcd *open_domain(struct ibv_context *context, struct ibv_xrcd_init_attr *attr)
{
	if (attr->comp_mask != (IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS) || (attr->fd == -1 && !(attr->oflags & O_CREAT)))
		return refuse(EINVAL);
	struct domain *d = calloc(1, sizeof *d);
	if (!d)
		return refuse(ENOMEM);
	d->xrcd.context = context;
	d->number = 1 + atomic_fetch_add(&fabric->domains, 1);
	return &d->xrcd;
}

static int close_domain(struct ibv_xrcd *xrcd)
{
	struct domain *d = (struct domain *)xrcd;
	if (d->users)
		return EBUSY;
	free(d);
	return 0;
}

static struct ibv_srq *create_shared(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
	const uint32_t needed = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_XRCD | IBV_SRQ_INIT_ATTR_CQ;
	struct domain *d = (struct domain *)attr->xrcd;
	if (attr->comp_mask != needed || attr->srq_type != IBV_SRQT_XRC || d->xrcd.context != context || attr->pd->context != context ||
	    attr->cq->context != context)
		return refuse(EINVAL);
	struct shared *s = d->shared ? refuse(EOPNOTSUPP) : calloc(1, sizeof *s);
	if (!s)
		return NULL;
	*s = (struct shared){.domain = d, .pd = attr->pd, .cq = attr->cq};
	struct ibv_srq_init_attr plain = {.srq_context = attr->srq_context, .attr = attr->attr};
	if (!(s->srq = real.create_srq(attr->pd, &plain))) {
		free(s);
		return NULL;
	}
	attr->attr = plain.attr;
	s->number = 1 + atomic_fetch_add(&fabric->shared, 1) % (NUMBERS - 1);
	fabric->of_shared[s->number] = d->number;
	d->shared = s;
	d->users++;
	pthread_mutex_lock(&mutex);
	s->next = all_shared;
	all_shared = s;
	pthread_mutex_unlock(&mutex);
	return s->srq;
}

static int get_number(struct ibv_srq *srq, uint32_t *number)
{
	struct shared *s = find_shared(srq);
	if (!s)
		return EINVAL;
	*number = s->number;
	return 0;
}

API int ibv_destroy_srq(struct ibv_srq *srq)
{
	struct shared *s = find_shared(srq);
	int e = real.destroy_srq(srq);
	if (e || !s)
		return e;
	fabric->of_shared[s->number] = UNKNOWN;
	s->domain->shared = NULL;
	s->domain->users--;
	pthread_mutex_lock(&mutex);
	struct shared **at = &all_shared;
	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	pthread_mutex_unlock(&mutex);
	free(s);
	return 0;
}

// keep records a new queue pair, and sets its type to that of XRC.
static struct ibv_qp *keep(struct ibv_qp *qp, struct domain *d)
{
	struct pair *p = qp ? calloc(1, sizeof *p) : NULL;
	if (!p)
		return NULL;
	*p = (struct pair){.qp = qp, .domain = d};
	if (d) {
		fabric->of_target[qp->qp_num % NUMBERS] = d->number;
		d->users++;
	}
	qp->qp_type = d ? IBV_QPT_XRC_RECV : IBV_QPT_XRC_SEND;
	pthread_mutex_lock(&mutex);
	p->next = all_pairs;
	all_pairs = p;
	pthread_mutex_unlock(&mutex);
	return qp;
}

API struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	if (!is_ours(pd->context) || (attr->qp_type != IBV_QPT_XRC_SEND && attr->qp_type != IBV_QPT_XRC_RECV))
		return real.create_qp(pd, attr);
	if (attr->qp_type != IBV_QPT_XRC_SEND || attr->srq || !attr->send_cq)
		return refuse(EINVAL);
	struct ibv_qp_init_attr plain = *attr;
	plain.qp_type = IBV_QPT_RC;
	plain.recv_cq = attr->send_cq;
	plain.cap.max_recv_wr = plain.cap.max_recv_sge = 0;
	struct ibv_qp *qp = real.create_qp(pd, &plain);
	if (qp)
		attr->cap = plain.cap;
	return keep(qp, NULL);
}

static struct ibv_qp *create_pair(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	if (attr->qp_type == IBV_QPT_XRC_SEND)
		return attr->comp_mask == IBV_QP_INIT_ATTR_PD ? ibv_create_qp(attr->pd, (struct ibv_qp_init_attr *)attr) : refuse(EINVAL);
	if (attr->qp_type != IBV_QPT_XRC_RECV)
		return real.create_qp_ex ? real.create_qp_ex(context, attr) : refuse(EOPNOTSUPP);
	struct domain *d = (struct domain *)attr->xrcd;
	if (attr->comp_mask != IBV_QP_INIT_ATTR_XRCD || d->xrcd.context != context)
		return refuse(EINVAL);
	if (!d->shared)
		return refuse(EOPNOTSUPP); // XRC does not need it yet
	struct ibv_qp_init_attr plain = {.qp_context = attr->qp_context,
					 .send_cq = d->shared->cq,
					 .recv_cq = d->shared->cq,
					 .srq = d->shared->srq,
					 .cap = {.max_send_wr = 1, .max_send_sge = 1},
					 .qp_type = IBV_QPT_RC};
	return keep(real.create_qp(d->shared->pd, &plain), d);
}

API int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	struct pair *p = find(qp);
	if (!p || !(mask & IBV_QP_STATE) || attr->qp_state > IBV_QPS_RTS)
		return real.modify_qp(qp, attr, mask);
	const int sends = IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	const int receives = IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	int needed = IBV_QP_STATE, ignored = p->domain ? sends : receives;
	struct ibv_qp_attr plain = *attr;
	if (attr->qp_state == IBV_QPS_INIT)
		needed |= IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
	if (attr->qp_state == IBV_QPS_RTR) {
		needed |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | receives;
		p->to = attr->dest_qp_num;
	}
	if (attr->qp_state == IBV_QPS_RTS)
		needed |= IBV_QP_TIMEOUT | IBV_QP_SQ_PSN | sends;
	if (p->domain)
		plain.retry_cnt = plain.rnr_retry = plain.max_rd_atomic = 0;
	else
		plain.max_dest_rd_atomic = plain.min_rnr_timer = 0;
	return (mask | ignored) == (needed | ignored) ? real.modify_qp(qp, &plain, needed) : EINVAL;
}

API int ibv_destroy_qp(struct ibv_qp *qp)
{
	struct pair *p = find(qp);
	uint32_t number = qp->qp_num % NUMBERS;
	if (p && p->domain)
		fabric->of_target[number] = UNKNOWN;
	int e = real.destroy_qp(qp);
	if (e || !p)
		return e;
	if (p->domain)
		p->domain->users--;
	pthread_mutex_lock(&mutex);
	struct pair **at = &all_pairs;
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	pthread_mutex_unlock(&mutex);
	free(p);
	return 0;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	struct pair *p = qp->qp_type == IBV_QPT_XRC_SEND || qp->qp_type == IBV_QPT_XRC_RECV ? find(qp) : NULL;
	for (struct ibv_send_wr *w = wr; p && w; w = w->next) {
		uint32_t number = w->qp_type.xrc.remote_srqn;
		uint32_t domain = number < NUMBERS ? fabric->of_shared[number] : UNKNOWN, target = fabric->of_target[p->to % NUMBERS];
		// A target that no longer exists does not answer, which the sender detects itself.
		if (p->domain || (target != UNKNOWN && domain != target)) {
			*bad = w;
			return EINVAL;
		}
	}
	return real.post_send(qp, wr, bad);
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
	if (qp->qp_type == IBV_QPT_XRC_SEND || qp->qp_type == IBV_QPT_XRC_RECV) {
		*bad = wr;
		return EINVAL;
	}
	return real.post_recv(qp, wr, bad);
}

API int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	int e = real.query_device(context, attr);
	if (!e && is_ours(context))
		attr->device_cap_flags |= IBV_DEVICE_XRC;
	return e;
}

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input, struct ibv_device_attr_ex *attr,
			   size_t size)
{
	int e = real.query_device_ex(context, input, attr, size);
	if (!e)
		attr->orig_attr.device_cap_flags |= IBV_DEVICE_XRC;
	return e;
}

API struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct ibv_context *context = real.open_device(device);
	if (!context || !is_ours(context))
		return context;
	struct verbs_context *v = verbs_get_ctx(context);
	const char *without = getenv("GOBENCH_XRC_WITHOUT");
	if (!without)
		without = "";
	pthread_mutex_lock(&mutex);
	real.query_device_ex = v->query_device_ex;
	real.create_qp_ex = v->create_qp_ex;
	real.post_send = context->ops.post_send;
	real.post_recv = context->ops.post_recv;
	pthread_mutex_unlock(&mutex);
	v->query_device_ex = query_device_ex;
	v->open_xrcd = strcmp(without, "domain") ? open_domain : NULL;
	v->close_xrcd = close_domain;
	v->create_srq_ex = strcmp(without, "queue") ? create_shared : NULL;
	v->create_qp_ex = strcmp(without, "target") ? create_pair : NULL;
	v->get_srq_num = strcmp(without, "number") ? get_number : NULL;
	context->ops.post_send = post_send;
	context->ops.post_recv = post_recv;
	return context;
}
