package pairwise

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"gobench/internal/report/figure"
	"gobench/internal/report/style"
	"gobench/pairs"
	"gobench/stats"
)

// maxDrawn bounds the hosts of a figure, whose fields could not be seen otherwise.
const maxDrawn = 64

// Figure returns the matrices of the times between hosts: of small messages, and of a MiB from the
// host of the row to that of the column. Hosts are ordered by place, else by group, and bad ones
// come first where not all can be drawn. It is nil if nothing was measured.
func Figure(r *pairs.Result) *figure.Figure {
	v, hosts, samples := r.Verdict, r.Hosts, r.Samples
	drawn := slices.Clone(hosts)
	if len(drawn) > maxDrawn {
		rank := func(h pairs.Host) int {
			if slices.Contains(v.Bad, h.Name) {
				return 0
			}
			return 1
		}
		slices.SortStableFunc(drawn, func(a, b pairs.Host) int { return rank(a) - rank(b) })
		drawn = drawn[:maxDrawn]
	}
	group := func(h pairs.Host) int { // without places, those of a group that was found are together
		return slices.IndexFunc(v.Findings, func(f pairs.Finding) bool { return f.Scope == pairs.OfGroup && slices.Contains(f.Hosts, h.Name) })
	}
	slices.SortStableFunc(drawn, func(a, b pairs.Host) int {
		return cmp.Or(slices.Compare(a.Location, b.Location), group(b)-group(a))
	})
	number := map[string]int{}
	var names []string
	for i, h := range drawn {
		number[h.Name] = i
		names = append(names, h.Name)
	}
	small, large := newMatrix(len(drawn)), newMatrix(len(drawn))
	for _, s := range samples {
		a, first := number[s.A]
		b, second := number[s.B]
		if s.Failed != "" || !first || !second {
			continue
		}
		small.add(a, b, s.HalfRTT.Median*1e6)
		small.add(b, a, s.HalfRTT.Median*1e6)
		large.add(a, b, mebibyte/s.Forth*1e6)
		large.add(b, a, mebibyte/s.Back*1e6)
	}
	f := &figure.Figure{Name: "pairs", Title: "Times between hosts",
		Height:  vg.Length(min(max(len(names), 8), 24)) * 18,
		Caption: "Left: half round trip of 8 bytes in µs. Right: time of 1 MiB at the measured bandwidth in µs, from the host of the row to that of the column. Medians; the darker the slower, on logarithmic scales. White: not measured.",
		Method:  trust(v)}
	if left := len(hosts) - len(drawn); left > 0 {
		f.Caption += fmt.Sprintf(" %d more hosts are not drawn.", left)
	}
	var row []*figure.Panel
	for _, m := range []struct {
		heading string
		heat    *figure.Heat
	}{{"small messages", small.heat(names, "µs")}, {"large messages", large.heat(names, "µs a MiB")}} {
		if m.heat == nil {
			continue
		}
		p := m.heat.Panel(m.heading, names, names)
		p.XLabel, p.YLabel = "to", "from"
		row = append(row, p)
	}
	if row == nil {
		return nil
	}
	f.Rows = [][]*figure.Panel{row}
	return f
}

const mebibyte = 1 << 20

// A matrix collects values of fields.
type matrix [][][]float64

func newMatrix(n int) matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([][]float64, n)
	}
	return m
}

func (m matrix) add(i, j int, v float64) {
	if v > 0 && !math.IsInf(v, 0) {
		m[i][j] = append(m[i][j], v)
	}
}

// heat returns the medians of the fields, nil if there are none.
func (m matrix) heat(names []string, unit string) *figure.Heat {
	h := &figure.Heat{Lo: math.Inf(1)}
	for i, row := range m {
		h.Row(len(row))
		for j, list := range row {
			if len(list) > 0 {
				v := stats.Median(list)
				h.Set(i, j, v, style.Number(v), fmt.Sprintf("from %s to %s: %.3g %s, %d measurements", names[i], names[j], v, unit, len(list)))
				h.Lo, h.Hi = min(h.Lo, v), max(h.Hi, v)
			}
		}
	}
	if math.IsInf(h.Lo, 1) {
		return nil
	}
	return h
}
