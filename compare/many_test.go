package compare

import (
	"runtime"
	"testing"
)

// Memory and time of a comparison grow with the number of launches, not with its square: 1.8 GB
// here if all ratios of two launches were stored.
func TestThousandsOfLaunches(t *testing.T) {
	const launches = 15_000
	a, b := campaign{name: "a", launches: launches, sizes: 1, sigma: 0.02}.source(1), campaign{name: "b", launches: launches, sizes: 1, sigma: 0.02, slow: always(1.03)}.source(2)
	floor := NewFloor(campaign{name: "f", launches: launches, sizes: 1, sigma: 0.02}.source(3).File)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := mustCompare(t, Options{Gate: true, Floor: floor}, a, b)
	runtime.ReadMemStats(&after)
	if row := r.Rows[0]; row.NA != launches || row.NB != launches || !(row.Ratio.Lo < row.Ratio.Median && row.Ratio.Median < row.Ratio.Hi) {
		t.Errorf("%+v", row)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > launches*40<<10 {
		t.Errorf("%d bytes for %d launches of each side", used, launches)
	}
}
