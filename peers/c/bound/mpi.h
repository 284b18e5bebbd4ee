/*
 * A lower bound of collective operations of two ranks of one host, in plain C: copies, shared lines and
 * system calls, without matching, tags, types or errors of peers. It implements the part of MPI's interface
 * that mpi_coll.c uses, so that mpi_coll.c measures the bound of each data path like a library. It forks its
 * ranks and needs no mpirun. BOUND names the data path:
 *   ring    each rank copies to a ring that the other maps, and that copies out
 *   stream  the same, with stores past the caches
 *   kernel  long data are copied once, by process_vm_readv; short ones as in ring
 *   tcp     one connection of polled sockets over the loopback interface
 */
#ifndef PEERS_BOUND_MPI_H
#define PEERS_BOUND_MPI_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "twins.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { MPI_BYTE, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, MPI_ANY_SOURCE, MPI_ANY_TAG };
#define MPI_STATUS_IGNORE NULL

/* The ring of a rank is as long as two second-level caches. Consecutive messages are GAP bytes apart. */
enum { NOTES = 64, INLINE = 48, RING = 2 << 20, PART = 128 << 10, GAP = 1 << 10 };
/* The least sizes for stores past the caches, copies by the kernel, and additions in halves. */
enum { STREAM = 1 << 10, KERNEL = 16 << 10, HALVES = 16 << 10 };

struct bound_note {
	alignas(64) _Atomic uint64_t step; /* from 1 */
	uintptr_t where;                   /* offset in the ring, or an address */
	unsigned char data[INLINE];
};

/* What one rank writes and the other reads. */
struct bound_side {
	alignas(128) _Atomic uint64_t taken; /* steps of the other rank that this one has read */
	pid_t pid;
	alignas(128) struct bound_note notes[NOTES];
	alignas(4096) unsigned char ring[RING];
};

static struct {
	int rank, streams, kernel, connection;
	struct bound_side *mine, *other;
	uint64_t posted, taken;
	uint64_t marks[4]; /* steps posted when each quarter of the ring was left */
	size_t at;
} bound = {.connection = -1};

static inline void bound_fail(const char *what)
{
	perror(what);
	_exit(1);
}

static inline void bound_await(_Atomic uint64_t *word, uint64_t least)
{
	while (atomic_load_explicit(word, memory_order_acquire) < least)
		;
}

/* Returns the offset of n free bytes in the ring. Waits until the other rank has read the old data of that quarter. */
static inline size_t bound_room(size_t n)
{
	size_t quarter = RING / 4, at = bound.at;
	if (at % quarter + n > quarter)
		at = (at / quarter + 1) * quarter % RING;
	if (at % quarter == 0) {
		bound.marks[(at / quarter + 3) % 4] = bound.posted;
		bound_await(&bound.other->taken, bound.marks[at / quarter]);
	}
	bound.at = (at + n + (bound.streams ? 0 : GAP) + 127) / 128 * 128;
	if (bound.at / quarter != at / quarter)
		bound.at = (at / quarter + 1) * quarter % RING;
	return at;
}

static inline void bound_copy_in(unsigned char *to, const unsigned char *from, size_t n)
{
	size_t i = 0;
#ifdef __SSE2__
	for (; bound.streams && n >= STREAM && i + 64 <= n; i += 64) {
		__m128i a = _mm_loadu_si128((const void *)(from + i)), b = _mm_loadu_si128((const void *)(from + i + 16));
		__m128i c = _mm_loadu_si128((const void *)(from + i + 32)), d = _mm_loadu_si128((const void *)(from + i + 48));
		_mm_stream_si128((void *)(to + i), a);
		_mm_stream_si128((void *)(to + i + 16), b);
		_mm_stream_si128((void *)(to + i + 32), c);
		_mm_stream_si128((void *)(to + i + 48), d);
	}
	if (i > 0)
		_mm_sfence();
#endif
	memcpy(to + i, from + i, n - i);
}

/* Makes n bytes visible to the other rank: a copy of at most PART bytes, or with stay the address. */
static inline void bound_post(const unsigned char *from, size_t n, int stay)
{
	struct bound_note *note = &bound.mine->notes[bound.posted % NOTES];
	if (bound.posted >= NOTES)
		bound_await(&bound.other->taken, bound.posted - NOTES + 1);
	if (stay) {
		note->where = (uintptr_t)from;
	} else if (n <= INLINE) {
		memcpy(note->data, from, n);
	} else {
		note->where = bound_room(n);
		bound_copy_in(bound.mine->ring + note->where, from, n);
	}
	atomic_store_explicit(&note->step, ++bound.posted, memory_order_release);
}

static inline void bound_add(float *to, const float *from, const float *more, size_t n)
{
	/* to may be from itself. */
#pragma omp simd
	for (size_t i = 0; i < n / sizeof *to; i++)
		to[i] = from[i] + more[i];
}

