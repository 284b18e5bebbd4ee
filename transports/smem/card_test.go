package smem

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"gobench/device"
)

func TestCompareCards(t *testing.T) {
	base, err := newCard(newLayout(2, -1))
	if err != nil {
		t.Fatal(err)
	}
	if err := compare([]card{base, base}, 0); err != nil {
		t.Errorf("equal cards: %v", err)
	}
	for want, change := range map[string]func(*card){
		"different versions":   func(c *card) { c.Version++ },
		"different hosts":      func(c *card) { c.Boot = "another" },
		"different containers": func(c *card) { c.PIDSpace = "pid:[1]" },
		"ring_bytes":           func(c *card) { c.Geometry++ },
	} {
		other := base
		change(&other)
		err := compare([]card{base, other}, 0)
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

// A process that has ended is known before its memory is touched, however long ago the last Idle was.
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
