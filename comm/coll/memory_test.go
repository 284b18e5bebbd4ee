package coll

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"gobench/comm/schedule"
	"gobench/comm/schedule/sim"
	"gobench/device"
	"gobench/internal/comm/coll/shared"
)

// memoryCases is a sequence of operations that algorithms in shared memory do, in
// random order, with every kind of size: none, what fits a note, what does not, one
// piece of store, and more than all pieces.
func memoryCases(p, count int) (cases []*oracleCase, choices []Choice) {
	random := rand.New(rand.NewPCG(uint64(p), 7))
	var all []Choice
	for kind := range schedule.Kinds {
		for _, c := range Choices(schedule.Kind(kind)) {
			if c.share != nil {
				all = append(all, c)
			}
		}
	}
	elements := []int{0, 1, 2, 5, 6, 7, 48, 49, 300, 1025, 9000, 70_001}
	for len(cases) < count {
		c := all[random.IntN(len(all))]
		n := elements[random.IntN(len(elements))]
		if n > 9000 && p > 4 {
			n /= 16
		}
		x := newCase(c.Kind, p, random.IntN(p), n, random.IntN(4))
		if x == nil || c.fits(&x.shapes[0]) != "" {
			continue
		}
		cases, choices = append(cases, x), append(choices, c)
	}
	return cases, choices
}

// Algorithms in shared memory against the oracle, one after the other without any
// barrier between them, with ranks that are late at random.
func TestAlgorithmsInMemoryAgainstTheOracle(t *testing.T) {
	count, ranks := 200, []int{1, 2, 3, 4, 5, 8, 9}
	if testing.Short() {
		count, ranks = 60, []int{2, 3, 4}
	}
	for _, p := range ranks {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			cases, choices := memoryCases(p, count)
			want := make([][][]byte, len(cases))
			for i, x := range cases {
				want[i] = sim.Expected(x.shapes, x.input, x.recv, x.op)
			}
			run(t, driver(t, "smem"), p, "auto", func(dev device.Device) {
				r := NewRunner(dev, testContext, nil, dev.Rank(), p, Options{})
				defer r.Close()
				me := dev.Rank()
				late := rand.New(rand.NewPCG(uint64(me), 9))
				for i, x := range cases {
					if late.IntN(4) == 0 {
						dawdle(late.IntN(200))
					}
					r.Force(choices[i].Kind, &choices[i])
					got := bytes.Clone(x.recv[me])
					if err := r.Do(&schedule.Call{Shape: &x.shapes[me], Send: x.send[me], Recv: got, Op: x.op}); err != nil {
						t.Errorf("%s by %v: rank %d: %v", x.name, choices[i], me, err)
						return
					}
					n := len(got)
					if x.shapes[me].Kind == schedule.ReduceScatter {
						n = x.shapes[me].Len(me)
					}
					if !bytes.Equal(got[:n], want[i][me][:n]) {
						t.Errorf("%s by %v: rank %d has another result than the oracle", x.name, choices[i], me)
						return
					}
				}
			})
		})
	}
}

// dawdle takes a little while.
func dawdle(turns int) {
	for range turns {
		runtime.Gosched()
	}
}

// No rank leaves a barrier before the last has come.
func TestBarrierInMemoryHolds(t *testing.T) {
	const ranks, rounds = 4, 2000
	var here [ranks]struct {
		round int64
		_     [120]byte
	}
	choice := *ofMemory(schedule.Barrier)
	run(t, driver(t, "smem"), ranks, "auto", func(dev device.Device) {
		r := NewRunner(dev, testContext, nil, dev.Rank(), ranks, Options{})
		defer r.Close()
		r.Force(schedule.Barrier, &choice)
		s := schedule.Shape{Kind: schedule.Barrier, Ranks: ranks, Rank: dev.Rank(), Elem: 1}
		for round := int64(1); round <= rounds; round++ {
			here[dev.Rank()].round = round // the barrier publishes it
			if err := r.Do(&schedule.Call{Shape: &s}); err != nil {
				t.Error(err)
				return
			}
			for i := range here {
				if here[i].round != round {
					t.Errorf("rank %d sees rank %d in round %d, not in %d", dev.Rank(), i, here[i].round, round)
					return
				}
			}
			if err := r.Do(&schedule.Call{Shape: &s}); err != nil { // all have looked
				t.Error(err)
				return
			}
		}
	})
}

