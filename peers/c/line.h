/*
 * The distance of two cores: half of the round trip of one cache line between
 * them. On a virtual machine it changes within seconds, so every program
 * measures it before and after every size.
 */
#ifndef PEERS_LINE_H
#define PEERS_LINE_H

#include <fcntl.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "sample.h"

enum { LINE_BLOCKS = 9, LINE_ROUNDS = 300, LINE_LOOKS = 3, LINE_LOOK_ROUNDS = 50 };

struct line {
	alignas(64) _Atomic uint64_t ball;
	alignas(64) int next; /* set by rank 0 before a round, valid for rank 1 after it */
	alignas(64) double loop; /* time of the loop of pace.h on rank 1, valid for rank 0 after a round */
};

/* Maps the line that both ranks share; path NULL gives one for fork. */
static inline struct line *line_map(const char *path)
{
	int flags = MAP_SHARED, fd = -1;
	if (path) {
		fd = open(path, O_RDWR | O_CREAT, 0600);
		if (fd < 0 || ftruncate(fd, 4096) != 0) {
			perror(path);
			exit(1);
		}
	} else {
		flags |= MAP_ANONYMOUS;
	}
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (page == MAP_FAILED) {
		perror("mmap of the shared line");
		exit(1);
	}
	if (fd >= 0)
		close(fd);
	return page;
}

/*
 * Waits until the counter has a value. Without the pause, loads that the processor has begun ahead
 * take the line back from the core that is about to write it. gobench waits in the same way
 * (internal/release).
 */
static inline void line_await(struct line *l, uint64_t value)
{
	while (atomic_load_explicit(&l->ball, memory_order_acquire) != value) {
#ifdef __x86_64__
		__builtin_ia32_pause();
#endif
	}
}

/* One round trip: rank 0 makes the counter odd, rank 1 makes it even. */
static inline void line_round(struct line *l, int rank, uint64_t *seen)
{
	if (rank == 0) {
		atomic_store_explicit(&l->ball, *seen + 1, memory_order_release);
		line_await(l, *seen + 2);
	} else {
		line_await(l, *seen + 1);
		atomic_store_explicit(&l->ball, *seen + 2, memory_order_release);
	}
	*seen += 2;
}

/*
 * The least of a few short blocks, half of the round trip in seconds: a look at the cores between
 * two blocks of samples, which takes tens of microseconds, as long as gobench's.
 */
static inline double line_look(struct line *l, int rank, uint64_t *seen)
{
	double least = 0;
	for (int b = 0; b < LINE_LOOKS; b++) {
		double start = now();
		for (int i = 0; i < LINE_LOOK_ROUNDS; i++)
			line_round(l, rank, seen);
		double each = (now() - start) / (2 * LINE_LOOK_ROUNDS);
		if (b == 0 || each < least)
			least = each;
	}
	return least;
}

/*
 * Half of the round trip in seconds, median of a few blocks. Both ranks call
 * it, equally often, each with its own counter seen that starts at 0.
 */
static inline double line_distance(struct line *l, int rank, uint64_t *seen)
{
	double block[LINE_BLOCKS];
	for (int i = 0; i < 100; i++)
		line_round(l, rank, seen);
	for (int b = 0; b < LINE_BLOCKS; b++) {
		double start = now();
		for (int i = 0; i < LINE_ROUNDS; i++)
			line_round(l, rank, seen);
		block[b] = (now() - start) / (2 * LINE_ROUNDS);
	}
	return median(block, LINE_BLOCKS);
}

#endif
