// The libraries, opened at run time. The post and poll calls of verbs are inline functions that
// go through the device context, so only the control functions below are looked up, and the
// binary needs neither library to start.
#ifndef GOBENCH_LOAD_H
#define GOBENCH_LOAD_H

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

// The headers wrap these in macros; the table has the functions themselves.
#undef ibv_reg_mr
#undef ibv_query_port

#define VERBS_FUNCTIONS(X)                                                                          \
	X(ibv_get_device_list)                                                                      \
	X(ibv_free_device_list)                                                                     \
	X(ibv_get_device_name)                                                                      \
	X(ibv_open_device)                                                                          \
	X(ibv_close_device)                                                                         \
	X(ibv_query_device)                                                                         \
	X(ibv_query_port)                                                                           \
	X(ibv_alloc_pd)                                                                             \
	X(ibv_dealloc_pd)                                                                           \
	X(ibv_reg_mr)                                                                               \
	X(ibv_dereg_mr)                                                                             \
	X(ibv_create_cq)                                                                            \
	X(ibv_destroy_cq)                                                                           \
	X(ibv_create_comp_channel)                                                                  \
	X(ibv_destroy_comp_channel)                                                                 \
	X(ibv_get_cq_event)                                                                         \
	X(ibv_ack_cq_events)                                                                        \
	X(ibv_create_srq)                                                                           \
	X(ibv_destroy_srq)                                                                          \
	X(ibv_create_qp)                                                                            \
	X(ibv_modify_qp)                                                                            \
	X(ibv_query_qp)                                                                             \
	X(ibv_destroy_qp)                                                                           \
	X(ibv_create_ah)                                                                            \
	X(ibv_destroy_ah)                                                                           \
	X(ibv_get_async_event)                                                                      \
	X(ibv_ack_async_event)

#define CM_FUNCTIONS(X)                                                                             \
	X(rdma_create_event_channel)                                                                \
	X(rdma_destroy_event_channel)                                                               \
	X(rdma_create_id)                                                                           \
	X(rdma_destroy_id)                                                                          \
	X(rdma_bind_addr)                                                                           \
	X(rdma_listen)                                                                              \
	X(rdma_resolve_addr)                                                                        \
	X(rdma_resolve_route)                                                                       \
	X(rdma_init_qp_attr)                                                                        \
	X(rdma_establish)                                                                           \
	X(rdma_connect)                                                                             \
	X(rdma_accept)                                                                              \
	X(rdma_reject)                                                                              \
	X(rdma_disconnect)                                                                          \
	X(rdma_get_cm_event)                                                                        \
	X(rdma_ack_cm_event)                                                                        \
	X(rdma_event_str)                                                                           \
	X(rdma_set_option)                                                                          \
	X(rdma_get_src_port)                                                                        \
	X(rdma_get_devices)                                                                         \
	X(rdma_free_devices)

#define MEMBER(f) __typeof__(&f) f;
struct verbs_library {
	VERBS_FUNCTIONS(MEMBER)
	const int *emulated; // a symbol that only the emulator of XRC has
};
struct cm_library { CM_FUNCTIONS(MEMBER) };
#undef MEMBER

extern struct verbs_library verbs;
extern struct cm_library cm;

const char *const *gb_verbs_names(void); // of the functions of each table, then NULL
const char *const *gb_cm_names(void);

// gb_cm_devices lists the devices that librdmacm has open, to be freed by free, and
// gb_close_devices closes them. librdmacm never closes its devices: once it is unloaded, nothing
// else knows them.
struct ibv_context **gb_cm_devices(void);
void gb_close_devices(struct ibv_context **open);

#endif
