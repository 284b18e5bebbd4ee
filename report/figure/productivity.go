package figure

import (
	"fmt"
	"slices"
	"strings"

	"gobench/bench/price"
	"gobench/report/cell"
	"gobench/report/style"
)

// Productivity draws performance and its price over the number of ranks, one line for each series
// and payment option. A kernel and class has a panel of the price per hour of a GOPS (10^9
// operations per second), and one of GOPS per price per hour (thesis, figure 7.8). An application
// that writes files has MB/s per price per hour, in a panel for the first payment option and one
// for all others (thesis, figures 8.8 and 9.7). Productivity draws nothing without prices.
func Productivity(s *cell.Set) []*Figure {
	if s.Cost == nil {
		return nil
	}
	var all []*Figure
	for _, bench := range by(s.Where(rated), cell.Bench) {
		all = append(all, eachPart(by(bench.points, cell.Class), func(class part) *Figure { return productivity(s.Cost, bench.name, class) })...)
	}
	return append(all, eachWriter(s, func(class string, b part) *Figure { return storageProductivity(s.Cost, class, b) })...)
}

// rated reports whether a point has the rate of a kernel.
func rated(p cell.Point) bool { return application(p) && p.Metrics.Median("mops") > 0 }

// unpriced returns why no point of a set has a price.
func unpriced(s *cell.Set) string {
	points := s.Where(rated)
	switch {
	case s.Cost == nil:
		return "it needs --prices and --cluster"
	case len(points) == 0:
		return "it needs kernels with a rate (gobench npb)"
	}
	for _, option := range s.Cost.Options() {
		if _, err := s.Cost.PerHour(points[0], option); err != nil {
			return err.Error()
		}
	}
	return "no launch of a kernel has a rate"
}

// A paidPanel shows the performance of series and its price with some payment options.
type paidPanel struct {
	*Panel
	of      func(perHour, value float64) float64 // value on the axis from the price per hour and the metric
	unit    string
	options []string
	metric  string // whose direction that on the axis has, see cell.Contest
}

func productivity(cost *cell.Cost, bench string, class part) *Figure {
	f := &Figure{
		Name: file(bench, class.name, "productivity"), Title: strings.TrimSuffix(headline(bench)+", "+class.name, ", ") + ": cost of performance, " + surroundings(class.points),
	}
	series := cell.Split(class.points, "mops", ranks, cell.Ranks)
	options := cost.Options()
	if len(series) > 2 && len(options) > 1 {
		f.Notes = append(f.Notes, "priced "+options[0]+" only, because there are many series; compare two of them to see "+strings.Join(options[1:], " and ")+" too")
		options = options[:1]
	}
	dear, good := NewPanel(""), NewPanel("")
	currency := cost.Book.Currency
	dear.YLabel, good.YLabel = currency+"/h for a GOPS (less is better)", "GOPS for 1 "+currency+"/h (more is better)"
	return f.paid(cost, bench, class.points, series, "1 GOPS are 10^9 operations per second as the kernel counts them.",
		paidPanel{dear, price.PerGOPS, currency + "/h for a GOPS", options, ""},
		paidPanel{good, func(perHour, mops float64) float64 { return 1 / price.PerGOPS(perHour, mops) }, "GOPS for 1 " + currency + "/h", options, "mops"})
}

func storageProductivity(cost *cell.Cost, class string, b part) *Figure {
	f := &Figure{Name: file(b.name+"-storage", class, "productivity"), Bench: b.name, Title: headline(b.name) + ": cost of bandwidth to files, " + class}
	options := cost.Options()
	series := cell.SplitBy(b.points, "storage_Bps", ranks, ways(b.points))
	if len(series) > style.Most/len(options) && len(options) > 1 {
		f.Notes = append(f.Notes, "priced "+options[0]+" only, because there are many series")
		options = options[:1]
	}
	unit := "MB/s for 1 " + cost.Book.Currency + "/h"
	var panels []paidPanel
	for _, shown := range [][]string{options[:1], options[1:]} {
		if len(shown) == 0 {
			continue
		}
		p := NewPanel(strings.Join(shown, ", "))
		p.YLabel, p.Shows = unit+" (more is better)", Quantity{StoragePerCost, 1}
		panels = append(panels, paidPanel{p, func(perHour, bytes float64) float64 { return bytes / 1e6 / perHour }, unit, shown, "storage_Bps"})
	}
	return f.paid(cost, "", b.points, series, "The bandwidth has the time of the rank that writes longest.", panels...)
}

