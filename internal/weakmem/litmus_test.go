package weakmem

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A litmus test has threads of stores, loads and fences. Its outcome is the values of the loads, in
// the order of threads, or of the words at the end.
type litmus struct {
	name    string
	threads []string
	weak    string // the outcome that is looked for
	allowed bool
}

// The outcomes are what RC11 allows, as in the literature (Alglave, Maranget and
// Tautschnig, "Herding cats", 2014, and Lahav and others, PLDI 2017), for C11 atomics.
//
// "x=1" stores, "x" loads, "x+" adds 1, "fence" is a sequentially consistent fence. Suffixes: "!"
// is Release or Acquire, "*" is SeqCst with these.
var tests = []litmus{
	{"MP", []string{"x=1 y=1", "y x"}, "1 0", true},
	{"MP+rel", []string{"x=1 y=1!", "y x"}, "1 0", true},
	{"MP+acq", []string{"x=1 y=1", "y! x"}, "1 0", true},
	{"MP+rel+acq", []string{"x=1 y=1!", "y! x"}, "1 0", false},
	{"MP+fences", []string{"x=1 fence y=1", "y fence x"}, "1 0", false},
	{"MP+fence+acq", []string{"x=1 fence y=1", "y! x"}, "1 0", false},
	{"MP+rel+fence", []string{"x=1 y=1!", "y fence x"}, "1 0", false},
	{"MP+rmw", []string{"x=1 y=1!", "y+", "y! x"}, "1 2 0", false},    // a release sequence
	{"MP+overwritten", []string{"x=1 y=1! y=2", "y! x"}, "2 0", true}, // none since C++20
	{"SB", []string{"x=1 y", "y=1 x"}, "0 0", true},
	{"SB+rel+acq", []string{"x=1! y!", "y=1! x!"}, "0 0", true},
	{"SB+sc", []string{"x=1* y*", "y=1* x*"}, "0 0", false},
	{"SB+sc+rel", []string{"x=1* y*", "y=1! x*"}, "0 0", true},
	{"SB+sc+acq", []string{"x=1* y*", "y=1* x!"}, "0 0", true},
	{"SB+fences", []string{"x=1 fence y", "y=1 fence x"}, "0 0", false},
	{"SB+fence+po", []string{"x=1 fence y", "y=1 x"}, "0 0", true},
	{"SB+fence+sc", []string{"x=1! fence y*", "y=1* x*"}, "0 0", false}, // that of bells
	{"SB+rmws", []string{"x+* y*", "y+* x*"}, "0 0 0 0", false},
	{"LB", []string{"x y=1", "y x=1"}, "1 1", false}, // the model has no promises
	{"LB+rel+acq", []string{"x! y=1!", "y! x=1!"}, "1 1", false},
	{"IRIW", []string{"x=1", "y=1", "x y", "y x"}, "1 0 1 0", true},
	{"IRIW+rel+acq", []string{"x=1!", "y=1!", "x! y!", "y! x!"}, "1 0 1 0", true},
	{"IRIW+sc", []string{"x=1*", "y=1*", "x* y*", "y* x*"}, "1 0 1 0", false},
	{"IRIW+fences", []string{"x=1", "y=1", "x fence y", "y fence x"}, "1 0 1 0", false},
	{"WRC", []string{"x=1", "x y=1", "y x"}, "1 1 0", true},
	{"WRC+rel+acq", []string{"x=1!", "x! y=1!", "y! x"}, "1 1 0", false},
	{"ISA2+rel+acq", []string{"x=1 y=1!", "y! z=1!", "z! x"}, "1 1 0", false},
	{"RWC+fences", []string{"x=1", "x fence y", "y=1 fence x"}, "1 0 0", false},
	{"RWC+rel+acq", []string{"x=1!", "x! y!", "y=1! x!"}, "1 0 0", true},
	{"CoRR", []string{"x=1", "x x"}, "1 0", false},
	{"CoRR2", []string{"x=1", "x=2", "x x", "x x"}, "1 2 2 1", false},
	{"CoWR", []string{"x=1 x", "x=2"}, "0", false},
	{"2+2W", []string{"x=1 y=2", "y=1 x=2"}, "x=1 y=1", true},
	{"2+2W+rel", []string{"x=1! y=2!", "y=1! x=2!"}, "x=1 y=1", true},
	{"2+2W+sc", []string{"x=1* y=2*", "y=1* x=2*"}, "x=1 y=1", false},
	{"2+2W+fences", []string{"x=1 fence y=2", "y=1 fence x=2"}, "x=1 y=1", false},
	{"CoWW", []string{"x=1 x=2"}, "x=1 y=0", false},
	{"RMW", []string{"x+", "x+"}, "0 0", false},
	{"RMW+store", []string{"x+", "x=5"}, "x=1 y=0", false}, // none comes between,
}

