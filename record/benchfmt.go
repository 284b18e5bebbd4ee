package record

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"
)

// WriteBenchfmt writes the medians of points in the Go benchmark format, so that benchstat compares
// files of launches: one point is one value. The name of a result consists of benchmark, size and
// ranks; the other factors are configuration (benchstat -col transport). Each unit has metadata
// with the direction that is better.
func WriteBenchfmt(w io.Writer, points []Point) error {
	out := benchfmt.NewWriter(w)
	declared := map[string]bool{}
	for i := range points {
		p := &points[i]
		r := &benchfmt.Result{
			Name:  benchfmt.Name(fmt.Sprintf("%s/size=%d/ranks=%d", strings.Join(strings.Fields(p.Bench), "_"), p.Size, p.Ranks)),
			Iters: int(max(1, p.Iterations)),
		}
		for _, f := range Factors {
			if f.Role != Outcome && !slices.Contains(inName, f.Name) && f.form != options {
				r.SetConfig(benchKey(f.Name), f.Text(p)) // an empty value deletes the key
			}
		}
		for _, name := range slices.Sorted(maps.Keys(p.Options)) {
			r.SetConfig(benchKey("option-"+name), p.Options[name])
		}
		for j := range r.Config {
			r.Config[j].File = true
		}
		for _, m := range Metrics {
			v, ok := p.Metrics.Lookup(m.Key)
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

// benchKey returns a name as a key of the format, which has neither capitals nor white space, and
// ends at a colon.
func benchKey(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || r == ':' {
			return '_'
		}
		return unicode.ToLower(r)
	}, name)
}

// inName lists the factors that are part of the name of a result.
var inName = []string{"bench", "size_B", "ranks"}

// benchUnit returns the unit of a metric in a form that benchstat can scale.
func benchUnit(m Metric) string {
	switch m.Unit {
	case "s":
		return m.Name + "-sec/op"
	case "B/s":
		return m.Name + "-B/sec"
	case "1/s", "op/s":
		return m.Name + "/sec"
	case "B":
		return m.Name + "-B"
	}
	return m.Name
}
