/*
 * The device over MPI, in terms that do not depend on the ABI of the library. scripts/mpi.sh
 * compiles it once for each ABI, without a library: the program opens the library first.
 *
 * Contexts are communicators, because tags use all bits that MPI gives them and wildcards of tags
 * must not match across contexts. They are duplicates of MPI_COMM_WORLD, made once.
 */
#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "table.h"

static MPI_Comm comms[GB_CONTEXTS], control;
static struct gb_status *status;
static int ranks;

/* What was sent to each rank and received from it, so that settle knows what is left. */
static long long *sent, *received;

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

static int start(struct gb_facts *f, struct gb_status *s)
{
	struct sigaction before[NSIG];
	MPI_Comm near;
	void *most;
	int found, major, minor, e;

	status = s;
	/* Libraries handle signals that Go handles itself, and on stacks that are too small for that. */
	for (int i = 1; i < NSIG; i++)
		sigaction(i, NULL, &before[i]);
	if ((e = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &f->thread)))
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
	f->tag_most = found ? *(int *)most : 32767;
	f->standard = 100 * major + minor;
	if ((e = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near)) ||
	    (e = MPI_Comm_size(near, &f->local_size)) || (e = MPI_Comm_free(&near)))
		return e;
	if ((e = MPI_Comm_dup(MPI_COMM_WORLD, &control)))
		return e;
	for (int i = 0; i < GB_CONTEXTS; i++)
		if ((e = MPI_Comm_dup(MPI_COMM_WORLD, &comms[i])))
			return e;
	sent = calloc(ranks, sizeof *sent);
	received = calloc(ranks, sizeof *received);
	return sent && received ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static MPI_Request gathering;

static int gather(const void *mine, void *all, long long n)
{
	return MPI_Iallgather(mine, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE, control, &gathering);
}

static int gathered(int *done)
{
	return MPI_Test(&gathering, done, MPI_STATUS_IGNORE);
}

static int finish(void)
{
	return MPI_Finalize();
}

static void stop(int code)
{
	MPI_Abort(MPI_COMM_WORLD, code);
}

static int source_of(int src)
{
	return src == GB_ANY ? MPI_ANY_SOURCE : src;
}

static int tag_of(int tag)
{
	return tag == GB_ANY ? MPI_ANY_TAG : tag;
}

/* describe has a datatype of n bytes, of which one element is sent; made says that it must be freed. */
static int describe(long long n, MPI_Datatype *type, int *count, int *made)
{
	enum { block = 1 << 20 };
	MPI_Datatype blocks;
	int e, counts[2];
	MPI_Aint at[2];
	MPI_Datatype types[2];

	*made = n > INT_MAX;
	*type = MPI_BYTE;
	*count = (int)n;
	if (!*made)
		return MPI_SUCCESS;
	if ((e = MPI_Type_contiguous(block, MPI_BYTE, &blocks)))
		return e;
	counts[0] = (int)(n / block), counts[1] = (int)(n % block);
	at[0] = 0, at[1] = (MPI_Aint)(n / block * block);
	types[0] = blocks, types[1] = MPI_BYTE;
	*count = 1;
	if (!(e = MPI_Type_create_struct(2, counts, at, types, type)))
		e = MPI_Type_commit(type);
	MPI_Type_free(&blocks);
	return e;
}

/* passed passes a status on. A truncated message is no error of the call. */
static int passed(int e, MPI_Status *s)
{
	int class = MPI_SUCCESS;
	MPI_Count n = 0;

	if (e != MPI_SUCCESS) {
		MPI_Error_class(e, &class);
		if (class == MPI_ERR_IN_STATUS)
			MPI_Error_class(e = s->MPI_ERROR, &class);
	}
	status->truncated = class == MPI_ERR_TRUNCATE;
	status->error = e;
	if (e != MPI_SUCCESS && !status->truncated)
		return e;
	status->error = MPI_SUCCESS;
	status->source = s->MPI_SOURCE;
	status->tag = s->MPI_TAG;
	MPI_Get_elements_x(s, MPI_BYTE, &n);
	status->size = n;
	return MPI_SUCCESS;
}

static int send(enum gb_mode mode, const void *buf, long long n, int dst, int tag, int context)
{
	MPI_Datatype type;
	int count, made, e = describe(n, &type, &count, &made);

	if (e)
		return e;
	e = mode == GB_SYNCHRONOUS ? MPI_Ssend(buf, count, type, dst, tag, comms[context])
				   : MPI_Send(buf, count, type, dst, tag, comms[context]);
	if (made)
		MPI_Type_free(&type);
	sent[dst]++;
	return e;
}

