package pairwise

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/blocking"
	"gobench/internal/launch/host"
	"gobench/pairs"
	"gobench/record"
	"gobench/stats"
)

const (
	smallSize = 8
	largeSize = 128 << 10
	warmUps   = 10   // round trips before the first sample
	minTrips  = 50   // round trips, however long they take
	maxTrips  = 4000 // round trips, however short they are
	// burstTime is the time of messages that are sent without an answer, and burstGrowth the factor
	// by which their number grows at most, so that a slow link does not get seconds of data.
	burstTime   = 10 * time.Millisecond
	burstGrowth = 4
	maxBurst    = 1024 // messages
	// minBursts is the number of bursts, however long they take on a busy host, because buffers
	// take the first. Where they take slowBurst times the time of all, the link is slow, and one
	// tells it.
	minBursts = 3
	slowBurst = 10
	// slowPace bounds the time of messages with intended starts, relative to that of the starts.
	slowPace = 2
)

// A session is an open channel to the other host of a pair.
type session struct {
	ch        device.Channel
	peer      int
	first     bool // this is rank 0, which reads the clock and decides when to stop
	out, in   []byte
	word      [smallSize]byte
	trips     []float64
	rates     []burst
	requests  [2]device.Request
	smallTime time.Duration
	largeTime time.Duration
	interval  time.Duration // pairOrder.Interval
	now       func() time.Time
}

// A burst is the rate of messages that were sent without an answer.
type burst struct{ rate, size float64 }

// measure carries out an order and returns this rank's results.
func measure(ctx context.Context, m *meeting, o pairOrder) *done {
	runtime.LockOSThread() // never unlocked: the pinned thread ends with this goroutine
	d := &done{ID: o.ID, Core: -1}
	if core := nearNIC(); core >= 0 && host.Pin(core) == nil {
		d.Core = core
	}
	before := host.Counters()
	d.Phase = connecting
	err := m.over(ctx, func(ch device.Device) error {
		if o.Allreduce {
			return d.allreduce(ch, m, o)
		}
		return d.over(ch, o)
	})
	if err != nil {
		d.Error = err.Error()
		if ended := ctx.Err(); ended != nil {
			d.Error = context.Cause(ctx).Error()
			if interrupted, ok := errors.AsType[*device.InterruptedError](err); ok && interrupted.Rank >= 0 {
				d.Error = fmt.Sprintf("no answer of %s: %v", o.Hosts[interrupted.Rank], context.Cause(ctx))
			}
		}
	}
	d.Changed = host.Changes(before, host.Counters())
	delete(d.Changed, host.Resent)
	return d
}

// nearNIC returns a core of the NUMA node of the fastest NIC, -1 if that is not known.
var nearNIC = sync.OnceValue(func() int {
	allowed, err := host.AllowedCores()
	if err != nil {
		return -1
	}
	return coreNear(host.Collect(), allowed)
})

// coreNear is nearNIC for a host with these facts, of whose cores some may be used. It is the last
// one of the node, because the first ones handle most interrupts.
func coreNear(f host.Facts, allowed []int) int {
	nodes := host.NICNodes(f.NICs)
	for _, n := range f.NUMA {
		if len(nodes) == 0 || n.ID != nodes[0] {
			continue
		}
		cores, err := host.ParseCores(n.Cores)
		if err != nil {
			return -1
		}
		for _, c := range slices.Backward(cores) {
			if slices.Contains(allowed, c) {
				return c
			}
		}
	}
	return -1
}

func newSession(ch device.Channel, o pairOrder) *session {
	return &session{ch: ch, peer: 1 - o.Rank, first: o.Rank == 0, smallTime: o.Small, largeTime: o.Large, interval: o.Interval, now: time.Now, trips: make([]float64, 0, maxTrips)}
}

