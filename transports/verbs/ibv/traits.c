//go:build verbs && cgo

#include "rail.h"
#include <errno.h>
#include <string.h>

const char *gb_traits(const char *name, struct traits *t, int *error)
{
	struct ibv_context *context;
	struct ibv_device_attr_ex x;
	const char *failed = gb_open_device(name, &context, error);
	if (failed)
		return failed;
	memset(&x, 0, sizeof x);
	// As ibv_query_device_ex, which would have to be linked.
	struct verbs_context *v = verbs_get_ctx_op(context, query_device_ex);
	if (v)
		*error = v->query_device_ex(context, NULL, &x, sizeof x);
	if (!v || *error) {
		memset(&x, 0, sizeof x);
		*error = verbs.ibv_query_device(context, &x.orig_attr);
	}
	verbs.ibv_close_device(context);
	if (*error)
		return "ibv_query_device";
	unsigned int flags = x.orig_attr.device_cap_flags;
	*t = (struct traits){
		.xrc = !!(flags & IBV_DEVICE_XRC),
		.atomics = x.orig_attr.atomic_cap,
		.groups = x.orig_attr.max_mcast_grp,
		.members = x.orig_attr.max_mcast_qp_attach,
		.checksums = !!(flags & (IBV_DEVICE_UD_IP_CSUM | IBV_DEVICE_RC_IP_CSUM)),
		.raw_checksums = !!(flags & IBV_DEVICE_RAW_IP_CSUM),
		.windows = !!(flags & (IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B)),
		.segmentation = x.tso_caps.max_tso,
		.spreading = x.rss_caps.max_rwq_indirection_tables,
		.paging = !!(x.odp_caps.general_caps & IBV_ODP_SUPPORT),
		.tags = x.tm_caps.max_num_tags,
	};
	return NULL;
}
