package collective

import (
	"slices"
	"testing"

	"gobench/comm/schedule"
)

// A vector that cannot be divided equally has explicit blocks, so that algorithms for equal blocks
// are not selected.
func TestUnequalBlocks(t *testing.T) {
	if b := Blocks(schedule.ReduceScatter, 48, 3, 4, nil); b != nil {
		t.Errorf("48 bytes for 3 ranks are %v, want equal blocks", b)
	}
	if b := Blocks(schedule.Allreduce, 16, 3, 4, nil); b != nil {
		t.Errorf("an allreduce has blocks %v", b)
	}
	want := []schedule.Block{{Off: 0, Len: 4}, {Off: 4, Len: 4}, {Off: 8, Len: 8}}
	if b := Blocks(schedule.ReduceScatter, 16, 3, 4, nil); !slices.Equal(b, want) {
		t.Errorf("16 bytes for 3 ranks are %v, want %v", b, want)
	}
}
