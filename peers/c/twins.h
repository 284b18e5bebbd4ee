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
static volatile sig_atomic_t twins_over; /* rank 1 has ended well, and is reaped */

static inline int twins_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 1; }

/*
 * Rank 0 exits if rank 1 failed, because it would wait for ever. If rank 1 exited normally it was
 * only done first, and rank 0 still prints its results.
 */
static void twins_lost(int signal_number)
{
	static const char words[] = "rank 1 died\n";
	int status;
	(void)signal_number;
	if (waitpid(twins_child, &status, WNOHANG) != twins_child)
		return;
	if (twins_code(status) == 0) {
		twins_over = 1;
		return;
	}
	if (write(STDERR_FILENO, words, sizeof words - 1) < 0) {
		/* standard error is closed */
	}
	_exit(twins_code(status));
}

/* Returns the rank. */
static inline int twins_fork(void)
{
	pid_t parent = getpid();
	sigset_t ended, before;
	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, &before); /* until twins_child is set */
	signal(SIGCHLD, twins_lost);
	twins_child = fork();
	if (twins_child < 0) {
		perror("fork");
		exit(1);
	}
	if (twins_child == 0)
		signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (twins_child > 0)
		return 0;
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
	if (twins_over)
		return 0;
	return waitpid(twins_child, &status, 0) < 0 ? 1 : twins_code(status);
}

#endif
