package ft

import (
	"math"

	"gobench/internal/simd"
	"gobench/kernels/application"
	"gobench/kernels/npb/random"
)

// jobs makes the jobs of the threads.
func (s *solver) jobs() {
	fours := (s.y1*s.z + simd.Lanes - 1) / simd.Lanes
	y := columnPass{plan: s.plans[1], from: s.near, to: s.far}
	yBack := columnPass{plan: s.plans[1], from: s.far, to: s.near, back: true}
	if s.np1 > 1 {
		s.begin = s.share(fours, s.makeRows)
		s.forwardY = s.alongY(y)
		s.backY = s.alongY(yBack)
		s.backX = s.share(fours, s.backRows)
	} else {
		// x and y of a plane together, while it is in the cache.
		perPlane := s.y1 / simd.Lanes
		s.begin = s.share(s.z, func(sc *scratch, z int) {
			for i := range perPlane {
				s.makeRows(sc, z*perPlane+i)
			}
			y.run(s.kernels, sc, s.data, s.data, z*s.farPlane, z*s.farPlane, s.x)
		})
		s.planes = s.share(s.z, func(sc *scratch, z int) {
			yBack.run(s.kernels, sc, s.data, s.data, z*s.farPlane, z*s.farPlane, s.x)
			for i := range perPlane {
				s.backRows(sc, z*perPlane+i)
			}
		})
	}
	z := columnPass{plan: s.plans[2], from: s.deep, to: s.deep}
	s.forwardZ = s.share(s.y2, func(sc *scratch, y int) {
		z.run(s.kernels, sc, s.spectrum, s.data, 2*s.x*y, 2*s.x*y, s.x)
	})
	zBack := columnPass{plan: s.plans[2], from: s.deep, to: s.deep, back: true, lines: s.growth.x}
	s.backZ = s.share(s.y2, func(sc *scratch, y int) {
		s.growth.points(sc.points, y)
		zBack.run(s.kernels, sc, s.data, s.spectrum, 2*s.x*y, 2*s.x*y, s.x)
	})
}

// share returns a job in which each thread does its part of items 0 to n - 1.
func (s *solver) share(n int, item func(sc *scratch, i int)) func(thread int) {
	return func(thread int) {
		lo, hi := application.Part(n, thread, s.rank.Team.Threads())
		for i := lo; i < hi; i++ {
			item(&s.scratch[thread], i)
		}
	}
}

// alongY returns the job that transforms lines along y from data to spare.
func (s *solver) alongY(p columnPass) func(thread int) {
	from, to := s.nearPlane, s.farPlane
	if p.back {
		from, to = to, from
	}
	return s.share(s.z, func(sc *scratch, z int) {
		p.run(s.kernels, sc, s.spare, s.data, z*to, z*from, s.x)
	})
}

// four returns the rows of bundle i. The last bundle wraps around to the first rows.
func (s *solver) four(i int) (rows [simd.Lanes]int) {
	for k := range rows {
		rows[k] = (simd.Lanes*i + k) % (s.y1 * s.z)
	}
	return rows
}

// makeRows fills a bundle of rows with the initial state and transforms them along x.
func (s *solver) makeRows(sc *scratch, i int) {
	nx := s.n[0]
	rows := s.four(i)
	for k, row := range rows {
		y, z := s.me1*s.y1+row%s.y1, s.me2*s.z+row/s.y1
		stream := random.At(random.Seed, uint64(2*nx)*uint64(y+s.n[1]*z))
		stream.Fill(sc.rows[2*nx*k : 2*nx*(k+1)])
	}
	s.kernels.Rows(sc.bundles, sc.rows, [simd.Lanes]int{0, 2 * nx, 4 * nx, 6 * nx}, nx, false)
	s.plans[0].transform(s.kernels, sc.bundles, sc.others)
	s.putRows(sc.result(s.plans[0]), rows, false)
}

// backRows transforms a bundle of rows along x in place.
func (s *solver) backRows(sc *scratch, i int) {
	rows := s.four(i)
	for block, at := range s.blocks {
		s.kernels.Rows(sc.bundles[simd.Point*block*s.x:], s.data, s.starts(rows, at), s.x, true)
	}
	s.plans[0].transform(s.kernels, sc.bundles, sc.others)
	s.putRows(sc.result(s.plans[0]), rows, true)
}

