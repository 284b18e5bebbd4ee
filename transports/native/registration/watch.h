// Detects that memory is unmapped or released, so that no registration outlives its pages.
#ifndef GOBENCH_WATCH_H
#define GOBENCH_WATCH_H

#include <stdint.h>

struct range {
	uint64_t start, end;
};

enum { RANGES = 256 };

struct watch;

const char *gb_watch_open(struct watch **w, int *error);
void gb_watch_close(struct watch *w);
int gb_watch_add(struct watch *w, uint64_t start, uint64_t end);
int gb_watch_changed(struct watch *w);
int gb_watch_take(struct watch *w, struct range *ranges);

#endif
