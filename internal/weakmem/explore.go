package weakmem

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"strings"
)

// A Violation is an execution in which a model does not hold.
type Violation struct {
	What  string
	Trace []string // the steps
}

func (v *Violation) Error() string { return v.What + "\n\t" + strings.Join(v.Trace, "\n\t") }

// A choice is which thread does its next step, and in which of its ways.
type choice struct{ thread, branch int }

// most bounds the states of a model, maxWithout those that are searched for a violation where a
// part is taken away, and maxSteps the steps of an execution, which may then have no end.
const (
	maxStates  = 200_000
	maxWithout = 20_000
	maxSteps   = 1_000
)

// A search runs a model in all ways.
type search struct {
	model    Model
	machine  Machine // the settings of every execution
	visited  map[[2]uint64]struct{}
	seeds    [2]maphash.Seed
	encoder  encoder
	outcomes map[string]bool
	limit    int // of states, 0 is most
	exceeded bool
}

func newSearch(model Model, amd64 bool, without string) *search {
	s := &search{model: model, visited: map[[2]uint64]struct{}{}, outcomes: map[string]bool{}}
	s.seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
	s.machine = Machine{amd64: amd64, full: model.Full, without: without, parts: map[string]bool{}, differs: new(bool), outcomes: s.outcomes}
	return s
}

// run returns the first violation that it finds, nil if there is none.
func (s *search) run() *Violation {
	var path []choice   // of the current execution
	var left [][]choice // what is still to be tried after each step of path
	for {
		m := s.start()
		for _, c := range path {
			m.step(m.threads[c.thread], c.branch)
		}
		for m.failure == "" {
			if len(path) > maxSteps {
				m.failure, s.exceeded = fmt.Sprintf("an execution has more than %d steps", maxSteps), true
				break
			}
			next := s.enabled(m)
			if len(next) == 0 {
				break
			}
			path, left = append(path, next[0]), append(left, next[1:])
			m.step(m.threads[next[0].thread], next[0].branch)
		}
		failure := m.failure
		m.end()
		if failure != "" {
			return s.violation(path, failure)
		}
		for len(left) > 0 && len(left[len(left)-1]) == 0 {
			path, left = path[:len(path)-1], left[:len(left)-1]
		}
		if len(left) == 0 {
			return nil
		}
		last := len(left) - 1
		path[last], left[last] = left[last][0], left[last][1:]
	}
}

func (s *search) start() *Machine {
	m := s.machine
	s.model.Build(&m)
	m.begin()
	return &m
}

// enabled returns the choices of a state, none if it was visited before or is an end.
func (s *search) enabled(m *Machine) (list []choice) {
	state := s.encoder.encode(m)
	key := [2]uint64{maphash.Bytes(s.seeds[0], state), maphash.Bytes(s.seeds[1], state)}
	if _, ok := s.visited[key]; ok {
		return nil
	}
	s.visited[key] = struct{}{}
	if limit := cmp.Or(s.limit, maxStates); len(s.visited) > limit {
		m.failure, s.exceeded = fmt.Sprintf("the model has more than %d states", limit), true
		return nil
	}
	var waiting []string
	for _, t := range m.threads {
		if t.done {
			continue
		}
		branches := m.choices(t)
		if branches == 0 {
			waiting = append(waiting, t.name)
		}
		for branch := range branches {
			list = append(list, choice{t.id, branch})
		}
		if t.op.kind == choose {
			// Nothing that other threads do depends on it, so it may come first.
			return list[len(list)-branches:]
		}
	}
	if len(list) == 0 && len(waiting) > 0 {
		m.failure = "waits for ever: " + strings.Join(waiting, ", ")
	} else if len(list) == 0 && m.finally != nil {
		m.finally()
	}
	return list
}

// violation repeats an execution and notes its steps.
func (s *search) violation(path []choice, what string) *Violation {
	s.machine.traced = true
	m := s.start()
	for _, c := range path {
		m.step(m.threads[c.thread], c.branch)
	}
	m.end()
	return &Violation{what, m.trace}
}

// Outcomes returns what a model has noted by Machine.Outcome in all its executions on amd64, where
// the model has the weakest orders.
func Outcomes(model func(*Machine)) (map[string]bool, error) {
	s := newSearch(Model{Build: model}, true, "")
	if v := s.run(); v != nil {
		return nil, v
	}
	return s.outcomes, nil
}
