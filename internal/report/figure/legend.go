package figure

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gobench/internal/human"
	"gobench/internal/report/cell"
	"gobench/internal/report/style"
)

// A Key is an entry of the legend.
type Key struct {
	Name string
	Look style.Series
	Area bool // drawn as a box instead of a line
}

// look returns the look that a series has in all panels, and adds the series to the legend. It
// returns false for a series that is left out, because more than style.MaxSeries cannot be
// distinguished.
func (f *Figure) look(series string) (style.Series, bool) {
	i := slices.Index(f.series, series)
	switch {
	case i >= 0:
		return style.Of(i), true
	case slices.Contains(f.left, series):
		return style.Series{}, false
	case len(f.series) == style.MaxSeries:
		f.left = append(f.left, series)
		return style.Series{}, false
	}
	i = len(f.series)
	f.series = append(f.series, series)
	f.Keys = append(f.Keys, Key{Name: series, Look: style.Of(i)})
	return style.Of(i), true
}

// choose leaves out the series that are ranked last if those of the contests and those that have a
// look are too many. A figure of several panels calls it with all of their series before it draws.
func (f *Figure) choose(contests ...cell.Contest) {
	ranked := slices.DeleteFunc(cell.Rank(contests...), func(name string) bool {
		return slices.Contains(f.series, name) || slices.Contains(f.left, name)
	})
	if room := style.MaxSeries - len(f.series); len(ranked) > room {
		f.left = append(f.left, ranked[room:]...)
	}
}

// limited returns the series of a metric that have a look.
func (f *Figure) limited(metric string, all []cell.Series) []cell.Series {
	f.choose(cell.Contest{Metric: metric, Series: all})
	return slices.DeleteFunc(slices.Clone(all), func(s cell.Series) bool {
		_, ok := f.look(s.Name)
		if !ok {
			if f.spare == nil {
				f.spare = map[string][]cell.Series{}
			}
			f.spare[metric] = append(f.spare[metric], s)
		}
		return !ok
	})
}

// leftOut returns a sentence with the number of series that are left out and the reason, empty if
// there are none.
func (f *Figure) leftOut() string {
	if len(f.left) == 0 {
		return ""
	}
	return fmt.Sprintf("%s not drawn, because more than %d cannot be distinguished; drawn are the best at each point of the axis, the choice of the defaults, the best of each library and transport, and the next best (of places: the best and the worst); gobench show prints all",
		human.Count(len(f.left), "more series is", "more series are"), style.MaxSeries)
}

// curves returns the curves of series that have a look.
func (f *Figure) curves(series []cell.Series, u unit, where func(cell.Cell) string) []Curve {
	var all []Curve
	for _, s := range series {
		look, _ := f.look(s.Name)
		all = append(all, Curve{Name: s.Name, Look: look, Cells: s.Cells, Scale: u.scale, Tooltip: tooltips(s.Name, where, u)})
	}
	return all
}

// Widths of the parts of an entry.
const (
	sample    = vg.Length(22) // of line or box
	afterKey  = vg.Length(4)
	betweenKs = vg.Length(14)
)

// keyHeight returns the height of a row of the legend.
func (f *Figure) keyHeight() vg.Length { return vg.Length(f.sheet.Normal()) + 4.5 }

// distribute assigns the keys over rows of the given width. The legend is outside the panels, so it
// hides no data.
func (f *Figure) distribute(width vg.Length) (rows [][]Key) {
	if f.sheet.Legend == "none" {
		return nil
	}
	text := f.sheet.Text(f.sheet.Normal(), false)
	var used vg.Length
	for _, k := range f.Keys {
		k.Name = shortened(k.Name, text.Width, width-sample-afterKey-4)
		w := sample + afterKey + text.Width(k.Name) + betweenKs
		if len(rows) == 0 || used+w > width {
			rows = append(rows, nil)
			used = 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		used += w
	}
	return rows
}

// shortened cuts a name that is wider than the figure and appends an ellipsis.
func shortened(name string, measure func(string) vg.Length, width vg.Length) string {
	if measure(name) <= width {
		return name
	}
	const ellipsis = "…"
	return strings.TrimSpace(name[:fitting(name, measure, width-measure(ellipsis))]) + ellipsis
}

func (f *Figure) legendHeight(width vg.Length) vg.Length {
	if rows := f.distribute(width); len(rows) > 0 {
		return vg.Length(len(rows))*f.keyHeight() + 6
	}
	return 0
}

// fill fills a rectangle with the colour of a series. Lines in the colour of paper, which follow
// from the dashes of the series, distinguish neighbours in grey copies.
func fill(c draw.Canvas, look style.Series, r vg.Rectangle) {
	c.FillPolygon(look.Color, []vg.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}})
	dash, _ := style.Pattern(look)
	if dash == 0 {
		return
	}
	slope := []vg.Length{1, -1, 0}[dash-1] // 0 = upright
	r.Min.X, r.Max.X = max(r.Min.X, c.Min.X), min(r.Max.X, c.Max.X)
	inside := draw.Canvas{Canvas: c.Canvas, Rectangle: r}
	for x := r.Min.X - r.Size().Y; x < r.Max.X+r.Size().Y; x += hatching {
		line := []vg.Point{{X: x, Y: r.Min.Y}, {X: x + slope*r.Size().Y, Y: r.Max.Y}}
		inside.StrokeLines(draw.LineStyle{Color: style.Paper, Width: 0.5}, inside.ClipLinesXY(line)...)
	}
}

// hatching is the distance of the lines in areas.
const hatching = vg.Length(4)

func (f *Figure) drawLegend(c draw.Canvas) {
	text := f.sheet.Text(f.sheet.Normal(), false)
	text.YAlign = draw.YCenter
	for i, row := range f.distribute(c.Size().X) {
		x := c.Min.X + 2
		y := c.Max.Y - f.keyHeight()*(vg.Length(i)+0.5)
		for _, k := range row {
			begin(c, "key-"+file(k.Name), "key "+file(k.Name))
			if k.Area {
				fill(c, k.Look, vg.Rectangle{Min: vg.Point{X: x + 8, Y: y - 4}, Max: vg.Point{X: x + sample, Y: y + 4}})
			} else {
				c.StrokeLine2(k.Look.Line, x, y, x+sample, y)
				if k.Look.Glyph.Shape != nil {
					c.DrawGlyphNoClip(k.Look.Glyph, vg.Point{X: x + sample/2, Y: y})
				}
			}
			x += sample + afterKey
			c.FillText(text, vg.Point{X: x, Y: y}, k.Name)
			x += text.Width(k.Name) + betweenKs
			end(c)
		}
	}
}
