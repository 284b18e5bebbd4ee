//go:build mxm && cgo

package mxm

import (
	"os"
	"testing"

	"gobench/device/devicetest"
	"gobench/transports/native/nativetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// emulator returns the emulator of the library.
func emulator(t testing.TB) string { return nativetest.Library(t, library) }

// without are rules that a library which matches tags does not keep.
var without = map[string]string{
	"cancel a send":             "MXM takes no message back that nobody has received",
	"10000 unexpected messages": "MXM keeps messages that no receive waits for, without a limit",
}

func conform(t *testing.T, options map[string]string, only ...string) {
	t.Helper()
	set := map[string]string{"library": emulator(t)}
	for name, value := range options {
		set[name] = value
	}
	devicetest.Run(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, Options: set, Without: without,
		Only: only, MostRanks: 4, Largest: true})
}

// TestConformance runs all rules over the emulator.
func TestConformance(t *testing.T) { conform(t, nil) }

// TestKills kills ranks at random moments (GOBENCH_KILLS).
func TestKills(t *testing.T) {
	devicetest.Kills(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, Options: map[string]string{"library": emulator(t)}})
}

// TestLatency runs rules with messages that are on their way for a while, and ranks that yield.
func TestLatency(t *testing.T) {
	t.Setenv("GOBENCH_MXM_EMULATOR", "latency=3000")
	conform(t, map[string]string{"wait": "yield"}, "no overtaking", "order of many senders", "first unexpected message matches",
		"every size", "synchronous send", "contexts are apart", "cancelled receives race with sends", "death in large transfers")
}
