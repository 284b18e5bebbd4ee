package bench_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gobench/bench"
	"gobench/internal/bench/benchtest"
	"gobench/internal/launch/host"
)

// nothing is an operation that moves no message.
type nothing struct{}

func (n nothing) Do(k int) error { return nil }

func TestMessagesThatWriteNothingAreNoticed(t *testing.T) {
	b := echo()
	b.New = func(env *bench.Env) bench.Op {
		env.Recv((env.Rank()+1)%2, 0)
		return nothing{}
	}
	plan := echoes(64)
	plan.Cases[0].Bench = b
	for rank, err := range benchtest.Run(t.Context(), slow(2).Devices(), plan, &benchtest.Found{}) {
		var d *bench.DataError
		if !errors.As(err, &d) || d.Offset != 0 || d.Rank != 0 || !d.Missing || !strings.Contains(d.Error(), "nothing was written to it") {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// A message that is wrong in the timed part only is detected if it is the last of its block; one
// that is too short, always.
func TestTheLastMessageOfABlockIsChecked(t *testing.T) {
	net := slow(2)
	timing := false
	net.Spoil = func(src, _ int, i int64, data []byte) {
		// From the ninth message of this size on, the check pass before is over.
		if len(data) == 500 && src == 0 {
			if i > 30 {
				timing = true
				data[499]++
			}
		}
	}
	found := &benchtest.Found{}
	for rank, err := range benchtest.Run(t.Context(), net.Devices(), echoes(500), found) {
		var d *bench.DataError
		if !errors.As(err, &d) || d.Offset != 499 || d.Rank != 1 || d.Missing {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if !timing || len(found.Points) != 0 {
		t.Error("a wrong message in the timed part gave a number")
	}
}

func TestEveryPointSaysHowManyMessagesWereChecked(t *testing.T) {
	plan := echoes(8)
	plan.Checks = 11
	p := run(t, slow(2), plan).Points[0]
	if p.Checked < 44 || p.Checked > 100 {
		t.Errorf("checked %d, want 11 before and 11 after on each rank, and one per block", p.Checked)
	}
	if p := run(t, slow(2), echoes(0)).Points[0]; p.Checked != 0 {
		t.Errorf("%d messages without data were checked", p.Checked)
	}
}

// A case takes its budget and the setup, one with overlap half as much again.
func TestExpectedTimeOfAPlan(t *testing.T) {
	const budget = 100 * millisecond
	expect := func(cells ...bench.Case) time.Duration {
		return bench.Plan{Cases: cells, Noise: -1, Stop: bench.Stop{Budget: budget}}.ExpectedTime(2, 1e9)
	}
	overlapped := bench.Case{Bench: bench.Benchmark{Overlap: true}}
	one := expect(bench.Case{})
	if one <= budget || one >= 2*budget {
		t.Errorf("a cell of %v takes %v", budget, one)
	}
	if got := expect(bench.Case{}, bench.Case{}, overlapped); got != 3*one+budget/2 {
		t.Errorf("two cells and one with overlap take %v, one alone %v", got, one)
	}
	some := func(samples, size int) time.Duration {
		return bench.Plan{
			Cases: []bench.Case{{Size: size}}, Noise: -1, Stop: bench.Stop{Budget: 10 * time.Second, MaxSamples: samples},
		}.ExpectedTime(2, 1e9)
	}
	for _, c := range []struct {
		samples, size     int
		smallest, largest time.Duration
	}{
		{50, 8, 0, 20 * time.Millisecond},
		{5000, 8, 20 * time.Millisecond, time.Second},
		{100, 16 << 20, 500 * time.Millisecond, 5 * time.Second},
		{1 << 62, 16 << 20, 10 * time.Second, 11 * time.Second},
	} {
		if got := some(c.samples, c.size); got < c.smallest || got > c.largest {
			t.Errorf("%d samples of %d B take %v, want %v to %v", c.samples, c.size, got, c.smallest, c.largest)
		}
	}
	if got := (bench.Plan{}).ExpectedTime(2, 1e9); got != host.NoiseTime {
		t.Errorf("no cells take %v, the noise probe %v", got, host.NoiseTime)
	}
}

// The volume of a collective grows with the number of ranks, also that of its groups together.
func TestBytesOfCollectives(t *testing.T) {
	const size, ranks = 1000, 8
	bus := func(p int) float64 { return float64(p - 1) }
	for _, c := range []struct {
		collective bench.Collective
		groups     int
		want       int64 // messages of an event
	}{
		{bench.Collective{}, 1, 8},
		{bench.Collective{Rooted: true}, 1, 7},
		{bench.Collective{Rooted: true, Bus: bus}, 2, 6},
		{bench.Collective{Bus: bus}, 1, 56},
		{bench.Collective{Bus: bus}, 2, 24},
	} {
		b := echo()
		b.Amount, b.Collective = func(int, int) int { return 0 }, &c.collective
		plan := bench.Plan{Checks: 1, Cases: []bench.Case{{Bench: b, Size: size, Groups: c.groups}}}
		if checked, others := plan.Bytes(ranks); checked != 3*c.want*size || others != 2*c.want*size {
			t.Errorf("%+v: %d and %d bytes, want %d messages of three and two events", c, checked, others, c.want)
		}
	}
}

// Over a slow network, where one event takes longer than the budget of a case, the case has five
// events: one is checked before and one after, and between them are the sample, the event before it
// and the checked one behind it.
func TestASlowNetworkGetsFewEvents(t *testing.T) {
	net := &benchtest.Net{Ranks: 2, Latency: 1000, PerByte: 1e6, Overhead: 100}
	events := 0
	net.Spoil = func(src, _ int, _ int64, data []byte) {
		if len(data) == 1000 && src == 0 {
			events++
		}
	}
	p := run(t, net, echoes(1000)).Points[0]
	few := echoes(1000)
	few.Stop = bench.Stop{Budget: 10 * time.Second, MaxSamples: 1, WarmUp: 1}
	if v := run(t, net, few).Points[0].Metrics.Get("rtt_s"); events != 10 || v.N != 1 {
		t.Errorf("%d events for one sample, %+v", events-5, v)
	}
	if v := p.Metrics.Get("rtt_s"); events != 10 || v.N != 1 || v.Median < 2 || p.Checked == 0 {
		t.Errorf("%d events of two runs, checked %d, %+v, want 5 events of each and 1 sample of 2 s", events, p.Checked, v)
	}
}

// Huge messages, and windows of many, are checked less often than small ones, and the time of a
// plan contains that of their data.
func TestChecksAreBoundedByBytes(t *testing.T) {
	plan := func(size, window int) bench.Plan {
		b := echo()
		b.Window, b.Amount = true, func(_, window int) int { return window }
		return bench.Plan{Noise: -1, Cases: []bench.Case{{Bench: b, Size: size, Window: window}}}
	}
	for _, c := range []struct {
		size, window      int
		checks            int64
		smallest, largest time.Duration
	}{
		{8, 1, 8, 0, 100 * time.Millisecond},
		{4 << 20, 1, 8, 50 * time.Millisecond, 300 * time.Millisecond},
		{16 << 20, 1, 3, 100 * time.Millisecond, 500 * time.Millisecond},
		{2 << 30, 1, 1, 5 * time.Second, 30 * time.Second},
		{1 << 20, 1 << 16, 1, 3 * time.Minute, 20 * time.Minute},
	} {
		checked, _ := plan(c.size, c.window).Bytes(2)
		if want := (2*c.checks + 1) * int64(c.size) * int64(c.window); checked != want {
			t.Errorf("%d B, window %d: %d bytes are checked, want %d", c.size, c.window, checked, want)
		}
		if got := plan(c.size, c.window).ExpectedTime(2, 1e9); got < c.smallest || got > c.largest {
			t.Errorf("%d B, window %d: %v, want %v to %v", c.size, c.window, got, c.smallest, c.largest)
		}
	}
}

// Sizes of which one event would take too long are left out and named, whatever comes after them.
func TestSizesThatTakeTooLongAreLeftOut(t *testing.T) {
	net := &benchtest.Net{Ranks: 2, Latency: 1000, PerByte: 1e6, Overhead: 100}
	plan := echoes(1, 100, 1000, 10000, 100000, 10)
	plan.Stop.Longest = 5 * time.Second
	found := runStates(t, net, plan)
	var measured, left []int
	for _, p := range found.Points {
		measured = append(measured, int(p.Size))
	}
	for _, c := range found.Left {
		left = append(left, c.Size)
	}
	if !slices.Equal(measured, []int{1, 100, 1000, 10}) || !slices.Equal(left, []int{10000, 100000}) {
		t.Errorf("measured %v, left out %v", measured, left)
	}
	plan.Stop.Longest = 0
	if found := runStates(t, net, plan); len(found.Points) != len(plan.Cases) || found.Left != nil {
		t.Errorf("without a limit %d cells are measured and %v left out", len(found.Points), found.Left)
	}
}
