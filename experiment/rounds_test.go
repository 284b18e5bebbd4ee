package experiment

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gobench/bench"
	"gobench/device"
	"gobench/device/devicetest/memwire"
	"gobench/launch"
	"gobench/record"
)

// counted is a driver that calls opening with the number of the opening and the rank before each.
type counted struct {
	device.Driver
	opened  [2]atomic.Int32 // by rank
	opening func(n, rank int) error
}

func (c *counted) Open(ctx context.Context, job device.Job, opts device.Options) (device.Device, error) {
	if err := c.opening(int(c.opened[job.Rank()].Add(1)), job.Rank()); err != nil {
		return nil, err
	}
	return c.Driver.Open(ctx, job, opts)
}

// job runs two ranks of a launcher other than gobench and holds their results.
type job struct {
	out, told bytes.Buffer
	file      string
	errors    [2]error // by rank
}

// foreign runs a command in rounds. opening is called by each rank before it opens a device, with
// the number of the opening; interrupt has the effect of Ctrl-C.
func foreign(t *testing.T, change func(*P2P), opening func(n, rank int, interrupt func()) error) *job {
	t.Helper()
	caches(t)
	j := &job{file: filepath.Join(t.TempDir(), "out.jsonl")}
	r, err := check(ask(func(a *P2P) {
		a.Pin, a.File, a.Sizes, a.Launches, a.Budget, a.Command = "none", j.file, "8,16", 6, 6*time.Millisecond, []string{"gobench"}
		change(a)
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	interrupt := func() { cancel(errors.New("interrupt signal received")) }
	driver := &counted{
		Driver:  &memwire.Driver{Hostility: memwire.Hostility{Seed: 1, Queue: 8, Packet: 1024, EagerLimit: 2000}},
		opening: func(n, rank int) error { return opening(n, rank, interrupt) },
	}
	options, err := device.ParseOptions(driver.Options(), nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Transports = []Transport{{driver, options, levelComm}}
	err = launch.Goroutines(ctx, 2, func(inner context.Context, k device.Job) error {
		err := r.rounds(inner, k, location{launcher: "foreign", signals: ctx}, Setup{Stdout: &j.out, Stderr: &j.told})
		j.errors[k.Rank()] = err
		return err
	})
	if crash, ok := errors.AsType[*launch.PanicError](err); ok {
		t.Fatal(crash)
	}
	return j
}

func nothing(int, int, func()) error { return nil }

func (j *job) rounds(t *testing.T) (rounds []int) {
	t.Helper()
	file, err := record.ReadFile(j.file)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range file.Points {
		if p.Round != p.Launch {
			t.Errorf("launch %d is round %d", p.Launch, p.Round)
		}
		rounds = append(rounds, p.Round)
	}
	for _, r := range file.Runs {
		if r.Series == "" || r.Series != file.Runs[0].Series || r.Job.Launcher != "foreign" {
			t.Errorf("run %s of series %q by %s", r.ID, r.Series, r.Job.Launcher)
		}
	}
	slices.Sort(rounds)
	return slices.Compact(rounds)
}

// Under another launcher, launches are rounds: each opens the device again, and rank 0 prints one
// table with the interval between rounds.
func TestRounds(t *testing.T) {
	j := foreign(t, func(o *P2P) { o.View.Full = true }, nothing)
	for line := range strings.Lines(j.told.String()) {
		if !strings.HasPrefix(line, "gobench: ") {
			t.Errorf("told %q", line)
		}
	}
	if j.errors != [2]error{} || !strings.HasPrefix(j.told.String(), "gobench: launch 1 of 6 complete") {
		t.Fatalf("%v, told %q", j.errors, j.told.String())
	}
	rounds := j.rounds(t)
	if want := []int{1, 2, 3, 4, 5, 6}; len(rounds) > 6 && !slices.Equal(rounds[:6], want) || len(rounds) < 6 {
		t.Errorf("rounds %v, want %v", rounds, want)
	}
	if n := strings.Count(j.out.String(), "\n# pingpong over "); n != 1 {
		t.Errorf("%d tables:\n%s", n, j.out.String())
	}
	if !strings.Contains(j.out.String(), "\n# records: ") {
		t.Errorf("no end:\n%s", j.out.String())
	}
}

// Ctrl-C in the third round keeps what was measured in two.
func TestInterruptedRounds(t *testing.T) {
	j := foreign(t, func(*P2P) {}, func(n, rank int, interrupt func()) error {
		if n == 3 && rank == 0 {
			interrupt()
		}
		return nil
	})
	if !errors.Is(j.errors[0], bench.ErrInterrupted) || !reportedByRank0(j.errors[1]) { // which is not printed
		t.Errorf("%v", j.errors)
	}
	if j.errors[0] == nil || !strings.HasPrefix(j.errors[0].Error(), "interrupted after 2 of 6 launches; records: ") {
		t.Errorf("told %v", j.errors[0])
	}
	if got := j.rounds(t); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("rounds %v, want 1 and 2", got)
	}
	if !strings.Contains(j.out.String(), "# pingpong over ") {
		t.Errorf("no table:\n%s", j.out.String())
	}
}

// A rank that fails ends all ranks, and the results so far are kept.
func TestARankThatFailsInARound(t *testing.T) {
	broken := errors.New("no more memory of the device")
	for rank := range 2 {
		j := foreign(t, func(*P2P) {}, func(n, at int, _ func()) error {
			if n == 3 && at == rank {
				return broken
			}
			return nil
		})
		if !errors.Is(j.errors[rank], broken) || j.errors[1-rank] == nil {
			t.Errorf("rank %d is broken: %v", rank, j.errors)
		}
		if got := j.rounds(t); !slices.Equal(got, []int{1, 2}) {
			t.Errorf("rounds %v, want 1 and 2", got)
		}
		if !strings.Contains(j.out.String(), "# pingpong over ") {
			t.Errorf("no table:\n%s", j.out.String())
		}
	}
}

// A file that cannot be written is reported once, before anything is measured.
func TestRoundsWithoutAFile(t *testing.T) {
	j := foreign(t, func(a *P2P) { a.File = filepath.Dir(a.File) }, func(int, int, func()) error {
		t.Error("a device was opened")
		return nil
	})
	if j.errors[0] == nil || !strings.Contains(j.errors[0].Error(), "is a directory") || !errors.Is(j.errors[1], errElsewhere) || !reportedByRank0(j.errors[1]) {
		t.Errorf("%v", j.errors)
	}
}
