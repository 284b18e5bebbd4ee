package smem

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gobench/device/protocol"
	"gobench/internal/simd"
)

// The first pair measures and leaves the result for the others of the host, which do not measure.
func TestCalibrationIsShared(t *testing.T) {
	routines := simd.Copiers()
	last := uint64(len(routines))
	first := last // that leaves what it copies in the caches
	for routines[first-1].Around {
		first--
	}
	wires := goroutineWires(t, 2, longEager)
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
		atomic.StoreUint64(word, first<<fetchShift|last)
		both((*wire).calibrate)
		for _, w := range wires {
			if got := w.methods.at(distance).copier; got != routines[last-1].Name {
				t.Errorf("rank %d copies by %q at distance %d, not by %q as was found before", w.rank, got, distance, routines[last-1].Name)
			}
			if got := w.methods.at(distance).fetch; got != routines[first-1].Name {
				t.Errorf("rank %d fetches by %q at distance %d, not by %q as was found before", w.rank, got, distance, routines[first-1].Name)
			}
		}
		atomic.StoreUint64(word, 0)
		both((*wire).calibrate)
		left := atomic.LoadUint64(word)
		found, fetch := left&routineBits, left>>fetchShift&routineBits
		if found == 0 || found > last || fetch == 0 || fetch > last || routines[fetch-1].Around {
			t.Fatalf("routines %d and %d were left for other pairs, want 1 to %d, the second one through the caches", found, fetch, last)
		}
		for _, w := range wires {
			if got := w.methods.at(distance).copier; got != routines[found-1].Name {
				t.Errorf("rank %d copies by %q at distance %d, but %q was left for others", w.rank, got, distance, routines[found-1].Name)
			}
			if got := w.methods.at(distance).fetch; got != routines[fetch-1].Name {
				t.Errorf("rank %d fetches by %q at distance %d, but %q was left for others", w.rank, got, distance, routines[fetch-1].Name)
			}
		}
	}
	for _, w := range wires {
		w.Close()
	}
}

