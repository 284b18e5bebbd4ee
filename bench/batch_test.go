package bench

import (
	"testing"

	"gobench/device"
)

// informed is a channel with a given Info.Quick.
type informed struct {
	device.Channel
	quick bool
}

func (c informed) Info() device.Info { return device.Info{Quick: c.quick} }

// The number of events timed together depends on the kind of benchmark, the size and the kind of
// transport only.
func TestBatchOfACell(t *testing.T) {
	const small, medium = 16, 4
	skew := Skew{SkewLate, 100}
	loop, stream := Benchmark{}, Benchmark{Window: true}
	operation := Benchmark{Collective: &Collective{}}
	rooted, chained := Benchmark{Collective: &Collective{Rooted: true}}, Benchmark{Collective: &Collective{Chained: true}}
	for _, c := range []struct {
		what  string
		bench Benchmark
		size  int
		quick bool
		plan  Plan
		want  int
	}{
		{"a message of no bytes", loop, 0, true, Plan{}, small},
		{"the largest small one", loop, 1 << 10, true, Plan{}, small},
		{"the least medium one", loop, 1<<10 + 1, true, Plan{}, medium},
		{"the largest medium one", loop, 8 << 10, true, Plan{}, medium},
		{"the least large one", loop, 8<<10 + 1, true, Plan{}, 1},
		{"over a network", loop, 0, false, Plan{}, 1},
		{"many messages at once", stream, 0, true, Plan{}, 1},
		{"an operation", operation, 0, true, Plan{}, 1},
		{"a rooted operation", rooted, 0, true, Plan{}, 1},
		{"a chained operation", chained, 0, true, Plan{}, small},
		{"a chained operation over a network", chained, 0, false, Plan{}, 1},
		{"operations in a row", operation, 1000, true, Plan{Start: StartNone}, small},
		{"rooted operations in a row", rooted, 2000, true, Plan{Start: StartNone}, medium},
		{"operations in a row over a network", operation, 0, false, Plan{Start: StartNone}, 1},
		{"operations behind a barrier", operation, 0, true, Plan{Start: StartBarrier}, 1},
		{"as asked for", operation, 1 << 20, false, Plan{Batch: 8}, 8},
		{"one as asked for", loop, 0, true, Plan{Batch: 1}, 1},
		{"late ranks", chained, 0, true, Plan{Skew: skew}, 1},
		{"late ranks in a row", operation, 0, true, Plan{Start: StartNone, Skew: skew}, 1},
	} {
		for _, algorithm := range []string{"", "ring", "shared"} { // the number does not depend on it
			b := c.bench
			if b.Collective != nil {
				op := *b.Collective
				op.Algorithm, op.Shared = algorithm, algorithm == "shared"
				b.Collective = &op
			}
			conductor := &conductor{rank: &rank{ch: informed{quick: c.quick}, plan: c.plan, current: Case{Bench: b, Size: c.size}}}
			if got := conductor.batch(); got != c.want {
				t.Errorf("%s (algorithm %q): batches of %d, want %d", c.what, algorithm, got, c.want)
			}
		}
	}
}
