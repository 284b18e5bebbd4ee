package fdtd

import "gobench/internal/simd"

// border updates the points that depend on the halo, after it has arrived, and packs the columns
// for the neighbours.
func (s *Solver[T]) border() {
	h := s.halo
	if h.has(south) {
		s.kernel.Magnetic(s.hx.row(-1, 0, s.nx), s.e.row(-1, 0, s.nx), s.e.row(0, 0, s.nx), s.c)
	}
	if h.has(north) {
		s.kernel.Magnetic(s.hx.row(s.ny-1, 0, s.nx), s.e.row(s.ny-1, 0, s.nx), s.e.row(s.ny, 0, s.nx), s.c)
	}
	if h.has(west) || h.has(east) {
		for j := range s.ny {
			s.borderH(j)
			if j >= s.sweep.y0 && j < s.sweep.y1 {
				s.borderE(j)
			}
		}
	}
	// Whole rows that depend on the halo. A single row is both.
	if h.has(south) {
		s.electricRow(0)
	}
	if h.has(north) && !(s.ny == 1 && h.has(south)) {
		s.electricRow(s.ny - 1)
	}
	s.packRow(0)
	s.packRow(s.ny - 1)
}

// borderH updates Hy of row j at the west and east sides, with Ez of the neighbours from the
// buffers.
func (s *Solver[T]) borderH(j int) {
	if in := s.halo.in[east]; in != nil {
		h := s.hy.at(j, s.nx-1)
		*h = simd.YeeH(*h, in[j], *s.e.at(j, s.nx-1), s.c)
	}
	if in := s.halo.in[west]; in != nil {
		h := s.hy.at(j, -1)
		*h = simd.YeeH(*h, *s.e.at(j, 0), in[j], s.c)
	}
}

// borderE updates Ez of row j at the west and east sides. A single column is both.
func (s *Solver[T]) borderE(j int) {
	if out := s.halo.out[west]; out != nil {
		out[j] = s.electricAt(j, 0)
		if s.nx == 1 && s.halo.out[east] != nil {
			s.halo.out[east][j] = out[j]
			return
		}
	}
	if out := s.halo.out[east]; out != nil {
		out[j] = s.electricAt(j, s.nx-1)
	}
}

// electricAt updates Ez at one point and returns it.
func (s *Solver[T]) electricAt(j, i int) T {
	e := s.e.at(j, i)
	*e = simd.YeeE(*e, *s.hy.at(j, i), *s.hy.at(j, i-1), *s.hx.at(j, i), *s.hx.at(j-1, i), s.c)
	return *e
}

func (s *Solver[T]) electricRow(j int) {
	s.kernel.Electric(s.e.row(j, 0, s.nx), s.hx.row(j, 0, s.nx), s.hx.row(j-1, 0, s.nx), s.hy.row(j, -1, s.nx+1), s.c)
}

// packRow copies both ends of row j into the send buffers of the columns.
func (s *Solver[T]) packRow(j int) {
	s.halo.pack(j, 0, *s.e.at(j, 0))
	s.halo.pack(j, s.nx-1, *s.e.at(j, s.nx-1))
}

// packAll copies the columns into their send buffers, after Ez was set by other means than a step.
func (s *Solver[T]) packAll() {
	for j := range s.ny {
		s.packRow(j)
	}
}

// pack copies a point into the send buffers of the columns that contain it.
func (h *halo[T]) pack(j, i int, v T) {
	if i == 0 && h.out[west] != nil {
		h.out[west][j] = v
	}
	if out := h.out[east]; out != nil && i == h.last {
		out[j] = v
	}
}
