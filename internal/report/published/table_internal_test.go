package published

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gobench/internal/report/figure"
)

// Every entry has unique names, existing kinds, and values of one quantity each.
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

// Bounds and ranges are written as in the texts.
func TestText(t *testing.T) {
	for want, s := range map[string]stated{
		"a: 11 µs":                                  {what: "a", latency: 11},
		"a: less than 3 Gbit/s (0.375 GB/s)":        {what: "a", bound: lessThan, gbits: 3},
		"a: about 2 Gbit/s (0.25 GB/s) at 2 MiB":    {what: "a", bound: about, gbits: 2, size: 2 << 20},
		"a: 17 000 Mop/s on 64 cores":               {what: "a", mops: 17000, cores: 64},
		"FT, a: speedup more than 130 on 256 cores": {what: "a", bench: "ft", bound: moreThan, speedup: 130, cores: 256},
		"a: 0.42 to 0.48 µs":                        {what: "a", latency: 0.42, to: 0.48},
		"a: up to 4.9 Gbit/s (0.6125 GB/s)":         {what: "a", bound: upTo, gbits: 4.9},
		"a: 179 s on 1 core":                        {what: "a", seconds: 179, cores: 1},
	} {
		if got := s.text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if v, ok := (stated{latency: 50, to: 60}).value("half_rtt_s"); !ok || math.Abs(v-55e-6) > 1e-12 {
		t.Errorf("a range is drawn at %g s", v)
	}
}
