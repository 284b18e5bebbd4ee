/*
 * The least memory traffic and the working set of a run of a kernel; docs/notes/npb.md derives the
 * numbers.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include <math.h>
#include <string.h>

struct traffic {
	double operations; /* by NPB's formula */
	double bytes;      /* of one run */
	double size;       /* bytes that are traversed again and again */
};

/*
 * CG reads the matrix 26 times in each iteration: 12 bytes for each entry, or 10 if 16 bits suffice
 * for the columns of a rank's block. Vectors stay in caches.
 */
static inline void traffic_cg(struct traffic *t, int class, int ranks)
{
	static const struct { double n, nonzer, niter, entries; } size[] = {
		{1400, 7, 15, 78148}, {7000, 8, 15, 508402}, {14000, 11, 15, 1853104}, {75000, 13, 75, 13708072},
	};
	double w = size[class].nonzer * (size[class].nonzer + 1), entry = 12;
	int l = 0;
	while (2 << l <= ranks)
		l++;
	if (ceil(size[class].n / (1 << (l - l / 2))) <= 1 << 16)
		entry = 10;
	t->operations = 2 * size[class].niter * size[class].n * (3 + w + 25 * (5 + w) + 3);
	t->bytes = size[class].niter * 26 * entry * size[class].entries;
	t->size = entry * size[class].entries;
}

/*
 * FT traverses complex arrays five times for each transform: lines along z read one array and write
 * another including the read for ownership; planes are read and written. The first transform
 * generates its planes, which needs no read except for ownership. Several ranks send the array in
 * between (read, write, read for ownership).
 */
static inline void traffic_ft(struct traffic *t, int class, int ranks)
{
	static const struct { double n, niter; } size[] = {{1 << 18, 6}, {1 << 19, 6}, {1 << 23, 6}, {1 << 25, 20}};
	double n = size[class].n, niter = size[class].niter;
	t->operations = n * (14.8157 + 7.19641 * log(n) + (5.23518 + 7.21113 * log(n)) * niter);
	t->bytes = 16 * n * (ranks > 1 ? 8 : 5) * (niter + 1);
	t->size = (ranks > 1 ? 3 : 2) * 16 * n;
}

/*
 * IS on one rank reads the keys once, to count them. Several ranks read them for the bucket sizes,
 * sort them into buckets (read, write, and the read for ownership of a write), send them (the same),
 * and read them once more.
 */
static inline void traffic_is(struct traffic *t, int class, int ranks)
{
	static const int bits[] = {16, 20, 23, 25};
	double keys = 1 << bits[class];
	t->operations = 10 * keys;
	t->bytes = 10 * (ranks > 1 ? 32 : 4) * keys;
	t->size = (ranks > 1 ? 12 : 4) * keys;
}

/*
 * MG counts pairs of operators as one pass; gobench moves less by fusing all operators of a level.
 * Arrays of the finest grid are traversed 11 times per cycle: correction and residual read and
 * write u, read v, and write r including the read for ownership (5); smoother and residual read r,
 * read and write u, read v and write r (5); the restriction reads r (1). The next level, with
 * arrays of an eighth of the size, is traversed ten times (the zero u is not read); lower levels
 * stay in caches. A residual (4) and a norm precede the first cycle, a norm follows the last.
 */
static inline void traffic_mg(struct traffic *t, int class)
{
	static const struct { double n, niter; } size[] = {{32, 4}, {128, 4}, {256, 4}, {256, 20}};
	double points = size[class].n * size[class].n * size[class].n;
	t->operations = 58 * size[class].niter * points;
	t->bytes = 8 * points * (size[class].niter * (11 + 10.0 / 8) + 6);
	t->size = 3 * 8 * points;
}

/* Returns 0 for a kernel that memory does not limit, or an unknown class. */
static inline int traffic_of(struct traffic *t, const char *kernel, const char *name, int ranks)
{
	static const char classes[] = "SWAB";
	const char *at = name[0] && !name[1] ? strchr(classes, name[0]) : NULL;
	int class = at ? (int)(at - classes) : -1;
	if (class < 0)
		return 0;
	if (!strcmp(kernel, "cg"))
		traffic_cg(t, class, ranks);
	else if (!strcmp(kernel, "ft"))
		traffic_ft(t, class, ranks);
	else if (!strcmp(kernel, "is"))
		traffic_is(t, class, ranks);
	else if (!strcmp(kernel, "mg"))
		traffic_mg(t, class);
	else
		return 0;
	return 1;
}

#endif
