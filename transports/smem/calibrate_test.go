package smem

import (
	"os"
	"strconv"
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
		found := atomic.LoadUint64(word) & routineBits
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

// Far ranks in two processes also compare a message through the ring with the kernel's copy, and
// both sides adopt what is left.
func TestLongMessagesAreTried(t *testing.T) {
	wires := goroutineWires(t, 2, longEager)
	for _, w := range wires {
		p := &w.peers[1-w.rank]
		w.reach, p.far, p.endpoint.PID = reachCMA, true, os.Getpid()
	}
	var group sync.WaitGroup
	for _, w := range wires {
		group.Go(func() {
			if err := w.calibrate(1 - w.rank); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	want := usual.far.eager
	if command(atomic.LoadUint64(wires[0].first().word(wordCopiers+8*far)))&longBit != 0 {
		want = longEager
	}
	for _, w := range wires {
		if got := w.methods.far.eager; got != want {
			t.Errorf("rank %d sends up to %d bytes without asking, want %d", w.rank, got, want)
		}
		m := w.methods
		m.far.eager = -1 // auto
		if err := w.adopt(m); err != nil || w.methods.far.eager != want || w.found()["far_eager"] != strconv.Itoa(want) {
			t.Errorf("rank %d: far_eager=auto is %d, %v found, want %d: %v", w.rank, w.methods.far.eager, w.found(), want, err)
		}
		w.Close()
	}
}

// A result with that bit sets the limit of messages.
func TestLongBit(t *testing.T) {
	w := goroutineWires(t, 2, minRing)[0]
	c := calibration{w: w, routines: simd.Copiers()}
	c.adopt(far, 1)
	if got := w.methods.far.eager; got != usual.far.eager {
		t.Errorf("without the bit far_eager is %d, want %d", got, usual.far.eager)
	}
	c.adopt(far, 1|longBit)
	if got := w.methods.far.eager; got != longEager {
		t.Errorf("with the bit far_eager is %d, want %d", got, longEager)
	}
}

// What is asked for is in force, or refused; what is left to the transport is what was found.
func TestCopyOptions(t *testing.T) {
	w := goroutineWires(t, 2, minRing)[0]
	m := usual
	for _, c := range simd.Copiers() {
		m.near.copier, m.far.copier = c.Name, measured
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
