package application

import (
	"runtime"
	"runtime/debug"
	"slices"

	"gobench/bench/record"
	"gobench/comm"
	"gobench/comm/op"
	"gobench/launch/host"
)

// Measured is what the runs of a program gave. Times are of all ranks, the rest
// means something on rank 0 alone.
type Measured struct {
	Seconds []float64 // of each run
	Rates   []float64 // of each run: millions of operations per second, of all copies together
	Last    Outcome   // of the last run
	Split   Split     // of the run of median time
	Traffic Messages  // of the last run
	// Warnings are what a reader of the numbers must know.
	Warnings []string
}

// Repeat makes an instance of p on r and runs it so many times. copies are ranks
// that each run a copy of their own (r.Comm then has one rank), and world is the
// communicator of all; r is over world itself where there are none. after is called
// after each run with its number from 1. While runs last nothing collects garbage.
//
// The error is a *VerificationError if a run was wrong, on all ranks.
//
// With runs = 0 it is run as often as there is time for: short runs are repeated, so that a launch
// does not see one moment of the machine alone.
func Repeat(world *comm.Comm, r *Rank, p Program, runs int, after func(run int, o Outcome)) (Measured, error) {
	var m Measured
	crowd, err := crowding(world, r.Team)
	if err != nil {
		return m, err
	}
	if r.Shared = crowd != ""; r.Shared {
		m.Warnings = append(m.Warnings, record.Oversubscribed+crowd)
	}
	debug.FreeOSMemory() // what a program before has left
	instance, err := p.New(r)
	if err != nil {
		return m, err
	}
	debug.FreeOSMemory()                        // what the setup alone needed
	if err := comm.Barrier(world); err != nil { // ranks of one process share a collector
		return m, err
	}
	defer host.SuspendGC(room(world.Size()))()
	copies := world.Size() / r.Comm.Size()
	var splits []Split
	for run := 0; run == 0 || run < runs; run++ {
		runtime.GC()                                // what the checks of the run before have left
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
			if o.Wrong == "" {
				o.Wrong = "another copy of the program is wrong"
			}
			return m, &VerificationError{p.Name, r.Comm.Size(), o.Wrong}
		}
		o.Seconds = slowest
		if run == 0 && runs == 0 { // slowest is the same on all ranks
			runs = int(max(1, min(mostRuns, repeatTime/slowest)))
		}
		split, err := gatherSplit(world, &r.Timers)
		if err != nil {
			return m, err
		}
		m.Last, m.Seconds, m.Rates = o, append(m.Seconds, slowest), append(m.Rates, rate)
		splits = append(splits, split)
		if after != nil {
			after(run+1, o)
		}
	}
	m.Split = splits[middle(m.Seconds)]
	if copies == 1 {
		m.Traffic, err = gatherMessages(world, &r.Profile)
	}
	return m, err
}

// Runs of a launch where nobody says how many: as many as take repeatTime seconds.
const (
	repeatTime = 0.2
	mostRuns   = 50
)

// room is what this process may come to hold while garbage is not collected: what it
// holds, and its share of half of what is left.
func room(ranks int) int64 {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.Sys-now.HeapReleased) + host.AvailableMemory()/2/int64(ranks)
}

// agree finds the longest time of a copy, the sum of their rates, and whether any is
// wrong.
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

// middle is the index of the median.
func middle(times []float64) int {
	sorted := slices.Sorted(slices.Values(times))
	return slices.Index(times, sorted[(len(sorted)-1)/2])
}