// Pairs that measure at the same time adopt one result, and whatever is found, each rank takes the
// eager messages of one that found something else.
func TestPairsAtTheSameTimeAgree(t *testing.T) {
	wires := goroutineWires(t, 4, longRndv)
	for _, w := range wires {
		w.reach = reachCMA
		for i := range w.peers {
			w.peers[i].far, w.peers[i].endpoint.PID = true, os.Getpid()
		}
	}
	for range 3 {
		word := wires[0].first().word(wordCopiers + 8*far)
		atomic.StoreUint64(word, 0)
		var group sync.WaitGroup
		for _, w := range wires {
			w.methods = usual
			group.Go(func() {
				if err := w.calibrate(3 - w.rank); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		want := wires[0]
		for _, w := range wires {
			if w.methods.far != want.methods.far {
				t.Errorf("rank %d has %v, rank 0 %v", w.rank, w.methods.far, want.methods.far)
			}
		}
	}
	for _, w := range wires {
		m := methods{near: way{measured, measured, 16 << 10, protocol.Pipeline}, far: way{measured, measured, -1, unset}}
		if err := w.adopt(m); err != nil || w.limits.EagerLimit < longEager {
			t.Errorf("rank %d takes eager messages of %d bytes, others may send %d: %v", w.rank, w.limits.EagerLimit, longEager, err)
		}
		w.Close()
	}
}

// Far ranks in two processes also compare messages through the ring with the kernel's copy, and
// both sides adopt what is left. A ring that has no room for a message leaves the usual way.
func TestLongMessagesAreTried(t *testing.T) {
	for _, ring := range []int{longEager, longRndv} {
		wires := goroutineWires(t, 2, ring)
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
		left := command(atomic.LoadUint64(wires[0].first().word(wordCopiers + 8*far)))
		if ring < longRndv && left&rndvBit != 0 {
			t.Errorf("a ring of %d bytes was tried with %d", ring, longRndv)
		}
		want := usual.far
		if left&eagerBit != 0 {
			want.eager = longEager
		}
		if left&rndvBit != 0 {
			want.method = protocol.Pipeline
		}
		for _, w := range wires {
			if got := w.methods.far; got.eager != want.eager || got.method != want.method {
				t.Errorf("ring of %d bytes: rank %d has %v, want %v", ring, w.rank, got, want)
			}
			m := w.methods
			m.far.eager, m.far.method = -1, unset // auto
			if err := w.adopt(m); err != nil || w.methods.far.eager != want.eager || w.methods.far.method != want.method ||
				w.found()["far_eager"] != strconv.Itoa(want.eager) || w.found()["far_rndv"] != want.method.String() {
				t.Errorf("rank %d: auto is %v, %v found, want %v: %v", w.rank, w.methods.far, w.found(), want, err)
			}
			w.Close()
		}
	}
}

// Trials move the data that a message of the protocol would: each rank receives what the other
// sends, by both ways, wherever in the rings a message begins.
func TestTrialsMoveMessages(t *testing.T) {
	trialsMoveMessages(t, 2*longEager)
	trialsMoveMessages(t, minRing)
}

func trialsMoveMessages(t *testing.T, ring int) {
	wires := goroutineWires(t, 2, ring)
	routines := command(len(simd.Copiers()))
	var group sync.WaitGroup
	for _, w := range wires {
		w.peers[1-w.rank].endpoint.PID = os.Getpid()
		c := w.newCalibration(1 - w.rank)
		c.reserve()
		defer c.free()
		pass := func(do command) error {
			fill := byte(do>>32) + byte(10*w.rank)
			for i := range c.out {
				c.out[i] = fill
			}
			clear(c.in)
			first, second := c.send, c.receive
			if w.rank > 0 {
				first, second = c.receive, c.send
			}
			if err := errors.Join(first(do), second(do)); err != nil {
				return err
			}
			want := byte(do>>32) + byte(10*(1-w.rank))
			size := do.size()
			if do&^resultBits == passByRing {
				size, _ = c.packets(do)
			}
			for i, b := range c.in {
				if i < size && b != want || i >= size && b != 0 {
					return fmt.Errorf("rank %d, trial %x: byte %d of %d is %d, want %d", w.rank, do, i, size, b, want)
				}
			}
			return c.settled() // both have checked
		}
		group.Go(func() {
			trials := []command{passByRing | eagerBit}
			if cmaError() == nil {
				trials = append(trials, passByKernel|eagerBit, passByKernel|rndvBit)
			}
			for in := range routines {
				trials = append(trials, passByRing|eagerBit|(routines-in)<<fetchShift|(in+1))
			}
			for range 3 {
				for _, do := range trials {
					if err := pass(do); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	group.Wait()
	for _, w := range wires {
		w.Close()
	}
}

// A bit in a result sets the limit of messages, or the method of longer ones.
func TestBitsOfLongMessages(t *testing.T) {
	w := goroutineWires(t, 2, minRing)[0]
	c := calibration{w: w, routines: simd.Copiers()}
	for _, test := range []struct {
		bits   command
		eager  int
		method protocol.Method
	}{
		{0, usual.far.eager, usual.far.method},
		{eagerBit, longEager, usual.far.method},
		{rndvBit, usual.far.eager, protocol.Pipeline},
	} {
		w.methods = usual
		c.adopt(far, 1|test.bits)
		if got := w.methods.far; got.eager != test.eager || got.method != test.method {
			t.Errorf("bits %x: far ranks have %v, want %d and %v", test.bits, got, test.eager, test.method)
		}
	}
}

// What is asked for is in force, or refused; what is left to the transport is what was found.
func TestCopyOptions(t *testing.T) {
	w := goroutineWires(t, 2, minRing)[0]
	p := &w.peers[1]
	for _, c := range simd.Copiers() {
		for _, isFar := range []bool{false, true} {
			p.far = isFar
			// One of both routines is given, the other one was found.
			for _, given := range []methods{
				{near: way{copier: c.Name, fetch: measured}, far: way{copier: measured, fetch: measured}},
				{near: way{copier: measured, fetch: c.Name}, far: way{copier: measured, fetch: measured}},
			} {
				w.methods = usual
				w.methods.far.copier = "go"
				if err := w.adopt(given); err != nil {
					t.Errorf("%v: %v", given, err)
				}
				copier, fetch := "go", c.Name
				if given.near.copier == c.Name {
					copier, fetch = fetch, copier
				}
				if got := w.methods; got.near.copier != copier || got.near.fetch != fetch || got.far.copier != "go" || got.far.fetch != "go" {
					t.Errorf("%v: in force are %v, want %s and %s near", given, got, copier, fetch)
				}
				how := w.methods.near
				if isFar {
					how = w.methods.far
				}
				if plain := how.copier == "go"; (p.out.bulk == nil) != plain || (w.posts == nil) != plain {
					t.Errorf("%v: far %v: Go's copy fills the ring: %v, and posts: %v", given, isFar, p.out.bulk == nil, w.posts == nil)
				}
				if plain := how.fetch == "go"; (p.fetch == nil) != plain || (w.fetches == nil) != plain {
					t.Errorf("%v: far %v: Go's copy takes packets: %v, and posted data: %v", given, isFar, p.fetch == nil, w.fetches == nil)
				}
			}
		}
	}
	for _, wrong := range []methods{{near: way{copier: "none", fetch: measured}}, {near: way{copier: measured, fetch: "none"}}} {
		if err := w.adopt(wrong); err == nil {
			t.Errorf("a routine that does not exist is accepted: %v", wrong.near)
		}
	}
}

// The options name no routine that this processor or build lacks.
func TestOptionsNameRoutinesThatAreThere(t *testing.T) {
	for _, o := range (driver{}).Options() {
		if !strings.HasSuffix(o.Name, "_copy") && !strings.HasSuffix(o.Name, "_fetch") {
			continue
		}
		if o.Values[0] != measured || !slices.Contains(o.Values, "go") {
			t.Errorf("%s may be %q", o.Name, o.Values)
		}
		for _, name := range o.Values[1:] {
			if c, ok := simd.CopierOf(name); !ok || c.Around && strings.HasSuffix(o.Name, "_fetch") {
				t.Errorf("%s may be %s: there %v, %+v", o.Name, name, ok, c)
			}
		}
	}
}

// Each routine fetches packets, posted data and memory of peers, of any length, and writes nothing
// else.
func TestRoutinesFetch(t *testing.T) {
	w := goroutineWires(t, 2, minRing)[0]
	p := &w.peers[1]
	const guard = 64
	for _, c := range simd.Copiers() {
		if c.Around {
			continue
		}
		m := methods{near: way{copier: measured, fetch: c.Name}, far: way{copier: measured, fetch: c.Name}}
		if err := w.adopt(m); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 63, 2<<10 + 1, 64<<10 - 1, 1<<20 + 13} {
			from := make([]byte, n+1)
			for i := range from {
				from[i] = byte(i%251) + 1
			}
			from = from[1:]
			for name, move := range map[string]func(to []byte){
				"a packet":          func(to []byte) { w.CopyFrom(1, to, from) },
				"posted data":       func(to []byte) { w.Fetch(to, from) },
				"memory of a peer":  func(to []byte) { p.direct(false, from, to) },
				"into memory of it": func(to []byte) { p.direct(true, to, from) },
			} {
				all := make([]byte, guard+n+guard)
				move(all[guard : guard+n])
				if !bytes.Equal(all[guard:guard+n], from) || !bytes.Equal(all[:guard], make([]byte, guard)) || !bytes.Equal(all[guard+n:], make([]byte, guard)) {
					t.Errorf("%s, %s of %d bytes: the data or what is around it is wrong", c.Name, name, n)
				}
			}
		}
	}
}
