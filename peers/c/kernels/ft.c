/*
 * FT of the NAS Parallel Benchmarks in shared memory, with transforms of radix 2
 * on sixteen lines at a time as the official programs have them, as the compiler
 * vectorises it.
 */
#include <complex.h>

#include "kernel.h"

enum { BLOCK = 16, LONGEST = 512, NITER = 20 };

typedef double complex number;

static int nx, ny, nz;
static number roots[LONGEST]; /* those of 2 points, of 4, of 8, ... one after the other */
static double *factor;        /* of every point, for one step of time */

#define AT(a, x, y, z) (a)[(x) + (size_t)nx * ((y) + (size_t)ny * (z))]

static void make_roots(int n)
{
	for (int l = 1; l < n; l *= 2)
		for (int i = 0; i < l; i++)
			roots[l + i - 1] = cexp(I * M_PI * i / l);
}

/* One pass of Stockham's algorithm: from n/2 to n/2 lines, l apart. */
static void pass(int sign, int l, int n, number (*restrict x)[BLOCK], number (*restrict y)[BLOCK])
{
	int li = n / (2 * l);
	for (int i = 0; i < li; i++) {
		number u = roots[li + i - 1];
		if (sign < 0)
			u = conj(u);
		for (int k = 0; k < l; k++)
			for (int j = 0; j < BLOCK; j++) {
				number a = x[i * l + k][j], b = x[i * l + n / 2 + k][j];
				y[2 * i * l + k][j] = a + b;
				y[2 * i * l + l + k][j] = u * (a - b);
			}
	}
}

/* Transforms BLOCK lines of n points; the result is in x. */
static void lines(int sign, int n, number (*x)[BLOCK], number (*y)[BLOCK])
{
	int passes = 0;
	for (int l = 1; l < n; l *= 2, passes++) {
		if (passes % 2 == 0)
			pass(sign, l, n, x, y);
		else
			pass(sign, l, n, y, x);
	}
	if (passes % 2)
		memcpy(x, y, n * sizeof *x);
}

static void along_x(int sign, const number *in, number *out)
{
#pragma omp parallel
	{
		number(*x)[BLOCK] = aligned_alloc(64, nx * sizeof *x), (*y)[BLOCK] = aligned_alloc(64, nx * sizeof *y);
#pragma omp for
		for (int z = 0; z < nz; z++)
			for (int first = 0; first < ny; first += BLOCK) {
				for (int j = 0; j < BLOCK; j++)
					for (int i = 0; i < nx; i++)
						x[i][j] = AT(in, i, first + j, z);
				lines(sign, nx, x, y);
				for (int j = 0; j < BLOCK; j++)
					for (int i = 0; i < nx; i++)
						AT(out, i, first + j, z) = x[i][j];
			}
		free(x), free(y);
	}
}

static void along_y(int sign, const number *in, number *out)
{
#pragma omp parallel
	{
		number(*x)[BLOCK] = aligned_alloc(64, ny * sizeof *x), (*y)[BLOCK] = aligned_alloc(64, ny * sizeof *y);
#pragma omp for
		for (int z = 0; z < nz; z++)
			for (int first = 0; first < nx; first += BLOCK) {
				for (int j = 0; j < ny; j++)
					memcpy(x[j], &AT(in, first, j, z), sizeof *x);
				lines(sign, ny, x, y);
				for (int j = 0; j < ny; j++)
					memcpy(&AT(out, first, j, z), x[j], sizeof *x);
			}
		free(x), free(y);
	}
}

static void along_z(int sign, const number *in, number *out)
{
#pragma omp parallel
	{
		number(*x)[BLOCK] = aligned_alloc(64, nz * sizeof *x), (*y)[BLOCK] = aligned_alloc(64, nz * sizeof *y);
#pragma omp for
		for (int j = 0; j < ny; j++)
			for (int first = 0; first < nx; first += BLOCK) {
				for (int z = 0; z < nz; z++)
					memcpy(x[z], &AT(in, first, j, z), sizeof *x);
				lines(sign, nz, x, y);
				for (int z = 0; z < nz; z++)
					memcpy(&AT(out, first, j, z), x[z], sizeof *x);
			}
		free(x), free(y);
	}
}

/* The initial state. */
static void begin(number *u)
{
#pragma omp parallel for
	for (int z = 0; z < nz; z++) {
		uint64_t s = ahead(314159265, (uint64_t)2 * nx * ny * z);
		for (size_t i = 0; i < (size_t)nx * ny; i++) {
			double re = draw(&s);
			AT(u, i, 0, z) = re + I * draw(&s);
		}
	}
}

static int frequency(int i, int n) { return (i + n / 2) % n - n / 2; }

static void make_factor(void)
{
#pragma omp parallel for
	for (int z = 0; z < nz; z++)
		for (int y = 0; y < ny; y++)
			for (int x = 0; x < nx; x++) {
				int kx = frequency(x, nx), ky = frequency(y, ny), kz = frequency(z, nz);
				AT(factor, x, y, z) = exp(-4e-6 * M_PI * M_PI * (kx * kx + ky * ky + kz * kz));
			}
}

/* One step of time: multiplies the spectrum by the factor, and copies it. */
static void evolve(number *restrict spectrum, number *restrict out)
{
#pragma omp parallel for simd
	for (size_t i = 0; i < (size_t)nx * ny * nz; i++)
		out[i] = spectrum[i] *= factor[i];
}

static number checksum(const number *u)
{
	number sum = 0;
	for (int j = 1; j <= 1024; j++)
		sum += AT(u, j % nx, 3 * j % ny, 5 * j % nz);
	return sum / ((double)nx * ny * nz);
}

static void forward(number *u, number *out)
{
	make_factor();
	begin(u);
	make_roots(LONGEST);
	along_x(1, u, u);
	along_y(1, u, u);
	along_z(1, u, out);
}

int main(int argc, char **argv)
{
	static const struct {
		char name;
		int n[3], niter;
		double re, im; /* the last checksum */
	} classes[] = {
		{'S', {64, 64, 64}, 6, 554.2683411902, 493.2597244941},
		{'W', {128, 128, 32}, 6, 550.4159734538, 523.9212247086},
		{'A', {256, 256, 128}, 6, 509.1487099959, 510.7917842803},
		{'B', {512, 256, 256}, 20, 512.4146770029, 511.5744692211},
		{'C', {512, 512, 512}, 20, 512.9714421109, 512.3465164008},
	};
	int c = arguments(argc, argv, "SWABC");
	nx = classes[c].n[0], ny = classes[c].n[1], nz = classes[c].n[2];
	size_t n = (size_t)nx * ny * nz;
	number *spectrum = array(n * sizeof(number)), *u = array(n * sizeof(number));
	factor = array(n * sizeof(double));
	forward(u, spectrum);

	double t = now();
	forward(u, spectrum);
	number sums[NITER];
	for (int i = 0; i < classes[c].niter; i++) {
		evolve(spectrum, u);
		along_z(-1, u, u);
		along_y(-1, u, u);
		along_x(-1, u, u);
		sums[i] = checksum(u);
	}
	t = now() - t;

	number last = sums[classes[c].niter - 1], want = classes[c].re + I * classes[c].im;
	int right = cabs(last - want) <= 1e-11 * cabs(want);
	return report("ft", argv, t, n * (14.8157 + 7.19641 * log(n) + (5.23518 + 7.21113 * log(n)) * classes[c].niter), right);
}
