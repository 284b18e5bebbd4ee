package document

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gobench/bench/compare"
	"gobench/bench/record"
	"gobench/report/cell"
	"gobench/report/style"
)

// answer is the first page: what differs, by how much, whether it is real, the
// best numbers, and what to be careful with.
func answer(s *cell.Set) []Block {
	var blocks []Block
	if r := s.Compare(); r != nil {
		blocks = append(blocks, List(difference(r)), verdicts(r))
	} else {
		blocks = append(blocks, Text("There is one of everything in these records, so nothing can be compared. Give files of two programs, machines or transports to see what differs."))
	}
	if t := best(s); len(t.Rows) > 0 {
		blocks = append(blocks, t)
	}
	if care := doubts(s); len(care) > 0 {
		blocks = append(blocks, Text("To be careful with:"), List(care))
	}
	return blocks
}

// difference says in a sentence for each pair of sides what differs, by how
// much, and whether it is real.
func difference(r *compare.Result) []string {
	var sentences []string
	for _, side := range sides(r) {
		var rows []*compare.Row
		for i := range r.Rows {
			if r.Rows[i].Side == side {
				rows = append(rows, &r.Rows[i])
			}
		}
		sentences = append(sentences, pair(rows))
	}
	switch level := levels(r); {
	case level[compare.Single] == len(r.Rows):
		sentences = append(sentences, "Is it real? For these launches, as far as the verdicts say. Each side was launched once, or the launches cannot be told apart: nothing is said of the next launch. Measure several launches of each side to know.")
	case level[compare.Single] > 0:
		sentences = append(sentences, fmt.Sprintf("Is it real? Where there are several launches (%d of %d cells), as the verdicts say. In the others one launch was compared with one, which says nothing of the next.", level[compare.Launches], len(r.Rows)))
	default:
		sentences = append(sentences, fmt.Sprintf("Is it real? As the verdicts say: each launch counts as one value, and chance alone gives a cell a wrong verdict in at most %g of 100 cases.", 100*r.Options.Alpha))
	}
	if r.Options.Floor == nil {
		sentences = append(sentences, fmt.Sprintf("The noise floor of this machine is not known (gobench sweep --aa measures it); differences count beyond %.3g %%.", 100*r.Options.Minimum))
	}
	return append(sentences, r.Warnings...)
}

func sides(r *compare.Result) []string {
	var names []string
	for _, row := range r.Rows {
		if !slices.Contains(names, row.Side) {
			names = append(names, row.Side)
		}
	}
	return names
}

func levels(r *compare.Result) map[compare.Level]int {
	n := map[compare.Level]int{}
	for _, row := range r.Rows {
		n[row.Level]++
	}
	return n
}

// pair says what the rows of two sides come to.
func pair(rows []*compare.Row) string {
	counts := map[compare.Verdict][]*compare.Row{}
	for _, r := range rows {
		counts[r.Verdict] = append(counts[r.Verdict], r)
	}
	var parts []string
	for _, v := range []compare.Verdict{compare.Slower, compare.Faster} {
		if list := counts[v]; len(list) > 0 {
			least, most := extremes(list)
			parts = append(parts, fmt.Sprintf("%s in %d (%s)", v, len(list), spread(least, most)))
		}
	}
	for _, v := range []compare.Verdict{compare.Same, compare.Unclear} {
		if n := len(counts[v]); n > 0 {
			word := string(v)
			if v == compare.Same {
				word = "the same"
			}
			parts = append(parts, fmt.Sprintf("%s in %d", word, n))
		}
	}
	return fmt.Sprintf("%s against %s, %d cells: %s.", side(rows[0].Side), side(rows[0].Base), len(rows), strings.Join(parts, ", "))
}

func side(name string) string {
	if name == "" {
		return "gobench"
	}
	return name
}

// extremes are the rows with the smallest and the largest factor.
func extremes(rows []*compare.Row) (least, most *compare.Row) {
	least, most = rows[0], rows[0]
	for _, r := range rows {
		if factor(r) < factor(least) {
			least = r
		}
		if factor(r) > factor(most) {
			most = r
		}
	}
	return least, most
}

// factor is how far a row's ratio is from 1, whichever way, at least 1.
func factor(r *compare.Row) float64 {
	if r.Ratio.Median <= 0 {
		return 1
	}
	return math.Exp(math.Abs(math.Log(r.Ratio.Median)))
}

func spread(least, most *compare.Row) string {
	if least == most {
		return fmt.Sprintf("by a factor of %s at %s", times(factor(most)), place(most.Cell))
	}
	return fmt.Sprintf("by a factor of %s at %s to %s at %s", times(factor(least)), place(least.Cell), times(factor(most)), place(most.Cell))
}

func times(f float64) string {
	if f < 1.1 {
		return fmt.Sprintf("%.3f", f)
	}
	return fmt.Sprintf("%.3g", f)
}

