package bench

import (
	"math/rand/v2"
	"testing"
)

func TestPatternFindsEveryWrongByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{1, 2, 7, 8, 9, 31, 32, 33, 63, 64, 100, 1000} {
		b := make([]byte, size)
		seed := stream{3, 1}.seed(uint64(size))
		fill(b, seed, 0)
		if at, _ := mismatch(b, seed); at != -1 {
			t.Fatalf("size %d: a right buffer is wrong at %d", size, at)
		}
		for i := range b {
			right := b[i]
			b[i] ^= byte(1 + rng.IntN(255))
			at, want := mismatch(b, seed)
			if at != i || want != right {
				t.Fatalf("size %d: wrong byte %d found at %d, want %#x not %#x", size, i, at, want, right)
			}
			b[i] = right
		}
	}
}

// A buffer that was poisoned and never written has no right byte; nor has one that holds the
// message of the previous iteration, or of another rank or stream.
func TestPatternsDifferInEveryByte(t *testing.T) {
	const size = 4096
	a, b := make([]byte, size), make([]byte, size)
	differ := func(what string, sa, sb, flip uint64) {
		t.Helper()
		fill(a, sa, 0)
		fill(b, sb, flip)
		for i := range a {
			if a[i] == b[i] {
				t.Fatalf("%s: byte %d is equal", what, i)
			}
		}
	}
	for iteration := range uint64(1000) {
		s := stream{0, 0}
		differ("poison", s.seed(iteration), s.seed(iteration), ^uint64(0))
		differ("next iteration", s.seed(iteration), s.seed(iteration+1), 0)
	}
	// Between ranks and streams, bytes other than the first may be equal by chance.
	for rank := 1; rank < 256; rank++ {
		for _, other := range []stream{{rank, 0}, {0, rank}} {
			fill(a, stream{0, 0}.seed(5), 0)
			fill(b, other.seed(5), 0)
			equal := 0
			for i := range a {
				if a[i] == b[i] {
					equal++
				}
			}
			if a[0] == b[0] || equal > size/4 {
				t.Errorf("stream %v: %d of %d bytes are equal to those of {0 0}", other, equal, size)
			}
		}
	}
}

func TestMovedDataIsWrong(t *testing.T) {
	seed := stream{0, 0}.seed(1)
	b := make([]byte, 1<<16)
	for _, shift := range []int{1, 8, 64, 4096, 1 << 15} {
		fill(b, seed, 0)
		copy(b, b[shift:])
		if at, _ := mismatch(b, seed); at < 0 || at >= 8 {
			t.Errorf("data that is %d bytes too early is found wrong at %d", shift, at)
		}
	}
}

func BenchmarkFill(b *testing.B) {
	buf := make([]byte, 1<<20)
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		fill(buf, 1, 0)
	}
}

func BenchmarkMismatch(b *testing.B) {
	buf := make([]byte, 1<<20)
	fill(buf, 1, 0)
	b.SetBytes(int64(len(buf)))
	for b.Loop() {
		mismatch(buf, 1)
	}
}
