package comm_test

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/comm"
	"gobench/comm/coll"
	"gobench/comm/op"
	"gobench/device"
	"gobench/launch"
)

// A use is what the ranks do with one cell in one epoch of a random program.
type use uint8

const (
	idle      use = iota
	written       // one rank puts a value
	read          // any ranks get it
	summed        // ranks add different powers of two, and get what was there before
	swapped       // ranks compare with what is there and swap for a value of their own
	replaced      // ranks accumulate a value of their own by op.Replace
	increased     // ranks add 1 by get and put within exclusive locks
	uses
)

const (
	cells       = 40
	blockLength = 3000 // elements of the blocks behind the cells, longer than a request has
	perEpoch    = 3    // sums of one rank into one cell
)

// A program is a random one that all ranks know. Values of cells are those before the epoch.
type program struct {
	w      *comm.Window[int64]
	c      *comm.Comm
	rng    *rand.Rand
	values [][]int64 // by target
	uses   [][]use
	who    [][]int // the rank that writes
	got    [][]int64
	number int // of the epoch, from 1
}

// Random programs in epochs of all kinds: every result must be one of those that some order of the
// operations gives.
func TestWindowsAgreeWithAnOrder(t *testing.T) {
	for _, over := range []struct {
		transport string
		ranks     []int
	}{{"memwire", []int{1, 2, 3, 4}}, {"memrma", []int{1, 2, 3}}, {"naive", []int{1, 2, 3}}, {"uneven", []int{2, 3}}, {"smem", []int{1, 2, 3}}, {"tcp", []int{2, 3}}} {
		for _, n := range over.ranks {
			t.Run(fmt.Sprintf("%s/%d", over.transport, n), func(t *testing.T) {
				ranks(t, over.transport, n, func(w *comm.Comm) error { return randomPrograms(w, n) })
			})
		}
	}
}

// The same with a progress thread, which serves the window while its rank is between calls.
func TestWindowsWithAThread(t *testing.T) {
	for _, transport := range []string{"memwire", "smem", "tcp"} {
		if err := try(t, transport, 2, coll.Options{Progress: coll.ProgressThread}, func(w *comm.Comm) error { return randomPrograms(w, 2) }); err != nil {
			t.Errorf("%s: %v", transport, err)
		}
	}
}

// partly is a device over which neighbours cannot map each other's memory, as on several hosts.
type partly struct {
	device.Device
	device.Binder
	device.Sharer
}

func (p partly) Import(peer int, name []byte) ([]byte, error) {
	if (peer+p.Rank())%2 == 1 {
		return nil, errors.New("another host")
	}
	return p.Sharer.Import(peer, name)
}

