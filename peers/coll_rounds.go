package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// collAttempts bounds the runs of one program in one round until one is in the state in which its
// transport is compared.
const collAttempts = 3

// runColl runs all programs round by round with a rank on each core: gobench first, whose numbers
// of samples the others use, then the others in random order. Failed runs are handled by retries.
// It returns an error only if the user stops the comparison.
func runColl(ctx context.Context, s settings, cores *pair, programs []collProgram, all *collResults, retries *retryPolicy, log *records, progress io.Writer) error {
	random := rand.New(rand.NewPCG(s.seed, 1))
	for _, p := range programs {
		retries.needs(p.String(), p.needs)
	}
	for round := 1; round <= s.rounds; round++ {
		start := time.Now()
		for _, i := range first(random.Perm(len(programs)), func(i int) bool { return programs[i].subject }) {
			p := programs[i]
			if retries.out[p.String()] != nil {
				continue
			}
			err := runCollProgram(ctx, cores, cores.all, p, round, all, retries, log)
			if err := retries.note(ctx, p.String(), round, err); err != nil {
				return err
			}
		}
		fmt.Fprintf(progress, "collectives, round %d of %d: %.0f s\n", round, s.rounds, time.Since(start).Seconds())
	}
	return nil
}

// runCollProgram runs one program until one of its runs is valid or collAttempts is reached.
func runCollProgram(ctx context.Context, cores *pair, chosen []int, p collProgram, round int, all *collResults, retries *retryPolicy, log *records) error {
	for attempt := 1; attempt <= collAttempts; attempt++ {
		var before, after float64
		var points []collPoint
		err := retries.run(ctx, p.String(), round, func() (err error) {
			if before, err = cores.await(ctx, chosen); err != nil {
				return err
			}
			if points, err = p.run(ctx, chosen); err == nil {
				err = complete(points)
			}
			if err == nil {
				after, err = cores.farthest(ctx, chosen)
			}
			return err
		})
		if err != nil {
			return err
		}
		state := all.add(p, round, before, after, points)
		for _, x := range points {
			log.coll(p, round, attempt, chosen, before, after, state, x)
		}
		if state == all.state(p.group) {
			return nil
		}
	}
	return nil
}
