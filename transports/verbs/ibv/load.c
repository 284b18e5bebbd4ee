//go:build verbs && cgo

#include "load.h"
#include <stdlib.h>

struct verbs_library verbs;
struct cm_library cm;

#define NAME(f) #f,
static const char *const verbs_names[] = {VERBS_FUNCTIONS(NAME) "?gobench_emulated", NULL};
static const char *const cm_names[] = {CM_FUNCTIONS(NAME) NULL};

const char *const *gb_verbs_names(void) { return verbs_names; }
const char *const *gb_cm_names(void) { return cm_names; }

struct ibv_context **gb_cm_devices(void)
{
	int n = 0;
	struct ibv_context **list = cm.rdma_get_devices(&n);
	struct ibv_context **open = calloc(n + 1, sizeof *open);
	for (int i = 0; open && i < n; i++)
		open[i] = list[i];
	if (list)
		cm.rdma_free_devices(list);
	return open;
}

void gb_close_devices(struct ibv_context **open)
{
	for (int i = 0; open && open[i]; i++)
		verbs.ibv_close_device(open[i]);
	free(open);
}
