// An emulator of Cray's uGNI over shared memory between the processes of one machine: a test tool.
// It makes the checks that the hardware makes, and aborts the process for mistakes that the
// hardware would not report (violation).
//
// Each NIC, that is a communication domain attached to a device, has a segment of shared memory. It
// is found by an abstract socket whose name holds protection tag, cookie, address and instance: the
// kernel gives its owner's process number, and ends the connection when that process dies. Nothing
// remains of a process that is killed. No lock is shared between processes.
#ifndef GOBENCH_GNI_FABRIC_H
#define GOBENCH_GNI_FABRIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../ugni/abi.h"

// The emulator of MXM uses the fabric of this one, and exports its own functions alone.
#ifndef PUBLIC
#define PUBLIC __attribute__((visibility("default")))
#endif

#define GNI_EMULATOR_VERSION 0x005c0000

enum {
	LANES = 512,          // peers of a NIC
	LANE_EVENTS = 1024,   // events under way from one peer
	REGIONS = 1 << 16,    // registered at a time
	QUEUES = 64,          // completion queues of a NIC
	TRANSACTIONS = 1 << 14,
	SEGMENT = 1 << 30,    // bytes of address space; memory is taken when touched
	MOST_MESSAGE = 65535,
};

// event is a completion event on its way to a remote queue.
struct event {
	uint64_t entry;
	uint64_t at; // when it can be seen, in nanoseconds
	uint32_t queue;
};

// lane holds the events and the datagram that one peer, its source, sends to the owner of the
// segment. Ring indices grow without bound.
struct lane {
	_Atomic uint64_t source; // key of the peer plus 1; 0: free
	_Atomic uint32_t tail;   // of events; the source writes it
	_Atomic uint32_t head;   // the owner writes it
	_Atomic uint64_t lost;   // bits of queues whose events found no room
	struct event events[LANE_EVENTS];

	_Atomic uint32_t datagram; // number of the one that is there; 0: none, 1: it is being taken
	uint32_t datagram_length;
	uint8_t datagram_data[GNI_DATAGRAM_MAXSIZE];

	_Atomic uint64_t outbox; // of the owner towards this peer: offset of a struct mailbox in the segment
};

// region is registered memory.
struct region {
	_Atomic uint64_t generation; // odd while it is registered
	uint64_t start, length;
	uint32_t flags;
	uint32_t queue;      // of remote events, plus 1
	uint32_t operations; // of the owner that are under way
};

struct segment {
	_Atomic uint32_t gone; // the NIC has failed
	struct lane lanes[LANES];
	struct region regions[REGIONS];
	uint64_t used; // bytes of the segment
};

// slot is one short message. Its room is a multiple of 64 bytes.
struct slot {
	uint64_t at;
	uint32_t header, data;
	uint8_t tag;
	_Alignas(16) uint8_t bytes[];
};

// mailbox is a ring of short messages in the sender's segment.
struct mailbox {
	uint64_t address; // of the receiver's memory for it
	uint32_t credits, most, room;
	_Alignas(64) _Atomic uint32_t tail; // the sender writes it
	_Alignas(64) _Atomic uint32_t head; // the receiver writes it: messages released
	_Alignas(64) uint8_t slots[];
};

// peer is another NIC as this one sees it.
struct peer {
	uint64_t key;
	int connection, pid;
	bool dead;
	uint64_t checked; // when it was last seen alive
	struct segment *segment;
	struct lane *to;     // in its segment
	struct lane *from;   // in the own segment
	struct peer *next;
};

enum magic { CDM = 0x67636401, NIC, ENDPOINT, QUEUE, DEAD };

// object is the beginning of everything that has a handle. Released objects are kept, so that a
// stale handle is detected.
struct object {
	enum magic magic;
	enum magic kind;
	struct object *next;
};

struct cdm {
	struct object object;
	uint32_t instance, cookie, modes;
	uint8_t ptag;
	struct nic *nic;
};

struct transaction {
	struct endpoint *endpoint;
	gni_post_descriptor_t *descriptor;
	struct region *local; // NULL: not registered
	bool used, failed;
};

