// Versions, options, the context with its one endpoint, and connections.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "mxm.h"

gni_return_t GNI_CdmCreate(uint32_t, uint8_t, uint32_t, uint32_t, gni_cdm_handle_t *);
gni_return_t GNI_CdmAttach(gni_cdm_handle_t, uint32_t, uint32_t *, gni_nic_handle_t *);
gni_return_t GNI_CdmDestroy(gni_cdm_handle_t);

#define VERSION (3ul << 24 | 6ul << 16)

API const int mxm_emulated = 1;

API unsigned long mxm_get_version(void) { return version() == GNI_EMULATOR_VERSION ? VERSION : version(); }

API const char *mxm_error_string(mxm_error_t e)
{
	static const char *const names[] = {
		"Success", "No pending message", "No resources are available to initiate the operation", "Input/output error",
		"Out of memory", "Invalid parameter", "Destination is unreachable", "Address not valid",
		"Function not implemented", "Message truncated", "No progress", "Provided buffer is too small",
		"No such element", "Failed to connect some of the requested endpoints", "No such device", "Device is busy",
		"Request canceled",
	};
	return e >= 0 && (size_t)e < sizeof names / sizeof *names ? names[e] : "Unknown error";
}

API mxm_error_t mxm_config_read_opts(mxm_context_opts_t *c, mxm_ep_opts_t *e, const char *prefix, const char *file, unsigned flags)
{
	ENTER(NULL);
	(void)prefix, (void)file;
	if (!c || !e || flags)
		return MXM_ERR_INVALID_PARAM;
	*c = calloc(1, 8), *e = calloc(1, 8);
	return MXM_OK;
}

API void mxm_config_free_context_opts(mxm_context_opts_t o) { free(o); }
API void mxm_config_free_ep_opts(mxm_ep_opts_t o) { free(o); }

API mxm_error_t mxm_init(mxm_context_opts_t o, mxm_h *out)
{
	ENTER(NULL);
	if (!o || !out)
		return MXM_ERR_INVALID_PARAM;
	struct mxm *m = calloc(1, sizeof *m);
	if (!m)
		return MXM_ERR_NO_MEMORY;
	m->magic = CONTEXT;
	*out = m;
	return MXM_OK;
}

struct mxm *mxm_of(mxm_h h, const char *function)
{
	struct mxm *m = h;
	if (!m || m->magic != CONTEXT)
		violation(function, "the handle is none of mxm_init");
	return m;
}

API void mxm_cleanup(mxm_h h)
{
	struct mxm *m = mxm_of(h, __func__);
	if (m->nic)
		violation(__func__, "an endpoint is still open");
	m->magic = 0;
	free(m);
}

// An endpoint is its context's handle: there is one.
API mxm_error_t mxm_ep_create(mxm_h h, mxm_ep_opts_t o, mxm_ep_h *out)
{
	struct mxm *m = mxm_of(h, __func__);
	ENTER(NULL);
	if (!o || !out || m->nic)
		return MXM_ERR_INVALID_PARAM;
	gni_cdm_handle_t cdm;
	gni_nic_handle_t nic;
	uint32_t instance, address;
	if (getrandom(&instance, sizeof instance, 0) != sizeof instance || GNI_CdmCreate(instance, 0xee, 0x6d786d, 0, &cdm))
		return MXM_ERR_NO_MEMORY;
	if (GNI_CdmAttach(cdm, 0, &address, &nic)) {
		GNI_CdmDestroy(cdm);
		return MXM_ERR_NO_DEVICE;
	}
	m->nic = nic;
	*out = m;
	return MXM_OK;
}

API mxm_error_t mxm_ep_get_address(mxm_ep_h e, void *buffer, size_t *length)
{
	struct mxm *m = mxm_of(e, __func__);
	ENTER(m);
	if (!length)
		return MXM_ERR_INVALID_PARAM;
	size_t room = *length;
	*length = sizeof m->nic->key;
	if (!buffer || room < *length)
		return MXM_ERR_BUFFER_TOO_SMALL;
	memcpy(buffer, &m->nic->key, *length);
	return MXM_OK;
}

// ring makes the ring of messages to a peer, in the own segment.
static struct mailbox *ring(struct nic *n, struct lane *l)
{
	uint32_t room = (uint32_t)(sizeof(struct slot) + sizeof(struct message) + EAGER + 63) & ~63u;
	uint64_t at = n->segment->used, size = sizeof(struct mailbox) + (uint64_t)room * CREDITS;
	if (at + size > SEGMENT)
		return NULL;
	n->segment->used += (size + 63) & ~63ull;
	struct mailbox *b = (void *)((char *)n->segment + at);
	b->credits = CREDITS, b->room = room;
	atomic_store(&l->outbox, at);
	return b;
}

API mxm_error_t mxm_ep_connect(mxm_ep_h e, void *address, mxm_conn_h *out)
{
	struct mxm *m = mxm_of(e, __func__);
	ENTER(m);
	uint64_t key;
	if (!address || !out)
		return MXM_ERR_INVALID_PARAM;
	memcpy(&key, address, sizeof key);
	struct peer *p = peer_of(m->nic, (uint32_t)(key >> 32), (uint32_t)key);
	if (!p)
		return MXM_ERR_UNREACHABLE;
	struct conn *c = calloc(1, sizeof *c);
	if (!c || !(c->out = ring(m->nic, p->from))) {
		free(c);
		return MXM_ERR_NO_MEMORY;
	}
	c->magic = CONN, c->mxm = m, c->peer = p, c->last = &c->first, c->unfenced = &c->accesses;
	c->next = m->conns, m->conns = c;
	*out = c;
	return MXM_OK;
}

API mxm_error_t mxm_conn_ctx_set(mxm_conn_h h, void *user)
{
	ENTER(((struct conn *)h)->mxm);
	((struct conn *)h)->user = user;
	return MXM_OK;
}

API void *mxm_conn_ctx_get(mxm_conn_h h) { return ((struct conn *)h)->user; }

// It waits until all messages have arrived, as the library flushes a connection.
API mxm_error_t mxm_ep_disconnect(mxm_conn_h h)
{
	struct conn *c = h;
	if (!c || c->magic != CONN)
		return MXM_ERR_INVALID_PARAM;
	struct mxm *m = c->mxm;
	ENTER(m);
	if (c->announced || c->first || c->accesses)
		fail(m, c);
	while (!c->dead && c->arrived > now())
		usleep(50);
	struct conn **at = &m->conns;
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	c->magic = 0;
	free(c);
	return MXM_OK;
}

API void mxm_ep_destroy(mxm_ep_h e)
{
	struct mxm *m = mxm_of(e, __func__);
	while (m->conns) { // whose disconnecting has failed
		struct conn *c = m->conns;
		fail(m, c);
		m->conns = c->next;
		c->magic = 0;
		free(c);
	}
	if (m->mapped)
		violation(__func__, "memory is still mapped");
	struct cdm *cdm = m->nic->cdm;
	m->nic = NULL;
	GNI_CdmDestroy(cdm);
}
