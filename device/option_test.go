package device

import (
	"errors"
	"strconv"
	"testing"

	"gobench/internal/fuzzing"
)

// A size that is read is no less than 0, and is the same written out.
func FuzzParseBytes(t *testing.F) {
	f := fuzzing.New(t)
	for _, s := range []string{"0", "8", "64K", "4MiB", "1gib", "1KB", "16TiB", "-1", "9223372036854775807", "18014398509481984K"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := ParseBytes(s)
		if err != nil {
			return
		}
		if again, err := ParseBytes(strconv.Itoa(n)); n < 0 || again != n || err != nil {
			t.Errorf("%q is %d, which is %d, %v", s, n, again, err)
		}
	})
}

// Options that are accepted can be asked for.
func FuzzParseOptions(t *testing.F) {
	f := fuzzing.New(t)
	f.Add("engine", "net", "size", "64K")
	f.Add("size", "auto", "count", "3")
	f.Add("none", "", "text", "\x00")
	declared := []Option{
		{Name: "engine", Kind: Word, Default: "poll", Values: []string{"poll", "net"}},
		{Name: "size", Kind: Bytes, Default: auto},
		{Name: "room", Kind: Bytes, Default: "4KiB"},
		{Name: "count", Kind: Count, Default: "1"},
		{Name: "text", Kind: Text},
	}
	f.Fuzz(func(t *testing.T, name, value, other, more string) {
		o, err := ParseOptions(declared, map[string]string{name: value, other: more})
		if err != nil {
			var unknown *UnknownError
			var wrong *ValueError
			if !errors.As(err, &unknown) && !errors.As(err, &wrong) {
				t.Errorf("error %v has no type", err)
			}
			return
		}
		o.Word("text")
		if engine := o.Word("engine"); engine != "poll" && engine != "net" {
			t.Errorf("engine is %q", engine)
		}
		if size, room, count := o.Bytes("size"), o.Bytes("room"), o.Count("count"); size < -1 || room < 0 || count < 0 {
			t.Errorf("%q=%q %q=%q are size %d, room %d, count %d", name, value, other, more, size, room, count)
		}
	})
}
