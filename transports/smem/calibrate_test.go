package smem

import (
	"sync"
	"sync/atomic"
	"testing"

	"gobench/internal/simd"
)

// The first pair measures and leaves the result for the others of the host, which do not measure.
func TestCalibrationIsShared(t *testing.T) {
	routines := simd.Copiers()
	last := uint64(len(routines))
	wires := goroutineWires(t, 2, minRing)
	both := func(calibrate func(w *wire, peer int) error) {
		t.Helper()
		var group sync.WaitGroup
		for _, w := range wires {
			group.Go(func() {
				if err := calibrate(w, 1-w.rank); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	for distance := range distances {
		for _, w := range wires {
			w.peers[1-w.rank].far = distance == far
		}
		word := wires[1].first().word(wordCopiers + 8*distance)
		atomic.StoreUint64(word, last)
		both((*wire).calibrate)
		for _, w := range wires {
			if got := w.methods.at(distance).copier; got != routines[last-1].Name {
				t.Errorf("rank %d copies by %q at distance %d, not by %q as was found before", w.rank, got, distance, routines[last-1].Name)
			}
		}
		atomic.StoreUint64(word, 0)
		both((*wire).calibrate)
		found := atomic.LoadUint64(word)
		if found == 0 || found > last {
			t.Fatalf("routine %d was left for other pairs, want 1 to %d", found, last)
		}
		for _, w := range wires {
			if got := w.methods.at(distance).copier; got != routines[found-1].Name {
				t.Errorf("rank %d copies by %q at distance %d, but %q was left for others", w.rank, got, distance, routines[found-1].Name)
			}
		}
	}
	for _, w := range wires {
		w.Close()
	}
}

// What is asked for is in force, or refused; what is left to the transport is what was found.
func TestCopyOptions(t *testing.T) {
	w := goroutineWires(t, 2, minRing)[0]
	m := usual
	for _, c := range simd.Copiers() {
		m.near.copier, m.far.copier = c.Name, autoCopy
		w.methods.far.copier = "go"
		if err := w.adopt(m); err != nil {
			t.Errorf("near_copy=%s: %v", c.Name, err)
		}
		if got := w.methods; got.near.copier != c.Name || got.far.copier != "go" {
			t.Errorf("near_copy=%s: in force are %v", c.Name, got)
		}
		if p := &w.peers[1]; !p.far && (p.out.bulk == nil) != (c.Name == "go") {
			t.Errorf("near_copy=%s: a near peer gets Go's copy: %v", c.Name, p.out.bulk == nil)
		}
	}
	m.near.copier = "none"
	if err := w.adopt(m); err == nil {
		t.Error("a routine that does not exist is accepted")
	}
}
