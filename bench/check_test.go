package bench_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"gobench/bench"
	"gobench/bench/benchtest"
	"gobench/launch/host"
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
		return bench.Plan{Cases: cells, Noise: -1, Stop: bench.Stop{Budget: budget}}.ExpectedTime()
	}
	overlapped := bench.Case{Bench: bench.Benchmark{Collective: &bench.Collective{Overlap: true}}}
	one := expect(bench.Case{})
	if one <= budget || one >= 2*budget {
		t.Errorf("a cell of %v takes %v", budget, one)
	}
	if got := expect(bench.Case{}, bench.Case{}, overlapped); got != 3*one+budget/2 {
		t.Errorf("two cells and one with overlap take %v, one alone %v", got, one)
	}
	if got := (bench.Plan{}).ExpectedTime(); got != host.NoiseTime {
		t.Errorf("no cells take %v, the noise probe %v", got, host.NoiseTime)
	}
}
