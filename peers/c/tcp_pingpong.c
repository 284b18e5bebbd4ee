/*
 * Ping-pong over one TCP connection, with nothing between the program and the
 * kernel: over the loopback interface, or between two network namespaces.
 * Ranks poll and do not sleep.
 * usage: tcp_pingpong pingpong:SIZE:SAMPLES:TOGETHER[,...]
 * PEERS_NETWORKS=FILE,FILE names the network namespaces of the ranks, and
 * PEERS_ADDRESS the IPv4 address of rank 0 in its own.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "cores.h"
#include "pingpong.h"
#include "twins.h"

static int connection;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void tcp_send(void *buffer, size_t size)
{
	for (char *p = buffer; size > 0;) {
		ssize_t n = send(connection, p, size, MSG_NOSIGNAL);
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		} else if (errno != EAGAIN && errno != EINTR) {
			fail("send");
		}
	}
}

static void tcp_receive(void *buffer, size_t size)
{
	for (char *p = buffer; size > 0;) {
		ssize_t n = recv(connection, p, size, 0);
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			fail("recv");
		}
	}
}

/* Enters the network namespace of a rank, if the ranks have some of their own. */
static void enter_network(int rank)
{
	const char *list = getenv("PEERS_NETWORKS"), *second = list ? strchr(list, ',') : NULL;
	if (!second)
		return;
	char *path = rank == 0 ? strndup(list, (size_t)(second - list)) : strdup(second + 1);
	int file = path ? open(path, O_RDONLY) : -1;
	if (file < 0 || setns(file, CLONE_NEWNET) != 0)
		fail("network namespace");
	close(file);
	free(path);
}

/*
 * Uses the congestion control that gobench uses on one host. A kernel without reno keeps its
 * default. An accepted connection has that of its listener.
 */
static void use_reno(int socket)
{
	if (!getenv("PEERS_NETWORKS"))
		(void)setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
}

/* Port 0 lets the system choose; both twins know the listener. */
static void connect_twins(int rank, int listener)
{
	struct sockaddr_in address;
	socklen_t length = sizeof address;
	if (rank == 0) {
		connection = accept(listener, NULL, NULL);
	} else {
		enter_network(rank);
		connection = socket(AF_INET, SOCK_STREAM, 0);
		use_reno(connection);
		if (getsockname(listener, (struct sockaddr *)&address, &length) != 0 ||
		    connect(connection, (struct sockaddr *)&address, length) != 0)
			fail("connect");
	}
	close(listener);
	int yes = 1;
	if (connection < 0 || setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0)
		fail("connection");
}

int main(int argc, char **argv)
{
	struct plan plan;
	plan_read(&plan, argc, argv);

	const char *own = getenv("PEERS_ADDRESS");
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(own ? own : "127.0.0.1")};
	enter_network(0);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	use_reno(listener);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
	    listen(listener, 1) != 0)
		fail("listen");

	/* The line is for calibration only. */
	struct pingpong p = {.level = "raw", .send = tcp_send, .receive = tcp_receive, .line = line_map(NULL)};
	p.rank = twins_fork();
	pin_rank(p.rank);
	connect_twins(p.rank, listener);
	if (fcntl(connection, F_SETFL, O_NONBLOCK) != 0)
		fail("fcntl");
	pingpong_run(&p, &plan);
	return twins_join(p.rank);
}
