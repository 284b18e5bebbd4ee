package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// runRounds runs all programs round by round: gobench first, whose numbers of samples the others
// use, then the others in random order. Failed runs are handled by retries. It returns an error
// only if the user stops the comparison.
func runRounds(ctx context.Context, s settings, cores *pair, programs []program, all *results, retries *retryPolicy, log *records, progress io.Writer) error {
	random := rand.New(rand.NewPCG(s.seed, 0))
	for _, p := range programs {
		retries.needs(p.String(), p.needs)
	}
	for round := 1; round <= s.rounds; round++ {
		start := time.Now()
		runs := 0
		for _, i := range first(random.Perm(len(programs)), func(i int) bool { return programs[i].role == subject }) {
			p := programs[i]
			if retries.out[p.String()] != nil {
				continue
			}
			n, err := runProgram(ctx, s, cores, p, round, all, retries, log)
			runs += n
			if err := retries.note(ctx, p.String(), round, err); err != nil {
				return err
			}
		}
		fmt.Fprintf(progress, "round %d of %d: %d runs, %.0f s\n", round, s.rounds, runs, time.Since(start).Seconds())
	}
	return nil
}

// runProgram runs one program until each of its sizes has a valid point or the attempts are used
// up. It returns the number of runs.
func runProgram(ctx context.Context, s settings, cores *pair, p program, round int, all *results, retries *retryPolicy, log *records) (int, error) {
	missing := p.sizes
	attempt := 1
	for ; attempt <= s.attempts && len(missing) > 0; attempt++ {
		var chosen [2]int
		var points []point
		err := retries.run(ctx, p.String(), round, func() (err error) {
			if chosen, err = cores.pick(ctx); err == nil {
				points, err = p.run(ctx, chosen, missing)
			}
			if err == nil && len(points) == 0 {
				err = errors.New("it ended without a result")
			}
			return err
		})
		if err != nil {
			return attempt, err
		}
		for _, x := range points {
			cores.updateFloor(x.before)
			cores.updateFloor(x.after)
			all.add(p, round, x)
			log.point(p, round, attempt, chosen, x, cores.near(x))
		}
		missing = all.missing(p, round)
	}
	return attempt - 1, nil
}
