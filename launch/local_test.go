package launch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gobench/internal/launch/host"
	"gobench/internal/launch/launchtest"
	"gobench/launch"
	"gobench/launch/outcome"
)

func TestRanksExchange(t *testing.T) {
	for _, test := range []struct {
		role  string
		ranks int
	}{{"exchange", 1}, {"exchange", 2}, {"exchange", 64}, {"many", 3}, {"large", 4}} {
		t.Run(test.role, func(t *testing.T) {
			begin := time.Now()
			if r := launchtest.Run(t, launchtest.Spec(test.role, test.ranks)); r.ExitCode != 0 || r.First != -1 || r.Err() != nil {
				t.Errorf("job failed: %+v", r)
			}
			t.Logf("%d ranks took %v", test.ranks, time.Since(begin))
		})
	}
}

func TestRankKnowsItself(t *testing.T) {
	allowed, err := host.AllowedCores()
	if err != nil {
		t.Fatal(err)
	}
	first, last := allowed[0], allowed[len(allowed)-1]
	spec := launchtest.Spec("hello", 2)
	spec.Cores, spec.Threads = []int{first, last, last, first}, 2
	want := []string{
		fmt.Sprintf("rank 0 of 2, local 2, chosen cores [%d %d], pinned to %[1]d\n", first, last),
		fmt.Sprintf("rank 1 of 2, local 2, chosen cores [%d %d], pinned to %[1]d\n", last, first),
	}
	if got := slices.Sorted(strings.Lines(say(t, spec))); !slices.Equal(got, want) {
		t.Errorf("ranks say %q, want %q", got, want)
	}
}

func TestRankIsNotPinned(t *testing.T) {
	allowed, err := host.AllowedCores()
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("rank 0 of 1, local 1, chosen cores [], pinned to %s\n", host.FormatCores(allowed))
	if got := say(t, launchtest.Spec("hello", 1)); got != want {
		t.Errorf("rank says %q, want %q", got, want)
	}
}

// The first failure decides, although rank 1 is not the first rank and the others
// end well.
func TestRankExits7(t *testing.T) {
	r := launchtest.Run(t, launchtest.Spec("exit7", 3))
	if r.ExitCode != 7 || r.First != 1 || r.Ranks[0].Code != 0 || r.Ranks[2].Code != 0 {
		t.Errorf("result %+v", r)
	}
	var failed *outcome.ExitError
	if !errors.As(r.Err(), &failed) || failed.Rank != 1 || failed.Code != 7 {
		t.Errorf("error %v", r.Err())
	}
}

func TestRankIsKilled(t *testing.T) {
	r := launchtest.Run(t, launchtest.Spec("killed", 3))
	if r.ExitCode != 1 || r.First != 1 || r.Ranks[1].Signal != syscall.SIGKILL || r.Ranks[0].Code != 0 || r.Ranks[2].Code != 0 {
		t.Errorf("result %+v", r)
	}
	if got := r.Err().Error(); !strings.HasPrefix(got, "rank 1 failed: process ") || !strings.HasSuffix(got, "was killed by signal 9 (killed)") {
		t.Errorf("error %q", got)
	}
}

