//go:build gni && cgo

package gni

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"gobench/device/devicetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

var build = sync.OnceValues(func() (string, error) {
	if folder := os.Getenv("GOBENCH_EMULATORS"); folder != "" { // with sanitizers
		return filepath.Join(folder, library), nil
	}
	folder, err := filepath.Abs("../../.cache/emulators")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("../../scripts/emulators.sh", folder).CombinedOutput()
	os.Stderr.Write(out)
	return filepath.Join(folder, library), err
})

// emulator returns the emulator of the library.
func emulator(t testing.TB) string {
	t.Helper()
	file, err := build()
	if err != nil {
		t.Fatalf("compiling the emulator: %v", err)
	}
	return file
}

// over returns a subject over the emulator, whose ranks are processes.
func over(t *testing.T, options map[string]string) devicetest.Subject {
	t.Helper()
	set := map[string]string{"library": emulator(t)}
	for name, value := range options {
		set[name] = value
	}
	return devicetest.Subject{Driver: emulated{driver{}}, Options: set, Ranks: devicetest.Processes}
}

// emulated is the driver without a look for the library, which the option names.
type emulated struct{ driver }

func (emulated) Probe() error { return nil }

// TestConformance runs all rules.
func TestConformance(t *testing.T) {
	s := over(t, nil)
	s.MostRanks, s.Largest = 4, true
	devicetest.Run(t, s)
}
