/*
 * Checks what becomes of rank 0 when rank 1 ends before it.
 * usage: twins_check CODE
 * Rank 1 ends with the code at once, or kills itself where that is below 0. Where it is 0, rank 0
 * prints a line after that, as a program does that has measured, and ends with 0; else
 * it ends with rank 1.
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
