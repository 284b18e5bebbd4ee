package bench

import (
	"slices"
	"testing"
)

// Two ranks wait for each other in turn: each measures 2 and 22, the pair does an event every 12.
func TestMergedTimesAddUpToTheSlowestRank(t *testing.T) {
	a := []int64{0, 2, 24, 26, 48}
	b := []int64{-10, 12, 14, 36, 38}
	m := merger{oneClock: true}
	m.start(a)
	if !slices.Equal(m.times, []int64{2, 22, 2, 22}) {
		t.Errorf("one rank alone: %v", m.times)
	}
	if !m.add(b) || !slices.Equal(m.times, []int64{12, 12, 12, 12}) {
		t.Errorf("both: %v", m.times)
	}
	several := merger{}
	several.start(a)
	if !several.add(b) || !slices.Equal(several.times, []int64{22, 22, 22, 22}) {
		t.Errorf("without one clock: %v", several.times)
	}
	if m.add(a[1:]) {
		t.Error("a block of another length was taken")
	}
}

func TestStampsTravel(t *testing.T) {
	stamps := []int64{0, -1, 1 << 62, 42}
	if got := decodeStamps(nil, encodeStamps(stamps)); !slices.Equal(got, stamps) {
		t.Errorf("%v became %v", stamps, got)
	}
}
