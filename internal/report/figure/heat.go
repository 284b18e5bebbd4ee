package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// A Heat is a matrix of values as colours, with the number in each field if there is room. Missing
// values are white.
type Heat struct {
	Values [][]float64 // by row, then column; NaN = not measured
	Lo, Hi float64
	Labels [][]string // in the fields
	Texts  [][]string
}

// Row adds a row of a matrix whose fields were not measured.
func (h *Heat) Row(columns int) {
	values := slices.Repeat([]float64{math.NaN()}, columns)
	h.Values, h.Labels, h.Texts = append(h.Values, values), append(h.Labels, make([]string, columns)), append(h.Texts, make([]string, columns))
}

// Set sets a field of a matrix.
func (h *Heat) Set(row, column int, v float64, label, text string) {
	h.Values[row][column], h.Labels[row][column], h.Texts[row][column] = v, label, text
}

// Panel returns a panel with the matrix and the names of its columns and rows.
func (h Heat) Panel(heading string, columns, rows []string) *Panel {
	p := NewPanel(heading)
	p.NameX(columns)
	p.NameY(rows)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, float64(len(columns))-0.5, -0.5, float64(len(rows))-0.5
	p.Y.Padding = 0
	p.Add(h)
	return p
}

// shade returns the share of the colour for a value, on a logarithmic scale from light to dark, so
// that grey copies are readable.
func (h Heat) shade(v float64) float64 {
	if h.Hi <= h.Lo {
		return 0.3
	}
	return 0.08 + 0.87*math.Log(min(v, h.Hi)/h.Lo)/math.Log(h.Hi/h.Lo)
}

// color returns the colour of a value.
func (h Heat) color(v float64) color.NRGBA { return style.Tint(style.Of(0).Color, h.shade(v)) }

// Plot implements plot.Plotter.
func (h Heat) Plot(c draw.Canvas, p *plot.Plot) {
	number := lettersOf(p)
	number.XAlign, number.YAlign = draw.XCenter, draw.YCenter
	for i, row := range h.Values {
		for j, v := range row {
			if math.IsNaN(v) {
				continue
			}
			x0, x1 := c.X(p.X.Norm(float64(j)-0.5)), c.X(p.X.Norm(float64(j)+0.5))
			y0, y1 := c.Y(p.Y.Norm(float64(i)-0.5)), c.Y(p.Y.Norm(float64(i)+0.5))
			c.FillPolygon(h.color(v), []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
			s := h.Labels[i][j]
			if number.Width(s)+4 < x1-x0 {
				number.Color = style.Ink
				if h.shade(v) > 0.55 {
					number.Color = style.Paper
				}
				c.FillText(number, vg.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2}, s)
			}
		}
	}
}

// Marks implements Marker.
func (h Heat) Marks(c draw.Canvas, p *plot.Plot) (marks []Mark) {
	for i, row := range h.Texts {
		for j, text := range row {
			if text != "" {
				marks = append(marks, Mark{At: vg.Point{X: c.X(p.X.Norm(float64(j))), Y: c.Y(p.Y.Norm(float64(i)))}, Text: text})
			}
		}
	}
	return marks
}

// A location is a core of a host.
type location struct {
	host string
	core int
}

// Pairs draws the time between all measured pairs of cores or hosts, from benchmarks of two ranks,
// one figure for each size of each series.
func Pairs(s *cell.Set) []*Figure {
	points := s.Where(func(p cell.Point) bool {
		return pointToPoint(p) && p.TimeKey() != "" && p.Ranks == 2 && len(p.Cores) == 2 && p.Groups <= 1
	})
	var all []*Figure
	for _, bench := range by(points, cell.Bench) {
		for _, t := range cell.ByTime(bench.points) {
			factors := append([]cell.Factor{cell.Transport}, cell.DistinguishingFactors(t.Points, size, cell.Transport, cell.Cores, cell.Host, cell.HostMap, cell.File)...)
			name := cell.Factor{Name: "series", Of: func(p cell.Point) string {
				levels := collect.Each(factors, func(f cell.Factor) string { return f.Of(p) })
				return strings.Join(slices.DeleteFunc(levels, func(s string) bool { return s == "" }), ", ")
			}}
			for _, series := range by(t.Points, name) {
				all = append(all, eachPart(by(series.points, cell.Size), func(size part) *Figure { return pairs(bench.name, series.name, t.Key, size) })...)
			}
		}
	}
	return all
}

// pairText describes the time of a pair: the median, and the mean and the slowest event, which show
// rare delays that the median does not, such as those of lost packets.
func pairText(c cell.Cell, key string) string {
	mean, largest := 0.0, 0.0
	for _, p := range c.Points {
		mean, largest = max(mean, p.Metrics.Get(key).Mean), max(largest, p.Metrics.Get(key).Max)
	}
	s := style.Number(c.Median*1e6) + " µs"
	if mean > 0 {
		s += fmt.Sprintf(", mean up to %s µs", style.Number(mean*1e6))
	}
	if largest > 0 {
		s += fmt.Sprintf(", slowest event %s µs", style.Number(largest*1e6))
	}
	return s + ", " + human.Count(c.Launches(), "launch", "launches")
}