// over measures a pair over an open channel.
func (d *done) over(ch device.Channel, o pairOrder) error {
	s := newSession(ch, o)
	s.out, s.in, s.rates = make([]byte, largeSize), make([]byte, largeSize), make([]burst, 0, 1024)
	s.fill(s.out, o.Rank)

	d.Phase = small
	resent, begun := host.SegmentsResent(), s.now()
	err := s.pingPong()
	d.Resent[0] = int(host.SegmentsResent() - resent)
	if err != nil {
		return err
	}
	d.HalfRTT = summary(s.trips)
	if s.first {
		s.record(d, begun, "pingpong", smallSize, "half_rtt_s", record.Times(stats.Summarize(s.trips), false), "half of the time from the intended start of a message to the answer")
	}

	resent = host.SegmentsResent()
	defer func() { d.Resent[1] = int(host.SegmentsResent() - resent) }()
	for _, step := range []struct {
		run      func() error
		rate     *float64
		receives bool
		bench    string // of the record
	}{
		{func() error { return s.stream(s.first) }, &d.Forth, !s.first, "uniband"},
		{func() error { return s.stream(!s.first) }, &d.Back, s.first, ""},
		{s.exchange, &d.Both, true, "biband"},
	} {
		s.rates = s.rates[:0]
		d.Phase, begun = large, s.now()
		if err := step.run(); err != nil {
			return err
		}
		*step.rate = usualRate(s.rates)
		if s.first && step.bench != "" {
			s.record(d, begun, step.bench, largeSize, "bandwidth_Bps", record.Value{Median: *step.rate, N: len(s.rates)}, "median of bursts of messages, weighted by their bytes")
		}
		d.Phase = checking
		if step.receives {
			if err := s.verify(1 - o.Rank); err != nil {
				return err
			}
			clear(s.in)
		}
	}
	d.Phase = ""
	return nil
}

// record keeps a result of rank 0 as a point, if the messages have intended starts.
func (s *session) record(d *done, begun time.Time, name string, size int, metric string, v record.Value, method string) {
	if s.interval == 0 {
		return
	}
	info := s.ch.Info()
	facts := bench.Facts{Bench: name, Level: "device", Begin: begun, Duration: s.now().Sub(begun).Seconds(), Ranks: s.ch.Size(), Over: &info}
	p := facts.Point()
	p.Size, p.Iterations, p.Sampling, p.Method = int64(size), int64(v.N), "exact", method
	p.Metrics.Set(metric, v)
	d.Points = append(d.Points, p)
}

const tag = 1

func (s *session) send(b []byte) error { return s.ch.Send(b, s.peer, tag, 0) }
func (s *session) recv(b []byte) error {
	_, err := s.ch.Recv(b, s.peer, tag, 0)
	return err
}

// pingPong measures round trips of small messages. The first byte of the last one is set.
func (s *session) pingPong() error {
	word := s.word[:]
	clear(word)
	if !s.first {
		for word[0] == 0 {
			if err := s.recv(word); err != nil {
				return err
			}
			if err := s.send(word); err != nil {
				return err
			}
		}
		return nil
	}
	return s.paced(0.5, func(last bool) (bool, error) {
		if last {
			word[0] = 1
		}
		if err := s.send(word); err != nil {
			return last, err
		}
		return last, s.recv(word)
	})
}

// paced calls one for each message, and keeps their times, in units of scale, after the first ones.
// The argument last is true once the time is over; one returns whether its message was the last.
func (s *session) paced(scale float64, one func(last bool) (ended bool, err error)) error {
	var begun time.Time
	n, count := -warmUps, 0
	if s.interval > 0 {
		count = planned(s.smallTime, s.interval)
	}
	due := func(n int) time.Time { return begun.Add(time.Duration(n) * s.interval) }
	for ended := false; !ended; n++ {
		last, start := false, s.now()
		if n == 0 {
			begun = start
		}
		switch elapsed := start.Sub(begun); {
		case n < 0:
		case count > 0:
			last = n >= count-1 || elapsed > max(slowBurst*s.smallTime, slowPace*due(count).Sub(begun))
			for start = due(n); s.now().Before(start); {
				blocking.Yield(false)
			}
		default:
			last = n >= maxTrips-1 || n >= minTrips && elapsed > s.smallTime
		}
		var err error
		if ended, err = one(last); err != nil {
			return err
		}
		if n >= 0 {
			s.trips = append(s.trips, scale*s.now().Sub(start).Seconds())
		}
	}
	// Messages that were due and have not been sent would have taken longer than they are late.
	for end := s.now(); n < count && due(n).Before(end); n++ {
		s.trips = append(s.trips, scale*end.Sub(due(n)).Seconds())
	}
	return nil
}

// summary returns order statistics of times.
func summary(times []float64) pairs.Times {
	if len(times) == 0 {
		return pairs.Times{}
	}
	sum := 0.0
	for _, t := range times {
		sum += t
	}
	sorted := slices.Sorted(slices.Values(times))
	return pairs.Times{Median: stats.Quantile(sorted, 0.5), P99: stats.Quantile(sorted, 0.99), Mean: sum / float64(len(times)), Min: sorted[0], Max: sorted[len(sorted)-1], N: len(times)}
}

