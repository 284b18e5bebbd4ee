package configs

import (
	"bytes"
	"os"
	"testing"
)

// All sweeps of this directory are in the program, by name with and without directory and suffix.
func TestSweepsAreThoseOfTheDirectory(t *testing.T) {
	for _, name := range []string{"quick", "quick.toml", "configs/quick.toml", "rivals/p2p"} {
		if text, err := Read(name); err != nil || len(text) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read("nothing"); err == nil {
		t.Error("there is a sweep named nothing")
	}
	if len(Sweeps()) == 0 {
		t.Fatal("no sweeps")
	}
	for _, s := range Sweeps() {
		want, err := os.ReadFile(s.Name + ".toml")
		got, readErr := Read(s.Name)
		if err != nil || readErr != nil || !bytes.Equal(want, got) || s.About == "" {
			t.Errorf("%+v: %v, %v", s, err, readErr)
		}
	}
}
