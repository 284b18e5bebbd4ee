package record

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"golang.org/x/perf/benchfmt"
)

// WriteBenchfmt writes the medians of points in the Go benchmark format, so
// that benchstat compares files of launches: one point is one value. The bench and its size
// are the name, the other factors are configuration (benchstat -col
// transport), and each unit says which way is better.
func WriteBenchfmt(w io.Writer, points []Point) error {
	out := benchfmt.NewWriter(w)
	declared := map[string]bool{}
	for i := range points {
		p := &points[i]
		r := &benchfmt.Result{
			Name:  benchfmt.Name(fmt.Sprintf("%s/size=%d/ranks=%d", p.Bench, p.Size, p.Ranks)),
			Iters: int(p.Iterations),
		}
		for _, c := range []struct{ key, value string }{
			{"library", p.Library}, {"transport", p.Transport}, {"level", p.Level}, {"rank_kind", p.RankKind}, {"path", p.Path}, {"cache", p.Cache}, {"memory", p.Memory},
			{"algorithm", p.Algorithm}, {"root", p.Root}, {"start", p.Start}, {"arrival_skew", p.Skew}, {"clock_sync", p.ClockSync}, {"check", p.Check},
			{"in_place", given(p.InPlace)}, {"groups", several(p.Groups)},
		} {
			r.SetConfig(c.key, c.value) // an empty value deletes the key
		}
		for _, name := range slices.Sorted(maps.Keys(p.Options)) {
			r.SetConfig("option-"+name, p.Options[name])
		}
		for j := range r.Config {
			r.Config[j].File = true
		}
		for _, m := range Metrics {
			v, ok := p.Metrics[m.Key]
			if !ok {
				continue
			}
			unit := benchUnit(m)
			r.Values = append(r.Values, benchfmt.Value{Value: v.Median, Unit: unit})
			if !declared[unit] {
				declared[unit] = true
				key := benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}
				if err := out.Write(&benchfmt.UnitMetadata{UnitMetadataKey: key, OrigUnit: unit, Value: string(m.Direction)}); err != nil {
					return &WriteError{Err: err}
				}
			}
		}
		if err := out.Write(r); err != nil {
			return &WriteError{Err: err}
		}
	}
	return nil
}

// given and several are the texts of factors that are absent where they say nothing.
func given(b bool) string {
	if b {
		return "true"
	}
	return ""
}

func several(n int) string {
	if n > 1 {
		return strconv.Itoa(n)
	}
	return ""
}

// benchUnit names a metric as benchstat's units do, which then scales it.
func benchUnit(m Metric) string {
	switch m.Unit {
	case "s":
		return m.Name + "-sec/op"
	case "B/s":
		return m.Name + "-B/sec"
	case "1/s", "op/s":
		return m.Name + "/sec"
	}
	return m.Name
}
