#ifndef GOBENCH_GNI_PRIVATE_H
#define GOBENCH_GNI_PRIVATE_H

#include "nic.h"

#define NONE UINT32_MAX

// PATIENCE is the number of polls of a mailbox after its event. With adaptive routing an event may
// arrive before its message. A message that arrives even later is found by the next sweep.
enum { PATIENCE = 256 };

struct nic;
void gb_nic_look_into(struct nic *n, uint32_t peer, int patience);

struct peer {
	gni_ep_handle_t ep;
	uint32_t connected, busy, operations; // under way: all, and one-sided ones
	int patience; // polls of its mailbox that are left while it is empty
	uint8_t queued, broken, reported, asked, greeting, unreadable;
	char reason[192];
	uint8_t said[GNI_DATAGRAM_MAXSIZE], heard[GNI_DATAGRAM_MAXSIZE];
};

struct post {
	gni_post_descriptor_t d; // first, so that a descriptor is its post
	uint64_t token;
	uint32_t peer, tries, alive, bulk;
};

struct nic {
	struct config c;
	gni_cdm_handle_t cdm;
	gni_nic_handle_t nic;
	gni_cq_handle_t tx, bulk, rx;
	uint32_t address;

	struct peer *peers; // one more: the endpoint that any peer may greet
	uint32_t *ready, first, count; // ring of peers whose mailboxes are to be polled
	uint32_t taken;                // the peer whose message the last poll returned

	uint8_t *buffers; // of messages that are being sent
	uint32_t room, *owners, *unused, n_unused;

	struct post *posts;
	uint32_t *idle, n_idle, *again, n_again, n_bulk;

	uint8_t *mailboxes;
	uint32_t mailbox_size, registered;
	size_t mailbox_bytes;
	gni_mem_handle_t handle;

	int error; // that the next poll returns
	struct event *late; // ends of operations with peers that are lost
	uint32_t n_late;
	struct event events[EVENTS];
};

#endif
