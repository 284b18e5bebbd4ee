package protocol

import (
	"errors"
	"strings"
	"testing"

	"gobench/device"
)

// boundAnnouncements sets the bound of all ranks.
func boundAnnouncements(all []*Device, limit int) {
	for _, d := range all {
		d.announced = limit
	}
}

// Sends beyond the bound wait until others have been matched or cancelled, and keep their order.
func TestAnnouncementsAreBounded(t *testing.T) {
	for _, method := range []Method{Pipeline, Get, Put, Split} {
		b := newBoard(2, 100, method)
		all := b.devices(t, nil)
		boundAnnouncements(all, 3)
		const messages, size = 10, 5000
		var sends []device.Request
		for i := range messages {
			r, err := all[0].Issend(fill(make([]byte, size), i), 1, 1, 1)
			if err != nil {
				t.Fatal(err)
			}
			sends = append(sends, r)
		}
		settleAll(all)
		if n := b.pushed[kindRTS]; n != 3 || all[1].peers[0].flow.unasked != 3 {
			t.Fatalf("%v: %d are announced, %d counted, want 3", method, n, all[1].peers[0].flow.unasked)
		}
		for _, i := range []int{1, 9} { // one that is announced, one that is not
			all[0].Cancel(sends[i])
			settleAll(all)
			if st, done, err := all[0].Test(sends[i]); !done || !st.Cancelled || err != nil {
				t.Fatalf("%v: cancelling send %d: %v, %v, %v", method, i, done, st, err)
			}
		}
		if n := b.pushed[kindRTS]; n != 4 {
			t.Errorf("%v: %d have been announced after a cancel, want 4", method, n)
		}
		for i := range messages {
			if i == 1 || i == 9 {
				continue
			}
			in := make([]byte, size)
			r, err := all[1].Irecv(in, 0, 1, 1)
			if err != nil {
				t.Fatal(err)
			}
			settleAll(all)
			if _, done, err := all[1].Test(r); !done || err != nil || in[0] != fill(make([]byte, size), i)[0] {
				t.Fatalf("%v: message %d: done %v, %v", method, i, done, err)
			}
			if _, done, err := all[0].Test(sends[i]); !done || err != nil {
				t.Fatalf("%v: send %d: done %v, %v", method, i, done, err)
			}
		}
		if a, u := all[0].peers[1].flow.announced, all[1].peers[0].flow.unasked; a != 0 || u != 0 {
			t.Errorf("%v: %d announcements count, %d at the receiver, though all are answered", method, a, u)
		}
	}
}

// A peer that announces without end is lost, and with it what it has announced.
func TestFloodOfAnnouncements(t *testing.T) {
	all := newBoard(2, 100).devices(t, nil)
	boundAnnouncements(all, 100)
	d := all[0]
	data := rts{size: 5}.encode(&[64]byte{})
	for i := range 101 {
		if d.peers[1].err != nil {
			t.Fatalf("lost after %d announcements: %v", i, d.peers[1].err)
		}
		d.Packet(1, header(kindRTS, 0, 1, 1, uint64(i)), data)
	}
	_, err := d.Recv(make([]byte, 5), 1, 1, 1)
	var lost *device.PeerError
	if !errors.As(err, &lost) || lost.Rank != 1 || !strings.Contains(lost.Cause, "more announcements than agreed") {
		t.Errorf("the error is %v", err)
	}
	if d.unexpected.source[1].head != nil {
		t.Error("announcements of the lost peer are kept")
	}
}

// A peer that asks for answers and takes none is lost.
func TestFloodOfCancels(t *testing.T) {
	all := newBoard(2, 0).devices(t, nil) // no packet leaves
	boundAnnouncements(all, 100)
	d := all[0]
	for i := 0; d.peers[1].err == nil; i++ {
		if i > 1000 {
			t.Fatalf("%d answers wait", d.peers[1].control.waiting())
		}
		d.Packet(1, header(kindCancel, 0, 0, 0, uint64(i)), nil)
	}
	if err := d.peers[1].err; !strings.Contains(err.Error(), "more cancels than there can be sends") {
		t.Errorf("the error is %v", err)
	}
}

// Who probes for what does not come looks at every other message once.
func TestProbesAreLinear(t *testing.T) {
	const many = 5000
	u := unexpected{source: make([]messages, 2)}
	patterns := []search[*message]{{src: 1, tag: 7, context: 1}, {src: device.AnySource, tag: 7, context: 1}, {src: 1, tag: device.AnyTag, context: 2}}
	for i := range many {
		m := u.take()
		m.source, m.tag, m.context, m.size = 1, 1, 1, i
		u.add(m)
		for _, p := range patterns {
			if u.find(p.src, p.tag, p.context) != nil {
				t.Fatal("found what was never sent")
			}
		}
		if i%3 == 0 && i > 100 { // from the front, and from where the searches end
			u.drop(u.find(1, 1, 1))
			u.drop(u.source[1].tail)
		}
	}
	if limit := 3 * len(patterns) * many; u.searches.steps > limit {
		t.Errorf("%d messages were looked at %d times, want at most %d", many, u.searches.steps, limit)
	}
	for u.head != nil {
		u.drop(u.head)
	}
	for _, s := range u.searches.all {
		if s.last != nil {
			t.Error("a search ends at a message that is gone")
		}
	}
}

func (u *unexpected) drop(m *message) {
	u.remove(m)
	u.give(m)
}