// place names a cell briefly.
func place(c compare.Cell) string {
	words := []string{c.Factor("bench")}
	if c.Sample.Class != "" {
		words = append(words, cell.ClassName(c.Sample.Class))
	} else {
		words = append(words, style.Size(c.Sample.Size))
	}
	if c.Sample.Ranks != 2 {
		words = append(words, cell.RanksName(c.Sample.Ranks))
	}
	return strings.Join(words, " ")
}

// verdicts counts them in a table.
func verdicts(r *compare.Result) Table {
	t := Table{Title: "Verdicts by " + r.By, Columns: []string{"benchmark", "compared", "faster", "slower", "same", "inconclusive"}}
	index := map[string]int{}
	for _, row := range r.Rows {
		name := row.Cell.Factor("bench") + "\x00" + row.Side
		i, ok := index[name]
		if !ok {
			i = len(t.Rows)
			index[name] = i
			t.Rows = append(t.Rows, []Cell{words(row.Cell.Factor("bench")), words(side(row.Side) + " against " + side(row.Base)),
				number(0, "0"), number(0, "0"), number(0, "0"), number(0, "0")})
		}
		for j, v := range []compare.Verdict{compare.Faster, compare.Slower, compare.Same, compare.Unclear} {
			if row.Verdict == v {
				n := t.Rows[i][2+j].Value + 1
				t.Rows[i][2+j] = number(n, fmt.Sprint(n))
			}
		}
	}
	t.Note = r.Method + "."
	return t
}

// best is the least time and the greatest rate of each series.
func best(s *cell.Set) Table {
	t := Table{Title: "Best numbers", Columns: []string{"benchmark", "series", "least time", "at", "greatest rate", "at"}}
	groups := map[string][]cell.Point{}
	var benches []string
	for _, p := range s.Points {
		if groups[p.Bench] == nil {
			benches = append(benches, p.Bench)
		}
		groups[p.Bench] = append(groups[p.Bench], p)
	}
	for _, bench := range benches {
		points := groups[bench]
		timeKey, rateKey := keys(points)
		at, along := axis(points)
		by := cell.Telling(points, at, along...)
		rows := map[string][]Cell{}
		var names []string
		fill := func(key string, column int, better func(a, b float64) bool) {
			for _, series := range cell.SplitBy(points, key, at, by) {
				if rows[series.Name] == nil {
					rows[series.Name] = []Cell{words(bench), words(series.Name), {}, {}, {}, {}}
					names = append(names, series.Name)
				}
				c := series.Cells[0]
				for _, other := range series.Cells {
					if better(other.Median, c.Median) {
						c = other
					}
				}
				rows[series.Name][column] = number(c.Median, quantity(key, c.Median))
				rows[series.Name][column+1] = number(c.X, where(c.Points[0]))
			}
		}
		if timeKey != "" {
			fill(timeKey, 2, func(a, b float64) bool { return a < b })
		}
		if rateKey != "" {
			fill(rateKey, 4, func(a, b float64) bool { return a > b })
		}
		for _, name := range names {
			if len(t.Rows) < mostBest {
				t.Rows = append(t.Rows, rows[name])
			}
		}
		if len(t.Rows) == mostBest {
			t.Note = "More series are in the tables below."
		}
	}
	return t
}

// mostBest rows leave the answer on one page.
const mostBest = 14

// axis is what cells of a series differ in: the size of messages, or the number
// of ranks of an application.
func axis(points []cell.Point) (at func(cell.Point) float64, along []cell.Factor) {
	if _, application := points[0].Metrics["run_s"]; application {
		return func(p cell.Point) float64 { return float64(p.Ranks) }, []cell.Factor{cell.Ranks}
	}
	return func(p cell.Point) float64 { return float64(p.Size) }, nil
}

// keys are the first time and the first rate that points have.
func keys(points []cell.Point) (time, rate string) {
	for _, p := range points {
		time, rate = cmp.Or(time, cell.Time(p)), cmp.Or(rate, cell.Rate(p)) // empty messages have no rate
		if time != "" && rate != "" {
			break
		}
	}
	return time, rate
}

func where(p cell.Point) string {
	if p.Class != "" || p.Size == 0 && p.Metrics["run_s"].N > 0 {
		if p.Ranks == 1 {
			return "1 rank"
		}
		return cell.RanksName(p.Ranks)
	}
	return style.Size(p.Size)
}

// quantity writes a value of a metric with a unit that suits it.
func quantity(key string, v float64) string {
	m, _ := record.Lookup(key)
	switch m.Unit {
	case "s":
		if v >= 0.1 {
			return style.Number(v) + " s"
		}
		if v >= 0.01 {
			return style.Number(v*1e3) + " ms"
		}
		return style.Number(v*1e6) + " µs"
	case "B/s":
		if v < 1e8 {
			return style.Number(v/1e6) + " MB/s"
		}
		return style.Number(v/1e9) + " GB/s"
	case "1/s", "op/s":
		return style.Number(v/1e6) + " million/s"
	case "1":
		return style.Number(v)
	default:
		return style.Number(v) + " " + m.Unit
	}
}
