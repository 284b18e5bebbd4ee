/*
 * The bounds of the data paths of the transport smem, in plain C without a protocol. A message is a packet in a
 * line: the word that publishes it, a header of three words and 8 bytes of data; of a larger message the data lie
 * elsewhere and are copied in and out.
 *   ring   each direction has a ring of such lines, and a ring of data
 *   turns  both directions have one line, which they write in turns, and one area of data
 * After a send a rank waits for a number of loops before it polls, because a poll before the answer takes the
 * line back from the peer. turns tries several waits, for more than 8 bytes also with a prefetch of all lines of
 * the data before the first poll, and measures by the best.
 * usage: ring CORE,CORE [ring|turns [BYTES]]
 */
#include "cores.h"
#include "line.h"
#include "twins.h"

#include <string.h>

enum { SAMPLES = 9, TRIES = 5, ROUNDS = 300, BLOCKS = 9, SLOTS = 256, DATA = 1 << 20, LARGEST = 64 << 10, WAITS = 25, SHORT_WAITS = 8 };

struct slot {
	alignas(64) _Atomic uint64_t word; /* the lap, from 1; of the line for both the turn, from 1 */
	uint64_t header[3], data;
};

struct shared {
	struct slot to[2][SLOTS]; /* by receiver */
	alignas(128) struct slot both;
	alignas(4096) unsigned char bytes[2][DATA];
	alignas(4096) unsigned char area[LARGEST];
	int best; /* of the trials of turns */
};

static struct shared *shared;
static size_t size = 8;
static int turns, waits, prefetch;
static alignas(64) unsigned char out[LARGEST], in[LARGEST];

/* The place of packet number at. */
static struct slot *slot_of(int to, uint64_t at) { return turns ? &shared->both : &shared->to[to][at % SLOTS]; }
static uint64_t word_of(int to, uint64_t at) { return turns ? 2 * at + 1 + (to == 0) : at / SLOTS + 1; }
static unsigned char *data_of(int to, uint64_t at) { return turns ? shared->area : shared->bytes[to] + at * size % DATA; }

static void push(int to, uint64_t at)
{
	struct slot *s = slot_of(to, at);
	if (size > 8) {
		memcpy(out + size - 8, &at, 8);
		memcpy(data_of(to, at), out, size);
	}
	s->header[0] = s->header[1] = s->header[2] = s->data = at;
	atomic_store_explicit(&s->word, word_of(to, at), memory_order_release);
}

static void take(int rank, uint64_t at)
{
	struct slot *s = slot_of(rank, at);
	uint64_t word = word_of(rank, at), last = at;
	for (int i = 0; i < waits; i++)
		__asm__ volatile("");
	for (size_t i = 0; prefetch && i < size; i += 64)
		__builtin_prefetch(data_of(rank, at) + i, 0, 3);
	while (atomic_load_explicit(&s->word, memory_order_acquire) != word)
		;
	if (size > 8) {
		memcpy(in, data_of(rank, at), size);
		memcpy(&last, in + size - 8, 8);
	}
	if (s->data != at || s->header[2] != at || last != at) {
		fprintf(stderr, "ring: packet %llu has wrong data\n", (unsigned long long)at);
		_exit(1);
	}
}

/* Sets the wait of a trial: short ones for near and long ones for far cores, then all again with the prefetch. */
static void wait_by(int trial)
{
	int w = trial % WAITS;
	waits = w <= SHORT_WAITS ? 8 * w : 128 * (w - SHORT_WAITS);
	prefetch = trial >= WAITS;
}

static double sample(int rank, uint64_t *at)
{
	double block[BLOCKS];
	for (int b = 0; b < BLOCKS; b++) {
		double start = now();
		for (int n = 0; n < ROUNDS; n++, ++*at) {
			if (rank == 0)
				push(1, *at);
			take(rank, *at);
			if (rank == 1)
				push(0, *at);
		}
		block[b] = (now() - start) / (2 * ROUNDS);
	}
	return median(block, BLOCKS);
}

int main(int argc, char **argv)
{
	int core[2];
	char rest;
	if (argc < 2 || argc > 4 || sscanf(argv[1], "%d,%d%c", &core[0], &core[1], &rest) != 2 ||
	    (argc > 2 && strcmp(argv[2], "ring") != 0 && strcmp(argv[2], "turns") != 0) ||
	    (argc > 3 && (sscanf(argv[3], "%zu%c", &size, &rest) != 1 || size < 8 || size > LARGEST || (size & (size - 1)) != 0))) {
		fprintf(stderr, "usage: ring CORE,CORE [ring|turns [BYTES]], a power of two of 8..%d\n", LARGEST);
		return 2;
	}
	turns = argc > 2 && strcmp(argv[2], "turns") == 0;
	struct line *l = line_map(NULL);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED) {
		perror("mmap of the rings");
		return 1;
	}
	uint64_t seen = 0, at = 0;
	double times[SAMPLES];
	int rank = twins_fork();
	pin_to(core[rank]);
	double before = line_distance(l, rank, &seen);
	int trials = !turns ? 1 : size > 8 ? 2 * WAITS : WAITS;
	double least = 0;
	for (int n = 0; n < trials; n++) {
		wait_by(n);
		for (int i = 0; i < TRIES; i++)
			times[i] = sample(rank, &at);
		double time = median(times, TRIES);
		if (rank == 0 && (n == 0 || time < least)) {
			least = time;
			shared->best = n;
		}
	}
	line_distance(l, rank, &seen); /* so that rank 1 sees best */
	wait_by(shared->best);
	for (int i = 0; i < SAMPLES; i++)
		times[i] = sample(rank, &at);
	double after = line_distance(l, rank, &seen);
	if (rank == 0) {
		sample_print("pingpong", "raw", size, 2, "half_rtt_s", times, SAMPLES, ROUNDS);
		printf(",\"distance_before_s\":%.4g,\"distance_after_s\":%.4g}\n", before, after);
	}
	return twins_join(rank);
}
