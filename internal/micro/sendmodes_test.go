package micro_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"gobench/bench"
	"gobench/comm"
	"gobench/device"
	"gobench/internal/device/decorator"
	"gobench/internal/micro"
)

// modes lists the benchmarks of messages that need a communicator and one thread.
func modes() []bench.Benchmark {
	return slices.DeleteFunc(micro.All(), func(b bench.Benchmark) bool { return !b.Communicator || b.Windows || b.Turns != nil })
}

// They run with short, long and no messages, in one part, in more parts than bytes, and with
// several copies of the buffers.
func TestSendModes(t *testing.T) {
	for _, transport := range []string{"smem", "tcp"} {
		t.Run(transport, func(t *testing.T) { measuredInModes(t, transport) })
	}
}

func measuredInModes(t *testing.T, transport string) {
	var cases []bench.Case
	for _, b := range modes() {
		for _, size := range []int{0, 3, 100_000} {
			cases = append(cases, bench.Case{Bench: b, Size: size, Window: 8}, bench.Case{Bench: b, Size: size, Window: 1, Buffers: 2})
		}
	}
	measured(t, transport, 4, cases)
}

// measured runs cases over a transport and checks what their points say about them.
func measured(t *testing.T, transport string, ranks int, cases []bench.Case) {
	t.Helper()
	errs, found := runWindows(t, transport, ranks, cases, func(_ int, d device.Device, _ *bool) device.Device { return d })
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	cells := found.Cells()
	if len(cells) != len(cases) {
		t.Fatalf("points of %d cells for %d", len(cells), len(cases))
	}
	for i, points := range cells {
		c := cases[i]
		window, amount := 0, int64(c.Size*c.Bench.Amount(ranks, c.Window))
		if c.Bench.Window {
			window = c.Window
		}
		if c.Bench.Turns == nil {
			amount *= int64(max(1, c.Threads))
		}
		for _, p := range points {
			if err := p.Validate(); err != nil {
				t.Error(err)
			}
			if p.Window != window || p.Threads != c.Threads || p.Amount != amount || p.Size > 0 && p.Checked == 0 {
				t.Errorf("%s of %d B, window %d, %d threads: recorded window %d, %d threads, amount %d instead of %d, %d checked",
					p.Bench, p.Size, window, c.Threads, p.Window, p.Threads, p.Amount, amount, p.Checked)
			}
		}
	}
}

// They fail if a byte of a message or of a part is wrong, on either rank.
func TestSendModesDetectAWrongByte(t *testing.T) {
	for _, b := range modes() {
		for spoiled := range 2 {
			for _, every := range []int{1, 7} {
				t.Run(fmt.Sprintf("%s/rank %d/every %d", b.Name, spoiled, every), func(t *testing.T) {
					errs, found := runWindows(t, "smem", 2, []bench.Case{{Bench: b, Size: 1000, Window: 4}}, func(rank int, d device.Device, ready *bool) device.Device {
						data := func(context int32) bool {
							of := context == comm.FirstContext
							if b.Name == "inter" { // behind world, its control, bridge, split and duplicate
								of = context == comm.FirstContext+10
							}
							return *ready && rank == spoiled && of
						}
						return decorator.CorruptIn(data, d, every, new(decorator.Tally))
					})
					notices(t, errs, found)
				})
			}
		}
	}
}
