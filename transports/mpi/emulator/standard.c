/*
 * libmpi_abi.so for tests: the functions of the standard ABI of MPI 5.0 that the transport uses, over
 * MPICH with its own ABI. No library with the standard ABI is packaged for the systems that the tests
 * run on.
 *
 * Handles of MPICH are ints. Here they are pointers of that value, but for the predefined ones, whose
 * values are those of the standard. The fields of a status that the standard leaves to the library
 * hold MPICH's count.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "mpich.h"

#pragma GCC visibility push(default)

typedef int function();

static function *find(const char *name)
{
	static void *library;
	/* Its own calls of MPI_* stay inside of it: this library has functions of these names. */
	if (!library && !(library = dlopen("libmpi.so.12", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)))
		library = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND); /* as Debian names it */
	function *f = library ? (function *)dlsym(library, name) : NULL;
	if (!f) {
		fprintf(stderr, "libmpi_abi.so of the tests: %s\n", dlerror());
		abort();
	}
	return f;
}

static int standard_of(const struct mpich_pair *list, int mpich, int other)
{
	for (; list->standard; list++)
		if (list->mpich == mpich)
			return (int)list->standard;
	return other;
}

/* code returns an error code of MPICH, or the class of the standard if it is a bare class. */
static int code(int e)
{
	return e == MPI_SUCCESS ? e : standard_of(mpich_classes, e, e);
}

