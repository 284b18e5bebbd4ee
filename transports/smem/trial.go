package smem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"gobench/device"
	"gobench/device/profile"
	"gobench/device/protocol"
	"gobench/internal/simd"
)

var _ device.Trier = driver{}

// Bounds of a trial.
const (
	minRounds  = 4
	maxRounds  = 16
	trialCount = 2 + int(traffics)*classes // of one distance

	copySize   = 64 << 10 // of the messages by which copy routines are compared: several packets
	trialBytes = 128 << 10
	maxEvents  = 16
)

// Tried implements device.Trier.
func (driver) Tried(p *profile.Profile, latency float64) bool {
	return p.Pick(routineOf((&peer{far: latency > farLatency}).distance(), trafficNames[alone])) != ""
}

// Try implements device.Trier: by messages of the protocol itself, between cores at one distance.
func (d driver) Try(ctx context.Context, job device.Job, within time.Duration) (choices []profile.Choice, err error) {
	if job.Size() != 2 {
		return nil, fmt.Errorf("transport smem: trials need 2 ranks, there are %d", job.Size())
	}
	opts, err := device.ParseOptions(d.Options(), nil)
	if err != nil {
		return nil, err
	}
	w, config, err := open(ctx, job, opts, nil)
	if err != nil {
		return nil, err
	}
	channel, err := protocol.New(w, config)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, channel.Close()) }()
	defer context.AfterFunc(ctx, func() { channel.Interrupt(context.Cause(ctx)) })()
	t := &trials{w: w, d: channel, with: 1 - job.Rank(), lead: job.Rank() == 0, end: time.Now().Add(within), left: trialCount}
	if err := t.run(); err != nil {
		return nil, err
	}
	return t.choices, nil
}

// trials is one rank's part of the trials. Both ranks run the same trials in the same order; the
// lower one measures and decides (agree). The order is that in which choices depend on each other:
//
//	copy, fetch     the routines into the ring and out of it, by packets of one size
//	messages        the table alone: eager or a method for each class of sizes, also in a row
//	both, stream    for announced messages, given which are eager
//	memory          for memory of Alloc
//
// Within a table classes are tried from the shortest on, and the best method of a class is the
// first candidate of the next one. Each trial has its share of the time that is left, so a
// disturbed one takes nothing from the others; what could not be tried stays as in plain. If the
// two ranks are on other cores in the end, all choices are marked as disturbed (moved).
type trials struct {
	w        *wire
	d        *protocol.Device
	with     int
	lead     bool
	end      time.Time // of all trials
	left     int       // trials that are still to come
	distance int
	choices  []profile.Choice

	out, in []byte // of the messages: as in the loops of benchmarks, what is sent is not written between
	word    [1]byte
}

const trialTag, trialContext = 1, 0

// run tries all choices of one distance within the time of the trials, and adopts each when it is
// made, because later trials run with it.
func (t *trials) run() error {
	where, err := t.agree(t.w.peers[t.with].distance())
	if err != nil {
		return err
	}
	t.distance = where
	t.w.peers[t.with].far = where == far
	tunings := [distances]tuning{plain, plain}
	tuning := &tunings[where]
	t.w.adopt(tunings)

	limit := sizeOf(classes - 1)
	heap, err := unix.Mmap(-1, 0, 2*limit, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_POPULATE)
	if err != nil {
		return err
	}
	defer unix.Munmap(heap)
	t.out, t.in = heap[:limit], heap[limit:]

	known := profile.InForce()
	*tuning, _ = tuningOf(known, where)
	tables := tuning.tables
	tuning.tables[alone] = filled(0, protocol.Pipeline) // routines are compared in the ring
	for _, one := range []struct {
		what   string
		name   *string
		around bool
	}{{"copy", &tuning.copier, true}, {"fetch", &tuning.fetch, false}} {
		if known.Settled(routineOf(where, one.what)) != "" {
			continue
		}
		var names []string
		for _, c := range simd.Copiers() {
			if one.around || !c.Around { // what has arrived is read next
				names = append(names, c.Name)
			}
		}
		best, spread, err := t.try(names, func(candidate int) (time.Duration, error) {
			*one.name = names[candidate]
			t.w.adopt(tunings)
			return t.event(alone, copySize)
		})
		if err != nil {
			return err
		}
		*one.name = names[best]
		t.w.adopt(tunings)
		t.record(one.what, names[best], spread)
	}
	tuning.tables = tables
	t.w.adopt(tunings)
	for traffic := range traffics {
		if traffic == reachable {
			if err := t.reachable(); err != nil {
				return err
			}
		}
		if known.Settled(routineOf(where, trafficNames[traffic])) != "" {
			t.left -= classes
		} else if err := t.table(traffic); err != nil {
			return err
		}
	}
	return t.moved()
}

// reachable replaces the memory of the messages by such that the peer maps.
func (t *trials) reachable() error {
	mem, err := t.d.Alloc(len(t.out) + len(t.in))
	if err == nil {
		t.out, t.in = mem[:len(t.out)], mem[len(t.out):]
	}
	return err
}

