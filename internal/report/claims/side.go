package claims

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gobench/internal/report/cell"
	"gobench/record"
)

// A side selects points by the values of factors: "bench=cg; hosts=2+; transport=smem|tcp". A value
// may be one of several, a lower bound ("2+"), any other than one ("!process"), or none ("none"). A
// factor of record.Factors that a point lacks has its default.
type side string

// facts are the factors of a side beside those of record.Factors.
var facts = map[string]func(cell.Point) string{
	"bench": func(p cell.Point) string { return p.Bench[strings.LastIndex(p.Bench, "/")+1:] },
	"label": cell.Named.Of,
	"hosts": func(p cell.Point) string {
		hosts := 1
		if p.Run != nil && len(p.Run.Job.Hosts) > 0 {
			hosts += slices.Max(p.Run.Job.Hosts)
		}
		return strconv.Itoa(hosts)
	},
}

// factors returns the names of the factors of a side with the values that select points.
func (s side) factors(yield func(name, wanted string) bool) {
	for part := range strings.SplitSeq(string(s), "; ") {
		if name, wanted, _ := strings.Cut(part, "="); !yield(name, wanted) {
			return
		}
	}
}

func (s side) has(p cell.Point) bool {
	for name, wanted := range s.factors {
		value := ""
		if of := facts[name]; of != nil {
			value = of(p)
		} else {
			f := record.LookupFactor(name)
			value = cmp.Or(f.Text(p.Point), f.Default)
		}
		if !fits(value, wanted) {
			return false
		}
	}
	return true
}

// fits reports whether a value is among those that a side selects.
func fits(value, wanted string) bool {
	if wanted == "none" {
		return value == ""
	}
	if number, ok := strings.CutSuffix(wanted, "+"); ok {
		low, _ := strconv.Atoi(number)
		n, err := strconv.Atoi(value)
		return err == nil && n >= low
	}
	if other, ok := strings.CutPrefix(wanted, "!"); ok {
		return value != other
	}
	return slices.Contains(strings.Split(wanted, "|"), value)
}

// wants returns the values of a factor that the side selects, "" for any.
func (s side) wants(factor string) string {
	for name, wanted := range s.factors {
		if name == factor {
			return wanted
		}
	}
	return ""
}

// words describes the side: "bench=cg, placed host by host".
func (s side) words() string {
	return strings.NewReplacer("; ", ", ", "label=none", "no label", "placement=none", "placed host by host").Replace(string(s))
}

// of returns the points of a side that have a metric.
func (s side) of(set *cell.Set, metric string) []cell.Point {
	return set.Where(func(p cell.Point) bool { return p.Has(metric) && s.has(p) })
}

// machine is the host of rank 0: programs of different machines are not compared.
var machine = cell.Factor{Name: "machine", Of: func(p cell.Point) string {
	if p.Run == nil || len(p.Run.Job.Hosts) == 0 {
		return ""
	}
	return p.Run.HostName(p.Run.Job.Hosts[0])
}}

// alike returns the points of two sides that have the same value of each factor by which the sides
// do not differ: the one with most points on both. Others would compare what is not comparable. A
// side whose points all lack a value, as imported logs lack the machine, is like any other.
func alike(a, b side, as, bs []cell.Point, factors ...cell.Factor) (x, y []cell.Point) {
	for _, f := range factors {
		if a.wants(f.Name) != b.wants(f.Name) {
			continue
		}
		counts := map[string][2]int{}
		for i, points := range [][]cell.Point{as, bs} {
			for _, p := range points {
				n := counts[f.Of(p)]
				n[i]++
				counts[f.Of(p)] = n
			}
		}
		if n := counts[""]; n[0] == len(as) || n[1] == len(bs) {
			continue
		}
		best, number := "", 0
		for value, n := range counts {
			if k := min(n[0], n[1]); k > number || k == number && value > best {
				best, number = value, k
			}
		}
		other := func(p cell.Point) bool { return f.Of(p) != best }
		as, bs = slices.DeleteFunc(as, other), slices.DeleteFunc(bs, other)
	}
	return as, bs
}
