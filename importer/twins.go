package importer

import (
	"fmt"
	"slices"

	"gobench/record"
)

// rankNumber matches what differs between the streams of two ranks.
var rankNumber = match(`\d+`)

// twins reports whether two launches are what both sides of one test printed: the server and the
// client of a stream of perftest, of which the server prints the values of the client and no
// window, or two ranks of fi_pingpong, each with times of its own.
func (l *log) twins(a, b *Imported) bool {
	var same func(p, q record.Point) bool
	switch {
	case fmt.Sprint(a.Run.Program) != fmt.Sprint(b.Run.Program):
		return false
	case l.form.name == perftestFormat.name:
		same = func(p, q record.Point) bool {
			server := (p.Window == 0) != (q.Window == 0) && streams(p.Bench)
			p.Window, q.Window = 0, 0
			return server && p.CellKey() == q.CellKey() && p.Metrics.Equal(q.Metrics)
		}
	case l.form.name == fabricFormat.name && l.stream != "" && l.own != l.stream &&
		rankNumber.ReplaceAllString(l.own, "0") == rankNumber.ReplaceAllString(l.stream, "0"):
		same = func(p, q record.Point) bool { return p.Size == q.Size && p.Iterations == q.Iterations }
	default:
		return false
	}
	return slices.EqualFunc(a.Points, b.Points, same)
}
