package figure

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/remedy"
	"gobench/internal/report/cell"
	"gobench/internal/report/host"
	"gobench/internal/report/style"
)

func size(p cell.Point) float64 { return float64(p.Size) }

func sizes(points []cell.Point) []float64 { return collect.Each(points, size) }

// pointToPoint reports whether a point is of a point-to-point benchmark. Collectives and kernels
// have no bandwidth of messages.
func pointToPoint(p cell.Point) bool {
	return (p.Has("bandwidth_Bps") || p.Has("half_rtt_s")) && !p.Has("aggregate_Bps") && !p.Has("mops") && p.Algorithm == ""
}

// PointToPoint draws time above bandwidth over message size, one figure for each benchmark.
func PointToPoint(s *cell.Set) []*Figure {
	return eachBench(s.Where(pointToPoint), seriesOverSize, messagesOverSize)
}

// Together draws PointToPoint of all ping-pongs in one figure, with a line for each payload or kind
// of send.
func Together(s *cell.Set) []*Figure {
	points := s.Where(func(p cell.Point) bool { return pointToPoint(p) && p.Has("half_rtt_s") })
	return eachGroup([]part{{name: "ping-pongs", points: points}}, seriesOverSize, messagesOverSize)
}

func messagesOverSize(name string, p part) *Figure {
	return overSize(name, p, quantity{"bandwidth_Bps", "bandwidth, GB/s", ""})
}

// seriesOverSize returns the number of series of points over message size.
func seriesOverSize(points []cell.Point) int { return cell.Count(points, size) }

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

// A quantity is a metric, its axis label and its definition for captions.
type quantity struct{ metric, label, means string }

// in reports whether any point has the quantity.
func (q quantity) in(points []cell.Point) bool {
	return slices.ContainsFunc(points, func(p cell.Point) bool { return p.Metrics.Median(q.metric) > 0 })
}

// overSize draws the time of points above the first of rates that they have, over message size. It
// returns nil if they have neither.
func overSize(bench string, p part, rates ...quantity) *Figure {
	f := &Figure{Name: file(bench, p.name), Title: title(bench, p.points), Height: style.Row}
	shown := []quantity{{p.time, timeLabel(p.time) + ", " + unitOf(p.time).name, whatTime(p.time, p.points)}}
	if i := slices.IndexFunc(rates, func(q quantity) bool { return q.in(p.points) }); i >= 0 {
		rate := rates[i]
		rate.means = join(rate.means, "1 GB/s = 10^9 B/s.")
		shown = append(shown, rate)
	}
	factors := cell.DistinguishingFactors(p.points, size)
	f.choose(collect.Each(shown, func(q quantity) cell.Contest {
		return cell.Contest{Metric: q.metric, Series: cell.SplitBy(p.points, q.metric, size, factors)}
	})...)
	var drawn [][]cell.Series
	means := ""
	for _, q := range shown {
		if !q.in(p.points) {
			continue
		}
		panel, series := f.sizePanel(p.points, factors, q)
		if len(f.Rows) > 0 {
			f.Rows[0][0].XLabel = "" // the panel below has it
		}
		f.Rows = append(f.Rows, []*Panel{panel})
		drawn, means = append(drawn, series), join(means, q.means)
	}
	if len(drawn) == 0 {
		return nil
	}
	all := f.all(drawn)
	f.Caption = join(sentence(bench, cell.Common(p.points)), mixed(all), means, replication(drawn...), cached(p.points), cacheLines(p.points), zeros(all), switches(all), markedCaveats(p.points))
	f.measured(p.points)
	return f
}

// sizePanel draws a quantity over message size, with a series for each combination of factors.
func (f *Figure) sizePanel(points []cell.Point, factors []cell.Factor, q quantity) (*Panel, []cell.Series) {
	u := unitOf(q.metric)
	series := f.limited(q.metric, cell.SplitBy(points, q.metric, size, factors))
	p := NewPanel("")
	p.Bench, p.Shows, p.YLabel = points[0].Bench, Quantity{q.metric, u.scale}, q.label
	if p.LogY(); u.name == "1" { // a share
		p.Y.Scale, p.Y.Tick.Marker, p.Y.Min, p.Y.Max = plot.LinearScale{}, plot.DefaultTicks{}, 0, 1
	}
	p.SizeX(sizes(points), 13)
	p.Add(Grid{})
	for _, c := range cachesWithin(points) {
		p.Add(Rule{At: float64(c.Size), Vertical: true, Color: style.Grey, Dashes: dotted})
	}
	curves := ringed(f.curves(series, u, bySize))
	lines := thresholds(curves)
	for _, r := range lines {
		if len(f.Rows) > 0 {
			r.Text = "" // the panel above has it
		}
		p.Add(r)
	}
	p.join(curves...)
	if len(f.Rows) == 0 { // room for the texts above the curves
		if top := p.Y.Max * math.Pow(p.Y.Max/p.Y.Min, 0.15*float64(len(lines))); top < math.MaxFloat64 {
			p.Y.Max = top
		}
	}
	return p, series
}

