package protocol

import (
	"strings"
	"testing"
	"time"
)

// TestCloseIsPatient closes rank 0 of 3 on a clock that the test drives, and with it the others.
func TestCloseIsPatient(t *testing.T) {
	const step = 50 * time.Millisecond
	for _, c := range []struct {
		name   string
		leaves time.Duration // when the others say goodbye, 0: never
		dies   bool          // rank 2 dies at once
		stops  time.Duration // how long rank 0 is stopped after a second
		want   string        // of the error
		most   time.Duration // that Close may take
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
			if took := now.Sub(begun); took > c.most {
				t.Errorf("Close took %v, more than %v", took, c.most)
			}
		})
	}
}
