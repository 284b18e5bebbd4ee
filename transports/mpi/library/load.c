//go:build mpi && cgo

#include "load.h"
#include <dlfcn.h>
#include <stdio.h>

const struct gb_table *gb_table;
static char reason[512];

static void *opened(void *library)
{
	if (!library)
		snprintf(reason, sizeof reason, "%s", dlerror());
	return library;
}

void *gb_open(const char *name, int own)
{
	return opened(dlopen(name, RTLD_LAZY | (own ? RTLD_LOCAL : RTLD_GLOBAL)));
}

int gb_bind(const char *path)
{
	void *object = opened(dlopen(path, RTLD_NOW | RTLD_LOCAL));
	if (!object)
		return 0;
	gb_entry *entry = (gb_entry *)opened(dlsym(object, "gb_mpi"));
	if (entry)
		gb_table = entry();
	return entry != NULL;
}

const char *gb_version(void *library)
{
	static char text[8192]; // more than any MPI_MAX_LIBRARY_VERSION_STRING
	int n;
	int (*version)(char *, int *) = (int (*)(char *, int *))dlsym(library, "MPI_Get_library_version");
	if (!version || version(text, &n))
		return NULL;
	return text;
}

const char *gb_reason(void)
{
	return reason;
}

void gb_close(void *library)
{
	dlclose(library);
}
