/*
 * Messages: sends, receives, requests and probes.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "state.h"

static int source_of(int src)
{
	return src == GB_ANY ? MPI_ANY_SOURCE : src;
}

static int tag_of(int tag)
{
	return tag == GB_ANY ? MPI_ANY_TAG : tag;
}

int gb_describe(long long n, MPI_Datatype *type, int *count, int *made)
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

static int class_of(int e)
{
	int class = MPI_SUCCESS;
	if (e != MPI_SUCCESS)
		MPI_Error_class(e, &class);
	return class;
}

/* passed stores the status of a message. A truncated message is not an error of the call. */
static int passed(int e, const MPI_Status *s, struct gb_status *to)
{
	int class = class_of(e), few;
	MPI_Count n;

	if (class == MPI_ERR_IN_STATUS)
		class = class_of(e = s->MPI_ERROR);
	to->truncated = class == MPI_ERR_TRUNCATE;
	if (e != MPI_SUCCESS && !to->truncated)
		return e;
	to->source = s->MPI_SOURCE;
	to->tag = s->MPI_TAG;
	/* MPI_Get_count is cheaper, but cannot return the length of a message of more than INT_MAX bytes. */
	if (MPI_Get_count(s, MPI_BYTE, &few) == MPI_SUCCESS && few != MPI_UNDEFINED)
		to->size = few;
	else if (MPI_Get_elements_x(s, MPI_BYTE, &n) == MPI_SUCCESS)
		to->size = n;
	else
		to->size = 0;
	return MPI_SUCCESS;
}

int gb_send(enum gb_mode mode, const void *buf, long long n, int dst, int tag, int context)
{
	MPI_Datatype type;
	int count, made, e = gb_describe(n, &type, &count, &made);

	if (e)
		return e;
	e = mode == GB_SYNCHRONOUS ? MPI_Ssend(buf, count, type, dst, tag, gb_comms[context])
				   : MPI_Send(buf, count, type, dst, tag, gb_comms[context]);
	if (made)
		MPI_Type_free(&type);
	gb_sent[dst]++;
	return e;
}

int gb_receive(void *buf, long long n, int src, int tag, int context)
{
	MPI_Datatype type;
	MPI_Status s;
	int count, made, e = gb_describe(n, &type, &count, &made);

	if (e)
		return e;
	e = passed(MPI_Recv(buf, count, type, source_of(src), tag_of(tag), gb_comms[context], &s), &s, gb_message);
	if (made)
		MPI_Type_free(&type);
	if (!e)
		gb_received[gb_message->source]++;
	return e;
}

/*
 * Requests. The active ones are dense, as MPI_Testany wants them. at is the place of a slot among
 * them, -1 once it is complete.
 */
enum { receives = -1, collects = -2 };

struct slot {
	int at, next; /* next: the next free or complete slot */
	int dst;      /* rank of the receiver, or one of the above */
	int recalled; /* MPI_Cancel was called */
	MPI_Status s;
	int e;
};

static struct slot *slots;
static MPI_Request *active;
static int *owner;
static MPI_Request *waited; /* of gb_test_all, as many as slots */
static MPI_Status *outcomes;
static int room, busy, idle = -1, done_first = -1, done_last = -1, taken;

/* grow makes what the pointer at list points to longer, unless there is no memory. */
static int grow(void *list, size_t bytes)
{
	void *p;
	memcpy(&p, list, sizeof p);
	if (!(p = realloc(p, bytes)))
		return 0;
	memcpy(list, &p, sizeof p);
	return 1;
}

static int more(void)
{
	int n = room ? 2 * room : 64;
	if (!grow(&slots, n * sizeof *slots) || !grow(&active, n * sizeof *active) || !grow(&owner, n * sizeof *owner) ||
	    !grow(&waited, n * sizeof *waited) || !grow(&outcomes, n * sizeof *outcomes))
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
	for (int j = done_first; j != i; j = slots[j].next) {
		if (j < 0)
			return; /* gb_test_all has completed it */
		before = j;
	}
	if (before >= 0)
		slots[before].next = slots[i].next;
	else
		done_first = slots[i].next;
	if (done_last == i)
		done_last = before;
}

/*
 * result stores the outcome of a complete request and frees its slot. The status of a send says no
 * more than whether it was cancelled. Calls of MPI that look into one cost as much as the send.
 */
static int result(int i, struct gb_status *to)
{
	struct slot *r = &slots[i];
	int dst = r->dst, e;

	to->cancelled = to->truncated = 0;
	if (dst == receives) {
		e = passed(r->e, &r->s, to);
	} else {
		e = class_of(r->e) == MPI_ERR_IN_STATUS ? r->s.MPI_ERROR : r->e;
		to->source = to->tag = 0;
		to->size = 0;
	}
	if (!e && r->recalled)
		MPI_Test_cancelled(&r->s, &to->cancelled);
	if (!e && !to->cancelled && dst == receives)
		gb_received[to->source]++;
	if (!e && to->cancelled && dst >= 0)
		gb_sent[dst]--;
	drop(i);
	return e;
}

