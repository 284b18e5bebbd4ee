// Opening of libraries at run time.
#ifndef GOBENCH_MPI_LOAD_H
#define GOBENCH_MPI_LOAD_H

#include <stdint.h>

#include "abi/table.h"

extern const struct gb_table *gb_table;

// gb_open opens a library, for all that the process opens later, or with own set for the caller alone.
void *gb_open(const char *name, int own);
// gb_bind takes the table from an object of mpi.c. 0 means failure.
int gb_bind(const char *path);
// gb_version returns the version of an open library, NULL if it has none.
const char *gb_version(void *library);
const char *gb_reason(void);
void gb_close(void *library);

#endif
