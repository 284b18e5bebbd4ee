//go:build cgo && (verbs || ucx || ofi || gni)

#define _GNU_SOURCE
#include "watch.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel reports by userfaultfd(2) when a watched range is unmapped, moved or released
// (madvise), and blocks the caller until the thread of the watch has read the event. The thread
// sets busy before it reads, so gb_watch_changed returns true before the caller goes on. Only that
// thread is blocked: the kernel queues the event of munmap and mremap after the range is free, and
// another thread may map it again before gb_watch_changed returns true.
struct watch {
	int fd, stop[2];
	pthread_t thread;
	pthread_mutex_t lock;
	int busy;    // atomic: an event is being read
	int changed; // atomic: ranges has something
	int count;   // of ranges; -1: more than fit
	struct range ranges[RANGES];
};

static void note(struct watch *w, uint64_t start, uint64_t end)
{
	pthread_mutex_lock(&w->lock);
	if (w->count == RANGES)
		w->count = -1;
	if (w->count >= 0)
		w->ranges[w->count++] = (struct range){start, end};
	pthread_mutex_unlock(&w->lock);
	__atomic_store_n(&w->changed, 1, __ATOMIC_SEQ_CST);
}

static void *listen_for_events(void *arg)
{
	struct watch *w = arg;
	for (;;) {
		struct pollfd fds[2] = {{.fd = w->fd, .events = POLLIN}, {.fd = w->stop[0], .events = POLLIN}};
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (fds[1].revents)
			return NULL;
		if (!fds[0].revents)
			continue;
		struct uffd_msg m;
		__atomic_store_n(&w->busy, 1, __ATOMIC_SEQ_CST);
		if (read(w->fd, &m, sizeof m) == sizeof m) {
			if (m.event == UFFD_EVENT_REMOVE || m.event == UFFD_EVENT_UNMAP)
				note(w, m.arg.remove.start, m.arg.remove.end);
			else if (m.event == UFFD_EVENT_REMAP)
				note(w, m.arg.remap.from, m.arg.remap.from + m.arg.remap.len);
		}
		__atomic_store_n(&w->busy, 0, __ATOMIC_SEQ_CST);
	}
}

const char *gb_watch_open(struct watch **out, int *error)
{
	struct watch *w = calloc(1, sizeof *w);
	const char *what = "userfaultfd";
	if (!w) {
		*error = ENOMEM;
		return "calloc";
	}
	w->stop[0] = w->stop[1] = -1;
#ifdef UFFD_USER_MODE_ONLY
	w->fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
#else
	w->fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
#endif
	struct uffdio_api api = {.api = UFFD_API, .features = UFFD_FEATURE_EVENT_REMOVE | UFFD_FEATURE_EVENT_UNMAP |
							      UFFD_FEATURE_EVENT_REMAP | UFFD_FEATURE_PAGEFAULT_FLAG_WP};
	if (w->fd < 0)
		goto fail;
	what = "UFFDIO_API";
	if (ioctl(w->fd, UFFDIO_API, &api) || pipe2(w->stop, O_CLOEXEC))
		goto fail;
	pthread_mutex_init(&w->lock, NULL);
	what = "pthread_create";
	sigset_t all, before; // Go's signals are not for this thread
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = pthread_create(&w->thread, NULL, listen_for_events, w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (errno)
		goto fail;
	*out = w;
	return NULL;
fail:
	*error = errno;
	if (w->fd >= 0)
		close(w->fd);
	if (w->stop[0] >= 0) {
		close(w->stop[0]);
		close(w->stop[1]);
	}
	free(w);
	return what;
}

void gb_watch_close(struct watch *w)
{
	close(w->stop[1]); // wakes the thread
	pthread_join(w->thread, NULL);
	close(w->fd); // ends the watch, and releases blocked callers
	close(w->stop[0]);
	free(w);
}

// Registering for write protection, without ever protecting anything, gives the events and no
// faults.
int gb_watch_add(struct watch *w, uint64_t start, uint64_t end)
{
	struct uffdio_register r = {.range = {start, end - start}, .mode = UFFDIO_REGISTER_MODE_WP};
	return ioctl(w->fd, UFFDIO_REGISTER, &r) ? errno : 0;
}

// gb_watch_changed reports whether gb_watch_take has something. It waits for an event that is just
// being read, because its range may be in use for something else already.
int gb_watch_changed(struct watch *w)
{
	while (__atomic_load_n(&w->busy, __ATOMIC_SEQ_CST))
		;
	return __atomic_load_n(&w->changed, __ATOMIC_SEQ_CST);
}

// gb_watch_take moves the list to ranges and returns its length, or -1 if there were more than
// RANGES: then any range may have changed.
int gb_watch_take(struct watch *w, struct range *ranges)
{
	pthread_mutex_lock(&w->lock);
	int n = w->count;
	for (int i = 0; i < n; i++)
		ranges[i] = w->ranges[i];
	w->count = 0;
	__atomic_store_n(&w->changed, 0, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&w->lock);
	return n;
}
