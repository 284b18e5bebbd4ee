package weakmem

import (
	"fmt"
	"hash/fnv"
	"iter"
)

// A Thread executes a part of a model.
type Thread struct {
	m    *Machine
	name string
	id   int

	view    view
	pending view // of messages that were read without Acquire, until a barrier
	fenced  view // at the last barrier, which stores without Release carry
	history uint64
	turn    []*message // what it had seen at the beginning of a turn

	op     op // that it is about to do
	result uint64
	body   func(*Thread)
	yield  func(struct{}) bool
	next   func() (struct{}, bool)
	stop   func()
	done   bool
}

type kind uint8

const (
	load kind = iota
	await
	store
	update // read-modify-write
	compare
	barrier
	idle
	choose
)

// An op is one step of a thread.
type op struct {
	kind   kind
	text   string
	word   *Word
	order  Order
	value  uint64
	old    uint64
	change func(uint64) uint64
	wanted func(uint64) bool
	words  []*Word

	publishes bool // by release.Store
}

// abandoned ends the body of a thread whose execution is not continued.
type abandoned struct{}

func (t *Thread) begin() {
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil && r != (abandoned{}) {
				panic(r)
			}
		}()
		t.yield = yield
		t.body(t)
	})
	t.advance()
}

// advance runs the thread up to its next step.
func (t *Thread) advance() {
	_, more := t.next()
	t.done = !more
}

func (t *Thread) do(o op) uint64 {
	if t.m.full && o.order&reduced == 0 && !o.publishes {
		o.order = Atomic
	}
	t.op = o
	if !t.yield(struct{}{}) {
		panic(abandoned{})
	}
	t.remember(t.result)
	return t.result
}

// remember adds a value to what identifies the state of the thread, which depends on nothing but
// the values that it has read.
func (t *Thread) remember(v uint64) { t.history = (t.history^v)*1099511628211 + 0x9e3779b97f4a7c15 }

// Load returns a value of w.
func (t *Thread) Load(w *Word, o Order) uint64 {
	return t.do(op{kind: load, text: "load", word: w, order: o})
}

// Await is a load that is repeated until wanted accepts the value.
func (t *Thread) Await(w *Word, o Order, wanted func(uint64) bool) uint64 {
	return t.do(op{kind: await, text: "await", word: w, order: o, wanted: wanted})
}

// Store stores v to w as a function of sync/atomic.
func (t *Thread) Store(w *Word, v uint64, o Order) {
	t.do(op{kind: store, text: "store", word: w, order: o, value: v})
}

// Publish is release.Store with the orderings that the protocol needs of it. On amd64 it has no
// fence but Release.
func (t *Thread) Publish(w *Word, v uint64, o Order) {
	if *t.m.differs = true; o&Release != 0 {
		if o = Release; !t.m.amd64 {
			o |= SeqCst
		}
	}
	t.do(op{kind: store, text: "release.Store", word: w, order: o, value: v, publishes: true})
}

// Update stores change of the value of w to w, without another store between, and returns the old
// value: Add, Swap, Or and And.
func (t *Thread) Update(w *Word, o Order, change func(uint64) uint64) uint64 {
	return t.do(op{kind: update, text: "update", word: w, order: o, change: change})
}

// Swap stores v to w and returns the old value.
func (t *Thread) Swap(w *Word, v uint64, o Order) uint64 {
	return t.Update(w, o, func(uint64) uint64 { return v })
}

// CompareAndSwap stores v to w if it holds old, and reports whether it did.
func (t *Thread) CompareAndSwap(w *Word, old, v uint64, o Order) bool {
	return t.do(op{kind: compare, text: "compare and swap", word: w, order: o, old: old, value: v}) != 0
}

// Barrier is a locked instruction of amd64, which orders all that comes before it and all that
// comes after it. On other targets it does nothing.
func (t *Thread) Barrier() {
	if *t.m.differs = true; t.m.amd64 {
		t.Fence()
	}
}