// putRows writes transformed rows to the data.
func (s *solver) putRows(bundle []float64, rows [simd.Lanes]int, back bool) {
	for block, at := range s.blocks {
		s.kernels.FromRows(s.data, bundle[simd.Point*block*s.x:], s.starts(rows, at), s.x, back)
	}
}

// starts returns the offsets of the rows in a block.
func (s *solver) starts(rows [simd.Lanes]int, block int) [simd.Lanes]int {
	for k, row := range rows {
		rows[k] = block + s.row(row)
	}
	return rows
}

// columnPass transforms lines that are not contiguous in memory: point k of the line of a column
// lies from[k] numbers after the place of the column in the source, and to[k] after its place in
// the destination.
type columnPass struct {
	plan     *plan
	from, to []int
	back     bool
	lines    []float64 // factors of the columns, in the order of bundles; nil for none
}

// run transforms wide neighbouring columns, the first of which is at offsetFrom of src and at
// offsetTo of dst. dst may be src if the places are the same. The factors along the lines are in
// s.points.
func (p *columnPass) run(f *simd.Fourier, s *scratch, dst, src []float64, offsetTo, offsetFrom, wide int) {
	r := room(p.plan.n)
	for x := 0; x < wide; x += tile * simd.Lanes {
		count := min(tile, (wide-x)/simd.Lanes)
		if count == 0 {
			p.narrow(f, s, dst, src, offsetTo+2*x, offsetFrom+2*x, wide-x)
			return
		}
		if p.lines == nil {
			f.Columns(s.bundles, src, p.from, offsetFrom+2*x, count, r, p.back)
		} else {
			f.Scaled(s.bundles, src, p.from, offsetFrom+2*x, count, r, p.back, p.lines[x:], s.points)
		}
		for b := range count {
			p.plan.transform(f, s.bundles[b*r:(b+1)*r], s.others[b*r:(b+1)*r])
		}
		f.FromColumns(dst, s.result(p.plan), p.to, offsetTo+2*x, count, r, p.back)
	}
}

// narrow transforms fewer columns than a bundle has, which happens with the largest numbers of
// ranks.
func (p *columnPass) narrow(f *simd.Fourier, s *scratch, dst, src []float64, offsetTo, offsetFrom, wide int) {
	re, im := 0, simd.Lanes
	if p.back {
		re, im = im, re
	}
	bundle := s.bundles[:room(p.plan.n)]
	clear(bundle)
	for k, at := range p.from {
		for i := range wide {
			scale := 1.0
			if p.lines != nil {
				scale = p.lines[i] * s.points[k]
			}
			bundle[simd.Point*k+re+i] = scale * src[at+offsetFrom+2*i]
			bundle[simd.Point*k+im+i] = scale * src[at+offsetFrom+2*i+1]
		}
	}
	p.plan.transform(f, bundle, s.others)
	done := s.result(p.plan)
	for k, at := range p.to {
		for i := range wide {
			dst[at+offsetTo+2*i], dst[at+offsetTo+2*i+1] = done[simd.Point*k+re+i], done[simd.Point*k+im+i]
		}
	}
}

// plan holds the twiddle factors of transforms of n points, a power of two from 2 on, for each pass
// of radix 4.
type plan struct {
	n      int
	passes [][]float64
}

func newPlan(n int) plan {
	p := plan{n: n}
	for left := n; left >= 4; left /= 4 {
		p.passes = append(p.passes, make([]float64, 6*(left/4)+1))
	}
	p.fill()
	return p
}

// fill computes the twiddle factors.
func (p *plan) fill() {
	left := p.n
	for _, w := range p.passes {
		for i := range left / 4 {
			for k := range 3 {
				sin, cos := math.Sincos(-2 * math.Pi * float64(i*(k+1)) / float64(left))
				w[6*i+2*k], w[6*i+2*k+1] = cos, sin
			}
		}
		left /= 4
	}
}

// changes reports whether a transform leaves its result in its second array.
func (p *plan) changes() bool {
	passes := len(p.passes)
	if p.n != 1<<(2*passes) {
		passes++ // of radix 2
	}
	return passes%2 == 1
}

// transform transforms the lines of a bundle with the kernel exp(-2 pi i jk/n), without
// normalisation. The result is in other if p.changes(), else in bundle.
func (p *plan) transform(f *simd.Fourier, bundle, other []float64) {
	left, side := p.n, 1
	for _, w := range p.passes {
		f.Radix4(other, bundle, w, left, side)
		bundle, other = other, bundle
		left, side = left/4, side*4
	}
	if left == 2 {
		f.Radix2(other, bundle, side)
	}
}
