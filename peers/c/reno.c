/*
 * A library that is preloaded into the MPIs (LD_PRELOAD): their TCP connections on one host have the
 * congestion control that gobench and the C programs use there, whatever the system's is. An accepted
 * connection has that of its listener. A kernel without reno keeps its default.
 */
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

int reno_preloaded; /* its presence tells the program, which records it */

int socket(int domain, int type, int protocol)
{
	static int (*original)(int, int, int);
	if (!original)
		*(void **)&original = dlsym(RTLD_NEXT, "socket");
	int s = original(domain, type, protocol);
	if (s >= 0 && (domain == AF_INET || domain == AF_INET6) && (type & 0xf) == SOCK_STREAM)
		(void)setsockopt(s, IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
	return s;
}
