package series

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gobench/internal/bench/state"
	"gobench/record"
)

// doubt adds warnings to implausible rows of one command, whose values are physically impossible.
// scales belong to their machines.
func doubt(rows []record.Point, scales []*state.Scale) {
	for i := range rows {
		for _, w := range []string{tooFast(&rows[i]), beyondMemory(&rows[i], *scales[i])} {
			if w != "" {
				rows[i].Warnings = append(rows[i].Warnings, w)
			}
		}
	}
	backwards(rows)
}

// tooFast returns a warning for a collective that took less time than the transfer of a cache line
// between cores. This bound holds only for the time from the first entry to the last exit: the data
// of a late rank may be ready, and operations back to back overlap.
func tooFast(p *record.Point) string {
	time, ok := p.Metrics.Lookup("global_s")
	line := cmp.Or(p.DistanceMin, p.StateDistance)
	if !ok || p.Algorithm == "" || p.Ranks < 2 || p.Size == 0 && !strings.HasSuffix(p.Bench, "barrier") || line == 0 {
		return ""
	}
	if bound := line - p.Floor - p.ClockError; time.Median >= bound {
		return ""
	}
	return fmt.Sprintf("implausible: %.0f ns is less than a cache line takes from one core to another (%.0f ns): the operation is incomplete, or the clock is wrong",
		time.Median*1e9, line*1e9)
}

// beyondMemory returns a warning if the bandwidth of messages over shared memory, whose data is not
// in a cache, is higher than the copy bandwidth of all cores of the ranks: every byte is copied at
// least once. Messages of any size may lie in a cache of unknown size.
func beyondMemory(p *record.Point, scale state.Scale) string {
	rate, ok := p.Metrics.Lookup("bandwidth_Bps")
	if !ok || scale.Copy == 0 || p.Transport != "smem" || p.Cache != "cold" && (scale.Cache == 0 || p.Size <= scale.Cache) {
		return ""
	}
	if bound := scale.Copy * float64(p.Ranks); rate.Median <= bound || rate.Lo > 0 && rate.Lo <= bound {
		return ""
	}
	return fmt.Sprintf("implausible: %.1f GB/s is more than %d cores copy in memory (%.1f GB/s each): the data was not copied, or it was in a cache",
		rate.Median/1e9, p.Ranks, scale.Copy/1e9)
}

// minGap is the relative difference above which a faster larger message has a warning.
const minGap = 0.05

// backwards adds a warning to rows whose messages are faster than smaller ones of the same kind, if
// the intervals of both do not overlap.
func backwards(rows []record.Point) {
	kinds := map[string][]*record.Point{}
	for i := range rows {
		main := Main(rows[i].Metrics)
		if v := rows[i].Metrics.Get(main); v.Confidence == 0 || !isTime(main) {
			continue
		}
		p := rows[i]
		p.Size = 0
		kind := strings.Join([]string{p.State, p.Host, p.Map, p.Label, p.CellKey()}, "\x00")
		kinds[kind] = append(kinds[kind], &rows[i])
	}
	for _, list := range kinds {
		slices.SortStableFunc(list, func(a, b *record.Point) int { return cmp.Compare(a.Size, b.Size) })
		slowest := list[0] // of the smaller ones, by the lower bound of its time
		for _, p := range list[1:] {
			small, large := slowest.Metrics.Get(Main(slowest.Metrics)), p.Metrics.Get(Main(p.Metrics))
			if large.Hi < small.Lo && small.Median > (1+minGap)*large.Median && p.Size > slowest.Size {
				p.Warnings = append(p.Warnings, fmt.Sprintf("implausible: it takes %.0f %% less time than %d bytes do: one of both values is wrong, or the smaller message uses another path",
					100*(1-large.Median/small.Median), slowest.Size))
			}
			if large.Lo > small.Lo {
				slowest = p
			}
		}
	}
}
