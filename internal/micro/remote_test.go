package micro_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"testing"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
	"gobench/internal/device/decorator"
	"gobench/internal/micro"
)

// messages lists the benchmarks that any channel can run.
func messages() []bench.Benchmark {
	return slices.DeleteFunc(matched(), func(b bench.Benchmark) bool { return b.CheckLevel("raw") != nil })
}

// matched lists the benchmarks that any device can run.
func matched() []bench.Benchmark {
	return slices.DeleteFunc(micro.All(), func(b bench.Benchmark) bool { return b.OneSided || b.Communicator })
}

// exposed holds the registered memory of the ranks.
type exposed struct {
	mu    sync.Mutex
	links [2][]*memLink // by rank, in the order of Link
	spoil bool
	timed int // samples of calls with several samples
}

// linked is a channel whose ranks access each other's memory.
type linked struct {
	device.Channel
	all    *exposed
	native bool
}

func (c linked) Native() bool { return c.native }

func (c linked) Offers(device.LinkOperation) error { return nil }

// PingPong records a sample of a call below Send and Recv.
func (c linked) PingPong(out, in []byte, peer, k int, first bool, s *device.Stamps) error {
	c.all.mu.Lock()
	c.all.timed++
	c.all.mu.Unlock()
	for half := range 2 * k {
		var err error
		if (half%2 == 0) == first {
			err = c.Send(out, peer, 1, bench.Context)
		} else {
			_, err = c.Recv(in, peer, 1, bench.Context)
		}
		if err != nil {
			return err
		}
		if half%2 == 1 {
			s.Round()
		}
	}
	return nil
}

type memLink struct {
	all     *exposed
	peer    int
	nth     int
	out, in []byte
	arrived chan struct{}
}

func (c linked) Link(peer int, out, in []byte) (device.Link, error) {
	c.all.mu.Lock()
	own := &c.all.links[c.Rank()]
	l := &memLink{c.all, peer, len(*own), out, in, make(chan struct{}, 1)}
	*own = append(*own, l)
	c.all.mu.Unlock()
	// The ranks notify each other, as over a network.
	if err := c.Send([]byte{0}, peer, 0, 0); err != nil {
		return nil, err
	}
	_, err := c.Recv(make([]byte, 1), peer, 0, 0)
	return l, err
}

func (l *memLink) move(get bool) *memLink {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	other := l.all.links[l.peer][l.nth]
	from, to := l.out, other.in
	if get {
		from, to = other.in, l.out
	}
	copy(to, from)
	if l.all.spoil {
		to[0] ^= 1
	}
	return other
}

func (l *memLink) Put(rounds, each int, s *device.Stamps) error { return l.several(false, rounds, s) }
func (l *memLink) Get(rounds, each int, s *device.Stamps) error { return l.several(true, rounds, s) }
func (l *memLink) Close()                                       {}

func (l *memLink) FetchAdd(rounds, each int, s *device.Stamps) error {
	return l.atomics(rounds, each, s, func(n uint64) uint64 { return n + 1 })
}

func (l *memLink) CompareSwap(rounds, each int, from uint64, s *device.Stamps) error {
	return l.atomics(rounds, each, s, func(n uint64) uint64 {
		if n != from {
			return n
		}
		from++
		return from
	})
}

func (l *memLink) atomics(rounds, each int, s *device.Stamps, change func(uint64) uint64) error {
	l.takes(s)
	for range rounds {
		l.all.mu.Lock()
		other := l.all.links[l.peer][l.nth]
		for range each {
			n := binary.NativeEndian.Uint64(other.in)
			binary.NativeEndian.PutUint64(l.out, n)
			binary.NativeEndian.PutUint64(other.in, change(n))
		}
		if l.all.spoil {
			other.in[0] ^= 1
		}
		l.all.mu.Unlock()
		s.Round()
	}
	return nil
}

// takes records the number of samples of a call.
func (l *memLink) takes(s *device.Stamps) {
	if s != nil && len(s.At) > 1 {
		l.all.mu.Lock()
		l.all.timed += len(s.At)
		l.all.mu.Unlock()
	}
}

