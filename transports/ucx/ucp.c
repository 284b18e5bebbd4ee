//go:build ucx && cgo

#include "ucp.h"
#include <poll.h>
#include <stdio.h>
#include <string.h>

struct ucp_table ucp;
const char *(*ucp_status_string)(ucs_status_t);

#define NAME(f) #f,
const char *const ucp_names[] = { UCP_FUNCTIONS(NAME) NULL };
#undef NAME

void gb_ucx_ended(void *request, ucs_status_t e, void *slot)
{
	ucp.ucp_request_free(request);
	tagged_done(slot, gb_ucx_result(e));
}

static int send_tagged(void *library, int peer, const void *b, uint64_t n, uint64_t tag, struct tagged_slot *s)
{
	struct gb_ucx *u = library;
	if (!u->eps[peer]) // severed
		return UCS_ERR_CONNECTION_RESET;
	u->sending.user_data = s;
	return gb_ucx_began((s->matched ? ucp.ucp_tag_send_sync_nbx : ucp.ucp_tag_send_nbx)(u->eps[peer], b, n, tag, &u->sending), s);
}

// received ends a receive, also while it is being started: UCX 1.13 does not fill the information
// on a message in a call that completes at once, so calls do not (UCP_OP_ATTR_FLAG_NO_IMM_CMPL).
static void received(void *request, ucs_status_t e, const ucp_tag_recv_info_t *info, void *slot)
{
	struct tagged_slot *s = slot;
	s->tag = info->sender_tag;
	s->length = info->length;
	(void)request; // in the slot's memory
	if (s->local) {
		s->local = 0;
		s->status = gb_ucx_result(e);
	} else {
		tagged_done(s, gb_ucx_result(e));
	}
}

static int receive(void *library, void *b, uint64_t n, uint64_t tag, uint64_t mask, struct tagged_slot *s)
{
	struct gb_ucx *u = library;
	// A request in memory of this side is neither allocated nor freed by UCX for each message.
	if (!s->memory && posix_memalign(&s->memory, 64, u->request_size))
		return TAGGED_LOCAL;
	u->receiving.user_data = s;
	u->receiving.request = (char *)s->memory + u->request_size;
	s->local = 1; // the call has not returned
	ucs_status_ptr_t r = ucp.ucp_tag_recv_nbx(u->worker, b, n, tag, mask, &u->receiving);
	if (!s->local)
		return TAGGED_DONE;
	s->local = 0;
	return gb_ucx_began(r, s);
}

static int probe(void *library, uint64_t tag, uint64_t mask, uint64_t *found, uint64_t *length)
{
	struct gb_ucx *u = library;
	ucp_tag_recv_info_t info;
	if (!ucp.ucp_tag_probe_nb(u->worker, tag, mask, 0, &info))
		return 0;
	*found = info.sender_tag;
	*length = info.length;
	return 1;
}

static void cancel(void *library, struct tagged_slot *s)
{
	struct gb_ucx *u = library;
	if (s->request)
		ucp.ucp_request_cancel(u->worker, s->request);
}

static int progress(void *library)
{
	struct gb_ucx *u = library;
	return ucp.ucp_worker_progress(u->worker);
}

// access starts an operation on memory of a peer. The swap of UCX takes the value to store from the
// buffer of the value before.
static int access_memory(void *library, enum tagged_access kind, void *key, struct tagged_slot *s)
{
	struct gb_ucx *u = library;
	ucp_ep_h ep = u->eps[s->peer];
	if (!ep) // severed
		return UCS_ERR_CONNECTION_RESET;
	ucp_request_param_t p = GB_UCX_PARAMETERS(s, .cb.send = gb_ucx_ended);
	uint64_t operand = s->mask;
	switch (kind) {
	case TAGGED_PUT:
		return gb_ucx_began(ucp.ucp_put_nbx(ep, s->buffer, s->size, s->wanted, key, &p), s);
	case TAGGED_GET:
		return gb_ucx_began(ucp.ucp_get_nbx(ep, s->buffer, s->size, s->wanted, key, &p), s);
	case TAGGED_FLUSH:
		return gb_ucx_began(ucp.ucp_ep_flush_nbx(ep, &p), s);
	case TAGGED_ADD:
	case TAGGED_SWAP:
		break;
	}
	// UCX reads the operand until the operation ends.
	s->control[0] = operand;
	if (kind == TAGGED_SWAP)
		*(uint64_t *)s->buffer = operand + 1;
	p.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER;
	p.datatype = ucp_dt_make_contig(8);
	p.reply_buffer = s->buffer;
	return gb_ucx_began(ucp.ucp_atomic_op_nbx(ep, kind == TAGGED_ADD ? UCP_ATOMIC_OP_ADD : UCP_ATOMIC_OP_CSWAP,
			s->control, 1, s->wanted, key, &p), s);
}

