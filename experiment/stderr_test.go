package experiment

import (
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"gobench/bench"
	"gobench/internal/exit"
	"gobench/internal/terminal"
	"gobench/launch/outcome"
)

func write(t *testing.T, v *stderrMux, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if n, err := v.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("wrote %d bytes of %q: %v", n, part, err)
		}
	}
}

func TestStderrPrintsEveryLineOnce(t *testing.T) {
	var b strings.Builder
	write(t, &stderrMux{w: &b, screen: new(screen)}, "gobench: no ", "room\ngobench: no room\n", "gobench: rank 1\n\n\n")
	if got, want := b.String(), "gobench: no room\ngobench: rank 1\n\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStderrWritesAStackTraceIntoAFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var b strings.Builder
	v := &stderrMux{w: &b, screen: new(screen)}
	write(t, v, "panic: index out of range\n\ngoroutine 1 [running]:\n", "gobench: rank 1 is lost\n", "main.main()\n")
	v.close()
	printed := regexp.MustCompile(`^gobench: a rank crashed \(panic: index out of range\); .* and (.*), and remove that file then\ngobench: rank 1 is lost\n$`).FindStringSubmatch(b.String())
	if printed == nil || !v.crashed {
		t.Fatalf("printed %q", b.String())
	}
	trace, err := os.ReadFile(printed[1])
	if want := "panic: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n"; err != nil || string(trace) != want {
		t.Errorf("the file has %q (%v), want %q", trace, err, want)
	}
}

// What a rank says stays on a terminal with a table and the progress.
func TestStderrStaysOnTheScreen(t *testing.T) {
	var b strings.Builder
	s := &screen{w: &b, terminal: terminal.Terminal{Live: true, Width: 80, Height: 24}}
	s.redraw("a table\nof two lines\n")
	s.line("1/2")
	write(t, &stderrMux{w: &b, screen: s}, "gobench: it failed\n")
	s.clear()
	if got, want := b.String(), "gobench: it failed\n"; !strings.HasSuffix(got, strings.Repeat("\x1b[A"+eraseLine, 2)+want) {
		t.Errorf("got %q, want %q at its end", got, want)
	}
}

// The text of a rank may come from another host, or from a library.
func TestStderrRemovesEscapeSequences(t *testing.T) {
	var b strings.Builder
	write(t, &stderrMux{w: &b, screen: new(screen)}, "gobench: rank 1: \x1b]0;title\x07 failed\tbadly\n")
	if got, want := b.String(), "gobench: rank 1: \uFFFD]0;title\uFFFD failed\tbadly\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A process that cannot create a thread is not reported as a crash.
func TestMissingThreadsAreNoCrash(t *testing.T) {
	for _, text := range []string{
		"runtime: failed to create new OS thread (have 4 already; errno=11)\nruntime: may need to increase max user processes (ulimit -u)\nfatal error: newosproc\n\nruntime stack:\n",
		"runtime/cgo: pthread_create failed: Resource temporarily unavailable\nSIGABRT: abort\n",
	} {
		var b strings.Builder
		v := &stderrMux{w: &b, screen: new(screen)}
		write(t, v, text, "gobench: host h2 is lost\n")
		if want := noThreads + "gobench: host h2 is lost\n"; b.String() != want || v.trace != nil {
			t.Errorf("printed is %q, want %q", b.String(), want)
		}
	}
}

// The cause of a failure is what the rank that failed first has printed, else what another has.
func TestTheCauseOfAFailure(t *testing.T) {
	const printed = "gobench: it takes 3 s\ngobench: no room\ngobench: rank 1 is lost\ngobench: a rank waits\n"
	for want, told := range map[string][]string{
		"no room":        {"rank 1 is lost", "no room\nat all"},
		"rank 1 is lost": {"rank 1 is lost", "rank 0 is lost"}, // rank 0 prints that in better words
		"a rank waits":   {"", ""},
	} {
		v := &stderrMux{w: io.Discard, screen: new(screen)}
		write(t, v, printed)
		err := v.failure(&outcome.Result{ExitCode: 1, First: 1, Ranks: []outcome.Status{{Code: 1, Told: told[0]}, {Rank: 1, Code: 1, Told: told[1]}}})
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", told, err, want)
		}
	}
}

// A failure that a rank has reported is not hidden by a signal that comes later.
func TestFailuresBeforeASignal(t *testing.T) {
	for name, test := range map[string]struct {
		rank        outcome.Status
		code        int
		interrupted bool
	}{
		"wrong data":            {outcome.Status{Code: exit.Data}, exit.Data, false},
		"ended by the signal":   {outcome.Status{Code: -1, Signal: syscall.SIGINT}, exit.Failed, true},
		"interrupted by itself": {outcome.Status{Code: exit.Failed}, exit.Failed, true},
	} {
		result := &outcome.Result{ExitCode: test.code, Interrupted: syscall.SIGINT, Ranks: []outcome.Status{test.rank}}
		err := (&stderrMux{printed: true}).failure(result)
		reported, _ := errors.AsType[*exit.ReportedError](err)
		if errors.Is(err, bench.ErrInterrupted) != test.interrupted || !test.interrupted && (reported == nil || reported.Code != test.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
