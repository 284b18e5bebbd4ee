package sweep

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"gobench/record"
)

// A Launch is one launch of a command.
type Launch struct {
	Command Command
	Program string // "" = this one
	Number  int    // number among the launches of this command by this program, from 1
	Block   int    // from 1
	Index   int    // index in the order of all launches
}

// Order returns all launches: in each block every command times times, in a random order that
// depends on seed and block. In the first block, programs that use the number of samples of gobench
// are last.
func (p *Plan) Order(seed int64, times int) []Launch {
	var all []Launch
	for block := 1; block <= p.Launches; block++ {
		list := p.block(block, times)
		random := rand.New(rand.NewPCG(uint64(seed), uint64(block)))
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if block == 1 {
			slices.SortStableFunc(list, func(a, b Launch) int { return boolInt(a.follows()) - boolInt(b.follows()) })
		}
		all = append(all, list...)
	}
	for i := range all {
		all[i].Index = i
	}
	return all
}

// follows reports whether a launch of gobench must precede a launch.
func (l Launch) follows() bool {
	if !l.Command.isForeign() {
		return false
	}
	f, err := foreignOf(l.Command)
	return err == nil && f.follows()
}

// block returns the launches of one block in the order of the plan.
func (p *Plan) block(block, times int) []Launch {
	programs := p.Programs
	if len(programs) == 0 {
		programs = []string{""}
	}
	var list []Launch
	for _, c := range p.Commands {
		by := programs
		if c.isForeign() {
			by = []string{""}
		}
		for _, program := range by {
			for i := range times {
				list = append(list, Launch{Command: c, Program: program, Number: (block-1)*times + i + 1, Block: block})
			}
		}
	}
	return list
}

// Key returns a key of the command and program of a launch.
func (l Launch) Key() string { return key(l.Program, l.Command.Words()) }

func key(program string, words []string) string {
	return program + "\x00" + strings.Join(words, "\x00")
}

// State holds the recorded state of a sweep.
type State struct {
	seed     int64
	done     map[string]map[int]bool // by key, then number
	times    map[string]taken        // by key
	commands []Launch                // one for each key
	launches []record.Launch
	kept     bool // the file has the plan
}

// An OtherPlanError reports that a file contains launches of a command of this plan that were made
// by another plan. They would be counted as launches of this sweep.
type OtherPlanError struct{ Command, Sweep string }

func (e *OtherPlanError) Error() string {
	return fmt.Sprintf("it contains launches of gobench %s that were made by another plan (%s)", e.Command, e.Sweep)
}

// Resume reads the state of this plan from the rows of a file with its ID. The error is an
// *OtherPlanError.
func (p *Plan) Resume(file *record.File, id string) (*State, error) {
	s := &State{done: map[string]map[int]bool{}, times: map[string]taken{}}
	s.commands = p.block(1, 1)
	known := map[string]bool{}
	for _, l := range s.commands {
		known[l.Key()] = true
	}
	s.kept = slices.ContainsFunc(file.Plans, func(p record.Plan) bool { return p.ID == id })
	for _, row := range file.Launches {
		k := key(row.Program, row.Command)
		if !known[k] {
			continue
		}
		if row.Plan != id {
			return nil, &OtherPlanError{strings.Join(row.Command, " "), row.Sweep}
		}
		s.took(k, row.Launch, row.Duration)
		s.seed = row.Seed
		s.launches = append(s.launches, row)
	}
	return s, nil
}

// Seed returns the seed of the finished launches, 0 if there are none.
func (s *State) Seed() int64 { return s.seed }

// Launches returns the rows of the finished launches.
func (s *State) Launches() []record.Launch { return s.launches }

// Left returns those of all launches that are not finished.
func (s *State) Left(all []Launch) []Launch {
	return slices.DeleteFunc(slices.Clone(all), func(l Launch) bool { return s.done[l.Key()][l.Number] })
}
