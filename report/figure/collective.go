package figure

import (
	"cmp"
	"slices"
	"strings"

	"gobench/report/cell"
	"gobench/report/style"
)

// collective says that a point is of a collective operation.
func collective(p cell.Point) bool {
	_, rate := p.Metrics["aggregate_Bps"]
	_, bus := p.Metrics["busbw_Bps"]
	return rate || bus || cell.Time(p) == "global_s" || cell.Time(p) == "local_s"
}

// Collectives draws time, aggregated and bus bandwidth of collective operations
// over message size, a figure for each operation.
func Collectives(s *cell.Set) []*Figure {
	points := s.Where(func(p cell.Point) bool { return collective(p) && p.Bench != "barrier" })
	var all []*Figure
	for _, op := range by(points, cell.Bench) {
		count := func(points []cell.Point) int { return cell.Count(points, cell.Time(points[0]), size) }
		for _, p := range readable(op.points, count) {
			all = append(all, collectiveOverSize(op.name, p))
		}
	}
	return all
}

// panels of a collective: metric, unit, label. Both bandwidths share a row,
// because they are read together.
var bandwidths = []struct {
	metric, label string
}{
	{"aggregate_Bps", "aggregated bandwidth, GB/s"},
	{"busbw_Bps", "bus bandwidth, GB/s"},
}

func collectiveOverSize(op string, p part) *Figure {
	f := &Figure{Name: file(op, p.name), Title: title(op, p.points), Height: 0.9 * style.Row}
	key := cell.Time(p.points[0])
	top, series := f.sizePanel(p.points, key, micros)
	top.YLabel = timeLabel(key) + ", µs"
	f.Rows = [][]*Panel{{top}}
	for _, b := range bandwidths {
		if !slices.ContainsFunc(p.points, func(p cell.Point) bool { return p.Metrics[b.metric].Median > 0 }) {
			continue
		}
		panel, _ := f.sizePanel(p.points, b.metric, giga)
		panel.YLabel = b.label
		f.Rows[len(f.Rows)-1][0].XLabel = ""
		f.Rows = append(f.Rows, []*Panel{panel})
	}
	f.Keys = keys(series)
	f.Caption = join(
		sentence(op, cell.Common(p.points)), whatTime(key),
		"Aggregated bandwidth: size x ranks / time, as in the thesis; bus bandwidth: what each link would carry if the algorithm were ideal, in GB/s (10^9 bytes per second).",
		replication(series), switches(series))
	f.Method = method(p.points)
	f.Notes = append(f.Notes, notes(p.points)...)
	return f
}

// join puts sentences behind each other.
func join(sentences ...string) string {
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}

func whatTime(key string) string {
	switch key {
	case "global_s":
		return "Time: from the first rank in to the last rank out, on one clock."
	case "local_s":
		return "Time: of the slowest rank, each on its own clock."
	default:
		return ""
	}
}

func ranks(p cell.Point) float64 { return float64(p.Ranks) }

// Scaling draws the bandwidth of collectives against the number of ranks, one
// figure for each operation, one line for each size. There is none where all
// were measured with the same number.
func Scaling(s *cell.Set) []*Figure {
	points := s.Where(func(p cell.Point) bool { return collective(p) && p.Bench != "barrier" && p.Groups <= 1 })
	var all []*Figure
	for _, op := range by(points, cell.Bench) {
		shared := manySized(op.points)
		if len(shared) == 0 {
			continue
		}
		all = append(all, collectiveOverRanks(op.name, shared))
	}
	return all
}

// manySized keeps the sizes that were measured with most numbers of ranks, at
// most five of them, 32 KiB (the thesis' size) among them where it is there.
func manySized(points []cell.Point) []cell.Point {
	counts := map[int64]map[int]bool{}
	for _, p := range points {
		if counts[p.Size] == nil {
			counts[p.Size] = map[int]bool{}
		}
		counts[p.Size][p.Ranks] = true
	}
	most := 0
	for _, n := range counts {
		most = max(most, len(n))
	}
	if most < 2 {
		return nil
	}
	var sizes []int64
	for size, n := range counts {
		if len(n) == most {
			sizes = append(sizes, size)
		}
	}
	slices.Sort(sizes)
	keep := map[int64]bool{32 << 10: true}
	step := float64(len(sizes)-1) / 4
	for i := range 5 {
		keep[sizes[min(len(sizes)-1, int(float64(i)*step+0.5))]] = true
	}
	return slices.DeleteFunc(slices.Clone(points), func(p cell.Point) bool {
		return !keep[p.Size] || len(counts[p.Size]) < most
	})
}

func collectiveOverRanks(op string, points []cell.Point) *Figure {
	f := &Figure{Name: file(op, "ranks"), Title: headline(op) + " against the number of ranks"}
	row := []*Panel{}
	var series []cell.Series
	for _, b := range bandwidths {
		var left []string
		series, left = fewest(bySizes(points, b.metric))
		if len(series) == 0 {
			continue
		}
		panel := NewPanel("")
		panel.LogY()
		panel.CountX("ranks", values(series))
		panel.YLabel = b.label
		panel.Add(Grid{})
		panel.curves(series, giga, func(c cell.Cell) string { return cell.RanksName(int(c.X)) })
		row = append(row, panel)
		if len(row) == 1 {
			f.Keys, f.Notes = keys(series), left
		}
	}
	f.Rows = [][]*Panel{row}
	f.Caption = join(sentence(op, cell.Common(points)),
		"Aggregated bandwidth: size x ranks / time; bus bandwidth: what each link would carry if the algorithm were ideal.",
		replication(series), "Lines join the numbers of ranks that were measured; nothing is said of those between.")
	f.Method = method(points)
	f.Notes = append(f.Notes, notes(points)...)
	return f
}

// bySizes makes a series of each size: the axis is the number of ranks.
func bySizes(points []cell.Point, metric string) []cell.Series {
	var all []cell.Series
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b cell.Point) int { return cmp.Compare(a.Size, b.Size) })
	for _, p := range by(points, cell.Size) {
		for _, s := range cell.Split(p.points, metric, ranks, cell.Ranks) {
			s.Name = strings.TrimSuffix(p.name+", "+s.Name, ", ")
			if i := slices.IndexFunc(all, func(a cell.Series) bool { return a.Name == s.Name }); i < 0 {
				all = append(all, s)
			}
		}
	}
	return all
}
