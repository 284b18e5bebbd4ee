package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gobench/bench/record"
)

// heading says what was measured in a block, in one line. Points with the same
// heading belong to the same block.
func heading(p record.Point) string {
	s := fmt.Sprintf("%s over %s, level %s, %d %s", p.Bench, p.Transport, p.Level, p.Ranks, rankWord(p.RankKind))
	if pinned := slices.ContainsFunc(p.Cores, func(core int) bool { return core >= 0 }); pinned {
		s += " on cores " + list(p.Cores)
	} else {
		s += ", not pinned"
	}
	if p.Window > 0 {
		s += fmt.Sprintf(", window %d", p.Window)
	}
	if p.Cache != "" && p.Cache != "warm" {
		s += ", cache " + p.Cache
	}
	return s
}

func rankWord(kind string) string {
	if kind == "goroutine" {
		return "ranks as goroutines"
	}
	return "processes"
}

func list(numbers []int) string {
	var words []string
	for _, n := range numbers {
		words = append(words, strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}

// notes collects what is said below a block.
type notes struct {
	timeMetric string
	precision  float64
	wide       bool
	batched    bool
	method     string
	warnings   []string           // in the order of their first appearance
	sizes      map[string][]int64 // of each warning
}

func (n *notes) add(p record.Point) {
	n.timeMetric = timeMetric(p)
	n.precision = p.Precision
	n.wide = n.wide || wide(p)
	n.batched = n.batched || p.Batched > 1
	if p.Method != "" {
		n.method = p.Method
	}
	if n.sizes == nil {
		n.sizes = map[string][]int64{}
	}
	for _, w := range p.Warnings {
		if _, known := n.sizes[w]; !known {
			n.warnings = append(n.warnings, w)
		}
		n.sizes[w] = append(n.sizes[w], p.Size)
	}
}

func (n *notes) lines(columns []column) []string {
	var legend []string
	if n.timeMetric != "" {
		legend = append(legend, fmt.Sprintf("t = %s, median", strings.TrimSuffix(n.timeMetric, "_s")))
	}
	mark := ""
	if n.wide {
		mark = ", ! wider than asked"
		if n.precision > 0 {
			mark = fmt.Sprintf(", ! wider than the %g %% asked", 100*n.precision)
		}
	}
	legend = append(legend, "± = 95 % interval of the median"+mark)
	if n.batched && shown(columns, p99Column) {
		legend = append(legend, "p99 - = events too short to be timed alone")
	}
	if shown(columns, distanceColumn) {
		legend = append(legend, "dist = half round trip of one cache line, before>after")
	}
	legend = append(legend, "Mbytes = 10^6 bytes")
	lines := []string{strings.Join(legend, "; ")}
	if n.method != "" {
		lines = append(lines, "method: "+n.method)
	}
	for _, w := range n.warnings {
		lines = append(lines, fmt.Sprintf("warning (%s): %s", sizeList(n.sizes[w]), w))
	}
	return lines
}

func shown(columns []column, c column) bool {
	return slices.ContainsFunc(columns, func(other column) bool { return other.name == c.name })
}

// sizeList names at most four sizes, and says how many more there are.
func sizeList(sizes []int64) string {
	var words []string
	for i, n := range sizes {
		if i == 4 {
			words = append(words, fmt.Sprintf("and %d more", len(sizes)-i))
			break
		}
		words = append(words, FormatSize(n))
	}
	return strings.Join(words, ", ")
}

// FormatSize writes bytes the way sizes are read: 0 B, 8 B, 64 KiB, 4 MiB.
// Only whole units are used.
func FormatSize(n int64) string {
	unit := "B"
	for _, larger := range []string{"KiB", "MiB", "GiB"} {
		if n == 0 || n%1024 != 0 {
			break
		}
		n /= 1024
		unit = larger
	}
	return fmt.Sprintf("%d %s", n, unit)
}
