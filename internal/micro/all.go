package micro

import (
	"slices"
	"strings"

	"gobench/bench"
	"gobench/device"
)

// All returns every benchmark, in the order in which they are shown.
func All() []bench.Benchmark {
	return slices.Concat([]bench.Benchmark{
		PingPong(), pingPongTurns(), PingPing(), Sendrecv(), Exchange(), Uniband(), Biband(), MsgRate(), FanIn(), FanInSome(), FanOut(),
	}, payloads(), []bench.Benchmark{OverlapSend(), OverlapRecv(), OverlapBoth()}, matchings(), remotes(), windows())
}

// Lookup returns a benchmark by name or alias, ignoring case. If there is none, it returns a
// *device.UnknownError with the known names.
func Lookup(name string) (bench.Benchmark, error) {
	var names []string
	for _, b := range All() {
		if strings.EqualFold(name, b.Name) || slices.ContainsFunc(b.Aliases, func(a string) bool { return strings.EqualFold(name, a) }) {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return bench.Benchmark{}, &device.UnknownError{What: "benchmark", Name: name, Known: names}
}

// tag is the tag of all messages; the streams of a benchmark are distinguished by order, as level
// raw requires.
const tag int32 = 1

// always returns the traffic of a benchmark for any number of ranks.
func always(t device.Traffic) func(int) device.Traffic {
	return func(int) device.Traffic { return t }
}

func all(rank, ranks int) bool   { return true }
func first(rank, ranks int) bool { return rank < ranks/2 }

// partner returns the partner of a rank in pairs i, i + n/2.
func partner(rank, ranks int) int { return (rank + ranks/2) % ranks }

// neighbours returns the neighbours of a rank in the ring.
func neighbours(rank, ranks int) (left, right int) {
	return (rank + ranks - 1) % ranks, (rank + 1) % ranks
}