struct nic {
	struct object object;
	struct cdm *cdm;
	uint32_t address;
	uint64_t key;
	char name[96];
	int socket, memory;
	struct segment *segment;
	struct peer *peers;
	struct queue *queues[QUEUES];
	struct datagram *datagrams;
	struct transaction transactions[TRANSACTIONS];
	uint32_t next_transaction, last_datagram, endpoints, registered, lanes;
	uint64_t posted; // operations begun
	bool deaf;       // a fault has lost the end of an operation
	_Atomic int busy;
};

struct entry {
	gni_cq_entry_t entry;
	uint64_t at;
	const void *header, *data; // of a short message whose buffers the library owns
	uint32_t header_length, data_length;
	uint64_t sum;
};

enum side { UNDECIDED, LOCAL, REMOTE };

struct queue {
	struct object object;
	struct nic *nic;
	uint32_t number, entries, mode, users;
	enum side side;
	uint32_t head, tail;
	bool overrun;
	struct entry *ring;
};

struct endpoint {
	struct object object;
	struct nic *nic;
	struct queue *queue;
	bool bound, smsg, taken; // taken: a message that is not released
	uint32_t address, instance, local_event, remote_event;
	struct peer *peer;
	struct mailbox *out;
	gni_smsg_attr_t mine, theirs;
};

// Fields of an entry: data 0..31, transaction 32..47, type 48..49, status 50..53, then bits.
enum { TRANSACTION_AT = 32, TYPE_AT = 48, STATUS_AT = 50, OVERRUN_AT = 54, RECOVERABLE_AT = 56, VALID_AT = 63 };
#define BIT(n) (1ull << (n))

// fabric.c
uint64_t now(void); // nanoseconds; 0 if no latency is set
uint64_t key_of(uint32_t address, uint32_t instance);
struct segment *segment_create(struct nic *n);
void segment_close(struct nic *n);
struct lane *lane_of(struct segment *s, uint64_t source);
struct peer *peer_of(struct nic *n, uint32_t address, uint32_t instance);
bool peer_alive(struct nic *n, struct peer *p, bool surely);
void peers_close(struct nic *n);
void lane_push(struct peer *p, uint32_t queue, uint64_t entry, uint64_t at);

// object.c
void *object_new(enum magic kind, size_t size);
void *object_check(void *handle, enum magic kind);
void object_free(void *object);
_Noreturn void violation(const char *function, const char *rule);

// memory.c
bool handle_of(const gni_mem_handle_t *h, uint32_t *index, uint64_t *key, uint32_t *generation);
gni_return_t region_check(struct segment *s, uint64_t key, const gni_mem_handle_t *h, uint64_t start, uint64_t length, bool write);

// queue.c
struct entry *queue_add(struct queue *q, gni_cq_entry_t entry, uint64_t at);
gni_return_t queue_use(struct queue *q, enum side side);
void queues_drain(struct nic *n);
uint64_t sum_of(const void *header, uint32_t hlen, const void *data, uint32_t dlen);

// post.c
// transaction_run moves the data of an operation whose event is due, and returns the bits of its
// error for the event. Other events have none.
uint64_t transaction_run(struct nic *n, gni_cq_entry_t entry);

// faults.c
struct guard {
	struct nic *nic;
	gni_return_t code;
};
struct guard enter(const char *function, struct nic *n);
void leave(struct guard *g);
enum chance { TRANSIENT, FATAL, LOST, EARLY, OVERRUN, CROSS, CHANCES };
bool happens(enum chance c);
uint64_t latency(void);
bool timed(void); // something depends on the time
uint32_t most_entries(uint32_t wanted);
uint32_t version(void);
uint64_t lifetime(void); // operations until a NIC fails; 0: none does

// ENTER begins a function: it injects faults that are set, and checks that one thread at a time
// calls a NIC.
#define ENTER(n) \
	struct guard guard __attribute__((cleanup(leave))) = enter(__func__, n); \
	if (guard.code) \
		return guard.code

#endif
