//go:build ucx && cgo

#include "ucp.h"
#include <string.h>

// UCX's shared memory has one receive queue for a rank. A sender reserves an element of it, writes
// it, and marks it as written last, and the rank takes elements in their order. A sender that is
// killed in between leaves an element that is never marked. From then on no message of any sender
// arrives, which UCX neither detects nor repairs. A message of the rank to itself through this
// queue shows whether the queue still works. The rank's own endpoint does not use the queue, so a
// second worker is created when a peer has died.

static void echo_sent(void *request, ucs_status_t e, void *u)
{
	(void)e;
	(void)u;
	ucp.ucp_request_free(request);
}

static void echo_received(void *request, ucs_status_t e, const ucp_tag_recv_info_t *info, void *user)
{
	struct gb_ucx *u = user;
	(void)info;
	u->echo.receive = NULL;
	u->echo.arrived = e == UCS_OK;
	ucp.ucp_request_free(request);
}

static int echo_open(struct gb_ucx *u, const char *tls)
{
	ucp_config_t *config;
	if (ucp.ucp_config_read(NULL, NULL, &config))
		return 0;
	ucp_params_t p = { .field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_TAG };
	int bad = ucp.ucp_config_modify(config, "TLS", tls) ||
	          ucp.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &p, config, &u->echo.context);
	ucp.ucp_config_release(config);
	ucp_worker_params_t w = { .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE, .thread_mode = UCS_THREAD_MODE_SERIALIZED };
	ucp_ep_params_t to = { .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS, .address = u->address };
	return !bad && !ucp.ucp_worker_create(u->echo.context, &w, &u->echo.worker) &&
	       !ucp.ucp_ep_create(u->echo.worker, &to, &u->echo.ep);
}

int gb_ucx_echo(struct gb_ucx *u, const char *tls, uint64_t tag)
{
	// An attempt that has come as far as the context is not repeated.
	if (!u->echo.ep && (u->echo.context || !echo_open(u, tls)))
		return 1; // it cannot be determined
	if (!u->echo.begun) {
		u->echo.begun = 1;
		u->echo.arrived = 0;
		ucp_request_param_t p = GB_UCX_PARAMETERS(u, .cb.recv = echo_received);
		p.op_attr_mask |= UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
		ucs_status_ptr_t r = ucp.ucp_tag_recv_nbx(u->worker, &u->echo.in, sizeof u->echo.in, tag, ~0ull, &p);
		if (UCS_PTR_IS_ERR(r)) {
			u->echo.begun = 0;
			return 1;
		}
		u->echo.receive = u->echo.arrived ? NULL : r;
		ucp_request_param_t q = GB_UCX_PARAMETERS(u, .cb.send = echo_sent);
		ucp.ucp_tag_send_nbx(u->echo.ep, &u->echo.out, sizeof u->echo.out, tag, &q);
	}
	ucp.ucp_worker_progress(u->echo.worker);
	if (u->echo.arrived)
		u->echo.begun = 0;
	return u->echo.arrived;
}

void gb_ucx_echo_close(struct gb_ucx *u)
{
	if (u->echo.receive) {
		void *r = u->echo.receive;
		ucp.ucp_request_cancel(u->worker, r);
		while (u->echo.receive)
			ucp.ucp_worker_progress(u->worker);
	}
	if (u->echo.worker)
		ucp.ucp_worker_destroy(u->echo.worker); // with its endpoint
	if (u->echo.context)
		ucp.ucp_cleanup(u->echo.context);
}