// cachesWithin returns the data caches of the hosts of points whose sizes are between those of the
// messages, the smallest first.
func cachesWithin(points []cell.Point) (caches []host.Cache) {
	all := sizes(points)
	for _, p := range points {
		for _, f := range p.Hosts() {
			for _, c := range f.DataCaches() {
				if s := float64(c.Size); slices.Min(all) < s && s < slices.Max(all) && !slices.Contains(caches, c) {
					caches = append(caches, c)
				}
			}
		}
	}
	slices.SortFunc(caches, func(a, b host.Cache) int { return cmp.Compare(a.Size, b.Size) })
	return caches
}

// cacheLines explains the lines at the sizes of caches.
func cacheLines(points []cell.Point) string {
	names := collect.Each(cachesWithin(points), host.Cache.String)
	if len(names) == 0 {
		return ""
	}
	return "Dotted: sizes of caches (" + strings.Join(slices.Compact(names), ", ") + ")."
}

// ringed adds rings where the protocol or algorithm of curves changes.
func ringed(curves []Curve) []Curve {
	for i := range curves {
		curves[i].Rings = changes(curves[i].Cells)
	}
	return curves
}

func nameOf(s cell.Series) string { return s.Name }

// all returns the series of the first panel, then those that only other panels have. It adds a note
// for each panel that has not all of them.
func (f *Figure) all(panels [][]cell.Series) []cell.Series {
	all := collect.First(slices.Concat(panels...), nameOf)
	for i, panel := range panels {
		without := collect.Each(collect.If(all, func(s cell.Series) bool { return !slices.Contains(collect.Each(panel, nameOf), s.Name) }), nameOf)
		if len(without) > 0 {
			f.Remarks = append(f.Remarks, fmt.Sprintf("the records of %s have no %s", human.Enumerate(without, "and"), metricLabel(f.Rows[i][0].Shows.Metric)))
		}
	}
	return all
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
	var numbers []int
	for _, p := range points {
		numbers = collect.Union(numbers, p.Ranks)
	}
	slices.Sort(numbers)
	ranks := collect.Each(numbers, strconv.Itoa)
	word := " ranks"
	if len(ranks) == 1 && ranks[0] == "1" {
		word = " rank"
	}
	parts := []string{human.Enumerate(levelsOf(points, cell.Transport), "and"), human.Enumerate(ranks, "and") + word}
	return strings.TrimPrefix(strings.Join(parts, ", "), ", ")
}

// levelsOf returns the distinct levels of a factor, sorted.
func levelsOf(points []cell.Point, f cell.Factor) []string {
	levels := slices.Compact(slices.Sorted(slices.Values(collect.Each(points, f.Of))))
	return collect.If(levels, func(level string) bool { return level != "" })
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
			word := human.Enumerate(levelsOf(pointsOf(s), f), "and")
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
	return "Series differ: " + strings.Join(parts, "; ") + "."
}

func pointsOf(s cell.Series) []cell.Point {
	return slices.Concat(collect.Each(s.Cells, cell.Cell.Rows)...)
}

// cached returns a note if messages are sent from the same buffers repeatedly.
func cached(points []cell.Point) string {
	if slices.ContainsFunc(points, func(p cell.Point) bool { return p.Cache == "warm" }) {
		return fmt.Sprintf("Buffers are used again and not written between messages, so that they stay in caches as far as they fit (%v avoids it).", remedy.Set("cache", "cold"))
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
	if slices.Contains(values(series), 0) {
		return "0-byte messages are plotted left of the axis."
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

// maxThresholds bounds the lines where protocols change; more hide the curves.
const maxThresholds = 3

// thresholds returns a line at each size at which the protocol or algorithm of a curve changes,
// with the names of what is used from there on, the largest size uppermost. It returns none if they
// are too many.
func thresholds(curves []Curve) (lines []Rule) {
	names := map[float64][]string{}
	for _, k := range curves {
		for _, c := range k.Cells {
			if slices.Contains(k.Rings, c.X) && !slices.Contains(names[c.X], route(c)) {
				names[c.X] = append(names[c.X], route(c))
			}
		}
	}
	if len(names) > maxThresholds {
		return nil
	}
	for i, x := range slices.Sorted(maps.Keys(names)) {
		lines = append(lines, Rule{At: x, Vertical: true, Row: len(names) - 1 - i, Text: human.Enumerate(names[x], "and") + " from " + style.Size(int64(x)), Color: style.Grey, Dashes: dashed})
	}
	return lines
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
	if n := len(parts) - 4; n > 0 {
		parts = append(parts[:4], fmt.Sprintf("and of %d more series", n))
	}
	return "Circles, and dashed lines if they are few: the protocol or algorithm changes (" + strings.Join(parts, "; ") + ")."
}
