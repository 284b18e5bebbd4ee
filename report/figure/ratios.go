package figure

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"

	"gobench/bench/compare"
	"gobench/bench/record"
	"gobench/report/cell"
	"gobench/report/style"
)

// Ratios draws what differs: each cell of one side against the same cell of the
// other.
func Ratios(s *cell.Set) []*Figure {
	if r := s.Compare(); r != nil {
		return Forest(r)
	}
	return nil
}

// mostRows fit below each other on a page.
const mostRows = 32

// Forest draws a comparison, in figures of at most mostRows rows, those of one
// benchmark and pair of sides together.
func Forest(r *compare.Result) []*Figure {
	var all []*Figure
	for begin := 0; begin < len(r.Rows); {
		end := begin
		for end < len(r.Rows) && end-begin < mostRows && together(&r.Rows[begin], &r.Rows[end]) {
			end++
		}
		f := forest(r, r.Rows[begin:end])
		for n := 2; slices.ContainsFunc(all, func(other *Figure) bool { return other.Name == f.Name }); n++ {
			f.Name = fmt.Sprintf("%s-%d", strings.TrimSuffix(f.Name, fmt.Sprintf("-%d", n-1)), n)
		}
		all = append(all, f)
		begin = end
	}
	return all
}

func together(a, b *compare.Row) bool {
	return a.Side == b.Side && a.Cell.Factor("bench") == b.Cell.Factor("bench")
}

func forest(r *compare.Result, rows []compare.Row) *Figure {
	panel := NewPanel("")
	panel.X.Scale, panel.X.Tick.Marker = style.Log{}, style.Decades{}
	var names []string
	shared := sharedWords(rows)
	for i := range rows {
		names = append(names, rowName(rows[i].Cell, shared))
	}
	panel.NameY(names)
	for i := range rows {
		panel.Add(Noise{Row: float64(i), Threshold: rows[i].Threshold})
	}
	panel.Add(Grid{NoY: true}, Rule{At: 1, Vertical: true, Color: style.Ink})
	for i := range rows {
		at, lo, hi := slowness(&rows[i])
		if at == 0 {
			continue
		}
		panel.Add(Ratio{Row: float64(i), At: at, Lo: lo, Hi: hi, Verdict: rows[i].Verdict, Text: tellRatio(names[i], &rows[i], at)})
	}
	panel.Y.Min, panel.Y.Max = -0.6, float64(len(names))-0.4 // as NameY says
	panel.X.Min, panel.X.Max = panel.X.Min/1.02, panel.X.Max*1.02
	first := rows[0]
	bench := first.Cell.Factor("bench")
	panel.XLabel = fmt.Sprintf("time of %s / time of %s (left of 1: %[1]s is faster)", first.Side, first.Base)

	f := &Figure{
		Name:  file(bench, "ratio", first.Side),
		Title: fmt.Sprintf("%s: %s against %s", strings.ToUpper(bench[:1])+bench[1:], first.Side, first.Base),
		Rows:  [][]*Panel{{panel}}, Height: vg.Length(len(rows))*11 + 52,
	}
	for _, v := range []compare.Verdict{compare.Faster, compare.Slower, compare.Same, compare.Unclear} {
		if slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Verdict == v }) {
			f.Keys = append(f.Keys, Key{Name: string(v), Look: looks[v]})
		}
	}
	f.Caption = "Each row is one cell. Mark: ratio of the times, or of the rates the other way round; line: its 95 % interval; grey: a difference that does not count"
	f.Caption += "."
	if len(shared) > 0 {
		f.Caption += " All: " + strings.Join(shared, ", ") + "."
	}
	f.Method = r.Method + "."
	return f
}

// slowness is the ratio as time sees it: of a rate it is the other way round.
func slowness(r *compare.Row) (at, lo, hi float64) {
	at, lo, hi = r.Ratio.Median, r.Ratio.Lo, r.Ratio.Hi
	if !r.HasInterval() {
		lo, hi = 0, 0
	}
	if r.Metric.Direction == record.Higher && at > 0 {
		at = 1 / at
		if lo > 0 {
			lo, hi = 1/hi, 1/lo
		}
	}
	return at, lo, hi
}

// word writes a factor of a cell as in captions; empty where it need not be said.
func word(f compare.Factor, sample *record.Point) string {
	switch f.Name {
	case "bench", "cache", "memory", "rank_kind", "root", "start", "check", "options":
		if f.Value == "cold" || f.Value == "device" || f.Value == "goroutine" {
			return f.Name + " " + f.Value
		}
		return ""
	case "size_B":
		if sample.Class != "" {
			return "" // of applications
		}
		return style.Size(sample.Size)
	case "ranks":
		return cell.RanksName(sample.Ranks)
	case "class":
		return cell.ClassName(f.Value)
	case "level", "threads", "window":
		return f.Name + " " + f.Value
	default:
		return f.Value
	}
}

// sharedWords are those that all rows have.
func sharedWords(rows []compare.Row) []string {
	var shared []string
	for _, f := range rows[0].Cell.Factors {
		w := word(f, rows[0].Cell.Sample)
		if w != "" && len(rows) > 1 && !slices.ContainsFunc(rows, func(r compare.Row) bool { return r.Cell.Factor(f.Name) != f.Value }) {
			shared = append(shared, w)
		}
	}
	return shared
}

func rowName(c compare.Cell, shared []string) string {
	var words []string
	for _, f := range c.Factors {
		if w := word(f, c.Sample); w != "" && !slices.Contains(shared, w) {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return c.Factor("bench")
	}
	return strings.Join(words, ", ")
}
