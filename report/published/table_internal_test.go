package published

import (
	"slices"
	"strings"
	"testing"

	"gobench/report/figure"
)

// Every entry has names of its own, kinds that exist, and values of one quantity each.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range entries {
		for _, name := range strings.Fields(e.names) {
			if seen[name] || !Is(name) {
				t.Errorf("%s is there twice, or of no work", name)
			}
			seen[name] = true
		}
		if e.caption == "" || len(e.kinds) == 0 {
			t.Errorf("%s has no caption or no kind", e.names)
		}
		for kind := range strings.FieldsSeq(e.kinds) {
			if !slices.ContainsFunc(figure.Kinds, func(k figure.Kind) bool { return k.Name == kind }) {
				t.Errorf("%s: there is no kind %s", e.names, kind)
			}
		}
		if len(e.stated) > 26 {
			t.Errorf("%s: more values than letters", e.names)
		}
		for _, s := range e.stated {
			n := 0
			for _, q := range quantities {
				if q.of(s) != 0 {
					n++
				}
			}
			if n != 1 || s.what == "" || strings.HasSuffix(s.what, " ") {
				t.Errorf("%s: %d quantities in %+v", e.names, n, s)
			}
			if s.bench != "" && e.benches != "" && !slices.Contains(strings.Fields(e.benches), s.bench) {
				t.Errorf("%s does not show %s", e.names, s.bench)
			}
		}
	}
}

// A range of a text is neither written as a bound nor as a value.
func TestText(t *testing.T) {
	for want, s := range map[string]stated{
		"a: 11 µs":                               {what: "a", latency: 11},
		"a: less than 3 Gbit/s (0.375 GB/s)":     {what: "a", bound: lessThan, gbits: 3},
		"a: about 2 Gbit/s (0.25 GB/s) at 2 MiB": {what: "a", bound: about, gbits: 2, size: 2 << 20},
		"a: 17 000 Mop/s on 64 cores":            {what: "a", mops: 17000, cores: 64},
		"a: more than 130 on 256 cores":          {what: "a", bound: moreThan, speedup: 130, cores: 256},
		"a: 179 s on 1 core":                     {what: "a", seconds: 179, cores: 1},
	} {
		if got := s.text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