// Two communicators over one device have their own memory.
func TestTwoCommunicatorsInMemory(t *testing.T) {
	const ranks = 3
	run(t, driver(t, "smem"), ranks, "auto", func(dev device.Device) {
		first := NewRunner(dev, testContext, nil, dev.Rank(), ranks, Options{})
		second := NewRunner(dev, testContext+1, nil, dev.Rank(), ranks, Options{})
		defer second.Close()
		defer first.Close()
		for i := range 200 {
			for k, r := range []*Runner{first, second} {
				data := []byte{0, 0}
				if dev.Rank() == i%ranks {
					data = []byte{byte(i), byte(k)}
				}
				s := schedule.Shape{Kind: schedule.Bcast, Ranks: ranks, Rank: dev.Rank(), Root: i % ranks, Bytes: 2, Elem: 1}
				if err := r.Do(&schedule.Call{Shape: &s, Recv: data}); err != nil {
					t.Error(err)
					return
				}
				if data[0] != byte(i) || data[1] != byte(k) {
					t.Errorf("communicator %d, operation %d: %v", k, i, data)
					return
				}
			}
		}
	})
}

// A rank that closes its device ends the operation on all others. TestDeathOfAProcess of package
// comm kills one.
func TestLostRankInMemory(t *testing.T) {
	const ranks = 4
	run(t, driver(t, "smem"), ranks, "auto", func(dev device.Device) {
		r := NewRunner(dev, testContext, nil, dev.Rank(), ranks, Options{})
		s := schedule.Shape{Kind: schedule.Barrier, Ranks: ranks, Rank: dev.Rank(), Elem: 1}
		if err := r.Do(&schedule.Call{Shape: &s}); err != nil {
			t.Error(err)
			return
		}
		if dev.Rank() == 2 {
			return // its device is closed without another word
		}
		err := r.Do(&schedule.Call{Shape: &s})
		var lost *device.PeerError
		if !errors.As(err, &lost) || lost.Rank != 2 {
			t.Errorf("rank %d: %v, want the loss of rank 2", dev.Rank(), err)
		}
	})
}

// A rank whose operation has failed, in shared memory or by messages, closes its communicator
// though the others wait for it in the next operation.
func TestCloseAfterAFailure(t *testing.T) {
	const ranks = 3
	barrier := ofMemory(schedule.Barrier)
	for _, gather := range []string{"smem-copy", "flat"} {
		for _, started := range []bool{false, gather == "flat"} {
			choice, err := ParseChoice(schedule.Gather, gather)
			if err != nil {
				t.Fatal(err)
			}
			run(t, driver(t, "smem"), ranks, "yield", func(dev device.Device) {
				r := NewRunner(dev, testContext, nil, dev.Rank(), ranks, Options{})
				r.Force(schedule.Barrier, barrier)
				r.Force(schedule.Gather, &choice)
				err := r.Do(call(r, schedule.Barrier, 0))
				c := call(r, schedule.Gather, 3+r.rank%2)
				if started {
					h, _ := r.Start(c)
					err = errors.Join(err, r.Wait(h))
				} else {
					err = errors.Join(err, r.Do(c))
				}
				var mismatch *MismatchError
				if errors.As(err, &mismatch) != (r.rank == 0) {
					t.Errorf("%s: rank %d: %v", gather, r.rank, err)
				}
				if r.rank != 0 {
					err := r.Do(call(r, schedule.Barrier, 0))
					var lost *device.PeerError
					if !errors.As(err, &lost) {
						t.Errorf("%s: rank %d: %v, want a lost peer", gather, r.rank, err)
					}
				}
				r.Close() // on the others it reports the loss of rank 0
			})
		}
	}
}

// oneCannot is a device on which one rank cannot map the memory of others.
type oneCannot struct {
	device.Device
	device.Sharer
	held int // pieces of memory that were not given back
}

func (d *oneCannot) Import(peer int, name []byte) ([]byte, error) {
	if d.Rank() == 2 {
		return nil, errors.New("no room for a mapping")
	}
	return d.Sharer.Import(peer, name)
}

func (d *oneCannot) Alloc(n int) ([]byte, error) {
	d.held++
	return d.Device.Alloc(n)
}

func (d *oneCannot) Free(b []byte) error {
	d.held--
	return d.Device.Free(b)
}

// If one rank cannot share memory, all ranks get the error and the memory is freed.
func TestMemoryThatOneRankCannotMapIsGivenBack(t *testing.T) {
	run(t, driver(t, "smem"), 3, "auto", func(dev device.Device) {
		d := &oneCannot{Device: dev, Sharer: dev.(device.Sharer)}
		_, err := shared.Open(d, testContext, nil, dev.Rank(), dev.Size())
		var none *shared.UnavailableError
		if !errors.As(err, &none) || none.Why != "rank 2: no room for a mapping" && dev.Rank() == 0 {
			t.Errorf("rank %d: %v", dev.Rank(), err)
		}
		if d.held != 0 {
			t.Errorf("rank %d keeps %d pieces of memory", dev.Rank(), d.held)
		}
	})
}

// ofMemory is an algorithm in shared memory.
func ofMemory(kind schedule.Kind) *Choice {
	for _, c := range Choices(kind) {
		if c.Build == nil {
			return &c
		}
	}
	return nil
}