/* Copies the next n bytes of the other rank to to, added to the floats in more unless that is NULL. */
static inline void bound_take(unsigned char *to, size_t n, const unsigned char *more, int stay)
{
	struct bound_note *note = &bound.other->notes[bound.taken % NOTES];
	bound_await(&note->step, bound.taken + 1);
	const unsigned char *from = to; /* with stay */
	if (!stay) {
		from = n <= INLINE ? note->data : bound.other->ring + note->where;
	} else {
		for (size_t done = 0; done < n;) {
			struct iovec l = {to + done, n - done}, r = {(void *)(note->where + done), n - done};
			ssize_t k = process_vm_readv(bound.other->pid, &l, 1, &r, 1, 0);
			if (k <= 0)
				bound_fail("process_vm_readv");
			done += (size_t)k;
		}
	}
	if (more)
		bound_add((float *)to, (const float *)from, (const float *)more, n);
	else if (!stay)
		memcpy(to, from, n);
	atomic_store_explicit(&bound.mine->taken, ++bound.taken, memory_order_release);
}

/* Sends and receives over the connection at the same time; either may be empty. */
static inline void bound_sockets(const unsigned char *out, size_t sending, unsigned char *in, size_t receiving)
{
	while (sending > 0 || receiving > 0) {
		ssize_t n = sending > 0 ? send(bound.connection, out, sending, MSG_NOSIGNAL) : 0;
		if (n > 0)
			out += n, sending -= (size_t)n;
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			bound_fail("send");
		if (receiving == 0)
			continue;
		n = recv(bound.connection, in, receiving, 0);
		if (n > 0)
			in += n, receiving -= (size_t)n;
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			bound_fail("recv");
	}
}

/*
 * Sends sending bytes of out, and receives receiving bytes to in, which are added to the floats in more unless that
 * is NULL. In both directions the data of a part are taken after those of the next part are posted.
 */
static inline void bound_move(const void *out, size_t sending, void *in, size_t receiving, const void *more)
{
	static unsigned char *spare;
	static size_t room;
	unsigned char *to = in;
	if (bound.connection >= 0) {
		if (more && receiving > room) {
			free(spare);
			room = receiving;
			if (!(spare = malloc(room)))
				bound_fail("malloc");
		}
		/* A barrier is a message of a byte. */
		unsigned char none = 0;
		if (sending + receiving == 0)
			bound_sockets(&none, 1, &none, 1);
		bound_sockets(out, sending, more ? spare : to, receiving);
		if (more)
			bound_add(in, (const float *)spare, more, receiving);
		return;
	}
	int both = sending > 0 && receiving > 0, none = sending + receiving == 0;
	if (bound.kernel && sending + receiving >= KERNEL) {
		uint64_t wanted = bound.posted + 1;
		if (sending > 0)
			bound_post(out, sending, 1);
		if (receiving > 0)
			bound_take(to, receiving, more, 1);
		if (sending > 0)
			bound_await(&bound.other->taken, wanted);
		return;
	}
	size_t posted = 0, taken = 0;
	do {
		size_t n = sending - posted < PART ? sending - posted : PART;
		if (n > 0 || none)
			bound_post((const unsigned char *)out + posted, n, 0);
		posted += n;
		if (both && posted < sending && posted == n)
			continue; /* the first part */
		do {
			n = receiving - taken < PART ? receiving - taken : PART;
			if (n > 0 || none)
				bound_take(to + taken, n, more ? (const unsigned char *)more + taken : NULL, 0);
			taken += n;
		} while (posted == sending && taken < receiving);
	} while (posted < sending || taken < receiving);
}

static inline size_t bound_bytes(int count, int type) { return (size_t)count * (type == MPI_FLOAT ? sizeof(float) : 1); }

static inline void MPI_Barrier(int world)
{
	static unsigned char nothing;
	(void)world;
	bound_move(&nothing, 0, &nothing, 0, NULL);
}

static inline void MPI_Bcast(void *data, int count, int type, int root, int world)
{
	(void)world;
	size_t n = bound_bytes(count, type);
	if (n > 0)
		bound_move(data, bound.rank == root ? n : 0, data, bound.rank == root ? 0 : n, NULL);
}

static inline void MPI_Scatter(const void *in, int count, int type, void *out, int takes, int taken_type, int root, int world)
{
	(void)takes, (void)taken_type, (void)world;
	size_t n = bound_bytes(count, type);
	if (n > 0 && bound.rank == root) {
		bound_move((const char *)in + (size_t)(1 - root) * n, n, NULL, 0, NULL);
		memcpy(out, (const char *)in + (size_t)root * n, n);
	} else if (n > 0) {
		bound_move(NULL, 0, out, n, NULL);
	}
}

static inline void MPI_Gather(const void *in, int count, int type, void *out, int takes, int taken_type, int root, int world)
{
	(void)takes, (void)taken_type, (void)world;
	size_t n = bound_bytes(count, type);
	if (n > 0 && bound.rank == root) {
		bound_move(NULL, 0, (char *)out + (size_t)(1 - root) * n, n, NULL);
		memcpy((char *)out + (size_t)root * n, in, n);
	} else if (n > 0) {
		bound_move(in, n, NULL, 0, NULL);
	}
}

