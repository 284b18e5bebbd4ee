package application

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"slices"

	"gobench/comm"
	"gobench/comm/op"
	"gobench/internal/launch/host"
	"gobench/record"
)

// Measured is the result of the runs of a program. Seconds and Rates are the same on all ranks, the
// other fields are valid on rank 0 only.
type Measured struct {
	Seconds  []float64            // of each run
	Rates    []float64            // of each run: millions of operations per second, of all copies together
	Others   map[string][]float64 // other metrics of each run, by key; rates, of which more is better
	Last     Outcome              // of the last run
	Split    Split                // of the run with the median time
	Waited   Split                // of the same run, on several hosts: for ranks "inside" the host and "between" hosts
	Facts    map[string]any       // of the same run
	Traffic  Messages             // of the last run
	used     host.Usage           // of all runs and ranks, each with its whole process; zero if that is one process
	Warnings []string             // about the validity of the numbers
}

// Repeat makes an instance of p on r and runs it the given number of times. world is the
// communicator of all ranks. r.Comm has either all of them, or one: then each rank runs an
// independent copy. after, if not nil, is called after each run with its number from 1. The garbage
// collector is off during the runs.
//
// With runs = 0 short programs are repeated, an odd number of times, until the runs take
// RepeatTime, so that a launch does not measure only one moment of the machine.
//
// A run with a wrong result ends with a *VerificationError on all ranks.
func Repeat(world *comm.Comm, r *Rank, p Program, runs int, after func(run int, o Outcome)) (Measured, error) {
	var m Measured
	crowd, err := crowding(world, r.Team)
	if err != nil {
		return m, err
	}
	if r.Shared = crowd != ""; r.Shared {
		m.Warnings = append(m.Warnings, record.Oversubscribed+crowd)
	}
	debug.FreeOSMemory() // memory of the program before
	instance, err := p.New(r)
	if err != nil {
		return m, err
	}
	debug.FreeOSMemory()                        // memory of the setup
	if err := comm.Barrier(world); err != nil { // ranks of one process share a collector
		return m, err
	}
	defer host.SuspendGC(room(world.Size()))()
	copies := world.Size() / r.Comm.Size()
	var splits, waits []Split
	var facts []map[string]any
	for run := 0; run == 0 || run < runs; run++ {
		runtime.GC()                                // memory of the checks after the run before
		if err := comm.Barrier(world); err != nil { // copies start together
			return m, err
		}
		r.progress.Store(0)
		o, err := instance.Run()
		if err != nil {
			return m, err
		}
		slowest, rate, wrong, err := agree(world, o, p.Operations, copies)
		if err != nil {
			return m, err
		}
		if wrong {
			if after != nil {
				after(run+1, o)
			}
			o.Wrong = cmp.Or(o.Wrong, "another copy of the program is wrong")
			return m, &VerificationError{p.Name, r.Comm.Size(), o.Wrong}
		}
		o.Seconds = slowest
		if r.probes != nil {
			r.probes.expected = slowest
		}
		if run == 0 && runs == 0 { // slowest is the same on all ranks
			runs = int(max(1, min(maxRuns, RepeatTime/slowest)))
			runs -= 1 - runs%2 // the median of an odd number is the time of a run
		}
		split, err := gatherSplit(world, &r.Timers)
		if err != nil {
			return m, err
		}
		waited, err := gatherWaits(world, r.waits, r.apart)
		if err != nil {
			return m, err
		}
		m.Last, m.Seconds, m.Rates = o, append(m.Seconds, slowest), append(m.Rates, rate)
		for key, v := range o.Metrics {
			if m.Others == nil {
				m.Others = map[string][]float64{}
			}
			m.Others[key] = append(m.Others[key], v)
		}
		splits, waits, facts = append(splits, split), append(waits, waited), append(facts, o.Facts)
		if after != nil {
			after(run+1, o)
		}
	}
	typical := middle(m.Seconds)
	m.Split, m.Waited, m.Facts = splits[typical], waits[typical], facts[typical]
	if m.used, err = sumUsage(world, r.used); err != nil {
		return m, err
	}
	if copies == 1 {
		m.Traffic, err = gatherMessages(world, &r.Profile)
	}
	return m, err
}

// Limits of the number of runs where the caller leaves it open.
const (
	RepeatTime = 0.2 // seconds of all runs together
	maxRuns    = 49
)

// room returns the memory limit of this process while garbage is not collected, in bytes: the
// memory in use plus its share of half of the memory that is available.
func room(ranks int) int64 {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.Sys-now.HeapReleased) + host.AvailableMemory()/2/int64(ranks)
}

// agree returns the longest time of a copy, the sum of the rates of all copies, and whether any of
// them is wrong.
func agree(world *comm.Comm, o Outcome, operations float64, copies int) (slowest, rate float64, wrong bool, err error) {
	worst := [2]float64{o.Seconds}
	if o.Wrong != "" {
		worst[1] = 1
	}
	if err := comm.Allreduce(world, nil, worst[:], op.Max[float64]()); err != nil {
		return 0, 0, false, err
	}
	sum := [1]float64{operations / o.Seconds * float64(copies) / float64(world.Size())}
	if err := comm.Allreduce(world, nil, sum[:], op.Sum[float64]()); err != nil {
		return 0, 0, false, err
	}
	return worst[0], sum[0], worst[1] != 0, nil
}

// middle returns the index of the median.
func middle(times []float64) int {
	sorted := slices.Sorted(slices.Values(times))
	return slices.Index(times, sorted[(len(sorted)-1)/2])
}
