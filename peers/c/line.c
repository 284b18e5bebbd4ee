/*
 * The distance of every pair of the given cores, one line each:
 * usage: line CORE,CORE[,CORE...]
 * pair a=0 b=1 half_rtt_s=2.7e-08
 */
#include "cores.h"
#include "line.h"
#include "twins.h"

enum { MOST_CORES = 16 };

int main(int argc, char **argv)
{
	int core[MOST_CORES], n = 0;
	for (char *s = argc > 1 ? argv[1] : "", *end; *s && n < MOST_CORES; s = *end ? end + 1 : end) {
		core[n++] = (int)strtol(s, &end, 10);
		if (end == s)
			break;
	}
	if (n < 2) {
		fprintf(stderr, "usage: line CORE,CORE[,CORE...]\n");
		return 2;
	}
	struct line *l = line_map(NULL);
	uint64_t seen = 0;
	int rank = twins_fork();
	for (int a = 0; a < n; a++) {
		for (int b = a + 1; b < n; b++) {
			pin_to(rank == 0 ? core[a] : core[b]);
			double half_rtt = line_distance(l, rank, &seen);
			if (rank == 0) {
				printf("pair a=%d b=%d half_rtt_s=%.4g\n", core[a], core[b], half_rtt);
				fflush(stdout);
			}
		}
	}
	return twins_join(rank);
}
