// Memory that peers can reach, puts and gets.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "mxm.h"

gni_return_t GNI_MemRegister(gni_nic_handle_t, uint64_t, uint64_t, gni_cq_handle_t, uint32_t, uint32_t, gni_mem_handle_t *);
gni_return_t GNI_MemDeregister(gni_nic_handle_t, gni_mem_handle_t *);

API const mxm_mem_key_t mxm_empty_mem_key = {{0}};

static struct mapped **find(struct mxm *m, const void *address)
{
	struct mapped **at = &m->mapped;
	while (*at && (*at)->address != address)
		at = &(*at)->next;
	return at;
}

// The caller provides the memory: unlike the library, the emulator allocates none.
API mxm_error_t mxm_mem_map(mxm_h h, void **address, size_t *length, unsigned flags, mxm_mem_key_t *remote, size_t offset)
{
	struct mxm *m = mxm_of(h, __func__);
	ENTER(NULL); // GNI_MemRegister enters the NIC
	if (!address || !*address || !length || !*length || flags || remote || offset || !m->nic || *find(m, *address))
		return MXM_ERR_INVALID_PARAM;
	struct mapped *r = calloc(1, sizeof *r);
	if (!r)
		return MXM_ERR_NO_MEMORY;
	r->address = *address, r->length = *length;
	if (GNI_MemRegister(m->nic, (uint64_t)(uintptr_t)*address, *length, NULL, 0, (uint32_t)-1, &r->handle)) {
		free(r);
		return MXM_ERR_NO_MEMORY;
	}
	r->next = m->mapped;
	m->mapped = r;
	return MXM_OK;
}

// The memory is unmapped even if a fault is set.
API mxm_error_t mxm_mem_unmap(mxm_h h, void *address, size_t length, unsigned flags)
{
	struct mxm *m = mxm_of(h, __func__);
	struct mapped **at = find(m, address), *r = *at;
	if (!r || r->length != length || flags)
		return MXM_ERR_INVALID_PARAM;
	GNI_MemDeregister(m->nic, &r->handle);
	*at = r->next;
	free(r);
	ENTER(NULL);
	return MXM_OK;
}

API mxm_error_t mxm_mem_get_key(mxm_h h, void *address, mxm_mem_key_t *key)
{
	struct mxm *m = mxm_of(h, __func__);
	ENTER(m);
	struct mapped *r = *find(m, address);
	if (!r || !key)
		return MXM_ERR_INVALID_PARAM;
	memset(key, 0, sizeof *key);
	memcpy(key, &r->handle, sizeof r->handle);
	return MXM_OK;
}

// copy_of returns a put with its own copy of the data, which is freed when it completes.
static mxm_send_req_t *copy_of(const mxm_send_req_t *r)
{
	mxm_send_req_t *copy = malloc(sizeof *copy + r->base.length);
	if (!copy)
		return NULL;
	*copy = *r;
	copy->base.ptr = copy + 1;
	copy->base.completed_cb = free, copy->base.context = copy;
	if (r->base.length)
		memcpy(copy->base.ptr, r->base.ptr, r->base.length);
	return copy;
}

// submit queues a put or a get. Only an empty one may have the empty key. The order in which
// accesses are made is the reverse of that of their calls, as no order is promised, except that one
// with a fence waits for all before it. A put is complete, and its buffer free, before its data are
// in place; PUT_SYNC is complete when its own data are.
mxm_error_t submit(struct conn *c, mxm_send_req_t *r)
{
	if (!r->remote_mkey || (r->base.length && !memcmp(r->remote_mkey, &mxm_empty_mem_key, sizeof mxm_empty_mem_key)))
		return MXM_ERR_INVALID_PARAM;
	mxm_send_req_t *a = r->opcode == MXM_REQ_OP_PUT ? copy_of(r) : r, **at = c->unfenced;
	if (!a)
		return MXM_ERR_NO_MEMORY;
	while ((r->flags & MXM_REQ_SEND_FLAG_FENCE) && *at)
		at = &NEXT_SEND(*at);
	a->base.state = MXM_REQ_INPROGRESS;
	NEXT_SEND(a) = *at;
	DUE(a) = timed() ? now() + latency() : 0;
	*at = a;
	if (r->flags & MXM_REQ_SEND_FLAG_FENCE)
		c->unfenced = &NEXT_SEND(a);
	if (a != r)
		complete(c->mxm, &r->base, MXM_OK);
	return MXM_OK;
}

// next_access removes the access that is made next.
mxm_send_req_t *next_access(struct conn *c)
{
	mxm_send_req_t *r = c->accesses;
	c->accesses = NEXT_SEND(r);
	if (c->unfenced == &NEXT_SEND(r))
		c->unfenced = &c->accesses;
	return r;
}

static mxm_error_t move(struct peer *p, mxm_send_req_t *r)
{
	bool get = r->opcode == MXM_REQ_OP_GET;
	gni_mem_handle_t handle;
	memcpy(&handle, r->remote_mkey, sizeof handle);
	if (r->base.length && region_check(p->segment, p->key, &handle, r->remote_vaddr, r->base.length, !get))
		return MXM_ERR_INVALID_ADDR;
	for (uint64_t done = 0; done < r->base.length;) {
		struct iovec local = {(char *)r->base.ptr + done, r->base.length - done};
		struct iovec remote = {(void *)(uintptr_t)(r->remote_vaddr + done), r->base.length - done};
		ssize_t n = get ? process_vm_readv(p->pid, &local, 1, &remote, 1, 0) : process_vm_writev(p->pid, &local, 1, &remote, 1, 0);
		if (n <= 0)
			return MXM_ERR_IO;
		done += (uint64_t)n;
	}
	return MXM_OK;
}

// access_due executes the next access if it is due. A put that no fence follows takes its time, and
// so does what was asked for before it.
bool access_due(struct conn *c)
{
	mxm_send_req_t *r = c->accesses;
	if (!r || (DUE(r) && DUE(r) > now()))
		return false;
	bool copied = r->base.completed_cb == free, fence = c->unfenced != &c->accesses;
	if (copied && !fence && c->mxm->turns % 4096)
		return false;
	next_access(c);
	complete(c->mxm, &r->base, move(c->peer, r));
	return true;
}
