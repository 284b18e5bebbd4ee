/*
 * MG of the NAS Parallel Benchmarks in shared memory, operator by operator as the
 * official programs have it, as the compiler vectorises it.
 */
#include "kernel.h"

enum { LEVELS = 10 };

/* A level: n points along an axis and a layer of ghosts. */
struct level {
	int n;
	double *u, *r;
};

static const double operator_a[4] = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};
static double smoother[3];

#define AT(a, n, x, y, z) (a)[(x) + (size_t)((n) + 2) * ((y) + (size_t)((n) + 2) * (z))]

static void exchange(double *a, int n)
{
#pragma omp parallel for
	for (int z = 1; z <= n; z++) {
		for (int y = 1; y <= n; y++) {
			AT(a, n, 0, y, z) = AT(a, n, n, y, z);
			AT(a, n, n + 1, y, z) = AT(a, n, 1, y, z);
		}
		for (int x = 0; x < n + 2; x++) {
			AT(a, n, x, 0, z) = AT(a, n, x, n, z);
			AT(a, n, x, n + 1, z) = AT(a, n, x, 1, z);
		}
	}
	size_t plane = (size_t)(n + 2) * (n + 2) * sizeof(double);
	memcpy(&AT(a, n, 0, 0, 0), &AT(a, n, 0, 0, n), plane);
	memcpy(&AT(a, n, 0, 0, n + 1), &AT(a, n, 0, 0, 1), plane);
}

/* The sums over four neighbours in y or z, and in both, of a row. */
static void sums(const double *a, int n, int y, int z, double *restrict faces, double *restrict edges)
{
	const double *s = &AT(a, n, 0, y - 1, z), *t = &AT(a, n, 0, y + 1, z);
	const double *b = &AT(a, n, 0, y, z - 1), *c = &AT(a, n, 0, y, z + 1);
	const double *sb = &AT(a, n, 0, y - 1, z - 1), *tb = &AT(a, n, 0, y + 1, z - 1);
	const double *sc = &AT(a, n, 0, y - 1, z + 1), *tc = &AT(a, n, 0, y + 1, z + 1);
	for (int x = 0; x < n + 2; x++) {
		faces[x] = s[x] + t[x] + b[x] + c[x];
		edges[x] = sb[x] + tb[x] + sc[x] + tc[x];
	}
}

/* r = v - A u; r may be v. */
static void resid(double *r, const double *v, const double *u, int n)
{
#pragma omp parallel for
	for (int z = 1; z <= n; z++) {
		double f[n + 2], e[n + 2];
		for (int y = 1; y <= n; y++) {
			sums(u, n, y, z, f, e);
			const double *c = &AT(u, n, 0, y, z), *from = &AT(v, n, 0, y, z);
			double *to = &AT(r, n, 0, y, z);
#pragma omp simd
			for (int x = 1; x <= n; x++)
				to[x] = from[x] - operator_a[0] * c[x] - operator_a[2] * (e[x] + f[x - 1] + f[x + 1]) -
				        operator_a[3] * (e[x - 1] + e[x + 1]);
		}
	}
	exchange(r, n);
}

/* u = u + C r. */
static void psinv(double *u, const double *r, int n)
{
#pragma omp parallel for
	for (int z = 1; z <= n; z++) {
		double f[n + 2], e[n + 2];
		for (int y = 1; y <= n; y++) {
			sums(r, n, y, z, f, e);
			const double *c = &AT(r, n, 0, y, z);
			double *to = &AT(u, n, 0, y, z);
#pragma omp simd
			for (int x = 1; x <= n; x++)
				to[x] += smoother[0] * c[x] + smoother[1] * (c[x - 1] + c[x + 1] + f[x]) +
				         smoother[2] * (e[x] + f[x - 1] + f[x + 1]);
		}
	}
	exchange(u, n);
}

/* Restricts fine, of 2n points, to coarse. */
static void rprj3(double *coarse, const double *fine, int n)
{
#pragma omp parallel for
	for (int z = 1; z <= n; z++) {
		double f[2 * n + 2], e[2 * n + 2];
		for (int y = 1; y <= n; y++) {
			sums(fine, 2 * n, 2 * y, 2 * z, f, e);
			const double *c = &AT(fine, 2 * n, 0, 2 * y, 2 * z);
			for (int x = 1; x <= n; x++)
				AT(coarse, n, x, y, z) = 0.5 * c[2 * x] + 0.25 * (c[2 * x - 1] + c[2 * x + 1] + f[2 * x]) +
				                         0.125 * (f[2 * x - 1] + f[2 * x + 1] + e[2 * x]) +
				                         0.0625 * (e[2 * x - 1] + e[2 * x + 1]);
		}
	}
	exchange(coarse, n);
}