/* MPICH calls a function of MPICH. */
#define MPICH(name, ...)                          \
	({                                        \
		static function *f;               \
		if (!f)                           \
			f = find("MPI_" #name);   \
		code(f(__VA_ARGS__));             \
	})

static int below(const void *handle)
{
	uintptr_t value = (uintptr_t)handle;
	for (const struct mpich_pair *p = mpich_handles; p->standard; p++)
		if (p->standard == value)
			return p->mpich;
	return (int)value;
}

static void *above(int handle)
{
	return (void *)(uintptr_t)(unsigned)standard_of(mpich_handles, handle, handle);
}

/* MAKES calls a function of MPICH whose last argument is a new handle. */
#define MAKES(handle, name, ...)                                  \
	({                                                        \
		int theirs, failed = MPICH(name, __VA_ARGS__, &theirs); \
		if (!failed)                                      \
			*(handle) = above(theirs);                \
		failed;                                           \
	})

/* CHANGES calls one with a handle that it may change, and arguments behind it. */
#define CHANGES(handle, name, ...)                                        \
	({                                                                \
		int was = below(*(handle)), now = was;                    \
		int failed = MPICH(name, &now __VA_OPT__(,) __VA_ARGS__); \
		if (now != was)                                           \
			*(handle) = above(now);                           \
		failed;                                                   \
	})

struct mpich_status {
	int low, high, source, tag, error;
};

static int status(int e, MPI_Status *to, const struct mpich_status *from)
{
	if (to)
		*to = (MPI_Status){.MPI_SOURCE = from->source, .MPI_TAG = from->tag, .MPI_ERROR = code(from->error), .MPI_internal = {from->low, from->high}};
	return e;
}

static struct mpich_status status_below(const MPI_Status *s)
{
	return (struct mpich_status){s->MPI_internal[0], s->MPI_internal[1], s->MPI_SOURCE, s->MPI_TAG, s->MPI_ERROR};
}

static int source(int rank) { return rank == MPI_ANY_SOURCE ? mpich_any_source : rank; }
static int tagged(int tag) { return tag == MPI_ANY_TAG ? mpich_any_tag : tag; }
static void *place(const void *buf) { return buf == MPI_IN_PLACE ? mpich_in_place : (void *)buf; }

/* The job. */

int MPI_Get_library_version(char *version, int *n)
{
	static const char note[] = " (standard ABI: emulated)";
	int e = MPICH(Get_library_version, version, n);
	if (!e && *n + sizeof note <= MPI_MAX_LIBRARY_VERSION_STRING) {
		strcpy(version + *n, note);
		*n += sizeof note - 1;
	}
	return e;
}

int MPI_Get_version(int *version, int *subversion)
{
	*version = 5, *subversion = 0;
	return MPI_SUCCESS;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	/* As a library that has been built without threads, whatever is asked for. */
	if (getenv("GOBENCH_MPI_EMULATOR_SINGLE"))
		required = MPI_THREAD_SINGLE;
	int got, e = MPICH(Init_thread, argc, argv, mpich_threads[required / 1024 == 4 ? 3 : required / 1024], &got);
	for (int i = 0; i < 4; i++)
		if (mpich_threads[i] == got)
			*provided = i == 3 ? 4096 : i * 1024;
	return e;
}

int MPI_Finalize(void) { return MPICH(Finalize); }
int MPI_Error_string(int e, char *text, int *n) { return MPICH(Error_string, e, text, n); }

int MPI_Error_class(int e, int *class)
{
	int theirs, failed = MPICH(Error_class, e, &theirs);
	*class = theirs ? standard_of(mpich_classes, theirs, MPI_ERR_OTHER) : 0;
	if (e == MPI_ERR_IN_STATUS || e == MPI_ERR_TRUNCATE)
		*class = e;
	return failed;
}

int MPI_Alloc_mem(MPI_Aint size, MPI_Info info, void *base) { return MPICH(Alloc_mem, size, below(info), base); }
int MPI_Free_mem(void *base) { return MPICH(Free_mem, base); }

/* Communicators and groups. */

int MPI_Comm_rank(MPI_Comm c, int *rank) { return MPICH(Comm_rank, below(c), rank); }
int MPI_Comm_size(MPI_Comm c, int *size) { return MPICH(Comm_size, below(c), size); }

/* MPICH sets the handle when the operation begins. */
int MPI_Comm_idup(MPI_Comm c, MPI_Comm *made, MPI_Request *r)
{
	int duplicate = 0, failed = MAKES(r, Comm_idup, below(c), &duplicate);

	if (!failed)
		*made = above(duplicate);
	return failed;
}

int MPI_Comm_free(MPI_Comm *c) { return CHANGES(c, Comm_free); }
int MPI_Comm_set_errhandler(MPI_Comm c, MPI_Errhandler h) { return MPICH(Comm_set_errhandler, below(c), below(h)); }
int MPI_Comm_group(MPI_Comm c, MPI_Group *made) { return MAKES(made, Comm_group, below(c)); }
int MPI_Group_incl(MPI_Group g, int n, const int ranks[], MPI_Group *made) { return MAKES(made, Group_incl, below(g), n, ranks); }
int MPI_Group_free(MPI_Group *g) { return CHANGES(g, Group_free); }
int MPI_Comm_create_group(MPI_Comm c, MPI_Group g, int tag, MPI_Comm *made) { return MAKES(made, Comm_create_group, below(c), below(g), tag); }

int MPI_Comm_split_type(MPI_Comm c, int type, int key, MPI_Info info, MPI_Comm *made)
{
	return MAKES(made, Comm_split_type, below(c), type == MPI_COMM_TYPE_SHARED ? mpich_shared : type, key, below(info));
}

int MPI_Comm_get_attr(MPI_Comm c, int key, void *value, int *found)
{
	return MPICH(Comm_get_attr, below(c), key == MPI_TAG_UB ? mpich_tag_ub : key, value, found);
}

/* Datatypes. */

int MPI_Type_contiguous(int n, MPI_Datatype of, MPI_Datatype *made) { return MAKES(made, Type_contiguous, n, below(of)); }
int MPI_Type_commit(MPI_Datatype *t) { return CHANGES(t, Type_commit); }
int MPI_Type_free(MPI_Datatype *t) { return CHANGES(t, Type_free); }

int MPI_Type_create_struct(int n, const int lengths[], const MPI_Aint at[], const MPI_Datatype of[], MPI_Datatype *made)
{
	int types[n];
	for (int i = 0; i < n; i++)
		types[i] = below(of[i]);
	return MAKES(made, Type_create_struct, n, lengths, at, types);
}

int MPI_Get_count(const MPI_Status *s, MPI_Datatype t, int *n)
{
	struct mpich_status m = status_below(s);
	return MPICH(Get_count, &m, below(t), n);
}

int MPI_Get_elements_x(const MPI_Status *s, MPI_Datatype t, MPI_Count *n)
{
	struct mpich_status m = status_below(s);
	return MPICH(Get_elements_x, &m, below(t), n);
}

/* Messages. */

int MPI_Send(const void *buf, int n, MPI_Datatype t, int dst, int tag, MPI_Comm c) { return MPICH(Send, buf, n, below(t), dst, tag, below(c)); }
int MPI_Ssend(const void *buf, int n, MPI_Datatype t, int dst, int tag, MPI_Comm c) { return MPICH(Ssend, buf, n, below(t), dst, tag, below(c)); }
int MPI_Isend(const void *buf, int n, MPI_Datatype t, int dst, int tag, MPI_Comm c, MPI_Request *r) { return MAKES(r, Isend, buf, n, below(t), dst, tag, below(c)); }
int MPI_Issend(const void *buf, int n, MPI_Datatype t, int dst, int tag, MPI_Comm c, MPI_Request *r) { return MAKES(r, Issend, buf, n, below(t), dst, tag, below(c)); }
int MPI_Irecv(void *buf, int n, MPI_Datatype t, int src, int tag, MPI_Comm c, MPI_Request *r) { return MAKES(r, Irecv, buf, n, below(t), source(src), tagged(tag), below(c)); }

int MPI_Recv(void *buf, int n, MPI_Datatype t, int src, int tag, MPI_Comm c, MPI_Status *s)
{
	struct mpich_status m = {0};
	return status(MPICH(Recv, buf, n, below(t), source(src), tagged(tag), below(c), &m), s, &m);
}

int MPI_Probe(int src, int tag, MPI_Comm c, MPI_Status *s)
{
	struct mpich_status m = {0};
	return status(MPICH(Probe, source(src), tagged(tag), below(c), &m), s, &m);
}

int MPI_Iprobe(int src, int tag, MPI_Comm c, int *found, MPI_Status *s)
{
	struct mpich_status m = {0};
	return status(MPICH(Iprobe, source(src), tagged(tag), below(c), found, &m), s, &m);
}

int MPI_Improbe(int src, int tag, MPI_Comm c, int *found, MPI_Message *message, MPI_Status *s)
{
	struct mpich_status m = {0};
	int made = 0, e = status(MPICH(Improbe, source(src), tagged(tag), below(c), found, &made, &m), s, &m);
	*message = above(made);
	return e;
}

int MPI_Mrecv(void *buf, int n, MPI_Datatype t, MPI_Message *message, MPI_Status *s)
{
	struct mpich_status m = {0};
	int taken = below(*message), e = status(MPICH(Mrecv, buf, n, below(t), &taken, &m), s, &m);
	*message = above(taken);
	return e;
}

/* Requests. */

int MPI_Wait(MPI_Request *r, MPI_Status *s)
{
	struct mpich_status m = {0};
	return status(CHANGES(r, Wait, &m), s, &m);
}

int MPI_Test(MPI_Request *r, int *done, MPI_Status *s)
{
	struct mpich_status m = {0};
	return status(CHANGES(r, Test, done, &m), s, &m);
}

int MPI_Testany(int n, MPI_Request r[], int *at, int *done, MPI_Status *s)
{
	struct mpich_status m = {0};
	int *list = malloc((n + 1) * sizeof *list);
	for (int i = 0; i < n; i++)
		list[i] = below(r[i]);
	int e = status(MPICH(Testany, n, list, at, done, &m), s, &m);
	for (int i = 0; i < n; i++)
		r[i] = above(list[i]);
	free(list);
	return e;
}

/* every calls a function of MPICH for n requests, MPI_Waitall without done. */
static int every(int n, MPI_Request r[], int *done, MPI_Status s[])
{
	int *list = malloc((n + 1) * sizeof *list);
	struct mpich_status *theirs = calloc(n + 1, sizeof *theirs);
	for (int i = 0; i < n; i++)
		list[i] = below(r[i]);
	int e = done ? MPICH(Testall, n, list, done, theirs) : MPICH(Waitall, n, list, theirs);
	for (int i = 0; i < n; i++) {
		r[i] = above(list[i]);
		status(e, &s[i], &theirs[i]);
	}
	free(list), free(theirs);
	return e;
}

int MPI_Waitall(int n, MPI_Request r[], MPI_Status s[]) { return every(n, r, NULL, s); }
int MPI_Testall(int n, MPI_Request r[], int *done, MPI_Status s[]) { return every(n, r, done, s); }

int MPI_Test_cancelled(const MPI_Status *s, int *cancelled)
{
	struct mpich_status m = status_below(s);
	return MPICH(Test_cancelled, &m, cancelled);
}

int MPI_Cancel(MPI_Request *r) { return CHANGES(r, Cancel); }

/* Collective operations, blocking and not. */

#define BLOCKS(name, starts)                                                                                          \
	int MPI_##name(const void *in, int n, MPI_Datatype t, void *out, int m, MPI_Datatype u, MPI_Comm c)           \
	{                                                                                                             \
		return MPICH(name, place(in), n, below(t), out, m, below(u), below(c));                               \
	}                                                                                                             \
	int MPI_##starts(const void *in, int n, MPI_Datatype t, void *out, int m, MPI_Datatype u, MPI_Comm c, MPI_Request *r) \
	{                                                                                                             \
		return MAKES(r, starts, place(in), n, below(t), out, m, below(u), below(c));                          \
	}

#define ROOTED(name, starts)                                                                                          \
	int MPI_##name(const void *in, int n, MPI_Datatype t, void *out, int m, MPI_Datatype u, int root, MPI_Comm c) \
	{                                                                                                             \
		return MPICH(name, place(in), n, below(t), place(out), m, below(u), root, below(c));                  \
	}                                                                                                             \
	int MPI_##starts(const void *in, int n, MPI_Datatype t, void *out, int m, MPI_Datatype u, int root, MPI_Comm c, MPI_Request *r) \
	{                                                                                                             \
		return MAKES(r, starts, place(in), n, below(t), place(out), m, below(u), root, below(c));             \
	}

#define VECTORS(name, starts)                                                                                         \
	int MPI_##name(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)                       \
	{                                                                                                             \
		return MPICH(name, place(in), out, n, below(t), below(op), below(c));                                 \
	}                                                                                                             \
	int MPI_##starts(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request *r)     \
	{                                                                                                             \
		return MAKES(r, starts, place(in), out, n, below(t), below(op), below(c));                            \
	}

BLOCKS(Allgather, Iallgather)
BLOCKS(Alltoall, Ialltoall)
ROOTED(Scatter, Iscatter)
ROOTED(Gather, Igather)
VECTORS(Allreduce, Iallreduce)
VECTORS(Reduce_scatter_block, Ireduce_scatter_block)
VECTORS(Scan, Iscan)
VECTORS(Exscan, Iexscan)

int MPI_Barrier(MPI_Comm c) { return MPICH(Barrier, below(c)); }
int MPI_Ibarrier(MPI_Comm c, MPI_Request *r) { return MAKES(r, Ibarrier, below(c)); }
int MPI_Bcast(void *buf, int n, MPI_Datatype t, int root, MPI_Comm c) { return MPICH(Bcast, buf, n, below(t), root, below(c)); }
int MPI_Ibcast(void *buf, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *r) { return MAKES(r, Ibcast, buf, n, below(t), root, below(c)); }

int MPI_Reduce(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c)
{
	return MPICH(Reduce, place(in), out, n, below(t), below(op), root, below(c));
}

int MPI_Ireduce(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c, MPI_Request *r)
{
	return MAKES(r, Ireduce, place(in), out, n, below(t), below(op), root, below(c));
}

/* Windows. MPI_WIN_MODEL and MPI_MODE_NOCHECK are the only values that are passed. */

int MPI_Win_allocate(MPI_Aint n, int unit, MPI_Info info, MPI_Comm c, void *base, MPI_Win *made)
{
	return MAKES(made, Win_allocate, n, unit, below(info), below(c), base);
}

int MPI_Win_get_attr(MPI_Win w, int key, void *value, int *found)
{
	static int model;
	int *theirs, e = MPICH(Win_get_attr, below(w), mpich_model, &theirs, found);

	(void)key;
	model = *found && *theirs == mpich_unified ? MPI_WIN_UNIFIED : 0;
	*(int **)value = &model;
	return e;
}

int MPI_Win_set_errhandler(MPI_Win w, MPI_Errhandler h) { return MPICH(Win_set_errhandler, below(w), below(h)); }
int MPI_Win_lock_all(int assert, MPI_Win w) { return MPICH(Win_lock_all, assert ? mpich_nocheck : 0, below(w)); }
int MPI_Win_unlock_all(MPI_Win w) { return MPICH(Win_unlock_all, below(w)); }
int MPI_Win_flush(int rank, MPI_Win w) { return MPICH(Win_flush, rank, below(w)); }
int MPI_Win_free(MPI_Win *w) { return CHANGES(w, Win_free); }

int MPI_Put(const void *from, int n, MPI_Datatype t, int rank, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w)
{
	return MPICH(Put, from, n, below(t), rank, at, m, below(u), below(w));
}

int MPI_Get(void *to, int n, MPI_Datatype t, int rank, MPI_Aint at, int m, MPI_Datatype u, MPI_Win w)
{
	return MPICH(Get, to, n, below(t), rank, at, m, below(u), below(w));
}

