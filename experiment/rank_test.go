package experiment

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gobench/bench"
	"gobench/device"
)

// launched is the job of a rank whose launcher reports a failure, or nil.
type launched struct {
	device.Job
	failure error
}

func (j launched) Failure() error { return j.failure }

// The error of a rank that is interrupted because another one was lost names that rank. Otherwise
// the rank was interrupted by the user.
func TestInterruptedRanksNameTheLostRank(t *testing.T) {
	alive := t.Context()
	ended, cancel := context.WithCancel(alive)
	cancel()
	interrupted := fmt.Errorf("%w (%w)", bench.ErrInterrupted, context.Canceled)
	lost := &device.PeerError{Rank: 1, Cause: "process 7 was killed by signal 9 (killed)"}
	own := errors.New("the disk is full")
	for _, c := range []struct {
		name    string
		signals context.Context
		job     device.Job
		err     error
		want    error
	}{
		{"fine", ended, launched{failure: lost}, nil, nil},
		{"asked by a person", ended, launched{}, interrupted, interrupted},
		{"asked because of another", ended, launched{failure: lost}, interrupted, lost},
		{"told by an interrupted rank", alive, launched{failure: lost}, interrupted, lost},
		{"its own failure", alive, launched{failure: lost}, own, own},
		{"without a launcher", ended, nil, interrupted, interrupted},
		{"another was interrupted first", ended, launched{}, lost, bench.ErrInterrupted},
		{"another was interrupted first, without a launcher", ended, nil, lost, bench.ErrInterrupted},
		{"another was lost first", ended, launched{failure: lost}, &device.PeerError{Rank: 1}, lost},
		{"another was lost", alive, nil, lost, lost},
		{"its own failure after a signal", ended, nil, own, own},
	} {
		at := location{signals: c.signals}
		got := at.ended(c.job, c.err)
		if !errors.Is(got, c.want) || errors.Is(got, bench.ErrInterrupted) != errors.Is(c.want, bench.ErrInterrupted) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A rank that ends because rank 0 was interrupted before it leaves the words to rank 0.
func TestTheInterruptOfRank0IsNotItsLoss(t *testing.T) {
	lost := &device.PeerError{Rank: 0, Cause: "its process has ended"}
	if !lostRank0(lost) || lostRank0(fmt.Errorf("%w (%w)", bench.ErrInterrupted, lost)) {
		t.Errorf("lost %v, interrupted %v", lostRank0(lost), lostRank0(fmt.Errorf("%w (%w)", bench.ErrInterrupted, lost)))
	}
}

// Ranks that another launcher has started have their places: a flag that would choose others is an
// error, and none in a rank that gobench has started with the same command line.
func TestFlagsThatALauncherContradicts(t *testing.T) {
	for flag, kind := range map[string]string{"": "process", "np": "goroutine:2", "hosts": "process", "hostfile": "process", "map": "process", "pin": "goroutine"} {
		l := Launch{RankKind: kind}
		typed := func(name string) bool { return name == flag }
		contradicts := flag != "" && flag != "np"
		if err := l.checkLauncher(typed); (err != nil) != contradicts {
			t.Errorf("--%s, ranks are of kind %s: %v", flag, kind, err)
		}
		t.Run(flag, func(t *testing.T) {
			t.Setenv(seriesVariable, "{}")
			if err := l.checkLauncher(typed); err != nil {
				t.Errorf("started by gobench: %v", err)
			}
		})
	}
}

// threeOf is a job that knows that its ranks have three processors.
type threeOf struct{ device.Job }

func (threeOf) Processors() int { return 3 }

// Ranks that a launcher has bound to a core each have as many as they are, though each sees one.
func TestProcessors(t *testing.T) {
	for i, cores := range [][]int{{3, 3}, {0, 5, 0}, {0, -1}} {
		if got, want := processors(threeOf{}, cores), []int{1, 2, 3}[i]; got != want {
			t.Errorf("cores %v: %d processors, want %d", cores, got, want)
		}
	}
}
