package sweep

import (
	"math/rand/v2"
	"slices"
	"strings"

	"gobench/bench/record"
)

// Launch is one launch of a command.
type Launch struct {
	Command Command
	Program string // "" = this one
	Number  int    // of the launch of this command by this program, from 1
	Block   int    // from 1
	Index   int    // place in the whole order, from 0
}

// Order returns all launches: in each block every command once, or times times, in a random
// order that seed and block give.
func (p *Plan) Order(seed int64, times int) []Launch {
	programs := p.Programs
	if len(programs) == 0 {
		programs = []string{""}
	}
	var all []Launch
	for block := 1; block <= p.Launches; block++ {
		var list []Launch
		for _, c := range p.Commands {
			for _, program := range programs {
				for i := range times {
					list = append(list, Launch{Command: c, Program: program, Number: (block-1)*times + i + 1, Block: block})
				}
			}
		}
		random := rand.New(rand.NewPCG(uint64(seed), uint64(block)))
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		all = append(all, list...)
	}
	for i := range all {
		all[i].Index = i
	}
	return all
}

// Key tells launches apart that measure different things.
func (l Launch) Key() string { return key(l.Program, l.Command.Words()) }

func key(program string, words []string) string {
	return program + "\x00" + strings.Join(words, "\x00")
}

// State is what a file of records says of a sweep that was begun.
type State struct {
	seed      int64
	done      map[string]map[int]bool // by key, then number
	durations map[string]float64      // of the last launch, by key
	launches  []record.Launch
}

// Resume reads the state of this plan from the rows of a file.
func (p *Plan) Resume(file *record.File) *State {
	s := &State{done: map[string]map[int]bool{}, durations: map[string]float64{}}
	known := map[string]bool{}
	for _, l := range p.Order(1, 1) {
		known[l.Key()] = true
	}
	for _, row := range file.Launches {
		k := key(row.Program, row.Command)
		if !known[k] {
			continue
		}
		if s.done[k] == nil {
			s.done[k] = map[int]bool{}
		}
		s.done[k][row.Launch] = true
		s.durations[k] = row.Duration
		s.seed = row.Seed
		s.launches = append(s.launches, row)
	}
	return s
}

// Seed is that of the launches that are done, 0 where there are none.
func (s *State) Seed() int64 { return s.seed }

// Launches are those that are done, as they stand in the file.
func (s *State) Launches() []record.Launch { return s.launches }

// Left leaves out what is done.
func (s *State) Left(all []Launch) []Launch {
	return slices.DeleteFunc(slices.Clone(all), func(l Launch) bool { return s.done[l.Key()][l.Number] })
}

// Took notes how long a launch took, in seconds.
func (s *State) Took(l Launch, seconds float64) { s.durations[l.Key()] = seconds }

// Expect is how long launches will take, in seconds: as long as the last one of
// the same command, or as guess says of what was never launched.
func (s *State) Expect(list []Launch, guess func(Launch) float64) float64 {
	sum := 0.0
	for _, l := range list {
		if d, ok := s.durations[l.Key()]; ok {
			sum += d
		} else {
			sum += guess(l)
		}
	}
	return sum
}
