package ft

import (
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
