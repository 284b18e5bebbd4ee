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

// Numbers beyond the bounds of an option are refused, but for its default.
func TestOptionBounds(t *testing.T) {
	declared := []Option{
		{Name: "size", Kind: Bytes, Default: auto, Min: 256, Max: 4096}, {Name: "count", Kind: Count, Default: "0", Min: 2, Max: 9}, {Name: "free", Kind: Count, Default: "1"},
		{Name: "least", Kind: Count, Default: "0", Min: 5, Unit: "seconds"},
	}
	for _, c := range []struct {
		name, value string
		fits        bool
	}{
		{"size", auto, true}, {"size", "256", true}, {"size", "4K", true}, {"size", "255", false}, {"size", "4097", false},
		{"count", "0", true}, {"count", "1", false}, {"count", "2", true}, {"count", "9", true}, {"count", "10", false},
		{"free", "0", true}, {"free", "1000000", true},
		{"least", "0", true}, {"least", "4", false}, {"least", "5", true}, {"least", "1000000", true},
	} {
		_, err := ParseOptions(declared, map[string]string{c.name: c.value})
		wrong, ok := errors.AsType[*ValueError](err)
		if c.fits != (err == nil) || err != nil && (!ok || wrong.Option != c.name) {
			t.Errorf("%s=%s: the error is %v", c.name, c.value, err)
		}
	}
	for name, want := range map[string]string{"size": "256 to 4096 bytes", "count": "2 to 9", "least": "at least 5 seconds"} {
		_, err := ParseOptions(declared, map[string]string{name: "1"})
		if wrong, ok := errors.AsType[*ValueError](err); !ok || wrong.Want != want {
			t.Errorf("%s=1: the error is %v, want %s", name, err, want)
		}
	}
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