static inline void MPI_Allgather(const void *in, int count, int type, void *out, int takes, int taken_type, int world)
{
	(void)takes, (void)taken_type, (void)world;
	size_t n = bound_bytes(count, type);
	if (n == 0)
		return;
	bound_move(in, n, (char *)out + (size_t)(1 - bound.rank) * n, n, NULL);
	memcpy((char *)out + (size_t)bound.rank * n, in, n);
}

static inline void MPI_Alltoall(const void *in, int count, int type, void *out, int takes, int taken_type, int world)
{
	(void)takes, (void)taken_type, (void)world;
	size_t n = bound_bytes(count, type), own = (size_t)bound.rank * n, theirs = (size_t)(1 - bound.rank) * n;
	if (n == 0)
		return;
	bound_move((const char *)in + theirs, n, (char *)out + theirs, n, NULL);
	memcpy((char *)out + own, (const char *)in + own, n);
}

static inline void MPI_Reduce(const void *in, void *out, int count, int type, int sum, int root, int world)
{
	(void)sum, (void)world;
	size_t n = bound_bytes(count, type);
	if (n > 0)
		bound_move(in, bound.rank == root ? 0 : n, out, bound.rank == root ? n : 0, bound.rank == root ? in : NULL);
}

static inline void MPI_Reduce_scatter(const void *in, void *out, const int *counts, int type, int sum, int world)
{
	(void)sum, (void)world;
	size_t first = bound_bytes(counts[0], type), second = bound_bytes(counts[1], type);
	const char *low = in, *high = low + first;
	if (bound.rank == 0)
		bound_move(high, second, out, first, low);
	else
		bound_move(low, first, out, second, high);
}

/* Each rank adds all of a short vector, and half of a long one. */
static inline void MPI_Allreduce(const void *in, void *out, int count, int type, int sum, int world)
{
	size_t n = bound_bytes(count, type);
	if (n == 0)
		return;
	if (n < HALVES) {
		bound_move(in, n, out, n, in);
		return;
	}
	int counts[2] = {count / 2, count - count / 2};
	size_t at[2] = {0, bound_bytes(counts[0], type)};
	int mine = bound.rank, other = 1 - mine;
	MPI_Reduce_scatter(in, (char *)out + at[mine], counts, type, sum, world);
	bound_move((char *)out + at[mine], bound_bytes(counts[mine], type), (char *)out + at[other],
		   bound_bytes(counts[other], type), NULL);
}

static inline void MPI_Iprobe(int source, int tag, int world, int *found, void *status)
{
	(void)source, (void)tag, (void)world, (void)status;
	*found = 0;
}

/* Port 0 lets the system choose; both twins know the listener. */
static inline void bound_connect(int listener)
{
	struct sockaddr_in address;
	socklen_t length = sizeof address;
	if (bound.rank == 0) {
		bound.connection = accept(listener, NULL, NULL);
	} else {
		bound.connection = socket(AF_INET, SOCK_STREAM, 0);
		if (getsockname(listener, (struct sockaddr *)&address, &length) != 0 ||
		    connect(bound.connection, (struct sockaddr *)&address, length) != 0)
			bound_fail("connect");
	}
	close(listener);
	int yes = 1;
	/* As gobench does on one host. A kernel without reno keeps its default. */
	(void)setsockopt(bound.connection, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
	if (bound.connection < 0 || setsockopt(bound.connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0 ||
	    fcntl(bound.connection, F_SETFL, O_NONBLOCK) != 0)
		bound_fail("connection");
}

static inline void MPI_Init(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	const char *path = getenv("BOUND");
	int tcp = path && strcmp(path, "tcp") == 0, listener = -1;
	bound.streams = path && strcmp(path, "stream") == 0;
	bound.kernel = path && strcmp(path, "kernel") == 0;
	if (!path || (!tcp && !bound.streams && !bound.kernel && strcmp(path, "ring") != 0)) {
		fprintf(stderr, "want BOUND=ring|stream|kernel|tcp\n");
		exit(2);
	}
	struct bound_side *sides = mmap(NULL, 2 * sizeof *sides, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sides == MAP_FAILED)
		bound_fail("mmap of the rings");
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (tcp && ((listener = socket(AF_INET, SOCK_STREAM, 0)) < 0 ||
		    bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 1) != 0))
		bound_fail("listen");
	sides[0].pid = getpid();
	bound.rank = twins_fork();
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); /* else Yama may forbid a child to access its parent */
	bound.mine = &sides[bound.rank];
	bound.other = &sides[1 - bound.rank];
	bound.mine->pid = getpid();
	memset(bound.mine->ring, 0, RING);
	if (tcp)
		bound_connect(listener);
}

static inline void MPI_Comm_rank(int world, int *rank)
{
	(void)world;
	*rank = bound.rank;
}

static inline void MPI_Comm_size(int world, int *size)
{
	(void)world;
	*size = 2;
}

static inline void MPI_Abort(int world, int code)
{
	(void)world;
	_exit(code);
}

static inline void MPI_Finalize(void)
{
	int code = twins_join(bound.rank);
	if (code != 0)
		exit(code);
}

#endif
