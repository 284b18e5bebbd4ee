// Times of a loop in C, one after every given number of rounds, read in the loop as perftest does.
// The times are stored in memory of Go, which is passed to each call.
#ifndef GOBENCH_STAMPS_H
#define GOBENCH_STAMPS_H

#include <stdint.h>
#include <time.h>

struct stamps {
	uint32_t every, left; // rounds between two times, and to the next
	uint32_t made, room;
};

static inline void round_over(struct stamps *s, int64_t *at)
{
	if (s->made == s->room || --s->left > 0)
		return;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	at[s->made++] = t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
	s->left = s->every;
}

#endif
