/*
 * Collective operations over whatever MPI this is compiled with, one rank to a
 * core.
 * usage: mpirun -n 4 mpi_coll OPERATION:SIZE:SAMPLES:BATCH[,...]
 * A sample is BATCH operations back to back from an announced time on: the time
 * of one is (last end - first begin over all ranks - cost of the clock) / BATCH. Samples for which a
 * rank was late are repeated. A row for each cell and state of the cores, with the median of its samples.
 * In the folder GOBENCH_DIR the ranks share the gate and the line; GOBENCH_CORES names the cores.
 */
#include <mpi.h>

#include "cores.h"
#include "gate.h"
#include "operations.h"
#include "states.h"

static struct gate *gate;
static struct line *line;

static void progress(void)
{
	int found;
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

/* Runs one sample. Returns the seconds of one operation, negative if a rank was late; 0 on other ranks than 0. */
static double sample(const struct operation *op, struct collective *c, int batch, double cost)
{
	gate_begin(gate, c->rank, c->ranks);
	for (int i = 0; i < batch; i++)
		op->run(c);
	gate->times[c->rank].end = now();
	gate_pass(gate, c->ranks, progress);
	if (c->rank != 0)
		return 0;
	return gate_late(gate, c->ranks) ? -1 : clock_each(gate_span(gate, c->ranks), cost, batch);
}

/* One more operation whose result is compared; exits with 3 if it is wrong. */
static void check(const struct operation *op, struct collective *c)
{
	op->give(c);
	memset(c->out, 0, (size_t)c->ranks * c->size);
	op->run(c);
	if (!op->right(c)) {
		fprintf(stderr, "%s of %zu bytes is wrong on rank %d\n", op->name, c->size, c->rank);
		MPI_Abort(MPI_COMM_WORLD, 3);
	}
	gate_pass(gate, c->ranks, progress);
}

/* Returns the number of samples of rank 0 on all ranks. */
static int agree(const struct collective *c, int samples)
{
	if (c->rank == 0)
		gate->samples = samples;
	gate_pass(gate, c->ranks, progress);
	samples = gate->samples;
	gate_pass(gate, c->ranks, progress);
	return samples;
}

/* The maximum number of starts for the samples, if ranks are late repeatedly. */
static int most_starts(int samples) { return 8 * samples + 200; }

/* The cores between two blocks: the distance of ranks 0 and 1, 0 of one rank, and the slowest loop of all. */
static struct look look(const struct collective *c)
{
	static uint64_t seen;
	struct look look = {.distance = c->ranks > 1 && c->rank < 2 && !gate_crowded(c->ranks) ? line_look(line, c->rank, &seen) : 0};
	gate->times[c->rank].loop = pace_loop();
	gate_pass(gate, c->ranks, progress);
	for (int i = 0; i < c->ranks; i++)
		if (gate->times[i].loop > look.loop)
			look.loop = gate->times[i].loop;
	gate_pass(gate, c->ranks, progress);
	return look;
}

/*
 * Takes the samples of a cell in blocks between which it looks at the cores. Samples for
 * which a rank was late are repeated. Returns the number of blocks; valid and late count on rank 0.
 */
static int take(const struct operation *op, struct collective *c, const struct plan_cell *cell, double *times, struct block *blocks, int *valid,
		int *late)
{
	double cost = clock_cost();
	struct look seen = look(c);
	int count = 0, starts = 0, want = 1;
	for (int n; starts < most_starts(cell->samples); starts += n) {
		int left = count < STATES_BLOCKS ? cell->samples - *valid : 0;
		if ((n = agree(c, left < want ? left : want)) == 0)
			break;
		int before = *late, first = *valid;
		double start = now();
		for (int i = 0; i < n; i++) {
			double t = sample(op, c, cell->together, cost);
			if (t < 0)
				++*late;
			else if (c->rank == 0)
				times[(*valid)++] = t;
		}
		double took = now() - start;
		struct look after = look(c);
		if (c->rank == 0) {
			gate_adapt(gate, *late - before, n);
			want = states_block(n, took, cell->samples);
			if (*valid > first)
				blocks[count++] = (struct block){.first = first, .n = *valid - first, .before = seen, .after = after, .seconds = took};
		}
		seen = after;
	}
	return count;
}

/* Warms up by a quarter of the samples, measures, and prints the medians. */
static void measure(const struct operation *op, struct collective *c, const struct plan_cell *cell)
{
	static struct block blocks[STATES_BLOCKS];
	double *times = plan_times(cell->samples), cost = clock_cost();
	gate_calibrate(gate, c->rank, c->ranks);
	for (int i = 0; i < 3 + cell->samples / 4; i++)
		sample(op, c, cell->together, cost);
	int valid = 0, late = 0, count = take(op, c, cell, times, blocks, &valid, &late);
	if (c->rank == 0 && valid == 0) {
		fprintf(stderr, "%s of %zu bytes: a rank was late for every start\n", op->name, c->size);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (c->rank == 0) {
		char more[64] = ",\"start\":\"time\"";
		if (late > 0)
			snprintf(more, sizeof more, ",\"invalid\":%d,\"start\":\"time\"", late);
		struct cell row = {.bench = op->name, .level = "comm", .metric = "global_s", .size = c->size, .samples = cell->samples,
				   .together = cell->together, .ranks = c->ranks, .more = more};
		states_print(&row, times, blocks, count);
	}
	free(times);
}

static unsigned char *pages(size_t size)
{
	void *p;
	size = (size + 4096) / 4096 * 4096;
	if (posix_memalign(&p, 4096, size) != 0) {
		fprintf(stderr, "no memory for buffers of %zu bytes\n", size);
		exit(1);
	}
	memset(p, 1, size);
	return p;
}

static void run_cell(const struct plan_cell *cell, struct collective *c)
{
	const struct operation *op = operation_named(cell->name);
	if (!op) {
		fprintf(stderr, "no operation is called %s\n", cell->name);
		MPI_Abort(MPI_COMM_WORLD, 2);
		exit(2);
	}
	c->size = cell->size;
	collective_parts(c);
	check(op, c);
	measure(op, c, cell);
	check(op, c);
}

int main(int argc, char **argv)
{
	static struct plan plan;
	static int counts[GATE_RANKS];
	struct collective c = {.counts = counts};
	pin_rank(launched_rank());
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &c.ranks);
	if (c.ranks > GATE_RANKS) {
		fprintf(stderr, "want at most %d ranks\n", GATE_RANKS);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	plan_read(&plan, argc, argv);
	pin_rank(c.rank);
	gate = gate_map(shared_file("gate"));
	line = line_map(shared_file("line"));
	MPI_Barrier(MPI_COMM_WORLD); /* connections are made before anything is timed */

	size_t largest = plan_largest(&plan);
	c.in = pages((size_t)c.ranks * largest);
	c.out = pages((size_t)c.ranks * largest);
	for (int i = 0; i < plan.cells; i++)
		run_cell(&plan.cell[i], &c);
	free(c.in);
	free(c.out);
	MPI_Finalize();
	return 0;
}
