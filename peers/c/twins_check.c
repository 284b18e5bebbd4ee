/*
 * Tests the end of rank 0 when rank 1 ends first.
 * usage: twins_check CODE
 * Rank 1 ends with the code at once, or kills itself if the code is negative. If it is 0, rank 0
 * then prints a line, like a program that has results, and ends with 0. Otherwise it ends with
 * the status of rank 1.
 */
#include "twins.h"

int main(int argc, char **argv)
{
	int code = argc > 1 ? atoi(argv[1]) : 2;
	int rank = twins_fork();
	if (rank == 1) {
		if (code < 0)
			kill(getpid(), SIGKILL);
		_exit(code);
	}
	printf("measured\n");
	while (!twins_over)
		;
	printf("done\n");
	return twins_join(rank);
}
