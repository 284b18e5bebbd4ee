// libfabric behind the functions of package tagged.
#ifndef GOBENCH_FABRIC_H
#define GOBENCH_FABRIC_H

#include <rdma/fabric.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include "../native/tagged/tagged.h"

// All other calls go through tables in the objects of the library. The versions are those of the
// structs in the headers up to 1.17; the structs of later headers are checked by the version of the
// library, which must be that of the header.
#if FI_MAJOR_VERSION == 1 && FI_MINOR_VERSION <= 17
#define GB_INFO "@FABRIC_1.3"
#define GB_FABRIC "@FABRIC_1.1"
_Static_assert(sizeof(struct fi_info) == 120 && sizeof(struct fi_ep_attr) == 96 && sizeof(struct fi_domain_attr) == 192,
	"the structs of this libfabric are not those of FABRIC_1.3");
#else
#define GB_INFO ""
#define GB_FABRIC ""
#endif

#define FABRIC_FUNCTIONS(X)                                                                         \
	X(fi_getinfo, GB_INFO)                                                                      \
	X(fi_freeinfo, GB_INFO)                                                                     \
	X(fi_dupinfo, GB_INFO)                                                                      \
	X(fi_fabric, GB_FABRIC)                                                                     \
	X(fi_strerror, "")                                                                          \
	X(fi_version, "")

#define MEMBER(f, v) __typeof__(&f) f;
struct fabric_table { FABRIC_FUNCTIONS(MEMBER) };
#undef MEMBER
extern struct fabric_table fabric;
extern const char *const fabric_names[];

struct gb_ofi {
	struct tagged_ops ops;
	struct tagged_core *core;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *cq;
	struct fid_ep *ep;
	fi_addr_t *peers; // by rank
	char address[256];
	size_t address_length, inject;
	int ranks, local; // local: every buffer must be registered
	uint64_t next_key;
	struct fi_context2 peek;
	int peeking; // 1 under way, 2 found, 0 not
	uint64_t found, length;
};

// gb_ofi_find finds an endpoint of a provider and an own address; empty strings leave the choice to
// libfabric, which then excludes the provider without. It asks for puts, gets and
// atomic operations (first is 0), then for puts and gets (1), then for messages alone (2).
int gb_ofi_find(const char *provider, const char *address, const char *without, int first, struct fi_info **info);
// gb_ofi_open opens it, and owns the info. Functions return NULL, or the name of the call that
// failed, and its error.
const char *gb_ofi_open(struct gb_ofi **out, struct fi_info *info, int ranks, int *e);
const char *gb_ofi_connect(struct gb_ofi *o, int rank, const void *address, int *e);
// gb_ofi_expose registers memory for peers, which take its address and key.
const char *gb_ofi_expose(struct gb_ofi *o, void *b, size_t n, struct fid_mr **mr, uint64_t *address, uint64_t *key, int *e);
void gb_ofi_conceal(struct fid_mr *mr);
void gb_ofi_close(struct gb_ofi *o);

#endif
