package weakmem

import (
	"fmt"
)

// A Machine is one execution of a model.
type Machine struct {
	words    []*Word
	data     []*Data
	threads  []*Thread
	finally  func()
	total    view // what is known to the order of sequentially consistent accesses and barriers
	outcomes map[string]bool

	amd64   bool
	full    bool
	without string          // the part that is taken away
	parts   map[string]bool // all that the model has named
	differs *bool           // targets differ for this model

	failure string
	traced  bool
	trace   []string
}

// A target selects the processors for which a model is checked.
var targets = []struct {
	name  string
	amd64 bool
}{{"amd64", true}, {"arm64", false}}

// Word declares a word with its first value.
func (m *Machine) Word(name string, value uint64) *Word {
	w := &Word{name: name, id: len(m.words), messages: []*message{{value: value}}}
	m.words = append(m.words, w)
	return w
}

// Words declares n words of value 0.
func (m *Machine) Words(name string, n int) []*Word {
	list := make([]*Word, n)
	for i := range list {
		list[i] = m.Word(fmt.Sprintf("%s[%d]", name, i), 0)
	}
	return list
}

// Data declares n pieces of data of value 0.
func (m *Machine) Data(name string, n int) []*Data {
	list := make([]*Data, n)
	for i := range list {
		list[i] = &Data{name: fmt.Sprintf("%s[%d]", name, i)}
	}
	m.data = append(m.data, list...)
	return list
}

// Thread declares a thread. body depends on nothing but the values that it reads.
func (m *Machine) Thread(name string, body func(*Thread)) {
	m.threads = append(m.threads, &Thread{m: m, name: name, id: len(m.threads), body: body})
}

// Finally has f called at the end of every execution.
func (m *Machine) Finally(f func()) { m.finally = f }

// Outcome notes an outcome of an execution, for Finally.
func (m *Machine) Outcome(format string, args ...any) {
	m.outcomes[fmt.Sprintf(format, args...)] = true
}

func (m *Machine) fail(format string, args ...any) {
	m.failure = fmt.Sprintf(format, args...)
	panic(abandoned{})
}

func (m *Machine) log(t *Thread, format string, args ...any) {
	m.trace = append(m.trace, t.name+" "+fmt.Sprintf(format, args...))
}

func (m *Machine) begin() {
	m.total = view{seen: make([]*message, len(m.words))}
	for _, d := range m.data {
		d.reads = make([]access, len(m.threads))
	}
	for _, t := range m.threads {
		t.view = view{make([]*message, len(m.words)), make([]uint16, 2*len(m.threads))}
		t.view.clock[2*t.id] = 1
	}
	for _, t := range m.threads {
		t.begin()
	}
}

func (m *Machine) end() {
	for _, t := range m.threads {
		t.stop()
	}
}

// candidates returns the messages that the next step of a thread may read, or store behind.
func (m *Machine) candidates(t *Thread) []*message {
	o := &t.op
	w := o.word
	floor := t.view.floor(w.id)
	if o.order&SeqCst != 0 {
		floor = max(floor, m.total.floor(w.id))
	}
	var list []*message
	for _, c := range w.messages[floor:] {
		switch {
		case o.kind == await && !o.wanted(c.value):
		case o.kind == store || o.kind == update || o.kind == compare && c.value == o.old:
			if !w.followed(c) {
				list = append(list, c)
			}
		default:
			list = append(list, c)
		}
	}
	return list
}

// choices returns the number of ways in which a thread can do its next step, 0 if it waits.
func (m *Machine) choices(t *Thread) int {
	switch t.op.kind {
	case barrier:
		return 1
	case choose:
		return int(t.op.value)
	case idle:
		for _, w := range t.op.words {
			if w.last().at > (&view{seen: t.turn}).floor(w.id) {
				return 1
			}
		}
		return 0
	}
	return len(m.candidates(t))
}

// step does the next step of a thread in one of its ways, and runs it up to the step after that.
func (m *Machine) step(t *Thread, choice int) {
	o := &t.op
	switch o.kind {
	case barrier:
		t.view.join(t.pending)
		t.view.joinSeen(m.total.seen)
		m.total.joinSeen(t.view.seen)
		t.fenced = t.view.clone()
		t.view.clock[2*t.id]++
		t.result = 0
		if m.traced {
			m.log(t, "%s", o.text)
		}
	case choose:
		t.result = uint64(choice)
		if m.traced {
			m.log(t, "chooses %d", choice)
		}
	case idle:
	default:
		m.access(t, m.candidates(t)[choice])
	}
	t.advance()
}

// access does a step that reads a message, or stores behind it.
func (m *Machine) access(t *Thread, c *message) {
	o := &t.op
	w := o.word
	value, stores := o.value, true
	switch o.kind {
	case load, await:
		stores = false
	case update:
		value = o.change(c.value)
	case compare:
		stores = c.value == o.old
	}
	if o.kind != store {
		if t.result = c.value; o.kind == compare {
			t.result = 0
			if stores {
				t.result = 1
			}
		}
		if c.at > t.view.floor(w.id) {
			t.view.seen[w.id] = c
		}
		if o.order&Acquire != 0 {
			t.view.join(c.view)
		} else {
			t.pending.join(c.view)
		}
	}
	if !stores {
		if m.traced {
			m.log(t, "%s %s: %d of %v", o.text, w.name, c.value, w)
		}
		return
	}
	s := &message{value: value, rmw: o.kind != store}
	w.insert(c, s)
	t.view.seen[w.id] = s
	if o.order&Release != 0 {
		s.view = t.view.clone()
		t.view.clock[2*t.id]++
	} else {
		s.view = t.fenced.clone()
	}
	if s.rmw {
		s.view.join(c.view)
	}
	if o.order&SeqCst != 0 && s.at > m.total.floor(w.id) {
		m.total.seen[w.id] = s
	}
	if m.traced {
		m.log(t, "%s %s = %d: %v", o.text, w.name, value, w)
	}
}

// String returns the history of the word.
func (w *Word) String() string {
	list := make([]uint64, len(w.messages))
	for i, m := range w.messages {
		list[i] = m.value
	}
	return fmt.Sprint(list)
}
