/*
 * The bound of a message of 8 bytes by the data path of the transport smem: a ring for each direction, whose
 * packets have a line each, with a header of three words, the data and the word that publishes them.
 * usage: ring CORE,CORE
 */
#include "cores.h"
#include "line.h"
#include "twins.h"

enum { SAMPLES = 9, ROUNDS = 300, BLOCKS = 9, SLOTS = 256 };

struct slot {
	alignas(64) _Atomic uint64_t word; /* the lap, from 1 */
	uint64_t header[3], data;
};

struct rings {
	struct slot to[2][SLOTS]; /* by receiver */
};

static void push(struct rings *r, int to, uint64_t at)
{
	struct slot *s = &r->to[to][at % SLOTS];
	s->header[0] = s->header[1] = s->header[2] = s->data = at;
	atomic_store_explicit(&s->word, at / SLOTS + 1, memory_order_release);
}

static void take(struct rings *r, int rank, uint64_t at)
{
	struct slot *s = &r->to[rank][at % SLOTS];
	while (atomic_load_explicit(&s->word, memory_order_acquire) != at / SLOTS + 1)
		;
	if (s->data != at || s->header[2] != at) {
		fprintf(stderr, "ring: packet %llu has wrong data\n", (unsigned long long)at);
		_exit(1);
	}
}

int main(int argc, char **argv)
{
	int core[2];
	char rest;
	if (argc != 2 || sscanf(argv[1], "%d,%d%c", &core[0], &core[1], &rest) != 2) {
		fprintf(stderr, "usage: ring CORE,CORE\n");
		return 2;
	}
	struct line *l = line_map(NULL);
	struct rings *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r == MAP_FAILED) {
		perror("mmap of the rings");
		return 1;
	}
	uint64_t seen = 0, at = 0;
	double times[SAMPLES], block[BLOCKS];
	int rank = twins_fork();
	pin_to(core[rank]);
	double before = line_distance(l, rank, &seen);
	for (int i = 0; i < SAMPLES; i++) {
		for (int b = 0; b < BLOCKS; b++) {
			double start = now();
			for (int n = 0; n < ROUNDS; n++, at++) {
				if (rank == 0)
					push(r, 1, at);
				take(r, rank, at);
				if (rank == 1)
					push(r, 0, at);
			}
			block[b] = (now() - start) / (2 * ROUNDS);
		}
		times[i] = median(block, BLOCKS);
	}
	double after = line_distance(l, rank, &seen);
	if (rank == 0) {
		sample_print("pingpong", "raw", 8, 2, "half_rtt_s", times, SAMPLES, ROUNDS);
		printf(",\"distance_before_s\":%.4g,\"distance_after_s\":%.4g}\n", before, after);
	}
	return twins_join(rank);
}
