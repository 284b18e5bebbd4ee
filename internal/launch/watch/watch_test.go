package watch

import (
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"gobench/internal/launch/exchange"
	"gobench/internal/launch/signals"
	"gobench/launch/outcome"
)

// Time in which the launcher is stopped is no time that ranks were given.
func TestStoppedTimeIsNotTheRanks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := New(Job{Linger: 5 * time.Second})
		begin := time.Now()
		w.linger()
		time.Sleep(3 * time.Second)
		time.Sleep(60 * time.Second) // stopped: the timer has run out meanwhile
		w.extend(60 * time.Second)
		<-w.timer.C
		if d := time.Since(begin); d != 65*time.Second {
			t.Errorf("ranks had %v, want 5 s and the 60 s of the stop", d)
		}
		w.stage = killing
		w.extend(time.Second)
		if w.timer.Stop() {
			t.Error("the timer runs though nothing is left to be done")
		}
	})
}

// The status of a rank that was killed may come after that of a rank that has noticed it. What the
// launcher itself has killed is no cause.
func TestCauseIsReportedSecond(t *testing.T) {
	noticed := outcome.Status{Rank: 0, Code: 1}
	killed := outcome.Status{Rank: 1, Code: -1, Signal: syscall.SIGKILL}
	lost := outcome.Status{Rank: 1, Code: -1, Lost: "ssh was killed"}
	for _, c := range []struct {
		stage    stage
		statuses []outcome.Status
		first    int
	}{
		{lingering, []outcome.Status{noticed, killed}, 1},
		{lingering, []outcome.Status{noticed, lost}, 1},
		{lingering, []outcome.Status{killed, noticed}, 1},
		{lingering, []outcome.Status{noticed, {Rank: 1, Code: 3}}, 0},
		{lingering, []outcome.Status{noticed, {Rank: 1, Code: -1, Signal: syscall.SIGABRT}}, 0},
		{lingering, []outcome.Status{noticed, {Rank: 1}}, 0},
		{lingering, []outcome.Status{{Rank: 0, Code: -1, Signal: syscall.SIGSEGV}, killed}, 0},
		{terminating, []outcome.Status{noticed, killed}, 0},
	} {
		w := New(Job{Ranks: 2, Meeting: exchange.NewMeeting(exchange.AllRanks(2), nil), Living: 2})
		w.record(c.statuses[0])
		w.stage = c.stage
		w.record(c.statuses[1])
		if r := w.result(); r.First != c.first {
			t.Errorf("stage %d, %v: the first failure is of rank %d, want %d", c.stage, c.statuses, r.First, c.first)
		}
	}
}

// sent is a Group that records the signals of its ranks.
type sent []syscall.Signal

func (s *sent) Signal(sig syscall.Signal) { *s = append(*s, sig) }
func (*sent) Settle()                     {}
func (*sent) Abandon()                    {}

// Hosts are given up only after a signal, and a far one has the time to answer to the second.
func TestTimeToGiveUpHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			killed  bool // before the signals
			signals []time.Duration
			last    time.Duration // of the hosts; 0: they are waited for
		}{
			{false, nil, 0},
			{true, []time.Duration{3 * time.Second}, 3*time.Second + signals.HostsTimeout},
			{true, []time.Duration{0, 300 * time.Millisecond}, signals.HostsTimeout},
			{false, []time.Duration{0}, signals.HostsTimeout},
			{false, []time.Duration{0, 300 * time.Millisecond}, signals.HostsTimeout},
			{false, []time.Duration{0, 5 * time.Second}, 5*time.Second + signals.HostsTimeout - signals.JobTimeout},
		} {
			w := New(Job{Linger: time.Second, Grace: signals.JobTimeout})
			begun := time.Now()
			w.linger()
			if c.killed {
				w.kill()
			}
			for _, at := range c.signals {
				time.Sleep(at - time.Since(begun))
				w.forward(syscall.SIGTERM)
			}
			if w.stage != killing {
				time.Sleep(w.Grace - time.Since(begun))
				w.kill()
			}
			last := time.Duration(0)
			if w.timer.Stop() {
				last = w.deadline.Sub(begun)
			}
			if last != c.last {
				t.Errorf("killed first %v, signals at %v: hosts are given up after %v, want %v", c.killed, c.signals, last, c.last)
			}
		}
	})
}

// The same signal within RepeatTime, as from GNU timeout, is the same request. Another signal, or
// the same one later, kills the ranks.
func TestRepeatedSignalIsOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			second syscall.Signal
			after  time.Duration
			kills  bool
		}{
			{syscall.SIGTERM, 0, false},
			{syscall.SIGTERM, signals.RepeatTime - 1, false},
			{syscall.SIGTERM, signals.RepeatTime, true},
			{syscall.SIGINT, 0, true},
		} {
			got := &sent{}
			w := New(Job{Groups: []Group{got}})
			w.forward(syscall.SIGTERM)
			time.Sleep(c.after)
			w.forward(c.second)
			want := sent{syscall.SIGTERM}
			if c.kills {
				want = append(want, syscall.SIGKILL)
			}
			if !slices.Equal(*got, want) {
				t.Errorf("%v after %v: the ranks received %v, want %v", c.second, c.after, *got, want)
			}
		}
	})
}
