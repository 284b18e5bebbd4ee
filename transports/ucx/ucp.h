// UCP behind the functions of package tagged.
#ifndef GOBENCH_UCP_H
#define GOBENCH_UCP_H

#include <ucp/api/ucp.h>
#include "../native/tagged/tagged.h"

#define UCP_FUNCTIONS(X)                                                                            \
	X(ucp_get_version)                                                                          \
	X(ucp_config_read)                                                                          \
	X(ucp_config_modify)                                                                        \
	X(ucp_config_release)                                                                       \
	X(ucp_init_version)                                                                         \
	X(ucp_context_query)                                                                        \
	X(ucp_cleanup)                                                                              \
	X(ucp_worker_create)                                                                        \
	X(ucp_worker_destroy)                                                                       \
	X(ucp_worker_get_address)                                                                   \
	X(ucp_worker_release_address)                                                               \
	X(ucp_worker_progress)                                                                      \
	X(ucp_worker_get_efd)                                                                       \
	X(ucp_worker_arm)                                                                           \
	X(ucp_ep_create)                                                                            \
	X(ucp_ep_close_nbx)                                                                         \
	X(ucp_ep_print_info)                                                                        \
	X(ucp_tag_send_nbx)                                                                         \
	X(ucp_tag_send_sync_nbx)                                                                    \
	X(ucp_tag_recv_nbx)                                                                         \
	X(ucp_tag_probe_nb)                                                                         \
	X(ucp_request_cancel)                                                                       \
	X(ucp_request_check_status)                                                                 \
	X(ucp_request_free)                                                                         \
	X(ucp_mem_map)                                                                              \
	X(ucp_mem_unmap)                                                                            \
	X(ucp_mem_query)                                                                            \
	X(ucp_put_nbx)                                                                              \
	X(ucp_get_nbx)                                                                              \
	X(ucp_atomic_op_nbx)                                                                        \
	X(ucp_ep_flush_nbx)                                                                         \
	X(ucp_worker_set_am_recv_handler)                                                           \
	X(ucp_am_send_nbx)                                                                          \
	X(ucp_am_recv_data_nbx)                                                                     \
	X(ucp_am_data_release)                                                                      \
	X(ucp_rkey_pack)                                                                            \
	X(ucp_rkey_buffer_release)                                                                  \
	X(ucp_ep_rkey_unpack)                                                                       \
	X(ucp_rkey_destroy)

#define MEMBER(f) __typeof__(&f) f;
struct ucp_table { UCP_FUNCTIONS(MEMBER) };
#undef MEMBER
extern struct ucp_table ucp;
extern const char *const ucp_names[];
// Of libucs: the text of a status.
extern const char *(*ucp_status_string)(ucs_status_t);

struct gb_ucx {
	struct tagged_ops ops;
	struct tagged_core *core;
	ucp_context_h context;
	ucp_worker_h worker;
	ucp_address_t *address;
	size_t address_length;
	ucp_ep_h *eps; // by rank
	int ranks, peer_errors, efd;
	size_t request_size; // bytes of a request of UCX
	ucp_request_param_t sending, receiving; // complete except for the slot
	struct gb_ucx_end { struct gb_ucx *ucx; int rank; } *ends;
	// Of active messages: receives that wait, and messages that wait, in their order.
	struct tagged_slot *posted, **last_posted;
	struct gb_ucx_arrived *arrived, **last_arrived;
	struct {
		ucp_context_h context;
		ucp_worker_h worker;
		ucp_ep_h ep;
		void *receive; // under way
		int begun, arrived;
		uint64_t out, in;
	} echo;
};

#define GB_UCX_PARAMETERS(s, ...)                                                                   \
	{                                                                                           \
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |          \
		                UCP_OP_ATTR_FIELD_MEMORY_TYPE,                                      \
		.user_data = s, .memory_type = UCS_MEMORY_TYPE_HOST, __VA_ARGS__                    \
	}

// gb_ucx_result converts a status of UCX to one of package tagged. gb_ucx_began converts the result
// of a call that starts the request of a slot. gb_ucx_ended is the callback of sends.
static inline int gb_ucx_result(ucs_status_t e)
{
	switch (e) {
	case UCS_OK:
		return TAGGED_FINE;
	case UCS_ERR_MESSAGE_TRUNCATED:
		return TAGGED_TRUNCATED;
	case UCS_ERR_CANCELED:
		return TAGGED_CANCELLED;
	case UCS_ERR_NO_MEMORY:
		return TAGGED_LOCAL;
	default:
		return e;
	}
}

static inline int gb_ucx_began(ucs_status_ptr_t p, struct tagged_slot *s)
{
	if (!p)
		return TAGGED_DONE;
	if (UCS_PTR_IS_ERR(p))
		return UCS_PTR_STATUS(p) == UCS_ERR_NO_MEMORY ? TAGGED_LOCAL : UCS_PTR_STATUS(p);
	s->request = p;
	return TAGGED_BEGAN;
}

void gb_ucx_ended(void *request, ucs_status_t e, void *slot);

// gb_ucx_messages selects active messages for all messages; it is called before the first one.
// gb_ucx_discard frees messages that have not been received.
const char *gb_ucx_messages(struct gb_ucx *u, ucs_status_t *e);
void gb_ucx_discard(struct gb_ucx *u);

// Functions return NULL, or the name of the call that failed and its status. features are those
// beside tag matching.
const char *gb_ucx_open(struct gb_ucx **out, const char *tls, int ranks, uint64_t features, int peer_errors, ucs_status_t *e);
const char *gb_ucx_connect(struct gb_ucx *u, int rank, const void *address, ucs_status_t *e);
// gb_ucx_close closes the endpoints of living peers, each with at most the given number of polls,
// and frees everything.
void gb_ucx_close(struct gb_ucx *u, int polls);
// gb_ucx_sever closes the endpoint of a dead peer, where UCX can.
void gb_ucx_sever(struct gb_ucx *u, int rank);
// gb_ucx_echo sends a message of this rank to itself through the queue in which shared memory has
// those of other processes, unless one is under way. The result is 1 if it has arrived or cannot be
// sent, else 0. tls must not contain self. gb_ucx_echo_close frees its resources.
int gb_ucx_echo(struct gb_ucx *u, const char *tls, uint64_t tag);
void gb_ucx_echo_close(struct gb_ucx *u);
void gb_ucx_sleep(struct gb_ucx *u, int milliseconds);
// gb_ucx_allocate maps memory of UCX, which gb_ucx_unmap frees: ranks of a host map it, too.
const char *gb_ucx_allocate(struct gb_ucx *u, size_t n, void **b, ucp_mem_h *memory, ucs_status_t *e);
const char *gb_ucx_map(struct gb_ucx *u, void *b, size_t n, ucp_mem_h *memory, ucs_status_t *e);
void gb_ucx_unmap(struct gb_ucx *u, ucp_mem_h memory);
// gb_ucx_pack describes mapped memory to peers. The packed key is given back by gb_ucx_release.
const char *gb_ucx_pack(struct gb_ucx *u, ucp_mem_h memory, void **packed, size_t *length, ucs_status_t *e);
void gb_ucx_release(void *packed);
const char *gb_ucx_unpack(struct gb_ucx *u, int rank, const void *packed, ucp_rkey_h *key, ucs_status_t *e);
void gb_ucx_forget(ucp_rkey_h key);
void gb_ucx_info(struct gb_ucx *u, int rank, char *text, int room);

#endif
