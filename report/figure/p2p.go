package figure

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gobench/bench/record"
	"gobench/report/cell"
	"gobench/report/style"
)

func size(p cell.Point) float64 { return float64(p.Size) }

func sizes(points []cell.Point) []float64 {
	all := make([]float64, len(points))
	for i, p := range points {
		all[i] = size(p)
	}
	return all
}

// pointToPoint reports whether a point is of a point-to-point benchmark. Collectives and kernels
// have no bandwidth of messages.
func pointToPoint(p cell.Point) bool {
	_, rate := p.Metrics["bandwidth_Bps"]
	_, collective := p.Metrics["aggregate_Bps"]
	_, halfRTT := p.Metrics["half_rtt_s"]
	_, kernel := p.Metrics["mops"]
	return (rate || halfRTT) && !collective && !kernel && p.Algorithm == ""
}

// PointToPoint draws time above bandwidth over message size, one figure for each benchmark.
func PointToPoint(s *cell.Set) []*Figure {
	count := func(points []cell.Point) int { return cell.Count(points, "bandwidth_Bps", size) }
	return eachBench(s.Where(pointToPoint), count, overSize)
}

// interest lists benchmarks in the order of a report. Others follow.
var interest = []string{"pingpong", "msgrate", "uniband", "biband", "pingping", "sendrecv", "exchange", "barrier", "bcast", "allreduce", "alltoall"}

// byInterest sorts benchmarks in the order of a report.
func byInterest(benches []part) []part {
	slices.SortStableFunc(benches, func(a, b part) int { return cmp.Compare(Interest(a.name), Interest(b.name)) })
	return benches
}

// Interest returns the rank of a benchmark in the order of a report.
func Interest(bench string) int {
	if i := slices.Index(interest, bench); i >= 0 {
		return i
	}
	return len(interest)
}

func overSize(bench string, p part) *Figure {
	f := &Figure{Name: file(bench, p.name), Title: title(bench, p.points)}
	key := record.TimeKey(p.points[0].Metrics)
	var drawn []cell.Series
	if key != "" {
		top, series := f.sizePanel(p.points, key, micros)
		top.YLabel = timeLabel(key) + ", µs"
		top.XLabel = "" // the panel below has it
		f.Rows = append(f.Rows, []*Panel{top})
		drawn = series
	}
	if slices.ContainsFunc(p.points, func(p cell.Point) bool { return p.Metrics["bandwidth_Bps"].Median > 0 }) {
		bottom, series := f.sizePanel(p.points, "bandwidth_Bps", giga)
		bottom.YLabel = "bandwidth, GB/s"
		f.Rows = append(f.Rows, []*Panel{bottom})
		if drawn == nil {
			drawn = series
		}
	}
	if len(drawn) == 0 {
		return nil
	}
	f.Keys = keys(drawn)
	f.Caption = join(sentence(bench, cell.Common(p.points)), mixed(drawn), replication(drawn), "1 GB/s = 10^9 B/s.", cached(p.points), zeros(drawn), switches(drawn), markedCaveats(p.points))
	f.measured(p.points)
	return f
}

// sizePanel draws one metric over message size.
func (f *Figure) sizePanel(points []cell.Point, metric string, u unit) (*Panel, []cell.Series) {
	series, left := atMost(cell.Split(points, metric, size))
	if len(f.Rows) == 0 {
		f.Notes = append(f.Notes, left...)
	}
	p := NewPanel("")
	p.Bench, p.Shows = points[0].Bench, Quantity{metric, u.scale}
	p.LogY()
	p.SizeX(sizes(points), 13)
	p.Add(Grid{})
	p.curves(series, u, bySize)
	return p, series
}

// curves adds series, each with the look of its index.
func (p *Panel) curves(series []cell.Series, u unit, where func(cell.Cell) string) {
	var all []Curve
	for i, s := range series {
		all = append(all, Curve{Look: style.Of(i), Cells: s.Cells, Scale: u.scale, Tooltip: tooltips(s.Name, where, u), Rings: changes(s.Cells)})
	}
	p.join(all...)
}

func keys(series []cell.Series) []Key {
	if len(series) == 1 && series[0].Name == "" {
		return nil
	}
	var list []Key
	for i, s := range series {
		list = append(list, Key{Name: s.Name, Look: style.Of(i)})
	}
	return list
}

// headline returns the name of a benchmark at the start of a title.
func headline(bench string) string { return cell.Capital(cell.BenchName(bench)) }

// title returns the title of a figure of a benchmark.
func title(bench string, points []cell.Point) string {
	t := headline(bench)
	if where := surroundings(points); where != "" {
		t += ": " + where
	}
	return t
}