static const char *explain(int e) { return ucp_status_string(e); }

const char *gb_ucx_open(struct gb_ucx **out, const char *tls, int ranks, uint64_t features, int peer_errors, ucs_status_t *e)
{
	struct gb_ucx *u = calloc(1, sizeof *u);
	if (!u || !(u->eps = calloc(ranks, sizeof *u->eps)) || !(u->ends = calloc(ranks, sizeof *u->ends))) {
		*e = UCS_ERR_NO_MEMORY;
		return "calloc";
	}
	u->ops = (struct tagged_ops){ sizeof u->ops, u, send_tagged, receive, probe, cancel, progress, explain, access_memory };
	u->sending = (ucp_request_param_t)GB_UCX_PARAMETERS(NULL, .cb.send = gb_ucx_ended);
	u->receiving = (ucp_request_param_t)GB_UCX_PARAMETERS(NULL, .cb.recv = received);
	u->receiving.op_attr_mask |= UCP_OP_ATTR_FLAG_NO_IMM_CMPL | UCP_OP_ATTR_FIELD_REQUEST;
	u->ranks = ranks;
	u->peer_errors = peer_errors;
	u->efd = -1;
	*out = u;
	ucp_config_t *config;
	if ((*e = ucp.ucp_config_read(NULL, NULL, &config)))
		return "ucp_config_read";
	if (*tls && (*e = ucp.ucp_config_modify(config, "TLS", tls))) {
		ucp.ucp_config_release(config);
		return "ucp_config_modify of TLS";
	}
	ucp_params_t p = {
		.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS,
		.features = UCP_FEATURE_TAG | features,
		.estimated_num_eps = ranks,
	};
	*e = ucp.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &p, config, &u->context);
	ucp.ucp_config_release(config);
	if (*e)
		return "ucp_init";
	ucp_context_attr_t attributes = { .field_mask = UCP_ATTR_FIELD_REQUEST_SIZE };
	if ((*e = ucp.ucp_context_query(u->context, &attributes)))
		return "ucp_context_query";
	u->request_size = attributes.request_size;
	ucp_worker_params_t w = {
		.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE, .thread_mode = UCS_THREAD_MODE_SERIALIZED,
	};
	if ((*e = ucp.ucp_worker_create(u->context, &w, &u->worker)))
		return "ucp_worker_create";
	if (features & UCP_FEATURE_WAKEUP && (*e = ucp.ucp_worker_get_efd(u->worker, &u->efd)))
		return "ucp_worker_get_efd";
	if ((*e = ucp.ucp_worker_get_address(u->worker, &u->address, &u->address_length)))
		return "ucp_worker_get_address";
	return NULL;
}

static void lost(void *end, ucp_ep_h ep, ucs_status_t e)
{
	struct gb_ucx_end *x = end;
	(void)ep;
	if (x->ucx->core)
		tagged_failed(x->ucx->core, x->rank, e);
}

const char *gb_ucx_connect(struct gb_ucx *u, int rank, const void *address, ucs_status_t *e)
{
	u->ends[rank] = (struct gb_ucx_end){ u, rank };
	ucp_ep_params_t p = {
		.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLER | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
		.address = address,
		.err_mode = u->peer_errors ? UCP_ERR_HANDLING_MODE_PEER : UCP_ERR_HANDLING_MODE_NONE,
		.err_handler = { lost, &u->ends[rank] },
	};
	return (*e = ucp.ucp_ep_create(u->worker, &p, &u->eps[rank])) ? "ucp_ep_create" : NULL;
}

