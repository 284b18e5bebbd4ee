package tune

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gobench/device/profile"
)

// A bench counts its trials, each of which chooses another candidate.
type bench struct {
	Profiler
	trials atomic.Int32
	spread float64
	said   []string
	mu     sync.Mutex
}

func newBench(machine string) *bench {
	b := &bench{}
	b.Profiler = Profiler{
		Machine: machine,
		Lacks:   func(*profile.Profile) bool { return false },
		Try: func(context.Context, *profile.Profile) ([]profile.Choice, error) {
			return []profile.Choice{{Routine: "copy", Pick: fmt.Sprintf("routine %d of %s", b.trials.Add(1), machine), Spread: b.spread}}, nil
		},
		Say: func(line string) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.said = append(b.said, line)
		},
	}
	return b
}

func (b *bench) find(t *testing.T, flag, want string, trials int32) {
	t.Helper()
	p, err := b.Find(t.Context(), flag)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Pick("copy"); got != want || b.trials.Load() != trials {
		t.Errorf("%q after %d trials, want %q after %d; said %q", got, b.trials.Load(), want, trials, b.said)
	}
}

func (b *bench) says(t *testing.T, words string) {
	t.Helper()
	if !strings.Contains(strings.Join(b.said, "\n"), words) {
		t.Errorf("said %q, not %q", b.said, words)
	}
}

func clean(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv(Variable, "")
	t.Setenv(formerVariable, "")
}

func TestAProfileIsMadeOnce(t *testing.T) {
	clean(t)
	a, b := newBench("A"), newBench("B")
	a.find(t, "", "routine 1 of A", 1)
	a.says(t, "is being measured, once")
	a.find(t, "", "routine 1 of A", 1)
	b.find(t, "", "routine 1 of B", 1) // another fingerprint
	a.find(t, "", "routine 1 of A", 1)
	a.find(t, Renew, "routine 2 of A", 2)
	a.find(t, "", "routine 2 of A", 2)
	a.find(t, None, "", 2)
	t.Setenv(Variable, None)
	a.find(t, "", "", 2)
	a.find(t, Renew, "routine 3 of A", 3) // the flag takes precedence
}