// usualRate returns the median of rates, weighted by their bytes: those of the first, short bursts,
// which buffers on the way take, hardly count.
func usualRate(list []burst) float64 {
	sorted := slices.SortedFunc(slices.Values(list), func(a, b burst) int { return cmp.Compare(a.rate, b.rate) })
	total := 0.0
	for _, b := range sorted {
		total += b.size
	}
	sum := 0.0
	for _, b := range sorted {
		if sum += b.size; sum >= total/2 {
			return b.rate
		}
	}
	return 0
}

// stream sends bursts of large messages, each answered by a small one, or receives them. The sender
// reads the clock, and tells the rates to rank 0 if that is the receiver.
func (s *session) stream(sends bool) error {
	word := s.word[:]
	if !sends {
		for last := false; !last; {
			if err := s.recv(word); err != nil {
				return err
			}
			n := binary.LittleEndian.Uint32(word)
			last = word[4] != 0
			for range min(n, maxBurst) {
				if err := s.recv(s.in); err != nil {
					return err
				}
			}
			if err := s.send(word); err != nil {
				return err
			}
		}
		if !s.first {
			return nil
		}
		var rate [8]byte
		if err := s.recv(rate[:]); err != nil {
			return err
		}
		s.rates = append(s.rates, burst{float64(binary.LittleEndian.Uint64(rate[:])), 1})
		return nil
	}
	err := s.bursts(func(n int, last bool) error {
		s.announce(n, last)
		if err := s.send(word); err != nil {
			return err
		}
		for range n {
			if err := s.send(s.out); err != nil {
				return err
			}
		}
		return s.recv(word)
	}, 1)
	if err != nil || s.first {
		return err
	}
	return s.send(binary.LittleEndian.AppendUint64(nil, uint64(usualRate(s.rates))))
}

// announce writes the header of a burst into the word.
func (s *session) announce(n int, last bool) {
	clear(s.word[:])
	binary.LittleEndian.PutUint32(s.word[:], uint32(n))
	if last {
		s.word[4] = 1
	}
}

// exchange sends large messages in both directions at the same time.
func (s *session) exchange() error {
	word := s.word[:]
	swap := func(n int) error {
		for range n {
			var err error
			if s.requests[0], err = s.ch.Irecv(s.in, s.peer, tag, 0); err != nil {
				return err
			}
			if s.requests[1], err = s.ch.Isend(s.out, s.peer, tag, 0); err != nil {
				return err
			}
			for _, r := range s.requests {
				if _, err := s.ch.Wait(r); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if !s.first {
		for last := false; !last; {
			if err := s.recv(word); err != nil {
				return err
			}
			last = word[4] != 0
			if err := swap(int(min(binary.LittleEndian.Uint32(word), maxBurst))); err != nil {
				return err
			}
		}
		return nil
	}
	return s.bursts(func(n int, last bool) error {
		s.announce(n, last)
		if err := s.send(word); err != nil {
			return err
		}
		return swap(n)
	}, 2)
}

// bursts calls one with growing numbers of messages until the time is over, and keeps the rates of
// the given number of directions.
func (s *session) bursts(one func(n int, last bool) error, directions int) error {
	begun := time.Now()
	more := func() bool {
		if len(s.rates) < minBursts {
			return len(s.rates) == 0 || time.Since(begun) < slowBurst*s.largeTime
		}
		return time.Since(begun) <= s.largeTime && len(s.rates) < cap(s.rates)
	}
	for n := 1; more(); {
		start := time.Now()
		if err := one(n, false); err != nil {
			return err
		}
		d := time.Since(start)
		size := float64(n * largeSize * directions)
		s.rates = append(s.rates, burst{size / d.Seconds(), size})
		fit := int(float64(n) * burstTime.Seconds() / d.Seconds())
		n = min(max(1, fit), burstGrowth*n, maxBurst)
	}
	return one(0, true) // not before, because the last burst of a slow link takes long
}

// fill writes the pattern of a rank.
func (s *session) fill(b []byte, rank int) {
	for i := range b {
		b[i] = byte(i*7 + i>>8 + rank*101)
	}
}

// A DataError reports a message that differs from what was sent.
type DataError struct{ Rank int }

func (e *DataError) Error() string {
	return fmt.Sprintf("large messages of rank %d arrive wrong", e.Rank)
}

// verify compares the last large message with the pattern of its sender.
func (s *session) verify(rank int) error {
	want := make([]byte, largeSize)
	s.fill(want, rank)
	if !bytes.Equal(want, s.in) {
		return &DataError{rank}
	}
	return nil
}
