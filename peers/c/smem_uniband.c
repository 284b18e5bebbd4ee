/*
 * The lower bound of windows of short messages (uniband.h): a ring of lines in shared memory, as
 * gobench's, with what a message needs at level comm and nothing else. Each has source, tag and
 * communicator, which the receiver matches with the first of its posted receives; each operation
 * has a request that the wait for all finds complete; room comes back by a counter, a quarter of the
 * ring at a time.
 * usage: smem_uniband uniband:SIZE:SAMPLES:TOGETHER[,...], SIZE of at most 32
 */
#include "cores.h"
#include "twins.h"
#include "uniband.h"

enum { SLOTS = 1024, INLINE = 32, CONTEXT = 7 };

struct slot {
	alignas(64) _Atomic uint64_t word; /* length and lap */
	int32_t source, tag, context;
	unsigned char data[INLINE];
};

/* One direction; the consumer writes head. */
struct ring {
	struct slot slot[SLOTS];
	alignas(64) _Atomic uint64_t head;
};

struct request {
	unsigned char *buffer;
	size_t room, size;
	int32_t source, tag, context;
	int complete;
	struct request *next; /* posted behind this one */
};

static struct ring *out, *in;
static uint64_t sent, limit = SLOTS, received;
static struct request *first, **last = &first; /* the posted receives */

static inline void rest(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

static void isend(int rank, const unsigned char *buffer, size_t size, int tag, struct request *r)
{
	struct slot *s = &out->slot[sent % SLOTS];
	while (sent == limit) {
		limit = atomic_load_explicit(&out->head, memory_order_acquire) + SLOTS;
		if (sent == limit)
			rest();
	}
	memcpy(s->data, buffer, size);
	s->source = rank;
	s->tag = tag;
	s->context = CONTEXT;
	atomic_store_explicit(&s->word, size << 32 | (uint32_t)(sent / SLOTS + 1), memory_order_release);
	sent++;
	r->complete = 1;
}

static void irecv(unsigned char *buffer, size_t room, int source, int tag, struct request *r)
{
	*r = (struct request){.buffer = buffer, .room = room, .source = source, .tag = tag, .context = CONTEXT};
	*last = r;
	last = &r->next;
}

/* Takes the next packet, if there is one, into the first posted receive, which must match. */
static int poll(void)
{
	struct slot *s = &in->slot[received % SLOTS];
	struct request *r = first;
	uint64_t word = atomic_load_explicit(&s->word, memory_order_acquire);
	size_t size = word >> 32;
	if ((uint32_t)word != (uint32_t)(received / SLOTS + 1))
		return 0;
	if (!r || r->source != s->source || r->tag != s->tag || r->context != s->context || size > r->room) {
		fprintf(stderr, "an unexpected message\n");
		exit(3);
	}
	memcpy(r->buffer, s->data, size);
	r->size = size;
	r->complete = 1;
	first = r->next;
	if (!first)
		last = &first;
	if (++received % (SLOTS / 4) == 0)
		atomic_store_explicit(&in->head, received, memory_order_release);
	return 1;
}

static void wait_all(struct request *r, int n)
{
	for (int i = 0; i < n; i++)
		while (!r[i].complete)
			if (!poll())
				rest();
}

static void windows(void *with, size_t size, int n)
{
	struct uniband *u = with;
	struct request request[WINDOW], ack;
	unsigned char answer = 0;
	for (int i = 0; i < n; i++) {
		for (int k = 0; k < WINDOW; k++) {
			if (u->rank == 0)
				isend(0, u->data, size, 1, &request[k]);
			else
				irecv(u->data, size, 0, 1, &request[k]);
		}
		wait_all(request, WINDOW);
		if (u->rank == 0)
			irecv(&answer, 1, 1, 2, &ack);
		else
			isend(1, &answer, 1, 2, &ack);
		wait_all(&ack, 1);
	}
}

int main(int argc, char **argv)
{
	struct plan plan;
	struct uniband u = {.windows = windows};
	plan_read(&plan, argc, argv);
	if (plan_largest(&plan) > INLINE) {
		fprintf(stderr, "want messages of at most %d bytes\n", INLINE);
		return 2;
	}
	struct ring *rings = mmap(NULL, 2 * sizeof *rings, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (rings == MAP_FAILED) {
		perror("mmap of the rings");
		return 1;
	}
	u.line = line_map(NULL);
	u.rank = twins_fork();
	pin_rank(u.rank);
	out = &rings[u.rank];
	in = &rings[1 - u.rank];
	uniband_run(&u, &plan);
	return twins_join(u.rank);
}
