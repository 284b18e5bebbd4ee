// A NIC of uGNI with its endpoints, mailboxes and operations, below package gni.
#ifndef GOBENCH_GNI_NIC_H
#define GOBENCH_GNI_NIC_H

#include <stdlib.h>

#include "abi.h"

#define GNI_FUNCTIONS(X)                                                                                              \
	X(GNI_GetVersion, gni_return_t, (uint32_t *))                                                                 \
	X(GNI_GetNumLocalDevices, gni_return_t, (int *))                                                              \
	X(GNI_GetDeviceType, gni_return_t, (gni_nic_device_t *))                                                      \
	X(GNI_CdmCreate, gni_return_t, (uint32_t, uint8_t, uint32_t, uint32_t, gni_cdm_handle_t *))                   \
	X(GNI_CdmAttach, gni_return_t, (gni_cdm_handle_t, uint32_t, uint32_t *, gni_nic_handle_t *))                  \
	X(GNI_CdmDestroy, gni_return_t, (gni_cdm_handle_t))                                                           \
	X(GNI_EpCreate, gni_return_t, (gni_nic_handle_t, gni_cq_handle_t, gni_ep_handle_t *))                         \
	X(GNI_EpBind, gni_return_t, (gni_ep_handle_t, uint32_t, uint32_t))                                            \
	X(GNI_EpSetEventData, gni_return_t, (gni_ep_handle_t, uint32_t, uint32_t))                                    \
	X(GNI_EpUnbind, gni_return_t, (gni_ep_handle_t))                                                              \
	X(GNI_EpDestroy, gni_return_t, (gni_ep_handle_t))                                                             \
	X(GNI_EpPostDataWId, gni_return_t, (gni_ep_handle_t, void *, uint16_t, void *, uint16_t, uint64_t))           \
	X(GNI_PostDataProbeById, gni_return_t, (gni_nic_handle_t, uint64_t *))                                        \
	X(GNI_EpPostDataTestById, gni_return_t, (gni_ep_handle_t, uint64_t, gni_post_state_t *, uint32_t *, uint32_t *)) \
	X(GNI_EpPostDataCancelById, gni_return_t, (gni_ep_handle_t, uint64_t))                                        \
	X(GNI_MemRegister, gni_return_t, (gni_nic_handle_t, uint64_t, uint64_t, gni_cq_handle_t, uint32_t, uint32_t, gni_mem_handle_t *)) \
	X(GNI_MemDeregister, gni_return_t, (gni_nic_handle_t, gni_mem_handle_t *))                                    \
	X(GNI_CqCreate, gni_return_t, (gni_nic_handle_t, uint32_t, uint32_t, gni_cq_mode_t, void (*)(gni_cq_entry_t *, void *), void *, gni_cq_handle_t *)) \
	X(GNI_CqGetEvent, gni_return_t, (gni_cq_handle_t, gni_cq_entry_t *))                                          \
	X(GNI_CqWaitEvent, gni_return_t, (gni_cq_handle_t, uint64_t, gni_cq_entry_t *))                               \
	X(GNI_CqDestroy, gni_return_t, (gni_cq_handle_t))                                                             \
	X(GNI_CqErrorStr, gni_return_t, (gni_cq_entry_t, void *, uint32_t))                                           \
	X(GNI_CqErrorRecoverable, gni_return_t, (gni_cq_entry_t, uint32_t *))                                         \
	X(GNI_SmsgBufferSizeNeeded, gni_return_t, (gni_smsg_attr_t *, unsigned int *))                                \
	X(GNI_SmsgInit, gni_return_t, (gni_ep_handle_t, gni_smsg_attr_t *, gni_smsg_attr_t *))                        \
	X(GNI_SmsgSetMaxRetrans, gni_return_t, (gni_nic_handle_t, uint16_t))                                          \
	X(GNI_SmsgSendWTag, gni_return_t, (gni_ep_handle_t, void *, uint32_t, void *, uint32_t, uint32_t, uint8_t))   \
	X(GNI_SmsgGetNextWTag, gni_return_t, (gni_ep_handle_t, void **, uint8_t *))                                   \
	X(GNI_SmsgRelease, gni_return_t, (gni_ep_handle_t))                                                           \
	X(GNI_PostFma, gni_return_t, (gni_ep_handle_t, gni_post_descriptor_t *))                                      \
	X(GNI_PostRdma, gni_return_t, (gni_ep_handle_t, gni_post_descriptor_t *))                                     \
	X(GNI_GetCompleted, gni_return_t, (gni_cq_handle_t, gni_cq_entry_t, gni_post_descriptor_t **))                \
	X(gni_cq_get_inst_id, uint64_t, (gni_cq_entry_t))                                                             \
	X(gni_cq_get_msg_id, uint64_t, (gni_cq_entry_t))                                                              \
	X(gni_cq_get_type, uint64_t, (gni_cq_entry_t))