// Some ranks access a part directly and others by messages: both keep out of each other's way.
func TestWindowsOfSeveralHosts(t *testing.T) {
	d := driver(t, "smem")
	options, err := device.ParseOptions(d.Options(), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = launch.Goroutines(t.Context(), 3, func(ctx context.Context, job device.Job) error {
		dev, err := d.Open(ctx, job, options)
		if err != nil {
			return err
		}
		w, err := comm.World(partly{dev, dev.(device.Binder), dev.(device.Sharer)}, comm.Options{})
		if err != nil {
			return errors.Join(err, dev.Close())
		}
		defer w.CloseAll(&err)
		return errors.Join(randomPrograms(w, 3), lockedBlocks(w))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func randomPrograms(w *comm.Comm, n int) error {
	turned, err := w.Split(0, -w.Rank())
	if err != nil {
		return err
	}
	for _, c := range []*comm.Comm{w, turned} {
		for _, allocated := range []bool{false, true} {
			var win *comm.Window[int64]
			if allocated {
				win, err = comm.AllocWindow[int64](c, cells+2*n*blockLength)
			} else {
				win, err = comm.NewWindow(c, make([]int64, cells+2*n*blockLength))
			}
			if err != nil {
				return err
			}
			p := &program{w: win, c: c, rng: rand.New(rand.NewPCG(uint64(n), 7))}
			for range n {
				p.values = append(p.values, make([]int64, cells))
				p.uses, p.who = append(p.uses, make([]use, cells)), append(p.who, make([]int, cells))
			}
			for epoch := range 12 {
				if err := p.epoch(epoch); err != nil {
					return fmt.Errorf("epoch %d, allocated %v: %w", epoch, allocated, err)
				}
			}
			if err := win.Close(); err != nil {
				return err
			}
		}
	}
	return turned.Close()
}

// epoch runs an epoch and checks it. Its number chooses the kind of synchronisation.
func (p *program) epoch(number int) error {
	p.number = number + 1
	n, me, w := p.c.Size(), p.c.Rank(), p.w
	for target := range n {
		for i := range cells {
			p.uses[target][i], p.who[target][i] = use(p.rng.IntN(int(uses))), p.rng.IntN(n)
			if p.uses[target][i] == increased && number%4 != 2 {
				p.uses[target][i] = idle
			}
		}
	}
	p.got = make([][]int64, n) // what this rank got from each target: a result for each cell and sum
	for target := range n {
		p.got[target] = make([]int64, cells*perEpoch)
	}
	everybody := make([]int, n)
	for i := range everybody {
		everybody[i] = i
	}
	long := make([]int64, 2*blockLength)
	for i := range long {
		long[i] = int64(number*1_000_000 + me*10_000 + i)
	}
	all := func(within func(target int) error) error {
		for k := range n {
			target := (me + k) % n
			if within != nil {
				if err := w.Lock(target, number%8 == 2); err != nil {
					return err
				}
			}
			if err := p.access(target, long); err != nil {
				return err
			}
			if within != nil {
				if err := errors.Join(within(target), w.Unlock(target)); err != nil {
					return err
				}
			}
		}
		return nil
	}
	var err error
	switch number % 4 {
	case 0:
		err = errors.Join(w.Fence(), all(nil), w.Fence())
	case 1:
		err = errors.Join(w.Post(everybody...), w.Start(everybody...), all(nil), w.Complete(), w.Wait())
	case 2: // every second time the lock of accesses is shared
		err = errors.Join(all(p.increase), w.Fence())
	case 3:
		err = errors.Join(w.LockAll(), all(nil), w.FlushAll(), w.UnlockAll(), w.Fence())
	}
	if err != nil {
		return err
	}
	if err := p.judge(); err != nil {
		return err
	}
	// The block of each rank in each part, put in this epoch, is got in the next.
	for target := range n {
		if err := w.Get(long, target, cells+me*2*blockLength); err != nil {
			return err
		}
		if err := w.Fence(); err != nil {
			return err
		}
		for i, v := range long {
			if want := int64(number*1_000_000 + me*10_000 + i); v != want {
				return fmt.Errorf("element %d of the block in the part of rank %d is %d, want %d", i, target, v, want)
			}
		}
	}
	return nil
}

// access does this rank's operations on a target.
func (p *program) access(target int, long []int64) error {
	w, me := p.w, p.c.Rank()
	if err := w.Put(long, target, cells+me*2*blockLength); err != nil {
		return err
	}
	for i, u := range p.uses[target] {
		before, got := p.values[target][i], p.got[target][i*perEpoch:]
		var err error
		switch u {
		case written:
			if p.who[target][i] == me {
				err = w.Put([]int64{p.value(me, i)}, target, i)
			}
		case read:
			err = w.Get(got[:1], target, i)
		case summed:
			for k := range perEpoch {
				err = errors.Join(err, w.GetAccumulate([]int64{1 << (me*perEpoch + k)}, got[k:k+1], op.Sum[int64](), target, i))
			}
		case swapped:
			err = w.CompareAndSwap(before, p.value(me, i), &got[0], target, i)
		case replaced:
			err = w.Accumulate([]int64{p.value(me, i)}, op.Replace[int64](), target, i)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// increase adds 1 to cells of a target, which is locked, by get and put. If its lock is shared, one
// rank does so.
func (p *program) increase(target int) error {
	one := make([]int64, 1)
	for i, u := range p.uses[target] {
		if u != increased {
			continue
		}
		if err := errors.Join(p.w.Unlock(target), p.w.Lock(target, false), p.w.Get(one, target, i), p.w.Flush(target)); err != nil {
			return err
		}
		one[0]++
		if err := errors.Join(p.w.Put(one, target, i), p.w.Flush(target)); err != nil {
			return err
		}
	}
	return nil
}

// value returns the value that a rank writes into a cell in this epoch.
func (p *program) value(rank, i int) int64 { return int64((p.number*100+rank)*1000 + i) }

// judge compares this rank's cells with what the epoch allows.
func (p *program) judge() error {
	n, me := p.c.Size(), p.c.Rank()
	all := make([]int64, n*n*cells*perEpoch)
	if err := comm.Allgather(p.c, slices.Concat(p.got...), all); err != nil {
		return err
	}
	got := func(rank, target, i, k int) int64 { return all[((rank*n+target)*cells+i)*perEpoch+k] }
	after := make([]int64, n*cells)
	if err := comm.Allgather(p.c, p.w.Local()[:cells], after); err != nil {
		return err
	}
	for target := range n {
		for i, u := range p.uses[target] {
			before, now := p.values[target][i], after[target*cells+i]
			allowed := []int64{before}
			switch u {
			case written:
				allowed = []int64{p.value(p.who[target][i], i)}
			case read:
				for rank := range n {
					if v := got(rank, target, i, 0); v != before {
						return fmt.Errorf("rank %d read %d in cell %d of %d, want %d", rank, v, i, target, before)
					}
				}
			case summed:
				// Each sum saw those before it in one order of all.
				order := make([]int, n*perEpoch) // the sum by the number of sums before it
				for rank := range n {
					for k := range perEpoch {
						seen := got(rank, target, i, k) - before
						order[min(bits.OnesCount64(uint64(seen)), len(order)-1)] = rank*perEpoch + k
						if k > 0 && seen&(1<<(rank*perEpoch+k-1)) == 0 {
							return fmt.Errorf("sum %d of rank %d overtook the one before", k, rank)
						}
					}
				}
				sum := int64(0)
				for _, s := range order {
					if seen := got(s/perEpoch, target, i, s%perEpoch) - before; seen != sum {
						return fmt.Errorf("sum %d saw %b, want %b", s, seen, sum)
					}
					sum |= 1 << s
				}
				allowed = []int64{before + sum}
			case swapped, replaced:
				allowed = allowed[:0]
				for rank := range n {
					v := p.value(rank, i)
					if u == replaced || got(rank, target, i, 0) == before {
						allowed = append(allowed, v)
					} else if g := got(rank, target, i, 0); g != now {
						return fmt.Errorf("rank %d compared with %d, want %d", rank, g, now)
					}
				}
				if u == swapped && len(allowed) != 1 {
					return fmt.Errorf("%d ranks swapped cell %d of %d from %d", len(allowed), i, target, before)
				}
			case increased:
				allowed = []int64{before + int64(n)}
			}
			if !slices.Contains(allowed, now) {
				return fmt.Errorf("rank %d sees %d in cell %d of %d (use %d), want one of %d", me, now, i, target, u, allowed)
			}
			p.values[target][i] = now
		}
	}
	return nil
}
