package bench

import (
	"slices"
	"testing"

	"gobench/device"
	"gobench/internal/allocs"
)

// lone is a channel of a rank whose peers answer immediately.
type lone struct {
	device.Channel
	word []byte
	ops  int
}

func (l *lone) Rank() int { return 1 }
func (l *lone) Size() int { return 3 }
func (l *lone) Irecv(buf []byte, src int, tag, context int32) (device.Request, error) {
	l.ops++
	return 1, nil
}
func (l *lone) Wait(device.Request) (device.Status, error) { return device.Status{}, nil }
func (l *lone) Send(buf []byte, dst int, tag, context int32) error {
	l.ops++
	return nil
}
func (l *lone) Recv(buf []byte, src int, tag, context int32) (device.Status, error) {
	copy(buf, l.word)
	return device.Status{}, nil
}

// Timed blocks of collectives do not allocate, with any kind of start.
func TestOperationsAllocateNothing(t *testing.T) {
	for _, start := range []Start{StartNone, StartBarrier, StartTime} {
		for _, skew := range []Skew{{}, {SkewRandom, 100}, {SkewLate, 100}} {
			c := &counter{}
			now := func() int64 { c.clock++; return c.clock }
			ch := &lone{}
			timed := newTimed(now)
			l := &link{ch: ch}
			l.sendWord(0, timeTag, 1)
			ch.word, ch.ops = slices.Clone(l.out), 0
			g := &gate{link: l, ch: ch, now: now, start: start, lead: 10}
			var failed error
			n := allocs.Count(20, func() {
				if err := timed.operations(c, g, skew, 100, 2, 1); err != nil {
					failed = err
				}
			})
			if n != 0 || failed != nil {
				t.Errorf("start %s, skew %v: %v allocations, error %v", start, skew, n, failed)
			}
			if (ch.ops > 0) != (start != StartNone) {
				t.Errorf("start %s: %d messages", start, ch.ops)
			}
		}
	}
}

// A rank whose clock has been stepped does not wait for a start that seems far away.
func TestStartsThatAreFarAway(t *testing.T) {
	const lead = maxLead / 2
	for ahead, want := range map[int64]bool{-1: false, lead: true, 2 * maxLead: true, 1e9: false} {
		at := int64(1000)
		begin := at
		ch := &lone{}
		l := &link{ch: ch}
		l.sendWord(0, timeTag, uint64(at+ahead))
		ch.word = slices.Clone(l.out)
		g := &gate{link: l, ch: ch, now: func() int64 { at++; return at }, start: StartTime, lead: lead}
		inTime, err := g.pass()
		if waited := at - begin; err != nil || inTime != want || want != (waited >= ahead && waited > 10) {
			t.Errorf("start %d ns ahead: in time %t after %d ns, %v", ahead, inTime, waited, err)
		}
	}
}

// The spans are exact: rank 1 enters 5 later and leaves 20 later.
func TestSpansOfPlantedTimes(t *testing.T) {
	var s spans
	var m merger
	s.reset(3, 1)
	s.add([]int64{100, 110, 200, 210, 300, 310}, 0)
	if !s.add([]int64{105, 130, -205, 230, 305, 330}, 0) || s.add([]int64{1, 2}, 0) {
		t.Error("stamps of another number of samples are accepted")
	}
	if invalid := s.times(&m); invalid != 1 || len(m.times) != 2 {
		t.Fatalf("%d invalid, times %v", invalid, m.times)
	}
	for i, want := range []int64{100, 300} {
		if m.times[i] != 30 || m.local[i] != 25 || m.skew[i] != 15 || m.starts[i] != want {
			t.Errorf("sample %d: global %d, local %d, skew %d, start %d", i, m.times[i], m.local[i], m.skew[i], m.starts[i])
		}
	}
	s.follow = true
	s.reset(2, 1)
	s.add([]int64{100, 110, 110, 140}, 0)
	s.add([]int64{104, 120, 120, 130}, 0)
	s.times(&m)
	if len(m.times) != 2 || m.times[0] != 16 || m.times[1] != 20 {
		t.Errorf("back to back: %v", m.times)
	}
}

// Random delays cover the whole range and differ by rank; the one late rank changes with each
// event.
func TestSkewDelays(t *testing.T) {
	random, late := Skew{SkewRandom, 1000}, Skew{SkewLate, 1000}
	smallest, largest, same := int64(1000), int64(0), 0
	for event := range uint64(1000) {
		d := random.delay(0, 3, event)
		smallest, largest = min(smallest, d), max(largest, d)
		if d == random.delay(1, 3, event) {
			same++
		}
		sum := int64(0)
		for rank := range 3 {
			sum += late.delay(rank, 3, event)
		}
		if sum != 1000 || late.delay(int(event%3), 3, event) != 1000 {
			t.Fatalf("event %d: %d in all", event, sum)
		}
	}
	if smallest > 20 || largest < 980 || largest > 1000 || same > 20 {
		t.Errorf("from %d to %d, %d equal", smallest, largest, same)
	}
}

// where is an operation that records its buffer.
type where struct {
	log *[]int
	id  int
}

func (w where) Do(k int) error {
	for range k {
		*w.log = append(*w.log, w.id)
	}
	return nil
}

// Cold buffers are used in turn across blocks.
func TestColdBuffersRotate(t *testing.T) {
	var log []int
	r := &rotation{}
	for id := range 3 {
		r.units = append(r.units, unit{where{&log, id}, &buffers{}})
	}
	r.prepare(1, true)
	for _, k := range []int{2, 1, 4} {
		r.Do(k)
	}
	for i, id := range log {
		if id != i%3 {
			t.Fatalf("events used %v", log)
		}
	}
	if r.used != 3 {
		t.Errorf("%d to check", r.used)
	}
	const cache = 1 << 20
	for _, size := range []int{1, 1000, 1 << 16, 1 << 20, 1 << 24} {
		for _, collective := range []*Collective{nil, {}} {
			cell := Case{Bench: Benchmark{Buffers: Fixed(2), Collective: collective}, Size: size}
			if n := cell.copies(2, cache); n != 1 {
				t.Errorf("warm: %d copies", n)
			}
			cell.Cache = Cold
			n := cell.copies(2, cache)
			if n < 2 || n > maxCopies || n < maxCopies && n*size*2 <= 2*cache {
				t.Errorf("cold, %d bytes: %d copies", size, n)
			}
		}
	}
}