MPI_Request *gb_reserve(void)
{
	return idle < 0 && more() ? NULL : &active[busy];
}

int gb_reserved(void)
{
	return take(collects);
}

int gb_begin_send(enum gb_mode mode, const void *buf, long long n, int dst, int tag, int context, int *slot)
{
	MPI_Datatype type;
	int count, made, e;

	if ((idle < 0 && (e = more())) || (e = gb_describe(n, &type, &count, &made)))
		return e;
	e = mode == GB_SYNCHRONOUS ? MPI_Issend(buf, count, type, dst, tag, gb_comms[context], &active[busy])
				   : MPI_Isend(buf, count, type, dst, tag, gb_comms[context], &active[busy]);
	if (made)
		MPI_Type_free(&type);
	if (e)
		return e;
	gb_sent[dst]++;
	*slot = take(dst);
	return MPI_SUCCESS;
}

int gb_begin_receive(void *buf, long long n, int src, int tag, int context, int *slot)
{
	MPI_Datatype type;
	int count, made, e;

	if ((idle < 0 && (e = more())) || (e = gb_describe(n, &type, &count, &made)))
		return e;
	e = MPI_Irecv(buf, count, type, source_of(src), tag_of(tag), gb_comms[context], &active[busy]);
	if (made)
		MPI_Type_free(&type);
	if (e)
		return e;
	*slot = take(receives);
	return MPI_SUCCESS;
}

int gb_begin_all(const struct gb_transfer *transfers, int n, int *numbers, int *begun)
{
	int e = MPI_SUCCESS;

	for (*begun = 0; *begun < n; ++*begun) {
		const struct gb_transfer *t = &transfers[*begun];
		e = t->receives ? gb_begin_receive(t->buf, t->bytes, t->peer, t->tag, t->context, &numbers[*begun])
				: gb_begin_send(GB_STANDARD, t->buf, t->bytes, t->peer, t->tag, t->context, &numbers[*begun]);
		if (e)
			break;
	}
	return e;
}

int gb_test(int slot, int polls, int *done)
{
	MPI_Status s;
	int e;

	*done = 1;
	if (slots[slot].at < 0) {
		unqueue(slot);
		return result(slot, gb_message);
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
	return result(slot, gb_message);
}

int gb_test_all(const int *numbers, int n, int polls, struct gb_status *statuses)
{
	for (int pending = 1; pending;) {
		int some = 0, left = 0, done = 1, tests = polls, e;

		for (int i = 0; i < n; i++)
			if (numbers[i] >= 0 && slots[numbers[i]].at >= 0)
				waited[some++] = active[slots[numbers[i]].at];
		if (polls < 0) {
			e = MPI_Waitall(some, waited, outcomes);
		} else {
			do
				e = MPI_Testall(some, waited, &done, outcomes);
			while (!e && !done && --tests > 0);
			if (!e && !done)
				return 0;
		}
		/* After an error some requests may go on. */
		pending = class_of(e) == MPI_ERR_IN_STATUS;
		for (int i = 0, k = 0; k < some; i++) {
			if (numbers[i] < 0 || slots[numbers[i]].at < 0)
				continue;
			if (pending && class_of(outcomes[k].MPI_ERROR) == MPI_ERR_PENDING)
				active[slots[numbers[i]].at] = waited[k], left++;
			else
				completed(numbers[i], e, &outcomes[k]);
			k++;
		}
		pending = left > 0;
	}
	for (int i = 0; i < n; i++) {
		if (numbers[i] < 0)
			continue;
		unqueue(numbers[i]);
		statuses[i].error = result(numbers[i], &statuses[i]);
	}
	return 1;
}

int gb_any(int polls, int *slot)
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

int gb_probe(int src, int tag, int context, int polls, int *found)
{
	MPI_Status s;
	int e;

	if (polls < 0) {
		*found = 1;
		return passed(MPI_Probe(source_of(src), tag_of(tag), gb_comms[context], &s), &s, gb_message);
	}
	do
		e = MPI_Iprobe(source_of(src), tag_of(tag), gb_comms[context], found, &s);
	while (!e && !*found && --polls > 0);
	if (e || !*found)
		return e;
	return passed(e, &s, gb_message);
}

int gb_cancel(int slot)
{
	if (slots[slot].at < 0)
		return MPI_SUCCESS;
	slots[slot].recalled = 1;
	return MPI_Cancel(&active[slots[slot].at]);
}

int gb_outstanding(void)
{
	return taken;
}

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1000000000LL * t.tv_sec + t.tv_nsec;
}

int gb_pingpong(const void *out, void *in, long long n, int peer, long long rounds, int first, struct gb_stamps *t)
{
	MPI_Datatype type;
	MPI_Comm comm = gb_comms[0];
	int count, made, e = gb_describe(n, &type, &count, &made);

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
	gb_sent[peer] += rounds;
	gb_received[peer] += rounds;
	return e;
}
