/*
 * Ping-pong between ranks 0 and 1 over whatever MPI this is compiled with.
 * usage: mpirun -n 2 mpi_pingpong pingpong:SIZE:SAMPLES:TOGETHER[,...]
 * In the folder GOBENCH_DIR both ranks share the line; GOBENCH_CORES names the cores.
 */
#include "mpi_pair.h"
#include "pingpong.h"

static int peer;

static void mpi_send(void *buffer, size_t size)
{
	MPI_Send(buffer, (int)size, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
}

static void mpi_receive(void *buffer, size_t size)
{
	MPI_Recv(buffer, (int)size, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	struct plan plan;
	int rank = mpi_pair(argc, argv, &plan);
	peer = 1 - rank;

	struct pingpong p = {.rank = rank, .level = "comm", .send = mpi_send, .receive = mpi_receive, .line = line_map(shared_file("line"))};
	pingpong_run(&p, &plan);
	MPI_Finalize();
	return 0;
}
