// The data path of one rail: one port of one device with its completion queue, its registered
// buffers and a queue pair for each peer. All work on every message is here, in C, so that Go calls
// C once for each message and not for each poll.
//
// A rail belongs to one thread at a time. Functions that can fail return NULL or the name of the
// verbs call that failed, with its errno in rail->error.
#ifndef GOBENCH_RAIL_H
#define GOBENCH_RAIL_H

#include "load.h"
#include <stdint.h>

// A packet on the network: the number of buffers freed for the peer so far, then the protocol's
// header and data. A packet without a header is a credit and nothing else. On a control queue it
// carries the number of packets that were sent by the data queue.
struct prefix {
	uint32_t freed;	 // receive buffers that the sender has posted again, modulo 2^32
	uint32_t number; // over UC and UD: packets sent so far, this one included, modulo 2^32
	uint64_t header[3];
};

enum { GRH = 40 }; // bytes before the data of a UD packet: its global routing header

// QKEY is the key of all UD queue pairs; one whose highest bit is set would need a privilege.
enum { QKEY = 0x0b0b0b0b };

enum { LOST = 1000 }; // status of a BROKEN queue whose packets were lost; no value of enum ibv_wc_status

enum { SPARE = 4 }; // receive buffers beyond the credits, for packets that only carry a credit

enum kind {
	PACKET = 1, // data and length hold it, header the words of its header
	NOTICE,     // word came with the end of a write
	ENDED,      // the write or read with that token is complete
	BROKEN,     // a work request of that queue failed: status, opcode; its queue is dead from now on
};

struct event {
	uint32_t kind;
	uint32_t queue;
	uint32_t length;
	uint32_t word;
	uint64_t token;
	uint64_t header[3];
	const uint8_t *data;
	uint32_t status;
	uint32_t opcode; // of enum operation, of the work request that failed
	uint32_t vendor;
	int32_t slot; // of the receive buffer, -1 if none
};

enum operation { SEND = 1, WRITE, WRITE_NOTICE, READ, ALIVE, RECEIVE, ATOMIC };

enum { BATCH = 32 }; // most events of one poll

// What a work request in a send queue was.
struct work {
	int32_t slot; // of the send pool; -1 inline or none
	uint8_t operation;
	uint8_t last; // of a write or read: report token
	uint64_t token;
};

struct queue {
	struct ibv_qp *qp;
	struct ibv_qp *target; // of XRC: receives the peer's requests, and qp sends this rank's; else NULL
	struct rdma_cm_id *id; // NULL unless connected by RDMA CM
	// an abandoned call that the peer's replaced, and its queue pair; NULL if none
	struct rdma_cm_id *old;
	struct ibv_qp *old_qp;
	// how often qp was made, of which the requests bear the last 7 bits: numbers of queue pairs
	// come again
	uint8_t made;
	int live;              // may be sent to
	int awaiting;          // may be sent to once the caller has sent a packet
	int broken;            // a failure was reported
	int leaving;           // the last packet has been sent: everything is signalled from now on
	uint32_t posted, done; // work requests of the send queue so far
	uint32_t quiet;        // posted since the last signalled
	uint32_t sent, heard;  // packets sent, and freed as the peer has reported
	uint32_t freed, told;  // receive buffers posted again, and reported to the peer
	uint32_t alive;        // requests of ALIVE under way
	uint32_t received;     // over UC and UD: packets of the peer so far
	uint32_t claimed;      // and those that it has sent, as reported on its control queue
	struct ibv_ah *ah;     // of UD: the address of the peer
	uint32_t remote;       // of UD: the number of the peer's queue pair; of XRC: of its shared receive queue
	struct work *works;    // ring of depth
	int fed;               // its receive buffers are in the shared queue
};

struct config {
	uint32_t peers;   // queues
	uint32_t credits; // packets that a peer may send ahead
	uint32_t buffer;  // bytes of a buffer, prefix included
	uint32_t depth;   // of a send queue; a power of two
	uint32_t slots;   // of the send pool
	uint32_t inlined; // bytes to send inline at most; the rail lowers it to what the device takes
	uint32_t shared;  // one shared receive queue
	uint32_t port;
	uint32_t service; // enum ibv_qp_type of the data queues
	uint32_t control; // index of the first control queue: RC, beside data queues of UC or UD; peers if there are none
	uint32_t events;  // completions can be waited for (gb_sleep)
};

struct rail {
	struct config c;
	int error;
	int owns; // the context
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_comp_channel *channel; // of cq; NULL unless completions can be waited for
	struct ibv_xrcd *domain; // of XRC
	struct ibv_srq *srq;
	struct ibv_device_attr device;
	struct ibv_port_attr port;
	uint8_t *memory; // receive buffers, send slots, the inline buffer, the landing place
	uint64_t size;
	struct ibv_mr *mr;
	uint8_t *send, *inline_buffer, *landing;
	int32_t *free_slots;
	uint32_t free_count;
	uint32_t signal; // number of requests of which one is signalled
	struct queue *queues;
	uint32_t *by_number; // open hash of queue number -> index + 1
	uint32_t mask;