func (l *memLink) several(get bool, rounds int, s *device.Stamps) error {
	l.takes(s)
	for range rounds {
		l.move(get)
		s.Round()
	}
	return nil
}

func (l *memLink) PutPong(k int, first bool, s *device.Stamps) error {
	l.takes(s)
	for half := range 2 * k {
		if (half%2 == 0) == first {
			l.move(false).arrived <- struct{}{}
		} else {
			<-l.arrived
		}
		if half%2 == 1 {
			s.Round()
		}
	}
	return nil
}

// sizesOf returns valid sizes of a benchmark.
func sizesOf(b bench.Benchmark) []int {
	if b.Only > 0 {
		return []int{b.Only}
	}
	return []int{2, 1000}
}

func runRemote(t *testing.T, b bench.Benchmark, size int, spoil bool, corrupt int) ([]error, *benchtest.Found, *exposed) {
	t.Helper()
	net := &benchtest.Net{Ranks: 2, Latency: 1000, Overhead: 100, ClockCost: 1}
	all := &exposed{spoil: spoil}
	channels := net.Devices()
	for i := range channels {
		channels[i] = linked{channels[i], all, !b.OneSided}
		if corrupt > 0 {
			data := func(context int32) bool { return context == bench.Context }
			channels[i] = decorator.CorruptIn(data, channels[i], corrupt, new(decorator.Tally))
		}
	}
	plan := bench.Plan{Run: "test", Level: "raw", Noise: -1,
		Cases: []bench.Case{{Bench: b, Size: size, Window: 4}}}
	found := &benchtest.Found{}
	return benchtest.Run(t.Context(), channels, plan, found), found, all
}

// Data of puts and gets is checked: correct data gives a point, and a wrong bit an error.
func TestRemoteMemoryIsChecked(t *testing.T) {
	for _, b := range micro.All() {
		if !b.OneSided {
			continue
		}
		for _, size := range sizesOf(b) {
			errs, found, all := runRemote(t, b, size, false, 0)
			if err := errors.Join(errs...); err != nil || len(found.Cells()) != 1 || found.Points[0].Checked == 0 {
				t.Errorf("%s of %d B: %v, points of %d cells", b.Name, size, err, len(found.Cells()))
			}
			if all.timed == 0 {
				t.Errorf("%s of %d B: every sample is a separate call, although the loop can time them", b.Name, size)
			}
			errs, found, _ = runRemote(t, b, size, true, 0)
			notices(t, errs, found)
		}
	}
}

// The decorator of the self-test also corrupts data received by loops below Send and Recv.
func TestCorruptedLoopsAreDetected(t *testing.T) {
	for _, b := range micro.All() {
		if !b.OneSided && b.Name != "pingpong" {
			continue
		}
		for _, size := range sizesOf(b) {
			for _, every := range []int{1, 3} {
				errs, found, all := runRemote(t, b, size, false, every)
				if all.timed == 0 && !b.OneSided {
					t.Errorf("%s of %d B uses Send and Recv with the decorator", b.Name, size)
				}
				notices(t, errs, found)
			}
		}
	}
}

// A channel without one-sided access is refused with an error.
func TestRemoteMemoryNeedsALinker(t *testing.T) {
	net := &benchtest.Net{Ranks: 2}
	b, err := micro.Lookup("put_bw")
	if err != nil {
		t.Fatal(err)
	}
	plan := bench.Plan{Run: "test", Level: "raw", Noise: -1, Cases: []bench.Case{{Bench: b, Size: 8, Window: 4}}}
	for _, err := range benchtest.Run(t.Context(), net.Devices(), plan, &benchtest.Found{}) {
		if err == nil {
			t.Error("a network without puts runs put_bw")
		}
	}
	plan.Level = "device"
	var wrong *bench.PlanError
	if err := plan.Check(2); !errors.As(err, &wrong) {
		t.Errorf("put_bw at level device: %v", err)
	}
}
