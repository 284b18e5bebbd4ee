package fdtd

import (
	"slices"

	"gobench/internal/simd"
	"gobench/kernels/application"
)

// sweep updates the points that do not depend on the halo, in one pass over the rows from below.
// Each thread has a band of rows.
type sweep[T Real] struct {
	bands []band[T]
	// Ez does not depend on the halo at points x0 to x1-1 of rows y0 to y1-1.
	x0, x1, y0, y1 int
	every          int // rows between calls of progress; more than there are: no calls
	// Jobs of the threads, made once because a method value allocates.
	save, update func(thread int)
	err          error
}

// band holds the rows of a thread and copies of the rows of other bands that it needs: Ez of the
// row above before the sweep, and Hx of the row below after its update.
type band[T Real] struct {
	lo, hi       int
	above, below []T
	_            [line]byte
}

const (
	// between is the number of points updated between calls of progress.
	between = 16 << 10
	// prompt is the size in bytes up to which messages are sent immediately and need no progress.
	// With progress, fields in a cache take up to a tenth longer (docs/notes/fdtd.md).
	prompt = 16 << 10
)

func (w *sweep[T]) prepare(s *Solver[T]) {
	one := func(has bool) int {
		if has {
			return 1
		}
		return 0
	}
	w.x0, w.x1 = one(s.halo.has(west)), s.nx-one(s.halo.has(east))
	w.y0, w.y1 = one(s.halo.has(south)), s.ny-one(s.halo.has(north))
	w.every = max(1, between/s.nx)
	if slices.Max(s.halo.bytes[:]) <= prompt {
		w.every = s.ny + 1
	}
	w.bands = make([]band[T], s.rank.Team.Threads())
	for i := range w.bands {
		b := &w.bands[i]
		b.lo, b.hi = application.Part(s.ny, i, len(w.bands))
		b.above, b.below = make([]T, s.nx), make([]T, s.nx)
	}
	w.save = func(thread int) { s.save(&w.bands[thread]) }
	w.update = func(thread int) {
		if err := s.update(&w.bands[thread], thread == 0); err != nil {
			w.err = err
		}
	}
}

// inner updates all points that do not depend on the halo.
func (w *sweep[T]) inner(s *Solver[T]) error {
	team := s.rank.Team
	if team.Threads() > 1 {
		team.Run(w.save)
	}
	team.Run(w.update)
	return w.err
}

// save copies the rows of the bands next to b that they will change.
func (s *Solver[T]) save(b *band[T]) {
	if b.lo == b.hi {
		return
	}
	if b.hi < s.ny {
		copy(b.above, s.e.row(b.hi, 0, s.nx))
	}
	if b.lo > 0 {
		copy(b.below, s.hx.row(b.lo-1, 0, s.nx))
		s.kernel.Magnetic(b.below, s.e.row(b.lo-1, 0, s.nx), s.e.row(b.lo, 0, s.nx), s.c)
	}
}

// update updates a band. The thread that communicates also makes progress on the messages.
func (s *Solver[T]) update(b *band[T], communicates bool) error {
	if b.lo == 0 && b.hi > 0 && !s.halo.has(south) {
		s.kernel.Magnetic(s.hx.row(-1, 0, s.nx), s.e.row(-1, 0, s.nx), s.e.row(0, 0, s.nx), s.c)
	}
	for j := b.lo; j < b.hi; j++ {
		above, below := s.e.row(j+1, 0, s.nx), s.hx.row(j-1, 0, s.nx)
		if j == b.hi-1 && b.hi < s.ny {
			above = b.above
		}
		if j == b.lo && b.lo > 0 {
			below = b.below
		}
		s.updateRow(j, above, below)
		if communicates && (j+1)%s.sweep.every == 0 {
			if err := s.halo.progress(); err != nil {
				return err
			}
		}
	}
	return nil
}

// updateRow updates the points of row j that do not depend on the halo.
func (s *Solver[T]) updateRow(j int, above, below []T) {
	w := &s.sweep
	if j < w.y0 || j >= w.y1 || w.x0 >= w.x1 {
		s.updateH(j, above)
		return
	}
	n := w.x1 - w.x0
	// Both expects that Hy before its first point is updated. That is Hy on the side of the wall,
	// or of the first point of the row, whose Ez depends on the halo.
	s.hyAt(j, w.x0-1)
	for i := range w.x0 {
		s.hxAt(j, i, above)
	}
	s.kernel.Both(s.e.row(j, w.x0, n+1), above[w.x0:], s.hx.row(j, w.x0, n), below[w.x0:], s.hy.row(j, w.x0-1, n+1), s.c)
	for i := w.x1; i < s.nx; i++ {
		s.hxAt(j, i, above)
	}
}

// updateH updates H of a row whose Ez depends on the halo at all points.
func (s *Solver[T]) updateH(j int, above []T) {
	if j < s.ny-1 || !s.halo.has(north) {
		s.kernel.Magnetic(s.hx.row(j, 0, s.nx), s.e.row(j, 0, s.nx), above, s.c)
	}
	// Hy from the side of the wall, or from the first point on, to the last that has a
	// point to its right.
	first, n := 0, s.sweep.x1
	if !s.halo.has(west) {
		first, n = -1, n+1
	}
	s.kernel.Magnetic(s.hy.row(j, first, n), s.e.row(j, first+1, n), s.e.row(j, first, n), s.c)
}

// hxAt updates Hx at one point.
func (s *Solver[T]) hxAt(j, i int, above []T) {
	h := s.hx.at(j, i)
	*h = simd.YeeH(*h, *s.e.at(j, i), above[i], s.c)
}

// hyAt updates Hy at one point.
func (s *Solver[T]) hyAt(j, i int) {
	h := s.hy.at(j, i)
	*h = simd.YeeH(*h, *s.e.at(j, i+1), *s.e.at(j, i), s.c)
}
