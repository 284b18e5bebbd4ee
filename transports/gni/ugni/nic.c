//go:build gni && cgo

// Opening and connecting.
#define _GNU_SOURCE
#include "private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct gni_library gni;

#define NAME(f, result, arguments) #f,
static const char *const names[] = {GNI_FUNCTIONS(NAME) "?gni_emulated", NULL};

const char *const *gb_gni_names(void) { return names; }

int gb_gni_facts(uint32_t *version, gni_nic_device_t *kind, int *devices)
{
	gni_return_t rc = gni.GNI_GetVersion(version);
	if (!rc)
		rc = gni.GNI_GetDeviceType(kind);
	if (!rc)
		rc = gni.GNI_GetNumLocalDevices(devices);
	return -(int)rc;
}

#define TRY(call, what)       \
	do {                  \
		*rc = (call); \
		if (*rc) {    \
			name = what; \
			goto failed; \
		}             \
	} while (0)

static gni_smsg_attr_t attributes(const struct nic *n)
{
	return (gni_smsg_attr_t){.msg_type = GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT, .mbox_maxcredit = (uint16_t)n->c.credits,
	                         .msg_maxsize = n->c.mailbox};
}

const char *gb_nic_open(const struct config *c, struct nic **out, gni_return_t *rc)
{
	const char *name = "calloc";
	struct nic *n = calloc(1, sizeof *n);
	*rc = GNI_RC_ERROR_NOMEM;
	if (!n)
		return name;
	n->c = *c;
	n->taken = NONE;
	n->peers = calloc(c->peers + 1, sizeof *n->peers);
	n->ready = calloc(c->peers + 1, sizeof *n->ready);
	n->room = (c->mailbox + 63) & ~63u;
	n->buffers = aligned_alloc(64, (size_t)n->room * c->buffers);
	n->owners = calloc(c->buffers, sizeof *n->owners);
	n->unused = calloc(c->buffers, sizeof *n->unused);
	n->posts = calloc(c->posts, sizeof *n->posts);
	n->idle = calloc(c->posts, sizeof *n->idle);
	n->again = calloc(c->posts, sizeof *n->again);
	n->late = calloc(c->posts, sizeof *n->late);
	if (!n->peers || !n->ready || !n->buffers || !n->owners || !n->unused || !n->posts || !n->idle || !n->again || !n->late)
		goto failed;
	memset(n->buffers, 0, (size_t)n->room * c->buffers);
	for (uint32_t i = 0; i < c->buffers; i++)
		n->unused[n->n_unused++] = i;
	for (uint32_t i = 0; i < c->posts; i++)
		n->idle[n->n_idle++] = i;
	TRY(gni.GNI_CdmCreate(c->instance, c->ptag, c->cookie, c->modes, &n->cdm), "GNI_CdmCreate");
	TRY(gni.GNI_CdmAttach(n->cdm, c->device, &n->address, &n->nic), "GNI_CdmAttach");
	TRY(gni.GNI_CqCreate(n->nic, c->buffers + c->posts, 0, GNI_CQ_NOBLOCK, NULL, NULL, &n->tx), "GNI_CqCreate");
	TRY(gni.GNI_CqCreate(n->nic, c->posts, 0, GNI_CQ_NOBLOCK, NULL, NULL, &n->bulk), "GNI_CqCreate");
	TRY(gni.GNI_CqCreate(n->nic, c->events, 0, c->blocking ? GNI_CQ_BLOCKING : GNI_CQ_NOBLOCK, NULL, NULL, &n->rx), "GNI_CqCreate");
	gni_smsg_attr_t a = attributes(n);
	unsigned int size;
	TRY(gni.GNI_SmsgBufferSizeNeeded(&a, &size), "GNI_SmsgBufferSizeNeeded");
	n->mailbox_size = (size + 63) & ~63u;
	n->mailbox_bytes = (size_t)n->mailbox_size * c->peers;
	TRY(n->mailbox_bytes > UINT32_MAX ? GNI_RC_SIZE_ERROR : GNI_RC_SUCCESS, "GNI_SmsgBufferSizeNeeded"); // offsets have 32 bits
	void *at = mmap(NULL, n->mailbox_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED) {
		*rc = GNI_RC_ERROR_NOMEM;
		name = "mmap";
		goto failed;
	}
	n->mailboxes = at;
	TRY(gni.GNI_MemRegister(n->nic, (uint64_t)(uintptr_t)at, n->mailbox_bytes, n->rx, GNI_MEM_READWRITE, (uint32_t)-1, &n->handle), "GNI_MemRegister");
	n->registered = 1;
	TRY(gni.GNI_SmsgSetMaxRetrans(n->nic, 4096), "GNI_SmsgSetMaxRetrans");
	*out = n;
	return NULL;
failed:
	gb_nic_close(n);
	return name;
}

