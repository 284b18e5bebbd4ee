// Communication domains and endpoints.
#include <stdlib.h>
#include <unistd.h>

#include "fabric.h"


// gni_emulated marks this library: records of measurements name it.
PUBLIC const int gni_emulated = 1;

PUBLIC gni_return_t GNI_GetVersion(uint32_t *out)
{
	ENTER(NULL);
	if (!out)
		return GNI_RC_INVALID_PARAM;
	*out = version();
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_GetNumLocalDevices(int *n)
{
	ENTER(NULL);
	if (!n)
		return GNI_RC_INVALID_PARAM;
	*n = 1;
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_GetDeviceType(gni_nic_device_t *type)
{
	ENTER(NULL);
	if (!type)
		return GNI_RC_INVALID_PARAM;
	*type = GNI_DEVICE_ARIES;
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_CdmCreate(uint32_t instance, uint8_t ptag, uint32_t cookie, uint32_t modes, gni_cdm_handle_t *out)
{
	ENTER(NULL);
	if (!out)
		return GNI_RC_INVALID_PARAM;
	struct cdm *c = object_new(CDM, sizeof *c);
	if (!c)
		return GNI_RC_ERROR_NOMEM;
	c->instance = instance, c->ptag = ptag, c->cookie = cookie, c->modes = modes;
	*out = c;
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_CdmAttach(gni_cdm_handle_t cdm, uint32_t device, uint32_t *address, gni_nic_handle_t *out)
{
	struct cdm *c = object_check(cdm, CDM);
	ENTER(NULL);
	if (!c || !address || !out)
		return GNI_RC_INVALID_PARAM;
	if (device)
		return GNI_RC_NO_MATCH;
	if (c->nic)
		return GNI_RC_INVALID_STATE;
	struct nic *n = object_new(NIC, sizeof *n);
	if (!n)
		return GNI_RC_ERROR_NOMEM;
	n->cdm = c, n->address = 0x1001, n->key = key_of(n->address, c->instance);
	n->socket = n->memory = -1;
	if (!segment_create(n)) {
		object_free(n);
		return GNI_RC_ERROR_RESOURCE; // the instance is taken, or there is no memory
	}
	c->nic = n;
	*address = n->address;
	*out = n;
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_CdmDestroy(gni_cdm_handle_t cdm)
{
	struct cdm *c = object_check(cdm, CDM);
	ENTER(c ? c->nic : NULL);
	if (!c)
		return GNI_RC_INVALID_PARAM;
	struct nic *n = c->nic;
	if (n && n->endpoints)
		return GNI_RC_INVALID_STATE;
	if (n) {
		for (int i = 0; i < QUEUES; i++) {
			if (n->queues[i]) {
				free(n->queues[i]->ring);
				object_free(n->queues[i]);
			}
		}
		peers_close(n);
		segment_close(n);
		object_free(n);
	}
	object_free(c);
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_EpCreate(gni_nic_handle_t nic, gni_cq_handle_t queue, gni_ep_handle_t *out)
{
	struct nic *n = object_check(nic, NIC);
	ENTER(n);
	struct queue *q = queue ? object_check(queue, QUEUE) : NULL;
	if (!n || !out || (queue && (!q || q->nic != n || queue_use(q, LOCAL))))
		return GNI_RC_INVALID_PARAM;
	struct endpoint *e = object_new(ENDPOINT, sizeof *e);
	if (!e)
		return GNI_RC_ERROR_NOMEM;
	e->nic = n, e->queue = q;
	if (q)
		q->users++;
	n->endpoints++;
	*out = e;
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_EpBind(gni_ep_handle_t ep, uint32_t address, uint32_t instance)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	if (!e)
		return GNI_RC_INVALID_PARAM;
	if (e->bound)
		return GNI_RC_INVALID_STATE;
	e->bound = true, e->address = address, e->instance = instance;
	e->local_event = instance, e->remote_event = e->nic->cdm->instance;
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_EpSetEventData(gni_ep_handle_t ep, uint32_t local, uint32_t remote)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	if (!e)
		return GNI_RC_INVALID_PARAM;
	e->local_event = local, e->remote_event = remote;
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_EpUnbind(gni_ep_handle_t ep)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	if (!e)
		return GNI_RC_INVALID_PARAM;
	if (!e->bound)
		return GNI_RC_INVALID_STATE;
	e->bound = e->smsg = false;
	e->peer = NULL, e->out = NULL;
	return GNI_RC_SUCCESS;
}

PUBLIC gni_return_t GNI_EpDestroy(gni_ep_handle_t ep)
{
	struct endpoint *e = object_check(ep, ENDPOINT);
	ENTER(e ? e->nic : NULL);
	if (!e)
		return GNI_RC_INVALID_PARAM;
	if (e->queue)
		e->queue->users--;
	e->nic->endpoints--;
	object_free(e);
	return GNI_RC_SUCCESS;
}
