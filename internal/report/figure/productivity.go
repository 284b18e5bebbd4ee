package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gobench/internal/collect"
	"gobench/internal/human"
	"gobench/internal/remedy"
	"gobench/internal/report/cell"
	"gobench/internal/report/price"
	"gobench/internal/report/style"
)

// Productivity draws performance and its price over the number of ranks, one line for each series
// and payment option. A kernel and class has a panel of the price per hour of a GOPS (10^9
// operations per second), and one of GOPS per price per hour (thesis, figure 7.8). An application
// without such a rate has the price of 1,000 runs (thesis, figure 9.8) and the runs for a unit of
// money, and a collective the same of its operations, over message size. An application that writes
// files has MB/s per price per hour, in a panel for the first payment option and one for all others
// (thesis, figures 8.8 and 9.7). Productivity draws nothing without prices.
func Productivity(s *cell.Set) []*Figure {
	if s.Cost == nil {
		return nil
	}
	var all []*Figure
	for _, bench := range by(s.Where(paidFor), cell.Bench) {
		all = append(all, eachPart(by(bench.points, cell.Class), func(class part) *Figure { return productivity(s.Cost, bench.name, class) })...)
	}
	all = append(all, eachBench(collectives(s), seriesOverSize, func(op string, p part) *Figure { return operationCost(s.Cost, op, p) })...)
	return append(all, eachWriter(s, func(class string, b part) *Figure { return storageProductivity(s.Cost, class, b) })...)
}

// paidFor reports whether a point is of a kernel or an application with a rate or a time.
func paidFor(p cell.Point) bool {
	return application(p) && p.Metrics.Median(mainOf([]cell.Point{p})) > 0
}