/* Adds the interpolation of the n points of coarse to fine, including ghosts. */
static void interp(double *fine, const double *coarse, int n)
{
	int m = 2 * n;
#pragma omp parallel for
	for (int z = 0; z <= n; z++) {
		double a[n + 2], b[n + 2], c[n + 2];
		for (int y = 0; y <= n; y++) {
			const double *p = &AT(coarse, n, 0, y, z);
			const double *py = &AT(coarse, n, 0, y + 1, z), *pz = &AT(coarse, n, 0, y, z + 1);
			const double *pyz = &AT(coarse, n, 0, y + 1, z + 1);
			for (int x = 0; x < n + 2; x++) {
				a[x] = py[x] + p[x];
				b[x] = pz[x] + p[x];
				c[x] = pyz[x] + pz[x] + a[x];
			}
			double *q = &AT(fine, m, 0, 2 * y, 2 * z), *qy = &AT(fine, m, 0, 2 * y + 1, 2 * z);
			double *qz = &AT(fine, m, 0, 2 * y, 2 * z + 1), *qyz = &AT(fine, m, 0, 2 * y + 1, 2 * z + 1);
			for (int x = 0; x <= n; x++) {
				q[2 * x] += p[x];
				q[2 * x + 1] += 0.5 * (p[x] + p[x + 1]);
			}
			for (int x = 0; x <= n; x++) {
				qy[2 * x] += 0.5 * a[x];
				qy[2 * x + 1] += 0.25 * (a[x] + a[x + 1]);
			}
			for (int x = 0; x <= n; x++) {
				qz[2 * x] += 0.5 * b[x];
				qz[2 * x + 1] += 0.25 * (b[x] + b[x + 1]);
			}
			for (int x = 0; x <= n; x++) {
				qyz[2 * x] += 0.25 * c[x];
				qyz[2 * x + 1] += 0.125 * (c[x] + c[x + 1]);
			}
		}
	}
}

static double norm(const double *r, int n)
{
	double sum = 0;
#pragma omp parallel for reduction(+ : sum)
	for (int z = 1; z <= n; z++)
		for (int y = 1; y <= n; y++) {
			const double *p = &AT(r, n, 0, y, z);
#pragma omp simd reduction(+ : sum)
			for (int x = 1; x <= n; x++)
				sum += p[x] * p[x];
		}
	return sqrt(sum / ((double)n * n * n));
}

static void zero(double *a, int n)
{
#pragma omp parallel for
	for (int z = 0; z < n + 2; z++)
		memset(&AT(a, n, 0, 0, z), 0, (size_t)(n + 2) * (n + 2) * sizeof(double));
}

static void vcycle(struct level *l, int top, const double *v)
{
	for (int k = top; k > 1; k--)
		rprj3(l[k - 1].r, l[k].r, l[k - 1].n);
	zero(l[1].u, l[1].n);
	psinv(l[1].u, l[1].r, l[1].n);
	for (int k = 2; k <= top; k++) {
		if (k < top)
			zero(l[k].u, l[k].n);
		interp(l[k].u, l[k - 1].u, l[k - 1].n);
		resid(l[k].r, k < top ? l[k].r : v, l[k].u, l[k].n);
		psinv(l[k].u, l[k].r, l[k].n);
	}
	resid(l[top].r, v, l[top].u, l[top].n);
}

/* Puts charges of one sign at the ten points with the most extreme numbers. */
static void charge(double *v, int n, double sign)
{
	double best[10];
	size_t place[10];
	for (int i = 0; i < 10; i++)
		best[i] = -2;
	uint64_t s = 314159265;
	for (size_t i = 0; i < (size_t)n * n * n; i++) {
		double x = sign * draw(&s);
		if (x <= best[9])
			continue;
		int k = 9;
		for (; k > 0 && best[k - 1] < x; k--)
			best[k] = best[k - 1], place[k] = place[k - 1];
		best[k] = x, place[k] = i;
	}
	for (int i = 0; i < 10; i++)
		AT(v, n, place[i] % n + 1, place[i] / n % n + 1, place[i] / n / n + 1) = sign;
}

static void start(struct level *top, double *v)
{
	zero(top->u, top->n);
	zero(v, top->n);
	charge(v, top->n, 1);
	charge(v, top->n, -1);
	exchange(v, top->n);
}

int main(int argc, char **argv)
{
	static const struct {
		char name;
		int top, niter, large;
		double norm;
	} classes[] = {
		{'S', 5, 4, 0, 0.5307707005734e-04}, {'W', 7, 4, 0, 0.6467329375339e-05},
		{'A', 8, 4, 0, 0.2433365309069e-05}, {'B', 8, 20, 1, 0.1800564401355e-05},
		{'C', 9, 20, 1, 0.5706732285740e-06},
	};
	int c = arguments(argc, argv, "SWABC");
	int top = classes[c].top;
	smoother[0] = classes[c].large ? -3.0 / 17 : -3.0 / 8;
	smoother[1] = classes[c].large ? 1.0 / 33 : 1.0 / 32;
	smoother[2] = classes[c].large ? -1.0 / 61 : -1.0 / 64;
	struct level l[LEVELS];
	for (int k = 1; k <= top; k++) {
		l[k].n = 1 << k;
		size_t n = (size_t)(l[k].n + 2) * (l[k].n + 2) * (l[k].n + 2);
		l[k].u = array(n * sizeof(double)), l[k].r = array(n * sizeof(double));
	}
	int n = l[top].n;
	double *v = array((size_t)(n + 2) * (n + 2) * (n + 2) * sizeof(double));
	start(&l[top], v);
	resid(l[top].r, v, l[top].u, n);
	vcycle(l, top, v);
	start(&l[top], v);

	double t = now();
	resid(l[top].r, v, l[top].u, n);
	norm(l[top].r, n);
	for (int i = 0; i < classes[c].niter; i++)
		vcycle(l, top, v);
	double found = norm(l[top].r, n);
	t = now() - t;

	int right = fabs(found - classes[c].norm) <= 1e-8 * classes[c].norm;
	return report("mg", argv, t, 58.0 * classes[c].niter * n * n * n, right);
}
