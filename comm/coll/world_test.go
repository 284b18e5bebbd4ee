package coll

import (
	"context"
	"encoding/binary"
	"os"
	"runtime"
	"sync"
	"testing"

	"gobench/comm/op"
	"gobench/comm/schedule"
	"gobench/device"
	"gobench/device/devicetest"
	"gobench/device/devicetest/memwire"
	_ "gobench/transports/all"
)

// hostile returns a wire that often has no room and delays packets.
func hostile() device.Driver {
	return &memwire.Driver{Hostility: memwire.Hostility{Seed: 1, Queue: 4, Packet: 512, EagerLimit: 1000, NoRoom: 40, Withhold: 40}}
}

func driver(t testing.TB, name string) device.Driver {
	t.Helper()
	if name == "memwire" {
		return hostile()
	}
	d, err := device.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var wires = []string{"memwire", "smem", "tcp"}

const testContext = 40

// TestMain gives all ranks of a test, which are goroutines of one process, and their threads a
// processor of Go's scheduler each, as processes have them. With fewer, ranks and threads that wait
// for each other in system calls keep the last one from running until the scheduler takes the
// processor away, 10 ms later: the tests took four times as long.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(max(8, runtime.GOMAXPROCS(0)))
	os.Exit(m.Run())
}

// run opens a job of goroutines and gives every rank its device, bound as comm does it. A job that
// hangs ends at the limit of go test, which prints the stacks of all goroutines; a limit of its own
// ended jobs that only lacked processors.
func run(t testing.TB, driver device.Driver, ranks int, wait string, f func(dev device.Device)) {
	t.Helper()
	options, err := device.ParseOptions(driver.Options(), map[string]string{"wait": wait})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, ranks)
	for i := range all {
		all[i] = i
	}
	var group sync.WaitGroup
	for _, job := range devicetest.Jobs(ranks) {
		group.Go(func() {
			dev, err := driver.Open(context.Background(), job, options)
			if err != nil {
				t.Error(err)
				return
			}
			dev.(device.Binder).Bind(testContext, all)
			defer func() {
				if p := recover(); p == nil {
					dev.Close()
				} else if p != any(killed{}) {
					panic(p)
				}
			}()
			f(dev)
		})
	}
	group.Wait()
}

// killed is the panic value of a rank that simulates its death.
type killed struct{}

func die(r *Runner) {
	r.dev.(*memwire.Device).Kill()
	panic(killed{})
}

// collective gives every rank a Runner with the tests' algorithms.
func collective(t testing.TB, driver device.Driver, ranks int, o Options, f func(r *Runner)) {
	t.Helper()
	collectiveThat(t, driver, ranks, "yield", o, f)
}

func collectiveThat(t testing.TB, driver device.Driver, ranks int, waits string, o Options, f func(r *Runner)) {
	t.Helper()
	o.Force = forced()
	run(t, driver, ranks, waits, func(dev device.Device) {
		r := NewRunner(dev, testContext, nil, dev.Rank(), ranks, o)
		f(r)
		if !r.closed {
			if err := r.Close(); err != nil {
				t.Errorf("rank %d: close: %v", dev.Rank(), err)
			}
		}
	})
}

// forced returns simple algorithms, so that tests of the Runner do not depend on the others.
func forced() (f [schedule.Kinds]*Choice) {
	for _, a := range []*Algorithm{
		{Kind: schedule.Barrier, Build: func(b *schedule.Builder, _ int) {
			star(b, schedule.Mem{}, func(int) schedule.Mem { return schedule.Mem{} })
		}},
		{Kind: schedule.Allreduce, Build: func(b *schedule.Builder, _ int) {
			parts := b.Scratch(b.Bytes * b.Ranks)
			part := func(rank int) schedule.Mem { return parts.At(rank*b.Bytes, b.Bytes) }
			b.Copy(part(0), b.Input())
			collect(b, b.Input(), part)
			if b.Rank == 0 {
				for rank := 1; rank < b.Ranks; rank++ {
					b.Combine(part(0), part(0), part(rank))
				}
				b.Copy(b.RecvBuf(), part(0))
			}
			tell(b, b.RecvBuf())
		}},
		{Kind: schedule.Allgather, Build: func(b *schedule.Builder, _ int) {
			b.Copy(b.RecvBlock(b.Rank), b.Input())
			collect(b, b.RecvBlock(b.Rank), b.RecvBlock)
			tell(b, b.RecvBuf())
		}},
		{Kind: schedule.Alltoall, Build: func(b *schedule.Builder, _ int) {
			b.Copy(b.RecvBlock(b.Rank), b.SendBlock(b.Rank))
			for step := 1; step < b.Ranks; step++ {
				to, from := (b.Rank+step)%b.Ranks, (b.Rank-step+b.Ranks)%b.Ranks
				b.Exchange(b.SendBlock(to), to, b.RecvBlock(from), from)
			}
		}},
		{Kind: schedule.Reduce, Build: func(b *schedule.Builder, _ int) { rooted(b, b.SendBuf(), b.RecvBuf()) }},
		{Kind: schedule.Gather, Build: func(b *schedule.Builder, _ int) { rooted(b, b.SendBuf(), b.RecvBuf()) }},
		{Kind: schedule.Scatter, Build: func(b *schedule.Builder, _ int) { rooted(b, b.SendBuf(), b.RecvBuf()) }},
		{Kind: schedule.ReduceScatter, Build: func(b *schedule.Builder, _ int) {}},
		{Kind: schedule.Scan, Build: func(b *schedule.Builder, _ int) {}},
		{Kind: schedule.Exscan, Build: func(b *schedule.Builder, _ int) {}},
	} {
		a.Name = "test"
		f[a.Kind] = &Choice{Algorithm: a}
	}
	mst, err := ParseChoice(schedule.Bcast, "mst")
	if err != nil {
		panic(err)
	}
	f[schedule.Bcast] = &mst
	return f
}

