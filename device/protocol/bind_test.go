package protocol

import (
	"errors"
	"testing"

	"gobench/device"
)

const bound = 5

// boundTrio is three ranks of a board, bound to one context.
func boundTrio(t *testing.T, methods ...Method) []*Device {
	t.Helper()
	all := newBoard(3, 2, methods...).devices(t, nil)
	for _, d := range all {
		if err := d.Bind(bound, []int{0, 1, 2}); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// A rank dies between the moments at which the receiver of a long message has matched it
// and the sender hears of that: the message arrives as usual.
func TestWhatIsMatchedSurvivesTheDeathOfAnother(t *testing.T) {
	for _, method := range []Method{Pipeline, Get, Put, Split} {
		all := boundTrio(t, method)
		out, in := make([]byte, 100_000), make([]byte, 100_000)
		for i := range out {
			out[i] = byte(i)
		}
		send, err := all[0].Isend(out, 1, 1, bound)
		if err != nil {
			t.Fatal(err)
		}
		receive, err := all[1].Irecv(in, 0, 1, bound)
		if err != nil {
			t.Fatal(err)
		}
		all[1].progress(0)
		all[0].Failed(2, "the test says so")
		all[1].Failed(2, "the test says so")
		settleAll(all[:2])
		if _, done, err := all[0].Test(send); !done || err != nil {
			t.Errorf("%v: the send: done %v, %v", method, done, err)
		}
		if _, done, err := all[1].Test(receive); !done || err != nil || string(in) != string(out) {
			t.Errorf("%v: the receive: done %v, %v, the right bytes %v", method, done, err, string(in) == string(out))
		}
	}
}

// A rank that has detected the death gives up and closes before it answers a withdrawal: the send
// ends with the error of the rank that died, not of the one that closed.
func TestWithdrawnFromARankThatCloses(t *testing.T) {
	all := boundTrio(t, Get)
	send, err := all[0].Isend(make([]byte, 100_000), 1, 1, bound)
	if err != nil {
		t.Fatal(err)
	}
	settleAll(all)
	all[0].Failed(2, "the test says so")
	all[1].Failed(2, "the test says so")
	all[1].answer(&all[1].peers[0], header(kindBye, 0, 0, 0, all[1].deadRank()), nil)
	for range 10 {
		all[0].progress(device.AnySource)
	}
	_, done, err := all[0].Test(send)
	if !done {
		t.Error("the send did not end")
	}
	lostTo(t, err, 2)
}

// What was announced to a living rank that did not match it is withdrawn there.
func TestWhatIsNotMatchedIsWithdrawn(t *testing.T) {
	for _, method := range []Method{Pipeline, Get, Put, Split} {
		all := boundTrio(t, method)
		var open []device.Request
		for range 10 { // more than the queue takes
			q, err := all[0].Isend(make([]byte, 100_000), 1, 1, bound)
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, q)
		}
		all[1].progress(0)
		all[0].Failed(2, "the test says so")
		settleAll(all[:2])
		for i, q := range open {
			st, done, err := all[0].Test(q)
			if !done || st.Cancelled {
				t.Errorf("%v: send %d: done %v, %+v", method, i, done, st)
			}
			lostTo(t, err, 2)
		}
		if m := all[1].unexpected.head; m != nil {
			t.Errorf("%v: the receiver still knows of a message with tag %d", method, m.tag)
		}
		if len(all[0].backlog) != 0 || all[0].requests.live != 0 {
			t.Errorf("%v: something is still under way", method)
		}
	}
}

func TestContextsWithoutTheDeadRankGoOn(t *testing.T) {
	all := newBoard(3, 4).devices(t, nil)
	for _, d := range all[:2] {
		d.Bind(bound, []int{0, 1})
		d.Bind(bound+1, []int{0, 1, 2})
		d.Failed(2, "the test says so")
	}
	q, err := all[1].Irecv(make([]byte, 8), 0, 1, bound)
	if err != nil {
		t.Fatal(err)
	}
	if err := all[0].Send(make([]byte, 8), 1, 1, bound); err != nil {
		t.Error(err)
	}
	settleAll(all[:2])
	if _, done, err := all[1].Test(q); !done || err != nil {
		t.Errorf("done %v, %v", done, err)
	}
	lostTo(t, all[0].Send(make([]byte, 8), 1, 1, bound+1), 2)
	var w device.WaitState
	if err := all[0].Progress(&w, bound, 1); err != nil {
		t.Errorf("Progress in a context that is whole: %v", err)
	}
	lostTo(t, all[0].Progress(&w, bound+1, 1), 2)
	lostTo(t, all[0].Progress(&w, bound, 2), 2)
	all[0].Unbind(bound + 1)
	if all[0].broken != nil {
		t.Error("no context is broken, but every call looks for one")
	}
}

func TestBindArguments(t *testing.T) {
	d := newBoard(2, 4).devices(t, nil)[0]
	var argument *device.ArgumentError
	for _, rank := range []int{-1, 2} {
		if err := d.Bind(bound, []int{0, rank}); !errors.As(err, &argument) || argument.Value != rank {
			t.Errorf("binding rank %d: %v", rank, err)
		}
	}
	d.Unbind(bound)
	d.closed = true
	if err := d.Bind(bound, []int{0}); err != device.ErrClosed {
		t.Errorf("binding after Close: %v", err)
	}
	if err := d.Progress(&device.WaitState{}, 0, 1); err != device.ErrClosed {
		t.Errorf("Progress after Close: %v", err)
	}
}
