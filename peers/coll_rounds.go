package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// collAttempts bounds the runs of one program in one round, until one is in the
// state in which its transport is compared so far.
const collAttempts = 3

// runColl runs all programs in random order, round by round. A program that fails
// whenever it is tried in a round is left out of it, within limits (patience).
func runColl(ctx context.Context, s settings, cores *pair, programs []collProgram, all *collResults, log *records, progress io.Writer) error {
	if len(cores.all) < collRanks {
		return fmt.Errorf("collectives of %d ranks want a core for each, and %d may be used here", collRanks, len(cores.all))
	}
	chosen := cores.all[:collRanks]
	random := rand.New(rand.NewPCG(s.seed, 1))
	bears := newPatience(s.rounds, progress)
	for round := 1; round <= s.rounds; round++ {
		start := time.Now()
		for _, i := range random.Perm(len(programs)) {
			err := runCollProgram(ctx, cores, chosen, programs[i], round, all, log)
			if err := bears.with(ctx, fmt.Sprintf("collectives of %s over %s", programs[i].name, programs[i].group), round, err); err != nil {
				return err
			}
		}
		fmt.Fprintf(progress, "collectives, round %d of %d: %.0f s\n", round, s.rounds, time.Since(start).Seconds())
	}
	return nil
}

// runCollProgram runs one program until a run of it will count, or the attempts
// are used up.
func runCollProgram(ctx context.Context, cores *pair, chosen []int, p collProgram, round int, all *collResults, log *records) error {
	for attempt := 1; attempt <= collAttempts; attempt++ {
		before, err := cores.await(ctx, chosen)
		if err != nil {
			return err
		}
		points, err := p.run(ctx, chosen)
		if err == nil {
			err = complete(points)
		}
		if err != nil {
			if attempt == collAttempts || stopped(ctx) {
				return err
			}
			continue
		}
		after, err := cores.farthest(ctx, chosen)
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