#define GNI_MEMBER(f, result, arguments) result(*f) arguments;
struct gni_library {
	GNI_FUNCTIONS(GNI_MEMBER)
	const int *emulated; // a symbol that only the emulator has
};
extern struct gni_library gni;
const char *const *gb_gni_names(void); // of the functions, then NULL

// config has the numbers with which a NIC is opened.
struct config {
	uint32_t instance, cookie, modes, device;
	uint32_t peers; // ranks; a peer is named by its rank, which is its instance, too
	uint8_t ptag;
	uint32_t credits, mailbox; // of a mailbox: messages, and bytes of one, its head included
	uint32_t buffers;          // of messages whose local events have not come
	uint32_t posts;            // one-sided operations under way
	uint32_t events;           // entries of the queue of arriving messages
	uint32_t blocking;         // the queue can be waited for (gb_nic_sleep)
};

enum tag { TAG_PACKET = 1, TAG_NOTICE, TAG_SEVERED };

enum kind { EVENT_PACKET = 1, EVENT_NOTICE, EVENT_SEVERED, EVENT_ENDED, EVENT_FAILED, EVENT_ALIVE, EVENT_BROKEN };

// event is a result of gb_nic_poll.
struct event {
	uint32_t kind, peer;
	uint64_t header[3];
	const void *data;
	uint32_t length, word;
	uint64_t token;
};

// outgoing is a short message to be sent.
struct outgoing {
	uint64_t header[3];
	const void *data;
	uint32_t length, peer, tag, word;
};

// head begins every message, because the library does not report its length.
struct head {
	uint64_t header[3];
	uint32_t length, word;
};

// piece is a one-sided operation to be posted.
struct piece {
	uint64_t local, remote, length, token;
	gni_mem_handle_t mine, theirs;
	uint32_t peer, get, bulk, pad; // bulk: by the BTE, else by FMA
};

// mailboxes describes memory for mailboxes to a peer.
struct mailboxes {
	uint64_t base;
	gni_mem_handle_t handle;
	uint32_t size, offset;
};

enum { EVENTS = 32, HEAD = sizeof(struct head) };

struct nic;

// A function that returns int returns 0, NO_ROOM, or a return code of the library below 0.
enum { NO_ROOM = 1 };

int gb_gni_facts(uint32_t *version, gni_nic_device_t *kind, int *devices); // a return code below 0
const char *gb_gni_code(gni_return_t rc);
const char *gb_nic_open(const struct config *c, struct nic **out, gni_return_t *rc);
void gb_nic_close(struct nic *n);
uint32_t gb_nic_address(struct nic *n);
struct event *gb_nic_events(struct nic *n);
const char *gb_nic_reason(struct nic *n, uint32_t peer);
void gb_nic_mailboxes(struct nic *n, uint32_t peer, struct mailboxes *m);
const char *gb_nic_bind(struct nic *n, uint32_t peer, uint32_t address, uint32_t instance, gni_return_t *rc);
const char *gb_nic_connect(struct nic *n, uint32_t peer, const struct mailboxes *theirs, gni_return_t *rc);
int gb_nic_register(struct nic *n, uint64_t start, uint64_t length, gni_mem_handle_t *h);
int gb_nic_deregister(struct nic *n, gni_mem_handle_t *h);

int gb_nic_send(struct nic *n, const struct outgoing *o);
int gb_nic_post(struct nic *n, const struct piece *p);
int gb_nic_alive(struct nic *n, uint32_t peer, uint64_t remote, const gni_mem_handle_t *theirs);
// gb_nic_sleep waits for a message, for ms milliseconds at most. It returns at once while an
// operation is under way that completes in another queue.
void gb_nic_sleep(struct nic *n, uint32_t ms);
int gb_nic_poll(struct nic *n, int turns); // the number of events, or a return code below 0
void gb_nic_sweep(struct nic *n);          // queues all mailboxes, with or without events
int gb_nic_settle(struct nic *n, uint32_t peer); // abandons a peer; 1: an operation with it is still under way
uint32_t gb_nic_busy(struct nic *n, uint32_t peer); // operations and messages to the peer under way

// Datagrams, for connecting.
int gb_nic_greet(struct nic *n, uint32_t peer, const void *data, uint16_t length); // peer -1: any
int gb_nic_greeted(struct nic *n, uint32_t *peer, uint32_t *instance, void *data); // 1: one was exchanged
int gb_nic_ungreet(struct nic *n, uint32_t peer);

#endif
