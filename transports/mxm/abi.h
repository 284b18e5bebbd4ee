// Own declarations of the part of Mellanox MXM 3 that gobench calls: values and layouts are facts
// of the interface (x86-64, MXM 3.6), written without the vendor's header, which may not be copied.
#ifndef GOBENCH_MXM_ABI_H
#define GOBENCH_MXM_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t mxm_error_t;
typedef void *mxm_h, *mxm_ep_h, *mxm_conn_h, *mxm_mq_h, *mxm_context_opts_t, *mxm_ep_opts_t;

enum {
	MXM_OK, MXM_ERR_NO_MESSAGE, MXM_ERR_WOULD_BLOCK, MXM_ERR_IO, MXM_ERR_NO_MEMORY, MXM_ERR_INVALID_PARAM,
	MXM_ERR_UNREACHABLE, MXM_ERR_INVALID_ADDR, MXM_ERR_NOT_IMPL, MXM_ERR_TRUNCATED, MXM_ERR_NO_PROGRESS,
	MXM_ERR_BUFFER_TOO_SMALL, MXM_ERR_NO_ELEM, MXM_ERR_NO_DEVICE = 14, MXM_ERR_BUSY, MXM_ERR_CANCELED
};
enum { MXM_REQ_NEW = 1, MXM_REQ_EXPECTED = 2, MXM_REQ_INPROGRESS = 4, MXM_REQ_SENT = 8, MXM_REQ_READY = 16, MXM_REQ_COMPLETED = 32 };
enum { MXM_REQ_DATA_BUFFER };
enum { MXM_REQ_OP_SEND, MXM_REQ_OP_SEND_SYNC, MXM_REQ_OP_PUT, MXM_REQ_OP_PUT_SYNC, MXM_REQ_OP_GET };
enum { MXM_REQ_SEND_FLAG_FENCE = 1 << 5 };

typedef struct mxm_mem_key {
	uint64_t opaque[6];
} mxm_mem_key_t;

typedef struct mxm_req_base {
	int32_t state;
	mxm_mq_h mq;
	mxm_conn_h conn;
	int32_t data_type;
	void *ptr;
	uint64_t length;
	void *memh;
	void *context;
	void (*completed_cb)(void *context);
	int32_t error;
	char reserved[8];
} mxm_req_base_t;

typedef struct mxm_send_req {
	mxm_req_base_t base;
	int32_t opcode;
	uint32_t flags;
	union {
		struct {
			uint32_t tag, imm;
		};
		uint64_t remote_vaddr; // of puts and gets
	};
	const mxm_mem_key_t *remote_mkey;
	char between[16];
	char reserved[72];
} mxm_send_req_t;

typedef struct mxm_recv_req {
	mxm_req_base_t base;
	uint32_t tag, tag_mask;
	mxm_conn_h source; // from here on of the message, once it is complete
	uint32_t sender_tag, sender_imm;
	uint64_t sender_len, actual_len;
	char reserved[48];
} mxm_recv_req_t;

#define GB_AT(type, member, offset) _Static_assert(offsetof(type, member) == (offset), #type "." #member)
GB_AT(mxm_req_base_t, mq, 8);
GB_AT(mxm_req_base_t, conn, 16);
GB_AT(mxm_req_base_t, data_type, 24);
GB_AT(mxm_req_base_t, ptr, 32);
GB_AT(mxm_req_base_t, length, 40);
GB_AT(mxm_req_base_t, context, 56);
GB_AT(mxm_req_base_t, completed_cb, 64);
GB_AT(mxm_req_base_t, error, 72);
_Static_assert(sizeof(mxm_req_base_t) == 88, "mxm_req_base_t");
GB_AT(mxm_send_req_t, opcode, 88);
GB_AT(mxm_send_req_t, tag, 96);
GB_AT(mxm_send_req_t, imm, 100);
GB_AT(mxm_send_req_t, remote_vaddr, 96);
GB_AT(mxm_send_req_t, remote_mkey, 104);
GB_AT(mxm_send_req_t, reserved, 128);
_Static_assert(sizeof(mxm_send_req_t) == 200, "mxm_send_req_t");
GB_AT(mxm_recv_req_t, tag, 88);
GB_AT(mxm_recv_req_t, source, 96);
GB_AT(mxm_recv_req_t, sender_tag, 104);
GB_AT(mxm_recv_req_t, sender_len, 112);
GB_AT(mxm_recv_req_t, actual_len, 120);
_Static_assert(sizeof(mxm_recv_req_t) == 176, "mxm_recv_req_t");

#endif