// maxLocations bounds the rows and columns of a matrix, so that its fields can be seen and its
// memory is bounded, however many pairs a file has.
const maxLocations = 64

// slowest returns the locations of rank 0 and those of rank 1 in the slowest pairs, at most
// maxLocations of each, sorted by name. Locations without a measured pair have no row or no column.
func slowest(times map[[2]location]cell.Cell) (from, to []location) {
	order := slices.SortedFunc(maps.Keys(times), func(a, b [2]location) int {
		return cmp.Or(cmp.Compare(times[b].Median, times[a].Median), a[0].compare(b[0]), a[1].compare(b[1]))
	})
	room := func(list []location, at location) bool { return len(list) < maxLocations || slices.Contains(list, at) }
	for _, pair := range order {
		if room(from, pair[0]) && room(to, pair[1]) {
			from, to = collect.Union(from, pair[0]), collect.Union(to, pair[1])
		}
	}
	slices.SortFunc(from, location.compare)
	slices.SortFunc(to, location.compare)
	return from, to
}

func pairs(bench, series, key string, p part) *Figure {
	of := map[[2]location][]cell.Point{}
	var locations []location
	for _, row := range p.points {
		points := []cell.Point{row}
		if len(row.Hosts()) > 1 { // their order may differ between launches
			points = row.All()
		}
		for _, point := range points {
			pair := between(point)
			of[pair], locations = append(of[pair], point), append(locations, pair[0], pair[1])
		}
	}
	slices.SortFunc(locations, location.compare)
	locations = slices.Compact(locations)
	if len(of) < 3 {
		return nil // nothing to compare
	}
	times := map[[2]location]cell.Cell{}
	for pair, points := range of {
		times[pair] = cell.Of(points, key)
	}
	rows, columns := slowest(times)
	left := len(collect.If(locations, func(at location) bool { return !slices.Contains(rows, at) && !slices.Contains(columns, at) }))
	many := locations[0].host != locations[len(locations)-1].host
	name := func(at location) string { return at.name(many) }
	rowNames, columnNames := collect.Each(rows, name), collect.Each(columns, name)
	h := Heat{Lo: math.Inf(1)}
	for i, from := range rows {
		h.Row(len(columns))
		for j, to := range columns {
			if t, ok := times[[2]location{from, to}]; ok {
				v := t.Median * 1e6
				h.Set(i, j, v, style.Number(v), fmt.Sprintf("from %s to %s: %s", rowNames[i], columnNames[j], pairText(t, key)))
				h.Lo, h.Hi = min(h.Lo, v), max(h.Hi, v)
			}
		}
	}
	panel := h.Panel(timeLabel(key)+", µs", columnNames, rowNames)
	panel.XLabel, panel.YLabel = "rank 1 on core", "rank 0 on core"
	if many {
		panel.XLabel, panel.YLabel = "rank 1 on host:core", "rank 0 on host:core"
	}
	span := fmt.Sprintf("logarithmic from %s to %s µs", style.Number(h.Lo), style.Number(h.Hi))
	if style.Number(h.Lo) == style.Number(h.Hi) {
		span = "all are " + style.Number(h.Lo) + " µs"
	}
	more := remarks(p.points)
	if left > 0 {
		more = append([]string{fmt.Sprintf("%s not drawn, because more than %d cannot be seen; drawn are those of the slowest pairs", human.Count(left, "more place is", "more places are"), maxLocations)}, more...)
	}
	return &Figure{
		Name: file(bench, series, p.name, "pairs"), Title: fmt.Sprintf("%s of %s between all pairs, %s", headline(bench), p.name, series),
		Height: vg.Length(min(max(len(rowNames), 5), 16)) * 24,
		Rows:   [][]*Panel{{panel}},
		Caption: join(fmt.Sprintf("Fields: %s in µs, median; the darker the slower, %s. White: not measured.", timeLabel(key), span),
			sentence(bench, cell.Common(p.points)), caveats(p.points)),
		Method: method(p.points), Remarks: more,
	}
}

func between(p cell.Point) (pair [2]location) {
	for rank := range pair {
		pair[rank].core = p.Cores[rank]
		if p.Run != nil && rank < len(p.Run.Job.Hosts) {
			if at := p.Run.Job.Hosts[rank]; at >= 0 && at < len(p.Run.Hosts) {
				if m, ok := p.Run.Hosts[at].(map[string]any); ok {
					pair[rank].host, _ = m["hostname"].(string)
				}
			}
		}
	}
	return pair
}

func (p location) compare(q location) int {
	return cmp.Or(cmp.Compare(p.host, q.host), cmp.Compare(p.core, q.core))
}

// name returns the name of a location, with its host if there are several. Ranks that are not
// pinned are on any core.
func (p location) name(host bool) string {
	switch {
	case p.core < 0 && host:
		return p.host
	case p.core < 0:
		return "any"
	case host:
		return fmt.Sprint(p.host, ":", p.core)
	}
	return fmt.Sprint(p.core)
}
