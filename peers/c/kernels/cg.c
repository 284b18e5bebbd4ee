/* CG: conjugate gradients with a random sparse matrix, whose rows are divided among the threads. */
#include "kernel.h"

static const struct {
	int n, nonzer, niter;
	double shift, zeta;
} size[] = {
	{1400, 7, 15, 10, 8.5971775078648}, {7000, 8, 15, 12, 10.362595087124},
	{14000, 11, 15, 20, 17.130235054029}, {75000, 13, 75, 60, 22.712745482631},
};

static int n, *row, *col, class;
static double *val, *x, *z, *p, *q, *r;

/* Entries in the order of generation, then sorted into rows, equal places added. */
static void make_matrix(void)
{
	int nonzer = size[class].nonzer, ceiling = 1;
	long most = (long)n * (nonzer + 1);
	int *index = malloc(most * sizeof *index), *first = malloc((n + 1) * sizeof *first);
	double *value = malloc(most * sizeof *value), *sum = calloc(n, sizeof *sum), *weight = malloc(n * sizeof *weight);
	int *uses = calloc(n + 1, sizeof *uses), *user = malloc(most * sizeof *user), *place = malloc(most * sizeof *place);
	uint64_t s = ahead(314159265, 1);
	while (ceiling < n)
		ceiling *= 2;
	long at = 0;
	for (int i = 0; i < n; i++) {
		first[i] = at;
		while (at - first[i] < nonzer) {
			double v = draw(&s);
			int c = (int)(ceiling * draw(&s)), twice = c >= n;
			for (long k = first[i]; k < at && !twice; k++)
				twice = index[k] == c;
			if (twice)
				continue;
			index[at] = c;
			value[at++] = v;
		}
		long k = first[i];
		while (k < at && index[k] != i)
			k++;
		index[k] = i;
		value[k] = 0.5;
		at += k == at;
	}
	first[n] = at;
	double ratio = pow(0.1, 1.0 / n);
	for (int i = 0; i < n; i++)
		weight[i] = i ? weight[i - 1] * ratio : 1;
	for (long k = 0; k < at; k++)
		uses[index[k] + 1]++;
	for (int i = 0; i < n; i++)
		uses[i + 1] += uses[i];
	int *next = malloc(n * sizeof *next);
	memcpy(next, uses, n * sizeof *next);
	for (int i = 0; i < n; i++)
		for (int k = first[i]; k < first[i + 1]; k++) {
			int u = next[index[k]]++;
			user[u] = i;
			place[u] = k;
		}
	long entries = (long)n * (nonzer + 1) * (nonzer + 1);
	row = array((n + 1) * sizeof *row);
	col = array(entries * sizeof *col);
	val = array(entries * sizeof *val);
	char *seen = calloc(n, 1);
	long m = 0;
	for (int i = 0; i < n; i++) {
		row[i] = m;
		long begin = m;
		for (int u = uses[i]; u < uses[i + 1]; u++)
			for (int k = first[user[u]]; k < first[user[u] + 1]; k++) {
				int j = index[k];
				if (!seen[j])
					seen[j] = 1, col[m++] = j;
				sum[j] += value[place[u]] * (weight[user[u]] * value[k]);
			}
		sum[i] += 0.1 - size[class].shift;
		for (long a = begin + 1; a < m; a++) { /* rows are short */
			int c = col[a];
			long b = a;
			for (; b > begin && col[b - 1] > c; b--)
				col[b] = col[b - 1];
			col[b] = c;
		}
		for (long a = begin; a < m; a++)
			val[a] = sum[col[a]], sum[col[a]] = 0, seen[col[a]] = 0;
	}
	row[n] = m;
}

static void multiply(double *out, const double *in)
{
#pragma omp for schedule(static)
	for (int i = 0; i < n; i++) {
		double s = 0;
#pragma omp simd reduction(+ : s)
		for (int k = row[i]; k < row[i + 1]; k++)
			s += val[k] * in[col[k]];
		out[i] = s;
	}
}

static double dot_sum;

static double dot(const double *a, const double *b)
{
#pragma omp single
	dot_sum = 0;
#pragma omp for simd schedule(static) reduction(+ : dot_sum)
	for (int i = 0; i < n; i++)
		dot_sum += a[i] * b[i];
	double d = dot_sum;
#pragma omp barrier
	return d;
}

static void solve(void)
{
#pragma omp for schedule(static)
	for (int i = 0; i < n; i++)
		z[i] = 0, r[i] = p[i] = x[i];
	double rho = dot(r, r);
	for (int step = 0; step < 25; step++) {
		multiply(q, p);
		double alpha = rho / dot(p, q);
#pragma omp for schedule(static)
		for (int i = 0; i < n; i++) {
			z[i] += alpha * p[i];
			r[i] -= alpha * q[i];
		}
		double old = rho;
		rho = dot(r, r);
#pragma omp for schedule(static)
		for (int i = 0; i < n; i++)
			p[i] = r[i] + rho / old * p[i];
	}
	multiply(q, z);
}

int main(int argc, char **argv)
{
	class = arguments(argc, argv, "SWAB");
	n = size[class].n;
	make_matrix();
	double **vectors[] = {&x, &z, &p, &q, &r};
	for (int i = 0; i < 5; i++)
		*vectors[i] = array(n * sizeof(double));
	double zeta = 0, begin = 0;
#pragma omp parallel
	for (int it = 0; it <= size[class].niter; it++) {
		if (it <= 1) {
#pragma omp for schedule(static)
			for (int i = 0; i < n; i++)
				x[i] = 1;
		}
#pragma omp single
		if (it == 1)
			begin = now();
		solve();
		double xz = dot(x, z), scale = 1 / sqrt(dot(z, z));
#pragma omp for schedule(static)
		for (int i = 0; i < n; i++)
			x[i] = scale * z[i];
#pragma omp single
		zeta = size[class].shift + 1 / xz;
	}
	double seconds = now() - begin;
	double w = size[class].nonzer * (size[class].nonzer + 1.0);
	return report("cg", argv, seconds, 2.0 * size[class].niter * n * (3 + w + 25 * (5 + w) + 3),
		      fabs(zeta - size[class].zeta) / size[class].zeta <= 1e-10);
}