// paid completes a figure of the given points, with the panels side by side. It returns nil if no
// cell has a price.
func (f *Figure) paid(cost *cell.Cost, bench string, points []cell.Point, series []cell.Series, what string, panels ...paidPanel) *Figure {
	where := func(c cell.Cell) string { return cell.Plural(int(c.X), "rank", "ranks") }
	var drawn [][]cell.Series
	unpaid := ""
	var row []*Panel
	var shown []string // payment options
	var contests []cell.Contest
	for _, p := range panels {
		contest := cell.Contest{Metric: p.metric}
		for _, one := range series {
			for _, option := range p.options {
				s, _ := priced(cost, one, option, p.of)
				contest.Series = append(contest.Series, s)
			}
		}
		contests = append(contests, contest)
	}
	f.choose(contests...)
	for _, p := range panels {
		for _, option := range p.options {
			if !slices.Contains(shown, option) {
				shown = append(shown, option)
			}
		}
		var all []cell.Series
		var paid []string // options
		for _, one := range series {
			for _, option := range p.options {
				s, err := priced(cost, one, option, p.of)
				if err != nil {
					unpaid = err.Error()
				}
				if len(s.Cells) == 0 {
					continue
				}
				if _, ok := f.look(s.Name); !ok {
					continue
				}
				all = append(all, s)
				if !slices.Contains(paid, option) {
					paid = append(paid, option)
				}
			}
		}
		if len(all) == 0 {
			continue
		}
		if p.Heading != "" {
			p.Heading = strings.Join(paid, ", ")
		}
		drawn = append(drawn, all)
		p.CountX("ranks", values(slices.Concat(drawn...)))
		p.LogY()
		f.markOversubscribed(p.Panel, points)
		p.Add(Grid{})
		p.join(f.curves(all, unit{1, p.unit}, where)...)
		row = append(row, p.Panel)
	}
	if len(drawn) == 0 {
		return nil
	}
	f.Rows = [][]*Panel{row}
	f.oversubscribedLast()
	f.Caption = join(
		fmt.Sprintf("Price book %s, cluster %s: all hosts of a job, however many of their cores it uses, and all server nodes, pro rata of an hour. Prices in %s/h: %s.", cost.Book.Name, cost.Cluster.Name, cost.Book.Currency, cost.Prices(shown)),
		what, sentence(bench, cell.Common(points)), runsOf(points), replication(drawn...), markedCaveats(points))
	f.measured(points)
	if unpaid != "" {
		f.Notes = append(f.Notes, "some are left out: "+unpaid)
	}
	return f
}

// priced converts the values of a series by of, which is monotonic in them. It drops cells without
// a price and returns the last reason.
func priced(cost *cell.Cost, s cell.Series, option string, of func(perHour, value float64) float64) (paid cell.Series, unpaid error) {
	paid.Name = strings.TrimPrefix(s.Name+", "+option, ", ")
	for _, c := range s.Cells {
		hour, err := cost.PerHour(c.Points[0], option)
		if err != nil {
			unpaid = err
			continue
		}
		bounded := c.Lo > 0
		lo, hi := of(hour, c.Lo), of(hour, c.Hi)
		c.Median, c.Lo, c.Hi = of(hour, c.Median), 0, 0
		if bounded {
			c.Lo, c.Hi = min(lo, hi), max(lo, hi)
		}
		paid.Cells = append(paid.Cells, c)
	}
	return paid, unpaid
}