// Where memory runs out the kernel kills ranks before their launcher, which names the reason.
func TestRanksAreKilledFirst(t *testing.T) {
	if r := launchtest.Run(t, launchtest.Spec("expendable", 2)); r.ExitCode != 0 {
		t.Errorf("result %+v", r)
	}
	s := outcome.Status{PID: 5, Code: -1, Signal: syscall.SIGKILL, Why: "memory of the host was used up"}
	if got, want := s.String(), "process 5 was killed by signal 9 (killed), because memory of the host was used up"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDeafRanksAreTerminated(t *testing.T) {
	spec := launchtest.Spec("deaf", 3)
	spec.Linger = -1
	spec.Grace = time.Hour // SIGTERM must do
	r := launchtest.Run(t, spec)
	if r.ExitCode != 5 || r.First != 0 {
		t.Errorf("result %+v", r)
	}
	for _, s := range r.Ranks[1:] {
		if s.Signal != syscall.SIGTERM || !s.Stopped {
			t.Errorf("rank %d: %v, stopped %t", s.Rank, s, s.Stopped)
		}
	}
}

// A rank that only computes does not notice that another one died. It learns so when it is
// asked to end, and can tell it from a person who asks.
func TestRanksLearnWhyTheyAreToEnd(t *testing.T) {
	spec := launchtest.Spec("computing", 3)
	spec.Linger, spec.Grace = -1, time.Hour
	r := launchtest.Run(t, spec)
	if r.ExitCode != 1 || r.First != 1 || r.Ranks[0].Code != 0 || r.Ranks[2].Code != 0 {
		t.Errorf("result %+v", r)
	}
	r = launchtest.Run(t, launchtest.Spec("asked", 2))
	if r.Interrupted == nil || r.First >= 0 {
		t.Errorf("result %+v", r)
	}
}

func TestStubbornRanksAreKilled(t *testing.T) {
	spec := launchtest.Spec("stubborn", 3)
	spec.Linger, spec.Grace = -1, time.Millisecond
	r := launchtest.Run(t, spec)
	if r.ExitCode != 5 || r.First != 0 {
		t.Errorf("result %+v", r)
	}
	for _, s := range r.Ranks[1:] {
		if s.Signal != syscall.SIGKILL || !s.Stopped {
			t.Errorf("rank %d: %v, stopped %t", s.Rank, s, s.Stopped)
		}
	}
}

func TestRankLeavesButLives(t *testing.T) {
	t.Parallel() // it waits most of its time
	spec := launchtest.Spec("leaves", 2)
	spec.Linger = -1
	r := launchtest.Run(t, spec)
	if r.First != 0 || r.ExitCode != 1 || !r.Ranks[1].Stopped {
		t.Errorf("result %+v", r)
	}
}

func TestRankGivesUp(t *testing.T) {
	if r := launchtest.Run(t, launchtest.Spec("impatient", 2)); r.ExitCode != 0 {
		t.Errorf("result %+v", r)
	}
}

func TestRankSendsGarbage(t *testing.T) {
	spec := launchtest.Spec("garbage", 2)
	spec.Linger = -1
	if r := launchtest.Run(t, spec); r.First != 0 || r.ExitCode != 4 {
		t.Errorf("result %+v", r)
	}
}

func TestContextEndsJob(t *testing.T) {
	reason := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	spec := launchtest.Spec("sleep", 2)
	spec.Stdout = writerFunc(func(p []byte) (int, error) {
		cancel(reason) // the first rank is ready
		return len(p), nil
	})
	r, err := launch.Local(ctx, spec)
	if !errors.Is(err, reason) || r == nil || r.ExitCode != 1 || !r.Ranks[0].Stopped {
		t.Errorf("result %+v, error %v", r, err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestBadSpec(t *testing.T) {
	for _, test := range []struct {
		spec launch.Spec
		want string
	}{
		{launch.Spec{}, "number of ranks is 0, want 1 or more"},
		{launch.Spec{Ranks: 2, Cores: []int{0}}, "1 cores are given for 2 ranks of 1 threads"},
		{launch.Spec{Ranks: 1, Cores: []int{-1}}, "core -1 cannot be used"},
		{launch.Spec{Ranks: 2, Path: "/nonexistent/program"}, "/nonexistent/program cannot be started: no such file"},
	} {
		if _, err := launch.Local(t.Context(), test.spec); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func TestNothingStays(t *testing.T) {
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	job := func() {
		spec := launchtest.Spec("exit7", 4)
		spec.Stdout, spec.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
		launchtest.Run(t, spec)
		launch.Local(t.Context(), launch.Spec{Ranks: 3, Path: "/nonexistent/program"})
	}
	job() // the poller's own descriptors come with the first
	before := count()
	for range 3 {
		job()
	}
	if after := count(); after != before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
	if _, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != syscall.ECHILD {
		t.Errorf("there is a child left: %v", err)
	}
}

// Starting, wiring up and ending a whole job.
func BenchmarkLocal64(b *testing.B) {
	for b.Loop() {
		r, err := launch.Local(b.Context(), launchtest.Spec("exchange", 64))
		if err != nil || r.ExitCode != 0 {
			b.Fatal(r, err)
		}
	}
}
