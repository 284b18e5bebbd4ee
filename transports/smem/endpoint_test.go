package smem

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gobench/device"
	"gobench/internal/fuzzing"
)

func TestCheckCompatible(t *testing.T) {
	base, err := newEndpoint(newLayout(2, -1))
	if err != nil {
		t.Fatal(err)
	}
	if err := checkCompatible([]endpoint{base, base}, []int{0, 1}, 0); err != nil {
		t.Errorf("equal endpoints: %v", err)
	}
	for want, change := range map[string]func(*endpoint){
		"different versions":   func(c *endpoint) { c.Version++ },
		"different hosts":      func(c *endpoint) { c.Boot = "another" },
		"different containers": func(c *endpoint) { c.PIDSpace = "pid:[1]" },
		"ring_bytes":           func(c *endpoint) { c.Geometry++ },
	} {
		other := base
		change(&other)
		err := checkCompatible([]endpoint{base, other}, []int{0, 1}, 0)
		var unavailable *device.UnavailableError
		if !errors.As(err, &unavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestParseStat(t *testing.T) {
	for text, want := range map[string]struct {
		start string
		ended bool
	}{
		"42 (a) b) R 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 777 0 0": {"777", false},
		"42 (x) Z 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 778 0 0":    {"778", true},
		"42 (x) R 1": {"", true},
		"":           {"", true},
	} {
		if start, ended := parseStat([]byte(text)); start != want.start || ended != want.ended {
			t.Errorf("%q: %q, %v", text, start, ended)
		}
	}
}

func TestProbe(t *testing.T) {
	if err := (driver{}).Probe(); err != nil {
		t.Error(err)
	}
}

// letters is a job of two ranks in which the other has sent anything.
type letters [2][]byte

func (l *letters) Rank() int      { return 0 }
func (l *letters) Size() int      { return 2 }
func (l *letters) LocalSize() int { return 2 }
func (l *letters) Hosts() []int   { return []int{0, 0} }
func (l *letters) Exchange(_ context.Context, own []byte) ([][]byte, error) {
	l[0] = own
	return l[:], nil
}

// Whatever another rank says of itself, it is taken for one that shares memory only where all
// agrees.
func FuzzCards(t *testing.F) {
	f := fuzzing.New(t)
	mine, err := newEndpoint(newLayout(2, -1))
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range []endpoint{mine, {Version: mine.Version, Boot: "another"}, {Error: "no memory"}} {
		b, err := json.Marshal(c)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, blob []byte) {
		if len(blob) > 1024 {
			return
		}
		endpoints, err := exchangeEndpoints(context.Background(), &letters{1: blob}, mine)
		if err != nil || checkCompatible(endpoints, []int{0, 1}, 0) != nil {
			return
		}
		if c := endpoints[1]; c.Version != mine.Version || c.Boot != mine.Boot || c.PIDSpace != mine.PIDSpace || c.Geometry != mine.Geometry || c.Error != "" {
			t.Errorf("%q is taken as %+v", blob, c)
		}
	})
}

// The state of a process is read from what its name cannot spoil.
func FuzzParseStat(t *testing.F) {
	f := fuzzing.New(t)
	f.Add("x", "R")
	f.Add("a) Z 1 1 1 0 -1", "S")
	f.Fuzz(func(t *testing.T, name, state string) {
		parseStat([]byte(name))
		if len(state) != 1 || state[0] <= ' ' || state[0] > '~' || state == ")" {
			return
		}
		text := "42 (" + name + ") " + state + " 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 777 0 0"
		if start, ended := parseStat([]byte(text)); start != "777" || ended != strings.Contains("ZX", state) {
			t.Errorf("%q: %q, %v", text, start, ended)
		}
	})
}

// A process that has ended is known before its memory is touched, however long ago the last Idle
// was.
func TestConfirmSeesTheEnd(t *testing.T) {
	for _, stat := range []bool{false, true} {
		cmd := exec.Command("/bin/sleep", "60")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w := newWatch(3)
		add := w.add
		if stat {
			add = w.addStat
		}
		if err := add(1, cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		w.confirm(1, now)
		if w.ended(1) {
			t.Errorf("stat %v: a living process has ended", stat)
		}
		cmd.Process.Kill()
		cmd.Wait()
		w.confirm(1, now.Add(trusted))
		if !w.ended(1) {
			t.Errorf("stat %v: the end is not seen", stat)
		}
		w.close()
	}
}
