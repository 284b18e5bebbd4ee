/*
 * The bound of long messages between ordinary memory of two processes without the kernel, in plain C without a
 * protocol: the sender copies pieces into a ring, and the receiver copies them out at the same time. Each
 * direction has a ring of 2 MiB. Pieces of several sizes are tried, each with and without stores of the sender
 * that bypass the caches, and the best way is measured.
 * usage: pipeline CORE,CORE BYTES
 */
#include "cores.h"
#include "line.h"
#include "twins.h"

#include <string.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

enum { SAMPLES = 9, TRIES = 5, BLOCK = 16, RING = 2 << 20, LEAST_PIECE = 8 << 10, PIECES = 4, LARGEST = 64 << 20 };

struct ring {
	alignas(128) _Atomic uint64_t filled; /* bytes in all */
	alignas(128) _Atomic uint64_t emptied;
	alignas(4096) unsigned char data[RING];
};

struct shared {
	struct ring to[2]; /* by receiver */
	int best;          /* of the trials */
};

static struct shared *shared;
static unsigned char *out, *in;
static size_t size, piece;
static int around; /* the sender's stores bypass the caches */
static uint64_t sent, received;

/* The string copy is the fastest routine that leaves the data in the caches where the processor has it. */
static void copy(unsigned char *to, const unsigned char *from, size_t n)
{
#ifdef __x86_64__
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
#else
	memcpy(to, from, n);
#endif
}

/* Copies pages to pages. */
static void copy_around(unsigned char *to, const unsigned char *from, size_t n)
{
#ifdef __x86_64__
	for (size_t i = 0; i < n; i += 64) {
		__m128i a = _mm_load_si128((const __m128i *)(from + i)), b = _mm_load_si128((const __m128i *)(from + i + 16));
		__m128i c = _mm_load_si128((const __m128i *)(from + i + 32)), d = _mm_load_si128((const __m128i *)(from + i + 48));
		_mm_stream_si128((__m128i *)(to + i), a);
		_mm_stream_si128((__m128i *)(to + i + 16), b);
		_mm_stream_si128((__m128i *)(to + i + 32), c);
		_mm_stream_si128((__m128i *)(to + i + 48), d);
	}
	_mm_sfence();
#else
	memcpy(to, from, n);
#endif
}

/* Sets the way of a trial. */
static void way(int trial)
{
	piece = (size_t)LEAST_PIECE << trial % PIECES;
	around = trial >= PIECES;
}

static void send(int to)
{
	struct ring *r = &shared->to[to];
	for (size_t done = 0; done < size; done += piece, sent += piece) {
		while (sent + piece - atomic_load_explicit(&r->emptied, memory_order_acquire) > RING)
			;
		(around ? copy_around : copy)(r->data + sent % RING, out + done, piece);
		atomic_store_explicit(&r->filled, sent + piece, memory_order_release);
	}
}

static void receive(int rank)
{
	struct ring *r = &shared->to[rank];
	for (size_t done = 0; done < size; done += piece, received += piece) {
		while (atomic_load_explicit(&r->filled, memory_order_acquire) < received + piece)
			;
		copy(in + done, r->data + received % RING, piece);
		atomic_store_explicit(&r->emptied, received + piece, memory_order_release);
	}
	if (in[0] != 1 || in[size - 1] != 2) {
		fprintf(stderr, "pipeline: a message has wrong data\n");
		_exit(1);
	}
	in[0] = in[size - 1] = 0;
}

static double sample(int rank)
{
	double start = now();
	for (int n = 0; n < BLOCK; n++) {
		if (rank == 0)
			send(1);
		receive(rank);
		if (rank == 1)
			send(0);
	}
	return (now() - start) / (2 * BLOCK);
}

int main(int argc, char **argv)
{
	int core[2];
	char rest;
	if (argc != 3 || sscanf(argv[1], "%d,%d%c", &core[0], &core[1], &rest) != 2 || sscanf(argv[2], "%zu%c", &size, &rest) != 1 ||
	    size < LEAST_PIECE << (PIECES - 1) || size > LARGEST || (size & (size - 1)) != 0) {
		fprintf(stderr, "usage: pipeline CORE,CORE BYTES, a power of two of %d..%d\n", LEAST_PIECE << (PIECES - 1), LARGEST);
		return 2;
	}
	struct line *l = line_map(NULL);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		perror("mmap of the rings");
		return 1;
	}
	uint64_t seen = 0;
	int rank = twins_fork();
	pin_to(core[rank]);
	out = aligned_alloc(4096, size);
	in = aligned_alloc(4096, size);
	if (!out || !in) {
		perror("memory of messages");
		_exit(1);
	}
	memset(out, 3, size);
	memset(in, 3, size);
	memset(shared->to[rank].data, 0, RING);
	out[0] = 1;
	out[size - 1] = 2;
	double before = line_distance(l, rank, &seen), least = 0, times[SAMPLES];
	for (int n = 0; n < 2 * PIECES; n++) {
		way(n);
		for (int i = 0; i < TRIES; i++)
			times[i] = sample(rank);
		double time = median(times, TRIES);
		if (rank == 0 && (n == 0 || time < least)) {
			least = time;
			shared->best = n;
		}
	}
	line_distance(l, rank, &seen); /* so that rank 1 sees best */
	way(shared->best);
	for (int i = 0; i < SAMPLES; i++)
		times[i] = sample(rank);
	double after = line_distance(l, rank, &seen);
	free(out);
	free(in);
	if (rank == 0) {
		sample_print("pingpong", "raw", size, 2, "half_rtt_s", times, SAMPLES, BLOCK);
		printf(",\"distance_before_s\":%.4g,\"distance_after_s\":%.4g}\n", before, after);
	}
	return twins_join(rank);
}
