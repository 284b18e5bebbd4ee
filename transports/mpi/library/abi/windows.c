/*
 * Windows of the library, each in one passive epoch from gb_allocate to gb_deallocate.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

struct gb_window {
	MPI_Win win;
};

/* begin rounds lengths up, because libraries lay the parts of ranks of a host side by side, and ranks
 * would share cache lines. */
static int begin(MPI_Comm comm, long long n, void **base, MPI_Win *win, int *unified)
{
	enum { page = 4096 };
	int *model, found, e;

	if ((e = MPI_Win_allocate((MPI_Aint)((n + page - 1) / page * page), 1, MPI_INFO_NULL, comm, base, win)) ||
	    (e = MPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN)) ||
	    (e = MPI_Win_get_attr(*win, MPI_WIN_MODEL, &model, &found)))
		return e;
	*unified = found && *model == MPI_WIN_UNIFIED;
	memset(*base, 0, n);
	return (e = MPI_Barrier(comm)) ? e : MPI_Win_lock_all(MPI_MODE_NOCHECK, *win);
}

int gb_allocate(int group, long long n, void **base, struct gb_window **window)
{
	struct gb_window *w = malloc(sizeof *w);
	int e, unified;

	if (!w)
		return MPI_ERR_NO_MEM;
	e = begin(gb_communicator(group), n, base, &w->win, &unified);
	*window = w;
	if (!e && !unified) {
		*window = NULL;
		e = gb_deallocate(w);
	}
	return e;
}

int gb_deallocate(struct gb_window *w)
{
	int e = MPI_Win_unlock_all(w->win);

	if (!e)
		e = MPI_Win_free(&w->win);
	free(w);
	return e;
}

int gb_put(struct gb_window *w, const void *from, long long n, int target, long long offset)
{
	MPI_Datatype type;
	int count, made, e = gb_describe(n, &type, &count, &made);

	if (!e)
		e = MPI_Put(from, count, type, target, (MPI_Aint)offset, count, type, w->win);
	if (made)
		MPI_Type_free(&type);
	return e;
}

int gb_get(struct gb_window *w, void *to, long long n, int target, long long offset)
{
	MPI_Datatype type;
	int count, made, e = gb_describe(n, &type, &count, &made);

	if (!e)
		e = MPI_Get(to, count, type, target, (MPI_Aint)offset, count, type, w->win);
	if (made)
		MPI_Type_free(&type);
	return e;
}

int gb_update(struct gb_window *w, const struct gb_update *u)
{
	MPI_Datatype type;
	MPI_Op op = gb_operator(u->op);
	MPI_Aint at = (MPI_Aint)u->offset;
	int width, n;

	type = gb_element(u->element, &width);
	if (u->op == GB_SWAP)
		return MPI_Compare_and_swap((const char *)u->data + width, u->data, u->result, type, u->target, at, w->win);
	if (u->bytes / width > INT_MAX)
		return MPI_ERR_COUNT;
	n = (int)(u->bytes / width);
	if (u->result && n == 1)
		return MPI_Fetch_and_op(u->data, u->result, type, u->target, at, op, w->win);
	if (u->result)
		return MPI_Get_accumulate(u->data, n, type, u->result, n, type, u->target, at, n, type, op, w->win);
	/* MPI_NO_OP is not one of MPI_Accumulate. */
	return u->op == GB_NO_OP ? MPI_SUCCESS : MPI_Accumulate(u->data, n, type, u->target, at, n, type, op, w->win);
}

int gb_flush(struct gb_window *w, int target)
{
	return MPI_Win_flush(target, w->win);
}
