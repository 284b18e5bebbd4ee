// Package fuzzing runs the fuzz targets of package testing many times faster than go test -fuzz
// does, without its guidance by coverage: inputs are mutations of the seeds, in one process. The
// coverage-guided engine spends some 50 us on every input, most targets less than 1 us.
package fuzzing

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"
	"time"
)

// Variable is the environment variable with the time for which every target runs, such as 30s.
// Without it targets run as package testing wants.
const Variable = "GOBENCH_FUZZ"

// F is a testing.F whose Fuzz obeys Variable.
type F struct {
	*testing.F
	seeds [][]any
}

// New returns f with the fast engine.
func New(f *testing.F) *F { return &F{F: f} }

// Add adds a seed. Its values are also the material of mutations.
func (f *F) Add(args ...any) {
	f.seeds = append(f.seeds, args)
	f.F.Add(args...)
}

// Fuzz is testing.F.Fuzz. With Variable set it runs target on mutations of the seeds for that time,
// prints their number, and stores a failing input where package testing finds it.
func (f *F) Fuzz(target any) {
	text := os.Getenv(Variable)
	if text == "" || len(f.seeds) == 0 {
		f.F.Fuzz(target)
		return
	}
	limit, err := time.ParseDuration(text)
	if err != nil {
		f.Fatalf("%s=%s: %v", Variable, text, err)
	}
	fn := reflect.ValueOf(target)
	done := false
	f.F.Fuzz(reflect.MakeFunc(fn.Type(), func(args []reflect.Value) []reflect.Value {
		if !done { // the first seed: the only place where there is a testing.T
			done = true
			f.run(args[0].Interface().(*testing.T), fn, limit)
		}
		return fn.Call(args)
	}).Interface())
}

// run tries mutations until the time is over.
func (f *F) run(t *testing.T, fn reflect.Value, limit time.Duration) {
	m := newMutator(uint64(time.Now().UnixNano()), f.seeds)
	var inputs []any
	clean := false
	defer func() {
		if !clean {
			f.store(inputs)
		}
	}()
	n := 0
	for end := time.Now().Add(limit); n%256 != 0 || time.Now().Before(end); n++ {
		inputs = m.next()
		if call(t, fn, inputs); t.Failed() {
			return
		}
	}
	clean = true
	fmt.Printf("execs: %d\n", n)
}

// call calls fn, without reflection if its type is a common one.
func call(t *testing.T, fn reflect.Value, inputs []any) {
	switch fn := fn.Interface().(type) {
	case func(*testing.T, []byte):
		fn(t, inputs[0].([]byte))
	case func(*testing.T, string):
		fn(t, inputs[0].(string))
	default:
		args := []reflect.Value{reflect.ValueOf(t)}
		for _, x := range inputs {
			args = append(args, reflect.ValueOf(x))
		}
		reflect.ValueOf(fn).Call(args)
	}
}

// store writes inputs into the corpus of the target, in the format of package testing.
func (f *F) store(inputs []any) {
	text := "go test fuzz v1\n"
	for _, x := range inputs {
		switch x := x.(type) {
		case []byte:
			text += fmt.Sprintf("[]byte(%q)\n", x)
		default:
			text += fmt.Sprintf("%T(%#v)\n", x, x)
		}
	}
	sum := fnv.New64a()
	sum.Write([]byte(text))
	folder := filepath.Join("testdata", "fuzz", f.Name())
	name := filepath.Join(folder, strconv.FormatUint(sum.Sum64(), 16))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		f.Error(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		f.Error(err)
	}
	fmt.Printf("Failing input written to %s\n", name)
}

// A mutator makes inputs from seeds.
type mutator struct {
	rand   *rand.Rand
	seeds  [][]any
	bytes  [][]byte // of all seeds, to splice
	inputs []any
	buffer [][]byte // of each argument; an input is valid until the next one
	digits [20]byte
}

func newMutator(seed uint64, seeds [][]any) *mutator {
	m := &mutator{rand: rand.New(rand.NewPCG(seed, 0)), seeds: seeds, inputs: make([]any, len(seeds[0])), buffer: make([][]byte, len(seeds[0]))}
	for _, s := range seeds {
		for _, x := range s {
			switch x := x.(type) {
			case []byte:
				m.bytes = append(m.bytes, x)
			case string:
				m.bytes = append(m.bytes, []byte(x))
			}
		}
	}
	return m
}

// next returns an input, valid until the next call.
func (m *mutator) next() []any {
	for i, x := range m.seeds[m.rand.IntN(len(m.seeds))] {
		m.inputs[i] = m.mutate(i, x)
	}
	return m.inputs
}

func (m *mutator) mutate(i int, x any) any {
	switch x := x.(type) {
	case []byte:
		m.buffer[i] = m.edit(append(m.buffer[i][:0], x...))
		return m.buffer[i]
	case string:
		m.buffer[i] = m.edit(append(m.buffer[i][:0], x...))
		return string(m.buffer[i])
	case bool:
		return m.rand.IntN(2) == 0
	case float64:
		return x * (m.rand.Float64()*4 - 2)
	}
	v := reflect.New(reflect.TypeOf(x)).Elem()
	if v.CanInt() {
		v.SetInt(int64(m.number()))
	} else {
		v.SetUint(m.number())
	}
	return v.Interface()
}

// number returns a small, a boundary or a random number.
func (m *mutator) number() uint64 {
	switch m.rand.IntN(4) {
	case 0:
		return m.rand.Uint64N(300)
	case 1:
		return 1<<m.rand.IntN(64) - uint64(m.rand.IntN(3)) + 1
	case 2:
		return -m.rand.Uint64N(300)
	}
	return m.rand.Uint64()
}

const (
	edits     = 5       // most changes of one input
	maxLength = 4 << 10 // of an input that grows
)

// edit changes b in place.
func (m *mutator) edit(b []byte) []byte {
	for range m.rand.IntN(edits + 1) {
		if len(b) == 0 {
			b = append(b, byte(m.rand.Uint32()))
			continue
		}
		at := m.rand.IntN(len(b))
		switch m.rand.IntN(8) {
		case 0:
			b[at] ^= 1 << m.rand.IntN(8)
		case 1:
			b[at] = byte(m.rand.Uint32())
		case 2: // a number, in both orders of bytes
			var word [8]byte
			if m.rand.IntN(4) == 0 {
				binary.BigEndian.PutUint64(word[:], m.number())
			} else {
				binary.LittleEndian.PutUint64(word[:], m.number())
			}
			copy(b[at:], word[:1<<m.rand.IntN(4)])
		case 3:
			b = b[:at]
		case 4: // remove a piece
			n := min(1+m.rand.IntN(16), len(b)-at)
			b = append(b[:at], b[at+n:]...)
		case 5: // repeat a piece
			n := min(1+m.rand.IntN(64), len(b)-at)
			if len(b)+n <= maxLength {
				b = append(b, b[at:at+n]...)
				copy(b[at+n:], b[at:len(b)-n])
			}
		case 6: // a piece of another seed, which replaces or extends
			other := m.bytes[m.rand.IntN(len(m.bytes))]
			if len(other) > 0 {
				from := m.rand.IntN(len(other))
				n := min(1+m.rand.IntN(64), len(other)-from)
				if m.rand.IntN(2) == 0 && len(b)+n <= maxLength {
					b = append(b, other[from:from+n]...)
				} else {
					copy(b[at:], other[from:from+n])
				}
			}
		case 7: // a decimal number, as texts have them
			copy(b[at:], strconv.AppendInt(m.digits[:0], int64(m.number()), 10))
		}
	}
	return b
}
