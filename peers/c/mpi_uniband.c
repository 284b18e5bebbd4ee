/*
 * Windows of messages (uniband.h) over whatever MPI this is compiled with.
 * usage: mpirun -n 2 mpi_uniband uniband:SIZE:SAMPLES:TOGETHER[,...]
 * In the folder GOBENCH_DIR both ranks share the line; GOBENCH_CORES names the cores.
 */
#include "mpi_pair.h"
#include "uniband.h"

static void windows(void *with, size_t size, int n)
{
	struct uniband *u = with;
	MPI_Request request[WINDOW];
	MPI_Status status[WINDOW];
	unsigned char answer = 0;
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < WINDOW; k++) {
			if (u->rank == 0)
				MPI_Isend(u->data, (int)size, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[k]);
			else
				MPI_Irecv(u->data, (int)size, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request[k]);
		}
		MPI_Waitall(WINDOW, request, status);
		if (u->rank == 0)
			MPI_Recv(&answer, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &status[0]);
		else
			MPI_Send(&answer, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	struct plan plan;
	struct uniband u = {.windows = windows};
	u.rank = mpi_pair(argc, argv, &plan);
	u.line = line_map(shared_file("line"));
	uniband_run(&u, &plan);
	MPI_Finalize();
	return 0;
}