static int receive(void *buf, long long n, int src, int tag, int context)
{
	MPI_Datatype type;
	MPI_Status s;
	int count, made, e = describe(n, &type, &count, &made);

	if (e)
		return e;
	e = passed(MPI_Recv(buf, count, type, source_of(src), tag_of(tag), comms[context], &s), &s);
	if (made)
		MPI_Type_free(&type);
	if (!e)
		received[status->source]++;
	return e;
}

/*
 * Requests. The active ones are dense, as MPI_Testany wants them. at is the place of a slot among
 * them, -1 once it is complete.
 */
struct slot {
	int at, next; /* next: the next free or complete slot */
	int dst;      /* -1: a receive */
	MPI_Status s;
	int e;
};

static struct slot *slots;
static MPI_Request *active;
static int *owner;
static int room, busy, idle = -1, done_first = -1, done_last = -1, taken;

static int more(void)
{
	int n = room ? 2 * room : 64;
	struct slot *a = realloc(slots, n * sizeof *slots);
	if (a)
		slots = a;
	MPI_Request *b = realloc(active, n * sizeof *active);
	if (b)
		active = b;
	int *c = realloc(owner, n * sizeof *owner);
	if (c)
		owner = c;
	if (!a || !b || !c)
		return MPI_ERR_NO_MEM;
	for (int i = n - 1; i >= room; i--)
		slots[i].next = idle, idle = i;
	room = n;
	return MPI_SUCCESS;
}

static int take(int dst)
{
	int i = idle;
	idle = slots[i].next;
	slots[i] = (struct slot){.at = busy, .next = -1, .dst = dst};
	owner[busy++] = i;
	taken++;
	return i;
}

static void drop(int i)
{
	slots[i].next = idle;
	idle = i;
	taken--;
}

/* completed moves a request from the active ones to the complete ones. */
static void completed(int i, int e, const MPI_Status *s)
{
	struct slot *r = &slots[i];
	r->s = *s;
	r->e = e;
	busy--;
	active[r->at] = active[busy];
	owner[r->at] = owner[busy];
	slots[owner[r->at]].at = r->at;
	r->at = -1;
	r->next = -1;
}

static void queue(int i)
{
	if (done_last >= 0)
		slots[done_last].next = i;
	else
		done_first = i;
	done_last = i;
}

static void unqueue(int i)
{
	int before = -1;
	for (int j = done_first; j != i; j = slots[j].next)
		before = j;
	if (before >= 0)
		slots[before].next = slots[i].next;
	else
		done_first = slots[i].next;
	if (done_last == i)
		done_last = before;
}

/* result passes the outcome of a complete request on and frees its slot. */
static int result(int i)
{
	struct slot *r = &slots[i];
	int dst = r->dst, e = passed(r->e, &r->s);

	status->cancelled = 0;
	if (!e)
		MPI_Test_cancelled(&r->s, &status->cancelled);
	if (!e && !status->cancelled && dst < 0)
		received[status->source]++;
	if (!e && status->cancelled && dst >= 0)
		sent[dst]--;
	drop(i);
	return e;
}

static int begin_send(enum gb_mode mode, const void *buf, long long n, int dst, int tag, int context, int *slot)
{
	MPI_Datatype type;
	int count, made, e;

	if ((idle < 0 && (e = more())) || (e = describe(n, &type, &count, &made)))
		return e;
	e = mode == GB_SYNCHRONOUS ? MPI_Issend(buf, count, type, dst, tag, comms[context], &active[busy])
				   : MPI_Isend(buf, count, type, dst, tag, comms[context], &active[busy]);
	if (made)
		MPI_Type_free(&type);
	if (e)
		return e;
	sent[dst]++;
	*slot = take(dst);
	return MPI_SUCCESS;
}

static int begin_receive(void *buf, long long n, int src, int tag, int context, int *slot)
{
	MPI_Datatype type;
	int count, made, e;

	if ((idle < 0 && (e = more())) || (e = describe(n, &type, &count, &made)))
		return e;
	e = MPI_Irecv(buf, count, type, source_of(src), tag_of(tag), comms[context], &active[busy]);
	if (made)
		MPI_Type_free(&type);
	if (e)
		return e;
	*slot = take(-1);
	return MPI_SUCCESS;
}