// surroundings returns the transports and numbers of ranks of points for titles: "smem and tcp, 2
// and 4 ranks".
func surroundings(points []cell.Point) string {
	var ranks []string
	for _, n := range slices.Sorted(maps.Keys(counts(points))) {
		ranks = append(ranks, fmt.Sprint(n))
	}
	word := " ranks"
	if len(ranks) == 1 && ranks[0] == "1" {
		word = " rank"
	}
	parts := []string{Enumerate(levelsOf(points, cell.Transport)), Enumerate(ranks) + word}
	return strings.TrimPrefix(strings.Join(parts, ", "), ", ")
}

func counts(points []cell.Point) map[int]bool {
	all := map[int]bool{}
	for _, p := range points {
		all[p.Ranks] = true
	}
	return all
}

// levelsOf returns the distinct levels of a factor, sorted.
func levelsOf(points []cell.Point, f cell.Factor) []string {
	var all []string
	for _, p := range points {
		if l := f.Of(p); l != "" && !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	slices.Sort(all)
	return all
}

// Enumerate joins words with commas and "and".
func Enumerate(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// mixed returns the transport and level of each series if these differ and are not in the names of
// the series, because a library may imply a transport.
func mixed(series []cell.Series) string {
	words := make([][]string, len(series))
	for _, f := range []cell.Factor{cell.Transport, cell.Level} {
		var all []cell.Point
		said := true
		for _, s := range series {
			all = append(all, pointsOf(s)...)
			for _, l := range levelsOf(pointsOf(s), f) {
				said = said && strings.Contains(", "+s.Name+",", ", "+l+",")
			}
		}
		if len(levelsOf(all, f)) < 2 || said {
			continue
		}
		for i, s := range series {
			word := Enumerate(levelsOf(pointsOf(s), f))
			if f.Name == cell.Level.Name {
				word = "level " + word
			}
			words[i] = append(words[i], word)
		}
	}
	var parts []string
	for i, s := range series {
		if len(words[i]) > 0 {
			parts = append(parts, s.Name+": "+strings.Join(words[i], ", "))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "Not all alike: " + strings.Join(parts, "; ") + "."
}

func pointsOf(s cell.Series) []cell.Point {
	var all []cell.Point
	for _, c := range s.Cells {
		all = append(all, c.Points...)
	}
	return all
}

// cached returns a note if messages are sent from the same buffers repeatedly.
func cached(points []cell.Point) string {
	if slices.ContainsFunc(points, func(p cell.Point) bool { return p.Cache == "warm" }) {
		return "Buffers are used again and not written between messages, so that they stay in caches as far as they fit (--cache=cold avoids it)."
	}
	return ""
}

// sentence returns the factors that all series share.
func sentence(bench string, shared []string) string {
	shared = slices.DeleteFunc(shared, func(s string) bool { return s == cell.BenchName(bench) })
	if len(shared) == 0 {
		return ""
	}
	return "All: " + strings.Join(shared, ", ") + "."
}

func timeLabel(key string) string {
	switch key {
	case "half_rtt_s":
		return "half round trip"
	case "rtt_s":
		return "round trip"
	case "run_s":
		return "time of a run"
	case "t_s":
		return "time of one iteration"
	default:
		return "time"
	}
}

func zeros(series []cell.Series) string {
	for _, s := range series {
		for _, c := range s.Cells {
			if c.X == 0 {
				return "0-byte messages are plotted left of the axis."
			}
		}
	}
	return ""
}

// route returns the protocol or algorithm of a cell.
func route(c cell.Cell) string {
	if a := c.Points[0].Algorithm; a != "" {
		return a
	}
	return c.Points[0].Path
}

// changes returns the sizes at which the protocol or algorithm changes.
func changes(cells []cell.Cell) []float64 {
	var at []float64
	for i, c := range cells {
		if i > 0 && route(c) != route(cells[i-1]) {
			at = append(at, c.X)
		}
	}
	return at
}

// switches explains the rings: the protocol or algorithm of each series and the sizes at which it
// changes.
func switches(series []cell.Series) string {
	var parts []string
	for _, s := range series {
		var steps []string
		for i, c := range s.Cells {
			if i > 0 && route(c) != route(s.Cells[i-1]) {
				steps = append(steps, fmt.Sprintf("%s from %s", route(c), style.Size(int64(c.X))))
			}
		}
		if len(steps) > 0 && len(steps) <= 4 {
			name := s.Name
			if name != "" {
				name += " "
			}
			parts = append(parts, name+strings.Join(append([]string{"first " + route(s.Cells[0])}, steps...), ", "))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	if len(parts) > 4 {
		parts = append(parts[:4], "...")
	}
	return "Circles: the protocol or algorithm changes (" + strings.Join(parts, "; ") + ")."
}
