//go:build mpi && cgo

#include "load.h"

const struct gb_table *gb_table;

void gb_take(void *entry)
{
	gb_table = ((gb_entry *)entry)();
}

const char *gb_version(void *function)
{
	static char text[8192]; // more than any MPI_MAX_LIBRARY_VERSION_STRING
	int n;
	if (((int (*)(char *, int *))function)(text, &n))
		return 0;
	return text;
}
