// Registered memory. A handle holds the place in the table of the owner's segment, with the number
// of its use, and the key of the owner.
#include "fabric.h"


bool handle_of(const gni_mem_handle_t *h, uint32_t *index, uint64_t *key, uint32_t *generation)
{
	*index = (uint32_t)h->qword1;
	*generation = (uint32_t)(h->qword1 >> 32);
	*key = h->qword2;
	return *index < REGIONS && *generation % 2 == 1;
}

// region_check returns the error of an access to [start, start+length) by a handle.
gni_return_t region_check(struct segment *s, uint64_t key, const gni_mem_handle_t *h, uint64_t start, uint64_t length, bool write)
{
	uint32_t index, generation;
	uint64_t owner;
	if (!handle_of(h, &index, &owner, &generation) || owner != key)
		return GNI_RC_INVALID_PARAM;
	struct region *r = &s->regions[index];
	if ((uint32_t)atomic_load(&r->generation) != generation)
		return GNI_RC_INVALID_PARAM;
	if (start < r->start || length > r->length || start - r->start > r->length - length)
		return GNI_RC_INVALID_PARAM;
	return write && (r->flags & GNI_MEM_READ_ONLY) ? GNI_RC_PERMISSION_ERROR : GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_MemRegister(gni_nic_handle_t nic, uint64_t address, uint64_t length, gni_cq_handle_t queue,
                                    uint32_t flags, uint32_t vmdh, gni_mem_handle_t *out)
{
	struct nic *n = object_check(nic, NIC);
	ENTER(n);
	struct queue *q = queue ? object_check(queue, QUEUE) : NULL;
	if (!n || !out || !address || !length || vmdh != (uint32_t)-1 || (queue && (!q || q->nic != n)))
		return GNI_RC_INVALID_PARAM;
	if (q && queue_use(q, REMOTE))
		return GNI_RC_INVALID_PARAM;
	for (uint32_t tries = 0; tries < REGIONS; tries++) {
		uint32_t i = n->registered++ % REGIONS;
		struct region *r = &n->segment->regions[i];
		uint64_t g = atomic_load(&r->generation);
		if (g % 2)
			continue;
		r->start = address, r->length = length, r->flags = flags, r->queue = q ? q->number + 1 : 0;
		if (q)
			q->users++;
		atomic_store(&r->generation, g + 1);
		*out = (gni_mem_handle_t){.qword1 = (uint64_t)(uint32_t)(g + 1) << 32 | i, .qword2 = n->key};
		return GNI_RC_SUCCESS;
	}
	return GNI_RC_ERROR_RESOURCE;
}

PUBLIC gni_return_t GNI_MemDeregister(gni_nic_handle_t nic, gni_mem_handle_t *h)
{
	struct nic *n = object_check(nic, NIC);
	uint32_t index, generation;
	uint64_t key;
	ENTER(n);
	if (!n || !h || !handle_of(h, &index, &key, &generation) || key != n->key)
		return GNI_RC_INVALID_PARAM;
	struct region *r = &n->segment->regions[index];
	uint64_t g = atomic_load(&r->generation);
	if ((uint32_t)g != generation)
		return GNI_RC_INVALID_PARAM;
	if (r->operations && !n->deaf)
		violation(__func__, "an operation uses the memory");
	if (r->queue && n->queues[r->queue - 1])
		n->queues[r->queue - 1]->users--;
	atomic_store(&r->generation, g + 1);
	return GNI_RC_SUCCESS;
}
