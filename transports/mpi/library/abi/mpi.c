/*
 * The device over MPI, in terms that do not depend on the ABI of the library. scripts/mpi.sh
 * compiles it once for each ABI, without a library: the program opens the library first.
 *
 * Contexts are communicators, because tags use all bits that MPI gives them and wildcards of tags
 * must not match across contexts. They are duplicates of MPI_COMM_WORLD, made once.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

MPI_Comm gb_comms[GB_CONTEXTS], gb_control;
struct gb_status *gb_message;
static int ranks;

long long *gb_sent, *gb_received;

static const char *version(void)
{
	static char text[MPI_MAX_LIBRARY_VERSION_STRING];
	int n;
	if (MPI_Get_library_version(text, &n) != MPI_SUCCESS)
		return "";
	return text;
}

static void explain(int error, char *text, int room)
{
	char all[MPI_MAX_ERROR_STRING + 1] = "";
	int n = 0;
	MPI_Error_string(error, all, &n);
	strncpy(text, all, room - 1);
	text[room - 1] = 0;
}

/* finished waits for a collective operation whose start returned e. Blocking functions do not yield the
 * processor, so that with ranks that share processors each of the hundreds of operations at the start would
 * take a time slice. */
static int finished(int e, MPI_Request *q)
{
	for (int done = 0; !e && !(e = MPI_Test(q, &done, MPI_STATUS_IGNORE)) && !done;)
		sched_yield();
	return e;
}

static int duplicate(MPI_Comm *made)
{
	MPI_Request q;
	int e = MPI_Comm_idup(MPI_COMM_WORLD, made, &q);

	return finished(e, &q);
}

static int start(struct gb_facts *f, struct gb_status *s)
{
	struct sigaction before[NSIG];
	MPI_Comm near;
	void *most;
	int found, major, minor, e;

	gb_message = s;
	/* Libraries replace handlers of Go, and theirs run on stacks that are too small for them. */
	for (int i = 1; i < NSIG; i++)
		sigaction(i, NULL, &before[i]);
	if ((e = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &f->thread)))
		return e;
	for (int i = 1; i < NSIG; i++)
		if (i != SIGKILL && i != SIGSTOP)
			sigaction(i, &before[i], NULL);
	switch (f->thread) {
	case MPI_THREAD_SINGLE: f->thread = 0; break;
	case MPI_THREAD_FUNNELED: f->thread = 1; break;
	case MPI_THREAD_SERIALIZED: f->thread = 2; break;
	default: f->thread = 3;
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if ((e = MPI_Comm_rank(MPI_COMM_WORLD, &f->rank)) || (e = MPI_Comm_size(MPI_COMM_WORLD, &f->size)) ||
	    (e = MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found)) || (e = MPI_Get_version(&major, &minor)))
		return e;
	ranks = f->size;
	f->tag_max = found ? *(int *)most : 32767;
	f->standard = 100 * major + minor;
	if ((e = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near)) ||
	    (e = MPI_Comm_size(near, &f->local_size)) || (e = MPI_Comm_free(&near)))
		return e;
	if ((e = duplicate(&gb_control)))
		return e;
	for (int i = 0; i < GB_CONTEXTS; i++)
		if ((e = duplicate(&gb_comms[i])))
			return e;
	gb_sent = calloc(ranks, sizeof *gb_sent);
	gb_received = calloc(ranks, sizeof *gb_received);
	return gb_sent && gb_received ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static MPI_Request gathering;

static int gather(const void *mine, void *all, long long n)
{
	return MPI_Iallgather(mine, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE, gb_control, &gathering);
}

static int gathered(int *done)
{
	return MPI_Test(&gathering, done, MPI_STATUS_IGNORE);
}

static int finish(void)
{
	return MPI_Finalize();
}

/* discard receives and drops one message, if there is one. */
static int discard(MPI_Comm comm, int *found)
{
	MPI_Message m;
	MPI_Status s;
	MPI_Count n;
	MPI_Datatype type;
	int count, made, e;

	if ((e = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, found, &m, &s)) || !*found)
		return e;
	if ((e = MPI_Get_elements_x(&s, MPI_BYTE, &n)) || (e = gb_describe(n, &type, &count, &made)))
		return e;
	void *waste = malloc(n ? n : 1);
	if (!waste)
		return MPI_ERR_NO_MEM;
	e = MPI_Mrecv(waste, count, type, &m, &s);
	if (made)
		MPI_Type_free(&type);
	free(waste);
	gb_received[s.MPI_SOURCE]++;
	return e;
}

static int settle(void)
{
	long long *want = malloc(ranks * sizeof *want);
	MPI_Request q;
	int e, found;

	if (!want)
		return MPI_ERR_NO_MEM;
	e = MPI_Ialltoall(gb_sent, 1, MPI_LONG_LONG, want, 1, MPI_LONG_LONG, gb_control, &q);
	e = finished(e, &q);
	for (int r = 0; !e && r < ranks; r++) {
		while (!e && gb_received[r] < want[r]) {
			for (int c = 0; !e && c < GB_CONTEXTS; c++)
				e = discard(gb_comms[c], &found);
		}
	}
	free(want);
	memset(gb_sent, 0, ranks * sizeof *gb_sent);
	memset(gb_received, 0, ranks * sizeof *gb_received);
	if (!e) {
		e = MPI_Ibarrier(gb_control, &q);
		e = finished(e, &q);
	}
	return e;
}

static void *alloc(long long n)
{
	void *memory;
	return MPI_Alloc_mem((MPI_Aint)n, MPI_INFO_NULL, &memory) == MPI_SUCCESS ? memory : NULL;
}

static void release(void *memory)
{
	MPI_Free_mem(memory);
}

__attribute__((visibility("default"))) const struct gb_table *gb_mpi(void)
{
	static const struct gb_table table = {
		.version = version, .start = start, .explain = explain, .gather = gather, .gathered = gathered,
		.settle = settle, .finish = finish,
		.send = gb_send, .receive = gb_receive, .begin_send = gb_begin_send, .begin_receive = gb_begin_receive,
		.begin_all = gb_begin_all, .test = gb_test, .test_all = gb_test_all, .any = gb_any, .probe = gb_probe, .cancel = gb_cancel, .outstanding = gb_outstanding,
		.pingpong = gb_pingpong, .group = gb_group, .ungroup = gb_ungroup, .collect = gb_collect,
		.allocate = gb_allocate, .deallocate = gb_deallocate, .unlock = gb_unlock, .put = gb_put, .get = gb_get, .flush = gb_flush,
		.alloc = alloc, .release = release,
	};
	return &table;
}
