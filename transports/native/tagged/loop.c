//go:build cgo && (ucx || ofi || mxm)

#include "core.h"

int tagged_pingpong(struct tagged *t, struct tagged_loop *l)
{
	enum { HALVES = 256 }; // of one call, so that the caller can look at its peers
	for (int i = 0; l->left > 0; i++) {
		if (i == HALVES)
			return TAGGED_BUSY;
		if (!l->taken) {
			struct tagged_op *op = l->sending ? &l->send : &l->receive;
			int e = l->sending ? tagged_send(t, op) : tagged_receive(t, op);
			if (e == TAGGED_EVENT)
				e = TAGGED_BEGAN;
			if (e == TAGGED_DONE && op->status < 0)
				e = op->status;
			if (e != TAGGED_DONE)
				return e;
		}
		l->taken = 0;
		l->sending ^= 1;
		if (--l->left % 2 == 0)
			round_over(&l->stamps, l->at);
	}
	return TAGGED_DONE;
}

int tagged_settle(struct tagged *t, struct tagged_op *op)
{
	struct tagged_accesses *a = &t->accesses[op->peer];
	for (int i = 0;; i++) {
		if (!a->open) {
			op->status = a->status;
			a->status = 0;
			return TAGGED_DONE;
		}
		if (t->core.event)
			return TAGGED_EVENT;
		if (i == op->turns)
			return TAGGED_BEGAN;
		tagged_progress(t);
	}
}

int tagged_watch(struct tagged *t, struct tagged_op *op)
{
	for (int i = 0;; i++) {
		if (__atomic_load_n((uint8_t *)op->buffer, __ATOMIC_ACQUIRE) == (uint8_t)op->tag)
			return TAGGED_DONE;
		if (t->core.event)
			return TAGGED_EVENT;
		if (i == op->turns)
			return TAGGED_BEGAN;
		tagged_progress(t);
	}
}