// unpriced returns why no point of a set has a price.
func unpriced(s *cell.Set) string {
	points := slices.Concat(s.Where(paidFor), collectives(s))
	switch {
	case s.Cost == nil:
		return fmt.Sprintf("it needs %v and %v", remedy.Named("prices"), remedy.Named("cluster"))
	case len(points) == 0:
		return "it needs kernels, applications or collectives (gobench npb, gobench fdtd, gobench coll)"
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

// An abscissa is the x axis of panels.
type abscissa struct {
	set   func(p *Panel, values []float64)
	where func(c cell.Cell) string // names a position
}

var (
	atRanks = abscissa{
		func(p *Panel, values []float64) { p.CountX("ranks", values) },
		func(c cell.Cell) string { return human.Count(int(c.X), "rank", "ranks") },
	}
	atSizes = abscissa{func(p *Panel, values []float64) { p.SizeX(values, 8) }, bySize}
)

// eventPanels returns panels of the price of many events, of a time in seconds, and of the events
// for one unit of money.
func eventPanels(cost *cell.Cost, many float64, some float64, events string, options []string) []paidPanel {
	currency := cost.Book.Currency
	dear, good := NewPanel(""), NewPanel("")
	dearUnit, goodUnit := currency+" for "+powerText(many)+events, powerText(some)+events+" for 1 "+currency
	dear.YLabel, good.YLabel = dearUnit+" (less is better)", goodUnit+" (more is better)"
	return []paidPanel{
		{dear, func(perHour, seconds float64) float64 { return price.Of(perHour, seconds) * many }, dearUnit, options, ""},
		{good, func(perHour, seconds float64) float64 { return 1 / price.Of(perHour, seconds) / some }, goodUnit, options, "mops"},
	}
}

// powerText writes a power of ten before a noun: "10^9 ", "1,000 ", "" for 1.
func powerText(x float64) string {
	switch {
	case x == 1:
		return ""
	case x == 1000:
		return "1,000 "
	}
	return fmt.Sprintf("10^%.0f ", math.Log10(x))
}

// fewOptions returns the payment options that a figure shows: all, or the first if the series times
// the options are more than most lines, and a note then.
func (f *Figure) fewOptions(cost *cell.Cost, series, largest int) []string {
	options := cost.Options()
	if series*len(options) > largest && len(options) > 1 {
		f.Remarks = append(f.Remarks, "priced "+options[0]+" only, because there are many series; compare two of them to see "+strings.Join(options[1:], " and ")+" too")
		options = options[:1]
	}
	return options
}

func productivity(cost *cell.Cost, bench string, class part) *Figure {
	f := &Figure{
		Name: file(bench, class.name, "productivity"), Title: strings.TrimSuffix(headline(bench)+", "+class.name, ", ") + ": cost of performance, " + surroundings(class.points),
	}
	key := mainOf(class.points)
	series := cell.Split(class.points, key, ranks, cell.Ranks)
	options := f.fewOptions(cost, len(series), 2*len(cost.Options()))
	if key == "run_s" {
		return f.paid(cost, bench, class.points, series, atRanks, "A run is its timed part.", eventPanels(cost, 1000, 1, "runs", options)...)
	}
	dear, good := NewPanel(""), NewPanel("")
	currency := cost.Book.Currency
	dear.YLabel, good.YLabel = currency+"/h for a GOPS (less is better)", "GOPS for 1 "+currency+"/h (more is better)"
	return f.paid(cost, bench, class.points, series, atRanks, "1 GOPS are 10^9 operations per second as the kernel counts them.",
		paidPanel{dear, price.PerGOPS, currency + "/h for a GOPS", options, ""},
		paidPanel{good, func(perHour, mops float64) float64 { return 1 / price.PerGOPS(perHour, mops) }, "GOPS for 1 " + currency + "/h", options, "mops"})
}

// operationCost draws the price of a collective over message size.
func operationCost(cost *cell.Cost, op string, p part) *Figure {
	f := &Figure{Name: file(op, p.name, "productivity"), Title: headline(op) + ": cost of an operation, " + surroundings(p.points)}
	series := cell.Split(p.points, p.time, size)
	options := f.fewOptions(cost, len(series), 2*len(cost.Options()))
	return f.paid(cost, op, p.points, series, atSizes, whatTime(p.time, p.points), eventPanels(cost, 1e9, 1e6, "operations", options)...)
}

func storageProductivity(cost *cell.Cost, class string, b part) *Figure {
	f := &Figure{Name: file(b.name+"-storage", class, "productivity"), Bench: b.name, Title: headline(b.name) + ": cost of bandwidth to files, " + class}
	series := cell.SplitBy(b.points, "storage_Bps", ranks, modes(b.points))
	options := f.fewOptions(cost, len(series), style.MaxSeries)
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
	return f.paid(cost, "", b.points, series, atRanks, "The bandwidth has the time of the rank that writes longest.", panels...)
}

// paid completes a figure of the given points, with the panels side by side. It returns nil if no
// cell has a price.
func (f *Figure) paid(cost *cell.Cost, bench string, points []cell.Point, series []cell.Series, over abscissa, what string, panels ...paidPanel) *Figure {
	var drawn [][]cell.Series
	unpaid := ""
	var row []*Panel
	var shown []string // payment options
	type offer struct {
		cell.Series
		option string
		err    error // why a part has no price
	}
	offers := make([][]offer, len(panels))
	var contests []cell.Contest
	for i, p := range panels {
		contest := cell.Contest{Metric: p.metric}
		for _, one := range series {
			for _, option := range p.options {
				s, err := priced(cost, one, option, p.of)
				offers[i], contest.Series = append(offers[i], offer{s, option, err}), append(contest.Series, s)
			}
		}
		contests = append(contests, contest)
	}
	f.choose(contests...)
	for i, p := range panels {
		shown = collect.Union(shown, p.options...)
		var all []cell.Series
		var paid []string // options
		for _, o := range offers[i] {
			if o.err != nil {
				unpaid = o.err.Error()
			}
			if len(o.Cells) == 0 {
				continue
			}
			if _, ok := f.look(o.Name); !ok {
				continue
			}
			all, paid = append(all, o.Series), collect.Union(paid, o.option)
		}
		if len(all) == 0 {
			continue
		}
		if p.Heading != "" {
			p.Heading = strings.Join(paid, ", ")
		}
		drawn = append(drawn, all)
		over.set(p.Panel, values(slices.Concat(drawn...)))
		p.LogY()
		f.markOversubscribed(p.Panel, points)
		p.Add(Grid{})
		p.join(f.curves(all, unit{1, p.unit}, over.where)...)
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
		f.Remarks = append(f.Remarks, "some are left out: "+unpaid)
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
