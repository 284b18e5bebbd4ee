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

/* agreed returns the highest code of all ranks, so that all go on or none does. */
static int agreed(MPI_Comm comm, int e)
{
	int highest = 0, failed = MPI_Allreduce(&e, &highest, 1, MPI_INT32_T, MPI_MAX, comm);
	return failed ? failed : highest;
}

enum { separate = INT_MAX }; /* no code of MPI: the memory model is MPI_WIN_SEPARATE */

/* begin prepares a window for access. */
static int begin(MPI_Win win, void *base, long long n, int *locked)
{
	int *model, found, e;

	memset(base, 0, n);
	if ((e = MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN)) || (e = MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &found)))
		return e;
	if (!found || *model != MPI_WIN_UNIFIED)
		return separate;
	e = MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	*locked = !e;
	return e;
}

int gb_allocate(int group, long long n, void **base, struct gb_window **window)
{
	enum { page = 4096 };
	MPI_Comm comm = gb_communicator(group);
	struct gb_window *w = malloc(sizeof *w);
	int locked = 0, e = agreed(comm, w ? MPI_SUCCESS : MPI_ERR_NO_MEM);

	*window = NULL;
	/* The length is rounded up: libraries lay the parts of ranks of a host side by side, and ranks
	 * would share cache lines. */
	if (!e)
		e = agreed(comm, MPI_Win_allocate((MPI_Aint)((n + page - 1) / page * page), 1, MPI_INFO_NULL, comm, base, &w->win));
	if (e) { /* MPI_Win_free would wait for a rank that has no window */
		free(w);
		return e;
	}
	if (!(e = agreed(comm, begin(w->win, *base, n, &locked)))) {
		*window = w;
		return MPI_SUCCESS;
	}
	if (locked)
		MPI_Win_unlock_all(w->win);
	MPI_Win_free(&w->win);
	free(w);
	return e == separate ? MPI_SUCCESS : e;
}

int gb_unlock(struct gb_window *w) { return MPI_Win_unlock_all(w->win); }

int gb_deallocate(struct gb_window *w)
{
	int unlocked = gb_unlock(w), freed = MPI_Win_free(&w->win);

	free(w);
	return unlocked ? unlocked : freed;
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

int gb_flush(struct gb_window *w, int target) { return MPI_Win_flush(target, w->win); }
