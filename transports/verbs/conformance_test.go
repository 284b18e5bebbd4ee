//go:build verbs && cgo

package verbs

import (
	"os"
	"slices"
	"testing"
	"time"

	"gobench/device/devicetest"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// limit is the time limit of one rule. The VM emulates its processors.
const limit = 90 * time.Second

// TestConformance runs the rules of the wire over soft-RoCE, connected by the job's exchange, each
// with the most ranks up to 4. Ranks give way while they wait: two that spin keep both emulated
// processors busy, and this machine's, which the other one needs. On a busy machine six of the
// rules took 56 s like that in one run, and 19 s so. What spins is in TestSpinning and TestOptions.
func TestConformance(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, MaxRanks: 4, Largest: true, Limit: limit,
		Options: map[string]string{"wait": "yield"}, Only: devicetest.WireRules,
		Without: map[string]string{
			"both send 64 MiB":           "the rules of the options send more than the queues hold, in less time",
			"10000 unexpected messages":  "flood uses up the same credits",
			"no allocation":              "TestPacketsAllocateNothing, TestIdleAllocatesNothing and TestLoopsAllocateNothing hold the wire to it",
			"packets beside a ping-pong": "a transfer beside a ping-pong needs packets of the third rank, too",
			"death in a bound ring":      "the engine tells its ranks of the death",
		}})
}

// TestSpinning runs what differs where ranks spin: they take packets by Peek, past the Sink.
func TestSpinning(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, MaxRanks: 2, Largest: true, Limit: limit,
		Options: map[string]string{"wait": "spin"}, Only: []string{"no overtaking", "truncation", "synchronous send"}})
}

// TestConformanceCM runs over soft-iWARP, connected by RDMA CM, the rules that a network can break.
// Left out, because TestConformance has them and packets of all kinds are in the others: buffers of
// the transport, many senders, truncation, many open requests, and deaths at other moments.
func TestConformanceCM(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, MaxRanks: 4, Largest: true, Limit: limit, Options: map[string]string{"device": "siw0", "wait": "yield"},
		Only: []string{"no overtaking", "every size", "close delivers", "a rank closes early",
			"death of a sender", "death in large transfers", "death of the first rank"}})
}

// TestExchanges runs the rules of connecting over the ways to connect that TestMachines does not
// have.
func TestExchanges(t *testing.T) {
	for name, options := range map[string]map[string]string{
		"RoCE by RDMA CM, IPv6":  {"device": "rxe0", "exchange": "rdmacm", "family": "6"},
		"iWARP by RDMA CM, IPv6": {"device": "siw0", "family": "6"},
	} {
		t.Run(name, func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, MaxRanks: 4, Largest: true, Limit: limit, Options: options,
				Only: []string{"close delivers", "death of the first rank"}})
		})
	}
}

// TestOptions runs the rules that options of the wire touch. Ranks spin where that is another path
// through the options.
func TestOptions(t *testing.T) {
	racing := []string{"few credits", "iWARP, read", "lazy"} // where a cancelled send may wait for something else, too
	memory := []string{"read", "plain", "two rails", "lazy"} // where memory is released in another way
	for name, options := range map[string]map[string]string{
		"read":              {"rndv": "get"},
		"plain":             {"notice": "off", "inline": "0", "reg_cache": "0", "srq": "on", "loop": "go", "wait": "yield"},
		"few credits":       {"credits": "4", "buffer": "256", "queue": "8", "wait": "yield"},
		"two rails":         {"device": "rxe_a+rxe_b", "bind": "auto"},
		"two rails, no imm": {"device": "rxe_a+rxe_b", "notice": "off", "wait": "yield"},
		"iWARP, read":       {"device": "siw0", "rndv": "get", "srq": "on", "wait": "yield"},
		"lazy":              {"device": "rxe0", "connect": "lazy", "wait": "yield"},
	} {
		only := []string{"every size"}
		if slices.Contains(memory, name) {
			only = append(only, "death in transfers of allocated memory")
		}
		if slices.Contains(racing, name) {
			only = append(only, "cancelled sends race with receives")
		}
		t.Run(name, func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver, Ranks: devicetest.Processes, Options: options, MaxRanks: 4, Largest: true, Limit: limit, Only: only})
		})
	}
}

// TestGoroutines is for the race detector, and run by its binary alone. Cancelled sends race in
// the engine, which the detector sees in package memwire.
func TestGoroutines(t *testing.T) {
	for device, wait := range map[string]string{"rxe0": "spin", "siw0": "yield"} {
		t.Run(device, func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: driver, Options: map[string]string{"device": device, "wait": wait},
				MaxRanks: 4, Largest: true, Limit: limit, Only: []string{"no overtaking", "close delivers"}})
		})
	}
}
