package protocol

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"gobench/device"
)

// TestCloseWaits closes rank 0 of 3 on a clock that the test drives, and with it the others.
func TestCloseWaits(t *testing.T) {
	const step = 50 * time.Millisecond
	for _, c := range []struct {
		name   string
		leaves time.Duration // when the others say goodbye, 0: never
		dies   bool          // rank 2 dies immediately
		stops  time.Duration // how long rank 0 is stopped after a second
		want   string        // of the error
		limit  time.Duration // that Close may take
	}{
		{"others close a little later", 2 * time.Second, false, 0, "", 3 * time.Second},
		{"others are stopped for 12 s", 12 * time.Second, false, 0, "", 13 * time.Second},
		{"rank 0 is stopped for an hour", time.Hour + 3*time.Second, false, time.Hour, "", time.Hour + 4*time.Second},
		{"others never close", 0, false, 0, "rank 1, 2 did not close within 1m0s", 62 * time.Second},
		{"one never closes, one is dead", 0, true, 0, "rank 1 did not close within 5s", 7 * time.Second},
		{"one closes late, one is dead", 4 * time.Second, true, 0, "", 6 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := newBoard(3, 100).devices(t, nil)
			d := all[0]
			begun := time.Unix(1_000_000, 0)
			now, left := begun, false
			d.clock = func() time.Time {
				now = now.Add(step)
				if since := now.Sub(begun); c.stops > 0 && since >= time.Second && since < time.Second+step {
					now = now.Add(c.stops)
				}
				if !left && c.leaves > 0 && now.Sub(begun) >= c.leaves {
					left = true
					for _, other := range all[1:] {
						other.answer(&other.peers[0], header(kindBye, 0, 0, 0, 0), nil)
					}
				}
				return now
			}
			if c.dies {
				d.Failed(2, "the test says so")
			}
			err := d.Close()
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("after %v: %v, want %q", now.Sub(begun), err, c.want)
			}
			if took := now.Sub(begun); took > c.limit {
				t.Errorf("Close took %v, more than %v", took, c.limit)
			}
		})
	}
}

// An answer that a peer gave before its goodbye was known here belongs to no request any more, and
// is no violation: what the peer has announced can still be received.
func TestAnswersBehindAGoodbye(t *testing.T) {
	b := newBoard(2, 100, Pipeline)
	all := b.devices(t, nil)
	out, in := fill(make([]byte, 1<<20), 1), make([]byte, 1<<20)
	withdrawn, err := all[0].Isend(make([]byte, 1<<20), 1, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all[1].Isend(out, 0, 2, 0); err != nil {
		t.Fatal(err)
	}
	settleAll(all)
	// Rank 1 says goodbye, and then answers the cancel that was on its way.
	all[1].answer(&all[1].peers[0], header(kindBye, 0, 0, 0, 0), nil)
	for all[1].progress(device.AnySource) {
	}
	if err := all[0].Cancel(withdrawn); err != nil {
		t.Fatal(err)
	}
	settleAll(all)
	if _, done, err := all[0].Test(withdrawn); !done || err == nil {
		t.Fatalf("a send to a rank that has closed: done %v, %v", done, err)
	}
	if all[0].peers[1].state != closed {
		t.Fatalf("rank 1 has state %d, want closed: %v", all[0].peers[1].state, all[0].peers[1].err)
	}
	recv, err := all[0].Irecv(in, 1, 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	settleAll(all)
	if _, done, err := all[0].Test(recv); !done || err != nil || !bytes.Equal(in, out) {
		t.Errorf("what rank 1 had announced: done %v, %v, right data %v", done, err, bytes.Equal(in, out))
	}
}

// A receive that fails has no status of an earlier one.
func TestAFailedReceiveHasNoStatus(t *testing.T) {
	all := newBoard(3, 100).devices(t, nil)
	if _, err := all[1].Isend(make([]byte, 100), 0, 1, 0); err != nil {
		t.Fatal(err)
	}
	settleAll(all)
	if s, err := all[0].Recv(make([]byte, 100), 1, 1, 0); err != nil || s.Size != 100 {
		t.Fatal(s, err)
	}
	first, err := all[0].Irecv(make([]byte, 100), 1, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	all[0].Failed(1, "the test says so")
	if s, err := all[0].Wait(first); err == nil || s != (device.Status{}) {
		t.Errorf("status %+v, error %v, want an error alone", s, err)
	}
}
