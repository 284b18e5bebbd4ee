package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// nearFactor is the multiple of the lowest distance seen up to which a pair counts as near.
// Distances of near pairs vary by up to three, including the differences between programs; those of
// far pairs start at about five times the lowest.
const nearFactor = 4

// A pair chooses the two nearest cores.
type pair struct {
	program string  // the C program line
	all     []int   // cores that may be used
	floor   float64 // smallest distance seen so far, seconds
}

func newPair(ctx context.Context, folder string) (*pair, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, fmt.Errorf("cannot read the allowed cores: %w", err)
	}
	p := &pair{program: filepath.Join(folder, "line")}
	for core := 0; core < len(set)*64 && len(p.all) < 8; core++ {
		if set.IsSet(core) {
			p.all = append(p.all, core)
		}
	}
	if len(p.all) < 2 {
		return nil, errors.New("a comparison needs two cores, and only one may be used here")
	}
	// The state changes within seconds, so this measures for longer than one state lasts. A scan
	// that fails on a busy machine is not repeated.
	var failed error
	for range 20 {
		if _, _, err := p.scan(ctx); err != nil {
			failed = err
		}
		if stopped(ctx) {
			return nil, ctx.Err()
		}
		time.Sleep(50 * time.Millisecond)
	}
	if p.floor == 0 {
		return nil, cmp.Or(failed, errors.New("no distance of two cores could be measured"))
	}
	return p, nil
}

// scan measures every pair of cores and returns the nearest.
func (p *pair) scan(ctx context.Context) (cores [2]int, distance float64, err error) {
	all, err := distances(ctx, p.program, p.all)
	if err != nil {
		return cores, 0, err
	}
	nearest := slices.MinFunc(all, func(a, b coreDistance) int { return cmp.Compare(a.distance, b.distance) })
	p.updateFloor(nearest.distance)
	return nearest.cores, nearest.distance, nil
}

// updateFloor lowers the floor to a distance. Distances below 5 ns are clock errors.
func (p *pair) updateFloor(distance float64) {
	if distance > 5e-9 && (p.floor == 0 || distance < p.floor) {
		p.floor = distance
	}
}

// near reports whether the pair was near before and after the point.
func (p *pair) near(x point) bool {
	limit := nearFactor * p.floor
	return x.before > 0 && x.after > 0 && x.before <= limit && x.after <= limit
}

// pick waits up to two seconds until a pair is near, and returns the nearest pair of the last scan.
func (p *pair) pick(ctx context.Context) ([2]int, error) {
	for i := 0; ; i++ {
		cores, distance, err := p.scan(ctx)
		if err != nil || distance <= nearFactor*p.floor || i == 20 {
			return cores, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}
