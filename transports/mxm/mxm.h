// MXM behind the functions of package tagged.
#ifndef GOBENCH_MXM_H
#define GOBENCH_MXM_H

#include "../native/tagged/tagged.h"
#include "abi.h"

#define MXM_FUNCTIONS(X)                                                                                   \
	X(mxm_get_version, unsigned long, (void))                                                          \
	X(mxm_error_string, const char *, (mxm_error_t))                                                   \
	X(mxm_config_read_opts, mxm_error_t, (mxm_context_opts_t *, mxm_ep_opts_t *, const char *, const char *, unsigned)) \
	X(mxm_config_free_context_opts, void, (mxm_context_opts_t))                                        \
	X(mxm_config_free_ep_opts, void, (mxm_ep_opts_t))                                                  \
	X(mxm_init, mxm_error_t, (mxm_context_opts_t, mxm_h *))                                            \
	X(mxm_cleanup, void, (mxm_h))                                                                      \
	X(mxm_ep_create, mxm_error_t, (mxm_h, mxm_ep_opts_t, mxm_ep_h *))                                  \
	X(mxm_ep_destroy, void, (mxm_ep_h))                                                                \
	X(mxm_ep_get_address, mxm_error_t, (mxm_ep_h, void *, size_t *))                                   \
	X(mxm_ep_connect, mxm_error_t, (mxm_ep_h, void *, mxm_conn_h *))                                   \
	X(mxm_ep_disconnect, mxm_error_t, (mxm_conn_h))                                                    \
	X(mxm_conn_ctx_set, mxm_error_t, (mxm_conn_h, void *))                                             \
	X(mxm_conn_ctx_get, void *, (mxm_conn_h))                                                          \
	X(mxm_mq_create, mxm_error_t, (mxm_h, uint16_t, mxm_mq_h *))                                       \
	X(mxm_mq_destroy, void, (mxm_mq_h))                                                                \
	X(mxm_req_send, mxm_error_t, (mxm_send_req_t *))                                                   \
	X(mxm_req_recv, mxm_error_t, (mxm_recv_req_t *))                                                   \
	X(mxm_req_probe, mxm_error_t, (mxm_recv_req_t *))                                                  \
	X(mxm_req_cancel_recv, mxm_error_t, (mxm_recv_req_t *))                                            \
	X(mxm_mem_map, mxm_error_t, (mxm_h, void **, size_t *, unsigned, mxm_mem_key_t *, size_t))         \
	X(mxm_mem_unmap, mxm_error_t, (mxm_h, void *, size_t, unsigned))                                   \
	X(mxm_mem_get_key, mxm_error_t, (mxm_h, void *, mxm_mem_key_t *))                                  \
	X(mxm_progress, mxm_error_t, (mxm_h))

#define MXM_MEMBER(f, result, arguments) result(*f) arguments;
struct mxm_table {
	MXM_FUNCTIONS(MXM_MEMBER)
	const mxm_mem_key_t *empty_key; // mxm_empty_mem_key
	const int *emulated; // a symbol that only the emulator has
};
extern struct mxm_table mxm;
const char *const *gb_mxm_names(void);

// Numbers: bits of a tag of package tagged; contexts with a queue on all ranks; further contexts.
enum { GB_TAG_BITS = 31, GB_FIXED = 128, GB_CONTEXTS = 1024, GB_ADDRESS = 512 };

// gb_context is a context without a fixed queue.
struct gb_context {
	uint32_t context;
	int32_t *theirs; // by rank: the number of its queue
};

struct gb_mxm;

// gb_note is a question for the queue of a context, or the answer, on its way.
struct gb_note {
	struct gb_mxm *ctx;
	int done, busy;
	uint32_t words[3];
	mxm_send_req_t send;
	mxm_recv_req_t receive;
};
enum { GB_LISTENING = 8, GB_NOTES = 24 };

struct gb_mxm {
	struct tagged_ops ops;
	struct tagged_core *core;
	mxm_h mxm;
	mxm_ep_h ep;
	mxm_conn_h *conns; // by rank
	int ranks, context_shift, sync_shift;
	struct tagged_slot *starting; // whose call of the library has not returned
	mxm_recv_req_t probe;
	size_t address_length;
	char address[GB_ADDRESS];

	uint32_t control; // context of messages of control
	mxm_mq_h queues[GB_FIXED + 2 + GB_CONTEXTS];
	struct gb_context contexts[GB_CONTEXTS];
	uint32_t n_contexts;
	struct gb_note note[GB_NOTES]; // the first ones listen
	int notes_done;
};

const char *gb_contexts_open(struct gb_mxm *x, mxm_error_t *e);
void gb_contexts_close(struct gb_mxm *x);
int gb_contexts_progress(struct gb_mxm *x);
// gb_queue_here returns the queue in which this rank receives messages of a context.
mxm_mq_h gb_queue_here(struct gb_mxm *x, uint32_t context, mxm_error_t *e);
// gb_queue_there returns the queue in which messages of a context are sent to a peer. NULL without
// an error means that the peer has been asked for its queue.
mxm_mq_h gb_queue_there(struct gb_mxm *x, int peer, uint32_t context, mxm_error_t *e);

// Functions return NULL, or the name of the call that failed and its error.
const char *gb_mxm_open(struct gb_mxm **out, int ranks, int context_shift, int sync_shift, mxm_error_t *e);
const char *gb_mxm_connect(struct gb_mxm *x, int rank, void *address, mxm_error_t *e);
void gb_mxm_close(struct gb_mxm *x);

// gb_region is memory that peers which have its address and key can reach. gb_mxm_conceal frees it.
struct gb_region {
	void *address;
	size_t length;
	mxm_mem_key_t key;
};
const char *gb_mxm_expose(struct gb_mxm *x, void *b, size_t n, struct gb_region **out, mxm_error_t *e);
void gb_mxm_conceal(struct gb_mxm *x, struct gb_region *r);
void gb_mxm_sever(struct gb_mxm *x, int peer);

#endif
