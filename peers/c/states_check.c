/* Prints the rows of samples that were taken on near, slowed near and far cores, for check.sh. */
#include "states.h"

enum { EACH = 10 };

static double times[100];
static struct block blocks[10];

/* Adds samples of a time, in blocks between looks at cores of a distance and a loop. */
static void add(int *count, int n, double time, double distance, double before, double after)
{
	for (; n > 0; n -= EACH) {
		struct block *b = &blocks[*count];
		*b = (struct block){.first = *count * EACH, .n = EACH, .before = {distance, before}, .after = {distance, after}, .seconds = 1};
		for (int i = 0; i < EACH; i++)
			times[b->first + i] = time;
		++*count;
	}
}

int main(void)
{
	int count = 0;
	add(&count, 40, 1e-6, 3e-8, 2e-6, 2e-6);
	add(&count, 20, 2e-6, 3e-8, 2e-6, 4e-6);
	add(&count, 10, 2e-6, 3e-8, 4e-6, 2e-6);
	add(&count, 30, 3e-6, 2e-7, 2e-6, 2e-6);
	struct cell c = {.bench = "pingpong", .level = "comm", .metric = "half_rtt_s", .size = 8, .samples = 100, .together = 1, .ranks = 2, .more = ""};
	states_print(&c, times, blocks, count);
	return 0;
}