// table finds the method of each class of sizes, beginning with that of the class before, so that
// what hardly differs does not alternate. A sender knows only its own message when it decides
// whether that is eager, so what is best alone and in a stream together decides.
func (t *trials) table(traffic traffic) error {
	tables := &t.w.tunings[t.distance].tables
	table := &tables[traffic]
	methods := []protocol.Method{protocol.Pipeline}
	if traffic == reachable {
		methods = []protocol.Method{protocol.Get, protocol.Put, protocol.Split}
	} else if t.w.reach == reachCMA {
		methods = append(methods, protocol.Get, protocol.Put, protocol.Split)
	}
	if traffic == alone || traffic == reachable {
		methods = slices.Insert(methods, 0, eager)
	}
	kept := tables[stream]
	var spreads []float64
	for class := range table {
		size, plain := sizeOf(class), table[class]
		if size > maxEager {
			methods = slices.DeleteFunc(methods, func(m protocol.Method) bool { return m == eager })
		}
		if (traffic == both || traffic == stream) && tables[alone][class] == eager {
			table[class] = protocol.Pipeline // never announced
			t.left--
			continue
		}
		best, spread, err := t.try(make([]string, len(methods)), func(candidate int) (time.Duration, error) {
			table[class] = methods[candidate]
			if traffic != alone || size > maxEager {
				return t.event(traffic, size)
			}
			tables[stream][class] = methods[candidate]
			single, err := t.event(alone, size)
			if err != nil {
				return 0, err
			}
			row, err := t.event(stream, size)
			return time.Duration(math.Sqrt(float64(single) * float64(row))), err
		})
		if err != nil {
			return err
		}
		if table[class] = methods[best]; spread == profile.Untried {
			table[class] = plain
		}
		spreads = append(spreads, spread)
		methods = slices.Concat(methods[best:best+1], methods[:best], methods[best+1:])
	}
	if traffic == alone {
		tables[stream] = kept
	}
	slices.Sort(spreads)
	t.record(trafficNames[traffic], table.String(), spreads[len(spreads)/2])
	return nil
}

// record keeps a choice for the profile. spread is the relative difference between its rounds.
func (t *trials) record(what, pick string, spread float64) {
	t.choices = append(t.choices, profile.Choice{Routine: routineOf(t.distance, what), Pick: pick, Spread: spread})
}

// moved marks all choices as disturbed if the cores are at another distance now.
func (t *trials) moved() error {
	if _, err := t.w.coreLatency(t.with, 0, surveyRounds); err != nil {
		return err
	}
	if t.w.peers[t.with].distance() != t.distance {
		for i := range t.choices {
			t.choices[i].Spread = profile.Untried
		}
	}
	return nil
}

// try compares candidates on both ranks, and returns the choice of the lower one.
func (t *trials) try(names []string, run func(candidate int) (time.Duration, error)) (int, float64, error) {
	now := time.Now()
	share := t.end.Sub(now) / time.Duration(max(1, t.left)) // none starves the others
	t.left--
	more := profile.Rounds(minRounds, maxRounds, now.Add(share), now.Add(2*share), time.Now)
	trial := profile.Trial{Names: names, Run: run, More: func(round int) (bool, error) {
		again, err := more(round)
		if err != nil {
			return false, err
		}
		word := 0
		if again {
			word = 1
		}
		word, err = t.agree(word)
		return word == 1, err
	}}
	best, spread, err := trial.Try()
	if err != nil {
		return 0, 0, err
	}
	best, err = t.agree(best)
	return best, spread, err
}

// agree returns the number of the lower rank.
func (t *trials) agree(mine int) (int, error) {
	if t.lead {
		t.word[0] = byte(mine)
		return mine, t.d.Send(t.word[:], t.with, trialTag, trialContext)
	}
	_, err := t.d.Recv(t.word[:], t.with, trialTag, trialContext)
	return int(t.word[0]), err
}

// event runs messages of a size after one that is not timed, which finds the caches as the others
// do.
func (t *trials) event(traffic traffic, size int) (time.Duration, error) {
	move := t.roundTrip
	switch traffic {
	case both:
		move = t.exchange
	case stream:
		move = t.streamed
	}
	if err := move(size); err != nil {
		return 0, err
	}
	begin := time.Now()
	for range min(max(trialBytes/size, 2), maxEvents) {
		if err := move(size); err != nil {
			return 0, err
		}
	}
	return time.Since(begin), nil
}

// send, receive, roundTrip and exchange are the events that are timed; both ranks call the same.
func (t *trials) send(size int) error {
	return t.d.Send(t.out[:size], t.with, trialTag, trialContext)
}

// receive receives what the other rank sends in the same event.
func (t *trials) receive(size int) error {
	_, err := t.d.Recv(t.in[:size], t.with, trialTag, trialContext)
	return err
}

// roundTrip is a message each way, one after the other.
func (t *trials) roundTrip(size int) error {
	if t.lead {
		return errors.Join(t.send(size), t.receive(size))
	}
	return errors.Join(t.receive(size), t.send(size))
}

// exchange is a message each way at the same time.
func (t *trials) exchange(size int) error {
	receive, err := t.d.Irecv(t.in[:size], t.with, trialTag, trialContext)
	if err != nil {
		return err
	}
	if err := t.send(size); err != nil {
		return err
	}
	_, err = t.d.Wait(receive)
	return err
}

// window is the number of messages of a stream.
const window = 8

// streamed sends a window of messages and waits for a short one that ends it.
func (t *trials) streamed(size int) error {
	var requests [window]device.Request
	for i := range requests {
		var err error
		if t.lead {
			requests[i], err = t.d.Isend(t.out[:size], t.with, trialTag, trialContext)
		} else {
			requests[i], err = t.d.Irecv(t.in[:size], t.with, trialTag, trialContext)
		}
		if err != nil {
			return err
		}
	}
	for _, r := range requests {
		if _, err := t.d.Wait(r); err != nil {
			return err
		}
	}
	if t.lead {
		_, err := t.d.Recv(t.word[:], t.with, trialTag, trialContext)
		return err
	}
	return t.d.Send(t.word[:], t.with, trialTag, trialContext)
}
