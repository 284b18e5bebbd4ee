/* Two ranks of one program by fork: the parent is rank 0, its child rank 1. */
#ifndef PEERS_TWINS_H
#define PEERS_TWINS_H

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t twins_child;

/* Without a partner rank 0 would spin for ever. */
static void twins_lost(int signal_number)
{
	int status;
	(void)signal_number;
	if (waitpid(twins_child, &status, WNOHANG) == twins_child)
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Returns the rank. */
static inline int twins_fork(void)
{
	pid_t parent = getpid();
	signal(SIGCHLD, twins_lost);
	twins_child = fork();
	if (twins_child < 0) {
		perror("fork");
		exit(1);
	}
	if (twins_child > 0)
		return 0;
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	return 1;
}

/* Rank 0 waits for rank 1 and ends with its status. */
static inline int twins_join(int rank)
{
	int status;
	if (rank != 0)
		return 0;
	signal(SIGCHLD, SIG_DFL);
	if (waitpid(twins_child, &status, 0) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

#endif