// run returns a model of the test.
func (l *litmus) run(m *Machine) {
	words := map[byte]*Word{'x': m.Word("x", 0), 'y': m.Word("y", 0), 'z': m.Word("z", 0)}
	got := make([][]string, len(l.threads))
	for i, steps := range l.threads {
		m.Thread(fmt.Sprint(i), func(t *Thread) {
			for _, step := range strings.Fields(steps) {
				order := Order(0)
				if plain := strings.TrimSuffix(step, "!"); plain != step {
					step, order = plain, Acquire|Release
				} else if plain := strings.TrimSuffix(step, "*"); plain != step {
					step, order = plain, Atomic
				}
				w := words[step[0]]
				switch {
				case step == "fence":
					t.Fence()
				case len(step) == 1:
					got[i] = append(got[i], fmt.Sprint(t.Load(w, order)))
				case step[1] == '+':
					got[i] = append(got[i], fmt.Sprint(t.Update(w, order, func(v uint64) uint64 { return v + 1 })))
				default:
					t.Store(w, uint64(step[2]-'0'), order)
				}
			}
		})
	}
	m.Finally(func() {
		m.Outcome("%s", strings.Join(slices.Concat(got...), " "))
		m.Outcome("x=%d y=%d", words['x'].Value(), words['y'].Value())
	})
}

func TestLitmus(t *testing.T) {
	for _, l := range tests {
		found, err := Outcomes(l.run)
		if err != nil {
			t.Fatal(err)
		}
		if found[l.weak] != l.allowed {
			t.Errorf("%s: %q is allowed: %v, want %v; all are %q", l.name, l.weak, found[l.weak], l.allowed,
				slices.Sorted(maps.Keys(found)))
		}
	}
}

// Data that another thread publishes may be read after an acquire load of a release store, and not
// before.
func TestRaces(t *testing.T) {
	for _, c := range []struct {
		release, acquire Order
		around, drained  bool
		race             bool
	}{
		{Release, Acquire, false, false, false},
		{0, Acquire, false, false, true},
		{Release, 0, false, false, true},
		{Release, Acquire, true, false, true},
		{Release, Acquire, true, true, false},
		{Atomic, Atomic, true, false, true},
	} {
		for _, overwrites := range []bool{false, true} {
			v := newSearch(Model{Build: func(m *Machine) {
				data, flag := m.Data("data", 1)[0], m.Word("flag", 0)
				m.Thread("writer", func(t *Thread) {
					if overwrites {
						t.Read(data)
					} else if c.around {
						t.WriteAround(data, 1)
					} else {
						t.Write(data, 1)
					}
					if c.drained {
						t.Drain()
					}
					t.Publish(flag, 1, c.release)
				})
				m.Thread("reader", func(t *Thread) {
					t.Await(flag, c.acquire, func(v uint64) bool { return v == 1 })
					if overwrites {
						t.Write(data, 2)
					} else {
						t.Require(t.Read(data) == 1, "stale data")
					}
				})
			}}, true, "").run()
			want := c.race && !(overwrites && c.around)
			if (v != nil) != want {
				t.Errorf("%+v, reader overwrites: %v: %v, want a race: %v", c, overwrites, v, want)
			}
		}
	}
}

// A thread that waits for a store that nobody makes, or for one that it may have missed, is found.
func TestWaitsForEver(t *testing.T) {
	lost := func(order Order) func(*Machine) {
		return func(m *Machine) {
			work, asleep, bell := m.Word("work", 0), m.Word("asleep", 0), m.Word("bell", 0)
			m.Thread("waker", func(t *Thread) {
				t.Store(work, 1, order)
				if t.Load(asleep, order) == 1 {
					t.Store(bell, 1, order)
				}
			})
			m.Thread("sleeper", func(t *Thread) {
				t.Store(asleep, 1, order)
				if t.Load(work, order) == 0 {
					t.Await(bell, order, func(v uint64) bool { return v == 1 })
				}
			})
		}
	}
	if v := newSearch(Model{Build: lost(Atomic)}, true, "").run(); v != nil {
		t.Error(v)
	}
	v := newSearch(Model{Build: lost(Acquire | Release)}, true, "").run()
	if v == nil || v.What != "waits for ever: sleeper" || len(v.Trace) == 0 {
		t.Errorf("a lost wake is %v", v)
	}
}

// A loop that polls several words ends when one of them changes, and its turns add no states.
func TestIdle(t *testing.T) {
	found, err := Outcomes(func(m *Machine) {
		a, b := m.Word("a", 0), m.Word("b", 0)
		got := ""
		m.Thread("writer", func(t *Thread) {
			t.Store(a, 1, 0)
			t.Store(b, 1, 0)
		})
		m.Thread("reader", func(t *Thread) {
			for mark := t.Mark(); ; t.Idle(mark, a, b) {
				if x, y := t.Load(a, 0), t.Load(b, 0); x+y > 0 {
					got = fmt.Sprint(x, y)
					return
				}
			}
		})
		m.Finally(func() { m.Outcome("%s", got) })
	})
	want := map[string]bool{"0 1": true, "1 0": true, "1 1": true}
	if err != nil || !maps.Equal(found, want) {
		t.Errorf("outcomes are %v, %v, want %v", found, err, want)
	}
}