// rooted does nothing: operations that are only refused need no algorithm.
func rooted(*schedule.Builder, schedule.Mem, schedule.Mem) {}

// collect brings mine of every rank to part(rank) on rank 0.
func collect(b *schedule.Builder, mine schedule.Mem, part func(rank int) schedule.Mem) {
	if b.Rank != 0 {
		b.Send(mine, 0)
		return
	}
	var all []schedule.Slot
	for peer := 1; peer < b.Ranks; peer++ {
		all = append(all, b.Irecv(part(peer), peer))
	}
	b.Wait(all...)
}

// tell sends m from rank 0 to all ranks.
func tell(b *schedule.Builder, m schedule.Mem) {
	if b.Rank != 0 {
		b.Recv(m, 0)
		return
	}
	var all []schedule.Slot
	for peer := 1; peer < b.Ranks; peer++ {
		all = append(all, b.Isend(m, peer))
	}
	b.Wait(all...)
}

func star(b *schedule.Builder, mine schedule.Mem, part func(int) schedule.Mem) {
	collect(b, mine, part)
	tell(b, mine)
}

// calls that are easy to write and to check: elements are int64.

func call(r *Runner, kind schedule.Kind, count int) *schedule.Call {
	return callRoot(r, kind, count, 0)
}

func callRoot(r *Runner, kind schedule.Kind, count, root int) *schedule.Call {
	c := &schedule.Call{Shape: &schedule.Shape{Kind: kind, Ranks: r.ranks, Rank: r.rank, Root: root, Bytes: 8 * count, Elem: 8}}
	if kind.Reduces() {
		c.Op, c.Shape.Commutative = op.Sum[int64](), true
	}
	if kind.Neighbors() { // a ring in both directions
		behind, before := (r.rank+1)%r.ranks, (r.rank+r.ranks-1)%r.ranks
		c.Shape.Sources, c.Shape.Targets = []int{before, behind}, []int{behind, before}
	}
	c.Send, c.Recv = make([]byte, c.Shape.SendLen()), make([]byte, c.Shape.RecvLen())
	return c
}

// value is element i of what rank contributes to the operation number n.
func value(n, rank, i int) int64 { return int64(1000*n + 10*rank + i) }

func put(b []byte, f func(i int) int64) {
	for i := range len(b) / 8 {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(f(i)))
	}
}

// fill writes this rank's contribution to operation number n.
func fill(r *Runner, c *schedule.Call, n int) {
	clear(c.Recv)
	put(c.Send, func(i int) int64 { return value(n, r.rank, i) })
	if c.Shape.Kind == schedule.Bcast && r.rank == c.Shape.Root {
		put(c.Recv, func(i int) int64 { return value(n, r.rank, i) })
	}
}

// right checks the result.
func right(t testing.TB, r *Runner, c *schedule.Call, n int) {
	t.Helper()
	s := c.Shape
	count := s.Bytes / 8
	sum := func(below, i int) (total int64) {
		for rank := range below {
			total += value(n, rank, i)
		}
		return total
	}
	for i := range len(c.Recv) / 8 {
		want := int64(0)
		switch s.Kind {
		case schedule.Bcast:
			want = value(n, s.Root, i)
		case schedule.Scatter:
			want = value(n, s.Root, r.rank*count+i)
		case schedule.Gather, schedule.Allgather:
			want = value(n, i/count, i%count)
		case schedule.Alltoall:
			want = value(n, i/count, r.rank*count+i%count)
		case schedule.NeighborAllgather:
			want = value(n, s.Sources[i/count], i%count)
		case schedule.NeighborAlltoall:
			want = value(n, s.Sources[i/count], i)
		case schedule.Reduce, schedule.Allreduce:
			want = sum(r.ranks, i)
		case schedule.ReduceScatter:
			want = sum(r.ranks, r.rank*count+i)
		case schedule.Scan:
			want = sum(r.rank+1, i)
		case schedule.Exscan:
			want = sum(r.rank, i) // nothing is written on rank 0
		}
		if got := int64(binary.LittleEndian.Uint64(c.Recv[8*i:])); got != want {
			t.Errorf("rank %d: %v by %s, number %d, element %d is %d, want %d", r.rank, s.Kind, r.Algorithm(s.Kind), n, i, got, want)
			return
		}
	}
}