static int test(int slot, int polls, int *done)
{
	MPI_Status s;
	int e;

	*done = 1;
	if (slots[slot].at < 0) {
		unqueue(slot);
		return result(slot);
	}
	MPI_Request *q = &active[slots[slot].at];
	if (polls < 0) {
		e = MPI_Wait(q, &s);
	} else {
		do
			e = MPI_Test(q, done, &s);
		while (!e && !*done && --polls > 0);
		if (!e && !*done)
			return MPI_SUCCESS;
		*done = 1;
	}
	completed(slot, e, &s);
	return result(slot);
}

static int any(int polls, int *slot)
{
	MPI_Status s;
	int at, found, e;

	*slot = done_first;
	while (*slot < 0) {
		e = MPI_Testany(busy, active, &at, &found, &s);
		if (found && at != MPI_UNDEFINED) {
			*slot = owner[at];
			completed(*slot, e, &s);
			queue(*slot);
		} else if (e) {
			return e;
		} else if (--polls <= 0) {
			break;
		}
	}
	return MPI_SUCCESS;
}

static int probe(int src, int tag, int context, int polls, int *found)
{
	MPI_Status s;
	int e;

	if (polls < 0) {
		*found = 1;
		return passed(MPI_Probe(source_of(src), tag_of(tag), comms[context], &s), &s);
	}
	do
		e = MPI_Iprobe(source_of(src), tag_of(tag), comms[context], found, &s);
	while (!e && !*found && --polls > 0);
	if (e || !*found)
		return e;
	return passed(e, &s);
}

static int cancel(int slot)
{
	if (slots[slot].at < 0)
		return MPI_SUCCESS;
	return MPI_Cancel(&active[slots[slot].at]);
}

static int outstanding(void)
{
	return taken;
}

/* discard receives one message that nobody wants. */
static int discard(MPI_Comm comm, int *found)
{
	MPI_Message m;
	MPI_Status s;
	MPI_Count n;
	MPI_Datatype type;
	int count, made, e;

	if ((e = MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, found, &m, &s)) || !*found)
		return e;
	if ((e = MPI_Get_elements_x(&s, MPI_BYTE, &n)) || (e = describe(n, &type, &count, &made)))
		return e;
	void *waste = malloc(n ? n : 1);
	if (!waste)
		return MPI_ERR_NO_MEM;
	e = MPI_Mrecv(waste, count, type, &m, &s);
	if (made)
		MPI_Type_free(&type);
	free(waste);
	received[s.MPI_SOURCE]++;
	return e;
}

static int settle(void)
{
	long long *want = malloc(ranks * sizeof *want);
	int e, found;

	if (!want)
		return MPI_ERR_NO_MEM;
	e = MPI_Alltoall(sent, 1, MPI_LONG_LONG, want, 1, MPI_LONG_LONG, control);
	for (int r = 0; !e && r < ranks; r++) {
		while (!e && received[r] < want[r]) {
			for (int c = 0; !e && c < GB_CONTEXTS; c++)
				e = discard(comms[c], &found);
		}
	}
	free(want);
	memset(sent, 0, ranks * sizeof *sent);
	memset(received, 0, ranks * sizeof *received);
	if (!e)
		e = MPI_Barrier(control);
	return e;
}

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1000000000LL * t.tv_sec + t.tv_nsec;
}

static int pingpong(const void *out, void *in, long long n, int peer, long long rounds, int first, struct gb_stamps *t)
{
	MPI_Datatype type;
	MPI_Comm comm = comms[0];
	int count, made, e = describe(n, &type, &count, &made);

	for (long long i = 0; !e && i < rounds; i++) {
		if (first)
			e = MPI_Send(out, count, type, peer, 0, comm);
		if (!e)
			e = MPI_Recv(in, count, type, peer, 0, comm, MPI_STATUS_IGNORE);
		if (!e && !first)
			e = MPI_Send(out, count, type, peer, 0, comm);
		if (t->made < t->most && --t->left == 0) {
			t->at[t->made++] = now();
			t->left = t->every;
		}
	}
	if (made)
		MPI_Type_free(&type);
	sent[peer] += rounds;
	received[peer] += rounds;
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
		.settle = settle, .finish = finish, .abort = stop,
		.send = send, .receive = receive, .begin_send = begin_send, .begin_receive = begin_receive,
		.test = test, .any = any, .probe = probe, .cancel = cancel, .outstanding = outstanding,
		.pingpong = pingpong, .alloc = alloc, .release = release,
	};
	return &table;
}
