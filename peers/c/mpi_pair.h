/* The beginning of the programs of two MPI ranks. */
#ifndef PEERS_MPI_PAIR_H
#define PEERS_MPI_PAIR_H

#include <mpi.h>

#include "cores.h"
#include "plan.h"

/* Pins the rank, starts MPI, reads the plan and returns the rank; exits if there are not two. */
static inline int mpi_pair(int argc, char **argv, struct plan *plan)
{
	int rank, size;
	pin_rank(launched_rank());
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != 2) {
		fprintf(stderr, "want two ranks\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	plan_read(plan, argc, argv);
	pin_rank(rank); /* where the launcher does not say who is who */
	return rank;
}

#endif
