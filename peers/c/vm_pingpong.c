/*
 * The bound of copies between processes by the kernel, with a shared line as the
 * only protocol: no matching, no queue, no message but the copied one.
 * usage: vm_pingpong read|split pingpong:SIZE:SAMPLES:TOGETHER[,...]
 * read: the receiver copies everything; split: it copies the first half while
 * the sender copies the second.
 */
#include <sys/uio.h>

#include "cores.h"
#include "pingpong.h"
#include "twins.h"

/* Each field is written by one side alone and lies in a line of its own. */
struct side {
	alignas(64) _Atomic uint64_t offered; /* messages offered */
	uintptr_t from;                       /* address of the offered message */
	alignas(64) _Atomic uint64_t wanted;  /* receives posted */
	uintptr_t to;
	alignas(64) _Atomic uint64_t written; /* sender's part is in place */
	alignas(64) _Atomic uint64_t read;    /* receiver's part is in place */
	pid_t pid;
};

static struct side *mine, *other;
static int split;

static void await(_Atomic uint64_t *word, uint64_t value)
{
	while (atomic_load_explicit(word, memory_order_acquire) < value)
		;
}

static void raise_to(_Atomic uint64_t *word, uint64_t value)
{
	atomic_store_explicit(word, value, memory_order_release);
}

/* The sender's share of a message. */
static size_t second_half(size_t size) { return split ? size / 2 : 0; }

static void copy_all(ssize_t (*copy)(pid_t, const struct iovec *, unsigned long, const struct iovec *, unsigned long,
				     unsigned long),
		     char *local, uintptr_t remote, size_t size)
{
	while (size > 0) {
		struct iovec l = {local, size}, r = {(void *)remote, size};
		ssize_t n = copy(other->pid, &l, 1, &r, 1, 0);
		if (n <= 0) {
			perror("process_vm copy");
			exit(1);
		}
		local += n;
		remote += (uintptr_t)n;
		size -= (size_t)n;
	}
}

static void vm_send(void *buffer, size_t size)
{
	static uint64_t count;
	size_t part = second_half(size);
	count++;
	mine->from = (uintptr_t)buffer;
	raise_to(&mine->offered, count);
	if (part > 0) {
		await(&other->wanted, count);
		copy_all(process_vm_writev, (char *)buffer + size - part, other->to + size - part, part);
		raise_to(&mine->written, count);
	}
	await(&other->read, count);
}

static void vm_receive(void *buffer, size_t size)
{
	static uint64_t count;
	size_t part = second_half(size);
	count++;
	mine->to = (uintptr_t)buffer;
	raise_to(&mine->wanted, count);
	await(&other->offered, count);
	copy_all(process_vm_readv, buffer, other->from, size - part);
	raise_to(&mine->read, count);
	if (part > 0)
		await(&other->written, count);
}

int main(int argc, char **argv)
{
	if (argc < 2 || (strcmp(argv[1], "read") != 0 && strcmp(argv[1], "split") != 0)) {
		fprintf(stderr, "usage: vm_pingpong read|split pingpong:SIZE:SAMPLES:TOGETHER[,...]\n");
		return 2;
	}
	split = strcmp(argv[1], "split") == 0;
	struct plan plan;
	plan_read(&plan, argc - 1, argv + 1);

	struct pingpong p = {.level = "raw", .send = vm_send, .receive = vm_receive, .line = line_map(NULL)};
	struct side *sides = mmap(NULL, 2 * sizeof *sides, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (sides == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	sides[0].pid = getpid();
	p.rank = twins_fork();
	/* Else Yama may forbid a child to access its parent. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	mine = &sides[p.rank];
	other = &sides[1 - p.rank];
	mine->pid = getpid();
	pin_rank(p.rank);
	(void)line_distance(p.line, p.rank, &p.seen); /* both are up after this */
	pingpong_run(&p, &plan);
	return twins_join(p.rank);
}
