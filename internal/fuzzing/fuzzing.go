// Package fuzzing runs the fuzz targets of package testing many times faster than go test -fuzz
// does, without its guidance by coverage: inputs are mutations of the seeds, in one process. The
// coverage-guided engine spends some 50 us on every input, most targets less than 1 us.
package fuzzing

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Environment variables. Variable holds the time for which every target runs, such as 30s, or the
// number of inputs, such as 100000x; without it targets run as package testing wants. Seed holds
// the number that determines the inputs, which a run prints; without it each run has another one.
const (
	Variable = "GOBENCH_FUZZ"
	Seed     = "GOBENCH_FUZZ_SEED"
)

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
	limit, err := parseLimit(text)
	if err != nil {
		f.Fatalf("%s=%s: %v", Variable, text, err)
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv(Seed); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			f.Fatalf("%s=%s: %v", Seed, text, err)
		}
	}
	fn := reflect.ValueOf(target)
	done := false
	f.F.Fuzz(reflect.MakeFunc(fn.Type(), func(args []reflect.Value) []reflect.Value {
		if !done { // the first seed: the only place where there is a testing.T
			done = true
			f.run(args[0].Interface().(*testing.T), fn, limit, seed)
		}
		return fn.Call(args)
	}).Interface())
}

// A limit is the end of a run.
type limit struct {
	time   time.Duration
	inputs int // instead of time, if it is not 0
}

func parseLimit(text string) (l limit, err error) {
	if count, ok := strings.CutSuffix(text, "x"); ok {
		l.inputs, err = strconv.Atoi(count)
	} else {
		l.time, err = time.ParseDuration(text)
	}
	return l, err
}

// run tries mutations up to the limit.
func (f *F) run(t *testing.T, fn reflect.Value, l limit, seed uint64) {
	// Most memory of an input is garbage when it has been tried: at the usual 4 MiB a third of the
	// time was spent in the collector.
	defer debug.SetGCPercent(debug.SetGCPercent(4000))
	m := newMutator(seed, f.seeds)
	var inputs []any
	clean := false
	n := 0
	defer func() {
		if !clean {
			f.store(inputs)
		}
		fmt.Printf("seed: %d, execs: %d\n", seed, n)
	}()
	for end := time.Now().Add(l.time); n < l.inputs || l.inputs == 0 && (n%256 != 0 || time.Now().Before(end)); n++ {
		inputs = m.next()
		if call(t, fn, inputs); t.Failed() {
			return
		}
	}
	clean = true
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
	dir := filepath.Join("testdata", "fuzz", f.Name())
	name := filepath.Join(dir, strconv.FormatUint(sum.Sum64(), 16))
	if err := os.MkdirAll(dir, 0o755); err != nil {
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
	digits [32]byte
	piece  []byte
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
		m.buffer[i] = m.edit(m.window(append(m.buffer[i][:0], x...)))
		return m.buffer[i]
	case string:
		m.buffer[i] = m.edit(m.window(append(m.buffer[i][:0], x...)))
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
	lineEdits = 5       // kinds of changes of lines, beside eight of bytes
	maxLength = 4 << 10 // of an input that grows
	windowed  = 300     // bytes of a text from which lines are chosen
)

// edit changes b in place.
func (m *mutator) edit(b []byte) []byte {
	for range m.rand.IntN(edits + 1) {
		if len(b) == 0 {
			b = append(b, byte(m.rand.Uint32()))
			continue
		}
		at := m.rand.IntN(len(b))
		switch m.rand.IntN(8 + lineEdits) {
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
		default:
			b = m.editLine(b, at)
		}
	}
	return b
}

// editLine changes the line of b at a byte, or the number that follows it.
func (m *mutator) editLine(b []byte, at int) []byte {
	begin := bytes.LastIndexByte(b[:at], '\n') + 1
	end := endOfLine(b, at)
	switch m.rand.IntN(lineEdits) {
	case 0: // remove lines
		for range m.rand.IntN(4) {
			end = endOfLine(b, min(end, len(b)-1))
		}
		return slices.Delete(b, begin, end)
	case 1: // repeat it
		return m.insert(b, begin, b[begin:end])
	case 2: // add one of another seed
		if other := m.bytes[m.rand.IntN(len(m.bytes))]; len(other) > 0 {
			at := m.rand.IntN(len(other))
			return m.insert(b, begin, other[bytes.LastIndexByte(other[:at], '\n')+1:endOfLine(other, at)])
		}
	case 3: // another number
		if from, to, ok := numberIn(b, at); ok {
			return m.insert(slices.Delete(b, from, to), from, m.word())
		}
	case 4: // the number of another seed
		other := m.bytes[m.rand.IntN(len(m.bytes))]
		from, to, ok := numberIn(b, at)
		if there, end, found := numberIn(other, m.rand.IntN(len(other)+1)); ok && found {
			return m.insert(slices.Delete(b, from, to), from, other[there:end])
		}
	}
	return b
}

// insert inserts a piece, which may be one of b, unless b becomes too long.
func (m *mutator) insert(b []byte, at int, piece []byte) []byte {
	if len(b)+len(piece) > maxLength {
		return b
	}
	m.piece = append(m.piece[:0], piece...)
	return slices.Insert(b, at, m.piece...)
}

// word returns a number as texts have it, or a word that stands for one.
func (m *mutator) word() []byte {
	words := [...]string{"0", "-1", "nan", "inf", "1e300", "1e-400", "0x10", "1,000", "1.", ".5", "00", "N/A", "", "9223372036854775808"}
	if n := m.rand.IntN(2 * len(words)); n < len(words) {
		return append(m.digits[:0], words[n]...)
	}
	if m.rand.IntN(2) == 0 {
		return strconv.AppendFloat(m.digits[:0], float64(m.rand.IntN(1e6))/1000, 'f', m.rand.IntN(4), 64)
	}
	return strconv.AppendUint(m.digits[:0], m.number(), 10)
}

// endOfLine returns the index behind the line of b at a byte.
func endOfLine(b []byte, at int) int {
	if n := bytes.IndexByte(b[at:], '\n'); n >= 0 {
		return at + n + 1
	}
	return len(b)
}

// numberIn returns where the next number at or after a byte of b lies.
func numberIn(b []byte, at int) (from, to int, ok bool) {
	digit := func(r rune) bool { return r >= '0' && r <= '9' || r == '.' }
	n := bytes.IndexFunc(b[at:], digit)
	if n < 0 {
		return 0, 0, false
	}
	from = at + n
	if n = bytes.IndexFunc(b[from:], func(r rune) bool { return !digit(r) }); n < 0 {
		n = len(b) - from
	}
	return from, from + n, true
}

// window keeps some lines of a text that has many: inputs that are short are tried faster, and a
// change of them is more often one of what is read. The first lines stay in every second, because
// they name the program of a log.
func (m *mutator) window(b []byte) []byte {
	if len(b) <= windowed || m.rand.IntN(16) == 0 {
		return b
	}
	head := 0
	if m.rand.IntN(2) == 0 {
		for range 1 + m.rand.IntN(6) {
			head = endOfLine(b, min(head, len(b)-1))
		}
	}
	begin := bytes.LastIndexByte(b[:m.rand.IntN(len(b))], '\n') + 1
	end := endOfLine(b, min(begin+m.rand.IntN(2*windowed), len(b)-1))
	if begin < head {
		return b[:max(end, head)]
	}
	return append(b[:head], b[begin:end]...)
}
