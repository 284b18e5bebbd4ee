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

func subject(t *testing.T, options map[string]string, only ...string) devicetest.Subject {
	t.Helper()
	set := map[string]string{"library": emulator(t)}
	for name, value := range options {
		set[name] = value
	}
	return devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, Options: set, Without: without,
		Only: only, MaxRanks: 4, Largest: true}
}

// TestConformance runs all rules over the emulator.
func TestConformance(t *testing.T) { devicetest.Run(t, subject(t, nil)) }

// TestKills kills ranks at random moments (GOBENCH_KILLS).
func TestKills(t *testing.T) {
	devicetest.Kills(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, Options: map[string]string{"library": emulator(t)}})
}

// TestLatency runs rules with messages that are on their way for a while, and ranks that yield.
func TestLatency(t *testing.T) {
	t.Setenv("GOBENCH_MXM_EMULATOR", "latency=3000")
	devicetest.Run(t, subject(t, map[string]string{"wait": "yield"}, "no overtaking", "order of many senders", "first unexpected message matches",
		"every size", "synchronous send", "contexts are apart", "cancelled receives race with sends", "death in large transfers"))
}

// TestReceiverCloses has messages on their way for so long that their receiver has closed before
// the sender learns that they have been received.
func TestReceiverCloses(t *testing.T) {
	t.Setenv("GOBENCH_MXM_EMULATOR", "latency=100000000")
	devicetest.Run(t, subject(t, map[string]string{"wait": "yield"}, "a receiver closes"))
}

// TestQuestionsOfTheDead has questions for a queue on their way for so long that the death of their
// rank is known before they come: their answers cannot be sent, and hold back no others.
func TestQuestionsOfTheDead(t *testing.T) {
	t.Setenv("GOBENCH_MXM_EMULATOR", "latency=30000000")
	s := subject(t, map[string]string{"wait": "yield"}, "death of many in a new context")
	s.MaxRanks = 11
	devicetest.Run(t, s)
}