	struct event events[BATCH]; // of the last poll
	int count;
	uint64_t polled; // completions so far; not all of them are events
	// Receive buffers read, but not yet posted again.
	int32_t *idle;
	uint32_t *idle_queue;
	uint32_t idle_count;
	uint32_t owing; // a credit could not be sent for lack of room; its peer may wait for it
};

struct ibv_device **gb_list(int *n);
void gb_free_list(struct ibv_device **list);
const char *gb_device_name(struct ibv_device *d);
const char *gb_open_device(const char *name, struct ibv_context **context, int *error);

// traits are abilities of a device (traits.go).
struct traits {
	uint32_t xrc, atomics, groups, members, checksums, raw_checksums, windows, segmentation, spreading, paging, tags;
};
const char *gb_traits(const char *name, struct traits *t, int *error);

// A resource of which a rail needs more than its device has; name is NULL if there is none.
struct shortage {
	const char *name;
	uint64_t want, max;
};
const char *gb_rail_open(struct rail **rail, struct ibv_context *context, int owns, const struct config *c, struct shortage *lack, int *error);
void gb_rail_close(struct rail *r);

// service_of returns the service of a queue.
static inline enum ibv_qp_type service_of(const struct rail *r, uint32_t index)
{
	return index < r->c.control ? (enum ibv_qp_type)r->c.service : IBV_QPT_RC;
}

// receiver returns the queue pair of a queue that receives the peer's requests.
static inline struct ibv_qp *receiver(const struct queue *q) { return q->target ? q->target : q->qp; }

// numbers are those by which a peer names a queue: of its queue pairs, and with XRC of the shared
// receive queue.
struct numbers {
	uint32_t sender, receiver, shared; // without XRC sender and receiver are equal
};

// Queues (queue.c). The plain way to connect is create, then connect.
struct address {
	struct numbers numbers; // of the peer's queue
	uint32_t sequence;	// packet number at which the peer starts
	uint16_t lid;
	uint8_t gid[16];
	uint8_t global; // use the GID: RoCE always
	uint8_t mtu;    // enum ibv_mtu
};
struct path {
	uint8_t gid_index, sl, traffic_class, timeout, retries, reads;
};
const char *gb_queue_create(struct rail *r, uint32_t index);
const char *gb_queue_connect(struct rail *r, uint32_t index, uint32_t sequence, const struct address *to, const struct path *path);
const char *gb_queue_adopt(struct rail *r, uint32_t index, struct rdma_cm_id *id);
// limits of a connection by RDMA CM: the path MTU (enum ibv_mtu), and the concurrent reads that
// this side answers, and issues; 0 = as RDMA CM has it.
struct limits {
	uint8_t mtu, answers, asks;
};
const char *gb_queue_start(struct rail *r, uint32_t index, struct limits l);
const char *gb_find_inline(struct rail *r, uint32_t want);
void gb_queue_drop(struct rail *r, uint32_t index);
void gb_queue_discard(struct rail *r, uint32_t index);
void gb_queue_withdraw(struct rail *r, uint32_t index);
void gb_queue_break(struct rail *r, uint32_t index);
const char *gb_queue_numbers(struct rail *r, uint32_t index, struct numbers *n);
int gb_queue_path(struct rail *r, uint32_t index, int *mtu, int *traffic_class);

// Data (post.c, poll.c). They return 0, 1 where there is no room now, or a negative errno.
int gb_send(struct rail *r, uint32_t queue, uint64_t h0, uint64_t h1, uint64_t h2, const void *data, uint32_t length,
	    int last);
// outgoing is a packet as Go hands it over.
struct outgoing {
	uint64_t header[3];
	uint64_t data; // address
	uint32_t length, queue;
	uint32_t last, spare;
};
int gb_send_outgoing(struct rail *r, const struct outgoing *o);
int gb_write(struct rail *r, uint32_t queue, uint64_t from, uint32_t lkey, uint64_t to, uint32_t rkey, uint32_t length,
	     uint64_t token, int last, int notice, uint32_t word);
int gb_read(struct rail *r, uint32_t queue, uint64_t into, uint32_t lkey, uint64_t from, uint32_t rkey, uint32_t length,
	    uint64_t token, int last);
// gb_atomic fetches 8 bytes and adds operand (swap 0), or replaces operand by operand + 1.
int gb_atomic(struct rail *r, uint32_t queue, uint64_t into, uint32_t lkey, uint64_t at, uint32_t rkey, int swap,
	      uint64_t operand, uint64_t token, int last);
int gb_greet(struct rail *r, uint32_t queue);
int gb_census(struct rail *r, uint32_t control);
int gb_alive(struct rail *r, uint32_t queue, uint64_t to, uint32_t rkey);
int gb_poll(struct rail *r, uint32_t turns);
int gb_sleep(struct rail *r, int ms);
int gb_post_receives(struct rail *r, uint32_t index);
void gb_recycle(struct rail *r);
void gb_repost(struct rail *r, int32_t slot, uint32_t index);
void gb_retire_all(struct rail *r, uint32_t index);

// Memory and events (rail.c).
const char *gb_register(struct rail *r, uint64_t address, uint64_t length, struct ibv_mr **mr);
int gb_deregister(struct ibv_mr *mr);
int gb_async(struct rail *r, int32_t *queue, int *type);

#endif
