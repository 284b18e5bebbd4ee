package micro_test

import (
	"errors"
	"strings"
	"testing"

	"gobench/device"
	"gobench/internal/micro"
	"gobench/record"
)

func TestLookupByNameAndAlias(t *testing.T) {
	// OSU's test answers each window with a message, and does not wait for posted receives.
	if b, err := micro.Lookup("osu_mbw_mr"); err != nil || b.Name != "uniband" {
		t.Errorf("osu_mbw_mr is %q, %v", b.Name, err)
	}
	for name, want := range map[string]string{
		"pingpong": "pingpong", "PingPong": "pingpong", "latency": "pingpong", "uniband": "uniband",
		"bw": "uniband", "BiBand": "biband", "msgrate": "msgrate", "mr": "msgrate", "Exchange": "exchange",
	} {
		b, err := micro.Lookup(name)
		if err != nil || b.Name != want {
			t.Errorf("%s is %s (%v), want %s", name, b.Name, err, want)
		}
	}
	_, err := micro.Lookup("pingpon")
	var u *device.UnknownError
	if !errors.As(err, &u) || u.What != "benchmark" || len(u.Known) != len(micro.All()) {
		t.Errorf("got %v", err)
	}
}

// Every benchmark has a description and a metric of the catalogue.
func TestEveryBenchmarkIsDescribed(t *testing.T) {
	names := map[string]bool{}
	for _, b := range micro.All() {
		for _, name := range append([]string{b.Name}, b.Aliases...) {
			if names[name] || name != strings.ToLower(name) {
				t.Errorf("the name %s of %s is used twice or not in lower case", name, b.Name)
			}
			names[name] = true
		}
		if m, ok := record.Lookup(b.Metric); !ok || m.Key != b.Metric || m.Unit != "s" {
			t.Errorf("%s: metric %q is not a time of the catalogue", b.Name, b.Metric)
		}
		if b.About == "" || strings.Contains(b.About, "\n") || !strings.Contains(b.Formula, "=") {
			t.Errorf("%s is not described: %q, %q", b.Name, b.About, b.Formula)
		}
		if b.Scale <= 0 || b.Buffers(2) < 1 || b.Amount(2, 1) < 1 {
			t.Errorf("%s: scale %g, %d buffers, amount %d", b.Name, b.Scale, b.Buffers(2), b.Amount(2, 1))
		}
	}
}
