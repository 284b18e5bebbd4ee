/*
 * The loops of fdtd.c for one precision: REAL is the type, NAME(x) names x for it.
 * The scheme is that of package kernels/fdtd, in one pass over the rows. Rows
 * that a thread needs of its neighbours are copied before the pass.
 */

/* Points of a strip, which both halves of a step find in the first-level cache. */
enum { NAME(strip) = 4096 / sizeof(REAL) };

struct NAME(grid) {
	REAL *e, *hx, *hy, c;
	size_t stride;
	int nx, ny;
};

/* Updates row j. above is Ez of the row above, below is Hx of the row below. */
static void NAME(row)(const struct NAME(grid) *g, int j, const REAL *above, const REAL *below)
{
	REAL *restrict e = g->e + (size_t)(j + 1) * g->stride;
	REAL *restrict hx = g->hx + (size_t)(j + 1) * g->stride;
	REAL *restrict hy = g->hy + (size_t)(j + 1) * g->stride;
	const REAL *restrict a = above, *restrict b = below;
	const REAL c = g->c;

	hy[-1] += c * (e[0] - e[-1]);
	for (int lo = 0; lo < g->nx; lo += NAME(strip)) {
		int hi = lo + NAME(strip) < g->nx ? lo + NAME(strip) : g->nx;
		for (int i = lo; i < hi; i++) {
			hx[i] += c * (e[i] - a[i]);
			hy[i] += c * (e[i + 1] - e[i]);
		}
		for (int i = lo; i < hi; i++)
			e[i] += c * ((hy[i] - hy[i - 1]) - (hx[i] - b[i]));
	}
}

static void NAME(band)(const struct NAME(grid) *g, int lo, int hi, REAL *above, REAL *below, struct gate *gate)
{
	size_t bytes = (size_t)g->nx * sizeof(REAL);
	if (lo < hi && hi < g->ny)
		memcpy(above, g->e + (size_t)(hi + 1) * g->stride, bytes);
	if (lo < hi && lo > 0) {
		const REAL *e = g->e + (size_t)lo * g->stride, *hx = g->hx + (size_t)lo * g->stride;
		for (int i = 0; i < g->nx; i++)
			below[i] = hx[i] + g->c * (e[i] - e[i + g->stride]);
	}
	gate_pass(gate);
	if (lo == 0) {
		REAL *hx = g->hx, *e = g->e;
		for (int i = 0; i < g->nx; i++)
			hx[i] += g->c * (e[i] - e[i + g->stride]);
	}
	for (int j = lo; j < hi; j++)
		NAME(row)(g, j, j == hi - 1 && hi < g->ny ? above : g->e + (size_t)(j + 2) * g->stride,
			  j == lo && lo > 0 ? below : g->hx + (size_t)j * g->stride);
	gate_pass(gate);
}

/* Returns memory that nobody has touched. */
static REAL *NAME(field)(int ny, size_t stride, void **memory)
{
	size_t bytes = ((size_t)(ny + 2) * stride + 64 / sizeof(REAL)) * sizeof(REAL);
	*memory = paged(bytes);
	return (REAL *)*memory + 64 / sizeof(REAL);
}

/* One thread of a run. */
static void NAME(thread)(struct run *r, int thread)
{
	static struct NAME(grid) g;
	static void *memory[3];
	const size_t per = 64 / sizeof(REAL);
	if (thread == 0) {
		g.nx = r->nx, g.ny = r->ny, g.c = (REAL)0.7;
		g.stride = per + ((size_t)r->nx + per) / per * per;
		g.e = NAME(field)(r->ny, g.stride, &memory[0]);
		g.hx = NAME(field)(r->ny, g.stride, &memory[1]);
		g.hy = NAME(field)(r->ny, g.stride, &memory[2]);
	}
	gate_pass(&r->gate);
	int lo = (int)((long)r->ny * thread / r->threads), hi = (int)((long)r->ny * (thread + 1) / r->threads);
	/* Each thread touches its rows first, so that they lie near its core. */
	REAL *fields[3] = {g.e, g.hx, g.hy};
	size_t first = thread == 0 ? 0 : per + (size_t)(lo + 1) * g.stride;
	size_t end = per + (size_t)(thread == r->threads - 1 ? r->ny + 2 : hi + 1) * g.stride;
	for (int k = 0; k < 3; k++)
		memset(fields[k] - per + first, 0, (end - first) * sizeof(REAL));
	gate_pass(&r->gate);
	REAL *above = malloc((size_t)r->nx * sizeof(REAL)), *below = malloc((size_t)r->nx * sizeof(REAL));
	REAL *source = g.e + (size_t)(r->ny / 2 + 1) * g.stride + r->nx / 2;
	double start = 0;
	for (int n = -WARM; n < r->steps; n++) {
		if (n == 0 && thread == 0)
			start = now();
		NAME(band)(&g, lo, hi, above, below, &r->gate);
		if (thread == 0 && n >= 0)
			*source += (REAL)ricker(n);
		gate_pass(&r->gate);
	}
	if (thread == 0) {
		r->seconds = now() - start;
		double sum = 0;
		for (int j = 0; j < r->ny; j++)
			for (int i = 0; i < r->nx; i++) {
				double v = (double)g.e[(size_t)(j + 1) * g.stride + (size_t)i];
				sum += v * v;
			}
		r->sum = sum;
		for (int k = 0; k < 3; k++)
			free(memory[k]);
	}
	free(above);
	free(below);
	gate_pass(&r->gate);

	/* STREAM-like: three arrays of double, each number read and written once. */
	size_t n = r->stream, from = n * (size_t)thread / (size_t)r->threads, to = n * (size_t)(thread + 1) / (size_t)r->threads;
	for (int k = 0; k < 3; k++)
		for (size_t i = from; i < to; i++)
			r->arrays[k][i] = 1;
	for (int turn = 0; turn < TURNS; turn++) {
		gate_pass(&r->gate);
		double begin = now();
		for (int k = 0; k < 3; k++) {
			double *restrict a = r->arrays[k];
			for (size_t i = from; i < to; i++)
				a[i] = 0.999 * a[i];
		}
		gate_pass(&r->gate);
		double middle = now();
		double *restrict a = r->arrays[0];
		const double *restrict b = r->arrays[1], *restrict c = r->arrays[2];
		for (size_t i = from; i < to; i++)
			a[i] = b[i] + 0.999 * c[i];
		gate_pass(&r->gate);
		double end = now();
		if (thread == 0 && turn > 0) {
			double update = 6.0 * 8.0 * (double)n / (middle - begin), triad = 3.0 * 8.0 * (double)n / (end - middle);
			r->update = update > r->update ? update : r->update;
			r->triad = triad > r->triad ? triad : r->triad;
		}
	}
}
