// Own declarations of the part of Cray's uGNI that gobench calls: types, values and layouts are
// facts of the interface (x86-64, API revisions 0x55 to 0x5d), written without the vendor's header,
// whose licence does not permit copying. With the build tag ugni_sys site.c compares them with a
// site's header.
#ifndef GOBENCH_GNI_ABI_H
#define GOBENCH_GNI_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifndef GOBENCH_UGNI_SYS

typedef enum {
	GNI_RC_SUCCESS, GNI_RC_NOT_DONE, GNI_RC_INVALID_PARAM, GNI_RC_ERROR_RESOURCE, GNI_RC_TIMEOUT,
	GNI_RC_PERMISSION_ERROR, GNI_RC_DESCRIPTOR_ERROR, GNI_RC_ALIGNMENT_ERROR, GNI_RC_INVALID_STATE,
	GNI_RC_NO_MATCH, GNI_RC_SIZE_ERROR, GNI_RC_TRANSACTION_ERROR, GNI_RC_ILLEGAL_OP, GNI_RC_ERROR_NOMEM
} gni_return_t;

typedef void *gni_cdm_handle_t, *gni_nic_handle_t, *gni_ep_handle_t, *gni_cq_handle_t;
typedef uint64_t gni_cq_entry_t;
typedef uint32_t gni_cq_mode_t;
typedef int32_t gni_post_state_t, gni_nic_device_t;

typedef struct gni_mem_handle {
	uint64_t qword1, qword2;
} gni_mem_handle_t;

typedef struct gni_post_descriptor {
	void *next_descr, *prev_descr;
	uint64_t post_id, status;
	uint16_t cq_mode_complete;
	int32_t type;
	uint16_t cq_mode, dlvr_mode;
	uint64_t local_addr;
	gni_mem_handle_t local_mem_hndl;
	uint64_t remote_addr;
	gni_mem_handle_t remote_mem_hndl;
	uint64_t length;
	uint16_t rdma_mode;
	gni_cq_handle_t src_cq_hndl;
	uint64_t sync_flag_value, sync_flag_addr;
	int32_t amo_cmd;
	uint64_t first_operand, second_operand, cqwrite_value;
	int32_t ce_cmd, ce_mode; // from here on not in revision 0x55
	uint64_t ce_red_id;
} gni_post_descriptor_t;

typedef struct gni_smsg_attr {
	int32_t msg_type;
	void *msg_buffer;
	uint32_t buff_size;
	gni_mem_handle_t mem_hndl;
	uint32_t mbox_offset;
	uint16_t mbox_maxcredit;
	uint32_t msg_maxsize;
} gni_smsg_attr_t;

enum {
	GNI_POST_RDMA_PUT = 1, GNI_POST_RDMA_GET, GNI_POST_FMA_PUT, GNI_POST_FMA_PUT_W_SYNCFLAG,
	GNI_POST_FMA_GET, GNI_POST_AMO, GNI_POST_CQWRITE
};
enum { GNI_CQMODE_SILENT = 0, GNI_CQMODE_LOCAL_EVENT = 1, GNI_CQMODE_GLOBAL_EVENT = 2, GNI_CQMODE_REMOTE_EVENT = 4 };
enum { GNI_DLVMODE_PERFORMANCE = 0, GNI_DLVMODE_IN_ORDER = 3 };
enum { GNI_CQ_NOBLOCK = 0, GNI_CQ_BLOCKING = 1 };
enum { GNI_CQ_EVENT_TYPE_POST = 0, GNI_CQ_EVENT_TYPE_SMSG = 1 };
enum { GNI_SMSG_TYPE_MBOX = 1, GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT = 2, GNI_SMSG_ANY_TAG = 0xFF };
enum { GNI_MEM_READWRITE = 0, GNI_MEM_READ_ONLY = 1 };
enum { GNI_POST_PENDING, GNI_POST_COMPLETED, GNI_POST_ERROR, GNI_POST_TIMEOUT, GNI_POST_TERMINATED, GNI_POST_REMOTE_DATA };
enum {
	GNI_CDM_MODE_FORK_FULLCOPY = 2, GNI_CDM_MODE_ERR_NO_KILL = 8, GNI_CDM_MODE_FAST_DATAGRAM_POLL = 0x20,
	GNI_CDM_MODE_FMA_SHARED = 0x20000, GNI_CDM_MODE_CACHED_AMO_ENABLED = 0x40000
};
enum { GNI_DEVICE_GEMINI = 0, GNI_DEVICE_ARIES = 1 };
#define GNI_DATAGRAM_MAXSIZE 128

#endif

// The layouts that were compiled from three revisions of the vendor's header.
#define GB_AT(type, member, offset) _Static_assert(offsetof(type, member) == (offset), #type "." #member)
GB_AT(gni_post_descriptor_t, post_id, 16);
GB_AT(gni_post_descriptor_t, status, 24);
GB_AT(gni_post_descriptor_t, cq_mode_complete, 32);
GB_AT(gni_post_descriptor_t, type, 36);
GB_AT(gni_post_descriptor_t, cq_mode, 40);
GB_AT(gni_post_descriptor_t, dlvr_mode, 42);
GB_AT(gni_post_descriptor_t, local_addr, 48);
GB_AT(gni_post_descriptor_t, local_mem_hndl, 56);
GB_AT(gni_post_descriptor_t, remote_addr, 72);
GB_AT(gni_post_descriptor_t, remote_mem_hndl, 80);
GB_AT(gni_post_descriptor_t, length, 96);
GB_AT(gni_post_descriptor_t, rdma_mode, 104);
GB_AT(gni_post_descriptor_t, src_cq_hndl, 112);
GB_AT(gni_post_descriptor_t, sync_flag_value, 120);
GB_AT(gni_post_descriptor_t, amo_cmd, 136);
GB_AT(gni_post_descriptor_t, first_operand, 144);
GB_AT(gni_post_descriptor_t, cqwrite_value, 160);
GB_AT(gni_smsg_attr_t, msg_buffer, 8);
GB_AT(gni_smsg_attr_t, buff_size, 16);
GB_AT(gni_smsg_attr_t, mem_hndl, 24);
GB_AT(gni_smsg_attr_t, mbox_offset, 40);
GB_AT(gni_smsg_attr_t, mbox_maxcredit, 44);
GB_AT(gni_smsg_attr_t, msg_maxsize, 48);
_Static_assert(sizeof(gni_smsg_attr_t) == 56, "gni_smsg_attr_t");
_Static_assert(sizeof(gni_mem_handle_t) == 16, "gni_mem_handle_t");
_Static_assert(sizeof(gni_return_t) == 4, "gni_return_t");
#ifndef GOBENCH_UGNI_SYS
_Static_assert(sizeof(gni_post_descriptor_t) == 184, "gni_post_descriptor_t");
#endif

#endif
