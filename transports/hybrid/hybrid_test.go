package hybrid

import (
	"os"
	"testing"

	"gobench/device/devicetest"
	_ "gobench/transports/smem"
	_ "gobench/transports/tcp"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

var overTCP = driver{"smem", "tcp"}

// halves puts the lower half of the ranks on one host and the others on a second one.
func halves(n int) []int { return spread(n, func(rank int) int { return 2 * rank / max(2, n) }) }

// turns deals ranks to two hosts in turn.
func turns(n int) []int { return spread(n, func(rank int) int { return rank % 2 }) }

// uneven leaves rank 0 alone on its host.
func uneven(n int) []int { return spread(n, func(rank int) int { return min(rank, 1) }) }

func spread(n int, host func(rank int) int) []int {
	hosts := make([]int, n)
	for rank := range hosts {
		hosts[rank] = host(rank)
	}
	return hosts
}

// TestConformance runs the rules of the wire, and those about any source and whole hosts, with
// ranks that are processes on two hosts.
func TestConformance(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: overTCP, Ranks: devicetest.Processes, Hosts: halves, Largest: true,
		Only: append([]string{"probe among many", "self messages", "a stream does not starve others", "death before any source",
			"death of many in a new context", "death of a host", "death beside a ping-pong"}, devicetest.WireRules...)})
}

// mixed are the rules in which it matters which peer is reached by which wire.
var mixed = []string{
	"no overtaking", "order of many senders", "every size", "allocated buffers", "all to all", "random traffic",
	"close delivers", "a rank closes early", "packets beside a ping-pong", "a transfer beside a ping-pong",
	"death of a sender", "death before any source", "death of a receiver of much", "death in large transfers", "death of the first rank",
}

// TestDistributions runs them with other distributions of ranks over hosts.
func TestDistributions(t *testing.T) {
	for name, hosts := range map[string]func(int) []int{"turns": turns, "uneven": uneven} {
		t.Run(name, func(t *testing.T) {
			devicetest.Run(t, devicetest.Subject{Driver: overTCP, Ranks: devicetest.Processes, Hosts: hosts, Only: mixed, Largest: true})
		})
	}
}

// TestGoroutines runs these rules with ranks that are goroutines of one process, which counts as
// two hosts. Those of dead ranks need processes.
func TestGoroutines(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: overTCP, Hosts: turns, Only: mixed, Largest: true})
}

// TestThreads runs these rules with ranks that are goroutines of several processes: messages inside
// a process go through memory, and those between processes over the network.
func TestThreads(t *testing.T) {
	devicetest.Run(t, devicetest.Subject{Driver: overTCP, Ranks: devicetest.Processes, Threads: 2, Only: mixed, Largest: true})
}
