//go:build cgo && (ucx || ofi || mxm)

#include "core.h"

struct tagged_core *tagged_core(struct tagged *t) { return &t->core; }

int tagged_grow(struct tagged *t)
{
	enum { MORE = 64 };
	if (t->count + MORE > t->room) {
		int room = t->room ? 2 * t->room : 16 * MORE;
		void *slots = realloc(t->slots, room * sizeof *t->slots);
		if (!slots)
			return 0;
		t->slots = slots;
		t->room = room;
	}
	struct tagged_slot *more = calloc(MORE, sizeof *more);
	if (!more)
		return 0;
	for (int i = MORE - 1; i >= 0; i--) {
		more[i].core = &t->core;
		more[i].number = t->count + i;
		more[i].next = t->unused;
		t->slots[t->count + i] = t->unused = &more[i];
	}
	t->count += MORE;
	return 1;
}

struct tagged *tagged_new(struct tagged_ops *ops, int rank, int ranks, int source, uint64_t sync, uint64_t control)
{
	if (ops->size != sizeof *ops)
		return NULL;
	struct tagged *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->core.last_sync = &t->core.syncs;
	t->ops = *ops;
	t->rank = rank;
	t->ranks = ranks;
	t->source = source;
	t->sources = 1;
	while ((int64_t)t->sources < ranks - 1)
		t->sources = 2 * t->sources + 1;
	t->sync = sync;
	t->control = control;
	if (!(t->core.fates = calloc(ranks, sizeof *t->core.fates)) || !(t->accesses = calloc(ranks, sizeof *t->accesses))) {
		tagged_free(t);
		return NULL;
	}
	return t;
}

void tagged_free(struct tagged *t)
{
	for (int i = 0; i < t->count; i++)
		free(t->slots[i]->memory);
	for (int i = 0; i < t->count; i += 64)
		free(t->slots[i]);
	free(t->slots);
	free(t->core.fates);
	free(t->accesses);
	free(t);
}
