/*
 * The collective operations of MPI that are compared, and the data by which
 * they are checked. Root is rank 0; what is reduced are floats, summed.
 * Sizes are bytes: of the whole vector where there is one vector (bcast, reduce,
 * allreduce, reduce_scatter), else of one rank's block.
 */
#ifndef PEERS_OPERATIONS_H
#define PEERS_OPERATIONS_H

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct collective {
	int rank, ranks;
	size_t size;
	unsigned char *in, *out; /* ranks * size bytes each */
	int *counts;             /* floats of every rank's part in reduce_scatter */
};

static inline int collective_floats(const struct collective *c) { return (int)(c->size / sizeof(float)); }

/* The first parts are longer by one where the vector does not divide evenly. */
static inline void collective_parts(struct collective *c)
{
	int n = collective_floats(c);
	for (int i = 0; i < c->ranks; i++)
		c->counts[i] = n / c->ranks + (i < n % c->ranks);
}

#define WORLD MPI_COMM_WORLD
#define BYTES (int)c->size, MPI_BYTE

static void barrier(struct collective *c)
{
	(void)c;
	MPI_Barrier(WORLD);
}
static void bcast(struct collective *c) { MPI_Bcast(c->rank == 0 ? c->in : c->out, BYTES, 0, WORLD); }
static void scatter(struct collective *c) { MPI_Scatter(c->in, BYTES, c->out, BYTES, 0, WORLD); }
static void gather(struct collective *c) { MPI_Gather(c->in, BYTES, c->out, BYTES, 0, WORLD); }
static void allgather(struct collective *c) { MPI_Allgather(c->in, BYTES, c->out, BYTES, WORLD); }
static void alltoall(struct collective *c) { MPI_Alltoall(c->in, BYTES, c->out, BYTES, WORLD); }
static void reduce(struct collective *c)
{
	MPI_Reduce(c->in, c->out, collective_floats(c), MPI_FLOAT, MPI_SUM, 0, WORLD);
}
static void allreduce(struct collective *c)
{
	MPI_Allreduce(c->in, c->out, collective_floats(c), MPI_FLOAT, MPI_SUM, WORLD);
}
static void reduce_scatter(struct collective *c)
{
	MPI_Reduce_scatter(c->in, c->out, c->counts, MPI_FLOAT, MPI_SUM, WORLD);
}

#undef WORLD
#undef BYTES

/* Byte i of the contribution of a rank; floats of reductions are small whole numbers. */
static inline unsigned char given_byte(int rank, size_t i) { return (unsigned char)(37 * rank + 1 + i * 7 + (i >> 8)); }
static inline float given_float(int rank, size_t i) { return (float)((rank + 1) * (int)(i % 1021 + 1)); }

static inline void give_bytes(struct collective *c)
{
	for (size_t i = 0; i < (size_t)c->ranks * c->size; i++)
		c->in[i] = given_byte(c->rank, i);
}

static inline void give_floats(struct collective *c)
{
	for (size_t i = 0; i < (size_t)collective_floats(c); i++)
		((float *)c->in)[i] = given_float(c->rank, i);
}

/* Reports whether size bytes of out from a block equal those of a rank's input from a block. */
static inline int is_block(const struct collective *c, int block, int rank, int of)
{
	for (size_t i = 0; i < c->size; i++)
		if (c->out[(size_t)block * c->size + i] != given_byte(rank, (size_t)of * c->size + i))
			return 0;
	return 1;
}

/* Reports whether out holds n sums, starting with element first of the vector. */
static inline int is_sum(const struct collective *c, int first, int n)
{
	float all = (float)(c->ranks * (c->ranks + 1) / 2);
	for (int i = 0; i < n; i++)
		if (((const float *)c->out)[i] != all * given_float(0, (size_t)(first + i)))
			return 0;
	return 1;
}

static int right_nothing(struct collective *c)
{
	(void)c;
	return 1;
}
static int right_bcast(struct collective *c) { return c->rank == 0 || is_block(c, 0, 0, 0); }
static int right_scatter(struct collective *c) { return is_block(c, 0, 0, c->rank); }
static int right_allgather(struct collective *c)
{
	for (int i = 0; i < c->ranks; i++)
		if (!is_block(c, i, i, 0))
			return 0;
	return 1;
}
static int right_gather(struct collective *c) { return c->rank != 0 || right_allgather(c); }
static int right_alltoall(struct collective *c)
{
	for (int i = 0; i < c->ranks; i++)
		if (!is_block(c, i, i, c->rank))
			return 0;
	return 1;
}
static int right_allreduce(struct collective *c) { return is_sum(c, 0, collective_floats(c)); }
static int right_reduce(struct collective *c) { return c->rank != 0 || right_allreduce(c); }
static int right_reduce_scatter(struct collective *c)
{
	int first = 0;
	for (int i = 0; i < c->rank; i++)
		first += c->counts[i];
	return is_sum(c, first, c->counts[c->rank]);
}

struct operation {
	const char *name;
	void (*run)(struct collective *);
	void (*give)(struct collective *); /* fills in */
	int (*right)(struct collective *); /* checks out */
};

static const struct operation operations[] = {
	{"barrier", barrier, give_bytes, right_nothing},
	{"bcast", bcast, give_bytes, right_bcast},
	{"scatter", scatter, give_bytes, right_scatter},
	{"gather", gather, give_bytes, right_gather},
	{"allgather", allgather, give_bytes, right_allgather},
	{"alltoall", alltoall, give_bytes, right_alltoall},
	{"reduce", reduce, give_floats, right_reduce},
	{"allreduce", allreduce, give_floats, right_allreduce},
	{"reduce_scatter", reduce_scatter, give_floats, right_reduce_scatter},
};

/* The operation of that name, or NULL. */
static inline const struct operation *operation_named(const char *name)
{
	for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
		if (strcmp(operations[i].name, name) == 0)
			return &operations[i];
	return NULL;
}

#endif
