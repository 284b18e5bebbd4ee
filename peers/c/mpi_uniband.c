/*
 * A window of 64 messages from rank 0 to rank 1, which answers with one byte when all have arrived (IMB's Uniband;
 * osu_bw's answer is longer), over whatever MPI this is compiled with. As in those, all messages have the same buffer.
 * usage: mpirun -n 2 mpi_uniband uniband:SIZE:SAMPLES:TOGETHER[,...]
 * In the folder GOBENCH_DIR both ranks share the line; GOBENCH_CORES names the cores.
 */
#include "mpi_pair.h"
#include "pingpong.h"

enum { WINDOW = 64 }; /* the default of gobench, IMB and OSU */

static int rank;
static struct line *line;
static uint64_t seen;
static unsigned char *data;

static void windows(size_t size, int n)
{
	MPI_Request request[WINDOW];
	MPI_Status status[WINDOW];
	unsigned char answer = 0;
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < WINDOW; k++) {
			if (rank == 0)
				MPI_Isend(data, (int)size, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request[k]);
			else
				MPI_Irecv(data, (int)size, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &request[k]);
		}
		MPI_Waitall(WINDOW, request, status);
		if (rank == 0)
			MPI_Recv(&answer, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &status[0]);
		else
			MPI_Send(&answer, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
	}
}

/* One more window whose bytes are compared; exits with 3 if they differ. */
static void check(size_t size)
{
	for (size_t i = 0; i < size; i++)
		data[i] = rank == 0 ? pingpong_pattern(0, i) : 0;
	windows(size, 1);
	for (size_t i = 0; i < size; i++) {
		if (data[i] != pingpong_pattern(0, i)) {
			fprintf(stderr, "wrong byte %zu of %zu\n", i, size);
			exit(3);
		}
	}
}

static void event(void *with, size_t size, int n)
{
	(void)with;
	windows(size, n);
}

/* A plan counts the messages of a stream, not its windows. */
static void measure(const struct plan_cell *cell)
{
	struct cell c = {.bench = "uniband", .level = "comm", .metric = "t_s", .size = cell->size, .samples = (cell->samples + WINDOW - 1) / WINDOW,
			 .together = cell->together, .parts = 1, .amount = WINDOW * cell->size, .window = WINDOW, .rank = rank, .ranks = 2, .more = "", .line = line,
			 .seen = &seen, .event = event};
	states_measure(&c);
	check(cell->size);
}

int main(int argc, char **argv)
{
	struct plan plan;
	rank = mpi_pair(argc, argv, &plan);
	line = line_map(shared_file("line"));
	data = pingpong_buffer(plan_largest(&plan));
	for (int i = 0; i < plan.cells; i++)
		measure(&plan.cell[i]);
	free(data);
	MPI_Finalize();
	return 0;
}
