package sweep

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gobench/record"
)

func plan(launches int, programs ...string) *Plan {
	p := &Plan{Launches: launches, Programs: programs}
	for _, t := range []string{"smem", "tcp", "ibv", "gni"} {
		p.Commands = append(p.Commands, Command{Verb: "p2p", Args: []string{"--transport=" + t}})
	}
	return p
}

// In every block every command is launched once by every program, in a different order each time,
// and in the same order for the same seed.
func TestBlocksAreRandom(t *testing.T) {
	p := plan(20, "old", "new")
	all := p.Order(7, 1)
	if len(all) != 20*4*2 {
		t.Fatalf("%d launches", len(all))
	}
	orders := map[string]bool{}
	for block := range slices.Chunk(all, 8) {
		seen := map[string]bool{}
		order := ""
		for _, l := range block {
			if l.Block != block[0].Block || l.Number != l.Block {
				t.Errorf("%+v", l)
			}
			seen[l.Key()] = true
			order += l.Key()
		}
		if len(seen) != 8 {
			t.Errorf("block %d has %d commands", block[0].Block, len(seen))
		}
		orders[order] = true
	}
	if len(orders) < 19 {
		t.Errorf("only %d orders in 20 blocks", len(orders))
	}
	same := func(a, b []Launch) bool {
		return slices.EqualFunc(a, b, func(a, b Launch) bool { return a.Key() == b.Key() && a.Number == b.Number })
	}
	if !same(all, p.Order(7, 1)) || same(all, p.Order(8, 1)) {
		t.Error("the order does not follow from the seed alone")
	}
}

func TestTwoLaunchesInABlock(t *testing.T) {
	numbers := map[int]int{}
	for _, l := range plan(3).Order(1, 2) {
		numbers[l.Number]++
		if (l.Number+1)/2 != l.Block {
			t.Errorf("%+v", l)
		}
	}
	for n := 1; n <= 6; n++ {
		if numbers[n] != 4 {
			t.Errorf("launch %d occurs %d times", n, numbers[n])
		}
	}
}

// Launches that are recorded are not repeated, also if more launches are requested now.
func TestResume(t *testing.T) {
	p := plan(2)
	id := p.ID(1)
	file := &record.File{}
	for i, l := range p.Order(7, 1) {
		if i < 5 {
			file.Launches = append(file.Launches, record.Launch{Plan: id, Command: l.Command.Words(), Launch: l.Number, Block: l.Block, Seed: 7, Duration: 2})
		}
	}
	file.Launches = append(file.Launches, record.Launch{Plan: "another", Command: []string{"coll"}, Launch: 1, Seed: 9})
	p.Launches = 3
	s, err := p.Resume(file, p.ID(1))
	if err != nil {
		t.Fatal(err)
	}
	all := p.Order(s.Seed(), 1)
	left := s.Left(all)
	if s.Seed() != 7 || len(s.Launches()) != 5 || len(left) != 7 || left[0].Index != 5 {
		t.Errorf("seed %d, %d done, %d left", s.Seed(), len(s.Launches()), len(left))
	}
}

// Launches of the same command by another plan are not part of this sweep.
func TestLaunchesOfAnotherPlan(t *testing.T) {
	p := plan(2)
	command := p.Commands[0].Words()
	for _, id := range []string{"", "another", p.ID(2)} { // "": as files before had it
		file := &record.File{Launches: []record.Launch{{Plan: id, Sweep: "x", Command: command, Launch: 1, Seed: 7}}}
		_, err := p.Resume(file, p.ID(1))
		var other *OtherPlanError
		if !errors.As(err, &other) || other.Sweep != "x" {
			t.Errorf("plan %q: %v", id, err)
		}
	}
}

// The ID of a plan does not depend on the number of launches, but on flags and programs.
func TestID(t *testing.T) {
	p := plan(2)
	more := plan(8)
	more.Seed, more.Budget, more.Name = 3, time.Minute, "x"
	if p.ID(1) != more.ID(1) {
		t.Error("launches, seed, budget and name are part of the plan")
	}
	shorter := plan(2)
	shorter.Commands = shorter.Commands[1:]
	flag := plan(2)
	flag.Commands[0].Args = []string{"--transport=smem", "--sizes=8"}
	for name, other := range map[string]string{"commands": shorter.ID(1), "flags": flag.ID(1), "programs": plan(2, "a", "b").ID(1), "times": p.ID(2)} {
		if other == p.ID(1) {
			t.Errorf("other %s give the same plan", name)
		}
	}
}
