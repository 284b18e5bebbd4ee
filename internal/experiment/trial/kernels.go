package trial

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"gobench/bench/team"
	"gobench/comm"
	"gobench/device"
	"gobench/device/profile"
	"gobench/experiment"
	"gobench/internal/simd"
	"gobench/kernels/application"
	"gobench/kernels/fdtd"
	"gobench/kernels/npb"
	npball "gobench/kernels/npb/all"
	"gobench/kernels/npb/cg"
	"gobench/launch"
)

// A load makes a run of a part of the vector loops as the programs do it, with the candidates that
// are in force.
type load func(r *application.Rank) (run func() error, err error)

// loads lists the loads with the parts of simd.Set that they choose. Programs run their smallest
// class, in which these parts take most of the time. Parts with gathers and prefetches are chosen
// for each bound of the size of data, with data of the classes S and W and beyond the caches. They
// come early, because their candidates differ most.
var loads = []struct {
	parts []string
	load  load
}{
	{[]string{"reductions"}, sums},
	{[]string{"solver"}, sparse(npb.A.Times(2, 1), 1)},
	{[]string{"solver to 8M"}, sparse(npb.W, 4)},
	{[]string{"solver to 1M"}, sparse(npb.S, 24)},
	{[]string{"tally"}, keys(1<<23, 1)},
	{[]string{"tally to 8M"}, keys(1<<20, 2)},
	{[]string{"tally to 1M"}, keys(1<<16, 24)},
	{[]string{"grid"}, class("mg")},
	{[]string{"polar"}, polar},
	{[]string{"partition"}, class("is")},
	{[]string{"yee"}, field},
	{[]string{"relax"}, class("lu")},
	{[]string{"flow", "transposer", "penta"}, class("sp")},
	{[]string{"fourier"}, class("ft")},
	{[]string{"blocks"}, class("bt")},
}

// Rounds of a trial of vector loops. The longest take some 30 ms.
const (
	minRounds = 4
	maxRounds = 24
)

// kernels chooses the candidates of the parts of each load, one after the other.
func kernels(ctx context.Context, end time.Time) ([]profile.Choice, error) {
	var choices []profile.Choice
	driver, err := device.Lookup("smem")
	if err != nil {
		return nil, err
	}
	err = launch.Goroutines(ctx, 1, func(ctx context.Context, job device.Job) error {
		return comm.Run(ctx, driver, job, comm.Options{}, func(world *comm.Comm) error {
			team, err := team.New(1, nil)
			if err != nil {
				return err
			}
			defer team.Close()
			r := application.NewRank(ctx, world, team)
			picks := map[string]string{}
			pick := func(parts []string, candidate string, spread float64) {
				for _, part := range parts {
					picks[part] = candidate
					choices = append(choices, profile.Choice{Routine: experiment.VectorRoutine(part), Pick: candidate, Spread: spread})
				}
			}
			for i, one := range loads {
				settled := true
				for _, part := range one.parts {
					picks[part] = profile.InForce().Settled(experiment.VectorRoutine(part))
					settled = settled && picks[part] != ""
				}
				names := simd.Candidates(one.parts...)
				if settled || len(names) == 1 {
					continue
				}
				if time.Now().After(end) {
					pick(one.parts, names[0], profile.Untried)
					continue
				}
				var runs []func() error
				for _, name := range names {
					for _, part := range one.parts {
						picks[part] = name
					}
					simd.Choose(func(part string) string { return picks[part] })
					run, err := one.load(r)
					if err != nil {
						return err
					}
					if err := run(); err != nil { // finds memory and caches
						return err
					}
					runs = append(runs, run)
				}
				now := time.Now()
				share := end.Sub(now) / time.Duration(len(loads)-i)
				best, spread, err := profile.Trial{
					Names: names, Run: func(candidate int) (time.Duration, error) { return processorTime(runs[candidate]) },
					More: profile.Rounds(minRounds, maxRounds, now.Add(share), end, time.Now),
				}.Try()
				if err != nil {
					return err
				}
				pick(one.parts, names[best], spread)
			}
			return nil
		})
	})
	return choices, err
}

// class returns the load of class S of a kernel.
func class(name string) load {
	return func(r *application.Rank) (func() error, error) {
		kernel, err := npball.Lookup(name)
		if err != nil {
			return nil, err
		}
		instance, err := kernel.Make(r, npb.S)
		if err != nil {
			return nil, err
		}
		return func() error {
			_, err := instance.Run()
			return err
		}, nil
	}
}

// field is the load of the equations of Maxwell, on a grid that lies in a cache.
func field(r *application.Rank) (func() error, error) {
	p := fdtd.Sizes()[0].Problem
	p.Steps = 10
	instance, err := p.Program(fdtd.Options{Precision: "single"}).New(r)
	if err != nil {
		return nil, err
	}
	return func() error {
		_, err := instance.Run()
		return err
	}, nil
}

// repeated returns a run that calls f a number of times.
func repeated(times int, f func()) func() error {
	return func() error {
		for range times {
			f()
		}
		return nil
	}
}

// processorTime returns the time that a run takes of the processor: other programs that share the
// core do not count.
func processorTime(run func() error) (time.Duration, error) {
	begin, err := processorClock()
	if err != nil {
		return 0, err
	}
	if err := run(); err != nil {
		return 0, err
	}
	end, err := processorClock()
	return end - begin, err
}

func processorClock() (time.Duration, error) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t)
	return time.Duration(t.Nano()), err
}

// sums is the load of reductions: a message of 64 KiB.
func sums(*application.Rank) (func() error, error) {
	const size = 64 << 10
	dst, a, b := make([]byte, size), make([]byte, size), make([]byte, size)
	set := simd.Best()
	return repeated(10, func() {
		set.Float64.Sum(dst, a, b)
		set.Float32.Max(dst, a, b)
		set.Int32.Sum(dst, a, b)
	}), nil
}

// sparse is the load of package cg. All candidates have the same matrix: with one of its own, a
// candidate that runs twice in a row would find it in a cache, and the others not.
func sparse(class npb.Class, times int) load {
	steps := cg.Steps(class)
	return func(r *application.Rank) (func() error, error) { return repeated(times, steps(r.Team)), nil }
}

// keys is the load of package is: it counts keys, sums of four numbers, which have a 16th of their
// number as values. All candidates have the same, as those of sparse.
func keys(n, times int) load {
	data := sync.OnceValue(func() []int32 {
		keys, state := application.Array[int32](n), uint64(1)
		for i := range keys {
			state = state*6364136223846793005 + 1442695040888963407
			sum := state>>48 + state>>32&0xffff + state>>16&0xffff + state&0xffff
			keys[i] = int32(sum * uint64(n/16) >> 18)
		}
		return keys
	})
	return func(*application.Rank) (func() error, error) {
		keys, counts := data(), application.Array[uint32](n/16)
		tally := simd.BestFor(4 * n).Tally
		return repeated(times, func() { tally(counts, keys, 0) }), nil
	}
}

// polar is the load of package ep.
func polar(*application.Rank) (func() error, error) {
	var found simd.PolarSums
	x, y := make([]float64, 4<<10), make([]float64, 4<<10)
	state := uint64(271828183)
	for i := range x {
		for _, v := range []*float64{&x[i], &y[i]} {
			state = state*6364136223846793005 + 1442695040888963407
			*v = float64(state>>11)/(1<<53)*2 - 1
		}
	}
	set := simd.Best()
	return repeated(5, func() { set.Polar(x, y, &found) }), nil
}