func TestADamagedProfileIsReplaced(t *testing.T) {
	clean(t)
	for _, text := range []string{"version = [", "", "version = 1\n[made]\nmachine = \"B\"\n[[choice]]\nroutine = \"copy\"\npick = \"x\"\n"} {
		a := newBench("A")
		a.find(t, Renew, "routine 1 of A", 1)
		if err := os.WriteFile(ProfilePath("A"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		a.find(t, "", "routine 2 of A", 2)
		a.says(t, "is ignored")
		a.find(t, "", "routine 2 of A", 2)
	}
}

func TestADisturbedProfileIsMadeAgain(t *testing.T) {
	clean(t)
	a := newBench("A")
	a.spread = 2
	a.find(t, "", "routine 1 of A", 1)
	a.says(t, "the next command repeats it")
	a.Again = true
	a.find(t, "", "routine 1 of A", 1) // in a later launch of the command
	a.Again, a.spread = false, 0
	a.find(t, "", "routine 2 of A", 2)
	a.find(t, "", "routine 2 of A", 2)
}

// Of hosts that wait for each other the first one measures, also if that is disturbed.
func TestADisturbedProfileOfAnotherHost(t *testing.T) {
	clean(t)
	a, other := newBench("A"), newBench("A")
	a.find(t, "", "routine 1 of A", 1)
	a.Lacks = func(*profile.Profile) bool { // is called before the wait
		if other.trials.Load() == 0 {
			other.spread = 2
			other.find(t, Renew, "routine 1 of A", 1)
		}
		return true
	}
	a.find(t, "", "routine 1 of A", 1)
}

// Cores that a hypervisor has moved to another distance are tried, and what was known stays.
func TestAProfileIsCompleted(t *testing.T) {
	clean(t)
	a := newBench("A")
	a.find(t, "", "routine 1 of A", 1)
	a.Lacks = func(p *profile.Profile) bool { return p.Pick("far copy") == "" }
	a.Try = func(context.Context, *profile.Profile) ([]profile.Choice, error) {
		a.trials.Add(1)
		return []profile.Choice{{Routine: "far copy", Pick: "x"}}, nil
	}
	a.find(t, "", "routine 1 of A", 2)
	a.find(t, "", "routine 1 of A", 2)
}

func TestWithoutADirectory(t *testing.T) {
	clean(t)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{blocked, ""} {
		t.Setenv("XDG_CACHE_HOME", dir)
		t.Setenv("HOME", "")
		a := newBench("A")
		a.find(t, "", "routine 1 of A", 1)
		a.says(t, "holds for this command only")
	}
}

func TestTrialsThatFail(t *testing.T) {
	clean(t)
	a := newBench("A")
	a.Try = func(context.Context, *profile.Profile) ([]profile.Choice, error) {
		return nil, errors.New("no second core")
	}
	a.find(t, "", "", 0)
	a.says(t, "no second core")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Find(ctx, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

func TestANamedProfileIsObeyed(t *testing.T) {
	clean(t)
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "profile.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const choice = "[[choice]]\nroutine = \"copy\"\npick = \"planted\"\n"
	a := newBench("A")
	a.find(t, write("version = 1\n"+choice), "planted", 0)
	a.find(t, write("version = 1\n[made]\nmachine = \"A\"\n"+choice), "planted", 0)
	t.Setenv(Variable, write("version = 1\n"+choice))
	a.find(t, "", "planted", 0)
	t.Setenv(Variable, "")
	// A table of an earlier version has no choices, and one of another machine none for this one.
	a.find(t, write("version = 1\n[[rule]]\noperation = \"bcast\"\nalgorithm = \"binomial\"\n"), "routine 1 of A", 1)
	a.find(t, write("version = 1\n[made]\nmachine = \"B\"\n"+choice), "routine 1 of A", 1)
	a.says(t, `it was made for machine "B"`)
}

// A program that cannot make trials has the choices of a named file, and no others.
func TestWithoutTrials(t *testing.T) {
	clean(t)
	path := filepath.Join(t.TempDir(), "profile.toml")
	for text, want := range map[string]string{
		"version = 1\n[[choice]]\nroutine = \"copy\"\npick = \"planted\"\n":        "planted",
		"version = 1\n[[rule]]\noperation = \"bcast\"\nalgorithm = \"binomial\"\n": "",
		"version = [": "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		a := newBench("A")
		a.Try = nil
		a.find(t, path, want, 0)
		a.find(t, Renew, "", 0)
		a.find(t, "", "", 0)
	}
	if _, err := os.Stat(ProfilePath("A") + ".lock"); err == nil {
		t.Error("it has locked the stored profile")
	}
}

// Commands that begin concurrently measure once, and all use the result.
func TestTwoAtOnce(t *testing.T) {
	clean(t)
	a := newBench("A")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() { a.find(t, "", "routine 1 of A", 1) })
	}
	group.Wait()
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(ProfilePath("A")), "profile-*.toml"))
	if len(files) != 1 {
		t.Errorf("there are %v", files)
	}
}

func TestFingerprint(t *testing.T) {
	a, b := Fingerprint("one"), Fingerprint("two")
	if a == b || !strings.Contains(a, "program one") || a != Fingerprint("one") || !strings.Contains(a, "hypervisor") {
		t.Errorf("fingerprints are %q and %q", a, b)
	}
}

// Profiles of builds that nobody uses any more are removed when another one is kept, others stay.
func TestForgottenProfilesAreRemoved(t *testing.T) {
	clean(t)
	newBench("a").find(t, "", "routine 1 of a", 1)
	newBench("b").find(t, "", "routine 1 of b", 1)
	long := time.Now().Add(-forgotten - time.Hour)
	for _, name := range []string{ProfilePath("a"), ProfilePath("a") + ".lock"} {
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	newBench("c").find(t, "", "routine 1 of c", 1)
	for machine, want := range map[string]bool{"a": false, "b": true, "c": true} {
		for _, name := range []string{ProfilePath(machine), ProfilePath(machine) + ".lock"} {
			if _, err := os.Stat(name); (err == nil) != want {
				t.Errorf("%s of machine %s: %v, want it kept %v", filepath.Base(name), machine, err, want)
			}
		}
	}
}
