// Opening of libraries at run time.
#ifndef GOBENCH_MPI_LOAD_H
#define GOBENCH_MPI_LOAD_H

#include <stdint.h>

#include "abi/table.h"

extern const struct gb_table *gb_table;

// gb_take sets gb_table to the result of entry, the function gb_mpi of an object of mpi.c.
void gb_take(void *entry);
// gb_version returns the version of a library, given its MPI_Get_library_version, NULL if that
// fails.
const char *gb_version(void *function);

#endif
