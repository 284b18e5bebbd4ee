package tcp

import (
	"os"
	"testing"

	"gobench/device/devicetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// TestConformance runs the rules of the wire with ranks as processes. Within their sizes there are
// short packets, long ones and rendezvous.
func TestConformance(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, Options: map[string]string{"eager_limit": "256KiB"},
		Only: append([]string{"over 2 GiB", "death of a host", "death beside a ping-pong"}, devicetest.WireRules...)})
}

// TestConformanceWhenNeeded connects most pairs with their first message. A receive from any source
// does not notice the death of a rank with which nothing was exchanged; in its rule, something was.
func TestConformanceWhenNeeded(t *testing.T) {
	late := append([]string{"death before any source", "death of many in a new context", "cancel a send", "interrupt of a receive", "self messages"}, devicetest.WireRules...)
	for connections, only := range map[string][]string{"1": late, "2": wireRules} {
		t.Run(connections, func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, Largest: true, Only: only,
				Options: map[string]string{"connect": "needed", "connections": connections}})
		})
	}
}

// wireRules are the rules in which the engines differ; the rest is the protocol's.
var wireRules = []string{
	"no overtaking", "order of many senders", "every size", "both send 64 MiB", "10000 unexpected messages",
	"all to all", "close delivers", "a rank closes early", "packets beside a ping-pong", "a transfer beside a ping-pong",
	"death of a sender", "death of a receiver of much", "death in large transfers",
}

// TestConformanceOfEngines runs them over the other engines, and those of order, connections and
// deaths over two connections for each pair and over MPTCP, with ranks as processes.
func TestConformanceOfEngines(t *testing.T) {
	few := []string{"no overtaking", "order of many senders", "every size", "all to all", "close delivers", "death in large transfers"}
	for _, set := range []struct {
		options map[string]string
		only    []string
	}{
		{map[string]string{"engine": "poll", "connections": "2", "rndv": "pipeline"}, few},
		{map[string]string{"engine": "net", "eager_limit": "256KiB"}, wireRules},
		{map[string]string{"engine": "net", "connections": "2"}, few},
		{map[string]string{"engine": "stream", "eager_limit": "256KiB"}, wireRules},
		{map[string]string{"engine": "stream", "connections": "2"}, few},
		{map[string]string{"engine": "poll", "mptcp": "on", "wait": "block"}, few},
	} {
		t.Run(set.options["engine"]+set.options["connections"]+set.options["wait"], func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver{}, Ranks: devicetest.Processes, Largest: true, Options: set.options, Only: set.only})
		})
	}
}

// TestConformanceOfGoroutines is for the race detector, and run with it alone (scripts/test.sh).
func TestConformanceOfGoroutines(t *testing.T) {
	for _, engine := range []string{"poll", "net", "stream"} {
		t.Run(engine, func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver{}, Largest: true, Options: map[string]string{"engine": engine, "eager_limit": "256KiB"}, Only: wireRules})
		})
	}
}
