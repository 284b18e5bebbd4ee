package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/internal/fuzzing"
)

// close compares within 8 units in the last place of the largest number that goes in.
func close(what string, got, want, in []float64, terms float64) error {
	var largest float64
	for _, v := range in {
		largest = max(largest, math.Abs(v))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 8*0x1p-53*terms*largest) {
			return fmt.Errorf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
	return nil
}

// fourier compares a set with plain Go: n points, s transforms side by side, count bundles.
func fourier(f Fourier, seed uint64, n, s, count int) error {
	r, plain := rand.New(rand.NewPCG(seed, 2)), all[0].Fourier
	numbers := func(n int) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.Float64() - 0.5
		}
		return v
	}
	in, start := numbers(Point*n*s), numbers(Point*n*s)
	apply := func(g func(out []float64)) []float64 {
		out := slices.Clone(start)
		g(out)
		return out
	}
	if n%4 == 0 {
		w := make([]float64, 6*(n/4)+1)
		for i := range w {
			w[i] = r.Float64()*2 - 1
		}
		copy(w, []float64{1, 0, 1, 0, 1, 0})
		got := apply(func(o []float64) { f.Radix4(o, in, w, n, s) })
		want := apply(func(o []float64) { plain.Radix4(o, in, w, n, s) })
		if err := close("radix 4", got, want, append(in, start...), 8); err != nil {
			return err
		}
	}
	if n == 2 {
		got := apply(func(o []float64) { f.Radix2(o, in, s) })
		want := apply(func(o []float64) { plain.Radix2(o, in, s) })
		if err := close("radix 2", got, want, in, 1); err != nil {
			return err
		}
	}
	at := make([]int, n)
	wide := Point*count + r.IntN(20)
	for k := range at {
		at[k] = (n - 1 - k) * wide
	}
	base, room := r.IntN(3), Point*n+r.IntN(9)
	src, narrow := numbers(n*wide+3), numbers(count*room)
	lines, points := numbers(Lanes*count), numbers(n+1)
	swap := seed%2 == 1
	gather := func(g Fourier) []float64 {
		out := make([]float64, count*room)
		g.Columns(out, src, at, base, count, room, swap)
		return out
	}
	scaled := func(g Fourier) []float64 {
		out := make([]float64, count*room)
		g.Scaled(out, src, at, base, count, room, swap, lines, points)
		return out
	}
	scatter := func(g Fourier) []float64 {
		out := make([]float64, len(src))
		g.FromColumns(out, narrow, at, base, count, room, swap)
		return out
	}
	rows := [4]int{0, 2*n + 3, 4*n + 5, 6*n + 7}
	long := numbers(8*n + 8)
	fromRows := func(g Fourier) []float64 {
		out := make([]float64, len(long))
		g.FromRows(out, in, rows, n, swap)
		return out
	}
	ofRows := func(g Fourier) []float64 {
		out := make([]float64, Point*n)
		g.Rows(out, long, rows, n, swap)
		return out
	}
	return first(
		exact("columns", gather(f), gather(plain)),
		close("scaled", scaled(f), scaled(plain), src, 1),
		exact("from columns", scatter(f), scatter(plain)),
		exact("rows", ofRows(f), ofRows(plain)),
		exact("from rows", fromRows(f), fromRows(plain)),
	)
}

func exact(what string, got, want []float64) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: %v, want %v", what, got, want)
	}
	return nil
}

func TestFourierTwins(t *testing.T) {
	for _, set := range Sets() {
		for _, n := range []int{1, 2, 3, 4, 8, 12, 16, 64} {
			for s := 1; s < 6; s++ {
				if err := fourier(set.Fourier, uint64(n+s), n, s, s); err != nil {
					t.Fatalf("%s, %d points, %d transforms: %v", set.Level, n, s, err)
				}
			}
		}
	}
}

func FuzzFourierTwins(t *testing.F) {
	f := fuzzing.New(t)
	f.Add(uint64(1), uint8(16), uint8(2), uint8(3), uint8(1))
	f.Fuzz(func(t *testing.T, seed uint64, n, s, count, level uint8) {
		set := picked(level)
		if err := fourier(set.Fourier, seed, 1+int(n)%16, 1+int(s)%8, 1+int(count)%5); err != nil {
			t.Fatalf("%s: %v", set.Level, err)
		}
	})
}

// What goes into columns and rows comes out of them, in its place.
func TestBundlesAreReversible(t *testing.T) {
	src := make([]float64, 4*Point*3)
	for i := range src {
		src[i] = float64(i)
	}
	for _, s := range Sets() {
		f, bundles, back := s.Fourier, make([]float64, len(src)), make([]float64, len(src))
		at := []int{0, 3 * Point, 6 * Point, 9 * Point}
		f.Columns(bundles, src, at, 0, 3, 4*Point, false)
		if want := []float64{0, 4, 2, 6, 1, 5, 3, 7, 24}; !slices.Equal(bundles[:9], want) {
			t.Errorf("%s: the first bundle of columns begins with %v, want %v", s.Level, bundles[:9], want)
		}
		f.FromColumns(back, bundles, at, 0, 3, 4*Point, false)
		if !slices.Equal(back, src) {
			t.Errorf("%s: columns do not come back", s.Level)
		}
		rows := [4]int{0, 24, 48, 72}
		f.Rows(bundles, src, rows, 12, false)
		if want := []float64{0, 48, 24, 72, 1, 49, 25, 73, 2}; !slices.Equal(bundles[:9], want) {
			t.Errorf("%s: the bundle of rows begins with %v, want %v", s.Level, bundles[:9], want)
		}
		f.FromRows(back, bundles, rows, 12, false)
		if !slices.Equal(back, src) {
			t.Errorf("%s: rows do not come back", s.Level)
		}
	}
}

func BenchmarkFourier(b *testing.B) {
	const n, count = 256, 4
	in, out, w := make([]float64, Point*n*count), make([]float64, Point*n*count), make([]float64, 6*n)
	at := make([]int, n)
	for k := range at {
		at[k] = k * Point * count
	}
	lines, points := make([]float64, Lanes*count), make([]float64, n+1)
	for _, s := range Sets() {
		f := s.Fourier
		for _, c := range []struct {
			name   string
			points int
			f      func()
		}{
			{"radix4 first", n, func() { f.Radix4(out, in, w, n, 1) }},
			{"radix4 middle", n, func() { f.Radix4(out, in, w, n/16, 16) }},
			{"radix4 last", n, func() { f.Radix4(out, in, w, 4, n/4) }},
			{"radix2", n, func() { f.Radix2(out, in, n/2) }},
			{"columns", n * count, func() { f.Columns(out, in, at, 0, count, Point*n, false) }},
			{"scaled", n * count, func() { f.Scaled(out, in, at, 0, count, Point*n, true, lines, points) }},
			{"from columns", n * count, func() { f.FromColumns(out, in, at, 0, count, Point*n, false) }},
			{"rows", n, func() { f.Rows(out, in, [4]int{0, 2 * n, 4 * n, 6 * n}, n, false) }},
			{"from rows", n, func() { f.FromRows(out, in, [4]int{0, 2 * n, 4 * n, 6 * n}, n, false) }},
		} {
			b.Run(c.name+"/"+s.Level, func(b *testing.B) {
				for b.Loop() {
					c.f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(Lanes*c.points), "ns/number")
			})
		}
	}
}
