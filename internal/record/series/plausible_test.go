package series_test

import (
	"fmt"
	"strings"
	"testing"

	"gobench/internal/record/series"
	"gobench/record"
)

// collective returns the row of eight launches of a collective that takes ns nanoseconds.
func collective(t *testing.T, ns float64, change func(*record.Point)) record.Point {
	t.Helper()
	var points []record.Point
	for i := range 8 {
		p := launch(i+1, 1)
		v := p.Metrics.Get("half_rtt_s")
		by := ns * 1e-9 / v.Median
		for _, of := range []*float64{&v.Median, &v.Lo, &v.Hi, &v.Min, &v.P50, &v.P90, &v.P99, &v.Max} {
			*of *= by
		}
		p.Bench, p.Level, p.Algorithm, p.Start, p.Size, p.Amount = "bcast", "comm", "ring", "time", 8, 0
		p.Metrics = record.ValuesOf(map[string]record.Value{"global_s": v})
		change(&p)
		points = append(points, p)
	}
	return row(t, points)
}

func implausible(p record.Point) (told string) {
	for _, w := range p.Warnings {
		if strings.HasPrefix(w, "implausible: ") {
			told += w
		}
	}
	return told
}

// No collective of two ranks takes less time than a cache line.
func TestAnOperationFasterThanACacheLine(t *testing.T) {
	for _, c := range []struct {
		name   string
		ns     float64
		change func(*record.Point)
		want   bool
	}{
		{"longer than a line", 31, func(*record.Point) {}, false},
		{"shorter than a line", 20, func(*record.Point) {}, true},
		{"shorter by less than the floor", 20, func(p *record.Point) { p.Floor = 11e-9 }, false},
		{"shorter by less than the clocks differ", 20, func(p *record.Point) { p.ClockError = 11e-9 }, false},
		{"a barrier", 20, func(p *record.Point) { p.Bench, p.Size = "barrier", 0 }, true},
		{"nothing is sent", 20, func(p *record.Point) { p.Size = 0 }, false},
		{"one rank", 20, func(p *record.Point) { p.Ranks = 1 }, false},
		{"another host", 20, func(p *record.Point) { p.StateDistance = 0 }, false},
		{"late ranks find their data", 20, func(p *record.Point) {
			p.Metrics = record.ValuesOf(map[string]record.Value{"local_s": p.Metrics.Get("global_s")})
		}, false},
		{"far cores, and two of them near", 50, func(p *record.Point) {
			p.Ranks, p.StateDistance, p.DistanceMin = 4, far, near
		}, false},
	} {
		told := implausible(collective(t, c.ns, c.change))
		if (told != "") != c.want {
			t.Errorf("%s: warnings %q", c.name, told)
		}
	}
	if told := implausible(collective(t, 20, func(*record.Point) {})); !strings.Contains(told, "20 ns is less than a cache line takes from one core to another (30 ns)") {
		t.Errorf("told %q", told)
	}
}

// sizes returns rows of messages of 8, 16, 32, ... bytes by their times in us.
func sizes(t *testing.T, change func(*record.Point), us ...float64) []record.Point {
	t.Helper()
	var points []record.Point
	for i, time := range us {
		for n, wave := range []float64{1, 1.01, 0.99, 1, 1.01, 0.99, 1, 1} {
			p := launch(n+1, time*wave)
			p.Size = 8 << i
			p.Metrics.Delete("bandwidth_Bps")
			if p.Size <= 16 {
				p.Batched = 16
				v := p.Metrics.Get("half_rtt_s")
				v.Min, v.P50, v.P90, v.P99, v.Max = 0, 0, 0, 0, 0
				p.Metrics.Set("half_rtt_s", v)
			}
			change(&p)
			points = append(points, p)
		}
	}
	return rows(t, points)
}

// A larger message takes no less time than a smaller one.
func TestALargerMessageThatIsFaster(t *testing.T) {
	same := func(*record.Point) {}
	for _, c := range []struct {
		name   string
		us     []float64
		change func(*record.Point)
		want   string // sizes with a warning
	}{
		{"in order", []float64{1, 1.1, 1.5, 3}, same, ""},
		{"equal within 5 %", []float64{1, 0.96, 1, 1}, same, ""},
		{"one in the middle", []float64{1, 1.1, 0.8, 3}, same, "32 "},
		{"beside one that is slow for its size", []float64{1, 5, 2, 3, 4, 6}, same, "32 64 128 "},
		{"the first", []float64{2, 1}, same, "16 "},
		{"in wide intervals", []float64{1, 1.1, 0.8}, func(p *record.Point) {
			if p.Launch == 3 {
				v := p.Metrics.Get("half_rtt_s")
				for _, of := range []*float64{&v.Median, &v.Lo, &v.Hi, &v.Min, &v.P50, &v.P90, &v.P99, &v.Max} {
					*of *= 2
				}
				p.Metrics.Set("half_rtt_s", v)
			}
		}, ""},
		{"over other transports", []float64{1, 1.1, 0.8}, func(p *record.Point) {
			if p.Size == 32 {
				p.Transport = "tcp"
			}
		}, ""},
		{"with other cores", []float64{1, 1.1, 0.8}, func(p *record.Point) {
			if p.Size < 32 {
				p.StateDistance = far
			}
		}, ""},
		{"on another path", []float64{1, 1.1, 0.8}, func(p *record.Point) { p.Path = fmt.Sprint("path ", p.Size) }, "32 "},
	} {
		told := ""
		for _, r := range sizes(t, c.change, c.us...) {
			if implausible(r) != "" {
				told += fmt.Sprint(r.Size, " ")
			}
		}
		if told != c.want {
			t.Errorf("%s: warnings about %q, want %q", c.name, told, c.want)
		}
	}
	if told := implausible(sizes(t, same, 1, 0.75)[1]); !strings.Contains(told, "25 % less time than 8 bytes do") {
		t.Errorf("told %q", told)
	}
}

// The bandwidth of messages larger than the caches is at most the copy bandwidth of the cores.
func TestARateBeyondMemory(t *testing.T) {
	known, unknown := record.Run{Copy: 10e9, Cache: 32 << 20}, record.Run{Copy: 10e9}
	for _, c := range []struct {
		name  string
		run   record.Run
		size  int64
		cache string
		rate  float64
		want  bool
	}{
		{"in the cache", known, 4 << 20, "warm", 90e9, false},
		{"larger than the cache", known, 64 << 20, "warm", 90e9, true},
		{"cold", known, 4 << 20, "cold", 90e9, true},
		{"cold, and possible", known, 4 << 20, "cold", 15e9, false},
		{"cache of unknown size", unknown, 64 << 20, "warm", 90e9, false},
		{"cold, cache of unknown size", unknown, 4 << 20, "cold", 90e9, true},
	} {
		var points []record.Point
		for i := range 8 {
			p := launch(i+1, 1)
			p.Size, p.Amount, p.Cache = c.size, c.size, c.cache
			time := float64(c.size) / c.rate
			p.Metrics = record.ValuesOf(map[string]record.Value{
				"half_rtt_s":    {Median: time, N: 100},
				"bandwidth_Bps": {Median: c.rate, N: 100},
			})
			points = append(points, p)
		}
		rows := series.Rows([]record.Run{c.run}, points, new(series.Scales))
		if told := implausible(rows[0]); (told != "") != c.want {
			t.Errorf("%s: told %q", c.name, told)
		}
	}
}
