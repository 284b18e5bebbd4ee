//go:build verbs && cgo

#include "loop.h"
#include <string.h>

// expected reports whether what the last poll has found is the packet that the loop waits for, and
// nothing else.
static int expected(const struct rail *r, const struct loop *l)
{
	const struct event *e = &r->events[0];
	return r->count == 1 && e->kind == PACKET && e->queue == l->queue && e->length == l->length && e->header[0] == l->header[0] &&
	       e->header[2] == l->header[2];
}

// gb_loop sends and receives in turn until all is done, or until something else comes or nothing for
// turns looks. It returns the number of events that the caller must see to before it goes on, or a negative errno.
int gb_loop(struct rail *r, struct loop *l, const void *out, void *in, int64_t *at, uint32_t turns)
{
	while (l->sends + l->receives > 0) {
		if (l->sending) {
			int e = gb_send(r, l->queue, l->header[0], l->header[1], l->header[2], out, l->length, 0);
			if (e < 0)
				return e;
			if (e == 0) {
				l->sends--;
				l->sending = 0;
				if (l->sends == l->receives)
					round_over(&l->stamps, at);
				continue;
			}
		}
		int n = gb_poll(r, l->sending ? 1 : turns);
		if (n == 0 && l->sending)
			return 0; // no room: the caller tries again
		if (n <= 0 || l->sending || !expected(r, l))
			return n;
		memcpy(in, r->events[0].data, l->length);
		l->heard = r->events[0].header[1];
		l->header[1] += l->credit;
		l->receives--;
		l->sending = 1;
		if (l->sends == l->receives)
			round_over(&l->stamps, at);
	}
	return 0;
}
