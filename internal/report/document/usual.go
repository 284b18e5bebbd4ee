package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gobench/internal/bench/state"
	"gobench/internal/collect"
	"gobench/internal/report/cell"
	"gobench/internal/report/normal"
	"gobench/record"
)

// usual returns a sentence for each transport whose ping-pong can be compared with what sources
// report for machines of its kind, or with what its own machine allows.
func usual(s *cell.Set) []string {
	var list []string
	said := map[string]bool{}
	rows := s.Where(func(p cell.Point) bool { return p.Bench == "pingpong" })
	slices.SortStableFunc(rows, func(a, b cell.Point) int { return cmp.Compare(near8(a.Size), near8(b.Size)) })
	type cellOfSize struct {
		transport, library string
		size               int64
	}
	sizeOf := func(p cell.Point) cellOfSize { return cellOfSize{p.Transport, p.Library, p.Size} }
	states := map[cellOfSize][state.Count]int{}
	peaks := map[cellOfSize]float64{} // of all sizes
	for _, p := range rows {
		n := states[sizeOf(p)]
		n[p.State()] += len(p.All())
		states[sizeOf(p)] = n
		of := cellOfSize{p.Transport, p.Library, 0}
		peaks[of] = max(peaks[of], peak(p))
	}
	for _, p := range rows {
		for _, key := range []string{"half_rtt_s", "bandwidth_Bps"} {
			name := key + p.Transport + p.Library
			if said[name] || !p.Metrics.Has(key) || key == "half_rtt_s" && p.Size == 0 || key == "bandwidth_Bps" && peak(p) < peaks[cellOfSize{p.Transport, p.Library, 0}] {
				continue
			}
			if p.State() != state.Common(states[sizeOf(p)]) {
				continue
			}
			row := *p.Point
			row.State = p.State().String()
			u, known := normal.Usual(&row, p.Run, key)
			b, bounded := normal.Of(&row, p.Run, key)
			if !known && !bounded {
				continue
			}
			said[name] = true
			list = append(list, sentence(s, p, key, u, known, b, bounded))
		}
	}
	return list
}

// peak returns the highest bandwidth of the launches of a row.
func peak(row cell.Point) (highest float64) {
	for _, p := range row.All() {
		highest = max(highest, p.Metrics.Median("bandwidth_Bps"))
	}
	return highest
}

// near8 returns the distance of a size from 8 bytes.
func near8(size int64) int64 { return max(size-8, 8-size) }

// sentence compares the median over the launches of the cell of a point.
func sentence(s *cell.Set, p cell.Point, key string, u normal.Range, known bool, b normal.Bound, bounded bool) string {
	v := p.Metrics.Median(key)
	for _, c := range s.Cells() {
		if slices.ContainsFunc(c.Points, func(q cell.Point) bool { return q.Point == p.Point }) {
			v = c.Middle(key)
		}
	}
	m, _ := record.Lookup(key)
	text := fmt.Sprintf("%s, %s of ping-pong: %s", p.Transport, m.Name, quantity(key, v))
	if known {
		in := "is within"
		switch lower := m.Direction == record.Lower; {
		case v < u.Lo && lower, v > u.Hi && !lower:
			in = "is better than"
		case v < u.Lo, v > u.Hi:
			in = "is worse than"
		}
		sources := collect.Each(u.Sources, func(name string) string {
			source, _, _ := strings.Cut(normal.Source(name), ",")
			source, _, _ = strings.Cut(source, " (")
			return source
		})
		text += fmt.Sprintf(" %s the usual %s to %s for %s (%s)", in, quantity(key, u.Lo), quantity(key, u.Hi), u.Class, strings.Join(sources, "; "))
	}
	if bounded && m.Direction == record.Lower {
		text += "; " + b.Reason
	} else if bounded {
		text += fmt.Sprintf("; %.0f %% of the bound (%s)", 100*b.Share(v), b.Reason)
	}
	return text + "."
}
