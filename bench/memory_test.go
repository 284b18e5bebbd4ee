package bench

import (
	"errors"
	"math"
	"os"
	"testing"
)

func TestSizesThatDoNotFitAreRefused(t *testing.T) {
	b := Benchmark{Name: "pingpong", Buffers: Fixed(2)}
	p := Plan{Cases: []Case{{Bench: b, Size: 8}, {Bench: b, Size: 1 << 30}, {Bench: b, Size: 1 << 40}}}
	if err := p.fits(2, 2, 1<<50); err != nil {
		t.Error(err)
	}
	err := p.fits(2, 2, 3<<30)
	var m *MemoryError
	if !errors.As(err, &m) || m.Size != 1<<30 || m.Need != int64(4<<30+4*os.Getpagesize()) {
		t.Fatalf("got %v", err)
	}
	const want = "pingpong with messages of 1 GiB does not fit into memory: 2 ranks with 2 buffers each need 4.0 GiB, 3 GiB are available; choose smaller sizes"
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
	p.Cases[1].Size = math.MaxInt
	if p.fits(64, 64, math.MaxInt64/2) == nil {
		t.Error("a size whose sum overflows is accepted")
	}
}

// The buffers of a rank depend on all ranks, not on those of its host.
func TestBuffersForAllRanks(t *testing.T) {
	b := Benchmark{Name: "alltoall", Collective: &Collective{}, Buffers: func(ranks int) int { return 2 * ranks }}
	for _, groups := range []int{1, 16} {
		p := Plan{Cases: []Case{{Bench: b, Size: 4 << 20, Groups: groups}}}
		need := int64(64 * (4<<20*2*(256/groups) + 2*os.Getpagesize()))
		if err := p.fits(256, 64, need); err != nil {
			t.Errorf("%d groups: %v", groups, err)
		}
		var m *MemoryError
		if err := p.fits(256, 64, need-1); !errors.As(err, &m) || m.Need != need {
			t.Errorf("%d groups: %v, want a need of %d bytes", groups, err, need)
		}
	}
}

// Small buffers take a page each.
func TestSmallBuffersTakePages(t *testing.T) {
	p := Plan{Cases: []Case{{Bench: Benchmark{Name: "pingpong", Buffers: Fixed(2)}, Size: 8, Buffers: 1000}}}
	need := int64(2 * 1000 * 2 * (8 + os.Getpagesize()))
	if p.fits(2, 2, need) != nil || p.fits(2, 2, need-1) == nil {
		t.Errorf("2 ranks with 1000 copies of 2 buffers do not need %d bytes", need)
	}
}

// A message is read from memory if it is larger than the cache, or is kept out of it. On a machine
// that does not report its caches, no warm message counts: for none of them a command measures the
// copy bandwidth of memory, which takes half a second.
func TestMemoryBound(t *testing.T) {
	for _, c := range []struct {
		cell  Case
		cache int64
		want  bool
	}{
		{Case{Size: 8}, 32 << 20, false},
		{Case{Size: 64 << 20}, 32 << 20, true},
		{Case{Size: 8, Cache: Cold}, 32 << 20, true},
		{Case{Size: 64 << 20}, 0, false},
		{Case{Size: 8, Cache: Cold}, 0, true},
	} {
		if got := c.cell.MemoryBound(c.cache); got != c.want {
			t.Errorf("%d bytes, %v, cache of %d bytes: %v", c.cell.Size, c.cell.Cache, c.cache, got)
		}
	}
}
