package fuzzing

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Mutations reach a value in the middle of an input, keep the seeds, and grow and shrink inputs.
func TestMutations(t *testing.T) {
	seed := []byte("header and 123 numbers")
	m := newMutator(1, [][]any{{bytes.Clone(seed), "text", uint16(7), true, 1.5}})
	found, shorter, longer, unchanged := 0, 0, 0, 0
	for range 20000 {
		in := m.next()
		b := in[0].([]byte)
		if len(b) > 7 && b[7] == 0xff {
			found++
		}
		switch {
		case len(b) > maxLength:
			t.Fatalf("an input of %d bytes", len(b))
		case len(b) < len(seed):
			shorter++
		case len(b) > len(seed):
			longer++
		case bytes.Equal(b, seed):
			unchanged++
		}
		_, _, _, _ = in[1].(string), in[2].(uint16), in[3].(bool), in[4].(float64)
	}
	if found == 0 || shorter == 0 || longer == 0 || unchanged > 10000 {
		t.Errorf("%d hits, %d shorter, %d longer, %d unchanged", found, shorter, longer, unchanged)
	}
	if !bytes.Equal(m.seeds[0][0].([]byte), seed) {
		t.Error("a seed was changed")
	}
}

// An input that fails ends the run, also where the target goes on, and is stored in the format of
// package testing.
func TestStore(t *testing.T) {
	t.Chdir(t.TempDir())
	f := &F{F: &testing.F{}, seeds: [][]any{{true}}}
	f.run(&testing.T{}, reflect.ValueOf(func(t *testing.T, _ bool) { t.Fail() }), limit{time: time.Hour}, 1)
	if dir, err := os.ReadDir("testdata/fuzz"); err != nil || len(dir) != 1 || os.RemoveAll("testdata") != nil {
		t.Fatal(dir, err)
	}
	f.store([]any{[]byte("\x00a"), "b\"", uint8(7), int32(-2), true})
	dir, err := os.ReadDir("testdata/fuzz")
	if err != nil || len(dir) != 1 {
		t.Fatal(dir, err)
	}
	data, err := os.ReadFile("testdata/fuzz/" + dir[0].Name())
	want := "go test fuzz v1\n[]byte(\"\\x00a\")\nstring(\"b\\\"\")\nuint8(0x7)\nint32(-2)\nbool(true)\n"
	if err != nil || !strings.HasSuffix(string(data), want) {
		t.Errorf("%q, want %q, %v", data, want, err)
	}
}

// A seed determines the inputs, so that a run can be repeated, and a run can be bounded by a number
// of inputs instead of a time.
func TestSeedAndCount(t *testing.T) {
	run := func(seed uint64) (all []string) {
		f := &F{F: &testing.F{}, seeds: [][]any{{[]byte("# size time\n8 1.50\n16 2.25\n")}}}
		l, err := parseLimit("100x")
		if err != nil {
			t.Fatal(err)
		}
		f.run(t, reflect.ValueOf(func(_ *testing.T, b []byte) { all = append(all, string(b)) }), l, seed)
		return all
	}
	one, again, other := run(1), run(1), run(2)
	if len(one) != 100 || !slices.Equal(one, again) || slices.Equal(one, other) {
		t.Errorf("%d inputs, repeated %t, with another seed repeated %t", len(one), slices.Equal(one, again), slices.Equal(one, other))
	}
	if l, err := parseLimit("30s"); err != nil || l.time != 30*time.Second || l.inputs != 0 {
		t.Errorf("30s: %+v, %v", l, err)
	}
	for _, wrong := range []string{"x", "1.5x", "30"} {
		if _, err := parseLimit(wrong); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}

// Lines are removed, repeated and exchanged as a whole, numbers are replaced as a whole, and long
// texts are cut at lines.
func TestLinesAreChanged(t *testing.T) {
	seed := strings.Repeat("# a heading of a table\n1024 2.50\n", 40)
	m := newMutator(1, [][]any{{[]byte(seed)}, {[]byte("another line\n")}})
	var short, added, exchanged int
	for range 20000 {
		text := string(m.next()[0].([]byte))
		if len(text) < windowed && text != "" && strings.HasSuffix(text, "\n") {
			short++
		}
		if strings.Contains(text, "table\nanother line\n1024 2.50") {
			added++
		}
		if strings.Contains(text, "\nnan 2.50\n") {
			exchanged++
		}
	}
	if short < 1000 || added == 0 || exchanged == 0 {
		t.Errorf("%d short inputs, %d with a line of another seed, %d with another number", short, added, exchanged)
	}
}