void gb_nic_close(struct nic *n)
{
	if (n->peers) {
		for (uint32_t i = 0; i <= n->c.peers; i++) {
			if (n->peers[i].ep) {
				gni.GNI_EpUnbind(n->peers[i].ep);
				gni.GNI_EpDestroy(n->peers[i].ep);
			}
		}
	}
	if (n->registered)
		gni.GNI_MemDeregister(n->nic, &n->handle);
	if (n->rx)
		gni.GNI_CqDestroy(n->rx);
	if (n->bulk)
		gni.GNI_CqDestroy(n->bulk);
	if (n->tx)
		gni.GNI_CqDestroy(n->tx);
	if (n->cdm)
		gni.GNI_CdmDestroy(n->cdm);
	if (n->mailboxes)
		munmap(n->mailboxes, n->mailbox_bytes);
	free(n->peers);
	free(n->ready);
	free(n->buffers);
	free(n->owners);
	free(n->unused);
	free(n->posts);
	free(n->idle);
	free(n->again);
	free(n->late);
	free(n);
}

uint32_t gb_nic_address(struct nic *n) { return n->address; }
struct event *gb_nic_events(struct nic *n) { return n->events; }
const char *gb_nic_reason(struct nic *n, uint32_t peer) { return n->peers[peer].reason; }

void gb_nic_mailboxes(struct nic *n, uint32_t peer, struct mailboxes *m)
{
	*m = (struct mailboxes){.base = (uint64_t)(uintptr_t)n->mailboxes, .handle = n->handle, .size = n->mailbox_size,
	                        .offset = peer * n->mailbox_size};
}

const char *gb_nic_bind(struct nic *n, uint32_t peer, uint32_t address, uint32_t instance, gni_return_t *rc)
{
	const char *name;
	struct peer *p = &n->peers[peer];
	if (p->ep)
		return NULL;
	TRY(gni.GNI_EpCreate(n->nic, n->tx, &p->ep), "GNI_EpCreate");
	TRY(gni.GNI_EpBind(p->ep, address, instance), "GNI_EpBind");
	TRY(gni.GNI_EpSetEventData(p->ep, peer, n->c.instance), "GNI_EpSetEventData");
	return NULL;
failed:
	return name;
}

const char *gb_nic_connect(struct nic *n, uint32_t peer, const struct mailboxes *theirs, gni_return_t *rc)
{
	const char *name;
	struct peer *p = &n->peers[peer];
	gni_smsg_attr_t mine = attributes(n), other = attributes(n);
	mine.msg_buffer = n->mailboxes;
	mine.buff_size = n->mailbox_size;
	mine.mem_hndl = n->handle;
	mine.mbox_offset = peer * n->mailbox_size;
	other.msg_buffer = (void *)(uintptr_t)theirs->base;
	other.buff_size = theirs->size;
	other.mem_hndl = theirs->handle;
	other.mbox_offset = theirs->offset;
	TRY(gni.GNI_SmsgInit(p->ep, &mine, &other), "GNI_SmsgInit");
	p->connected = 1;
	gb_nic_look_into(n, peer, PATIENCE); // the peer may have connected before
	return NULL;
failed:
	return name;
}

int gb_nic_register(struct nic *n, uint64_t start, uint64_t length, gni_mem_handle_t *h)
{
	return -(int)gni.GNI_MemRegister(n->nic, start, length, NULL, GNI_MEM_READWRITE, (uint32_t)-1, h);
}

int gb_nic_deregister(struct nic *n, gni_mem_handle_t *h) { return -(int)gni.GNI_MemDeregister(n->nic, h); }

static struct peer *greeter(struct nic *n, uint32_t peer) { return &n->peers[peer == NONE ? n->c.peers : peer]; }

int gb_nic_greet(struct nic *n, uint32_t peer, const void *data, uint16_t length)
{
	struct peer *p = greeter(n, peer);
	gni_return_t rc;
	if (!p->ep && (rc = gni.GNI_EpCreate(n->nic, n->tx, &p->ep)))
		return -(int)rc;
	memcpy(p->said, data, length);
	rc = gni.GNI_EpPostDataWId(p->ep, p->said, length, p->heard, sizeof p->heard, peer);
	p->greeting = rc == GNI_RC_SUCCESS;
	return rc == GNI_RC_ERROR_RESOURCE || rc == GNI_RC_NOT_DONE ? NO_ROOM : -(int)rc;
}

int gb_nic_ungreet(struct nic *n, uint32_t peer)
{
	struct peer *p = greeter(n, peer);
	if (!p->greeting)
		return 0;
	p->greeting = 0;
	gni_return_t rc = gni.GNI_EpPostDataCancelById(p->ep, peer);
	return rc == GNI_RC_NO_MATCH ? 0 : -(int)rc; // it was answered at the same time
}

int gb_nic_greeted(struct nic *n, uint32_t *peer, uint32_t *instance, void *data)
{
	uint64_t id;
	uint32_t address;
	gni_post_state_t state;
	*peer = NONE;
	gni_return_t rc = gni.GNI_PostDataProbeById(n->nic, &id);
	if (rc == GNI_RC_NO_MATCH || rc == GNI_RC_NOT_DONE)
		return 0;
	if (rc)
		return -(int)rc;
	*peer = (uint32_t)id;
	struct peer *p = greeter(n, *peer);
	rc = gni.GNI_EpPostDataTestById(p->ep, id, &state, &address, instance);
	if (rc)
		return -(int)rc;
	if (state == GNI_POST_PENDING || state == GNI_POST_REMOTE_DATA || !p->greeting) // or cancelled
		return 0;
	p->greeting = 0;
	if (state != GNI_POST_COMPLETED)
		return -GNI_RC_TRANSACTION_ERROR;
	memcpy(data, p->heard, sizeof p->heard);
	return 1;
}
