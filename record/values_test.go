package record

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// Values hold the same as a map, whatever was set and deleted.
func TestValuesAreLikeAMap(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	keys := []string{"half_rtt_s", "distance_s", "bandwidth_Bps", "unknown", "other", "t_s"}
	want, got := map[string]Value{}, Values{}
	for range 2000 {
		key := keys[random.IntN(len(keys))]
		before, copied := maps.Clone(want), got
		if random.IntN(3) == 0 {
			delete(want, key)
			got.Delete(key)
		} else {
			v := Value{
				Median: float64(random.IntN(3)), Hi: float64(random.IntN(2)), N: random.IntN(3), Within: float64(random.IntN(2)),
				Statistic: []string{"", Mean, Best, "odd"}[random.IntN(4)],
			}
			want[key] = v
			got.Set(key, v)
		}
		for _, is := range []struct {
			got  Values
			want map[string]Value
		}{{got, want}, {copied, before}} {
			if all := maps.Collect(is.got.All()); !maps.Equal(all, is.want) || is.got.Len() != len(is.want) {
				t.Fatalf("%d values %v, want %v", is.got.Len(), all, is.want)
			}
		}
		for _, key := range keys {
			v, ok := got.Lookup(key)
			if known, in := want[key]; v != known || ok != in || got.Has(key) != in || got.Median(key) != known.Median {
				t.Fatalf("%s: %v, %t, want %v, %t", key, v, ok, known, in)
			}
		}
	}
}

// The times come from the catalogue, in the order of preference.
func TestTimesOfValues(t *testing.T) {
	if len(times) > 8 || AllTimes != 1<<len(times)-1 {
		t.Fatalf("a TimeSet does not hold %d times", len(times))
	}
	for i, key := range times {
		v := ValuesOf(map[string]Value{key: {Median: 1, N: 1}, "skew_s": {Median: 1, N: 1}})
		if got := TimeKey(v); got != key {
			t.Errorf("%s alone is %q", key, got)
		}
		both := ValuesOf(map[string]Value{key: {Median: 1, N: 1}, times[0]: {Median: 1, N: 1}})
		if got := TimeKey(both, v); got != key {
			t.Errorf("%s in common with point %d is %q", key, i, got)
		}
	}
	if got := TimeKey(Values{}); got != "" {
		t.Errorf("no metric has the time %q", got)
	}
}
