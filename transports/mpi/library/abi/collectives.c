/*
 * Collective operations of the library.
 */
#include <limits.h>
#include <stdlib.h>

#include "state.h"

/* Communicators by the number of their group. Of all ranks in order, it is that of the context. */
static MPI_Comm *groups;
static int made;

MPI_Comm gb_communicator(int group) { return groups[group]; }

/* whole reports whether members are all ranks in order. */
static int whole(const int *members, int n)
{
	int ranks, i;

	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (i = 0; i < n && members[i] == i; i++)
		;
	return n == ranks && i == n;
}

int gb_group(int context, const int *members, int n, int *group)
{
	MPI_Group world, some;
	MPI_Comm comm = MPI_COMM_NULL;
	int e, i;

	for (i = 0; i < made && groups[i] != MPI_COMM_NULL; i++)
		;
	if (i == made) {
		MPI_Comm *more = realloc(groups, (made + 1) * sizeof *groups);
		if (!more)
			return MPI_ERR_NO_MEM;
		groups = more;
		groups[made++] = MPI_COMM_NULL;
	}
	*group = i;
	if (whole(members, n)) {
		groups[i] = gb_comms[context];
		return MPI_SUCCESS;
	}
	if ((e = MPI_Comm_group(MPI_COMM_WORLD, &world)))
		return e;
	if (!(e = MPI_Group_incl(world, n, members, &some))) {
		e = MPI_Comm_create_group(gb_control, some, context, &comm);
		MPI_Group_free(&some);
	}
	MPI_Group_free(&world);
	if (!e)
		e = MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	groups[i] = comm;
	return e;
}

int gb_ungroup(int group)
{
	for (int i = 0; i < GB_CONTEXTS; i++)
		if (groups[group] == gb_comms[i]) {
			groups[group] = MPI_COMM_NULL;
			return MPI_SUCCESS;
		}
	return MPI_Comm_free(&groups[group]);
}

static MPI_Datatype element_of(enum gb_element element)
{
	switch (element) {
	case GB_INT8: return MPI_INT8_T;
	case GB_INT16: return MPI_INT16_T;
	case GB_INT32: return MPI_INT32_T;
	case GB_INT64: return MPI_INT64_T;
	case GB_UINT8: return MPI_UINT8_T;
	case GB_UINT16: return MPI_UINT16_T;
	case GB_UINT32: return MPI_UINT32_T;
	case GB_UINT64: return MPI_UINT64_T;
	case GB_FLOAT32: return MPI_FLOAT;
	case GB_FLOAT64: return MPI_DOUBLE;
	case GB_COMPLEX64: return MPI_C_FLOAT_COMPLEX;
	case GB_COMPLEX128: return MPI_C_DOUBLE_COMPLEX;
	}
	return MPI_DATATYPE_NULL;
}

static MPI_Op operator_of(enum gb_operator op)
{
	switch (op) {
	case GB_SUM: return MPI_SUM;
	case GB_PROD: return MPI_PROD;
	case GB_MAX: return MPI_MAX;
	case GB_MIN: return MPI_MIN;
	case GB_BAND: return MPI_BAND;
	case GB_BOR: return MPI_BOR;
	case GB_BXOR: return MPI_BXOR;
	}
	return MPI_OP_NULL;
}

static const int width[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16};

/* block calls the blocking function. */
static int block(const struct gb_collective *c, MPI_Comm comm, const void *in, void *out, int n, MPI_Datatype t, MPI_Op op)
{
	switch (c->operation) {
	case GB_BARRIER: return MPI_Barrier(comm);
	case GB_BCAST: return MPI_Bcast(out, n, t, c->root, comm);
	case GB_SCATTER: return MPI_Scatter(in, n, t, out, n, t, c->root, comm);
	case GB_GATHER: return MPI_Gather(in, n, t, out, n, t, c->root, comm);
	case GB_ALLGATHER: return MPI_Allgather(in, n, t, out, n, t, comm);
	case GB_ALLTOALL: return MPI_Alltoall(in, n, t, out, n, t, comm);
	case GB_REDUCE: return MPI_Reduce(in, out, n, t, op, c->root, comm);
	case GB_ALLREDUCE: return MPI_Allreduce(in, out, n, t, op, comm);
	case GB_REDUCE_SCATTER: return MPI_Reduce_scatter_block(in, out, n, t, op, comm);
	case GB_SCAN: return MPI_Scan(in, out, n, t, op, comm);
	case GB_EXSCAN: return MPI_Exscan(in, out, n, t, op, comm);
	}
	return MPI_ERR_ARG;
}

/* start calls the non-blocking function. */
static int start(const struct gb_collective *c, MPI_Comm comm, const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Request *q)
{
	switch (c->operation) {
	case GB_BARRIER: return MPI_Ibarrier(comm, q);
	case GB_BCAST: return MPI_Ibcast(out, n, t, c->root, comm, q);
	case GB_SCATTER: return MPI_Iscatter(in, n, t, out, n, t, c->root, comm, q);
	case GB_GATHER: return MPI_Igather(in, n, t, out, n, t, c->root, comm, q);
	case GB_ALLGATHER: return MPI_Iallgather(in, n, t, out, n, t, comm, q);
	case GB_ALLTOALL: return MPI_Ialltoall(in, n, t, out, n, t, comm, q);
	case GB_REDUCE: return MPI_Ireduce(in, out, n, t, op, c->root, comm, q);
	case GB_ALLREDUCE: return MPI_Iallreduce(in, out, n, t, op, comm, q);
	case GB_REDUCE_SCATTER: return MPI_Ireduce_scatter_block(in, out, n, t, op, comm, q);
	case GB_SCAN: return MPI_Iscan(in, out, n, t, op, comm, q);
	case GB_EXSCAN: return MPI_Iexscan(in, out, n, t, op, comm, q);
	}
	return MPI_ERR_ARG;
}

int gb_collect(const struct gb_collective *c, int *slot)
{
	MPI_Comm comm = groups[c->group];
	MPI_Datatype type = MPI_BYTE;
	MPI_Op op = MPI_OP_NULL;
	const void *in = c->send;
	void *out = c->recv;
	int count = 0, described = 0, e;

	if (c->in_place && c->operation == GB_SCATTER)
		out = MPI_IN_PLACE;
	else if (c->in_place)
		in = MPI_IN_PLACE;
	if (c->operation >= GB_REDUCE) {
		type = element_of(c->element);
		op = operator_of(c->op);
		if (c->bytes / width[c->element] > INT_MAX)
			return MPI_ERR_COUNT;
		count = (int)(c->bytes / width[c->element]);
	} else if ((e = gb_describe(c->bytes, &type, &count, &described))) {
		return e;
	}
	if (slot) {
		MPI_Request *q = gb_reserve();
		e = q ? start(c, comm, in, out, count, type, op, q) : MPI_ERR_NO_MEM;
		if (!e)
			*slot = gb_reserved();
	} else {
		e = block(c, comm, in, out, count, type, op);
	}
	if (described)
		MPI_Type_free(&type);
	return e;
}
