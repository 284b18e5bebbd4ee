package random

import "testing"

func TestOfficialNumbers(t *testing.T) {
	s := Stream(Seed)
	for i, want := range []struct {
		state Stream
		value float64
	}{
		{55909509111989, 0.7945219111887383}, {61155031930969, 0.8690652738745399},
		{45573031421645, 0.6476317284643329}, {55279057169489, 0.7855626502289539},
	} {
		if v := s.Next(); s != want.state || v != want.value {
			t.Errorf("number %d is %v of state %d, want %v of %d", i, v, s, want.value, want.state)
		}
	}
	for n, want := range map[uint64]uint64{1 << 16: 1185214627841, 1 << 17: 62362532446209, 1 << 20: 40403910787073} {
		if got := Power(Multiplier, n); got != want {
			t.Errorf("a^%d is %d, want %d", n, got, want)
		}
	}
}

func TestJumps(t *testing.T) {
	s := Stream(Seed)
	for n := range uint64(100) {
		if At(Seed, n) != s {
			t.Fatalf("At %d is not where %d numbers lead", n, n)
		}
		if half := At(Seed, n/2); At(uint64(half), n-n/2) != s {
			t.Fatalf("skipping %d numbers in two parts leads elsewhere", n)
		}
		s.Next()
	}
}

func TestFillIsNext(t *testing.T) {
	for n := range 200 {
		one, many := Stream(Seed), Stream(Seed)
		out := make([]float64, n)
		many.Fill(out)
		for i, v := range out {
			if w := one.Next(); v != w {
				t.Fatalf("Fill of %d has %v at %d, want %v", n, v, i, w)
			}
		}
		if one != many {
			t.Fatalf("after Fill of %d the stream is elsewhere", n)
		}
	}
}

func TestFillPairsIsNext(t *testing.T) {
	for n := range 100 {
		one, many := Stream(Seed), Stream(Seed)
		x, y := make([]float64, n), make([]float64, n)
		many.FillPairs(x, y)
		for i := range n {
			if v, w := one.Next(), one.Next(); x[i] != v || y[i] != w {
				t.Fatalf("pair %d of %d is (%v, %v), want (%v, %v)", i, n, x[i], y[i], v, w)
			}
		}
		if one != many {
			t.Fatalf("after %d pairs the stream is elsewhere", n)
		}
	}
}

func BenchmarkFill(b *testing.B) {
	out := make([]float64, 1<<12)
	s := Stream(Seed)
	for b.Loop() {
		s.Fill(out)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(out)), "ns/number")
}
