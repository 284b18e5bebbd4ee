package micro

import (
	"slices"
	"strings"

	"gobench/bench"
	"gobench/device"
)

// All returns every benchmark, in the order in which they are shown.
func All() []bench.Benchmark {
	return append([]bench.Benchmark{
		PingPong(), PingPing(), Sendrecv(), Exchange(), Uniband(), Biband(), MsgRate(), FanIn(), FanOut(),
		Strided(), Indexed(), Ints(), Doubles(), Structs(), Gob(),
		OverlapSend(), OverlapRecv(), OverlapBoth(),
		Expected(), Unexpected(), Probed(), AnySource(), Synchronous(), Buffered(), Persistent(), Partitioned(), PostedQueue(), UnexpectedQueue(),
		PutLat(), PutBw(), GetLat(), GetBw(), FaddLat(), FaddBw(), CswapLat(), CswapBw(),
	}, windows()...)
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
