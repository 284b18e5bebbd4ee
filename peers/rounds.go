package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// runRounds runs all programs in random order, round by round. A program that fails
// twice in a round is left out of it, within limits (patience).
func runRounds(ctx context.Context, s settings, cores *pair, programs []program, all *results, log *records, progress io.Writer) error {
	random := rand.New(rand.NewPCG(s.seed, 0))
	bears := newPatience(s.rounds, progress)
	for round := 1; round <= s.rounds; round++ {
		start := time.Now()
		runs := 0
		for _, i := range random.Perm(len(programs)) {
			n, err := runProgram(ctx, s, cores, programs[i], round, all, log)
			runs += n
			if err := bears.with(ctx, programs[i].name+" over "+programs[i].group, round, err); err != nil {
				return err
			}
		}
		fmt.Fprintf(progress, "round %d of %d: %d runs, %.0f s\n", round, s.rounds, runs, time.Since(start).Seconds())
	}
	return nil
}

// runProgram runs one program until each of its sizes has one point with a near
// pair, or the attempts are used up. It returns the number of runs.
func runProgram(ctx context.Context, s settings, cores *pair, p program, round int, all *results, log *records) (int, error) {
	missing := p.sizes
	failed := false
	attempt := 1
	for ; attempt <= s.attempts && len(missing) > 0; attempt++ {
		chosen, err := cores.pick(ctx)
		if err != nil {
			return attempt, err
		}
		points, err := p.run(ctx, chosen, missing)
		if err != nil {
			if failed || stopped(ctx) {
				return attempt, err
			}
			failed = true
			continue
		}
		for _, x := range points {
			cores.saw(x.before)
			cores.saw(x.after)
			all.add(p, round, x)
			log.point(p, round, attempt, chosen, x, cores.near(x))
		}
		missing = all.missing(p, round)
	}
	return attempt - 1, nil
}
