//go:build verbs && cgo

#include "load.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

struct verbs_library verbs;
struct cm_library cm;

static char reason[256];

// missing names the function that an old library lacks.
static const char *missing(const char *library, const char *function)
{
	snprintf(reason, sizeof reason, "%s has no function %s", library, function);
	return reason;
}

static void *open_library(const char *name)
{
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		snprintf(reason, sizeof reason, "%s", dlerror());
	return library;
}

#define LOOK_UP(f)                                                                                  \
	if (!(table.f = (__typeof__(table.f))dlsym(library, #f)))                                   \
		return missing(name, #f);

const char *gb_load(void)
{
	static const char name[] = "libibverbs.so.1";
	struct verbs_library table;
	if (verbs.ibv_get_device_list)
		return NULL;
	void *library = open_library(name);
	if (!library)
		return reason;
	VERBS_FUNCTIONS(LOOK_UP)
	verbs = table;
	return NULL;
}

static const char *look_up_cm(void *library, const char *name)
{
	struct cm_library table;
	CM_FUNCTIONS(LOOK_UP)
	cm = table;
	return NULL;
}

static void *cm_handle;
static int cm_users;

const char *gb_load_cm(void)
{
	static const char name[] = "librdmacm.so.1";
	if (cm_users++ > 0)
		return NULL;
	void *library = open_library(name);
	if (!library) {
		cm_users = 0;
		return reason;
	}
	const char *lacks = look_up_cm(library, name);
	if (lacks) {
		dlclose(library);
		cm_users = 0;
		return lacks;
	}
	cm_handle = library;
	return NULL;
}

// librdmacm opens devices for good. Once it is unloaded nobody else knows them, so they are closed
// here, after the library that could still look at them.
void gb_unload_cm(void)
{
	int n = 0;
	if (--cm_users > 0)
		return;
	struct ibv_context **list = cm.rdma_get_devices(&n);
	struct ibv_context **open = calloc(n + 1, sizeof *open);
	for (int i = 0; open && i < n; i++)
		open[i] = list[i];
	if (list)
		cm.rdma_free_devices(list);
	dlclose(cm_handle);
	for (int i = 0; open && i < n; i++)
		verbs.ibv_close_device(open[i]);
	free(open);
}