// Fence is a sequentially consistent fence on every target, as in the system calls of a kernel.
func (t *Thread) Fence() { t.do(op{kind: barrier, text: "fence"}) }

// Choose returns any of 0 to n-1, for what a model does not determine.
func (t *Thread) Choose(n uint64) uint64 {
	return t.do(op{kind: choose, text: "choose", value: n})
}

// At states the state of the thread at a place of its body, where that is known better than by all
// the values that it has read: in a loop.
func (t *Thread) At(state ...any) {
	h := fnv.New64a()
	fmt.Fprint(h, state...)
	t.history = h.Sum64()
}

// Mark returns the state of the thread before a turn of a loop, for Idle.
func (t *Thread) Mark() uint64 {
	t.turn = append(t.turn[:0], t.view.seen...)
	return t.history
}

// Idle ends a turn of a loop that has changed nothing since Mark: the variables of the thread have
// the same values, and it has stored nothing. It waits until one of the words that the loop reads
// may have another value than at the beginning of the turn.
func (t *Thread) Idle(mark uint64, words ...*Word) {
	t.history = mark ^ 1
	t.op = op{kind: idle, text: "idle", words: words}
	if !t.yield(struct{}{}) {
		panic(abandoned{})
	}
	t.history = mark
	t.Mark()
}

// Read returns the value of d.
func (t *Thread) Read(d *Data) uint64 {
	if !t.known(d.wrote) {
		t.m.fail("%s reads %s while %s writes it", t.name, d.name, t.m.threads[d.wrote.thread].name)
	}
	d.reads[t.id] = access{t.id, 2 * t.id, t.view.clock[2*t.id]}
	if t.m.traced {
		t.m.log(t, "reads %s: %d", d.name, d.value)
	}
	t.remember(d.value)
	return d.value
}

// Write writes v to d.
func (t *Thread) Write(d *Data, v uint64) { t.write(d, v, 2*t.id, t.view.clock[2*t.id]) }

// WriteAround is Write by a store that bypasses the caches, which amd64 alone has.
func (t *Thread) WriteAround(d *Data, v uint64) {
	if *t.m.differs = true; !t.m.amd64 {
		t.Write(d, v)
		return
	}
	t.write(d, v, 2*t.id+1, t.view.clock[2*t.id+1]+1)
}

func (t *Thread) write(d *Data, v uint64, counter int, count uint16) {
	if !t.known(d.wrote) {
		t.m.fail("%s writes %s while %s writes it", t.name, d.name, t.m.threads[d.wrote.thread].name)
	}
	for _, r := range d.reads {
		if !t.known(r) {
			t.m.fail("%s writes %s while %s reads it", t.name, d.name, t.m.threads[r.thread].name)
		}
	}
	d.value, d.wrote = v, access{t.id, counter, count}
	if t.m.traced {
		t.m.log(t, "writes %s = %d", d.name, v)
	}
}

// Drain is SFENCE: what WriteAround has written before is ordered as other stores are.
func (t *Thread) Drain() {
	t.view.clock[2*t.id+1]++
	if t.m.traced {
		t.m.log(t, "drains")
	}
}

// Require fails the check unless ok.
func (t *Thread) Require(ok bool, format string, args ...any) {
	if !ok {
		t.m.fail("%s: %s", t.name, fmt.Sprintf(format, args...))
	}
}

// Has reports whether the model has a part. It is true but for the part that Verify has taken away.
func (t *Thread) Has(part string) bool {
	if !t.m.parts[part] {
		t.m.parts[part] = true
	}
	return t.m.without != part
}

// Order returns the orderings that a part has. If it is taken away, the access has no other ones
// but those of its other parts, in a full model all others.
func (t *Thread) Order(part string, o Order) Order {
	switch {
	case t.Has(part):
		return o
	case t.m.full:
		return Atomic&^o | reduced
	}
	return 0
}
