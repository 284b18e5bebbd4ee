/*
 * Starts, connects and ends: MPI_Init, one message around the ring and a
 * barrier, so that connections made on first use count, and MPI_Finalize.
 */
#include <mpi.h>
#include <stdio.h>

#include "clock.h"

int main(int argc, char **argv)
{
	double begin = now();
	MPI_Init(&argc, &argv);
	int rank, size, got = -1;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	if (got != (rank + size - 1) % size) {
		fprintf(stderr, "rank %d got %d\n", rank, got);
		MPI_Abort(MPI_COMM_WORLD, 3);
	}
	if (rank == 0)
		printf("{\"kind\":\"point\",\"bench\":\"startup\",\"size_B\":0,\"ranks\":%d,\"threads\":1,\"iterations\":1,\"run_s\":{\"median\":%.6g,\"n\":1},"
		       "\"method\":\"time on rank 0 from its first instruction until it has left a barrier\"}\n",
		       size, now() - begin);
	MPI_Finalize();
	return 0;
}
