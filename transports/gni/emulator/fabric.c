// Segments of shared memory, how they are found, and events between them.
#define _GNU_SOURCE
#include "fabric.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static uint64_t monotonic(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

uint64_t now(void) { return timed() ? monotonic() : 0; }

uint64_t key_of(uint32_t address, uint32_t instance) { return (uint64_t)address << 32 | instance; }

static void name_of(char *name, size_t room, const struct cdm *c, uint64_t key)
{
	snprintf(name, room, "gobench-gni/%d/%u/%u/%llx", (int)getuid(), c->ptag, c->cookie, (unsigned long long)key);
}

static socklen_t address_of(struct sockaddr_un *a, const char *name)
{
	memset(a, 0, sizeof *a);
	a->sun_family = AF_UNIX;
	size_t n = strlen(name);
	memcpy(a->sun_path + 1, name, n);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

static struct segment *map(int fd)
{
	void *at = mmap(NULL, SEGMENT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	return at == MAP_FAILED ? NULL : at;
}

struct segment *segment_create(struct nic *n)
{
	struct sockaddr_un a;
	name_of(n->name, sizeof n->name, n->cdm, n->key);
	n->memory = memfd_create(n->name, MFD_CLOEXEC);
	if (n->memory < 0 || ftruncate(n->memory, SEGMENT) || !(n->segment = map(n->memory)))
		goto failed;
	n->segment->used = (sizeof *n->segment + 4095) & ~(uint64_t)4095;
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY); // peers read and write registered memory
	n->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	socklen_t length = address_of(&a, n->name);
	if (n->socket < 0 || bind(n->socket, (struct sockaddr *)&a, length) || listen(n->socket, 4096))
		goto failed;
	return n->segment;
failed:
	segment_close(n);
	return NULL;
}

void segment_close(struct nic *n)
{
	if (n->socket >= 0)
		close(n->socket);
	if (n->segment)
		munmap(n->segment, SEGMENT);
	if (n->memory >= 0)
		close(n->memory);
	n->socket = n->memory = -1;
	n->segment = NULL;
}

// segment_open maps the segment of a process: the descriptor whose link shows the name.
static struct segment *segment_open(int pid, const char *name)
{
	char folder[64], wanted[128], path[512], link[256];
	snprintf(folder, sizeof folder, "/proc/%d/fd", pid);
	snprintf(wanted, sizeof wanted, "/memfd:%s (deleted)", name);
	DIR *d = opendir(folder);
	if (!d)
		return NULL;
	struct segment *s = NULL;
	for (struct dirent *e; !s && (e = readdir(d));) {
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		ssize_t n = readlink(path, link, sizeof link - 1);
		if (n <= 0)
			continue;
		link[n] = 0;
		if (strcmp(link, wanted))
			continue;
		int fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0) {
			s = map(fd);
			close(fd);
		}
	}
	closedir(d);
	return s;
}

struct lane *lane_of(struct segment *s, uint64_t source)
{
	for (int i = 0; i < LANES; i++) {
		struct lane *l = &s->lanes[i];
		uint64_t owner = atomic_load(&l->source);
		if (!owner)
			atomic_compare_exchange_strong(&l->source, &owner, source + 1);
		if (atomic_load(&l->source) == source + 1)
			return l;
	}
	return NULL;
}

struct peer *peer_of(struct nic *n, uint32_t address, uint32_t instance)
{
	uint64_t key = key_of(address, instance);
	for (struct peer *p = n->peers; p; p = p->next)
		if (p->key == key)
			return p;
	char name[96];
	struct sockaddr_un a;
	struct ucred who;
	socklen_t length = sizeof who;
	struct peer *p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	p->key = key;
	name_of(name, sizeof name, n->cdm, key);
	p->connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (p->connection < 0 || connect(p->connection, (struct sockaddr *)&a, address_of(&a, name)) ||
	    getsockopt(p->connection, SOL_SOCKET, SO_PEERCRED, &who, &length) ||
	    !(p->segment = segment_open(who.pid, name)))
		goto failed;
	p->pid = who.pid;
	p->to = lane_of(p->segment, n->key);
	p->from = lane_of(n->segment, key);
	if (!p->to || !p->from)
		goto failed;
	p->next = n->peers;
	n->peers = p;
	return p;
failed:
	if (p->segment)
		munmap(p->segment, SEGMENT);
	if (p->connection >= 0)
		close(p->connection);
	free(p);
	return NULL;
}

bool peer_alive(struct nic *n, struct peer *p, bool surely)
{
	char c;
	if (p->dead || atomic_load(&p->segment->gone) || atomic_load(&n->segment->gone))
		return false;
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	uint64_t at = (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	if (!surely && at == p->checked)
		return true;
	p->checked = at;
	p->dead = recv(p->connection, &c, 1, MSG_DONTWAIT) >= 0 || (errno != EAGAIN && errno != EINTR);
	return !p->dead;
}

void peers_close(struct nic *n)
{
	while (n->peers) {
		struct peer *p = n->peers;
		n->peers = p->next;
		munmap(p->segment, SEGMENT);
		close(p->connection);
		free(p);
	}
}

void lane_push(struct peer *p, uint32_t queue, uint64_t entry, uint64_t at)
{
	struct lane *l = p->to;
	if (happens(LOST))
		return;
	uint32_t tail = atomic_load_explicit(&l->tail, memory_order_relaxed);
	if (tail - atomic_load_explicit(&l->head, memory_order_acquire) == LANE_EVENTS || happens(OVERRUN)) {
		atomic_fetch_or(&l->lost, BIT(queue));
		return;
	}
	l->events[tail % LANE_EVENTS] = (struct event){.entry = entry, .at = at, .queue = queue};
	atomic_store_explicit(&l->tail, tail + 1, memory_order_release);
}
