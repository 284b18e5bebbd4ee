package fuzzing

import (
	"bytes"
	"os"
	"reflect"
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
	if folder, err := os.ReadDir("testdata/fuzz"); err != nil || len(folder) != 1 || os.RemoveAll("testdata") != nil {
		t.Fatal(folder, err)
	}
	f.store([]any{[]byte("\x00a"), "b\"", uint8(7), int32(-2), true})
	folder, err := os.ReadDir("testdata/fuzz")
	if err != nil || len(folder) != 1 {
		t.Fatal(folder, err)
	}
	data, err := os.ReadFile("testdata/fuzz/" + folder[0].Name())
	want := "go test fuzz v1\n[]byte(\"\\x00a\")\nstring(\"b\\\"\")\nuint8(0x7)\nint32(-2)\nbool(true)\n"
	if err != nil || !strings.HasSuffix(string(data), want) {
		t.Errorf("%q, want %q, %v", data, want, err)
	}
}
