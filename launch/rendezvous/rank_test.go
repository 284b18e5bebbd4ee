package rendezvous

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gobench/device"
	"gobench/internal/launch/exchange"
)

// slowLink is a link whose exchanges take a time.
type slowLink time.Duration

func (l slowLink) Exchange(context.Context, []byte) ([][]byte, error) {
	time.Sleep(time.Duration(l))
	return nil, nil
}
func (slowLink) Failure() *device.PeerError { return nil }
func (slowLink) Tell(string)                {}
func (slowLink) Close() error               { return nil }

// Each exchange that takes long is reported once, and no other.
func TestLongExchangesAreReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, test := range []struct {
			takes    time.Duration
			warnings int
		}{{exchange.NoticeDelay / 2, 0}, {3 * exchange.NoticeDelay, 1}} {
			var said bytes.Buffer
			r := &Rank{rank: 1, size: 4, link: slowLink(test.takes), warnings: &said}
			if _, err := r.Exchange(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * exchange.NoticeDelay)
			synctest.Wait() // what has been written is seen
			if n := strings.Count(said.String(), "gobench: rank 1 of 4 waits in an exchange"); n != test.warnings {
				t.Errorf("an exchange of %v: %d notes, want %d: %q", test.takes, n, test.warnings, said.String())
			}
		}
	})
}

// The error of a lost rank has the name of its host where there are several.
func TestLostRankHasHost(t *testing.T) {
	for _, c := range []struct {
		on    []int
		hosts []string
		want  string
	}{
		{[]int{0, 1}, []string{"a", "b"}, "rank 1 on b is lost: gone"},
		{[]int{0, 0}, []string{"a"}, "rank 1 is lost: gone"},
		{nil, nil, "rank 1 is lost: gone"},
	} {
		r := &Rank{rank: 0, size: 2, on: c.on, hosts: c.hosts}
		if got := r.named(&device.PeerError{Rank: 1, Cause: "gone"}).Error(); got != c.want {
			t.Errorf("hosts %v: %s, want %s", c.hosts, got, c.want)
		}
		if r.named(nil) != nil {
			t.Error("an error without any")
		}
	}
}
