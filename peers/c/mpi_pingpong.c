/*
 * Ping-pong between ranks 0 and 1 over whatever MPI this is compiled with.
 * usage: mpirun -n 2 mpi_pingpong SIZE:SAMPLES:TOGETHER[,...]
 * PEERS_LINE names the file in which both ranks share the line, PEERS_CORES the cores.
 */
#include <mpi.h>

#include "cores.h"
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
	MPI_Init(&argc, &argv);
	int rank, size;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	const char *path = getenv("PEERS_LINE");
	if (size != 2 || !path) {
		fprintf(stderr, "want two ranks, and PEERS_LINE=FILE\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	struct plan plan;
	plan_read(&plan, argc, argv);
	pin_rank(rank);
	peer = 1 - rank;

	struct pingpong p = {.rank = rank, .send = mpi_send, .receive = mpi_receive, .line = line_map(path)};
	pingpong_run(&p, &plan);
	MPI_Finalize();
	return 0;
}
