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

// runColl runs all programs in random order, round by round, with a rank on each core. How it goes
// on without one whose runs die, patience says; the error is that of a comparison that a person
// ended.
func runColl(ctx context.Context, s settings, cores *pair, programs []collProgram, all *collResults, bears *patience, log *records, progress io.Writer) error {
	random := rand.New(rand.NewPCG(s.seed, 1))
	for _, p := range programs {
		bears.needs(p.String(), p.needs)
	}
	for _, p := range programs { // what gobench does the others do as well: they are told by a run that does not count
		if p.subject && bears.out[p.String()] == nil {
			err := bears.run(ctx, p.String(), 0, func() error {
				_, err := p.run(ctx, cores.all)
				return err
			})
			if stopped(ctx) {
				return ctx.Err()
			}
			if err != nil {
				fmt.Fprintf(progress, "%s: %v; its rivals take %d samples\n", p, err, unplanned.samples)
			}
		}
	}
	for round := 1; round <= s.rounds; round++ {
		start := time.Now()
		for _, i := range random.Perm(len(programs)) {
			p := programs[i]
			if bears.out[p.String()] != nil {
				continue
			}
			err := runCollProgram(ctx, cores, cores.all, p, round, all, bears, log)
			if err := bears.note(ctx, p.String(), round, err); err != nil {
				return err
			}
		}
		fmt.Fprintf(progress, "collectives, round %d of %d: %.0f s\n", round, s.rounds, time.Since(start).Seconds())
	}
	return nil
}

// runCollProgram runs one program until a run of it will count, or the attempts
// are used up.
func runCollProgram(ctx context.Context, cores *pair, chosen []int, p collProgram, round int, all *collResults, bears *patience, log *records) error {
	for attempt := 1; attempt <= collAttempts; attempt++ {
		var before, after float64
		var points []collPoint
		err := bears.run(ctx, p.String(), round, func() (err error) {
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
