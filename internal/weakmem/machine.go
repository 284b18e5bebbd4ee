package weakmem

import (
	"encoding/binary"
	"fmt"
	"slices"
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
	without string          // the part that is taken away
	parts   map[string]bool // all that the model has named

	failure string
	traced  bool
	trace   []string
}

// A target is what a model is checked for.
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

// Has reports whether the model has a part, which it names for what is wrong without. It is true
// but for the part that Verify has taken away.
func (m *Machine) Has(name string) bool {
	m.parts[name] = true
	return m.without != name
}

// Order returns an ordering that is a part, or none if that is taken away.
func (m *Machine) Order(name string, o Order) Order {
	if m.Has(name) {
		return o
	}
	return 0
}

func (m *Machine) fail(format string, args ...any) {
	m.failure = fmt.Sprintf(format, args...)
	panic(abandoned{})
}

func (m *Machine) log(t *Thread, format string, args ...any) {
	if m.traced {
		m.trace = append(m.trace, t.name+" "+fmt.Sprintf(format, args...))
	}
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
			if w.last().at > t.view.floor(w.id) {
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
		m.log(t, "%s", o.text)
	case choose:
		t.result = uint64(choice)
		m.log(t, "chooses %d", choice)
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
		m.log(t, "%s %s: %d of %s", o.text, w.name, c.value, w.values())
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
	m.log(t, "%s %s = %d: %s", o.text, w.name, value, w.values())
}

func (w *Word) values() string {
	var list []uint64
	for _, m := range w.messages {
		list = append(list, m.value)
	}
	return fmt.Sprint(list)
}

// encode appends what identifies the state to b.
func (m *Machine) encode(b []byte) []byte {
	add := func(v view) {
		for id := range v.seen {
			b = append(b, byte(v.floor(id)))
		}
		for _, n := range v.clock {
			b = append(b, byte(n))
		}
		b = append(b, 0xff)
	}
	for _, t := range m.threads {
		b = binary.LittleEndian.AppendUint64(b, t.history)
		if t.done {
			continue
		}
		add(t.view)
		add(t.pending)
		add(t.fenced)
	}
	add(m.total)
	for _, w := range m.words {
		for _, c := range w.messages {
			b = binary.LittleEndian.AppendUint64(b, c.value)
			if c.rmw {
				b = append(b, 1)
			}
			add(c.view)
		}
		b = append(b, 0xfe)
	}
	for _, d := range m.data {
		b = binary.LittleEndian.AppendUint64(b, d.value)
		for _, a := range slices.Concat([]access{d.wrote}, d.reads) {
			b = append(b, byte(a.counter), byte(a.count))
		}
	}
	return b
}
