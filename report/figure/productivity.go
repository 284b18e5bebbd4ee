package figure

import (
	"fmt"
	"strings"

	"gobench/bench/price"
	"gobench/report/cell"
	"gobench/report/style"
)

// Productivity draws the cost of performance: dollars per hour of a GOPS (10^9 operations per
// second), and GOPS per dollar and hour, over the number of ranks, one figure for each kernel and
// class, one line for each series and payment option (thesis, chapter 7, figure 8). It draws
// nothing without prices.
func Productivity(s *cell.Set) []*Figure {
	if s.Cost == nil {
		return nil
	}
	var all []*Figure
	for _, bench := range by(s.Where(rated), cell.Bench) {
		for _, class := range by(bench.points, cell.Class) {
			if f := productivity(s.Cost, bench.name, class); f != nil {
				all = append(all, f)
			}
		}
	}
	return all
}

// rated reports whether a point has the rate of a kernel.
func rated(p cell.Point) bool { return application(p) && p.Metrics["mops"].Median > 0 }

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

func productivity(cost *cell.Cost, bench string, class part) *Figure {
	dear, good := NewPanel(""), NewPanel("")
	currency := cost.Book.Currency
	dear.YLabel, good.YLabel = currency+"/h for a GOPS (less is better)", "GOPS for 1 "+currency+"/h (more is better)"
	f := &Figure{
		Name: file(bench, class.name, "productivity"), Title: strings.TrimSuffix(headline(bench)+", "+class.name, ", ") + ": cost of performance, " + surroundings(class.points),
		Rows: [][]*Panel{{dear, good}},
	}
	var xs []cell.Series
	var layers [2][]Curve
	unpaid := ""
	series := cell.Split(class.points, "mops", ranks, cell.Ranks)
	options := cost.Options()
	if len(series) > 2 {
		f.Notes = append(f.Notes, "priced "+options[0]+" only, because there are many series; compare two of them to see "+strings.Join(options[1:], " and ")+" too")
		options = options[:1]
	}
	for _, one := range series {
		for _, option := range options {
			per, gops, err := priced(cost, one, option)
			if err != nil {
				unpaid = err.Error()
			}
			if len(per.Cells) == 0 || len(f.Keys) == style.Most {
				continue
			}
			per.Name = strings.TrimPrefix(one.Name+", "+option, ", ")
			gops.Name = per.Name
			look := len(f.Keys)
			where := func(c cell.Cell) string { return cell.Plural(int(c.X), "rank", "ranks") }
			layers[0] = append(layers[0], curve(per, look, unit{1, currency + "/h for a GOPS"}, where))
			layers[1] = append(layers[1], curve(gops, look, unit{1, "GOPS for 1 " + currency + "/h"}, where))
			f.Keys = append(f.Keys, Key{Name: per.Name, Look: style.Of(look)})
			xs = append(xs, per)
		}
	}
	if len(xs) == 0 {
		return nil
	}
	for i, p := range []*Panel{dear, good} {
		p.CountX("ranks", values(xs))
		p.LogY()
		f.markOversubscribed(p, class.points)
		p.Add(Grid{})
		p.join(layers[i]...)
	}
	f.Caption = join(
		fmt.Sprintf("Price book %s, cluster %s: all nodes that the ranks need, and those that only serve, pro rata of an hour. 1 GOPS are 10^9 operations per second as the kernel counts them.", cost.Book.Name, cost.Cluster.Name),
		sentence(bench, cell.Common(class.points)), runsOf(class.points), replication(xs), markedCaveats(class.points))
	f.Method = method(class.points)
	f.Notes = append(f.Notes, notes(class.points)...)
	if unpaid != "" {
		f.Notes = append(f.Notes, "some are left out: "+unpaid)
	}
	return f
}

// priced converts the rates of a series to costs. Cells without a price are dropped, and the last
// reason is returned.
func priced(cost *cell.Cost, s cell.Series, option string) (per, gops cell.Series, unpaid error) {
	for _, c := range s.Cells {
		hour, err := cost.PerHour(c.Points[0], option)
		if err != nil {
			unpaid = err
			continue
		}
		dear, good := c, c
		dear.Median, dear.Lo, dear.Hi = price.PerGOPS(hour, c.Median), 0, 0
		good.Median, good.Lo, good.Hi = 1/dear.Median, 0, 0
		if c.Lo > 0 {
			dear.Lo, dear.Hi = price.PerGOPS(hour, c.Hi), price.PerGOPS(hour, c.Lo)
			good.Lo, good.Hi = 1/dear.Hi, 1/dear.Lo
		}
		per.Cells, gops.Cells = append(per.Cells, dear), append(gops.Cells, good)
	}
	return per, gops, unpaid
}
