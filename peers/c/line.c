/*
 * The lower bound of all latencies: 8 bytes that change cores together with their cache line.
 * usage: line CORE,CORE
 */
#include "cores.h"
#include "line.h"
#include "twins.h"

enum { SAMPLES = 9 };

int main(int argc, char **argv)
{
	int core[2];
	char rest;
	if (argc != 2 || sscanf(argv[1], "%d,%d%c", &core[0], &core[1], &rest) != 2) {
		fprintf(stderr, "usage: line CORE,CORE\n");
		return 2;
	}
	struct line *l = line_map(NULL);
	uint64_t seen = 0;
	double times[SAMPLES];
	int rank = twins_fork();
	pin_to(core[rank]);
	for (int i = 0; i < SAMPLES; i++)
		times[i] = line_distance(l, rank, &seen);
	if (rank == 0) {
		double before = times[0], after = times[SAMPLES - 1];
		sample_print("pingpong", "raw", 8, 2, "half_rtt_s", times, SAMPLES, LINE_ROUNDS);
		printf(",\"distance_before_s\":%.4g,\"distance_after_s\":%.4g}\n", before, after);
	}
	return twins_join(rank);
}
