// One-sided operations: process_vm_readv and process_vm_writev between the registered memory of two
// processes.
#define _GNU_SOURCE
#include <sys/uio.h>

#include "fabric.h"

// check returns the error that the library reports before the operation begins.
static gni_return_t check(struct endpoint *e, const gni_post_descriptor_t *d, bool fma)
{
	bool get = d->type == GNI_POST_FMA_GET || d->type == GNI_POST_RDMA_GET;
	bool put = d->type == GNI_POST_FMA_PUT || d->type == GNI_POST_RDMA_PUT;
	if (!get && !put)
		return d->type == GNI_POST_AMO || d->type == GNI_POST_FMA_PUT_W_SYNCFLAG ? GNI_RC_ILLEGAL_OP : GNI_RC_INVALID_PARAM;
	if (fma != (d->type == GNI_POST_FMA_GET || d->type == GNI_POST_FMA_PUT))
		return GNI_RC_INVALID_PARAM;
	if (d->cq_mode != GNI_CQMODE_GLOBAL_EVENT || d->dlvr_mode > GNI_DLVMODE_IN_ORDER)
		return GNI_RC_INVALID_PARAM;
	if (!d->length && (get || !fma))
		return GNI_RC_INVALID_PARAM; // only an FMA PUT may be empty
	if (d->length > UINT32_MAX)
		return GNI_RC_SIZE_ERROR;
	if (get && ((d->remote_addr | d->local_addr | d->length) & 3))
		return GNI_RC_ALIGNMENT_ERROR;
	if (!fma || get)
		return region_check(e->nic->segment, e->nic->key, &d->local_mem_hndl, d->local_addr, d->length, get);
	return GNI_RC_SUCCESS;
}

// move moves the data and returns the error of the event.
static gni_return_t move(struct endpoint *e, const gni_post_descriptor_t *d, bool *recoverable)
{
	if (!e->peer)
		e->peer = peer_of(e->nic, e->address, e->instance);
	if (!e->peer || !peer_alive(e->nic, e->peer, d->length == 0))
		return GNI_RC_TRANSACTION_ERROR;
	*recoverable = happens(TRANSIENT);
	if (*recoverable || happens(FATAL))
		return GNI_RC_TRANSACTION_ERROR;
	bool get = d->type == GNI_POST_FMA_GET || d->type == GNI_POST_RDMA_GET;
	if (region_check(e->peer->segment, e->peer->key, &d->remote_mem_hndl, d->remote_addr, d->length, !get))
		return GNI_RC_TRANSACTION_ERROR;
	for (uint64_t done = 0; done < d->length;) {
		struct iovec local = {(void *)(uintptr_t)(d->local_addr + done), d->length - done};
		struct iovec remote = {(void *)(uintptr_t)(d->remote_addr + done), d->length - done};
		ssize_t n = get ? process_vm_readv(e->peer->pid, &local, 1, &remote, 1, 0)
		                : process_vm_writev(e->peer->pid, &local, 1, &remote, 1, 0);
		if (n <= 0)
			return GNI_RC_TRANSACTION_ERROR;
		done += (uint64_t)n;
	}
	return GNI_RC_SUCCESS;
}

// post begins an operation. Its data move with its event (transaction_run), so that who relies on
// them before, or reuses the memory, gets wrong data.
static gni_return_t post(struct endpoint *e, gni_post_descriptor_t *d, struct queue *q)
{
	struct nic *n = e->nic;
	uint32_t i = n->next_transaction, tries = 0;
	for (; n->transactions[i].used; i = (i + 1) % TRANSACTIONS)
		if (++tries == TRANSACTIONS)
			return GNI_RC_ERROR_RESOURCE;
	if (lifetime() && ++n->posted > lifetime())
		atomic_store(&n->segment->gone, 1);
	if (atomic_load(&n->segment->gone))
		return GNI_RC_INVALID_STATE;
	n->next_transaction = (i + 1) % TRANSACTIONS;
	struct region *local = NULL; // FMA PUT needs none
	if (!region_check(n->segment, n->key, &d->local_mem_hndl, d->local_addr, d->length, false)) {
		local = &n->segment->regions[(uint32_t)d->local_mem_hndl.qword1];
		local->operations++;
	}
	n->transactions[i] = (struct transaction){.endpoint = e, .descriptor = d, .local = local, .used = true};
	queue_add(q, e->local_event | (uint64_t)i << TRANSACTION_AT | (uint64_t)GNI_CQ_EVENT_TYPE_POST << TYPE_AT,
	          timed() ? now() + latency() : 0);
	return GNI_RC_SUCCESS;
}

uint64_t transaction_run(struct nic *n, gni_cq_entry_t entry)
{
	if ((entry >> TYPE_AT & 3) != GNI_CQ_EVENT_TYPE_POST)
		return 0;
	struct transaction *t = &n->transactions[entry >> TRANSACTION_AT & 0xffff];
	bool recoverable = false;
	if (t->local)
		t->local->operations--;
	t->descriptor->status = move(t->endpoint, t->descriptor, &recoverable);
	t->failed = t->descriptor->status != GNI_RC_SUCCESS;
	return (t->failed ? (uint64_t)GNI_RC_TRANSACTION_ERROR << STATUS_AT : 0) | (recoverable ? BIT(RECOVERABLE_AT) : 0);
}

static struct queue *queue_of(struct endpoint *e, const gni_post_descriptor_t *d, bool fma)
{
	if (fma || !d->src_cq_hndl)
		return e->queue;
	struct queue *q = object_check(d->src_cq_hndl, QUEUE);
	return q && q->nic == e->nic && !queue_use(q, LOCAL) ? q : NULL;
}

PUBLIC gni_return_t GNI_PostFma(gni_ep_handle_t ep, gni_post_descriptor_t *d)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	if (!e || !d)
		return GNI_RC_INVALID_PARAM;
	if (!e->bound || !e->queue)
		return GNI_RC_INVALID_STATE;
	gni_return_t rc = check(e, d, true);
	return rc ? rc : post(e, d, e->queue);
}

PUBLIC gni_return_t GNI_PostRdma(gni_ep_handle_t ep, gni_post_descriptor_t *d)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	if (!e || !d)
		return GNI_RC_INVALID_PARAM;
	struct queue *q = queue_of(e, d, false);
	if (!e->bound || !q)
		return GNI_RC_INVALID_STATE;
	gni_return_t rc = check(e, d, false);
	return rc ? rc : post(e, d, q);
}

PUBLIC gni_return_t GNI_GetCompleted(gni_cq_handle_t queue, gni_cq_entry_t entry, gni_post_descriptor_t **out)
{
	struct queue *q = object_check(queue, QUEUE);
	ENTER(q ? q->nic : NULL);
	uint32_t i = entry >> TRANSACTION_AT & 0xffff;
	if (!q || !out || !(entry >> VALID_AT) || (entry >> TYPE_AT & 3) != GNI_CQ_EVENT_TYPE_POST || i >= TRANSACTIONS)
		return GNI_RC_INVALID_PARAM;
	struct transaction *t = &q->nic->transactions[i];
	if (!t->used)
		return GNI_RC_DESCRIPTOR_ERROR;
	*out = t->descriptor;
	t->used = false;
	return t->failed ? GNI_RC_TRANSACTION_ERROR : GNI_RC_SUCCESS;
}