static void *close_ep(struct gb_ucx *u, int rank, int force)
{
	ucp_request_param_t p = { .op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS, .flags = force ? UCP_EP_CLOSE_FLAG_FORCE : 0 };
	void *r = ucp.ucp_ep_close_nbx(u->eps[rank], &p);
	u->eps[rank] = NULL;
	return UCS_PTR_IS_ERR(r) ? NULL : r;
}

void gb_ucx_sever(struct gb_ucx *u, int rank)
{
	if (!u->eps[rank] || !u->peer_errors)
		return;
	void *r = close_ep(u, rank, 1);
	if (r)
		ucp.ucp_request_free(r);
}

void gb_ucx_close(struct gb_ucx *u, int polls)
{
	if (!u)
		return;
	for (int i = 0; u->worker && i < u->ranks; i++) {
		// Without handling of errors the endpoint of a dead peer would never end.
		if (!u->eps[i] || (u->core && u->core->fates[i] != 0 && !u->peer_errors))
			continue;
		void *r = close_ep(u, i, u->core && u->core->fates[i] < 0);
		for (int k = 0; r && k < polls && ucp.ucp_request_check_status(r) == UCS_INPROGRESS; k++)
			ucp.ucp_worker_progress(u->worker);
		if (r)
			ucp.ucp_request_free(r);
	}
	gb_ucx_echo_close(u);
	if (u->address)
		ucp.ucp_worker_release_address(u->worker, u->address);
	gb_ucx_discard(u);
	if (u->worker)
		ucp.ucp_worker_destroy(u->worker);
	if (u->context)
		ucp.ucp_cleanup(u->context);
	free(u->eps);
	free(u->ends);
	free(u);
}

void gb_ucx_sleep(struct gb_ucx *u, int milliseconds)
{
	struct pollfd p = { u->efd, POLLIN, 0 };
	if (ucp.ucp_worker_arm(u->worker) == UCS_OK)
		poll(&p, 1, milliseconds);
}

const char *gb_ucx_map(struct gb_ucx *u, void *b, size_t n, ucp_mem_h *memory, ucs_status_t *e)
{
	ucp_mem_map_params_t p = {
		.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH, .address = b, .length = n,
	};
	return (*e = ucp.ucp_mem_map(u->context, &p, memory)) ? "ucp_mem_map" : NULL;
}

const char *gb_ucx_allocate(struct gb_ucx *u, size_t n, void **b, ucp_mem_h *memory, ucs_status_t *e)
{
	ucp_mem_map_params_t p = {
		.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS, .length = n, .flags = UCP_MEM_MAP_ALLOCATE,
	};
	ucp_mem_attr_t found = { .field_mask = UCP_MEM_ATTR_FIELD_ADDRESS };
	if ((*e = ucp.ucp_mem_map(u->context, &p, memory)))
		return "ucp_mem_map";
	if ((*e = ucp.ucp_mem_query(*memory, &found))) {
		ucp.ucp_mem_unmap(u->context, *memory);
		return "ucp_mem_query";
	}
	*b = found.address;
	memset(*b, 0, n);
	return NULL;
}

void gb_ucx_unmap(struct gb_ucx *u, ucp_mem_h memory) { ucp.ucp_mem_unmap(u->context, memory); }

const char *gb_ucx_pack(struct gb_ucx *u, ucp_mem_h memory, void **packed, size_t *length, ucs_status_t *e)
{
	return (*e = ucp.ucp_rkey_pack(u->context, memory, packed, length)) ? "ucp_rkey_pack" : NULL;
}

void gb_ucx_release(void *packed) { ucp.ucp_rkey_buffer_release(packed); }

const char *gb_ucx_unpack(struct gb_ucx *u, int rank, const void *packed, ucp_rkey_h *key, ucs_status_t *e)
{
	return (*e = ucp.ucp_ep_rkey_unpack(u->eps[rank], packed, key)) ? "ucp_ep_rkey_unpack" : NULL;
}

void gb_ucx_forget(ucp_rkey_h key) { ucp.ucp_rkey_destroy(key); }

void gb_ucx_info(struct gb_ucx *u, int rank, char *text, int room)
{
	memset(text, 0, room);
	FILE *f = fmemopen(text, room - 1, "w");
	if (!f)
		return;
	ucp.ucp_ep_print_info(u->eps[rank], f);
	fclose(f);
}
