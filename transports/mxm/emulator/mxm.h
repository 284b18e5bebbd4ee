// Types of the emulator of Mellanox MXM 3, which works between the processes of one machine: a test
// tool. Segments, the search for peers and the faults are those of the emulator of uGNI. A mistake
// that the library would not report aborts the process (violation).
//
// A message of up to EAGER bytes is copied into the ring of the pair. A longer or synchronous one
// is announced; the receiver reads it by process_vm_readv when it is matched, and answers. Puts and
// gets are made by mxm_progress, when their latency is over at the earliest (submit, access_due).
#ifndef MXM_EMULATOR_H
#define MXM_EMULATOR_H

#include "../../gni/emulator/fabric.h"
#include "../abi.h"

#define API __attribute__((visibility("default")))

enum { EAGER = 4096, CREDITS = 64, CONTEXT = 0x6d786d01, CONN, MQ };

enum type { MESSAGE = 1, ANNOUNCED, ANSWER };

// message is the header of a slot of a ring.
struct message {
	uint32_t type, context, tag, imm;
	uint64_t length, address, request; // of an announced message: where it is, and the sender's request
	int32_t error;                     // of an answer
};

struct mxm {
	uint32_t magic;
	struct nic *nic; // of the endpoint
	struct conn *conns;
	struct mq *mqs[65536];
	struct mapped *mapped;
	int in_callback;
	uint64_t turns;
};

// mapped is memory that peers can reach.
struct mapped {
	void *address;
	size_t length;
	gni_mem_handle_t handle;
	struct mapped *next;
};

// waiting is a send for which the ring has had no room.
struct waiting {
	struct message m;
	mxm_send_req_t *request; // NULL: an answer
	struct waiting *next;
};

struct conn {
	uint32_t magic;
	struct mxm *mxm;
	void *user;
	struct peer *peer;
	struct mailbox *out;
	struct waiting *first, **last;
	mxm_send_req_t *announced; // linked by reserved, as are the next
	mxm_send_req_t *accesses, **unfenced; // and those after the last fence
	bool dead;
	uint64_t arrived; // when the last message is at the peer
	struct conn *next;
};

struct unexpected {
	struct conn *from;
	struct message m;
	struct unexpected *next;
	uint8_t data[];
};

struct mq {
	uint32_t magic;
	struct mxm *mxm;
	uint16_t context;
	mxm_recv_req_t *posted, **last; // linked by reserved
	struct unexpected *first, **end;
};

// A request that is in a list is linked by its field reserved.
static inline void **link_of(void *request, size_t at) { return (void **)((char *)request + at); }
#define NEXT_SEND(r) (*(mxm_send_req_t **)link_of(r, offsetof(mxm_send_req_t, reserved)))
#define DUE(r) (*(uint64_t *)link_of(r, offsetof(mxm_send_req_t, reserved) + sizeof(void *))) // of an access
#define NEXT_RECV(r) (*(mxm_recv_req_t **)link_of(r, offsetof(mxm_recv_req_t, reserved)))

#undef ENTER
#define ENTER(m) \
	struct guard guard __attribute__((cleanup(leave))) = enter(__func__, (m) ? ((struct mxm *)(m))->nic : NULL); \
	if (guard.code) \
		return (mxm_error_t)guard.code

// access.c
mxm_error_t submit(struct conn *c, mxm_send_req_t *r);
mxm_send_req_t *next_access(struct conn *c);
bool access_due(struct conn *c);

// endpoint.c
struct mxm *mxm_of(mxm_h h, const char *function);

// message.c
mxm_error_t transmit(struct conn *c, const struct message *k, mxm_send_req_t *r);
void deliver(struct mxm *m, mxm_recv_req_t *r, struct conn *from, const struct message *k, const void *data);
void fail(struct mxm *m, struct conn *c);

// request.c
void complete(struct mxm *m, mxm_req_base_t *r, mxm_error_t e);
bool fits(const mxm_recv_req_t *r, struct conn *from, uint32_t tag);

#endif
