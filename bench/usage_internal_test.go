package bench

import (
	"testing"

	"gobench/device"
	"gobench/internal/bench/clock"
	"gobench/internal/launch/host"
	"gobench/record"
)

// process is a channel of a rank of 2, a process.
type process struct{ pair }

func (process) Info() device.Info { return device.Info{Ranks: "process"} }

// goroutine is one of a rank that shares its process.
type goroutine struct{ pair }

func (goroutine) Info() device.Info { return device.Info{Ranks: "goroutine"} }

// One rank of each process collects garbage, whatever the channel says.
func TestOneRankOfAProcessCollects(t *testing.T) {
	for _, c := range []struct {
		perProcess, rank   int
		process, goroutine bool // it collects, over such a channel
	}{{0, 1, true, false}, {1, 1, true, false}, {2, 1, false, false}, {2, 2, true, true}} {
		of, plan := pair{rank: c.rank}, Plan{PerProcess: c.perProcess}
		a, b := &rank{ch: process{of}, plan: plan}, &rank{ch: goroutine{of}, plan: plan}
		if a.collects() != c.process || b.collects() != c.goroutine {
			t.Errorf("%+v: process %t, goroutine %t", c, a.collects(), b.collects())
		}
	}
}

// Interrupts are read at the end of the blocks whose usage counts: before or between blocks, a rank
// that is late makes the others wait in the measured events.
func TestInterruptsAreReadBehindTheBlocks(t *testing.T) {
	const before = 1 << 40
	r := &rank{
		ch: process{}, plan: Plan{Cores: []int{0, 0}}, now: clock.Now, timed: newTimed(clock.Now),
		op: &rotation{units: []unit{{op: &counted{}}}}, interrupts: host.Interrupts(0) - before,
	}
	for _, c := range []struct {
		phases  [phases]Op
		events  int64
		longest bool // those since the begin
	}{{events: 1, longest: true}, {events: 1}, {phases: [phases]Op{r.op, r.op, r.op}}} {
		r.phases = c.phases
		for range 2 {
			if err := r.spent(command{Samples: 1, Batch: 1}); err != nil {
				t.Fatal(err)
			}
			if r.used.Interrupts != 0 || r.used.Events != c.events {
				t.Errorf("%+v: %d interrupts after a block of %d events", c, r.used.Interrupts, r.used.Events)
			}
		}
		if got := r.served(); got < 0 || got >= 2*before || c.longest != (got >= before) || c.events == 0 && got != 0 {
			t.Errorf("%+v: %d interrupts", c, got)
		}
	}
}

// Cycles of a rank that cannot count instructions are left out.
func TestCyclesOfRanksThatCountBoth(t *testing.T) {
	var sum usage
	sum.add(usage{Events: 2, Elapsed: 1, Cycles: 600})
	sum.add(usage{Events: 2, Elapsed: 1, Cycles: 200, Instructions: 100, Counted: 2})
	var p record.Point
	sum.record(&p)
	if p.Cycles != 100 || p.Instructions != 50 {
		t.Errorf("%g cycles and %g instructions of an event, want 100 and 50", p.Cycles, p.Instructions)
	}
	// Without a tick of the kernel's clock the processor time is 0, and known.
	if v, ok := p.Metrics.Lookup("processor_s"); !ok || v.Median != 0 || v.N != 4 {
		t.Errorf("processor_s is %+v, known: %t", v, ok)
	}
}
