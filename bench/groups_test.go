package bench_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gobench/bench"
	"gobench/device"
	"gobench/internal/bench/benchtest"
)

func grouped(groups int, late func(int) int) bench.Plan {
	plan := collective(bench.StartTime, late, 1000)
	plan.Cases[0].Groups = groups
	return plan
}

// Two groups of two take as long as one of two does alone, and a slow one counts for both.
func TestGroupsAtOnce(t *testing.T) {
	alone := run(t, clocked(2), collective(bench.StartTime, onTime, 1000)).Points[0]
	net := clocked(4)
	net.Groups = 2
	even := run(t, net, grouped(2, onTime)).Points[0]
	if even.Groups != 2 || even.Ranks != 2 || alone.Groups != 0 {
		t.Errorf("%d groups of %d ranks", even.Groups, even.Ranks)
	}
	for _, metric := range []string{"global_s", "busbw_Bps", "aggregate_Bps"} {
		if a, b := alone.Metrics.Median(metric), even.Metrics.Median(metric); math.Abs(a-b) > 0.05*a {
			t.Errorf("%s is %g alone and %g in groups", metric, a, b)
		}
	}
	net = clocked(4)
	net.Groups, net.Delay = 2, func(src, dst int, i int64) int64 {
		if src == 2 && dst == 3 { // rank 0 of the second group answers
			return 20_000
		}
		return 0
	}
	slowed := run(t, net, grouped(2, onTime)).Points[0]
	if more := slowed.Metrics.Median("global_s") - even.Metrics.Median("global_s"); math.Abs(more-20e-6) > 1e-6 {
		t.Errorf("a slow group makes events longer by %g s, planted were 20 us", more)
	}
}

// dividing counts the groups of a channel that were made and those that were closed.
type dividing struct {
	*benchtest.Channel
	made, closed int
}

func (d *dividing) Group(color, key int) (device.Channel, error) {
	d.made++
	ch, err := d.Channel.Group(color, key)
	return &divided{ch, d}, err
}

type divided struct {
	device.Channel
	of *dividing
}

func (d *divided) Close() error {
	d.of.closed++
	return d.Channel.Close()
}

// Cases with the same groups use the same channel, because some devices have few contexts.
func TestGroupsAreMadeOnce(t *testing.T) {
	net := clocked(4)
	net.Groups = 2
	plan := collective(bench.StartTime, onTime, 8, 16, 32, 64, 128)
	for i, groups := range []int{2, 2, 1, 2, 2} {
		plan.Cases[i].Groups = groups
	}
	channels := net.Devices()
	first := &dividing{Channel: channels[0].(*benchtest.Channel)}
	channels[0] = first
	for rank, err := range benchtest.Run(t.Context(), channels, plan, &benchtest.Found{}) {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if first.made != 2 || first.closed != 2 {
		t.Errorf("groups were made %d times and closed %d times, want 2", first.made, first.closed)
	}
}

func TestInvalidGroups(t *testing.T) {
	for want, plan := range map[string]bench.Plan{
		"4 ranks cannot be divided into 3 groups": grouped(3, onTime),
		"cannot run in -1 groups":                 grouped(-1, onTime),
		"there are ranks 0 to 1": func() bench.Plan {
			p := grouped(2, onTime)
			p.Cases[0].Root.Rank = 2
			return p
		}(),
		"echo cannot run in 2 groups": func() bench.Plan {
			p := echoes(8)
			p.Cases[0].Groups = 2
			return p
		}(),
	} {
		var refused *bench.PlanError
		if err := plan.Check(4); !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}
