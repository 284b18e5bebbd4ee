package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gobench/internal/fuzzing"
)

// yeeRow holds the arguments of a kernel of Yee for n points, each slice within a guarded place.
type yeeRow[T Number] struct {
	buffers                 [5]buffer
	e, above, hx, below, hy []T
}

// newYeeRow fills a row of n points with the given bits, repeated.
func newYeeRow[T Number](bits []byte, n, shift int) *yeeRow[T] {
	r := new(yeeRow[T])
	lengths := [5]int{n + 1, n, n, n, n + 1}
	for k := range r.buffers {
		r.buffers[k] = newBuffer(lengths[k]*size[T](), (shift+5*k)%16)
		b := r.buffers[k].inside()
		fill(b, bits, k*len(b))
	}
	in := func(k int) []T { return typed[T](r.buffers[k].inside()) }
	r.e, r.above, r.hx, r.below, r.hy = in(0), in(1), in(2), in(3), in(4)
	return r
}

// compare reports where two rows differ, or a kernel wrote beside its row.
func (r *yeeRow[T]) compare(want *yeeRow[T]) error {
	for k, p := range r.buffers {
		if !p.guarded() {
			return fmt.Errorf("memory beside operand %d was written", k)
		}
		if err := same(typed[T](p.inside()), typed[T](want.buffers[k].inside()), true); err != nil {
			return fmt.Errorf("operand %d: %w", k, err)
		}
	}
	return nil
}

// yeeTwins compares the kernels with the equations, point by point.
func yeeTwins[T float32 | float64](k Yee[T], bits []byte, n, shift int, c T) error {
	halves := func(r *yeeRow[T], m func(h, a, b []T, c T), e func(e, hx, below, hy []T, c T)) {
		m(r.hx, r.e, r.above, c)
		m(r.hy[1:], r.e[1:], r.e, c)
		e(r.e[:n], r.hx, r.below, r.hy, c)
	}
	want, apart := newYeeRow[T](bits, n, shift), newYeeRow[T](bits, n, shift)
	halves(want, func(h, a, b []T, c T) {
		for i := range h {
			d := c * (a[i] - b[i]) // a variable keeps the sum from being fused, as the conversion does
			h[i] += T(d)
		}
	}, func(e, hx, below, hy []T, c T) {
		for i := range e {
			d := c * ((hy[i+1] - hy[i]) - (hx[i] - below[i]))
			e[i] += T(d)
		}
	})
	halves(apart, k.Magnetic, k.Electric)
	both := newYeeRow[T](bits, n, shift)
	k.Both(both.e, both.above, both.hx, both.below, both.hy, c)
	for name, got := range map[string]*yeeRow[T]{"magnetic and electric": apart, "both": both} {
		if err := got.compare(want); err != nil {
			return fmt.Errorf("%s, %d points of %T, shift %d: %w", name, n, c, shift, err)
		}
	}
	return nil
}

func tryYee(s *Set, bits []byte, n, shift int, c float64) error {
	if err := first(yeeTwins(s.Yee32, bits, n, shift, float32(c)), yeeTwins(s.Yee64, bits, n, shift, c)); err != nil {
		return fmt.Errorf("%s: %w", s.Level, err)
	}
	return nil
}

// ordinary are the bits of numbers between -1 and 1, in both precisions.
func ordinary(seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 7))
	var list []byte
	for range 127 {
		list = append(list, raw([]float32{float32(2*random.Float64() - 1)})...)
	}
	return list
}

func TestYeeTwins(t *testing.T) {
	for _, s := range Sets() {
		for i, n := range sizes() {
			if err := tryYee(s, ordinary(uint64(i)), n, i%16, math.Sqrt2/2); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func FuzzYee(t *testing.F) {
	f := fuzzing.New(t)
	f.Add([]byte{1, 2, 3, 0x3f}, byte(67), byte(1), byte(1), 0.5)
	// NaNs and zeros of both signs
	f.Add([]byte{0, 0, 0xc0, 0x7f, 0, 0, 0, 0x80, 0, 0, 0, 0}, byte(129), byte(0), byte(0), 0.7)
	f.Fuzz(func(t *testing.T, bits []byte, n, shift, set byte, c float64) {
		s := picked(set)
		points, offset := int(n)%70, int(shift)%16
		var err error
		if shift < 128 {
			err = yeeTwins(s.Yee32, bits, points, offset, float32(c))
		} else {
			err = yeeTwins(s.Yee64, bits, points, offset, c)
		}
		if err != nil {
			t.Fatalf("%s: %v", s.Level, err)
		}
	})
}

func TestYeeOfShortSlicesPanics(t *testing.T) {
	row := func(n int) []float32 { return make([]float32, n) }
	for _, s := range Sets() {
		for name, f := range map[string]func(){
			"magnetic": func() { s.Yee32.Magnetic(row(40), row(40), row(39), 1) },
			"electric": func() { s.Yee32.Electric(row(40), row(40), row(40), row(40), 1) },
			"both":     func() { s.Yee32.Both(row(40), row(40), row(40), row(40), row(41), 1) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: %s took a slice that is too short", s.Level, name)
					}
				}()
				f()
			}()
		}
	}
}

func BenchmarkYee(b *testing.B) {
	for _, n := range []int{256, 2048} {
		for _, s := range Sets() {
			b.Run(fmt.Sprintf("float32/%d/%s", n, s.Level), func(b *testing.B) { benchmarkYee(b, s.Yee32, n) })
			b.Run(fmt.Sprintf("float64/%d/%s", n, s.Level), func(b *testing.B) { benchmarkYee(b, s.Yee64, n) })
		}
	}
}

// benchmarkYee updates a row again and again, with points on boundaries of cache
// lines as a solver has them: the rate is what the loop can do at best, in bytes
// read and written, six numbers for each point.
func benchmarkYee[T float32 | float64](b *testing.B, k Yee[T], n int) {
	row := func() []T {
		line := 64 / size[T]()
		s := make([]T, n+3*line)
		for i := range s {
			s[i] = T(i%7) / 8
		}
		off := (64 - int(uintptr(start(s)))%64) / size[T]()
		return s[off+line-1 : off+line+n+1] // its second element is on a boundary
	}
	e, above, hx, below, hy := row(), row(), row(), row(), row()
	b.SetBytes(int64(6 * n * size[T]()))
	for b.Loop() {
		k.Both(e[1:], above[1:], hx[1:n+1], below[1:], hy, 0.5)
	}
}
