package experiment

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gobench/internal/bench/state"
)

// caches sets a cache directory for the test and returns the path of the file in it.
func caches(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	return filepath.Join(dir, "gobench", "cores.json")
}

// The best scale is stored, and a worse one does not replace it.
func TestScaleIsRemembered(t *testing.T) {
	caches(t)
	if s := knownScale(); s != (state.Scale{}) {
		t.Fatalf("an empty directory knows %+v", s)
	}
	for _, c := range []struct{ seen, want state.Scale }{
		{state.Scale{}, state.Scale{}},
		{state.Scale{Distance: 160e-9}, state.Scale{Distance: 160e-9}},
		{state.Scale{Distance: 30e-9, Loop: 6e-6}, state.Scale{Distance: 30e-9, Loop: 6e-6}},
		{state.Scale{Distance: 170e-9, Loop: 3e-6}, state.Scale{Distance: 30e-9, Loop: 3e-6}},
		{state.Scale{}, state.Scale{Distance: 30e-9, Loop: 3e-6}},
	} {
		learnScale(c.seen)
		if got := knownScale(); got != c.want {
			t.Errorf("after %+v: %+v, want %+v", c.seen, got, c.want)
		}
	}
}

// Scales of other processors remain in the file and do not affect this one.
func TestScalesOfOtherProcessorsStay(t *testing.T) {
	file := caches(t)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"another, kvm, go1":{"distance_s":1e-8}}`), 0o666); err != nil {
		t.Fatal(err)
	}
	if s := knownScale(); s != (state.Scale{}) {
		t.Fatalf("%+v is that of another processor", s)
	}
	learnScale(state.Scale{Distance: 50e-9})
	all := scalesFile().read()
	if len(all) != 2 || all["another, kvm, go1"].Distance != 1e-8 || knownScale().Distance != 50e-9 {
		t.Errorf("the file holds %+v", all)
	}
}

// Impossible values of a file are ignored, and values that one launch alone saw are not stored.
func TestDoubtfulScalesAreNotUsed(t *testing.T) {
	file := caches(t)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	scalesFile().write(map[string]storedScale{processor(): {Scale: state.Scale{Distance: 30e-9, Loop: 1e-9}}})
	if s := knownScale(); s != (state.Scale{Distance: 30e-9}) {
		t.Errorf("of a file with a loop of 1 ns: %+v", s)
	}
	var seen state.Scale
	seen.Add(20e-9)
	seen.AddLoop(3e-6)
	seen.AddLoop(3.1e-6)
	learnScale(seen)
	if s := knownScale(); s != (state.Scale{Distance: 30e-9, Loop: 3e-6}) {
		t.Errorf("after one distance and two loops: %+v", s)
	}
}

// A user can have the state of the cores of this host forgotten; other hosts keep theirs.
func TestForgetScale(t *testing.T) {
	caches(t)
	if known, err := ForgetScale(); known != "" || err != nil {
		t.Errorf("without a file: %q, %v", known, err)
	}
	learnScale(state.Scale{Distance: 30e-9, Loop: 3e-6})
	all := scalesFile().read()
	all["other"] = storedScale{Scale: state.Scale{Distance: 40e-9}}
	if err := scalesFile().write(all); err != nil {
		t.Fatal(err)
	}
	known, err := ForgetScale()
	if !strings.HasPrefix(known, "core-to-core latency 30 ns, loop 3.000 us") || err != nil {
		t.Errorf("forgot %q, %v", known, err)
	}
	if err := scalesFile().write(map[string]storedScale{processor(): {Scale: state.Scale{Distance: 30e-9}}, "other": {}}); err != nil {
		t.Fatal(err)
	}
	if known, _ := ForgetScale(); strings.Contains(known, "0001") { // the file of an older version has no dates
		t.Errorf("forgot %q", known)
	}
	if s := knownScale(); s != (state.Scale{}) || len(scalesFile().read()) != 1 {
		t.Errorf("still known: %+v; file %v", s, scalesFile().read())
	}
}

// The number of entries is bounded; the oldest go first.
func TestScalesAreBounded(t *testing.T) {
	caches(t)
	learnScale(state.Scale{Distance: 30e-9})
	all := scalesFile().read()
	for i := range maxScales {
		all[fmt.Sprint("container ", i)] = storedScale{Scale: state.Scale{Distance: 30e-9}, Time: time.Unix(int64(i), 0)}
	}
	if err := scalesFile().write(all); err != nil {
		t.Fatal(err)
	}
	learnScale(state.Scale{Distance: 20e-9})
	all = scalesFile().read()
	if _, oldest := all["container 0"]; len(all) != maxScales || oldest || knownScale().Distance != 20e-9 {
		t.Errorf("%d entries, the oldest is there: %t", len(all), oldest)
	}
}

// An invalid file is ignored and replaced.
func TestInvalidScaleFiles(t *testing.T) {
	file := caches(t)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "Dear Sir", "[1]", `{"x":`} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if s := knownScale(); s != (state.Scale{}) {
			t.Errorf("%q is %+v", text, s)
		}
		learnScale(state.Scale{Distance: 50e-9})
		if knownScale().Distance != 50e-9 {
			t.Errorf("%q was not replaced", text)
		}
	}
}

// A file that cannot be written is not an error, and nothing is stored.
func TestScaleFilesThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", dir)
	learnScale(state.Scale{Distance: 50e-9})
	if s := knownScale(); s != (state.Scale{}) {
		t.Errorf("%+v", s)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	learnScale(state.Scale{Distance: 50e-9})
	if s := knownScale(); s != (state.Scale{}) {
		t.Errorf("without a home: %+v", s)
	}
}
