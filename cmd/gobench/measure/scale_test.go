package measure

import (
	"os"
	"path/filepath"
	"testing"

	"gobench/bench/state"
)

// caches sets a cache folder for the test and returns the path of the file in it.
func caches(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", folder)
	return filepath.Join(folder, "gobench", "cores.json")
}

// The best scale is stored, and a worse one does not replace it.
func TestScaleIsRemembered(t *testing.T) {
	caches(t)
	if s := knownScale(); s != (state.Scale{}) {
		t.Fatalf("an empty folder knows %+v", s)
	}
	for _, c := range []struct{ seen, want state.Scale }{
		{state.Scale{}, state.Scale{}},
		{state.Scale{Least: 160e-9}, state.Scale{Least: 160e-9}},
		{state.Scale{Least: 30e-9, Loop: 6e-6}, state.Scale{Least: 30e-9, Loop: 6e-6}},
		{state.Scale{Least: 170e-9, Loop: 3e-6}, state.Scale{Least: 30e-9, Loop: 3e-6}},
		{state.Scale{}, state.Scale{Least: 30e-9, Loop: 3e-6}},
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
	learnScale(state.Scale{Least: 50e-9})
	all := scalesFile().read()
	if len(all) != 2 || all["another, kvm, go1"].Least != 1e-8 || knownScale().Least != 50e-9 {
		t.Errorf("the file holds %+v", all)
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
		learnScale(state.Scale{Least: 50e-9})
		if knownScale().Least != 50e-9 {
			t.Errorf("%q was not replaced", text)
		}
	}
}

// A file that cannot be written is not an error, and nothing is stored.
func TestScaleFilesThatCannotBeWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(folder, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", folder)
	learnScale(state.Scale{Least: 50e-9})
	if s := knownScale(); s != (state.Scale{}) {
		t.Errorf("%+v", s)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	learnScale(state.Scale{Least: 50e-9})
	if s := knownScale(); s != (state.Scale{}) {
		t.Errorf("without a home: %+v", s)
	}
}
