package protocol

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gobench/device"
)

// oracle matches as MPI says, the slow way: one list of receives and one of
// messages, searched from the front.
type oracle struct {
	receives []wanted
	messages []sent
}

type wanted struct {
	id, src      int
	tag, context int32
}

type sent struct {
	id, src      int
	tag, context int32
}

func (w wanted) takes(s sent) bool {
	return w.context == s.context && (w.src == s.src || w.src == device.AnySource) &&
		(w.tag == s.tag || w.tag == device.AnyTag)
}

// post returns the message that a new receive gets, -1 if it is posted.
func (o *oracle) post(w wanted) int {
	i := slices.IndexFunc(o.messages, w.takes)
	if i < 0 {
		o.receives = append(o.receives, w)
		return -1
	}
	id := o.messages[i].id
	o.messages = slices.Delete(o.messages, i, i+1)
	return id
}

// arrive returns the receive that gets a new message, -1 if it is unexpected.
func (o *oracle) arrive(s sent) int {
	i := slices.IndexFunc(o.receives, func(w wanted) bool { return w.takes(s) })
	if i < 0 {
		o.messages = append(o.messages, s)
		return -1
	}
	id := o.receives[i].id
	o.receives = slices.Delete(o.receives, i, i+1)
	return id
}

func TestMatchingAgainstOracle(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var o oracle
		p := posted{source: make([]list, 3)}
		u := unexpected{source: make([]messages, 3)}
		var requests table
		ids := map[*request]int{}
		for id := range 300 {
			src, tag, context := rng.IntN(3), int32(rng.IntN(3)), int32(rng.IntN(2))
			arrives := rng.IntN(2) == 0
			if seed%2 == 0 { // many messages lie before the one that is wanted
				arrives = arrives || rng.IntN(2) == 0
				if arrives && rng.IntN(20) > 0 {
					tag = 2
				} else if !arrives && rng.IntN(20) > 0 {
					tag = int32(rng.IntN(2))
				}
			}
			if seed%4 == 1 && rng.IntN(20) > 0 { // many receives lie before the one that is wanted
				if arrives = rng.IntN(4) == 0; arrives {
					tag = int32(rng.IntN(2))
				} else {
					tag = 2
				}
			}
			if len(o.receives) > 0 && rng.IntN(8) == 0 { // one is cancelled
				i := rng.IntN(len(o.receives))
				for r, k := range ids {
					if k == o.receives[i].id {
						p.remove(r)
					}
				}
				o.receives = slices.Delete(o.receives, i, i+1)
			}
			if arrives {
				want := o.arrive(sent{id, src, tag, context})
				got := -1
				if r := p.match(src, tag, context); r != nil {
					got = ids[r]
				} else {
					m := u.take()
					m.source, m.tag, m.context, m.size = src, tag, context, id
					u.add(m)
				}
				if got != want {
					t.Fatalf("seed %d: message %d went to receive %d, want %d", seed, id, got, want)
				}
				continue
			}
			if rng.IntN(3) == 0 {
				src = device.AnySource
			}
			if rng.IntN(3) == 0 && (seed%4 != 1 || rng.IntN(20) == 0) {
				tag = device.AnyTag
			}
			if len(o.messages) > 0 && rng.IntN(4) == 0 { // one is withdrawn
				i := rng.IntN(len(o.messages))
				m := u.head
				for m.size != o.messages[i].id {
					m = m.nextAny
				}
				o.messages = slices.Delete(o.messages, i, i+1)
				u.drop(m)
			}
			want := o.post(wanted{id, src, tag, context})
			got := -1
			if m := u.find(src, tag, context); m != nil {
				got = m.size
				u.remove(m)
				u.give(m)
			} else {
				r := requests.take(true)
				r.peer, r.tag, r.context = src, tag, context
				ids[r] = id
				p.add(r)
			}
			if got != want {
				t.Fatalf("seed %d: receive %d got message %d, want %d", seed, id, got, want)
			}
		}
	}
}

func TestHandlesGoStale(t *testing.T) {
	var all table
	r := all.take(false)
	first := r.handle
	all.finish(r)
	all.release(r)
	again := all.take(false)
	if again != r {
		t.Fatal("a released row is not used again")
	}
	if all.lookup(first) != nil || all.lookup(0) != nil || all.lookup(1<<40) != nil || all.lookup(device.Request(1<<63)) != nil {
		t.Error("a stale or invented handle finds a request")
	}
	if all.lookup(again.handle) != again {
		t.Error("a live handle finds nothing")
	}
}

// No use of a row has the handle 0, which is the null request of callers.
func TestNoHandleIsZero(t *testing.T) {
	var all table
	all.drop(all.take(true))
	all.idle.handle = generation * math.MaxUint32 // of its last use but one before the count ends
	for range 3 {
		r := all.take(true)
		if r.handle == 0 || all.lookup(r.handle) != r {
			t.Errorf("a live request has the handle %#x", r.handle)
		}
		all.drop(r)
	}
}

// Messages for the last of many receives look at every other receive once.
func TestLongPostedQueuesAreLinear(t *testing.T) {
	const many = 5000
	p := posted{source: make([]list, 2)}
	var requests table
	post := func(tag int32) *request {
		r := requests.take(true)
		r.peer, r.tag, r.context = 1, tag, 1
		p.add(r)
		return r
	}
	var others []*request
	for i := range many {
		others = append(others, post(9))
		if want := post(7); p.match(1, 7, 1) != want {
			t.Fatal("a message went to another receive")
		}
		if i%3 == 0 {
			p.remove(others[len(others)-1]) // where the search ends
			others = others[:len(others)-1]
		}
	}
	if limit := 3 * many; p.searches.steps > limit {
		t.Errorf("%d receives were looked at %d times, want at most %d", many, p.searches.steps, limit)
	}
	for _, r := range others {
		p.remove(r)
	}
	for _, s := range p.searches.all {
		if s.last != nil {
			t.Error("a search ends at a receive that is gone")
		}
	}
}
