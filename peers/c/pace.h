/*
 * The time of a fixed loop, which tells whether another thread uses the units of this core: the loop
 * of gobench's package pace, instruction by instruction where the processor has them, because the
 * times of both are compared.
 */
#ifndef PEERS_PACE_H
#define PEERS_PACE_H

#include <stdint.h>

#include "clock.h"

enum { PACE_TURNS = 5000, PACE_TIMES = 3 };

/* A core counts as slowed from this multiple of the least time on. */
#define PACE_SLOW 1.15

#ifdef __x86_64__
#define PACE_ADD2(x, i) __asm__ volatile("lea (%0,%1), %0" : "+r"(x) : "r"(i))
#define PACE_ADD3(x, n) __asm__ volatile("lea " #n "(%0), %0" : "+r"(x))
#define PACE_ADD(x, n) __asm__ volatile("add $" #n ", %0" : "+r"(x) : : "cc")
#else /* additions that the compiler does not join */
#define PACE_ADD2(x, i)                            \
	do {                                       \
		x += (i);                          \
		__asm__ volatile("" : "+r"(x));    \
	} while (0)
#define PACE_ADD3(x, n) PACE_ADD2(x, n)
#define PACE_ADD(x, n) PACE_ADD2(x, n)
#endif

/* Returns the time of the loop on the calling thread in seconds, the least of three. */
static inline double pace_loop(void)
{
	double least = 0;
	for (int k = 0; k < PACE_TIMES; k++) {
		uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0;
		double start = now();
		for (uint64_t i = 0; i < PACE_TURNS;) {
			PACE_ADD2(a, i);
			PACE_ADD3(a, 7);
			PACE_ADD2(f, i);
			PACE_ADD3(f, 6);
			PACE_ADD(i, 1);
			PACE_ADD(b, 10);
			PACE_ADD(c, 12);
			PACE_ADD(d, 14);
			PACE_ADD(e, 16);
		}
		double took = now() - start;
		if (k == 0 || took < least)
			least = took;
	}
	return least;
}

#endif
